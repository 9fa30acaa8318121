"""Cells that cover the whole space, so that new records can be placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.boxes.axes import Axis
from sfumato.boxes.category_sets import CategorySets
from sfumato.boxes.edges import Edges, resolution_of
from sfumato.boxes.strata import Strata
from sfumato.boxes.subdivision import Subdivision, Summary
from sfumato.microfile.hierarchy import readable

if TYPE_CHECKING:
    from sfumato.kernels.bits import Words


@dataclass(frozen=True)
class Cells:
    """The cell of each box."""

    axes: Sequence[Axis]
    lo: Reals
    """Axes by boxes."""
    hi: Reals
    sets: Words
    """Axes by boxes by words."""

    def edges(self, row: int) -> Edges:
        """Return the ends along an axis; those of categories are included."""
        whole = self.axes[row].kind in ("ordinal", "tree")
        return Edges(self.lo[row], self.hi[row] - 1 if whole else self.hi[row])

    def category_sets(self, name: str) -> CategorySets:
        """Return the categories of a set's cells."""
        row = [axis.name for axis in self.axes].index(name)
        return CategorySets.from_bits(self.sets[row, :, : -(-len(self.axes[row].values) // 64)])


def cells_of(axes: Sequence[Axis], strata: Strata, boxes: Subdivision, ends: Summary) -> Cells:
    """Return the cells of boxes that were cut, but not exchanged."""
    from sfumato.kernels.space import LINEAR, SET
    from sfumato.kernels.tiling import find_cells

    words = max(-(-len(axis.values) // 64) for axis in axes) or 1
    shape = (len(axes), len(boxes))
    lo, hi, cell_lo, cell_hi = (np.zeros(shape) for _ in range(4))
    sets, cell_sets = (np.zeros((*shape, words), dtype=np.uint64) for _ in range(2))
    for row, axis in enumerate(axes):
        if axis.kind == "set":
            own = _bits(axis, axis.places[boxes.records], boxes.starts)
            sets[row, :, : own.shape[1]] = own
            cell_sets[row, :, : own.shape[1]] = np.bitwise_or.reduce(own, axis=0)
        else:
            lo[row], hi[row] = ends.lo[row], ends.hi[row]
            cell_lo[row], cell_hi[row] = _domain(axis)
    whole = np.array([axis.kind != "numeric" or axis.origin != 0 for axis in axes])
    kinds = np.array([SET if axis.kind == "set" else LINEAR for axis in axes], dtype=np.int32)
    stratum = strata.numbers[boxes.records[boxes.starts]]
    borders = np.flatnonzero(np.append(stratum[1:] != stratum[:-1], True)) + 1
    first = 0
    for last in borders.tolist():
        find_cells(kinds, whole, lo, hi, sets, first, last, cell_lo, cell_hi, cell_sets)
        first = last
    return Cells(axes, cell_lo, cell_hi, cell_sets)


def _bits(axis: Axis, places: Reals, starts: Counts) -> Words:
    """Return which categories each box has; ``places`` in the order of the boxes, ``starts`` where each begins."""
    from sfumato.kernels.bits import set_bits

    bits = np.zeros((starts.size, -(-len(axis.values) // 64)), dtype=np.uint64)
    set_bits(bits, starts, places.astype(np.int64))
    return bits


def _domain(axis: Axis) -> tuple[float, float]:
    """Return the ends of the whole space along an axis: beyond all values, on a readable grid."""
    if axis.kind in ("ordinal", "tree"):
        return 0.0, float(len(axis.values))
    low, high = float(axis.known.min()), float(axis.known.max())
    step = readable(max(axis.span / 50, resolution_of(axis.known) or 0.0, abs(high) * 1e-9, 1e-9))
    start, end = np.floor(low / step) * step, np.ceil(high / step) * step
    start = start if start < low or start == 0.0 else start - step
    end = end if end > high else end + step
    if axis.kind == "date" or axis.origin:
        return float(np.floor(start)), float(np.ceil(end))
    return float(np.round(start, 12)), float(np.round(end, 12))
