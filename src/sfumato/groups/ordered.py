"""The fewest people moved, for places in a given order of their values, by branch and bound over what is removed.

Once the order of the new values is given, their median, quartiles and ends are linear, and so is every comparison that
the modified Thompson tau technique makes. Its course is a path: at each look it stops, removes the highest or removes
the lowest place. A path is a set of linear constraints, and so is each beginning of one, whose program bounds the cost
of all paths that begin so. The search takes up the cheapest beginning first; the first path that is complete and has
an integer solution is the best of the order. Paths that remove a hidden place are not taken.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.groups.outliers import (
    FEWEST,
    NORMAL_DISTANCES,
    NORMAL_QUARTILES,
    lower_ranks,
    middle_ranks,
    tau,
    upper_ranks,
)
from sfumato.groups.task import Reshaping

STRICT = 1e-6
"""By how much of a unit a strict inequality holds; programs are solved to about a tenth of it."""

FEW_PLACES = 20
"""Up to so many places programs are solved in whole people; beyond, which would take long, solutions are rounded."""
MARGINS = (0.0, 0.5, 1.0, 2.0, 4.0)
"""By how many people constraints are tightened, in turn, so that they hold after rounding."""


@dataclass(frozen=True)
class _Rows:
    """Constraints rows @ counts <= limits."""

    rows: Reals
    limits: Reals

    def hold(self, counts: Reals) -> bool:
        return bool((self.rows @ counts <= self.limits + STRICT / 10).all())


@dataclass(order=True)
class _Beginning:
    """The first looks of the technique, and what they cost at least."""

    cost: int
    unfinished: bool
    """Complete paths come first among those of the same cost."""
    age: int
    order: Ordered = field(compare=False)
    removed: tuple[int, int] = field(compare=False)
    """How many of the lowest and of the highest are gone."""
    constraints: tuple[_Rows, ...] = field(compare=False)
    relaxed: Reals = field(compare=False)
    """Counts that attain the bound, not all of them integers."""


class Ordered:
    """Places in the ascending order that their new values shall have."""

    def __init__(self, task: Reshaping, places: Iterable[int]) -> None:
        self.task = task
        self.places = np.fromiter(places, dtype=np.int64)
        size = self.places.size
        # in a row: how the counts make up one value of the signal, then a constant
        self.values = np.zeros((size, size + 1))
        self.values[np.arange(size), self.places] = 1.0 / task.weights[self.places]
        if task.subordinate is not None:
            self.values[:, -1] = -task.subordinate[self.places]
        self.unit = float((1.0 / task.weights).min())
        # values, and twice what lies in the middle of two, differ by whole people or not at all
        self.step = self.unit if task.sizes is None else STRICT * self.unit
        upper, lower = self.values[-(size // 2) :].sum(axis=0), self.values[: size // 2].sum(axis=0)
        self.floor = NORMAL_DISTANCES * (upper - lower) / size
        self.chain = _at_most(self.values[:-1] - self.values[1:], 0.0)

    def ways_on(self, removed: tuple[int, int]) -> Iterator[tuple[tuple[int, int] | None, _Rows]]:
        """Yield what the next look may do: None for stopping, or what is gone then; and when it does."""
        low, high = removed
        left = self.values[low : self.places.size - high]
        size = len(left)
        if size < FEWEST:
            yield None, _at_most(np.zeros((0, left.shape[1])), 0.0)
            return
        lower, centre, upper = (
            left[list(ranks(size))].mean(axis=0) for ranks in (lower_ranks, middle_ranks, upper_ranks)
        )
        above, below, between = left[-1] - centre, centre - left[0], upper - lower
        factor = tau(size, self.task.alpha)
        # the floor counts where the quartiles coincide (ERRATA 004-13); a quartile is a value or the middle of two
        apart = _at_most(-2 * between[None], -self.step)
        cases = (factor * between / NORMAL_QUARTILES, apart), (factor * self.floor, _at_most(between[None], 0.0))
        for threshold, case in cases:
            # between quartiles that coincide nothing is too far whatever the floor, if it equals them
            extra = () if case is apart else (case,)
            yield None, _joined(_at_most(np.stack((above - threshold, below - threshold)), 0.0), *extra)
            for way in ((0, 1), (1, 0)):
                rows = self._removal(removed, way, (above, below, threshold))
                if rows is not None:
                    yield (low + way[0], high + way[1]), _joined(rows, case)

    def _removal(
        self, removed: tuple[int, int], way: tuple[int, int], look: tuple[Reals, Reals, Reals]
    ) -> _Rows | None:
        """Return when the highest place (way 0, 1) or the lowest (way 1, 0) is removed; None if it is hidden."""
        low, high = removed[0], self.places.size - 1 - removed[1]
        above, below, threshold = look
        strict = STRICT * self.unit
        hidden = [rank for rank in range(low, high + 1) if self.places[rank] in self.task.hidden]
        if (high if way[1] else low) in hidden:
            return None
        # of two equally far the higher one goes
        if way[1]:
            too_far = _at_most(np.stack((threshold - above, below - above)), np.array([-strict, 0.0]))
            nearer = self.values[hidden[-1:]] - self.values[high]
        else:
            too_far = _at_most(np.stack((threshold - below, above - below)), np.array([-strict, -self.step]))
            nearer = self.values[low] - self.values[hidden[:1]]
        # a hidden place must not equal one that goes
        return _joined(too_far, _at_most(nearer, -self.step))

    def solved(self, constraints: tuple[_Rows, ...], *, integer: bool) -> tuple[float, Reals] | None:
        """Return the fewest people moved under constraints, and counts that attain it."""
        from scipy.optimize import Bounds, LinearConstraint, milp

        task, size = self.task, self.places.size
        together = _joined(self.chain, *constraints)
        # the variables are the counts, then by how much each grows
        none, one = np.zeros((len(together.rows), size)), np.eye(size)
        rows = np.concatenate((np.hstack((together.rows, none)), np.hstack((one, -one))))
        limits = np.concatenate((together.limits, task.counts.astype(np.float64)))
        people = np.concatenate((np.ones(size), np.zeros(size)))
        least, most = task.bounds
        found = milp(
            1.0 - people,
            constraints=[LinearConstraint(rows, -np.inf, limits), LinearConstraint(people, task.total, task.total)],
            bounds=Bounds(np.concatenate((least, np.zeros(size))), np.concatenate((most, np.full(size, np.inf)))),
            integrality=(people * integer).astype(np.int64),
            # presolving integer programs has lost solutions that lie on a constraint (HiGHS of scipy 1.17)
            options={"presolve": not integer},
        )
        if found.x is None:
            return None
        return float(found.fun), np.rint(found.x[:size]) if integer else found.x[:size]


def fewest_moved(orders: Iterable[Ordered], best: Counts | None, *, programs: int) -> tuple[Counts | None, bool]:
    """Search orders for the fewest people moved.

    Parameters
    ----------
    orders
        The orders to look at, all of the same task.
    best
        Counts that are already known to hide the places, if any.
    programs
        How many programs may be solved.

    Returns
    -------
    tuple
        The best counts known in the end, and whether the search looked at all that could be better.
    """
    search = _Search(best, programs)
    for order in orders:
        search.begin(order)
    return search.run()


class _Search:
    """The beginnings that are still to be looked at, the cheapest first."""

    def __init__(self, best: Counts | None, programs: int) -> None:
        self.best = best
        self.limit: float | None = None
        self.programs = programs
        self.queue: list[_Beginning] = []
        self.ages = itertools.count()

    def begin(self, order: Ordered) -> None:
        if self.limit is None:
            self.limit = math.inf if self.best is None else order.task.moved(self.best)
        self._add(order, (0, 0), (), None, unfinished=True)

    def run(self) -> tuple[Counts | None, bool]:
        while self.queue and self.limit is not None:
            node = heapq.heappop(self.queue)
            if node.cost >= self.limit:
                break
            if self.programs <= 0:
                return self.best, False
            if not node.unfinished:
                self._finish(node)
                continue
            for removed, rows in node.order.ways_on(node.removed):
                constraints = (*node.constraints, rows)
                relaxed = node.relaxed if rows.hold(node.relaxed) else None
                self._add(
                    node.order,
                    node.removed if removed is None else removed,
                    constraints,
                    None if relaxed is None else (node.cost, relaxed),
                    unfinished=removed is not None,
                )
        return self.best, True

    def _add(
        self,
        order: Ordered,
        removed: tuple[int, int],
        constraints: tuple[_Rows, ...],
        known: tuple[float, Reals] | None,
        *,
        unfinished: bool,
    ) -> None:
        """Take up a beginning unless it costs too much."""
        if known is None:
            self.programs -= 1
            known = order.solved(constraints, integer=False)
        if known is None or self.limit is None:
            return
        # people are whole
        cost = math.ceil(known[0] - 1e-5)
        if cost < self.limit:
            node = _Beginning(cost, unfinished, -next(self.ages), order, removed, constraints, known[1])
            heapq.heappush(self.queue, node)

    def _finish(self, node: _Beginning) -> None:
        """Solve a complete path in whole people."""
        task, order = node.order.task, node.order
        rounded = task.rounded(task.signal_of(node.relaxed))
        # often the bound is attained by rounding
        if task.moved(rounded) == node.cost and self._keep(task, rounded):
            return
        if order.places.size <= FEW_PLACES:
            self.programs -= 1
            found = order.solved(node.constraints, integer=True)
            if found is not None:
                self._keep(task, found[1].astype(np.int64))
            return
        for margin in MARGINS:
            self.programs -= 1
            tight = tuple(_Rows(part.rows, part.limits - margin * order.unit) for part in node.constraints)
            found = order.solved(tight, integer=False)
            if found is None or self._keep(task, task.rounded(task.signal_of(found[1]))):
                return

    def _keep(self, task: Reshaping, counts: Counts) -> bool:
        """Keep counts if they are better than the best known and the technique itself agrees."""
        if self.limit is None or task.moved(counts) >= self.limit or task.flagged(counts):
            return False
        self.best, self.limit = counts, task.moved(counts)
        return True


def _at_most(forms: Reals, limits: Reals | float) -> _Rows:
    """Return the constraints forms <= limits; a form's last number is its constant."""
    return _Rows(forms[:, :-1], limits - forms[:, -1])


def _joined(*parts: _Rows) -> _Rows:
    return _Rows(np.concatenate([part.rows for part in parts]), np.concatenate([part.limits for part in parts]))
