"""Cutting the space into boxes: with care, or faster where there are many records."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sfumato.array_types import Counts
from sfumato.boxes.box_runs import Subdivision, joined
from sfumato.boxes.fast_cuts import halved
from sfumato.progress import Progress
from sfumato.threads import batches_of, side_by_side

if TYPE_CHECKING:
    from sfumato.kernels.boxes.box_cost import Space
    from sfumato.kernels.boxes.cut_search import Work
    from sfumato.kernels.boxes.limit_check import Limits

Run: TypeAlias = tuple[int, int]
"""From where to where something reaches."""
PARTS = 32
"""The space is cut into about this number of parts, which are then cut side by side, whatever the number of threads."""
QUICK = 500_000
"""From this number of records on, cuts are found faster, and records are swapped only on request."""


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
        Whether boxes must come in the order of the cuts, as a tiling needs them, which the faster cuts do not keep.
    threads, progress
        The number of threads, and what is called with the share done.
    """
    from sfumato.kernels.boxes.box_cost import LINEAR
    from sfumato.kernels.boxes.cut_search import make_work, room_for

    records = np.concatenate(strata)
    if records.size > QUICK and not careful and not limits.rules.size and (space.kinds == LINEAR).all():
        return _hurried(space, limits, strata, codes, threads=threads, progress=progress)
    max_size = max(records.size // PARTS, room_for(limits.k))
    work = make_work(space, limits, codes, records.size)
    runs = _split(space, limits, work, records, _runs(stratum.size for stratum in strata), max_size)

    def cut(batch: Sequence[Run]) -> Counts:
        first, last = batch[0][0], batch[-1][1]
        ids = records[first:last].copy()
        order, ends = _cut(space, limits, ids, [(low - first, high - first) for low, high in batch], codes)
        records[first:last] = ids[order]
        return ends + first

    box_ends = side_by_side(cut, _together(runs, max_size), threads, lambda s: progress("cutting", s))
    return Subdivision(records, np.concatenate(box_ends))


def _together(runs: Sequence[Run], max_size: int) -> list[list[Run]]:
    """Put neighbouring parts together up to ``max_size`` records, for each call of a kernel takes its time."""
    batches: list[list[Run]] = []
    for run in runs:
        if batches and run[1] - batches[-1][0][0] <= max_size:
            batches[-1].append(run)
        else:
            batches.append([run])
    return batches


def _runs(sizes: Iterable[int]) -> list[Run]:
    """Return from where to where things of some sizes reach that lie one after the other."""
    return list(itertools.pairwise(itertools.accumulate(sizes, initial=0)))


def _split(space: Space, limits: Limits, work: Work, records: Counts, runs: Sequence[Run], max_size: int) -> list[Run]:
    """Cut runs until they have at most ``max_size`` records or no sample can cut them; ``records`` is reordered."""
    # the loop is not compiled: a kernel around a kernel takes as long to compile once more
    from sfumato.kernels.boxes.large_nodes import split

    pieces, waiting = [], list(reversed(runs))
    while waiting:
        low, high = waiting.pop()
        middle = split(space, limits, work, records, low, high) if high - low > max_size else low
        if middle > low:
            waiting += [(middle, high), (low, middle)]
        else:
            pieces.append((low, high))
    return pieces


def _cut(space: Space, limits: Limits, ids: Counts, runs: Sequence[Run], codes: int) -> tuple[Counts, Counts]:
    """Cut parts of some records into boxes; return the order of the records, and where each box ends."""
    from sfumato.kernels.boxes.cut_search import make_work, room_for
    from sfumato.kernels.boxes.small_nodes import divide

    # a copy of the part lies together in memory, which its many cuts repay
    near = space._replace(points=np.take(space.points, ids, axis=1), costs=np.take(space.costs, ids, axis=1))
    near_limits = limits
    if limits.rules.size:
        columns, coordinates = np.take(limits.columns, ids, axis=1), np.take(limits.coordinates, ids, axis=1)
        near_limits = limits._replace(columns=columns, coordinates=coordinates)
    work = make_work(near, near_limits, codes, ids.size)
    order = np.arange(ids.size)
    room = room_for(near_limits.k)
    pieces = _split(near, near_limits, work, order, runs, room)
    ends, boxes = np.empty(ids.size // near_limits.k + len(pieces), dtype=np.int64), 0
    for first, last in pieces:
        if last - first <= room:
            boxes = divide(near, near_limits, work, order, first, last, ends, boxes)
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

    def cut(groups: Sequence[Counts]) -> Subdivision:
        members = np.concatenate(groups)
        order, ends = _cut(space, limits, members, _runs(group.size for group in groups), codes)
        return Subdivision(members[order], ends)

    halves = joined(
        [
            halved(
                space.points,
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
    coarse = halves.sizes >= 2 * limits.k
    if not coarse.any():
        return halves
    ids = halves.only(coarse).parts()
    again = side_by_side(lambda group: cut(ids[group[0] : group[1]]), batches_of(len(ids)), threads)
    return joined(
        [
            halves.only(~coarse),
            *(replace(refined, cached_summary=refined.summary(space.points, space.costs)) for refined in again),
        ]
    )
