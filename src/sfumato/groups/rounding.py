"""Whole people: numbers made integers so that their total stays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from sfumato.arrays import Counts, Reals
from sfumato.errors import SettingError, UnattainableError

HALVINGS = 200
"""After so many halvings an interval of numbers is empty."""


def largest_remainders(
    values: ArrayLike, total: int, *, lower: ArrayLike | None = None, upper: ArrayLike | None = None
) -> Counts:
    """Return counts in proportion to values that add up to a total (Hamilton's method; ERRATA 003-13).

    Values are multiplied by what gives them the total, which is one if they have it; then all are rounded down, and
    what is missing goes to the largest remainders, of equal ones to the first.

    Parameters
    ----------
    values
        One number a place; negative ones count as 0.
    total
        What the counts shall add up to.
    lower, upper
        The least and the largest count of each place, default 0 and the total. A place whose two are equal is fixed.

    Examples
    --------
    >>> largest_remainders([1.4, 2.4, 3.2], 7).tolist()
    [2, 2, 3]
    >>> largest_remainders([1, 1, 1], 2).tolist()
    [1, 1, 0]
    """
    wanted = np.maximum(np.asarray(values, dtype=np.float64), 0.0)
    least = _bound(lower, 0, wanted.size)
    most = np.maximum(_bound(upper, total, wanted.size), least)
    if total < 0 or not np.isfinite(wanted).all():
        raise SettingError("only finite numbers can be rounded, to a total that is not negative")
    if not least.sum() <= total <= most.sum():
        raise UnattainableError(
            f"{total} people cannot be placed: the places hold from {least.sum()} to {most.sum()}",
            hint="fix fewer places or raise their capacities",
        )
    scaled = _with_total(wanted, float(total), least.astype(np.float64), most.astype(np.float64))
    # a number a rounding error below an integer is that integer
    counts: Counts = np.clip(np.floor(scaled + 1e-9), least, most).astype(np.int64)
    remainders = scaled - counts
    while (missing := total - int(counts.sum())) != 0:
        room = counts < most if missing > 0 else counts > least
        ranked = np.argsort(-remainders if missing > 0 else remainders, kind="stable")
        chosen = ranked[room[ranked]][: abs(missing)]
        counts[chosen] += np.sign(missing)
        remainders[chosen] -= np.sign(missing)
    return counts


def _with_total(values: Reals, total: float, least: Reals, most: Reals) -> Reals:
    """Multiply values by what gives them the total within the bounds; zeros can only be added to."""

    def scaled(factor: float) -> Reals:
        return np.clip(values * factor, least, most)

    if abs(scaled(1.0).sum() - total) <= 1e-9 * max(total, 1.0):
        return scaled(1.0)
    low, high = 0.0, 1.0
    while scaled(high).sum() < total and high < 1e18:
        high *= 2.0
    if scaled(high).sum() >= total:
        low, high = halve(lambda factor: bool(scaled(factor).sum() < total), low, high)
        return scaled(high)
    full = scaled(high)
    low, high = halve(lambda level: bool(np.clip(full + level, least, most).sum() < total), 0.0, float(most.max()))
    return np.clip(full + high, least, most)


def halve(is_low: Callable[[float], bool], low: float, high: float) -> tuple[float, float]:
    """Narrow down where a growing sum reaches its total."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return low, high


def _bound(bound: ArrayLike | None, otherwise: int, size: int) -> Counts:
    """Return one integer bound a place."""
    if bound is None:
        return np.full(size, otherwise, dtype=np.int64)
    return np.floor(np.broadcast_to(np.asarray(bound, dtype=np.float64), (size,)) + 1e-9).astype(np.int64)
