"""Boxes as runs of records, and what they are in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.parallel import batches_of, side_by_side

if TYPE_CHECKING:
    from sfumato.kernels.space import Space

FEWEST = 1024
"""Fewer boxes are not worth a thread of their own."""


@dataclass(frozen=True)
class Subdivision:
    """Records in the order of their boxes."""

    records: Counts
    ends: Counts
    """Where each box ends."""
    found: Summary | None = None
    """Its boxes in numbers, if they were found on the way."""

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
        """Return the box of each of so many records, -1 where it has none."""
        numbers = np.full(records, -1, dtype=np.int32)
        numbers[self.records] = np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)
        return numbers

    def parts(self) -> list[Counts]:
        """Return the records of each box."""
        return np.split(self.records, self.ends[:-1])

    def only(self, some: Flags) -> Subdivision:
        """Return some of the boxes."""
        found = self.found and self.found.only(some)
        return Subdivision(self.records[np.repeat(some, self.sizes)], np.cumsum(self.sizes[some]), found)

    def ordered(self, order: Counts) -> Subdivision:
        """Return the boxes in another order."""
        sizes = self.sizes[order]
        ends = np.cumsum(sizes)
        within = np.arange(self.records.size) - np.repeat(ends - sizes, sizes)
        return Subdivision(self.records[np.repeat(self.starts[order], sizes) + within], ends)

    def summary(self, places: Reals, costs: Reals, threads: int | None = None) -> Summary:
        """Return the ends of each box and what a unit of its width costs; rows are axes."""
        from sfumato.kernels.space import summarize_boxes

        lo, hi, totals = (np.empty((len(places), len(self))) for _ in range(3))
        side_by_side(
            lambda part: summarize_boxes(places, costs, self.records, self.ends, part[0], part[1], lo, hi, totals),
            batches_of(len(self), least=FEWEST),
            threads,
        )
        return Summary(lo, hi, totals)

    def costs(self, space: Space, codes: int, threads: int | None = None) -> Reals:
        """Return what each box costs; ``codes`` is the number of categories."""
        from sfumato.kernels.space import cost_boxes

        costs = np.empty(len(self))
        side_by_side(
            lambda part: cost_boxes(space, self.records, self.ends, part[0], part[1], codes, costs),
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

    def only(self, some: Flags | Counts) -> Summary:
        """Return some of the boxes."""
        return Summary(self.lo[:, some], self.hi[:, some], self.totals[:, some])

    def along(self, rows: Sequence[int]) -> Summary:
        """Return the boxes along some axes."""
        return Summary(self.lo[list(rows)], self.hi[list(rows)], self.totals[list(rows)])


def joined(some: Sequence[Subdivision]) -> Subdivision:
    """Put the boxes of several subdivisions, all of which are known in numbers, one after the other."""
    if len(some) == 1:
        return some[0]
    known = [one.found for one in some if one.found is not None]
    lo, hi, totals = (
        np.concatenate(its, axis=1) for its in zip(*((its.lo, its.hi, its.totals) for its in known), strict=True)
    )
    sizes = np.concatenate([one.sizes for one in some])
    return Subdivision(np.concatenate([one.records for one in some]), np.cumsum(sizes), Summary(lo, hi, totals))
