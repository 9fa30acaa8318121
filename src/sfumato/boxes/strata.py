"""Missing values: records that lack the same quasi values are divided by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Counts, Flags
from sfumato.boxes.axes import Axis


@dataclass(frozen=True)
class Strata:
    """The records by which of their quasi values are missing."""

    lacking: Flags
    """Strata by axes: what is missing."""
    numbers: Counts
    """The stratum of each record."""

    @classmethod
    def of(cls, axes: Sequence[Axis]) -> Strata:
        """Tell the records apart by what they lack."""
        if not any(axis.missing.any() for axis in axes):
            return cls(np.zeros((1, len(axes)), dtype=np.bool_), np.zeros(axes[0].missing.size, dtype=np.int64))
        packed = np.packbits(np.stack([axis.missing for axis in axes], axis=1), axis=1)
        keys = np.zeros(packed.shape[0], dtype=np.int64)
        for column in packed.T:
            _, keys = np.unique(keys * 256 + column, return_inverse=True)
        _, first, numbers = np.unique(keys, return_index=True, return_inverse=True)
        return cls(np.stack([axis.missing[first] for axis in axes], axis=1), numbers.astype(np.int64))

    def __len__(self) -> int:
        return len(self.lacking)

    @property
    def sizes(self) -> Counts:
        """The records of each stratum."""
        return np.bincount(self.numbers, minlength=len(self))

    def members(self) -> list[Counts]:
        """Return the records of each stratum."""
        order = np.argsort(self.numbers, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])

    def merged(self, breaking: Callable[[Strata], Flags]) -> Strata:
        """Merge strata that break limits with those that cost the fewest values, until none does or one is left.

        Records of merged strata lose what any of them lacks. ``breaking`` tells which strata break a limit.
        """
        found = self
        while len(found) > 1:
            bad = np.flatnonzero(breaking(found))
            if bad.size == 0:
                break
            sizes = found.sizes
            one = int(bad[np.argmin(sizes[bad])])
            union = found.lacking | found.lacking[one]
            lost = sizes * (union ^ found.lacking).sum(axis=1) + sizes[one] * (union ^ found.lacking[one]).sum(axis=1)
            lost[one] = np.iinfo(np.int64).max
            found = found._joined(one, int(np.argmin(lost)), union)
        return found

    def _joined(self, one: int, other: int, union: Flags) -> Strata:
        lacking = self.lacking.copy()
        lacking[other] = union[other]
        numbers = np.where(self.numbers == one, other, self.numbers)
        # a third stratum may lack just what the two lack now
        for third in range(len(lacking)):
            if third not in (one, other) and (lacking[third] == lacking[other]).all():
                numbers = np.where(numbers == third, other, numbers)
        kept, numbers = np.unique(numbers, return_inverse=True)
        return Strata(lacking[kept], numbers.astype(np.int64))
