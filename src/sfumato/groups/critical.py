"""The fewest people moved, by branch and bound over the values that decide what stands out.

A node is a course of the technique and bounds of its critical values. Its assignment (:mod:`sfumato.groups.placing`)
bounds the people moved of all signals in it from below, and proposes some. The cheapest node is halved first; one whose
critical values are all known is solved exactly, and if the technique takes another course there, its steps are told.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from sfumato.arrays import Counts
from sfumato.groups.bounding import Search
from sfumato.groups.courses import Course, Limits, Look, Range
from sfumato.groups.outliers import FEWEST, NORMAL_DISTANCES, quartiles, tau
from sfumato.groups.placing import Near, Placing
from sfumato.groups.task import Reshaping
from sfumato.progress import Progress

FINEST = 1e-9
"""What arithmetic may add to a value, as a share of the largest."""
MOST_LEVELS = 1_000_000
"""More different values than this are put together."""
NODES_A_PROGRAM = 10
"""An exact assignment takes about as long as so many nodes."""
OPEN_NODES = 100
"""How many nodes may be looked at to see whether at least so many places can be removed."""


@dataclass(order=True)
class _Node:
    """A course and bounds of its critical values, as numbers of levels."""

    cost: float
    age: int
    course: Course = field(compare=False)
    box: Counts = field(compare=False)

    @property
    def is_point(self) -> bool:
        return bool((self.box[:, 0] == self.box[:, 1]).all())


class CriticalSearch(Search[_Node]):
    """The nodes that are still to be looked at, the cheapest first."""

    def __init__(self, task: Reshaping, best: Counts | None, *, nodes: int, progress: Progress) -> None:
        super().__init__(task, best, nodes=nodes, progress=progress)
        least, most = task.bounds
        farthest = self.limit - 1
        self.near, self.levels = _near(
            task, np.maximum(least, task.counts - farthest), np.minimum(most, task.counts + farthest)
        )
        self.limits = _limits(self.near, farthest)

    def _search(self) -> None:
        for course in self._courses():
            self._begin(course)
        while self.queue and self.seen < self.nodes and self.queue[0].cost < self.limit:
            node = heapq.heappop(self.queue)
            self.progress("reshaping", min(self.seen / self.nodes, 1.0))
            if node.is_point:
                self._finish(node)
            else:
                self._halve(node)

    def _courses(self) -> list[Course]:
        """Return all courses that can be better than the best known."""
        size = self.task.counts.size
        others = size - len(self.task.hidden)
        most_low = next((low for low in range(1, others + 1) if not self._can_go(low, 0)), others + 1)
        most_high = next((high for high in range(1, others + 1) if not self._can_go(0, high)), others + 1)
        return [
            Course(size, low, high, Look(low, high, coincide))
            for low in range(most_low)
            for high in range(min(most_high, others + 1 - low))
            for coincide in ((False, True) if size - low - high >= FEWEST else (False,))
        ]

    def _can_go(self, low: int, high: int) -> bool:
        """Say whether at least so many places may be removed; False is proven."""
        if self.seen > self.nodes // 2:
            return True
        kept, self.queue = self.queue, []
        self._begin(Course(self.task.counts.size, low, high))
        until = self.seen + OPEN_NODES
        can = False
        while self.queue and self.queue[0].cost < self.limit and not can:
            node = heapq.heappop(self.queue)
            can = node.is_point or self.seen >= until
            self._halve(node)
        self.queue = kept
        return can

    def _begin(self, course: Course) -> None:
        limits = self.limits
        box = [self._levels(limits.least[max(ranks)], limits.most[min(ranks)]) for ranks in course.critical]
        self._add(course, np.array(box, dtype=np.int64).reshape(-1, 2))

    def _levels(self, least: float, most: float) -> tuple[int, int]:
        """Return the numbers of the first and the last level between values."""
        slack = self.near.tolerance
        first = int(np.searchsorted(self.levels, least - slack, side="left"))
        return first, int(np.searchsorted(self.levels, most + slack, side="right")) - 1

    def _range(self, course: Course, box: Counts) -> Range | None:
        if (box[:, 0] > box[:, 1]).any():
            return None
        return course.range(self.levels[box[:, 0]], self.levels[box[:, 1]], self.limits)

    def _add(self, course: Course, box: Counts) -> None:
        """Take up a node unless it costs too much, with its bounds as narrow as its ranks allow."""
        self.seen += 1
        between = self._range(course, box)
        if between is None:
            return
        narrow = [self._levels(between.least[max(ranks)], between.most[min(ranks)]) for ranks in course.critical]
        inner = np.array(narrow, dtype=np.int64).reshape(-1, 2)
        box = np.column_stack((np.maximum(box[:, 0], inner[:, 0]), np.minimum(box[:, 1], inner[:, 1])))
        if (box[:, 0] > box[:, 1]).any():
            return
        placing, cost = Placing(self.near, course, between), 0.0
        for bound, zones in placing.cheapest():
            cost = max(cost, bound)
            if cost >= self.limit:
                return
            for counts in placing.counts_of(zones):
                self._keep(counts)
        if cost < self.limit:
            heapq.heappush(self.queue, _Node(cost, next(self.ages), course, box))

    def _halve(self, node: _Node) -> None:
        box = node.box
        widths = self.levels[box[:, 1]] - self.levels[box[:, 0]]
        if node.is_point:
            return
        widest = int(widths.argmax())
        middle = int(box[widest].sum()) // 2
        for part in ((box[widest, 0], middle), (middle + 1, box[widest, 1])):
            half = box.copy()
            half[widest] = part
            self._add(node.course, half)

    def _finish(self, node: _Node) -> None:
        """Solve a node whose critical values are known; if the technique goes another way there, tell its steps."""
        course = node.course
        between = self._range(course, node.box)
        if between is None:
            return
        placing = Placing(self.near, course, between)
        low_half = self._low_half(course, between)
        self.seen += NODES_A_PROGRAM
        cost, zones = placing.exact(low_half)
        if cost < self.limit:
            for counts in placing.counts_of(zones, low_half):
                self._keep(counts)
        if cost >= self.limit:
            return
        if course.told:
            self.unresolved = min(self.unresolved, max(cost, node.cost))
            return
        known = {rank: node.box[number] for rank, number in zip(*course.ranks, strict=True)}
        for longer in course.longer():
            box = []
            for ranks in longer.critical:
                first, last = self._levels(between.least[max(ranks)], between.most[min(ranks)])
                bounds = [known[rank] for rank in ranks if rank in known]
                box.append((max([first, *(one[0] for one in bounds)]), min([last, *(one[1] for one in bounds)])))
            self._add(longer, np.array(box, dtype=np.int64).reshape(-1, 2))

    def _low_half(self, course: Course, between: Range) -> int | None:
        """Return how many people the lower half has at most, if the floor is the spread at the last look."""
        look, size = course.last, course.size
        if look is None or not look.coincide or self.task.sizes is not None:
            return None
        left, slack = size - look.low - look.high, self.near.tolerance
        centre = float(between.least[look.low + left // 2])
        far = max(float(between.least[size - look.high - 1]) - centre, centre - float(between.least[look.low]))
        distances = (far - 2 * slack) * size / (tau(left, self.task.alpha) * NORMAL_DISTANCES)
        middle = float(between.least[size // 2]) - slack if size % 2 else 0.0
        return math.floor((self.task.total - middle - distances) / 2 + slack)


def _near(task: Reshaping, least: Counts, most: Counts) -> tuple[Near, np.typing.NDArray[np.float64]]:
    """Return which counts matter, and all values that they make, ascending."""
    lowest, highest = task.signal_of(least), task.signal_of(most)
    largest = max(float(np.abs(lowest).max()), float(np.abs(highest).max()))
    # of counts, one apart, there are as many levels as the range is wide
    if (highest.max() - lowest.min() if task.sizes is None else (most - least + 1).sum()) > MOST_LEVELS:
        levels = np.linspace(lowest.min(), highest.max(), MOST_LEVELS)
        return Near(task, least, most, float(levels[1] - levels[0])), levels
    if task.sizes is None:
        return Near(task, least, most, min(FINEST * largest, 0.01)), np.arange(lowest.min(), highest.max() + 1.0)
    pairs = zip(least.tolist(), most.tolist(), strict=True)
    shifts = np.zeros(least.size) if task.subordinate is None else task.subordinate
    values = np.concatenate(
        [
            np.arange(first, last + 1) / weight - shift
            for (first, last), weight, shift in zip(pairs, task.weights, shifts, strict=True)
        ]
    )
    # what differs by less is one level
    finest = FINEST * largest
    return Near(task, least, most, finest), np.unique(np.rint(values / finest * 100)) * finest / 100


def _limits(near: Near, farthest: int) -> Limits:
    """Return what holds of every signal with at most so many people moved."""
    task = near.task
    values = task.values
    distances = float(np.abs(values - quartiles(np.sort(values))[1]).sum())
    return Limits(
        alpha=task.alpha,
        least=np.sort(task.signal_of(near.least)),
        most=np.sort(task.signal_of(near.most)),
        total=float(task.total) if task.sizes is None else None,
        # those who go and those who come each change one distance
        distances=distances + 2 * farthest / float(task.weights.min()),
        step=1.0 if task.sizes is None else 0.0,
        tolerance=near.tolerance,
    )
