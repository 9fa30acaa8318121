"""Where the released edges of boxes lie: on a readable grid, at the outermost records, or at the cuts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.arrays import Counts, Flags, Reals
from sfumato.boxes.axes import Axis
from sfumato.boxes.subdivision import Subdivision
from sfumato.microfile.hierarchy import readable

DECIMALS = 9
"""Numbers with more digits behind the point than this are taken as continuous."""
DATE_UNITS = ("10y", "5y", "1y", "3mo", "1mo", "1w", "1d")
TIME_UNITS = (*DATE_UNITS, "1h", "1m", "1s")


@dataclass(frozen=True)
class Edges:
    """The ends of the boxes along one linear axis."""

    lo: Reals
    hi: Reals
    grid: str | float | None = None
    """The step of the grid that they lie on, or a unit of time; None where they are the records' own values."""


def tight_edges(axis: Axis, boxes: Subdivision) -> Edges:
    """Return the outermost values of each box."""
    return Edges(boxes.least(axis.places), boxes.greatest(axis.places))


def snapped_edges(axis: Axis, boxes: Subdivision, costs: Reals, dtype: pl.DataType, k: int, share: float) -> Edges:
    """Move tight edges outward to the coarsest readable grid that adds at most ``share`` to what the widths cost.

    An edge is never a record's own value, unless at least k records of the file have that value: then it is moved
    by one more step.

    Parameters
    ----------
    axis, boxes
        The attribute and the subdivision.
    costs
        What a unit of width costs, one number a box.
    dtype
        The type of the attribute's column.
    k
        How many records must share a value that an edge may be.
    share
        By how much widths may cost more.
    """
    tight = tight_edges(axis, boxes)
    rare_lo, rare_hi = _rare(axis, tight.lo, k), _rare(axis, tight.hi, k)
    budget = share * float(costs @ (tight.hi - tight.lo))
    found = tight
    for grid in _grids(axis, tight, costs, dtype, share):
        if isinstance(grid, str):
            lo, hi = _snapped_dates(tight, grid, dtype, rare_lo, rare_hi)
        else:
            lo, hi = _snapped(tight, grid, rare_lo, rare_hi)
            if axis.places.min() >= 0:
                lo = np.maximum(lo, 0.0)
        found = Edges(lo, hi, grid)
        if float(costs @ (hi - lo)) - float(costs @ (tight.hi - tight.lo)) <= budget:
            break
    return found


def _rare(axis: Axis, edges: Reals, k: int) -> Flags:
    """Say which edges are values that fewer than k records have."""
    values, inverse = np.unique(edges, return_inverse=True)
    places = axis.places[~axis.missing] if axis.missing.any() else axis.places
    at = np.searchsorted(values, places)
    at[at == values.size] = 0
    counts = np.bincount(at[values[at] == places], minlength=values.size)
    return (counts < k)[inverse]


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
    largest = float(np.abs(places).max(initial=0.0))
    sample = places[:: max(1, places.size // 2000)]
    for decimals in range(DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale > 2**50:
            return None
        if _whole(sample * scale) and _whole(places * scale):
            return 10.0**-decimals
    return None


def _whole(numbers: Reals) -> bool:
    return bool((np.abs(numbers - np.rint(numbers)) <= 1e-6).all())


def _snapped(tight: Edges, step: float, rare_lo: Flags, rare_hi: Flags) -> tuple[Reals, Reals]:
    decimals = max(0, -math.floor(math.log10(step)))
    lo = _multiples(np.floor(tight.lo / step + 1e-9), step, decimals)
    lo = np.where(lo > tight.lo, _multiples(np.floor(tight.lo / step + 1e-9) - 1, step, decimals), lo)
    hi = _multiples(np.ceil(tight.hi / step - 1e-9), step, decimals)
    hi = np.where(hi < tight.hi, _multiples(np.ceil(tight.hi / step - 1e-9) + 1, step, decimals), hi)
    lo = np.where((lo == tight.lo) & rare_lo, _multiples(np.rint(lo / step) - 1, step, decimals), lo)
    hi = np.where((hi == tight.hi) & rare_hi, _multiples(np.rint(hi / step) + 1, step, decimals), hi)
    return lo, hi


def _multiples(counts: Reals, step: float, decimals: int) -> Reals:
    """Return multiples of a step as they are written, without the dust of binary numbers."""
    return np.round(counts * step, decimals) + 0.0


def _snapped_dates(
    tight: Edges, unit: str, dtype: pl.DataType, rare_lo: Flags, rare_hi: Flags
) -> tuple[Reals, Reals]:
    """Snap to the first and the last moment of units of time."""
    physical = pl.Int32 if dtype == pl.Date else pl.Int64
    plain = pl.Series(np.rint(tight.lo).astype(np.int64)).cast(physical).cast(_zoneless(dtype))
    high = pl.Series(np.rint(tight.hi).astype(np.int64)).cast(physical).cast(_zoneless(dtype))
    start = plain.dt.truncate(unit)
    lo = _numbers(start)
    before = _numbers(start.dt.offset_by(f"-{unit}"))
    end = high.dt.truncate(unit).dt.offset_by(unit)
    after = _numbers(end.dt.offset_by(unit)) - 1
    hi = _numbers(end) - 1
    # the last moment of a unit is its own value as well, where the unit is the finest
    lo = np.where((lo == tight.lo) & rare_lo, before, lo)
    hi = np.where((hi == tight.hi) & rare_hi, after, hi)
    return lo, hi


def _zoneless(dtype: pl.DataType) -> pl.DataType:
    return pl.Datetime(dtype.time_unit or "us") if isinstance(dtype, pl.Datetime) else dtype


def _numbers(series: pl.Series) -> Reals:
    return series.to_physical().cast(pl.Float64).to_numpy()


def shown_values(axes: list[Axis], edges: dict[str, Edges], boxes: Subdivision, kept: Counts) -> int:
    """Count the records of which some edge shows the exact value of an attribute."""
    shown = np.zeros(boxes.records.size, dtype=np.bool_)
    for axis in axes:
        if axis.name in edges and axis.kind != "ordinal":
            its = edges[axis.name]
            lo, hi = its.lo[boxes.numbers], its.hi[boxes.numbers]
            shown |= ((axis.places == lo) | (axis.places == hi)) & ~axis.missing
    return int(shown[kept].sum())
