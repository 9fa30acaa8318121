"""The fewest people moved, by branch and bound over the values that decide what stands out.

A node is a removal path of the technique with bounds on its critical values. Its assignment
(:mod:`sfumato.groups.proof.rank_assignment`) is a lower bound on the people moved for all its signals, and proposes
some. The cheapest node is halved first; one whose critical values are all fixed is solved exactly, and if the technique
takes another path there, more steps are specified.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from sfumato.array_types import Counts
from sfumato.groups.proof.branch_and_bound import BranchAndBound
from sfumato.groups.proof.rank_assignment import CountBounds, RankAssignment
from sfumato.groups.proof.removal_paths import RankRange, RemovalPath, RemovalState, SignalLimits
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import FEWEST, NORMAL_DISTANCES, quartiles, tau
from sfumato.progress import Progress

FINEST = 1e-9
"""The largest rounding error of a value, as a share of the largest value."""
MOST_LEVELS = 1_000_000
"""More different values than this are merged."""
NODES_A_PROGRAM = 10
"""An exact assignment takes about as long as this many nodes."""
OPEN_NODES = 100
"""The number of nodes examined to see whether at least a number of places can be removed."""


@dataclass(order=True)
class _Node:
    """A removal path and bounds of its critical values, as indices of levels."""

    cost: float
    age: int
    path: RemovalPath = field(compare=False)
    box: Counts = field(compare=False)

    @property
    def is_point(self) -> bool:
        return bool((self.box[:, 0] == self.box[:, 1]).all())


class QuantileSearch(BranchAndBound[_Node]):
    """Search over removal paths and their critical values, the cheapest node first."""

    def __init__(self, task: Reshaping, best: Counts | None, *, nodes: int, progress: Progress) -> None:
        super().__init__(task, best, nodes=nodes, progress=progress)
        least, greatest = task.bounds
        farthest = self.limit - 1
        self.near, self.levels = _near(
            task, np.maximum(least, task.counts - farthest), np.minimum(greatest, task.counts + farthest)
        )
        self.limits = _limits(self.near, farthest)

    def _search(self) -> None:
        for path in self._paths():
            self._begin(path)
        while self.queue and self.seen < self.nodes and self.queue[0].cost < self.limit:
            node = heapq.heappop(self.queue)
            self.progress("reshaping", min(self.seen / self.nodes, 1.0))
            if node.is_point:
                self._finish(node)
            else:
                self._halve(node)

    def _paths(self) -> list[RemovalPath]:
        """Return all paths that can be better than the best solution so far."""
        size = self.task.counts.size
        n_others = size - len(self.task.hidden)
        most_low = next((low for low in range(1, n_others + 1) if not self._can_remove(low, 0)), n_others + 1)
        most_high = next((high for high in range(1, n_others + 1) if not self._can_remove(0, high)), n_others + 1)
        return [
            RemovalPath(size, low, high, RemovalState(low, high, coincide))
            for low in range(most_low)
            for high in range(min(most_high, n_others + 1 - low))
            for coincide in ((False, True) if size - low - high >= FEWEST else (False,))
        ]

    def _can_remove(self, low: int, high: int) -> bool:
        """Say whether at least these numbers of low and high places may be removed; False is proven."""
        if self.seen > self.nodes // 2:
            return True
        queue, self.queue = self.queue, []
        self._begin(RemovalPath(self.task.counts.size, low, high))
        until = self.seen + OPEN_NODES
        can = False
        while self.queue and self.queue[0].cost < self.limit and not can:
            node = heapq.heappop(self.queue)
            can = node.is_point or self.seen >= until
            self._halve(node)
        self.queue = queue
        return can

    def _begin(self, path: RemovalPath) -> None:
        limits = self.limits
        box = [self._levels(limits.least[max(ranks)], limits.greatest[min(ranks)]) for ranks in path.critical]
        self._add(path, np.array(box, dtype=np.int64).reshape(-1, 2))

    def _levels(self, least: float, greatest: float) -> tuple[int, int]:
        """Return the indices of the first and the last level between values."""
        slack = self.near.tolerance
        first = int(np.searchsorted(self.levels, least - slack, side="left"))
        return first, int(np.searchsorted(self.levels, greatest + slack, side="right")) - 1

    def _range(self, path: RemovalPath, box: Counts) -> RankRange | None:
        if (box[:, 0] > box[:, 1]).any():
            return None
        return path.range(self.levels[box[:, 0]], self.levels[box[:, 1]], self.limits)

    def _add(self, path: RemovalPath, box: Counts) -> None:
        """Add a node unless it costs too much, with its bounds as narrow as its ranks allow."""
        self.seen += 1
        between = self._range(path, box)
        if between is None:
            return
        narrow = [self._levels(between.least[max(ranks)], between.greatest[min(ranks)]) for ranks in path.critical]
        inner = np.array(narrow, dtype=np.int64).reshape(-1, 2)
        box = np.column_stack((np.maximum(box[:, 0], inner[:, 0]), np.minimum(box[:, 1], inner[:, 1])))
        if (box[:, 0] > box[:, 1]).any():
            return
        assignment, cost = RankAssignment(self.near, path, between), 0.0
        for bound, zones in assignment.cheapest():
            cost = max(cost, bound)
            if cost >= self.limit:
                return
            for counts in assignment.counts_of(zones):
                self._adopt(counts)
        if cost < self.limit:
            heapq.heappush(self.queue, _Node(cost, next(self.ages), path, box))

    def _halve(self, node: _Node) -> None:
        box = node.box
        widths = self.levels[box[:, 1]] - self.levels[box[:, 0]]
        if node.is_point:
            return
        widest = int(widths.argmax())
        middle = int(box[widest].sum()) // 2
        for half_range in ((box[widest, 0], middle), (middle + 1, box[widest, 1])):
            half = box.copy()
            half[widest] = half_range
            self._add(node.path, half)

    def _finish(self, node: _Node) -> None:
        """Solve a node whose critical values are fixed; if the technique leaves its path there, specify more steps."""
        path = node.path
        between = self._range(path, node.box)
        if between is None:
            return
        assignment = RankAssignment(self.near, path, between)
        low_half = self._low_half(path, between)
        self.seen += NODES_A_PROGRAM
        cost, zones = assignment.exact(low_half)
        if cost < self.limit:
            for counts in assignment.counts_of(zones, low_half):
                self._adopt(counts)
        if cost >= self.limit:
            return
        if path.is_complete:
            self.unresolved = min(self.unresolved, max(cost, node.cost))
            return
        box_by_rank = {rank: node.box[number] for rank, number in zip(*path.ranks, strict=True)}
        for extended in path.extended():
            box = []
            for ranks in extended.critical:
                first, last = self._levels(between.least[max(ranks)], between.greatest[min(ranks)])
                bounds = [box_by_rank[rank] for rank in ranks if rank in box_by_rank]
                box.append(
                    (max([first, *(bound[0] for bound in bounds)]), min([last, *(bound[1] for bound in bounds)]))
                )
            self._add(extended, np.array(box, dtype=np.int64).reshape(-1, 2))

    def _low_half(self, path: RemovalPath, between: RankRange) -> int | None:
        """Return the most people that the lower half can have, if the floor is the spread at the last test."""
        state, size = path.last, path.size
        if state is None or not state.coincide or self.task.sizes is not None:
            return None
        n_left, slack = size - state.low - state.high, self.near.tolerance
        centre = float(between.least[state.low + n_left // 2])
        far = max(float(between.least[size - state.high - 1]) - centre, centre - float(between.least[state.low]))
        distances = (far - 2 * slack) * size / (tau(n_left, self.task.alpha) * NORMAL_DISTANCES)
        middle = float(between.least[size // 2]) - slack if size % 2 else 0.0
        return math.floor((self.task.total - middle - distances) / 2 + slack)


def _near(task: Reshaping, least: Counts, greatest: Counts) -> tuple[CountBounds, np.typing.NDArray[np.float64]]:
    """Return the bounds of counts that matter, and all their values, ascending."""
    lowest, highest = task.signal_of(least), task.signal_of(greatest)
    largest = max(float(np.abs(lowest).max()), float(np.abs(highest).max()))
    # counts have as many levels as their range is wide
    if (highest.max() - lowest.min() if task.sizes is None else (greatest - least + 1).sum()) > MOST_LEVELS:
        levels = np.linspace(lowest.min(), highest.max(), MOST_LEVELS)
        return CountBounds(task, least, greatest, float(levels[1] - levels[0])), levels
    if task.sizes is None:
        return CountBounds(task, least, greatest, min(FINEST * largest, 0.01)), np.arange(
            lowest.min(), highest.max() + 1.0
        )
    pairs = zip(least.tolist(), greatest.tolist(), strict=True)
    shifts = np.zeros(least.size) if task.subordinate is None else task.subordinate
    values = np.concatenate(
        [
            np.arange(first, last + 1) / weight - shift
            for (first, last), weight, shift in zip(pairs, task.weights, shifts, strict=True)
        ]
    )
    # values that differ by less are one level
    finest = FINEST * largest
    return CountBounds(task, least, greatest, finest), np.unique(np.rint(values / finest * 100)) * finest / 100


def _limits(near: CountBounds, farthest: int) -> SignalLimits:
    """Return what holds for every signal with at most this many people moved."""
    task = near.task
    values = task.values
    distances = float(np.abs(values - quartiles(np.sort(values))[1]).sum())
    return SignalLimits(
        alpha=task.alpha,
        least=np.sort(task.signal_of(near.least)),
        greatest=np.sort(task.signal_of(near.greatest)),
        total=float(task.total) if task.sizes is None else None,
        # everybody who leaves and everybody who comes changes one distance
        distances=distances + 2 * farthest / float(task.weights.min()),
        step=1.0 if task.sizes is None else 0.0,
        tolerance=near.tolerance,
    )
