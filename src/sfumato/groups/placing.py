"""Which place takes which rank, when it is known between which values each rank lies: an assignment.

A place that takes a rank has to come between that rank's values, which costs so many people more or fewer there. As
many come as go, so that each of both sums, and any mean of them, is at most the number of people moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.arrays import Counts, Flags, Reals
from sfumato.groups.courses import Course, Range
from sfumato.groups.task import Reshaping

SIDES = (0.5, 1.0, 0.0)
"""How much those who come count; the others are those who go."""
INFEASIBLE = 2
"""What scipy's milp says of a program without a solution."""
WHOLE = 1e-6
"""By how much less than a whole number of people a sum may be told."""


@dataclass(frozen=True)
class Near:
    """How many people may be at each place of a signal that is near enough."""

    task: Reshaping
    least: Counts
    most: Counts
    tolerance: float
    """What arithmetic may have added to a value."""

    def counts_between(self, least: Reals, most: Reals) -> tuple[Counts, Counts]:
        """Return the least and the largest count between values, places x ranks; the least is larger where none is."""
        task = self.task
        shift = np.zeros(1) if task.subordinate is None else task.subordinate[:, None]
        weights = task.weights[:, None]
        lower = np.ceil((least - self.tolerance + shift) * weights - WHOLE)
        upper = np.floor((most + self.tolerance + shift) * weights + WHOLE)
        return (
            np.clip(lower, self.least[:, None], self.most[:, None] + 1).astype(np.int64),
            np.clip(upper, self.least[:, None] - 1, self.most[:, None]).astype(np.int64),
        )


class Placing:
    """Places x zones, which are neighbouring ranks between the same values."""

    def __init__(self, near: Near, course: Course, between: Range) -> None:
        task, size = near.task, course.size
        kinds = np.zeros(size, dtype=np.int64)
        kinds[: course.low], kinds[size - course.high :] = 1, 2
        edges = (np.diff(between.least) != 0) | (np.diff(between.most) != 0) | (np.diff(kinds) != 0)
        # the lower half, the middle and the upper half are zones of their own where the floor is the spread
        if course.last is not None and course.last.coincide:
            edges[[size // 2 - 1, (size - 1) // 2]] = True
        first = np.concatenate(([0], np.flatnonzero(edges) + 1))
        self.task, self.sizes, self.first = task, np.diff(np.append(first, size)), first
        hidden = np.isin(np.arange(size), task.hidden)[:, None]
        least = np.where(hidden, np.maximum(between.least[first], between.hidden_least), between.least[first])
        most = np.where(hidden, np.minimum(between.most[first], between.hidden_most), between.most[first])
        self.least, self.most = near.counts_between(least, most)
        # of those that may go none is hidden
        self.forbidden: Flags = (self.least > self.most) | (hidden & (kinds[first] != 0))
        self.kept: Counts = np.clip(task.counts[:, None], self.least, np.maximum(self.least, self.most))

    @cached_property
    def coming(self) -> Counts:
        """How many people come at least."""
        coming: Counts = np.maximum(self.least - self.task.counts[:, None], 0)
        return coming

    @cached_property
    def going(self) -> Counts:
        """How many people go at least."""
        going: Counts = np.maximum(self.task.counts[:, None] - self.most, 0)
        return going

    def cheapest(self) -> Iterator[tuple[float, Counts]]:
        """Yield bounds of the people moved, and the zone of each place that attains it; infinite if there is none."""
        from scipy.optimize import linear_sum_assignment

        zones = np.repeat(np.arange(self.sizes.size), self.sizes)
        for side in SIDES:
            costs = np.where(self.forbidden, math.inf, side * self.coming + (1 - side) * self.going)[:, zones]
            try:
                places, ranks = linear_sum_assignment(costs)
            except ValueError:
                # some place has no rank that it could take
                yield math.inf, zones
                return
            yield math.ceil(float(costs[places, ranks].sum()) - WHOLE), zones[ranks]

    def counts_of(self, zones: Counts, low_half: int | None = None) -> Iterator[Counts]:
        """Yield counts in given zones that move as few people as they allow, the lower half having at most so many."""
        places = np.arange(zones.size)
        least, most, counts = (table[places, zones] for table in (self.least, self.most, self.kept))
        ranked = np.lexsort((counts, zones))
        orders = [ranked, ranked[::-1]]
        if low_half is not None:
            in_low, in_high = self.in_low[zones], self.in_high[zones]
            lacking = self.task.total - int(counts[~in_low & ~in_high].sum()) - low_half - int(counts[in_high].sum())
            counts = _added(counts, min(low_half - int(counts[in_low].sum()), 0), ranked[in_low[ranked]], least)
            counts = _added(counts, max(lacking, 0), ranked[in_high[ranked]], most)
        missing = self.task.total - int(counts.sum())
        if low_half is not None or missing == 0:
            orders = [ranked[::-1] if missing > 0 else ranked]
        for order in orders:
            found = _added(counts, missing, order, most if missing > 0 else least)
            if found.sum() == self.task.total:
                yield found

    def exact(self, low_half: int | None = None) -> tuple[float, Counts]:
        """Return the fewest people moved and each place's zone, the lower half having at most so many."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        n_places, n_zones = self.least.shape
        total = self.task.total
        costs, rooms = [(self.coming, 0), (self.going, 0)], [(self.least, total), (-self.most, -total)]
        if low_half is not None:
            middle = self.least * ~(self.in_low | self.in_high)
            # so many at least are in the upper half, without the middle
            costs += [
                (self.going + self.in_low * self.kept, low_half),
                (self.coming - self.in_high * self.kept - middle, low_half - total),
            ]
            rooms += [(self.in_low * self.least, low_half), (-(self.in_high * self.most) - middle, low_half - total)]
        free = np.where(self.forbidden, 0, 1)
        # the last variable is how many people are moved
        rows = [np.append((table * free).ravel(), -1.0) for table, _ in costs]
        rows += [np.append((table * free).ravel(), 0.0) for table, _ in rooms]
        limits = np.array([limit for _, limit in (*costs, *rooms)]) + WHOLE
        each, every = np.kron(np.eye(n_places), np.ones(n_zones)), np.kron(np.ones(n_places), np.eye(n_zones))
        found = milp(
            np.append(np.zeros(free.size), 1.0),
            constraints=[
                LinearConstraint(np.hstack((each, np.zeros((n_places, 1)))), 1, 1),
                LinearConstraint(np.hstack((every, np.zeros((n_zones, 1)))), self.sizes, self.sizes),
                LinearConstraint(np.array(rows), -np.inf, limits),
            ],
            bounds=Bounds(0, np.append(free.ravel(), np.inf)),
            integrality=np.append(np.ones(free.size), 0),
            # presolving integer programs has lost solutions that lie on a constraint (HiGHS of scipy 1.17)
            options={"presolve": False, "mip_rel_gap": 0.0},
        )
        if found.x is None:
            # infeasible, or given up, when nothing is known
            return math.inf if found.status == INFEASIBLE else 0.0, np.zeros(n_places, dtype=np.int64)
        zones = found.x[:-1].reshape(n_places, n_zones).argmax(axis=1)
        return math.ceil(found.mip_dual_bound - 10 * WHOLE), zones

    @cached_property
    def in_low(self) -> Flags:
        """Which zones are in the lower half of the ranks."""
        return self.first < self.task.counts.size // 2

    @cached_property
    def in_high(self) -> Flags:
        """Which zones are in the upper half of the ranks."""
        return self.first >= (self.task.counts.size + 1) // 2


def _added(counts: Counts, people: int, order: Counts, ends: Counts) -> Counts:
    """Add people, or take them if there are fewer than none, place by place, each up to its end."""
    changed, left = counts.copy(), people
    for place in order.tolist():
        part = (
            min(left, int(ends[place] - changed[place])) if left > 0 else max(left, int(ends[place] - changed[place]))
        )
        changed[place] += part
        left -= part
        if not left:
            break
    return changed
