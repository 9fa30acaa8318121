"""The subdivision: cutting the space, and exchanging records between neighbouring boxes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sfumato.arrays import Codes, Counts, Reals
from sfumato.progress import Progress

if TYPE_CHECKING:
    from sfumato.kernels.limits import Limits
    from sfumato.kernels.space import Space

PARTS = 32
"""The space is cut into about so many parts, which are then cut side by side, whatever the number of threads."""
QUICK = 500_000
"""From so many records on, cuts are found in a hurry, and records are not exchanged unless asked for."""
PASSES = 24
"""How often records are exchanged if nothing is said."""
HEAT = 0.75
"""The first exchanges are judged with a noise of this share of what a record costs."""
GROUPED, MEMBERS = 12, 128
"""Up to so many boxes exchange records with each other, fewer where they would have more members than that."""
BATCHES = 32
"""Groups of boxes exchange records side by side, in so many batches."""
PACE = 950_000
"""Records that are exchanged once in a second: what a second of refining buys, so that its result is repeatable."""

Given = TypeVar("Given")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Subdivision:
    """Records in the order of their boxes."""

    records: Counts
    ends: Counts
    """Where each box ends."""

    def __len__(self) -> int:
        return int(self.ends.size)

    @cached_property
    def starts(self) -> Counts:
        """Where each box begins."""
        return np.concatenate([[0], self.ends[:-1]])

    @cached_property
    def sizes(self) -> Counts:
        """The records of each box."""
        return self.ends - self.starts

    @cached_property
    def numbers(self) -> Codes:
        """The box of each record."""
        numbers = np.empty(self.records.size, dtype=np.int32)
        numbers[self.records] = np.repeat(np.arange(len(self), dtype=np.int32), self.sizes)
        return numbers

    def summary(self, places: Reals, costs: Reals, threads: int | None = None) -> Summary:
        """Return the ends of each box and what a unit of its width costs; rows are axes."""
        from sfumato.kernels.space import summarize_boxes

        lo, hi, totals = (np.empty((len(places), len(self))) for _ in range(3))
        side_by_side(
            lambda part: summarize_boxes(places, costs, self.records, self.ends, part[0], part[1], lo, hi, totals),
            batches_of(len(self)),
            threads,
        )
        return Summary(lo, hi, totals)

    def costs(self, space: Space, codes: int, threads: int | None = None) -> Reals:
        """Return what each box costs; ``codes`` is the number of categories."""
        from sfumato.kernels.space import cost_boxes

        costs = np.empty(len(self))
        side_by_side(
            lambda part: cost_boxes(space, self.records, self.ends, part[0], part[1], codes, costs),
            batches_of(len(self)),
            threads,
        )
        return costs


@dataclass(frozen=True)
class Summary:
    """Boxes in numbers, one row an axis."""

    lo: Reals
    hi: Reals
    totals: Reals
    """What a unit of width costs all records of the box."""


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
    from sfumato.kernels.cutting import divide
    from sfumato.kernels.space import LINEAR
    from sfumato.kernels.splitting import split

    records = np.concatenate(strata)
    quick = records.size > QUICK and bool((space.kinds == LINEAR).all())
    room = room_for(limits.k, quick)
    most = max(records.size // PARTS, room)
    work = make_work(space, limits, codes, records.size, quick)
    bounds = np.concatenate([[0], np.cumsum([stratum.size for stratum in strata])]).tolist()
    parts: list[tuple[int, int]] = []
    for first, last in itertools.pairwise(bounds):
        ends = split(space, limits, work, records, first, last, most, quick)
        parts += itertools.pairwise([first, *ends.tolist()])

    def cut(part: tuple[int, int]) -> Counts:
        first, last = part
        ids = records[first:last].copy()
        # a copy of the part lies together in memory, which its many cuts repay
        near = space._replace(places=np.take(space.places, ids, axis=1), costs=np.take(space.costs, ids, axis=1))
        kept = limits
        if limits.rules.size:
            columns, places = np.take(limits.columns, ids, axis=1), np.take(limits.places, ids, axis=1)
            kept = limits._replace(columns=columns, places=places)
        own = make_work(near, kept, codes, ids.size, quick)
        order = np.arange(ids.size)
        pieces = split(near, kept, own, order, 0, ids.size, room, quick)
        found: Counts = divide(near, kept, own, order, 0, pieces, quick)
        records[first:last] = ids[order]
        return found + first

    return Subdivision(records, np.concatenate(side_by_side(cut, parts, threads, lambda s: progress("cutting", s))))


def batches_of(size: int) -> list[tuple[int, int]]:
    """Return about equal parts of a range, which do not depend on the number of threads."""
    cuts = np.linspace(0, size, min(BATCHES, size) + 1).astype(np.int64).tolist()
    return list(itertools.pairwise(cuts))


def side_by_side(
    function: Callable[[Given], Found],
    given: Sequence[Given],
    threads: int | None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Found]:
    """Call a function on several threads; the results come in the order of what was given."""
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        waiting: Iterable[Found] = pool.map(function, given)
        found = []
        try:
            for number, one in enumerate(waiting):
                found.append(one)
                progress((number + 1) / len(given))
        except BaseException:
            # what has not begun shall not begin
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def passes_for(records: int, seconds: float) -> int:
    """Return how often records can be exchanged in some seconds."""
    return max(PASSES, round(seconds * PACE / records))


def exchange_records(
    space: Space,
    limits: Limits,
    boxes: Subdivision,
    codes: int,
    *,
    strata: Counts | None,
    passes: int,
    heat: float,
    seed: int,
    threads: int | None,
    progress: Callable[[float], None],
) -> Subdivision:
    """Exchange records between neighbouring boxes again and again, with less noise each time.

    Every pass finds new neighbours: along directions drawn at random, boxes are cut into groups. Records of
    different ``strata`` are never exchanged.
    """
    from sfumato.kernels.cuts import make_work
    from sfumato.kernels.exchanging import exchange_groups
    from sfumato.kernels.splitting import split

    small = np.flatnonzero(boxes.sizes <= 3 * limits.k)
    if small.size < 2 or passes < 1:
        return boxes
    rng = np.random.default_rng(seed)
    records = boxes.records.copy()
    scales = space.costs.mean(axis=1)
    before = boxes.costs(space, codes, threads)
    usual = float(before.sum()) / boxes.records.size
    grouped = max(2, min(GROUPED, MEMBERS // limits.k))
    homes = None if strata is None else strata[boxes.records[boxes.starts]]
    for turn in range(passes):
        now = Subdivision(records, boxes.ends).summary(space.places, space.costs, threads)
        turned = _turned(now, small, scales, rng)
        order = np.arange(small.size)
        grouping = _plain(turned, _no_limits(1))
        work = make_work(*grouping, 1, small.size, True)
        ends = split(*grouping, work, order, 0, small.size, grouped, True)
        groups = small[order]
        starts = _no_larger(np.concatenate([[0], ends]), grouped, None if homes is None else homes[groups])
        warmth = heat * usual * max(0.0, 1.0 - turn / max(passes - 2, 1))

        def batch(
            part: tuple[int, int],
            turn: int = turn,
            groups: Counts = groups,
            starts: Counts = starts,
            warmth: float = warmth,
        ) -> int:
            counts = np.zeros(codes + 1, dtype=np.int64)
            low, high = part
            room = grouped * 3 * limits.k
            noise = (seed * 1_000_003 + turn) * 1_000_003 + low
            return exchange_groups(
                space, limits, records, boxes.ends, groups, starts[low : high + 1], room, warmth, noise % 2**62, counts
            )

        side_by_side(batch, batches_of(starts.size - 1), threads)
        progress((turn + 1) / passes)
    found = Subdivision(records, boxes.ends)
    # few warm passes can end worse than they began
    return found if found.costs(space, codes, threads).sum() < before.sum() else boxes


def _turned(now: Summary, small: Counts, scales: Reals, rng: np.random.Generator) -> Reals:
    """Return the middles of some boxes, in units of cost, along random directions."""
    middles = 0.5 * (now.lo + now.hi)[:, small] * scales[:, None]
    directions = np.linalg.qr(rng.normal(size=(len(middles), len(middles))))[0]
    return np.ascontiguousarray(directions @ middles)


def _no_larger(starts: Counts, most: int, homes: Counts | None) -> Counts:
    """Divide groups that are too large, or, given the stratum of each box, that mix strata."""
    last = int(starts[-1])
    begins = np.zeros(last + 1, dtype=np.bool_)
    begins[starts] = True
    if homes is not None:
        begins[1:-1] |= homes[1:] != homes[:-1]
    starts = np.flatnonzero(begins)
    sizes = np.diff(starts)
    if sizes.max(initial=0) > most:
        within = np.arange(last) - np.repeat(starts[:-1], sizes)
        begins[:-1] |= within % most == 0
        starts = np.flatnonzero(begins)
    return starts


def _plain(places: Reals, limits: Limits) -> tuple[Space, Limits]:
    """Return a space of plain numbers whose widths all cost the same."""
    from sfumato.kernels.space import Space

    rows = len(places)
    return (
        Space(
            places,
            np.ones_like(places),
            np.zeros(rows, dtype=np.int32),
            np.zeros(rows),
            np.zeros((rows, 1, 1), dtype=np.int32),
            np.zeros((rows, 1, 1)),
        ),
        limits,
    )


def _no_limits(k: int) -> Limits:
    from sfumato.boxes.limits import limits_with

    return limits_with(k, [])
