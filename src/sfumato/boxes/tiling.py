"""Cells that cover the whole space, so that new records can be placed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.box_edges import Edges, resolution_of
from sfumato.boxes.box_runs import Subdivision, Summary
from sfumato.boxes.category_sets import CategorySets
from sfumato.boxes.missingness_strata import Strata
from sfumato.microfile import readable


class SharedSets(NamedTuple):
    """Sets of categories that boxes share, for few of the cuts around a box part its set."""

    sets: CategorySets
    of: Counts
    """Which set each box has."""


@dataclass(frozen=True)
class Cells:
    """The cell of each box."""

    axes: Sequence[QuasiAxis]
    lo: Reals
    """Axes by boxes."""
    hi: Reals
    sets: dict[str, SharedSets]
    """By the names of axes that are sets of categories."""

    def edges(self, row: int) -> Edges:
        """Return the ends along an axis; those of categories are included."""
        is_category = self.axes[row].kind in ("ordinal", "tree")
        return Edges(self.lo[row], self.hi[row] - 1 if is_category else self.hi[row])


def cells_of(axes: Sequence[QuasiAxis], strata: Strata, boxes: Subdivision, ends: Summary) -> Cells:
    """Return the cells of boxes that were cut, with no records swapped."""
    from sfumato.kernels.boxes.box_cost import LINEAR, SET
    from sfumato.kernels.boxes.boxes_to_tiles import find_cells

    shape = (len(axes), len(boxes))
    lo, hi, cell_lo, cell_hi = (np.zeros(shape) for _ in range(4))
    for row, axis in enumerate(axes):
        if axis.kind != "set":
            lo[row], hi[row] = ends.lo[row], ends.hi[row]
            cell_lo[row], cell_hi[row] = _domain(axis)
    categories, starts = _occurring(axes, boxes)
    cell_sets, cuts = np.zeros(shape, dtype=np.int64), np.zeros((len(boxes), 4), dtype=np.int64)
    latest = np.empty(max(len(axis.values) for axis in axes), dtype=np.int64)
    is_whole = np.array([axis.kind != "numeric" or axis.origin != 0 for axis in axes])
    kinds = np.array([SET if axis.kind == "set" else LINEAR for axis in axes], dtype=np.int32)
    stratum = strata.numbers[boxes.records[boxes.starts]]
    borders = np.flatnonzero(np.append(stratum[1:] != stratum[:-1], True)) + 1
    first = n_cuts = 0
    for last in borders.tolist():
        within = (kinds, is_whole, lo, hi, categories, starts, first, last)
        n_cuts = find_cells(*within, cell_lo, cell_hi, cell_sets, cuts, n_cuts, latest)
        first = last
    sets = {
        axis.name: _shared_sets(categories, starts[row], cuts[:n_cuts], cell_sets[row], len(axis.values))
        for row, axis in enumerate(axes)
        if axis.kind == "set"
    }
    return Cells(axes, cell_lo, cell_hi, sets)


def _occurring(axes: Sequence[QuasiAxis], boxes: Subdivision) -> tuple[Codes, Counts]:
    """Return the categories that occur, axis by axis and box by box, and where those of each box begin and end."""
    starts = np.zeros((len(axes), len(boxes) + 1), dtype=np.int64)
    categories, first = [np.empty(0, dtype=np.int32)], 0
    for row, axis in enumerate(axes):
        if axis.kind == "set":
            sets = CategorySets.occurring(axis.coordinates[boxes.records], boxes.starts, len(axis.values))
            starts[row] = first + np.append(0, sets.ends)
            categories.append(sets.categories)
            first += sets.categories.size
    return np.concatenate(categories), starts


def _shared_sets(categories: Codes, starts: Counts, cuts: Counts, of: Counts, n_categories: int) -> SharedSets:
    """Return the sets of cells along one axis, each once; ``of`` is the number of each box's."""
    from sfumato.kernels.boxes.boxes_to_tiles import list_sets

    set_ids, set_index = np.unique(of, return_inverse=True)
    every = np.unique(categories[starts[0] : starts[-1]])
    mark = np.zeros(n_categories, dtype=np.int64)
    listed, ends = list_sets(categories, starts, every, cuts, set_ids, mark)
    return SharedSets(CategorySets(listed, ends), set_index)


def _domain(axis: QuasiAxis) -> tuple[float, float]:
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
