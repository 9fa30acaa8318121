"""The grid of released edges, as anyone can derive it from the table."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl

from sfumato.array_types import Reals
from sfumato.kernels.elementary_functions import decimal_exponent

DATE_UNITS = ("10y", "5y", "1y", "3mo", "1mo", "1w", "1d")
TIME_UNITS = (*DATE_UNITS, "1h", "1m", "1s")
LEADING = (5, 2, 1)
"""The first digit of a readable step."""
DIGITS = 13
"""Steps with more digits than this below the largest edge are not considered."""
FINEST = 1e-10
"""Grids are chosen for the widths of boxes, and none is finer than this share of the narrowest."""


def grid_of(lo: pl.Series, hi: pl.Series) -> float | str | None:
    """Return the coarsest readable step, or unit of time, that all released edges are multiples of; None if none is.

    It is derived from the edges alone: the grid that was chosen for them may be finer, and would reveal something about
    the original.

    Parameters
    ----------
    lo, hi
        The released columns of an attribute.

    Examples
    --------
    >>> grid_of(pl.Series([20, 40, None]), pl.Series([40, 65, None]))
    5.0
    """
    if lo.dtype.is_temporal():
        return _unit_of(lo.drop_nulls().unique(), hi.drop_nulls().unique())
    ends = pl.concat([lo, hi]).drop_nulls().unique()
    return _whole_step(ends) if ends.dtype.is_integer() else _step(ends.cast(pl.Float64).to_numpy())


def _unit_of(first: pl.Series, last: pl.Series) -> str | None:
    """Return the coarsest unit such that lower edges are its first moments and upper edges its last ones."""
    units = DATE_UNITS if first.dtype == pl.Date else TIME_UNITS
    if isinstance(first.dtype, pl.Datetime):
        first, last = (ends.dt.replace_time_zone(None) for ends in (first, last))
    ticks = last.to_physical().cast(pl.Int64)
    # times that were in milliseconds are written in microseconds
    longer = last.dtype == pl.Datetime("us") and bool((ticks % 1000 == 0).all())
    after = (ticks + (1000 if longer else 1)).cast(last.to_physical().dtype).cast(last.dtype)
    edges = pl.concat([first, after])
    return next((unit for unit in units if bool((edges.dt.truncate(unit) == edges).all())), None)


def _whole_step(ends: pl.Series) -> float | None:
    common = int(np.gcd.reduce(ends.cast(pl.Int64).to_numpy()))
    if common == 0:
        return None
    powers = range(len(str(abs(common))), -1, -1)
    return next(float(lead * 10**power) for power in powers for lead in LEADING if common % (lead * 10**power) == 0)


def _step(ends: Reals) -> float | None:
    largest = float(np.abs(ends).max(initial=0.0))
    if largest == 0:
        return None
    highest = decimal_exponent(largest)
    for power, lead in itertools.product(range(highest, highest - DIGITS, -1), LEADING):
        step = float(f"{lead}e{power}")
        multiples = np.rint(ends / step) * lead
        multiples = multiples * 10.0**power if power >= 0 else multiples / 10.0**-power
        # edges may be the next doubles outward
        if bool((np.abs(ends - multiples) <= np.spacing(np.abs(multiples))).all()):
            return step
    return None


def is_noisy(lo: pl.Series, hi: pl.Series) -> bool:
    """Whether released edges have digits that no grid explains, which may hide something.

    >>> is_noisy(pl.Series([20.0, 40.0]), pl.Series([40.0, 65.0]))
    False
    >>> is_noisy(pl.Series([20.0 + 1e-14, 40.0]), pl.Series([40.0, 65.0]))
    True
    """
    if not lo.dtype.is_float():
        return False
    both = [ends.drop_nulls().to_numpy() for ends in (lo, hi)]
    widths = both[1] - both[0]
    narrowest = float(widths[widths > 0].min(initial=np.inf))
    largest = max(float(np.abs(ends).max(initial=0.0)) for ends in both)
    if largest >= 2**53:
        # whole numbers too long for 64 bits are written as doubles at or beyond them
        return False
    step = _step(np.concatenate(both))
    if step is None:
        return 0 < largest < 10.0**DIGITS * FINEST * narrowest < np.inf
    several = any(np.unique(np.rint(ends / step)).size < np.unique(ends).size for ends in both)
    return several or step < FINEST * narrowest < np.inf
