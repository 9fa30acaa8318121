"""The fewest people moved where outliers are judged by mean and deviation: branch and bound over the ends and the sum.

A hidden place stays if it is no farther from the mean of those that are left than tau deviations. Given their lowest
and highest value, their sum, and how many people are moved, the deviation is largest where the low ones give and the
high ones take: the lowest values, however many of them, add up to no less in any other counts, so that these majorize
all. That bounds the people moved from below.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.groups.bounding import Search
from sfumato.groups.outliers import FEWEST, ROUNDING, tau
from sfumato.groups.task import Reshaping
from sfumato.progress import Progress


@dataclass(order=True)
class _Node:
    """So many low and high places are gone; bounds of the lowest and highest value that are left, and of their sum."""

    cost: int
    age: int
    gone: tuple[int, int] = field(compare=False)
    box: Counts = field(compare=False)


class DeviationSearch(Search[_Node]):
    """The nodes that are still to be looked at, the cheapest first; of counts, not of shares."""

    def __init__(self, task: Reshaping, best: Counts | None, *, nodes: int, progress: Progress) -> None:
        super().__init__(task, best, nodes=nodes, progress=progress)
        self.least, self.most = task.bounds
        self.hidden = task.counts[list(task.hidden)]
        others = np.setdiff1d(np.arange(task.counts.size), task.hidden)
        self.others, self.room = task.counts[others], self.most[others]
        self.order = np.argsort(task.counts, kind="stable")
        self.is_other = ~np.isin(np.arange(task.counts.size), task.hidden)
        mean = task.total / task.counts.size
        # when the first low place goes, those that stay are nearer to the mean, which is not above that of all
        self.end = max(math.ceil(2 * mean - int(self.least.min())) - 1, -1)
        # and the first high place is as far from the mean, which is not below that of all
        self.start = math.ceil(2 * mean - int(task.counts.max()) - (self.limit - 1) - 1e-9)

    def _search(self) -> None:
        for low, high in self._courses():
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
            for part in ((node.box[widest, 0], middle), (middle + 1, node.box[widest, 1])):
                half = node.box.copy()
                half[widest] = part
                self._add(node.gone, half)

    def _courses(self) -> list[tuple[int, int]]:
        """Return how many low and high places may be gone in the end."""
        n_others = self.others.size
        most_low = n_others if self._going(self.end) < self.limit else 0
        most_high = next((high for high in range(1, n_others + 1) if self._apart(high) >= self.limit), n_others + 1)
        return [(low, high) for low in range(most_low + 1) for high in range(min(most_high, n_others + 1 - low))]

    def _going(self, highest: int) -> int:
        """Return how many people must leave hidden places so that none has more than the highest."""
        return int(np.maximum(self.hidden - highest, 0).sum())

    def _coming(self, lowest: Reals) -> float:
        """Return how many people must come so that as many other places have at least these counts, ascending."""
        able = np.sort(self.others[self.room >= lowest[0]]) if lowest.size else self.others[:0]
        if able.size < lowest.size:
            return math.inf
        return float(np.maximum(np.ceil(lowest - 1e-9) - able[able.size - lowest.size :], 0).sum())

    def _apart(self, high: int) -> float:
        """Return how many people are moved at least if so many others come above all hidden places."""
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
        left = task.counts.size - low - high
        first, top = int(self.least.min()), min(int(self.most.max()), int(task.counts.max()) + self.limit - 1)
        if low:
            top = min(top, self.end)
        if high:
            first = max(first, self.start)
        if left < FEWEST:
            # nothing is looked at; what is gone is apart from hidden places
            cost = max(self._apart(high) if high else 1, self._going(top))
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
        few, many = 0, self.limit - 1
        while few < many:
            middle = (few + many) // 2
            few, many = (few, middle) if self._holds(gone, narrow, middle) else (middle + 1, many)
        if gone == (0, 0):
            self._propose(narrow, few)
        if few < self.limit:
            heapq.heappush(self.queue, _Node(few, next(self.ages), gone, narrow))

    def _narrowed(self, gone: tuple[int, int], box: Counts) -> Counts | None:
        """Narrow the sum by what those that are gone have at least and at most, and the ends by the mean."""
        low, high = gone
        (first, last), (bottom, top), (fewest, most) = box.tolist()
        left = self.task.counts.size - low - high
        total = self.task.total
        if low or high:
            above = int(np.sort(self.others)[self.others.size - high :].sum()) + self.limit - 1 if high else 0
            fewest = max(fewest, total - above - low * last)
            most = min(most, total - math.ceil(self._beyond(gone, box).sum() - 1e-6))
        last, bottom = min(last, most // left), max(bottom, -(-fewest // left))
        if first > last or bottom > top or fewest > most:
            return None
        return np.array([(first, last), (bottom, top), (fewest, most)], dtype=np.int64)

    def _beyond(self, gone: tuple[int, int], box: Counts) -> Reals:
        """Return how high those are at least that go as high ones, ascending."""
        low, high = gone
        (_, _), (bottom, _), (fewest, most) = box.tolist()
        left = self.task.counts.size - low - high
        beyond = np.full(high, float(bottom))
        if low or not high:
            return beyond
        # the highest that stays is no farther than tau deviations, so that the squares add up to this at least
        squares = (left - 1) * (max(bottom - most / left, 0.0) / tau(left, self.task.alpha)) ** 2
        lowest_mean, highest_mean = fewest / left, most / left
        for number in range(high):
            # of one more, which is removed: d m / (m + 1) > tau sqrt((squares + d^2 m / (m + 1)) / m)
            factor = tau(left + 1, self.task.alpha)
            share = (left / (left + 1)) ** 2 - factor**2 / (left + 1)
            far = factor * math.sqrt(squares / left / share) if share > 0 else math.inf
            beyond[number:] = np.maximum(beyond[number:], lowest_mean + far)
            squares += max(far, float(beyond[number]) - highest_mean) ** 2 * left / (left + 1)
            lowest_mean += (float(beyond[number]) - lowest_mean) / (left + 1)
            # how high it is at most is not known
            highest_mean, left = math.inf, left + 1
        return beyond

    def _envelope(self, gone: tuple[int, int], box: Counts, moved: int) -> Reals | None:
        """Return the least that the lowest k values can add up to, for all k; None if so few moved do not suffice."""
        low, high = gone
        (lowest, _), (_, highest), (fewest, most) = box.tolist()
        counts, left = self.task.counts, self.task.counts.size - low - high
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
        ends = np.clip(self.least, lowest, None), np.clip(self.most, None, highest)
        ranks = np.arange(left + 1)
        goes_high = self.is_other & (self.most >= (beyond[0] if high else 0))
        lows = [_sums(_without(values, goes_high, high, largest=True))[: left + 1] for values in (ends[0], cut)]
        highs = [_sums(-_without(values, goes_high, high, largest=False))[: left + 1] for values in (ends[1], cut)]
        tops = np.minimum(-highs[0], np.minimum(-highs[1] + coming, ranks * highest))
        found = np.maximum(np.maximum(lows[0], lows[1] - going), fewest - tops[::-1])
        if found[0] > 0 or found[-1] > most:
            return None
        found[-1] = most
        envelope: Reals = found.astype(np.float64)
        return envelope

    def _holds(self, gone: tuple[int, int], box: Counts, moved: int) -> bool:
        """Say whether both ends can be near enough to the mean if so many people are moved."""
        found = self._envelope(gone, box, moved)
        if found is None:
            return False
        left = found.size - 1
        values = np.diff(found)
        (_, last), (bottom, top), (fewest, most) = box.tolist()
        squares = float((values**2).sum()) - fewest**2 / left
        reach = tau(left, self.task.alpha) * math.sqrt(max(squares, 0.0) / (left - 1))
        slack = 10 * ROUNDING * max(1, top) * left
        return bool(max(bottom - most / left, fewest / left - last) <= reach + slack)

    def _propose(self, box: Counts, moved: int) -> None:
        """Try the counts that attain the bound, in the order of the places."""
        found = self._envelope((0, 0), box, moved)
        if found is None:
            return
        counts = np.empty_like(self.task.counts)
        counts[self.order] = np.rint(np.diff(found)).astype(np.int64)
        within = bool(((self.least <= counts) & (counts <= self.most)).all()) and counts.sum() == self.task.total
        if within:
            self._keep(counts)


def _sums(values: Counts) -> Counts:
    """Return the sums of the lowest values, none to all."""
    return np.concatenate(([0], np.cumsum(np.sort(values))))


def _without(values: Counts, able: np.typing.NDArray[np.bool_], some: int, *, largest: bool) -> Counts:
    """Return values without so many of the largest or smallest that are able to go."""
    if not some:
        return values
    ranked = np.flatnonzero(able)[np.argsort(values[able], kind="stable")]
    return np.delete(values, ranked[-some:] if largest else ranked[:some])
