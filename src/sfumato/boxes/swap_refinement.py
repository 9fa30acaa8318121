"""Swapping records between neighbouring boxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.boxes.box_runs import Subdivision, Summary
from sfumato.boxes.fast_cuts import halved
from sfumato.kernels.algebra import orthogonal, product
from sfumato.randomness import Secret
from sfumato.threads import batches_of, side_by_side

if TYPE_CHECKING:
    from sfumato.kernels.boxes.box_cost import Space
    from sfumato.kernels.boxes.limit_check import Limits

PASSES = 24
"""How often records are swapped by default."""
HEAT = 0.75
"""The first swaps are judged with a noise of this share of what a record costs."""
GROUPED, MEMBERS = 12, 128
"""Up to this number of boxes swap records with each other, fewer where they would have more members than the second."""
UNIFORMS = 12
"""A sum of this number of uniform numbers has variance 1 and is nearly normal."""
CORES = 2
"""Seconds are those of this number of cores."""
NANOSECONDS = (4.6, 0.75, 1.35, 79.0, 1.0, 71.0, 550.0)
"""What each kind of work takes on one core, in the order in which the kernel counts them; docs/boxes.md says how these
and the next were measured."""
FINDING, GROUP = 9_800.0, 9_800.0
"""Nanoseconds that finding a group of neighbours takes, and swapping records in it, beside that work."""
PROBED = 8
"""One part in this number of the first pass shows how long a pass takes."""
ENOUGH = 0.99
"""The share of the work that is enough."""


@dataclass
class Effort:
    """How long records are swapped: a number of passes, or until a given amount of work is done.

    Work is counted, not measured by a clock, so that the same settings give the same bytes on every machine.
    """

    passes: int | None
    seconds: float = 0.0
    """On one core, where there are no passes."""
    spent: float = 0.0
    turn: int = 0
    finding: float = 0.0
    """What finding neighbours takes in each pass."""
    each: float = 0.0
    """What a group of boxes took of late."""
    groups: int = 0
    """How many groups a pass has."""

    @property
    def share(self) -> float:
        """How much is done; at 1 it is enough."""
        if self.passes is not None:
            return self.turn / self.passes
        # nor is a pass begun that could not deal with a single group
        begun = self.spent + self.finding
        return max(begun / ENOUGH, begun + self.each) / self.seconds if self.turn else 0.0

    @property
    def warmth(self) -> float:
        """How much of the heat is left: none in the last two passes."""
        if self.passes is not None:
            return max(0.0, 1.0 - self.turn / max(self.passes - 2, 1))
        room = self.seconds - 2.5 * (self.finding + self.each * self.groups)
        return max(0.0, 1.0 - self.spent / room) if room > 0 else 0.0

    def begin(self, groups: int) -> None:
        """Begin a pass, in which these groups of neighbours were found."""
        self.groups, self.finding = groups, 1e-9 * FINDING * groups
        self.spent += self.finding

    def next_groups(self, n_remaining: int) -> int:
        """Return how many of the groups that are left in this pass come next: none if the work is done."""
        if self.passes is not None:
            return n_remaining
        if not self.each:
            return -(-self.groups // PROBED)
        return max(0, min(n_remaining, int((self.seconds - self.spent) / self.each)))

    def add(self, work: Counts, groups: int) -> None:
        """Count the work that was done in some groups."""
        done = 1e-9 * (sum(map(mul, work.tolist(), NANOSECONDS)) + GROUP * groups)
        self.each = done / groups
        self.spent += done


def swap_records(
    space: Space,
    limits: Limits,
    boxes: Subdivision,
    codes: int,
    *,
    strata: Counts | None,
    effort: Effort,
    heat: float,
    secret: Secret,
    threads: int | None,
    progress: Callable[[float], None],
    many_strata: bool = False,
) -> Subdivision:
    """Swap records between neighbouring boxes again and again, with less noise each time.

    Every pass finds new neighbours: along directions drawn at random, boxes are cut into groups. Records of
    different ``strata`` are never swapped; where there are ``many_strata``, neighbours are looked for within each.
    """
    from sfumato.kernels.boxes.swap_records import WORK, exchange_groups

    small = np.flatnonzero(boxes.sizes <= 3 * limits.k)
    if small.size < 2 or effort.passes == 0:
        return boxes
    rng, noise = secret.stream("directions of neighbours"), secret.integer("noise of exchanges")
    records = boxes.records.copy()
    scales = space.costs.mean(axis=1)
    before = boxes.costs(space, codes, threads)
    typical_cost = float(before.sum()) / boxes.records.size
    grouped = max(2, min(GROUPED, MEMBERS // limits.k))
    least = min(grouped - grouped // 6, small.size)
    box_strata = None if strata is None else strata[boxes.records[boxes.starts]]
    while effort.share < 1.0:
        turn = effort.turn
        now = Subdivision(records, boxes.ends).summary(space.points, space.costs, threads)
        turned = _turned(now, small, scales, rng)
        if many_strata and box_strata is not None:
            turned = np.vstack([turned, box_strata[small] * (1.0 + np.ptp(turned, axis=1).max())])
        near = halved(turned, np.ones_like(turned), np.arange(small.size), least, threads=threads)
        groups = small[near.records]
        if many_strata and box_strata is not None:
            groups = groups[np.lexsort((box_strata[groups], np.repeat(np.arange(len(near)), near.sizes)))]
        starts = no_larger(
            np.append(near.starts, small.size), grouped, None if box_strata is None else box_strata[groups]
        )
        effort.begin(starts.size - 1)
        done = 0
        while n_next := effort.next_groups(starts.size - 1 - done):
            warmth = heat * typical_cost * effort.warmth

            def batch(
                batch_range: tuple[int, int],
                turn: int = turn,
                groups: Counts = groups,
                starts: Counts = starts,
                warmth: float = warmth,
                done: int = done,
            ) -> Counts:
                counts, work = np.zeros(codes + 1, dtype=np.int64), np.zeros(WORK, dtype=np.int64)
                low, high = done + batch_range[0], done + batch_range[1]
                room = grouped * 3 * limits.k
                batch_seed = (noise + turn) * 1_000_003 + low
                where = (groups, starts[low : high + 1], room)
                exchange_groups(space, limits, records, boxes.ends, *where, warmth, batch_seed % 2**62, counts, work)
                return work

            work = side_by_side(batch, batches_of(n_next, least=8), threads)
            effort.add(np.sum(work, axis=0), n_next)
            done += n_next
        effort.turn += 1
        progress(min(effort.share, 1.0))
    refined = Subdivision(records, boxes.ends)
    # few warm passes can end worse than they began
    return refined if refined.costs(space, codes, threads).sum() < before.sum() else boxes


def _turned(now: Summary, small: Counts, scales: Reals, rng: np.random.Generator) -> Reals:
    """Return the middles of some boxes, in units of cost, along random directions."""
    middles = 0.5 * (now.lo + now.hi)[:, small] * scales[:, None]
    turned: Reals = product(orthogonal(nearly_normal(rng, (len(middles), len(middles))))[0], middles)
    return turned


def nearly_normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Reals:
    """Draw numbers that are about normal, by additions alone, which every machine rounds alike."""
    drawn: Reals = rng.random((UNIFORMS, *shape)).sum(axis=0) - UNIFORMS / 2
    return drawn


def no_larger(starts: Counts, max_size: int, box_strata: Counts | None) -> Counts:
    """Divide groups that are too large, or, given the stratum of each box, that mix strata."""
    last = int(starts[-1])
    begins = np.zeros(last + 1, dtype=np.bool_)
    begins[starts] = True
    if box_strata is not None:
        begins[1:-1] |= box_strata[1:] != box_strata[:-1]
    starts = np.flatnonzero(begins)
    sizes = np.diff(starts)
    if sizes.max(initial=0) > max_size:
        within = np.arange(last) - np.repeat(starts[:-1], sizes)
        begins[:-1] |= within % max_size == 0
        starts = np.flatnonzero(begins)
    return starts
