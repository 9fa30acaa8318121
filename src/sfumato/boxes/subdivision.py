"""Boxes as runs of records, and what they are in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Codes, Counts, Reals
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

    @cached_property
    def numbers(self) -> Codes:
        """The box of each record."""
        numbers = np.empty(self.records.size, dtype=np.int32)
        numbers[self.records] = np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)
        return numbers

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
