"""The fewest people moved where the order of the new counts is known, by branch and bound over what is removed.

If any two places may swap their new counts, places that are not removed keep their order, hidden or not, and so do
those removed as low and as high ones: two that changed it could swap and be no farther from the old counts. So the
order is determined by how many other places are outside all the rest, below and above (those removed, and those equal
to one of them). In a known order median, quartiles and ends are linear, and so is every comparison of the technique: a
removal path is a linear program, and its last test alone gives a bound.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.groups.proof.branch_and_bound import BranchAndBound
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import (
    FEWEST,
    NORMAL_DISTANCES,
    NORMAL_QUARTILES,
    lower_ranks,
    middle_ranks,
    tau,
    upper_ranks,
)
from sfumato.progress import Progress

Row: TypeAlias = tuple[Reals, float]
"""Coefficients of the ordered counts and the limit of their weighted sum."""
NODES_A_PROGRAM = 10
"""A program takes about as long as this many nodes of the search without an order."""
INFEASIBLE = 2
"""The status that scipy's milp returns for a program without a solution."""
WHOLE = 1e-5
"""The tolerance by which the optimum of a program may be below an integer."""


def is_ordered(task: Reshaping, limit: int) -> bool:
    """Say whether any places may swap their new counts if fewer people than a limit are moved."""
    if task.fixed or task.sizes is not None:
        return False
    greatest = np.minimum(task.greatest, task.counts + limit)
    return bool((np.diff(greatest[np.lexsort((greatest, task.counts))]) >= 0).all())


@dataclass(frozen=True)
class _Solution:
    cost: float
    counts: Reals
    """The counts in ascending order."""
    critical: Flags
    """Which of them must be integers."""


@dataclass(order=True)
class _Node:
    """The last test of a removal path, and its first steps as far as they are specified."""

    cost: int
    unfinished: bool
    """Complete paths come first among those of the same cost."""
    age: int
    order: PlaceOrder = field(compare=False)
    last: tuple[int, int] = field(compare=False)
    """The number of low and high places removed in the end."""
    gone: tuple[int, int] = field(compare=False)
    """The number removed by the specified steps."""
    rows: list[Row] = field(compare=False)
    solution: _Solution = field(compare=False)


class PlaceOrder:
    """Places in the ascending order of their new counts, with numbers of others below and above all the rest."""

    def __init__(self, task: Reshaping, low: int, high: int) -> None:
        ranked = np.lexsort((task.greatest, task.counts))
        other_places = ranked[~np.isin(ranked, task.hidden)]
        below, above = other_places[:low], other_places[other_places.size - high :]
        inner = ranked[~np.isin(ranked, np.concatenate((below, above)))]
        self.task, self.low, self.high = task, low, high
        self.places = np.concatenate((below, inner, above))
        self.size = self.places.size
        self.unit = np.eye(self.size)
        self.counts = task.counts[self.places]
        self.least, self.greatest = (bound[self.places] for bound in task.bounds)

    def base(self, *, apart: float = 1.0, any_low: bool = False) -> list[Row]:
        """Return that places outside differ from the rest, and what the first removals need."""
        unit, size, low, high = self.unit, self.size, self.low, self.high
        rows: list[Row] = []
        if low:
            rows.append((unit[low - 1] - unit[low], -apart))
        if high:
            rows.append((unit[size - high - 1] - unit[size - high], -apart))
            # when the first high place is removed, it is at least as far from the median as the lowest remaining one
            rows.append((2 * unit[(size - 1) // 2] - unit[-1] - unit[low], 0.0))
        if low or any_low:
            # when the first low place is removed, it is farther from the median than the highest remaining one
            rows.append((unit[size - high - 1] + unit[0] - 2 * unit[size // 2], -1.0))
        return rows

    def _looks(self, low: int, high: int) -> Iterator[tuple[Reals, Reals, Reals, Row]]:
        """Yield the distances of the ends from the median, the threshold, and the case in which it applies."""
        remaining = self.unit[low : self.size - high]
        lower, centre, upper = (
            remaining[list(ranks(len(remaining)))].mean(axis=0) for ranks in (lower_ranks, middle_ranks, upper_ranks)
        )
        above, below, between = remaining[-1] - centre, centre - remaining[0], upper - lower
        factor, half = tau(len(remaining), self.task.alpha), self.size // 2
        yield above, below, factor * between / NORMAL_QUARTILES, (-2 * between, -1.0)
        # the floor applies where the quartiles coincide (ERRATA 004-13)
        floor = NORMAL_DISTANCES * (self.unit[-half:].sum(axis=0) - self.unit[:half].sum(axis=0)) / self.size
        yield above, below, factor * floor, (between, 0.0)

    def stops(self, low: int, high: int) -> Iterator[list[Row]]:
        """Yield when the technique stops after these removals; others outside equal the removed ones."""
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
        """Yield when the highest place, or the lowest, is removed next; that it is too far is not required strictly."""
        for above, below, threshold, case in self._looks(low, high):
            # of two equally far places the higher one is removed
            if highest:
                yield [case, (threshold - above, 0.0), (below - above, 0.0)]
            else:
                yield [case, (threshold - below, 0.0), (above - below, -1.0)]

    def solved(self, rows: list[Row], *, integer: bool = False) -> _Solution | None:
        """Return the fewest people moved; None if no solution exists."""
        from scipy import sparse
        from scipy.optimize import Bounds, LinearConstraint, milp

        size = self.size
        coefficients = np.array([row for row, _ in rows]).reshape(-1, size)
        critical: Flags = (coefficients != 0).any(axis=0) & integer
        # the variables are the counts, then by how much each grows
        identity = sparse.eye_array(size, format="csr")
        ascending = sparse.csr_array(self.unit[:-1] - self.unit[1:])
        table = sparse.vstack((ascending, sparse.csr_array(coefficients)))
        matrix = sparse.block_array([[table, sparse.csr_array(table.shape)], [identity, -identity]], format="csc")
        limits = np.concatenate((np.zeros(size - 1), [limit for _, limit in rows], self.counts))
        people = np.concatenate((np.ones(size), np.zeros(size)))
        result = milp(
            1.0 - people,
            constraints=[
                LinearConstraint(matrix, -np.inf, limits),
                LinearConstraint(people, self.task.total, self.task.total),
            ],
            bounds=Bounds(
                np.concatenate((self.least, np.zeros(size))), np.concatenate((self.greatest, np.full(size, np.inf)))
            ),
            integrality=np.concatenate((critical, np.zeros(size))),
            # presolving integer programs has lost solutions that lie on a constraint (HiGHS of scipy 1.17)
            options={"presolve": not integer, "mip_rel_gap": 0.0},
        )
        if result.x is None:
            # a search that was given up is not infeasible
            return None if result.status == INFEASIBLE else _Solution(0.0, self.counts.astype(np.float64), critical)
        return _Solution(
            float(result.mip_dual_bound if integer else result.fun),
            result.x[:size],
            critical,
        )

    def whole(self, solution: _Solution) -> Counts | None:
        """Return integer counts with the critical counts of a solution that move as few people as these allow."""
        values, critical = np.rint(solution.counts).astype(np.int64), solution.critical
        low, high = np.where(critical, values, self.least), np.where(critical, values, self.greatest)
        least = np.maximum(self.least, np.maximum.accumulate(low))
        greatest = np.minimum(self.greatest, np.minimum.accumulate(high[::-1])[::-1])
        if (least > greatest).any():
            return None
        ordered = np.clip(self.counts, least, greatest)
        for rank in range(self.size):
            missing = self.task.total - int(ordered.sum())
            ordered[rank] = np.clip(ordered[rank] + missing, least[rank], greatest[rank])
        counts = np.empty_like(ordered)
        counts[self.places] = ordered
        return counts if counts.sum() == self.task.total else None


class OrderedSearch(BranchAndBound[_Node]):
    """Search over orders and removal paths, the cheapest first."""

    def __init__(self, task: Reshaping, best: Counts | None, *, nodes: int, progress: Progress) -> None:
        super().__init__(task, best, nodes=nodes, progress=progress)
        self.programs, self.solved = nodes // NODES_A_PROGRAM, 0

    def _search(self) -> None:
        for order in self._orders():
            self._begin(order)
        while self.queue and self.queue[0].cost < self.limit and self.solved < self.programs:
            node = heapq.heappop(self.queue)
            order = node.order
            proposal = np.empty(order.size)
            proposal[order.places] = node.solution.counts
            self._adopt(self.task.rounded(proposal))
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

    def _orders(self) -> Iterator[PlaceOrder]:
        """Yield all orders that can be better than the best solution so far."""
        other_places = self.task.counts.size - len(self.task.hidden)
        for high in range(other_places + 1):
            order = PlaceOrder(self.task, 0, high)
            # if these places need only not be below the rest, this bounds all orders with as many or more above
            cost = self._cost(order, order.base(apart=0.0))
            if cost >= self.limit:
                return
            if self.solved >= self.programs:
                self.unresolved = min(self.unresolved, cost)
                return
            yield order
            if self._cost(order, order.base(any_low=True)) >= self.limit:
                continue
            for low in range(1, other_places - high + 1):
                order = PlaceOrder(self.task, low, high)
                if self._cost(order, order.base(apart=0.0)) >= self.limit:
                    break
                if self.solved >= self.programs:
                    self.unresolved = min(self.unresolved, cost)
                    return
                yield order

    def _begin(self, order: PlaceOrder) -> None:
        base = order.base()
        if self._cost(order, base) >= self.limit:
            return
        for low in range(min(order.low, 1), order.low + 1):
            for high in range(min(order.high, 1), order.high + 1):
                for rows in order.stops(low, high):
                    self._add(order, (low, high), (0, 0), base + rows)

    def _cost(self, order: PlaceOrder, rows: list[Row]) -> float:
        solution = self._solved(order, rows)
        return math.inf if solution is None else math.ceil(solution.cost - WHOLE)

    def _solved(self, order: PlaceOrder, rows: list[Row], *, integer: bool = False) -> _Solution | None:
        self.solved += 1
        self.progress("reshaping", min(self.solved / max(self.programs, 1), 1.0))
        return order.solved(rows, integer=integer)

    def _add(self, order: PlaceOrder, last: tuple[int, int], gone: tuple[int, int], rows: list[Row]) -> None:
        """Add a node unless it costs too much."""
        solution = self._solved(order, rows)
        cost = math.inf if solution is None else math.ceil(solution.cost - WHOLE)
        if solution is not None and cost < self.limit:
            heapq.heappush(
                self.queue, _Node(int(cost), gone != last, next(self.ages), order, last, gone, rows, solution)
            )

    def _finish(self, node: _Node) -> None:
        """Solve a complete path in whole people."""
        solution = self._solved(node.order, node.rows, integer=True)
        if solution is None:
            return
        counts = node.order.whole(solution)
        if counts is not None:
            self._adopt(counts)
        # where the optimum is on the threshold, nothing is removed and the technique takes another path
        cost = max(math.ceil(solution.cost - WHOLE), node.cost)
        if cost < self.limit:
            self.unresolved = min(self.unresolved, cost)
