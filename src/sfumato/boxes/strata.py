"""Missing values: records that lack the same quasi values are divided by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
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

    def hiding(self, axes: Sequence[Axis]) -> list[Axis]:
        """Return the axes without the values that strata lack."""
        return [
            replace(axis, missing=lacking, places=np.where(lacking, 0.0, axis.places))
            if (lacking := self.lacking[self.numbers, row]).any()
            else axis
            for row, axis in enumerate(axes)
        ]

    def merged(
        self, breaking: Callable[[Strata], Flags], axes: Sequence[Axis], k: int, homes: Codes | None = None
    ) -> Strata:
        """Help strata that break limits with records of others, until none does or one is left.

        Of another stratum as few of the nearest records as suffice are taken, or, where none do, all; the one that
        costs the fewest values. Records lose what any of those they are merged with lacks.

        Parameters
        ----------
        breaking
            Tells which strata break a limit.
        axes
            The attributes, by which records are near each other.
        k
            The fewest records of a stratum.
        homes
            The household of each record, if its members lack the same and must stay together.
        """
        found = self
        while len(found) > 1:
            bad = np.flatnonzero(breaking(found))
            if bad.size == 0:
                break
            sizes = found.sizes
            one = int(bad[np.argmin(sizes[bad])])
            union = found.lacking | found.lacking[one]
            needed = np.minimum(max(k - int(sizes[one]), 1), sizes)
            lost = needed * (union ^ found.lacking).sum(axis=1) + sizes[one] * (union ^ found.lacking[one]).sum(axis=1)
            lost[one] = np.iinfo(np.int64).max
            # the larger of two that cost the same can spare more
            other = int(np.lexsort((-sizes, lost))[0])
            helped = found._helped(one, other, union[other], breaking, axes, k, homes)
            found = found._joined(one, other, union) if helped is None else helped
        return found

    def _helped(
        self,
        one: int,
        other: int,
        union: Flags,
        breaking: Callable[[Strata], Flags],
        axes: Sequence[Axis],
        k: int,
        homes: Codes | None,
    ) -> Strata | None:
        """Give a stratum some records of another, twice as many each time; None if those it can spare do not help."""
        members = np.flatnonzero(self.numbers == other)
        near = members[np.argsort(self._distances(one, members, union, axes), kind="stable")]
        count = max(k - int((self.numbers == one).sum()), 1)
        before = breaking(self)
        while count <= members.size - k:
            numbers, lacking = self.numbers.copy(), self.lacking.copy()
            some = near[:count] if homes is None else members[np.isin(homes[members], homes[near[:count]])]
            if some.size > members.size - k:
                # those that must come along are too many
                break
            numbers[some] = one
            lacking[one] = union
            helped = Strata(lacking, numbers)
            now = breaking(helped)
            if not now[one] and not (now & ~before).any():
                return helped._told_apart()
            count *= 2
        return None

    def _distances(self, one: int, members: Counts, union: Flags, axes: Sequence[Axis]) -> Reals:
        """Return how far records are from the middle of a stratum, in the attributes that both keep."""
        theirs = np.flatnonzero(self.numbers == one)
        distances = np.zeros(members.size)
        for row in np.flatnonzero(~union).tolist():
            places, span = axes[row].places, axes[row].span
            if axes[row].is_linear:
                distances += np.abs(places[members] - places[theirs].mean()) / (span or 1.0)
            else:
                distances += ~np.isin(places[members], places[theirs])
        return distances

    def _told_apart(self) -> Strata:
        """Put strata together that lack the same."""
        kept, codes = np.unique(self.lacking, axis=0, return_inverse=True)
        return Strata(kept, codes.ravel()[self.numbers].astype(np.int64))

    def _joined(self, one: int, other: int, union: Flags) -> Strata:
        lacking = self.lacking.copy()
        lacking[other] = union[other]
        lacking[one] = union[other]
        return Strata(lacking, np.where(self.numbers == one, other, self.numbers))._told_apart()
