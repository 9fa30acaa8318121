"""Cutting the space into boxes: with care, or in a hurry where there are many records."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.arrays import Counts
from sfumato.boxes.halving import halved
from sfumato.boxes.subdivision import Subdivision, joined
from sfumato.parallel import batches_of, side_by_side
from sfumato.progress import Progress

if TYPE_CHECKING:
    from sfumato.kernels.cuts import Work
    from sfumato.kernels.limits import Limits
    from sfumato.kernels.space import Space

Run: TypeAlias = tuple[int, int]
"""From where to where something reaches."""
PARTS = 32
"""The space is cut into about so many parts, which are then cut side by side, whatever the number of threads."""
QUICK = 500_000
"""From so many records on, cuts are found in a hurry, and records are not exchanged unless asked for."""


def subdivide(
    space: Space,
    limits: Limits,
    strata: Sequence[Counts],
    codes: int,
    *,
    careful: bool = False,
    threads: int | None,
    progress: Progress,
) -> Subdivision:
    """Cut the space into boxes that keep the limits.

    Parameters
    ----------
    space, limits
        Where the records are, what widths cost, and what every box must keep.
    strata
        Records that must not share a box.
    codes
        The number of categories.
    careful
        Whether boxes must come in the order of the cuts, as a tiling needs them, which a hurry does not keep.
    threads, progress
        How many threads, and what is told of the share done.
    """
    from sfumato.kernels.cuts import make_work, room_for
    from sfumato.kernels.space import LINEAR

    records = np.concatenate(strata)
    if records.size > QUICK and not careful and not limits.rules.size and (space.kinds == LINEAR).all():
        return _hurried(space, limits, strata, codes, threads=threads, progress=progress)
    most = max(records.size // PARTS, room_for(limits.k))
    work = make_work(space, limits, codes, records.size)
    parts = _split(space, limits, work, records, _runs(stratum.size for stratum in strata), most)

    def cut(some: Sequence[Run]) -> Counts:
        first, last = some[0][0], some[-1][1]
        ids = records[first:last].copy()
        order, ends = _cut(space, limits, ids, [(low - first, high - first) for low, high in some], codes)
        records[first:last] = ids[order]
        return ends + first

    found = side_by_side(cut, _together(parts, most), threads, lambda s: progress("cutting", s))
    return Subdivision(records, np.concatenate(found))


def _together(parts: Sequence[Run], most: int) -> list[list[Run]]:
    """Put neighbouring parts together up to ``most`` records, for each call of a kernel takes its time."""
    found: list[list[Run]] = []
    for part in parts:
        if found and part[1] - found[-1][0][0] <= most:
            found[-1].append(part)
        else:
            found.append([part])
    return found


def _runs(sizes: Iterable[int]) -> list[Run]:
    """Return from where to where things of some sizes reach that lie one after the other."""
    return list(itertools.pairwise(itertools.accumulate(sizes, initial=0)))


def _split(space: Space, limits: Limits, work: Work, records: Counts, parts: Sequence[Run], most: int) -> list[Run]:
    """Cut parts until they have at most ``most`` records, or cannot be cut by a sample; ``records`` is reordered."""
    # the loop is not compiled: a kernel around a kernel takes as long to compile once more
    from sfumato.kernels.splitting import split

    found, waiting = [], list(reversed(parts))
    while waiting:
        low, high = waiting.pop()
        middle = split(space, limits, work, records, low, high) if high - low > most else low
        if middle > low:
            waiting += [(middle, high), (low, middle)]
        else:
            found.append((low, high))
    return found


def _cut(space: Space, limits: Limits, ids: Counts, parts: Sequence[Run], codes: int) -> tuple[Counts, Counts]:
    """Cut parts of some records into boxes; return the order of the records, and where each box ends."""
    from sfumato.kernels.cuts import make_work, room_for
    from sfumato.kernels.cutting import divide

    # a copy of the part lies together in memory, which its many cuts repay
    near = space._replace(places=np.take(space.places, ids, axis=1), costs=np.take(space.costs, ids, axis=1))
    kept = limits
    if limits.rules.size:
        columns, places = np.take(limits.columns, ids, axis=1), np.take(limits.places, ids, axis=1)
        kept = limits._replace(columns=columns, places=places)
    work = make_work(near, kept, codes, ids.size)
    order = np.arange(ids.size)
    room = room_for(kept.k)
    pieces = _split(near, kept, work, order, parts, room)
    ends, boxes = np.empty(ids.size // kept.k + len(pieces), dtype=np.int64), 0
    for first, last in pieces:
        if last - first <= room:
            boxes = divide(near, kept, work, order, first, last, ends, boxes)
        else:
            ends[boxes] = last
            boxes += 1
    return order, ends[:boxes]


def _hurried(
    space: Space, limits: Limits, strata: Sequence[Counts], codes: int, *, threads: int | None, progress: Progress
) -> Subdivision:
    """Halve every stratum, but cut with care what that would spoil.

    These are the few records at the ends of attributes, and boxes that cannot be halved because many records share a
    value.
    """

    def cut(parts: Sequence[Counts]) -> Subdivision:
        members = np.concatenate(parts)
        order, ends = _cut(space, limits, members, _runs(part.size for part in parts), codes)
        return Subdivision(members[order], ends)

    whole = joined(
        [
            halved(
                space.places,
                space.costs,
                members,
                limits.k,
                threads=threads,
                at_the_ends=lambda outer: cut([outer]),
                progress=lambda s: progress("cutting", s),
            )
            for members in strata
        ]
    )
    coarse = whole.sizes >= 2 * limits.k
    if not coarse.any():
        return whole
    ids = whole.only(coarse).parts()
    again = side_by_side(lambda part: cut(ids[part[0] : part[1]]), batches_of(len(ids)), threads)
    return joined([whole.only(~coarse), *(replace(one, found=one.summary(space.places, space.costs)) for one in again)])
