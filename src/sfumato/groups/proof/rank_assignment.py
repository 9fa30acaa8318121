"""The assignment of places to ranks, given the range of each rank's value.

A place that takes a rank has to come into that rank's range, which adds or removes people there. As many come as go,
so each of both sums, and any mean of them, is a lower bound of the number of people moved.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.groups.proof.removal_paths import RankRange, RemovalPath
from sfumato.groups.reshaping_problem import Reshaping

SIDES = (0.5, 1.0, 0.0)
"""The weight of those who come; those who go have the rest."""
INFEASIBLE = 2
"""The status that scipy's milp returns for a program without a solution."""
WHOLE = 1e-6
"""The tolerance by which a sum may be below an integer."""


@dataclass(frozen=True)
class CountBounds:
    """Bounds of the counts of signals that are near enough."""

    task: Reshaping
    least: Counts
    greatest: Counts
    tolerance: float
    """The largest rounding error of a value."""

    def counts_between(self, least: Reals, greatest: Reals) -> tuple[Counts, Counts]:
        """Return the least and the largest count within values, places x ranks; least > largest where there is none."""
        task = self.task
        shift = np.zeros(1) if task.subordinate is None else task.subordinate[:, None]
        weights = task.weights[:, None]
        lower = np.ceil((least - self.tolerance + shift) * weights - WHOLE)
        upper = np.floor((greatest + self.tolerance + shift) * weights + WHOLE)
        return (
            np.clip(lower, self.least[:, None], self.greatest[:, None] + 1).astype(np.int64),
            np.clip(upper, self.least[:, None] - 1, self.greatest[:, None]).astype(np.int64),
        )


class RankAssignment:
    """Places x zones; a zone is a run of ranks with the same range."""

    def __init__(self, bounds_of_counts: CountBounds, path: RemovalPath, between: RankRange) -> None:
        task, size = bounds_of_counts.task, path.size
        kinds = np.zeros(size, dtype=np.int64)
        kinds[: path.low], kinds[size - path.high :] = 1, 2
        edges = (np.diff(between.least) != 0) | (np.diff(between.greatest) != 0) | (np.diff(kinds) != 0)
        # the lower half, the middle and the upper half are zones of their own where the floor is the spread
        if path.last is not None and path.last.coincide:
            edges[[size // 2 - 1, (size - 1) // 2]] = True
        first = np.concatenate(([0], np.flatnonzero(edges) + 1))
        self.task, self.sizes, self.first = task, np.diff(np.append(first, size)), first
        hidden = np.isin(np.arange(size), task.hidden)[:, None]
        least = np.where(hidden, np.maximum(between.least[first], between.hidden_least), between.least[first])
        greatest = np.where(hidden, np.minimum(between.greatest[first], between.hidden_most), between.greatest[first])
        self.least, self.greatest = bounds_of_counts.counts_between(least, greatest)
        # no hidden place may be among the removed ones
        self.forbidden: Flags = (self.least > self.greatest) | (hidden & (kinds[first] != 0))
        self.nearest_counts: Counts = np.clip(task.counts[:, None], self.least, np.maximum(self.least, self.greatest))

    @cached_property
    def coming(self) -> Counts:
        """The least number of people that come."""
        coming: Counts = np.maximum(self.least - self.task.counts[:, None], 0)
        return coming

    @cached_property
    def going(self) -> Counts:
        """The least number of people that go."""
        going: Counts = np.maximum(self.task.counts[:, None] - self.greatest, 0)
        return going

    def cheapest(self) -> Iterator[tuple[float, Counts]]:
        """Yield lower bounds of the people moved, and the zones of places that attain them; infinite if none do."""
        from scipy.optimize import linear_sum_assignment

        zones = np.repeat(np.arange(self.sizes.size), self.sizes)
        for side in SIDES:
            costs = np.where(self.forbidden, math.inf, side * self.coming + (1 - side) * self.going)[:, zones]
            try:
                rows, ranks = linear_sum_assignment(costs)
            except ValueError:
                # a place has no rank that it could take
                yield math.inf, zones
                return
            yield math.ceil(float(costs[rows, ranks].sum()) - WHOLE), zones[ranks]

    def counts_of(self, zones: Counts, low_half: int | None = None) -> Iterator[Counts]:
        """Yield counts in given zones that move the fewest people, with at most ``low_half`` in the lower half."""
        rows = np.arange(zones.size)
        least, greatest, counts = (table[rows, zones] for table in (self.least, self.greatest, self.nearest_counts))
        ranked = np.lexsort((counts, zones))
        orders = [ranked, ranked[::-1]]
        if low_half is not None:
            in_low, in_high = self.in_low[zones], self.in_high[zones]
            lacking = self.task.total - int(counts[~in_low & ~in_high].sum()) - low_half - int(counts[in_high].sum())
            counts = _added(counts, min(low_half - int(counts[in_low].sum()), 0), ranked[in_low[ranked]], least)
            counts = _added(counts, max(lacking, 0), ranked[in_high[ranked]], greatest)
        missing = self.task.total - int(counts.sum())
        if low_half is not None or missing == 0:
            orders = [ranked[::-1] if missing > 0 else ranked]
        for order in orders:
            result = _added(counts, missing, order, greatest if missing > 0 else least)
            if result.sum() == self.task.total:
                yield result

    def exact(self, low_half: int | None = None) -> tuple[float, Counts]:
        """Return the fewest people moved and each place's zone, with at most ``low_half`` in the lower half."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        n_places, n_zones = self.least.shape
        total = self.task.total
        costs, rooms = [(self.coming, 0), (self.going, 0)], [(self.least, total), (-self.greatest, -total)]
        if low_half is not None:
            middle = self.least * ~(self.in_low | self.in_high)
            # the rest, without the middle, is in the upper half
            costs += [
                (self.going + self.in_low * self.nearest_counts, low_half),
                (self.coming - self.in_high * self.nearest_counts - middle, low_half - total),
            ]
            rooms += [
                (self.in_low * self.least, low_half),
                (-(self.in_high * self.greatest) - middle, low_half - total),
            ]
        free = np.where(self.forbidden, 0, 1)
        # the last variable is how many people are moved
        rows = [np.append((table * free).ravel(), -1.0) for table, _ in costs]
        rows += [np.append((table * free).ravel(), 0.0) for table, _ in rooms]
        limits = np.array([limit for _, limit in (*costs, *rooms)]) + WHOLE
        each, every = np.kron(np.eye(n_places), np.ones(n_zones)), np.kron(np.ones(n_places), np.eye(n_zones))
        result = milp(
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
        if result.x is None:
            # infeasible, or given up, which proves nothing
            return math.inf if result.status == INFEASIBLE else 0.0, np.zeros(n_places, dtype=np.int64)
        zones = result.x[:-1].reshape(n_places, n_zones).argmax(axis=1)
        return math.ceil(result.mip_dual_bound - 10 * WHOLE), zones

    @cached_property
    def in_low(self) -> Flags:
        """Which zones are in the lower half of the ranks."""
        return self.first < self.task.counts.size // 2

    @cached_property
    def in_high(self) -> Flags:
        """Which zones are in the upper half of the ranks."""
        return self.first >= (self.task.counts.size + 1) // 2


def _added(counts: Counts, people: int, order: Counts, ends: Counts) -> Counts:
    """Add people, or remove them if the number is negative, place by place, each up to its end."""
    changed, remaining = counts.copy(), people
    for place in order.tolist():
        change = (
            min(remaining, int(ends[place] - changed[place]))
            if remaining > 0
            else max(remaining, int(ends[place] - changed[place]))
        )
        changed[place] += change
        remaining -= change
        if not remaining:
            break
    return changed
