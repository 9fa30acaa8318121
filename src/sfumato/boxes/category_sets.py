"""The categories that boxes have, box by box: as large as the labels, however many categories there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals

if TYPE_CHECKING:
    from sfumato.kernels.bits import Words


@dataclass(frozen=True)
class CategorySets:
    """A set of categories for each box."""

    categories: Codes
    """Box by box, each category of a box once, in ascending order."""
    ends: Counts
    """Where the categories of each box end."""

    @classmethod
    def of(cls, box: Counts, category: Counts, *, n_boxes: int, n_categories: int) -> CategorySets:
        """Collect pairs of a box and a category, which may come in any order and more than once."""
        keys = np.unique(box * n_categories + category)
        ends = np.searchsorted(keys, np.arange(1, n_boxes + 1) * n_categories)
        return cls((keys % n_categories).astype(np.int32), ends)

    @classmethod
    def occurring(cls, places: Reals, starts: Counts, n_categories: int) -> CategorySets:
        """Collect the categories that occur; ``places`` in the order of the boxes, ``starts`` where each begins."""
        box = np.repeat(np.arange(starts.size), np.diff(np.append(starts, places.size)))
        return cls.of(box, places.astype(np.int64), n_boxes=starts.size, n_categories=n_categories)

    @classmethod
    def from_bits(cls, bits: Words) -> CategorySets:
        """Collect the bits that are set; ``bits`` has one row per box, 64 categories to a word."""
        box, word = np.nonzero(bits)
        entry, place = np.nonzero((bits[box, word][:, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1))
        return cls.of(box[entry], 64 * word[entry] + place, n_boxes=bits.shape[0], n_categories=64 * bits.shape[1])

    def __len__(self) -> int:
        return int(self.ends.size)

    def categories_of(self, box: int) -> Codes:
        """Return the categories of one box."""
        return self.categories[self.ends[box - 1] if box else 0 : self.ends[box]]

    def numbered(self, lacking: Flags, of: Counts | None = None) -> tuple[Codes, list[Codes]]:
        """Return the number of each box's set, and the different sets in order of their first appearance.

        Boxes that are ``lacking`` have none; ``of`` says which set each box has, if they are shared.
        """
        numbers: dict[bytes, int] = {}
        distinct: list[Codes] = []
        codes = np.empty(lacking.size, dtype=np.int32)
        none = self.categories[:0]
        shared = range(lacking.size) if of is None else of.tolist()
        for box, (its, lacks) in enumerate(zip(shared, lacking.tolist(), strict=True)):
            categories = none if lacks else self.categories_of(its)
            codes[box] = number = numbers.setdefault(categories.tobytes(), len(distinct))
            if number == len(distinct):
                distinct.append(categories)
        return codes, distinct
