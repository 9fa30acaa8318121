"""Integer rounding of counts of people that preserves their total."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Counts, Reals
from sfumato.errors import SettingError, UnattainableError

HALVINGS = 200
"""After this many halvings an interval of floating-point numbers is empty."""


def largest_remainders(
    values: ArrayLike, total: int, *, lower: ArrayLike | None = None, upper: ArrayLike | None = None
) -> Counts:
    """Return counts in proportion to values that add up to a total (Hamilton's method; ERRATA 003-13).

    Values are scaled to the total, then rounded down; what is missing goes to the largest remainders, the first of
    equal ones.

    Parameters
    ----------
    values
        One number per place; negative ones count as 0.
    total
        The sum of the counts.
    lower, upper
        The least and the largest count of each place, default 0 and the total. A place with equal bounds is fixed.

    Examples
    --------
    >>> largest_remainders([1.4, 2.4, 3.2], 7).tolist()
    [2, 2, 3]
    >>> largest_remainders([1, 1, 1], 2).tolist()
    [1, 1, 0]
    """
    shares = np.maximum(np.asarray(values, dtype=np.float64), 0.0)
    least = _bound(lower, 0, shares.size)
    greatest = np.maximum(_bound(upper, total, shares.size), least)
    if total < 0 or not np.isfinite(shares).all():
        raise SettingError("only finite numbers can be rounded, and only to a non-negative total")
    if not least.sum() <= total <= greatest.sum():
        raise UnattainableError(
            f"{total} people cannot be placed: the places hold from {least.sum()} to {greatest.sum()}",
            hint="fix fewer places or raise their capacities",
        )
    scaled = _with_total(shares, float(total), least.astype(np.float64), greatest.astype(np.float64))
    # a number that is below an integer by a rounding error counts as that integer
    counts: Counts = np.clip(np.floor(scaled + 1e-9), least, greatest).astype(np.int64)
    remainders = scaled - counts
    while (missing := total - int(counts.sum())) != 0:
        room = counts < greatest if missing > 0 else counts > least
        ranked = np.argsort(-remainders if missing > 0 else remainders, kind="stable")
        chosen = ranked[room[ranked]][: abs(missing)]
        counts[chosen] += np.sign(missing)
        remainders[chosen] -= np.sign(missing)
    return counts


def _with_total(values: Reals, total: float, least: Reals, greatest: Reals) -> Reals:
    """Scale values to the total within the bounds; where scaling is not enough, a constant is added."""

    def scaled(factor: float) -> Reals:
        return np.clip(values * factor, least, greatest)

    if abs(scaled(1.0).sum() - total) <= 1e-9 * max(total, 1.0):
        return scaled(1.0)
    low, high = 0.0, 1.0
    while scaled(high).sum() < total and high < 1e18:
        high *= 2.0
    if scaled(high).sum() >= total:
        low, high = halve(lambda factor: bool(scaled(factor).sum() < total), low, high)
        return scaled(high)
    full = scaled(high)
    low, high = halve(
        lambda level: bool(np.clip(full + level, least, greatest).sum() < total), 0.0, float(greatest.max())
    )
    return np.clip(full + high, least, greatest)


def halve(is_low: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Bisect the point where a growing sum reaches its total."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return low, high


def _bound(bound: ArrayLike | None, otherwise: int, size: int) -> Counts:
    """Return one integer bound per place."""
    if bound is None:
        return np.full(size, otherwise, dtype=np.int64)
    return np.floor(np.broadcast_to(np.asarray(bound, dtype=np.float64), (size,)) + 1e-9).astype(np.int64)
