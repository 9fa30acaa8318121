"""Who may take part in swaps: vital records of places to have fewer of them, candidates of places to have more."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Codes, Counts, Flags
from sfumato.errors import SettingError
from sfumato.groups.influence import Influence
from sfumato.kernels.swapping import Pool, list_nearest
from sfumato.parallel import batches_of, side_by_side

LISTED = 8
"""So many nearest records of each place are listed; beyond them, the place is searched."""


@dataclass(frozen=True)
class Exchange:
    """Who may take part in swaps, and where they are."""

    pool: Pool
    records: Counts
    """The number of each record of the pool among all."""
    places: Counts
    """The place of each of the pool's ranges."""
    shrinking: int
    """How many ranges are of places that are to have fewer vital records; the others may have more."""
    quantity: Counts
    """How many vital records each place has."""
    sizes: Counts
    """How many records each place has."""

    @property
    def leaving(self) -> int:
        """How many records may leave; in the pool, they come first."""
        return int(self.pool.starts[self.shrinking])

    def signals(self, swaps: Counts, sizes: Counts) -> Counts:
        """Return how many vital records each place has after some swaps.

        Parameters
        ----------
        swaps
            Lists by swaps by two: records of the pool that leave and come.
        sizes
            How many swaps each list has.

        Returns
        -------
        Counts
            Lists by places.
        """
        found = np.tile(self.quantity, (len(sizes), 1))
        lists, rows = np.nonzero(np.arange(swaps.shape[1]) < sizes[:, None])
        homes = self.places[self.pool.homes[swaps[lists, rows]]]
        np.subtract.at(found, (lists, homes[:, 0]), 1)
        np.add.at(found, (lists, homes[:, 1]), 1)
        return found


def make_exchange(
    influence: Influence,
    places: Codes,
    vital: Flags,
    candidates: Flags,
    *,
    shrinking: Collection[int],
    growing: Collection[int],
    threads: int | None = None,
) -> Exchange:
    """Gather who may take part in swaps, and list who is nearest to whom.

    Parameters
    ----------
    influence
        What swaps cost.
    places
        The place of each record, -1 if it has none.
    vital, candidates
        Who belongs to the group, and who of the others may be exchanged.
    shrinking, growing
        The places that are to have fewer vital records, and those that may have more.
    threads
        How many threads; the result does not depend on it.
    """
    count = _check(influence, places, vital, candidates, shrinking, growing)
    ranges = np.array([*sorted(set(shrinking)), *sorted(set(growing))], dtype=np.int64)
    fewer = len(set(shrinking))
    parts = _members("shrinking", "vital record", places, vital, ranges[:fewer])
    parts += _members("growing", "candidate", places, candidates, ranges[fewer:])
    records = np.concatenate(parts)
    starts = np.cumsum([0, *map(len, parts)])
    near = np.empty((starts[fewer], ranges.size - fewer, LISTED), dtype=np.int32)
    pool = Pool(
        np.ascontiguousarray(influence.ordinal[:, records].T),
        np.ascontiguousarray(influence.omegas, dtype=np.float64),
        np.ascontiguousarray(influence.nominal[:, records].T),
        np.ascontiguousarray(influence.gammas, dtype=np.float64),
        influence.kept[records],
        np.repeat(np.arange(ranges.size), np.diff(starts)),
        starts,
        near,
    )
    side_by_side(lambda batch: list_nearest(pool, *batch), batches_of(len(near)), threads)
    located = places >= 0
    quantity = np.bincount(places[located & vital], minlength=count)
    return Exchange(pool, records, ranges, fewer, quantity, np.bincount(places[located], minlength=count))


def _members(name: str, kind: str, places: Codes, flags: Flags, ranges: Counts) -> list[Counts]:
    """Return the flagged records of each place; there must be some."""
    flagged = np.flatnonzero(flags)
    found = [flagged[places[flagged] == place] for place in ranges]
    for place, members in zip(ranges, found, strict=True):
        if not members.size:
            raise SettingError(f"{name}: place {place} has no {kind}", hint="leave it out")
    return found


def _check(
    influence: Influence,
    places: Codes,
    vital: Flags,
    candidates: Flags,
    shrinking: Collection[int],
    growing: Collection[int],
) -> int:
    """Refuse what cannot be; return how many places there are."""
    if not places.shape == vital.shape == candidates.shape == influence.kept.shape:
        raise SettingError("places, vital, candidates and influence must tell about the same records")
    if (vital & candidates).any():
        raise SettingError("candidates: vital records cannot be candidates", hint="give candidates & ~vital")
    count = int(places.max(initial=-1)) + 1
    for name, given in (("shrinking", shrinking), ("growing", growing)):
        if not given:
            raise SettingError(f"{name}: give at least one place")
        unknown = sorted(place for place in given if not 0 <= place < count)
        if unknown:
            raise SettingError(f"{name}: there is no place {unknown[0]}", hint=f"places have numbers below {count}")
    both = sorted(set(shrinking) & set(growing))
    if both:
        raise SettingError(
            f"shrinking and growing: place {both[0]} is in both", hint="a place can be only in one of them"
        )
    return count
