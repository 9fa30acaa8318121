"""Numbers, ranges and lists as text: the one place where a number becomes something that people read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from typing import Any

LARGE = 1000
"""Numbers from here on are written without a fraction."""
LISTED = 12
"""The number of names that a sentence lists in full."""
EXACT = "exact"
"""Written instead of a range without width."""
NO_RANGE = "no guaranteed range"
MAX_DIGITS = 10
"""The largest number of digits of a value and its range."""


def cell(value: object) -> str:
    """Write a value as a cell of a table.

    >>> cell(1234567), cell(0.123456789), cell(None), cell(66872.4), cell(True)
    ('1,234,567', '0.1235', '-', '66,872', 'yes')
    """
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 9999.5 else f"{value:,.0f}"
    return str(value)


def count(number: float) -> str:
    """Write a count.

    >>> count(1234567), count(0.4), count(311.7)
    ('1,234,567', 'less than 1', '312')
    """
    return "less than 1" if 0 < number < 0.5 else f"{number:,.0f}"


def counted(number: float, singular: str, plural: str = "") -> str:
    """Write a count with its noun; the plural is by default the singular with an s.

    >>> counted(1, "record"), counted(0.3, "record"), counted(2000, "record is", "records are")
    ('1 record', 'less than 1 record', '2,000 records are')
    """
    text = count(number)
    return f"{text} {singular if text in ('1', 'less than 1') else plural or f'{singular}s'}"


def share(fraction: float) -> str:
    """Write a share as a percentage with two or three significant digits.

    >>> share(0.0489), share(0.00000012), share(1.0), share(0)
    ('4.9%', 'less than 0.01%', '100%', '0%')
    """
    if 0 < fraction < 0.0001:
        return "less than 0.01%"
    return f"{100 * fraction:.2g}%" if fraction < 0.1 else f"{100 * fraction:.3g}%"


def percent(fraction: float | None, digits: int = 2) -> str:
    """Write a share as a percentage with fixed decimals, so that a column lines up.

    >>> percent(0.0489), percent(None), percent(0.5, 0)
    ('4.89%', '-', '50%')
    """
    return "-" if fraction is None else f"{fraction:.{digits}%}"


def number(value: float) -> str:
    """Write a measured number.

    >>> number(10.0), number(0.348633333), number(float("inf")), number(123456.7)
    ('10', '0.3486', 'not finite', '123,457')
    """
    if not math.isfinite(value):
        return "not finite"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= LARGE else f"{value:,.4g}"


def few_digits(value: float, digits: int) -> str:
    """Write a number with this many significant digits, without a power of ten.

    >>> few_digits(66872.4, 4), few_digits(2266.7, 3), few_digits(0.01234, 2), few_digits(math.inf, 3)
    ('66,870', '2,270', '0.012', 'inf')
    """
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.{digits}g}" if abs(rounded) < 10**digits else f"{rounded:,.0f}"


def value_with_range(value: float, lower: float, upper: float) -> tuple[str, str]:
    """Write a value and its range in few digits; the range is rounded outwards, so that it stays valid.

    >>> value_with_range(2.35394, 2.04115, 2.66666)
    ('2.3539', '[2.0411, 2.6667]')
    >>> value_with_range(29.253999999999998, 29.253999999999998, 29.253999999999998)
    ('29.254', 'exact')
    """
    if not (math.isfinite(lower) and math.isfinite(upper)):
        return f"{value:.6g}", NO_RANGE
    if lower == upper:
        return f"{value:,.{MAX_DIGITS}g}", EXACT
    decimals = _decimals(lower, upper)
    low, high = _rounded(lower, decimals, ROUND_FLOOR), _rounded(upper, decimals, ROUND_CEILING)
    return _rounded(value, decimals, ROUND_HALF_EVEN), f"[{low}, {high}]"


def guaranteed_range(span: str) -> str:
    """Write what is guaranteed of a value, given its range as text.

    >>> guaranteed_range("[1, 2]"), guaranteed_range(EXACT), guaranteed_range(NO_RANGE)
    ('guaranteed range [1, 2]', 'exact', 'no guaranteed range')
    """
    return span if span in (EXACT, NO_RANGE) else f"guaranteed range {span}"


def _decimals(low: float, high: float) -> int:
    """Return the number of decimals that shows four digits of the width, and at most ``MAX_DIGITS`` in all."""
    from sfumato.kernels.elementary_functions import decimal_exponent

    largest = max(abs(low), abs(high))
    return min(3 - decimal_exponent(high - low), MAX_DIGITS - 1 - decimal_exponent(largest))


def _rounded(value: float, decimals: int, rounding: str) -> str:
    """Write a number rounded to some decimals; to tens, hundreds and so on if their number is negative.

    >>> _rounded(37.9979, 1, ROUND_FLOOR), _rounded(46.9979, 1, ROUND_CEILING), _rounded(55885.2, -2, ROUND_FLOOR)
    ('37.9', '47.0', '55,800')
    """
    with localcontext() as context:
        # enough for any double
        context.prec = 800
        return f"{Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=rounding):,f}"


def odds(probability: float) -> str:
    """Write a probability as a percentage and as odds.

    >>> odds(0.1), odds(1 / 34567), odds(0.0196), odds(0.66)
    ('10% (1 in 10)', 'less than 0.01% (1 in 34,567)', '2% (1 in 51)', '66% (1 in 1.5)')
    """
    one_in = 1 / probability
    return f"{share(probability)} (1 in {f'{one_in:.2g}' if one_in < 9.5 else count(one_in)})"


def listed(names: Iterable[object], *, at_most: int = LISTED, conjunction: str = "and") -> str:
    """Write names as a list in a sentence; an empty one is "none".

    >>> listed(["age"]), listed(["age", "sex", "zip"]), listed("abcd", at_most=2)
    ('age', 'age, sex and zip', 'a, b and 2 more')
    """
    texts = [str(name) for name in names]
    if not texts:
        return "none"
    if len(texts) > at_most:
        return f"{', '.join(texts[:at_most])} and {len(texts) - at_most} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {conjunction} {texts[-1]}"


def capitalised(text: str) -> str:
    """Write a text as the beginning of a sentence.

    >>> capitalised("k-means, before")
    'K-means, before'
    """
    return f"{text[:1].upper()}{text[1:]}"


def json_content(content: Any) -> Any:
    """Return what JSON can hold; null stands for a number that is not finite.

    >>> json_content({"range": (1.5, math.inf)})
    {'range': [1.5, None]}
    """
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, tuple):
        return [json_content(entry) for entry in content]
    if isinstance(content, Mapping):
        return {name: json_content(entry) for name, entry in content.items()}
    return content
