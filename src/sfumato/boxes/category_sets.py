"""The categories that boxes have, box by box: as large as the labels, however many categories there are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals

NOTHING = -1
"""The set of boxes that lack an attribute."""


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
    def occurring(cls, category_codes: Reals, starts: Counts, n_categories: int) -> CategorySets:
        """Collect the categories of records in the order of their boxes; ``starts`` is where each box begins."""
        box = np.repeat(np.arange(starts.size), np.diff(np.append(starts, category_codes.size)))
        return cls.of(box, category_codes.astype(np.int64), n_boxes=starts.size, n_categories=n_categories)

    def __len__(self) -> int:
        return int(self.ends.size)

    def categories_of(self, box: int) -> Codes:
        """Return the categories of one box."""
        return self.categories[self.ends[box - 1] if box else 0 : self.ends[box]]

    def numbered(self, lacking: Flags, of: Counts | None = None) -> tuple[Codes, list[Codes]]:
        """Return the number of each box's set, and the different sets in order of their first appearance.

        Boxes that are ``lacking`` have none; ``of`` says which set each box has, if they are shared.
        """
        index_of_content: dict[bytes, int] = {}
        distinct: list[Codes] = []
        codes = np.empty(lacking.size, dtype=np.int32)
        index_of_set: dict[int, int] = {}
        set_of_box = np.arange(lacking.size) if of is None else of
        for box, set_index in enumerate(np.where(lacking, NOTHING, set_of_box).tolist()):
            # a set that many boxes share may be large, and is looked at once
            if set_index not in index_of_set:
                categories = self.categories[:0] if set_index == NOTHING else self.categories_of(set_index)
                index_of_set[set_index] = index_of_content.setdefault(categories.tobytes(), len(distinct))
                if index_of_set[set_index] == len(distinct):
                    distinct.append(categories)
            codes[box] = index_of_set[set_index]
        return codes, distinct
