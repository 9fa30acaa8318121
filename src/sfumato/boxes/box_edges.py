"""The released edges of boxes: on a readable grid, at the outermost records, or at the cuts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.boxes.axes import QuasiAxis
from sfumato.kernels.algebra import dot
from sfumato.kernels.elementary_functions import decimal_exponent
from sfumato.microfile import readable
from sfumato.release import DATE_UNITS, TIME_UNITS

DECIMALS = 9
"""Numbers with more decimal places than this are taken as continuous."""
FARTHEST = 2.0**62
"""Whole numbers farther from their origin than this are snapped as doubles: 64 bits may be too few for their edges."""
TRIED = 20_000
"""Grids are tried on about this number of boxes."""
DAYS = {
    **{"1s": 1 / 86_400, "1m": 1 / 1_440, "1h": 1 / 24, "1d": 1.0, "1w": 7.0},
    **{"1mo": 30.0, "3mo": 91.0, "1y": 365.25, "5y": 1826.25, "10y": 3652.5},
}
"""About how long a unit of time is."""
WIDE = 5
"""An interval of a grid hides a value if it has room for this number of values."""
COARSER = {
    **{"1s": "1m", "1m": "1h", "1h": "1d", "1d": "1w", "1w": "5w"},
    **{"1mo": "1y", "3mo": "5y", "1y": "5y", "5y": "50y", "10y": "50y"},
}
"""A unit of time with room for that many of another one."""


@dataclass(frozen=True)
class Edges:
    """The ends of the boxes along one linear axis."""

    lo: Reals | Counts
    """Numbers; of dates and large whole numbers, whole ones, so that none is rounded."""
    hi: Reals | Counts
    grid: str | float | None = None
    """The step of their grid, or a unit of time; None where they are the records' own values."""

    @property
    def widths(self) -> Reals:
        """The distances of the ends."""
        return np.asarray(self.hi - self.lo, dtype=np.float64)


def snapped_edges(axis: QuasiAxis, tight: Edges, costs: Reals, dtype: pl.DataType, *, k: int, share: float) -> Edges:
    """Move tight edges outward to the coarsest readable grid that adds at most ``share`` to what the widths cost.

    Where an edge lies depends only on the interval of the grid that holds the box's outermost value. Such an interval
    has room for :data:`WIDE` values at least, or holds at least k records of the file, so that an edge never shows a
    value that fewer records have. An attribute without negative values has no negative edge, whether a zero occurs
    or not.

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
    sample = slice(None, None, -(-tight.lo.size // TRIED))
    tried, weights = Edges(tight.lo[sample], tight.hi[sample]), costs[sample]
    before = dot(weights, tried.widths)
    for grid in _grids(axis, tried, weights, dtype, share):
        snapped = _on_grid(axis, tried, grid, dtype, k)
        if dot(weights, snapped.widths) <= (1.0 + share) * before:
            break
    return _on_grid(axis, tight, grid, dtype, k)


def _on_grid(axis: QuasiAxis, tight: Edges, grid: float | str, dtype: pl.DataType, k: int) -> Edges:
    """Move edges outward to a grid."""
    sides: list[_Side] = []
    for upward in (False, True):
        if isinstance(grid, str):
            sides.append(_calendar(axis, grid, dtype, upward=upward))
        elif axis.is_large and dtype.is_integer() and float(np.abs(axis.known).max(initial=0.0)) + 2 * grid < FARTHEST:
            sides.append(_whole_numbers(axis, int(grid), upward=upward))
        else:
            sides.append(_numbers_on(axis, grid, finest_of(axis, dtype), upward=upward))
    lo, hi = _edges(axis, tight.lo, sides[0], k), 0 - _edges(axis, 0 - tight.hi, sides[1], k)
    if axis.kind == "numeric" and axis.least + axis.origin >= 0:
        # alike for all boxes, so that a negative edge does not give a zero away
        lo = np.maximum(lo, max(-axis.origin, -(2**63)))
    return Edges(lo, hi, grid)


@dataclass(frozen=True)
class _Side:
    """The intervals of a grid, seen from inside a box; upward, all numbers are negated, so that outward is downward."""

    begins: Callable[[Any], tuple[Any, Flags]]
    """From coordinates to where their intervals begin, at or below them, and whether they are these beginnings."""
    next: Callable[[Any], Any]
    """From beginnings to those of the next intervals outward."""
    coarse: Callable[[Any], Any] | None
    """From beginnings to those of coarser intervals; None where the intervals have room for enough values."""
    wide: float
    """How far apart beginnings are that leave room for :data:`WIDE` values."""
    closed: float | None = None
    """Where an interval begins that holds its beginning, whether that is a rare value or not."""
    upward: bool = False


def _edges(axis: QuasiAxis, ends: Reals | Counts, side: _Side, k: int) -> Any:
    """Return the edges outward of ends, which are coordinates of records (upward: negated)."""
    edges = _held(axis, ends, side, k)
    if side.coarse is None:
        return edges
    from sfumato.kernels.boxes.snap_edges import part_starts

    keys, counts = np.unique(_held(axis, -axis.known if side.upward else axis.known, side, k), return_counts=True)
    points = np.union1d(side.coarse(keys), keys[counts >= k])
    below = np.concatenate([[0], np.cumsum(counts)])[np.searchsorted(keys, points)]
    starts = part_starts(points, below, k, side.wide)
    return starts[np.searchsorted(starts, edges, side="right") - 1]


def _held(axis: QuasiAxis, ends: Reals | Counts, side: _Side, k: int) -> Any:
    """Return where the interval of each coordinate begins; a rare value at its beginning is left to the next."""
    begins, same = side.begins(ends)
    if side.closed is not None:
        same &= begins != side.closed
    if same.any():
        values, inverse = np.unique(np.float64(-1 if side.upward else 1) * ends[same], return_inverse=True)
        same[same] = (axis.counts(values) < k)[inverse]
        begins[same] = side.next(begins[same])
    return begins


def _numbers_on(axis: QuasiAxis, step: float, unit: float | None, *, upward: bool) -> _Side:
    from sfumato.kernels.boxes.snap_edges import snap_down

    scale = 10.0 ** max(0, -decimal_exponent(step))

    def begins(numbers: Reals, length: float = step, *, strictly: bool = False) -> tuple[Reals, Flags]:
        return snap_down(np.ascontiguousarray(numbers), length, scale, strictly)

    narrow = unit is not None and step < WIDE * unit * (1 - 1e-9)
    return _Side(
        begins,
        lambda intervals: begins(intervals, strictly=True)[0],
        (lambda intervals: begins(intervals, WIDE * step)[0]) if narrow else None,
        WIDE * (unit or 0.0) * (1 - 1e-9),
        closed=0.0 if axis.least >= 0 and not upward else None,
        upward=upward,
    )


def _whole_numbers(axis: QuasiAxis, step: int, *, upward: bool) -> _Side:
    """Whole numbers that doubles may not hold; places and edges are their distances from the axis' origin."""
    origin = -axis.origin if upward else axis.origin

    def below(numbers: Counts, length: int) -> Counts:
        # multiples of the length, counted from zero, not from the origin
        return numbers - (numbers + origin % length) % length

    def begins(ends: Reals) -> tuple[Counts, Flags]:
        integers = ends.astype(np.int64) - int(axis.spacing)
        starts = below(integers, step)
        # what stands for several numbers is none of them
        return starts, (starts == integers) & (axis.spacing == 0)

    return _Side(
        begins,
        lambda intervals: below(intervals - 1, step),
        (lambda intervals: below(intervals, WIDE * step)) if not axis.spacing and step < WIDE else None,
        WIDE,
        upward=upward,
    )


def _calendar(axis: QuasiAxis, unit: str, dtype: pl.DataType, *, upward: bool) -> _Side:
    """Moments, in ticks from the axis' origin; upward, an interval ends with the last moment of a unit of time."""
    origin = -axis.origin if upward else axis.origin
    finest = _finest_unit(axis, dtype)
    narrow = finest is not None and DAYS[unit] < WIDE * DAYS[finest]

    def below(ticks: Counts, unit: str) -> Counts:
        ticks = ticks + origin
        units = _moments(-ticks if upward else ticks, dtype).dt.truncate(unit)
        starts = 1 - _ticks(units.dt.offset_by(unit)) if upward else _ticks(units)
        return starts - origin

    def begins(ends: Reals) -> tuple[Counts, Flags]:
        ticks_at_ends = ends.astype(np.int64) - int(axis.spacing)
        starts = below(ticks_at_ends, unit)
        return starts, (starts == ticks_at_ends) & (axis.spacing == 0)

    return _Side(
        begins,
        lambda intervals: below(intervals - 1, unit),
        (lambda intervals: below(below(intervals, COARSER[finest]), unit)) if narrow and finest else None,
        WIDE * DAYS[finest] * _ticks_a_day(dtype) * 0.95 if finest else 0.0,
        upward=upward,
    )


def _grids(axis: QuasiAxis, tight: Edges, costs: Reals, dtype: pl.DataType, share: float) -> list[float] | list[str]:
    """Return grids from coarse to fine; the last is what the values are written in."""
    if dtype.is_temporal():
        return list(DATE_UNITS if dtype == pl.Date else TIME_UNITS)
    widths = tight.widths
    total = float(costs.sum())
    usual = dot(costs, widths) / total if total > 0 else float(widths.mean())
    finest = finest_of(axis, dtype)
    if usual <= 0:
        largest = float(np.abs(axis.coordinates).max(initial=0.0))
        return [finest or readable(max(largest, 1.0) * 1e-6)]
    grids: list[float] = []
    # snapping adds about one step to a width
    step = readable(4 * max(share, 0.001) * usual)
    while len(grids) < 16 and (finest is None or step > finest * 1.5):
        grids.append(step)
        step = readable(step * 0.4)
    return [*grids, finest] if finest is not None else grids


def finest_of(axis: QuasiAxis, dtype: pl.DataType) -> float | None:
    """Return the unit in which values are written, or the finest that doubles distinguish; None if they have none."""
    if axis.spacing:
        return readable(WIDE * axis.spacing)
    resolution = resolution_of(axis.coordinates)
    if resolution is None and dtype.is_integer():
        return 1.0
    return 10.0**-dtype.scale if resolution is None and isinstance(dtype, pl.Decimal) else resolution


def resolution_of(values: Reals) -> float | None:
    """Return the power of ten that all values are multiples of, if there is one that is not too fine."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    sample = values[:: max(1, values.size // 2000)]
    for decimals in range(DECIMALS + 1):
        scale = 10.0**decimals
        if largest * scale > 2**50:
            return None
        if largest * scale >= 0.5 and _whole(sample * scale) and _whole(values * scale):
            return 10.0**-decimals
    return None if largest else 1.0


def _whole(numbers: Reals) -> bool:
    # rounding errors of binary numbers are ignored, but a number as small as they are does not count as zero
    dust = np.minimum(1e-7 * np.maximum(np.abs(numbers), 1e-3), 1e-6)
    return bool((np.abs(numbers - np.rint(numbers)) <= dust).all())


def _finest_unit(axis: QuasiAxis, dtype: pl.DataType) -> str | None:
    """Return the coarsest unit of time at whose beginnings all values are; None if some are between whole seconds."""
    moments = _moments(axis.known.astype(np.int64) + axis.origin, dtype)
    units = DATE_UNITS if dtype == pl.Date else TIME_UNITS
    return next((unit for unit in units if bool((moments.dt.truncate(unit) == moments).all())), None)


def _moments(ticks: Counts, dtype: pl.DataType) -> pl.Series:
    """Return moments without a time zone, so that all days have the same length."""
    zoneless = pl.Datetime(dtype.time_unit) if isinstance(dtype, pl.Datetime) else dtype
    return pl.Series(ticks).cast(pl.Int32 if dtype == pl.Date else pl.Int64).cast(zoneless)


def _ticks(moments: pl.Series) -> Counts:
    return moments.to_physical().cast(pl.Int64).to_numpy()


def _ticks_a_day(dtype: pl.DataType) -> int:
    return 86_400 * {"ms": 10**3, "us": 10**6}[dtype.time_unit] if isinstance(dtype, pl.Datetime) else 1


def shown_values(axes: Sequence[QuasiAxis], edges: Mapping[str, Edges], box_ids: Codes, *, k: int) -> int:
    """Count the records of which some edge is the exact value, if fewer than k records of the file have it.

    ``box_ids`` is each record's box, -1 for none.
    """
    released = np.flatnonzero(box_ids >= 0)
    is_shown = np.zeros(released.size, dtype=np.bool_)
    for axis in axes:
        if axis.kind in ("numeric", "date"):
            axis_edges, coordinates = edges[axis.name], axis.coordinates[released]
            lo, hi = axis_edges.lo[box_ids[released]], axis_edges.hi[box_ids[released]]
            same = ((coordinates == lo) | (coordinates == hi)) & ~axis.missing[released]
            if same.any():
                values, inverse = np.unique(coordinates[same], return_inverse=True)
                same[same] = (axis.counts(values) < k)[inverse]
            is_shown |= same
    return int(is_shown.sum())
