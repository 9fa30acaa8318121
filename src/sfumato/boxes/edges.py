"""Where the released edges of boxes lie: on a readable grid, at the outermost records, or at the cuts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.arrays import Codes, Flags, Reals
from sfumato.boxes.axes import Axis
from sfumato.microfile.hierarchy import readable

DECIMALS = 9
"""Numbers with more digits behind the point than this are taken as continuous."""
TRIED = 20_000
"""Grids are tried on about so many boxes."""
DATE_UNITS = ("10y", "5y", "1y", "3mo", "1mo", "1w", "1d")
COARSER = {"1d": "1w", "1h": "1d", "1m": "1h", "1s": "1m"}
FURTHER = 5
TIME_UNITS = (*DATE_UNITS, "1h", "1m", "1s")


@dataclass(frozen=True)
class Edges:
    """The ends of the boxes along one linear axis."""

    lo: Reals
    hi: Reals
    grid: str | float | None = None
    """The step of the grid that they lie on, or a unit of time; None where they are the records' own values."""


def snapped_edges(axis: Axis, tight: Edges, costs: Reals, dtype: pl.DataType, *, k: int, share: float) -> Edges:
    """Move tight edges outward to the coarsest readable grid that adds at most ``share`` to what the widths cost.

    An edge is never a record's own value, unless at least k records of the file have that value: else it is moved
    further out, to a coarser grid.

    Parameters
    ----------
    axis, tight
        The attribute, and the outermost values of each box.
    costs
        What a unit of width costs, one number a box.
    dtype
        The type of the attribute's column.
    k
        How many records must share a value that an edge may be.
    share
        By how much widths may cost more.
    """
    some = slice(None, None, -(-tight.lo.size // TRIED))
    tried, weights = Edges(tight.lo[some], tight.hi[some]), costs[some]
    before = float(weights @ (tried.hi - tried.lo))
    grids = _grids(axis, tried, weights, dtype, share)
    for grid in grids:
        snapped = _on_grid(axis, tried, grid, dtype, k)
        if float(weights @ (snapped.hi - snapped.lo)) <= (1.0 + share) * before:
            break
    return _on_grid(axis, tight, grid, dtype, k)


def _on_grid(axis: Axis, tight: Edges, grid: float | str, dtype: pl.DataType, k: int) -> Edges:
    """Move edges outward to a grid."""
    snap = _snapped_dates if isinstance(grid, str) else _snapped
    lo, hi, before, after = snap(tight, grid, dtype)  # type: ignore[arg-type]  # each takes its own kind of grid
    lo = np.where(_shows(axis, lo, tight.lo, k), before, lo)
    hi = np.where(_shows(axis, hi, tight.hi, k), after, hi)
    if axis.kind == "numeric" and axis.least >= 0:
        # below zero nobody expects anything, but a rare zero must not be given away
        clipped = np.maximum(lo, 0.0)
        lo = np.where(_shows(axis, clipped, tight.lo, k), lo, clipped)
    return Edges(lo, hi, grid)


def _shows(axis: Axis, snapped: Reals, tight: Reals, k: int) -> Flags:
    """Say which edges are still a record's own value that fewer than k records have."""
    shown: Flags = snapped == tight
    if shown.any():
        values, inverse = np.unique(tight[shown], return_inverse=True)
        shown[shown] = (axis.counts(values) < k)[inverse]
    return shown


def _grids(axis: Axis, tight: Edges, costs: Reals, dtype: pl.DataType, share: float) -> list[float] | list[str]:
    """Return grids from coarse to fine; the last is what the values are written in."""
    if dtype.is_temporal():
        return list(DATE_UNITS if dtype == pl.Date else TIME_UNITS)
    widths = tight.hi - tight.lo
    total = float(costs.sum())
    usual = float(costs @ widths) / total if total > 0 else float(widths.mean())
    finest = resolution_of(axis.places)
    if usual <= 0:
        largest = float(np.abs(axis.places).max(initial=0.0))
        return [finest or readable(max(largest, 1.0) * 1e-6)]
    grids: list[float] = []
    # snapping adds about one step to a width
    step = readable(4 * max(share, 0.001) * usual)
    while len(grids) < 16 and (finest is None or step > finest * 1.5):
        grids.append(step)
        step = readable(step * 0.4)
    return [*grids, finest] if finest is not None else grids


def resolution_of(places: Reals) -> float | None:
    """Return the power of ten that all values are multiples of, if there is one that is not too fine."""
    largest = max(float(places.max(initial=0.0)), -float(places.min(initial=0.0)))
    sample = places[:: max(1, places.size // 2000)]
    for decimals in range(DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale > 2**50:
            return None
        if largest * scale >= 0.5 and _whole(sample * scale) and _whole(places * scale):
            return 10.0**-decimals
    return None if largest else 1.0


def _whole(numbers: Reals) -> bool:
    # the dust of binary numbers; what is itself as small as dust is no zero
    dust = np.minimum(1e-7 * np.maximum(np.abs(numbers), 1e-3), 1e-6)
    return bool((np.abs(numbers - np.rint(numbers)) <= dust).all())


def _snapped(tight: Edges, step: float, dtype: pl.DataType) -> tuple[Reals, Reals, Reals, Reals]:
    """Return edges on a grid, and those further out, on every fifth of its points.

    One step further out would give the value away where the grid is the unit that values are written in.
    """
    from sfumato.kernels.snapping import snap_down

    scale = 10.0 ** max(0, -math.floor(math.log10(step)))
    lo, before = snap_down(tight.lo, step, scale, FURTHER)
    # upwards is downwards seen from above
    hi, after = snap_down(-tight.hi, step, scale, FURTHER)
    return lo, 0.0 - hi, before, 0.0 - after


def _snapped_dates(tight: Edges, unit: str, dtype: pl.DataType) -> tuple[Reals, Reals, Reals, Reals]:
    """Return the first and the last moments of units of time, and those of coarser units before and after."""
    physical = pl.Int32 if dtype == pl.Date else pl.Int64
    first, last = (
        pl.Series(np.rint(ends).astype(np.int64)).cast(physical).cast(_zoneless(dtype)).dt.truncate(unit)
        for ends in (tight.lo, tight.hi)
    )
    end, coarser = last.dt.offset_by(unit), COARSER.get(unit, unit)
    return (
        _numbers(first),
        _numbers(end) - 1,
        _numbers(first.dt.offset_by(f"-{unit}").dt.truncate(coarser)),
        _numbers(end.dt.truncate(coarser).dt.offset_by(coarser)) - 1,
    )


def _zoneless(dtype: pl.DataType) -> pl.DataType:
    return pl.Datetime(dtype.time_unit or "us") if isinstance(dtype, pl.Datetime) else dtype


def _numbers(series: pl.Series) -> Reals:
    return series.to_physical().cast(pl.Float64).to_numpy()


def shown_values(axes: Sequence[Axis], edges: Mapping[str, Edges], numbers: Codes) -> int:
    """Count the records of which some edge shows the exact value; ``numbers`` is each record's box, -1 for none."""
    chosen = np.flatnonzero(numbers >= 0)
    shown = np.zeros(chosen.size, dtype=np.bool_)
    for axis in axes:
        if axis.kind in ("numeric", "date"):
            its, places = edges[axis.name], axis.places[chosen]
            lo, hi = its.lo[numbers[chosen]], its.hi[numbers[chosen]]
            shown |= ((places == lo) | (places == hi)) & ~axis.missing[chosen]
    return int(shown.sum())
