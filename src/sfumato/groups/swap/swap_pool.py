"""The participants of swaps: vital records of shrinking places, and candidates of growing ones."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Flags
from sfumato.errors import SettingError
from sfumato.groups.swap.swap_cost import Influence
from sfumato.kernels.swap_lists import Pool, list_nearest
from sfumato.threads import batches_of, side_by_side

LISTED = 8
"""The number of nearest records of each place that are listed; beyond them, the place is searched."""


@dataclass(frozen=True)
class SwapParticipants:
    """The records that may take part in swaps, and their places."""

    pool: Pool
    records: Counts
    """The index in the microfile of each record of the pool."""
    places: Counts
    """The place of each of the pool's ranges."""
    shrinking: int
    """The number of ranges of places that are to have fewer vital records; the others may have more."""
    quantity: Counts
    """The number of vital records of each place."""
    sizes: Counts
    """The number of records of each place."""

    @property
    def leaving(self) -> int:
        """The number of records that may leave; in the pool, they come first."""
        return int(self.pool.starts[self.shrinking])

    def signals(self, swaps: Counts, sizes: Counts) -> Counts:
        """Return the number of vital records of each place after swaps.

        Parameters
        ----------
        swaps
            Lists by swaps by two: records of the pool that leave and come.
        sizes
            The number of swaps of each list.

        Returns
        -------
        Counts
            Lists by places.
        """
        signals = np.tile(self.quantity, (len(sizes), 1))
        lists, rows = np.nonzero(np.arange(swaps.shape[1]) < sizes[:, None])
        homes = self.places[self.pool.homes[swaps[lists, rows]]]
        np.subtract.at(signals, (lists, homes[:, 0]), 1)
        np.add.at(signals, (lists, homes[:, 1]), 1)
        return signals


def gather_participants(
    influence: Influence,
    places: Codes,
    vital: Flags,
    candidates: Flags,
    *,
    shrinking: Collection[int],
    growing: Collection[int],
    threads: int | None = None,
) -> SwapParticipants:
    """Gather the records that may take part in swaps, and list the nearest ones.

    Parameters
    ----------
    influence
        What swaps cost.
    places
        The place of each record, -1 if it has none.
    vital, candidates
        The members of the group, and the other records that may be swapped.
    shrinking, growing
        The places that are to have fewer vital records, and those that may have more.
    threads
        The number of threads; the result does not depend on it.
    """
    count = _check(influence, places, vital, candidates, shrinking, growing)
    ranges = np.array([*sorted(set(shrinking)), *sorted(set(growing))], dtype=np.int64)
    fewer = len(set(shrinking))
    members_by_range = _members("shrinking", "vital record", places, vital, ranges[:fewer])
    members_by_range += _members("growing", "candidate", places, candidates, ranges[fewer:])
    records = np.concatenate(members_by_range)
    starts = np.cumsum([0, *map(len, members_by_range)])
    near = np.empty((starts[fewer], ranges.size - fewer, LISTED), dtype=np.int32)
    pool = Pool(
        np.ascontiguousarray(influence.ordinal[:, records].T),
        np.ascontiguousarray(influence.omegas, dtype=np.float64),
        np.ascontiguousarray(influence.nominal[:, records].T),
        np.ascontiguousarray(influence.gammas, dtype=np.float64),
        influence.swap_classes[records],
        np.repeat(np.arange(ranges.size), np.diff(starts)),
        starts,
        near,
    )
    side_by_side(lambda batch: list_nearest(pool, *batch), batches_of(len(near)), threads)
    located = places >= 0
    quantity = np.bincount(places[located & vital], minlength=count)
    return SwapParticipants(pool, records, ranges, fewer, quantity, np.bincount(places[located], minlength=count))


def _members(name: str, kind: str, places: Codes, flags: Flags, ranges: Counts) -> list[Counts]:
    """Return the flagged records of each place; refuse a place without any."""
    flagged = np.flatnonzero(flags)
    signals = [flagged[places[flagged] == place] for place in ranges]
    for place, members in zip(ranges, signals, strict=True):
        if not members.size:
            raise SettingError(f"{name}: place {place} has no {kind}", hint="leave it out")
    return signals


def _check(
    influence: Influence,
    places: Codes,
    vital: Flags,
    candidates: Flags,
    shrinking: Collection[int],
    growing: Collection[int],
) -> int:
    """Refuse inconsistent arguments; return the number of places."""
    if not places.shape == vital.shape == candidates.shape == influence.swap_classes.shape:
        raise SettingError("places, vital, candidates and influence must cover the same records")
    if (vital & candidates).any():
        raise SettingError("candidates: vital records cannot be candidates", hint="give candidates & ~vital")
    count = int(places.max(initial=-1)) + 1
    for name, chosen in (("shrinking", shrinking), ("growing", growing)):
        if not chosen:
            raise SettingError(f"{name}: give at least one place")
        unknown = sorted(place for place in chosen if not 0 <= place < count)
        if unknown:
            raise SettingError(f"{name}: place {unknown[0]} does not exist", hint=f"place indices are below {count}")
    both = sorted(set(shrinking) & set(growing))
    if both:
        raise SettingError(
            f"shrinking and growing: place {both[0]} is in both", hint="a place can be only in one of them"
        )
    return count
