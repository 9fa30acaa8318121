"""Cutting the space into boxes: with care, or in a hurry where there are many records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Counts
from sfumato.boxes.halving import halved
from sfumato.boxes.subdivision import Subdivision, Summary
from sfumato.parallel import batches_of, side_by_side
from sfumato.progress import Progress

if TYPE_CHECKING:
    from sfumato.kernels.limits import Limits
    from sfumato.kernels.space import Space

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
    threads: int | None,
    progress: Progress,
) -> Subdivision:
    """Cut the space into boxes that keep the limits; ``strata`` are records that must not share a box."""
    from sfumato.kernels.cuts import make_work, room_for
    from sfumato.kernels.space import LINEAR
    from sfumato.kernels.splitting import split

    records = np.concatenate(strata)
    if records.size > QUICK and not limits.rules.size and (space.kinds == LINEAR).all():
        return _hurried(space, limits, strata, codes, threads=threads, progress=progress)
    most = max(records.size // PARTS, room_for(limits.k))
    work = make_work(space, limits, codes, records.size)
    ends = split(space, limits, work, records, np.cumsum([stratum.size for stratum in strata]), most)
    parts = list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True))

    def cut(part: tuple[int, int]) -> Counts:
        first, last = part
        ids = records[first:last].copy()
        order, ends = _cut(space, limits, ids, np.array([ids.size]), codes)
        records[first:last] = ids[order]
        return ends + first

    return Subdivision(records, np.concatenate(side_by_side(cut, parts, threads, lambda s: progress("cutting", s))))


def _cut(space: Space, limits: Limits, ids: Counts, parts: Counts, codes: int) -> tuple[Counts, Counts]:
    """Cut parts of some records into boxes; return the order of the records, and where each box ends."""
    from sfumato.kernels.cuts import make_work, room_for
    from sfumato.kernels.cutting import divide
    from sfumato.kernels.splitting import split

    # a copy of the part lies together in memory, which its many cuts repay
    near = space._replace(places=np.take(space.places, ids, axis=1), costs=np.take(space.costs, ids, axis=1))
    kept = limits
    if limits.rules.size:
        columns, places = np.take(limits.columns, ids, axis=1), np.take(limits.places, ids, axis=1)
        kept = limits._replace(columns=columns, places=places)
    work = make_work(near, kept, codes, ids.size)
    order = np.arange(ids.size)
    pieces = split(near, kept, work, order, parts, room_for(kept.k))
    return order, divide(near, kept, work, order, pieces)


def _hurried(
    space: Space, limits: Limits, strata: Sequence[Counts], codes: int, *, threads: int | None, progress: Progress
) -> Subdivision:
    """Halve every stratum; what cannot be halved, because many records share a value, is cut with care."""
    whole = _joined(
        [
            halved(
                space.places, space.costs, members, limits.k, threads=threads, progress=lambda s: progress("cutting", s)
            )
            for members in strata
        ]
    )
    coarse = np.flatnonzero(whole.sizes >= 2 * limits.k)
    if not coarse.size:
        return whole
    is_coarse = np.repeat(whole.sizes >= 2 * limits.k, whole.sizes)
    ids, ends = whole.records[is_coarse], np.cumsum(whole.sizes[coarse])

    def cut(part: tuple[int, int]) -> Subdivision:
        start = int(ends[part[0] - 1]) if part[0] else 0
        its = ids[start : ends[part[1] - 1]]
        order, found = _cut(space, limits, its, ends[part[0] : part[1]] - start, codes)
        return Subdivision(its[order], found)

    fine = Subdivision(whole.records[~is_coarse], np.cumsum(np.delete(whole.sizes, coarse)))
    return _joined([fine, *side_by_side(cut, batches_of(coarse.size), threads)])


def _joined(some: Sequence[Subdivision]) -> Subdivision:
    """Put the boxes of several subdivisions one after the other."""
    if len(some) == 1:
        return some[0]
    sizes = np.concatenate([one.sizes for one in some])
    found = None
    if all(one.found for one in some):
        pairs = [(one.found.lo, one.found.hi, one.found.totals) for one in some if one.found]
        found = Summary(*(np.concatenate(its, axis=1) for its in zip(*pairs, strict=True)))
    return Subdivision(np.concatenate([one.records for one in some]), np.cumsum(sizes), found)
