"""Missing values: records that lack the same quasi values are divided by themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.boxes.axes import QuasiAxis


@dataclass(frozen=True)
class Strata:
    """The records by which of their quasi values are missing."""

    lacking: Flags
    """Strata by axes: what is missing."""
    numbers: Counts
    """The stratum of each record."""

    @classmethod
    def of(cls, axes: Sequence[QuasiAxis]) -> Strata:
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

    def hiding(self, axes: Sequence[QuasiAxis]) -> list[QuasiAxis]:
        """Return the axes without the values that strata lack."""
        return [
            replace(axis, missing=lacking, coordinates=np.where(lacking, 0.0, axis.coordinates))
            if (lacking := self.lacking[self.numbers, row]).any()
            else axis
            for row, axis in enumerate(axes)
        ]

    def merged(
        self, breaking: Callable[[Strata], Flags], axes: Sequence[QuasiAxis], k: int, households: Codes | None = None
    ) -> Strata:
        """Help strata that break limits with records of others, until none does or one is left.

        Of another stratum as few of the nearest records as suffice are taken, or, where none do, all; the one that
        costs the fewest values. Records lose what any of those they are merged with lacks.

        Parameters
        ----------
        breaking
            Returns which strata break a limit.
        axes
            The attributes, by which records are near each other.
        k
            The fewest records of a stratum.
        households
            The household of each record, if its members lack the same and must stay together.
        """
        strata = self
        while len(strata) > 1:
            candidates = np.flatnonzero(breaking(strata))
            if candidates.size == 0:
                break
            sizes = strata.sizes
            receiver = int(candidates[np.argmin(sizes[candidates])])
            union = strata.lacking | strata.lacking[receiver]
            needed = np.minimum(max(k - int(sizes[receiver]), 1), sizes)
            lost = needed * (union ^ strata.lacking).sum(axis=1) + sizes[receiver] * (
                union ^ strata.lacking[receiver]
            ).sum(axis=1)
            lost[receiver] = np.iinfo(np.int64).max
            # the larger of two that cost the same can spare more
            donor = int(np.lexsort((-sizes, lost))[0])
            helped = strata._helped(receiver, donor, union[donor], breaking, axes, k, households)
            strata = strata._joined(receiver, donor, union) if helped is None else helped
        return strata

    def _helped(
        self,
        receiver: int,
        donor: int,
        union: Flags,
        breaking: Callable[[Strata], Flags],
        axes: Sequence[QuasiAxis],
        k: int,
        households: Codes | None,
    ) -> Strata | None:
        """Give a stratum some records of another, twice as many each time; None if those it can spare do not help."""
        members = np.flatnonzero(self.numbers == donor)
        near = members[np.argsort(self._distances(receiver, members, union, axes), kind="stable")]
        count = max(k - int((self.numbers == receiver).sum()), 1)
        before = breaking(self)
        while count <= members.size - k:
            numbers, lacking = self.numbers.copy(), self.lacking.copy()
            moved = (
                near[:count] if households is None else members[np.isin(households[members], households[near[:count]])]
            )
            if moved.size > members.size - k:
                # those that must come along are too many
                break
            numbers[moved] = receiver
            lacking[receiver] = union
            helped = Strata(lacking, numbers)
            still_breaking = breaking(helped)
            if not still_breaking[receiver] and not (still_breaking & ~before).any():
                return helped._told_apart()
            count *= 2
        return None

    def _distances(self, receiver: int, members: Counts, union: Flags, axes: Sequence[QuasiAxis]) -> Reals:
        """Return how far records are from the middle of a stratum, in the attributes that both keep."""
        receiver_records = np.flatnonzero(self.numbers == receiver)
        distances = np.zeros(members.size)
        for row in np.flatnonzero(~union).tolist():
            coordinates, span = axes[row].coordinates, axes[row].span
            if axes[row].is_linear:
                distances += np.abs(coordinates[members] - coordinates[receiver_records].mean()) / (span or 1.0)
            else:
                distances += ~np.isin(coordinates[members], coordinates[receiver_records])
        return distances

    def _told_apart(self) -> Strata:
        """Put strata together that lack the same."""
        distinct, codes = np.unique(self.lacking, axis=0, return_inverse=True)
        return Strata(distinct, codes.ravel()[self.numbers].astype(np.int64))

    def _joined(self, receiver: int, donor: int, union: Flags) -> Strata:
        lacking = self.lacking.copy()
        lacking[donor] = union[donor]
        lacking[receiver] = union[donor]
        return Strata(lacking, np.where(self.numbers == receiver, donor, self.numbers))._told_apart()
