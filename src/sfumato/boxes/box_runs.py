"""Boxes as runs of records, and what they are in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.threads import batches_of, side_by_side

if TYPE_CHECKING:
    from sfumato.kernels.boxes.box_cost import Space

FEWEST = 1024
"""Fewer boxes are not worth a thread of their own."""


@dataclass(frozen=True)
class Subdivision:
    """Records in the order of their boxes."""

    records: Counts
    ends: Counts
    """Where each box ends."""
    cached_summary: Summary | None = None
    """The summary of its boxes, if it was computed on the way."""

    def __len__(self) -> int:
        return int(self.ends.size)

    @cached_property
    def starts(self) -> Counts:
        """Where each box begins."""
        return np.concatenate([[0], self.ends[:-1]])

    @cached_property
    def sizes(self) -> Counts:
        """The records of each box."""
        return self.ends - self.starts

    def numbers_of(self, records: int) -> Codes:
        """Return the box of each of ``records`` records, -1 where it has none."""
        numbers = np.full(records, -1, dtype=np.int32)
        numbers[self.records] = np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)
        return numbers

    def parts(self) -> list[Counts]:
        """Return the records of each box."""
        return np.split(self.records, self.ends[:-1])

    def only(self, chosen: Flags) -> Subdivision:
        """Return some of the boxes."""
        summary = self.cached_summary and self.cached_summary.only(chosen)
        return Subdivision(self.records[np.repeat(chosen, self.sizes)], np.cumsum(self.sizes[chosen]), summary)

    def ordered(self, order: Counts) -> Subdivision:
        """Return the boxes in another order."""
        sizes = self.sizes[order]
        ends = np.cumsum(sizes)
        within = np.arange(self.records.size) - np.repeat(ends - sizes, sizes)
        return Subdivision(self.records[np.repeat(self.starts[order], sizes) + within], ends)

    def summary(self, coordinates: Reals, costs: Reals, threads: int | None = None) -> Summary:
        """Return the ends of each box and what a unit of its width costs; rows are axes."""
        from sfumato.kernels.boxes.box_cost import summarize_boxes

        lo, hi, totals = (np.empty((len(coordinates), len(self))) for _ in range(3))
        side_by_side(
            lambda batch: summarize_boxes(
                coordinates, costs, self.records, self.ends, batch[0], batch[1], lo, hi, totals
            ),
            batches_of(len(self), least=FEWEST),
            threads,
        )
        return Summary(lo, hi, totals)

    def costs(self, space: Space, codes: int, threads: int | None = None) -> Reals:
        """Return what each box costs; ``codes`` is the number of categories."""
        from sfumato.kernels.boxes.box_cost import cost_boxes

        costs = np.empty(len(self))
        side_by_side(
            lambda batch: cost_boxes(space, self.records, self.ends, batch[0], batch[1], codes, costs),
            batches_of(len(self), least=FEWEST),
            threads,
        )
        return costs


@dataclass(frozen=True)
class Summary:
    """Boxes in numbers, one row an axis."""

    lo: Reals
    hi: Reals
    totals: Reals
    """What a unit of width costs all records of the box."""

    def only(self, chosen: Flags | Counts) -> Summary:
        """Return some of the boxes."""
        return Summary(self.lo[:, chosen], self.hi[:, chosen], self.totals[:, chosen])

    def along(self, rows: Sequence[int]) -> Summary:
        """Return the boxes along some axes."""
        return Summary(self.lo[list(rows)], self.hi[list(rows)], self.totals[list(rows)])


def joined(divisions: Sequence[Subdivision]) -> Subdivision:
    """Put the boxes of several subdivisions, all of which are known in numbers, one after the other."""
    if len(divisions) == 1:
        return divisions[0]
    summaries = [division.cached_summary for division in divisions if division.cached_summary is not None]
    lo, hi, totals = (
        np.concatenate(rows, axis=1)
        for rows in zip(*((rows.lo, rows.hi, rows.totals) for rows in summaries), strict=True)
    )
    sizes = np.concatenate([division.sizes for division in divisions])
    return Subdivision(
        np.concatenate([division.records for division in divisions]), np.cumsum(sizes), Summary(lo, hi, totals)
    )
