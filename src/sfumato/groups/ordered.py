"""The fewest people moved where the order of the new counts is known, by branch and bound over what is removed.

If any two places may exchange their new counts, places that are not removed keep their order, hidden or not, and so do
those removed as low and as high ones: two that changed it could exchange and be no farther from the old counts. So the
order is known once it is said how many other places lie outside of all the rest, below and above (those removed, and
those equal to one of them). In a known order median, quartiles and ends are linear, and so is every comparison of the
technique: a course of it is a linear program, of which the last look alone gives a bound.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from sfumato.arrays import Counts, Flags, Reals
from sfumato.groups.bounding import Search
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
from sfumato.progress import Progress

Row: TypeAlias = tuple[Reals, float]
"""Coefficients of the counts in their order, whose sum is at most a limit."""
NODES_A_PROGRAM = 10
"""A program takes about as long as so many nodes of the search without an order."""
INFEASIBLE = 2
"""What scipy's milp says of a program without a solution."""
WHOLE = 1e-5
"""By how much less than a whole number of people a program may tell."""


def is_ordered(task: Reshaping, limit: int) -> bool:
    """Say whether places may exchange their new counts if fewer people than a limit are moved."""
    if task.fixed or task.sizes is not None:
        return False
    most = np.minimum(task.most, task.counts + limit)
    return bool((np.diff(most[np.lexsort((most, task.counts))]) >= 0).all())


@dataclass(frozen=True)
class _Solution:
    cost: float
    counts: Reals
    """In their order."""
    critical: Flags
    """Which of them must be whole."""


@dataclass(order=True)
class _Node:
    """The last look of a course, and its first steps as far as they are told."""

    cost: int
    unfinished: bool
    """Complete courses come first among those of the same cost."""
    age: int
    order: Order = field(compare=False)
    last: tuple[int, int] = field(compare=False)
    """How many low and high places are gone in the end."""
    gone: tuple[int, int] = field(compare=False)
    """How many are after the steps that are told."""
    rows: list[Row] = field(compare=False)
    solution: _Solution = field(compare=False)


class Order:
    """Places in the ascending order of their new counts; so many others are below and above all the rest."""

    def __init__(self, task: Reshaping, low: int, high: int) -> None:
        ranked = np.lexsort((task.most, task.counts))
        others = ranked[~np.isin(ranked, task.hidden)]
        below, above = others[:low], others[others.size - high :]
        inner = ranked[~np.isin(ranked, np.concatenate((below, above)))]
        self.task, self.low, self.high = task, low, high
        self.places = np.concatenate((below, inner, above))
        self.size = self.places.size
        self.unit = np.eye(self.size)
        self.counts = task.counts[self.places]
        self.least, self.most = (bound[self.places] for bound in task.bounds)

    def base(self, *, apart: float = 1.0, any_low: bool = False) -> list[Row]:
        """Return that what is outside is apart from the rest, and what the first removals need."""
        unit, size, low, high = self.unit, self.size, self.low, self.high
        rows: list[Row] = []
        if low:
            rows.append((unit[low - 1] - unit[low], -apart))
        if high:
            rows.append((unit[size - high - 1] - unit[size - high], -apart))
            # when the first high place goes, it is as far from the median as the lowest that is left
            rows.append((2 * unit[(size - 1) // 2] - unit[-1] - unit[low], 0.0))
        if low or any_low:
            # when the first low place goes, it is farther from the median than the highest that is left
            rows.append((unit[size - high - 1] + unit[0] - 2 * unit[size // 2], -1.0))
        return rows

    def _looks(self, low: int, high: int) -> Iterator[tuple[Reals, Reals, Reals, Row]]:
        """Yield how far the ends are from the median, the threshold and when it is so."""
        left = self.unit[low : self.size - high]
        lower, centre, upper = (
            left[list(ranks(len(left)))].mean(axis=0) for ranks in (lower_ranks, middle_ranks, upper_ranks)
        )
        above, below, between = left[-1] - centre, centre - left[0], upper - lower
        factor, half = tau(len(left), self.task.alpha), self.size // 2
        yield above, below, factor * between / NORMAL_QUARTILES, (-2 * between, -1.0)
        # the floor counts where the quartiles coincide (ERRATA 004-13)
        floor = NORMAL_DISTANCES * (self.unit[-half:].sum(axis=0) - self.unit[:half].sum(axis=0)) / self.size
        yield above, below, factor * floor, (between, 0.0)

    def stops(self, low: int, high: int) -> Iterator[list[Row]]:
        """Yield when the technique finds nothing more after so many are gone; others outside equal those."""
        unit, size = self.unit, self.size
        ties: list[Row] = [(unit[self.low - 1] - unit[low - 1], 0.0)] if low else []
        if high:
            ties.append((unit[size - high] - unit[size - self.high], 0.0))
        if size - low - high < FEWEST:
            yield ties
            return
        for above, below, threshold, case in self._looks(low, high):
            yield [*ties, case, (above - threshold, 0.0), (below - threshold, 0.0)]

    def removes(self, low: int, high: int, *, highest: bool) -> Iterator[list[Row]]:
        """Yield when the highest place, or the lowest, goes next; that it is too far is not asked for strictly."""
        for above, below, threshold, case in self._looks(low, high):
            # of two equally far the higher one goes
            if highest:
                yield [case, (threshold - above, 0.0), (below - above, 0.0)]
            else:
                yield [case, (threshold - below, 0.0), (above - below, -1.0)]

    def solved(self, rows: list[Row], *, integer: bool = False) -> _Solution | None:
        """Return the fewest people moved; None if there is no solution."""
        from scipy import sparse
        from scipy.optimize import Bounds, LinearConstraint, milp

        size = self.size
        given = np.array([row for row, _ in rows]).reshape(-1, size)
        critical: Flags = (given != 0).any(axis=0) & integer
        # the variables are the counts, then by how much each grows
        one = sparse.eye_array(size, format="csr")
        ascending = sparse.csr_array(self.unit[:-1] - self.unit[1:])
        table = sparse.vstack((ascending, sparse.csr_array(given)))
        whole = sparse.block_array([[table, sparse.csr_array(table.shape)], [one, -one]], format="csc")
        limits = np.concatenate((np.zeros(size - 1), [limit for _, limit in rows], self.counts))
        people = np.concatenate((np.ones(size), np.zeros(size)))
        found = milp(
            1.0 - people,
            constraints=[
                LinearConstraint(whole, -np.inf, limits),
                LinearConstraint(people, self.task.total, self.task.total),
            ],
            bounds=Bounds(
                np.concatenate((self.least, np.zeros(size))), np.concatenate((self.most, np.full(size, np.inf)))
            ),
            integrality=np.concatenate((critical, np.zeros(size))),
            # presolving integer programs has lost solutions that lie on a constraint (HiGHS of scipy 1.17)
            options={"presolve": not integer, "mip_rel_gap": 0.0},
        )
        if found.x is None:
            # given up is not infeasible
            return None if found.status == INFEASIBLE else _Solution(0.0, self.counts.astype(np.float64), critical)
        return _Solution(float(found.mip_dual_bound if integer else found.fun), found.x[:size], critical)

    def whole(self, solution: _Solution) -> Counts | None:
        """Return integer counts with the critical ones of a solution that move as few people as these allow."""
        values, critical = np.rint(solution.counts).astype(np.int64), solution.critical
        low, high = np.where(critical, values, self.least), np.where(critical, values, self.most)
        least = np.maximum(self.least, np.maximum.accumulate(low))
        most = np.minimum(self.most, np.minimum.accumulate(high[::-1])[::-1])
        if (least > most).any():
            return None
        found = np.clip(self.counts, least, most)
        for rank in range(self.size):
            missing = self.task.total - int(found.sum())
            found[rank] = np.clip(found[rank] + missing, least[rank], most[rank])
        counts = np.empty_like(found)
        counts[self.places] = found
        return counts if counts.sum() == self.task.total else None


class OrderedSearch(Search[_Node]):
    """The courses that are still to be looked at, the cheapest first."""

    def __init__(self, task: Reshaping, best: Counts | None, *, nodes: int, progress: Progress) -> None:
        super().__init__(task, best, nodes=nodes, progress=progress)
        self.programs, self.solved = nodes // NODES_A_PROGRAM, 0

    def _search(self) -> None:
        for order in self._orders():
            self._begin(order)
        while self.queue and self.queue[0].cost < self.limit and self.solved < self.programs:
            node = heapq.heappop(self.queue)
            order = node.order
            found = np.empty(order.size)
            found[order.places] = node.solution.counts
            self._keep(self.task.rounded(found))
            if node.cost >= self.limit:
                continue
            if not node.unfinished:
                self._finish(node)
                continue
            (low, high), last = node.gone, node.last
            for way, gone in ((True, (low, high + 1)), (False, (low + 1, high))):
                if gone[0] <= last[0] and gone[1] <= last[1]:
                    for rows in order.removes(low, high, highest=way):
                        self._add(order, last, gone, node.rows + rows)

    def _orders(self) -> Iterator[Order]:
        """Yield all orders that can be better than the best known."""
        others = self.task.counts.size - len(self.task.hidden)
        for high in range(others + 1):
            order = Order(self.task, 0, high)
            # what is only not below the rest bounds all orders with as many or more above
            cost = self._cost(order, order.base(apart=0.0))
            if cost >= self.limit:
                return
            if self.solved >= self.programs:
                self.unresolved = min(self.unresolved, cost)
                return
            yield order
            if self._cost(order, order.base(any_low=True)) >= self.limit:
                continue
            for low in range(1, others - high + 1):
                order = Order(self.task, low, high)
                if self._cost(order, order.base(apart=0.0)) >= self.limit:
                    break
                if self.solved >= self.programs:
                    self.unresolved = min(self.unresolved, cost)
                    return
                yield order

    def _begin(self, order: Order) -> None:
        base = order.base()
        if self._cost(order, base) >= self.limit:
            return
        for low in range(min(order.low, 1), order.low + 1):
            for high in range(min(order.high, 1), order.high + 1):
                for rows in order.stops(low, high):
                    self._add(order, (low, high), (0, 0), base + rows)

    def _cost(self, order: Order, rows: list[Row]) -> float:
        solution = self._solved(order, rows)
        return math.inf if solution is None else math.ceil(solution.cost - WHOLE)

    def _solved(self, order: Order, rows: list[Row], *, integer: bool = False) -> _Solution | None:
        self.solved += 1
        self.progress("reshaping", min(self.solved / max(self.programs, 1), 1.0))
        return order.solved(rows, integer=integer)

    def _add(self, order: Order, last: tuple[int, int], gone: tuple[int, int], rows: list[Row]) -> None:
        """Take up a node unless it costs too much."""
        solution = self._solved(order, rows)
        cost = math.inf if solution is None else math.ceil(solution.cost - WHOLE)
        if solution is not None and cost < self.limit:
            heapq.heappush(
                self.queue, _Node(int(cost), gone != last, next(self.ages), order, last, gone, rows, solution)
            )

    def _finish(self, node: _Node) -> None:
        """Solve a complete course in whole people."""
        solution = self._solved(node.order, node.rows, integer=True)
        if solution is None:
            return
        counts = node.order.whole(solution)
        if counts is not None:
            self._keep(counts)
        # where strictly too far is not too far, the technique takes another course
        cost = max(math.ceil(solution.cost - WHOLE), node.cost)
        if cost < self.limit:
            self.unresolved = min(self.unresolved, cost)
