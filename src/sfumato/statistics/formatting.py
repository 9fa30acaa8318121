"""Format results: in few digits for people, as plain numbers for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from typing import Any

from sfumato.kernels.elementary import decimal_exponent

EXACT = "exact"
"""Stands for a range without width."""
UNPROVED = "no guaranteed range"
MAX_DIGITS = 10


def within(span: str) -> str:
    """Write a guaranteed range, or that the value is exact.

    >>> within("[1, 2]"), within(EXACT)
    ('guaranteed range [1, 2]', 'exact')
    """
    return span if span == EXACT else f"guaranteed range {span}"


def told(value: float, lower: float, upper: float) -> tuple[str, str]:
    """Write a value and its range in few digits; the range is rounded outwards, so that it stays valid.

    >>> told(2.35394, 2.04115, 2.66666)
    ('2.3539', '[2.0411, 2.6667]')
    >>> told(29.253999999999998, 29.253999999999998, 29.253999999999998)
    ('29.254', 'exact')
    """
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return f"{value:.6g}", "not proved"
    if lower == upper:
        return f"{value:,.{MAX_DIGITS}g}", EXACT
    digits = _digits(lower, upper)
    low, high = _rounded(lower, digits, ROUND_FLOOR), _rounded(upper, digits, ROUND_CEILING)
    return _rounded(value, digits, ROUND_HALF_EVEN), f"[{low}, {high}]"


def few(number: float, digits: int) -> str:
    """Write a number in few digits, without a power of ten.

    >>> few(66872.4, 4), few(2266.7, 3), few(0.01234, 2), few(math.inf, 3)
    ('66,870', '2,270', '0.012', 'inf')
    """
    rounded = float(f"{number:.{digits}g}")
    return f"{rounded:,.{digits}g}" if abs(rounded) < 10**digits else f"{rounded:,.0f}"


def plain(content: Any) -> Any:
    """Return what JSON can hold; null for numbers that are not finite."""
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, tuple):
        return [plain(entry) for entry in content]
    if isinstance(content, Mapping):
        return {name: plain(entry) for name, entry in content.items()}
    return content


def _digits(low: float, high: float) -> int:
    """Return the number of decimals that shows four digits of the width, and at most ``MAX_DIGITS`` in all."""
    largest = max(abs(low), abs(high))
    return min(3 - decimal_exponent(high - low), MAX_DIGITS - 1 - decimal_exponent(largest))


def _rounded(number: float, digits: int, way: str) -> str:
    """Write a number rounded to some decimals; to tens, hundreds and so on if negative.

    >>> _rounded(37.9979, 1, ROUND_FLOOR), _rounded(46.9979, 1, ROUND_CEILING), _rounded(55885.2, -2, ROUND_FLOOR)
    ('37.9', '47.0', '55,800')
    """
    with localcontext() as context:
        # enough for any double
        context.prec = 800
        return f"{Decimal(number).quantize(Decimal(1).scaleb(-digits), rounding=way):,f}"
