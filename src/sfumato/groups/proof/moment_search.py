"""The fewest people moved where outliers are judged by mean and deviation: branch and bound over the ends and the sum.

A hidden place stays if it is within tau deviations of the mean of the remaining places. Given their lowest and highest
value, their sum, and the number of people moved, the deviation is largest where the low places give and the high ones
take: the lowest values, however many of them, add up to no less in any other counts, so these majorize all. That gives
a lower bound of the people moved.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.groups.proof.branch_and_bound import BranchAndBound
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import FEWEST, ROUNDING, tau
from sfumato.progress import Progress


@dataclass(order=True)
class _Node:
    """Numbers of removed low and high places; bounds of the lowest and highest remaining value, and of their sum."""

    cost: int
    age: int
    gone: tuple[int, int] = field(compare=False)
    box: Counts = field(compare=False)


class MomentSearch(BranchAndBound[_Node]):
    """Search over ends and sums, the cheapest node first; for counts, not for shares."""

    def __init__(self, task: Reshaping, best: Counts | None, *, nodes: int, progress: Progress) -> None:
        super().__init__(task, best, nodes=nodes, progress=progress)
        self.least, self.greatest = task.bounds
        self.hidden = task.counts[list(task.hidden)]
        other_places = np.setdiff1d(np.arange(task.counts.size), task.hidden)
        self.others, self.room = task.counts[other_places], self.greatest[other_places]
        self.order = np.argsort(task.counts, kind="stable")
        self.is_other = ~np.isin(np.arange(task.counts.size), task.hidden)
        mean = task.total / task.counts.size
        # when the first low place is removed, the others are nearer to the mean, which is not above that of all
        self.end = max(math.ceil(2 * mean - int(self.least.min())) - 1, -1)
        # and the first removed high place is as far from the mean, which is not below that of all
        self.start = math.ceil(2 * mean - int(task.counts.max()) - (self.limit - 1) - 1e-9)

    def _search(self) -> None:
        for low, high in self._removals():
            self._begin(low, high)
        while self.queue and self.seen < self.nodes and self.queue[0].cost < self.limit:
            self.progress("reshaping", min(self.seen / self.nodes, 1.0))
            node = heapq.heappop(self.queue)
            widths = node.box[:, 1] - node.box[:, 0]
            widest = int(widths.argmax())
            if not widths[widest]:
                self.unresolved = min(self.unresolved, node.cost)
                continue
            middle = int(node.box[widest].sum()) // 2
            for half_range in ((node.box[widest, 0], middle), (middle + 1, node.box[widest, 1])):
                half = node.box.copy()
                half[widest] = half_range
                self._add(node.gone, half)

    def _removals(self) -> list[tuple[int, int]]:
        """Return the possible numbers of low and high places removed in the end."""
        n_others = self.others.size
        most_low = n_others if self._going(self.end) < self.limit else 0
        most_high = next(
            (high for high in range(1, n_others + 1) if self._separation_cost(high) >= self.limit), n_others + 1
        )
        return [(low, high) for low in range(most_low + 1) for high in range(min(most_high, n_others + 1 - low))]

    def _going(self, highest: int) -> int:
        """Return how many people must leave hidden places so that none exceeds the highest value."""
        return int(np.maximum(self.hidden - highest, 0).sum())

    def _coming(self, lowest: Reals) -> float:
        """Return how many people must come so that as many other places have at least these ascending counts."""
        able = np.sort(self.others[self.room >= lowest[0]]) if lowest.size else self.others[:0]
        if able.size < lowest.size:
            return math.inf
        return float(np.maximum(np.ceil(lowest - 1e-9) - able[able.size - lowest.size :], 0).sum())

    def _separation_cost(self, high: int) -> float:
        """Return a lower bound of people moved if this many others come above all hidden places."""
        first, last = 0, int(self.hidden.max())
        # the higher the hidden places may be, the fewer leave them and the more come to the others
        while first < last:
            middle = (first + last) // 2
            first, last = (
                (first, middle)
                if self._coming(np.full(high, middle + 1.0)) >= self._going(middle)
                else (middle + 1, last)
            )
        costs = [
            max(self._going(end), self._coming(np.full(high, end + 1.0))) for end in (first - 1, first) if end >= 0
        ]
        return min(costs)

    def _begin(self, low: int, high: int) -> None:
        task = self.task
        n_left = task.counts.size - low - high
        first, top = int(self.least.min()), min(int(self.greatest.max()), int(task.counts.max()) + self.limit - 1)
        if low:
            top = min(top, self.end)
        if high:
            first = max(first, self.start)
        if n_left < FEWEST:
            # nothing is tested; removed places differ from hidden ones
            cost = max(self._separation_cost(high) if high else 1, self._going(top))
            self.unresolved = min(self.unresolved, cost)
            return
        if first > top:
            return
        fewest = 0 if low or high else task.total
        box = [(first, top), (first, top), (fewest, task.total)]
        self._add((low, high), np.array(box, dtype=np.int64))

    def _add(self, gone: tuple[int, int], box: Counts) -> None:
        self.seen += 1
        narrow = self._narrowed(gone, box)
        if narrow is None or not self._holds(gone, narrow, self.limit - 1):
            return
        fewest_moved, most_moved = 0, self.limit - 1
        while fewest_moved < most_moved:
            middle = (fewest_moved + most_moved) // 2
            fewest_moved, most_moved = (
                (fewest_moved, middle) if self._holds(gone, narrow, middle) else (middle + 1, most_moved)
            )
        if gone == (0, 0):
            self._propose(narrow, fewest_moved)
        if fewest_moved < self.limit:
            heapq.heappush(self.queue, _Node(fewest_moved, next(self.ages), gone, narrow))

    def _narrowed(self, gone: tuple[int, int], box: Counts) -> Counts | None:
        """Narrow the sum by bounds of the removed places, and the ends by the mean."""
        low, high = gone
        (first, last), (bottom, top), (fewest, greatest) = box.tolist()
        n_left = self.task.counts.size - low - high
        total = self.task.total
        if low or high:
            above = int(np.sort(self.others)[self.others.size - high :].sum()) + self.limit - 1 if high else 0
            fewest = max(fewest, total - above - low * last)
            greatest = min(greatest, total - math.ceil(self._beyond(gone, box).sum() - 1e-6))
        last, bottom = min(last, greatest // n_left), max(bottom, -(-fewest // n_left))
        if first > last or bottom > top or fewest > greatest:
            return None
        return np.array([(first, last), (bottom, top), (fewest, greatest)], dtype=np.int64)

    def _beyond(self, gone: tuple[int, int], box: Counts) -> Reals:
        """Return lower bounds of the places removed as high ones, ascending."""
        low, high = gone
        (_, _), (bottom, _), (fewest, greatest) = box.tolist()
        n_left = self.task.counts.size - low - high
        beyond = np.full(high, float(bottom))
        if low or not high:
            return beyond
        # the highest remaining place is within tau deviations, so the sum of squares is at least this
        squares = (n_left - 1) * (max(bottom - greatest / n_left, 0.0) / tau(n_left, self.task.alpha)) ** 2
        lowest_mean, highest_mean = fewest / n_left, greatest / n_left
        for number in range(high):
            # for one more place, which is removed: d m / (m + 1) > tau sqrt((squares + d^2 m / (m + 1)) / m)
            factor = tau(n_left + 1, self.task.alpha)
            share = (n_left / (n_left + 1)) ** 2 - factor**2 / (n_left + 1)
            far = factor * math.sqrt(squares / n_left / share) if share > 0 else math.inf
            beyond[number:] = np.maximum(beyond[number:], lowest_mean + far)
            squares += max(far, float(beyond[number]) - highest_mean) ** 2 * n_left / (n_left + 1)
            lowest_mean += (float(beyond[number]) - lowest_mean) / (n_left + 1)
            # it has no upper bound
            highest_mean, n_left = math.inf, n_left + 1
        return beyond

    def _envelope(self, gone: tuple[int, int], box: Counts, moved: int) -> Reals | None:
        """Return the least sum of the lowest k values, for all k; None if this number of moves does not suffice."""
        low, high = gone
        (lowest, _), (_, highest), (fewest, greatest) = box.tolist()
        counts, n_left = self.task.counts, self.task.counts.size - low - high
        beyond = self._beyond(gone, box)
        coming, going = moved - self._coming(beyond), float(moved)
        if gone == (0, 0):
            going -= int(np.maximum(counts - highest, 0).sum())
            coming -= int(np.maximum(lowest - counts, 0).sum())
        else:
            going -= self._going(highest)
            coming -= int(np.maximum(lowest - self.hidden, 0).sum())
        if coming < 0 or going < 0:
            return None
        cut = np.clip(counts, lowest, highest)
        ends = np.clip(self.least, lowest, None), np.clip(self.greatest, None, highest)
        ranks = np.arange(n_left + 1)
        goes_high = self.is_other & (self.greatest >= (beyond[0] if high else 0))
        lows = [_sums(_without(values, goes_high, high, largest=True))[: n_left + 1] for values in (ends[0], cut)]
        highs = [_sums(-_without(values, goes_high, high, largest=False))[: n_left + 1] for values in (ends[1], cut)]
        tops = np.minimum(-highs[0], np.minimum(-highs[1] + coming, ranks * highest))
        envelope = np.maximum(np.maximum(lows[0], lows[1] - going), fewest - tops[::-1])
        if envelope[0] > 0 or envelope[-1] > greatest:
            return None
        envelope[-1] = greatest
        values: Reals = envelope.astype(np.float64)
        return values

    def _holds(self, gone: tuple[int, int], box: Counts, moved: int) -> bool:
        """Say whether both ends can be near enough to the mean if this many people are moved."""
        envelope = self._envelope(gone, box, moved)
        if envelope is None:
            return False
        n_left = envelope.size - 1
        values = np.diff(envelope)
        (_, last), (bottom, top), (fewest, greatest) = box.tolist()
        squares = float((values**2).sum()) - fewest**2 / n_left
        reach = tau(n_left, self.task.alpha) * math.sqrt(max(squares, 0.0) / (n_left - 1))
        slack = 10 * ROUNDING * max(1, top) * n_left
        return bool(max(bottom - greatest / n_left, fewest / n_left - last) <= reach + slack)

    def _propose(self, box: Counts, moved: int) -> None:
        """Try the counts that attain the bound, in the order of the places."""
        envelope = self._envelope((0, 0), box, moved)
        if envelope is None:
            return
        counts = np.empty_like(self.task.counts)
        counts[self.order] = np.rint(np.diff(envelope)).astype(np.int64)
        within = bool(((self.least <= counts) & (counts <= self.greatest)).all()) and counts.sum() == self.task.total
        if within:
            self._adopt(counts)


def _sums(values: Counts) -> Counts:
    """Return the sums of the lowest values, from none to all."""
    return np.concatenate(([0], np.cumsum(np.sort(values))))


def _without(values: Counts, able: np.typing.NDArray[np.bool_], n_removed: int, *, largest: bool) -> Counts:
    """Return values without a number of the largest or smallest that may be removed."""
    if not n_removed:
        return values
    ranked = np.flatnonzero(able)[np.argsort(values[able], kind="stable")]
    return np.delete(values, ranked[-n_removed:] if largest else ranked[:n_removed])
