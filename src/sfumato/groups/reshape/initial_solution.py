"""A good initial solution: hidden places move towards the middle as far as needed, others take what they lose."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.errors import UnattainableError
from sfumato.groups.integer_rounding import halve, largest_remainders
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import quartiles
from sfumato.kernels.algebra import dot

SHARES = (0.0, 0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9)
"""The rank, as a share of the other places, from which on places share what hidden ones lose."""
FEW = (1, 2, 3, 4)
"""Numbers of the largest other places that take it alone."""
GRID = 24
"""The number of steps in which hidden places are moved to the middle, before steps are halved."""
FINEST = 12
"""How often steps are halved."""
ENDS = 6
"""The number of the largest other places that may swap people with a single place."""
ROUNDS = 40
"""How often giving people back is tried."""
MOST_TRIES, FEWEST_TRIES, WORK = 8_000, 1_500, 800_000
"""The number of counts that are tested; with many places fewer, so that tests times places are this work, but no fewer
than the second number."""


def initial_counts(task: Reshaping) -> Counts | None:
    """Return counts that hide the places and move few people; None if none are found."""
    best: Counts | None = None
    tries = _Tries(task)
    for start in _starts(task):
        solution = _least_pull(tries, start, best)
        if solution is not None and (best is None or task.moved(solution) < task.moved(best)):
            best = solution
    best = _one_move(tries, best)
    return None if best is None else _given_back(tries, best)


class _Tries:
    """A task for which a limited number of counts is tested, so that the search ends after a number of steps."""

    def __init__(self, task: Reshaping) -> None:
        self.task, self.left = task, max(FEWEST_TRIES, min(MOST_TRIES, WORK // task.counts.size))

    def hides(self, counts: Counts) -> bool:
        """Say whether counts hide the places; False once too many were tested."""
        self.left -= 1
        return self.left >= 0 and self.task.hides(counts)


def _one_move(tries: _Tries, best: Counts | None) -> Counts | None:
    """Try moving fewer people from one place to another, among the hidden ones, the ends and the middle."""
    task = tries.task
    ranked = task.others[np.argsort(task.values[task.others], kind="stable")]
    middle = ranked.size // 2
    places = {*task.hidden, *ranked[:3].tolist(), *ranked[-ENDS:].tolist(), *ranked[middle - 1 : middle + 2].tolist()}
    least, greatest = task.bounds
    for source, target in itertools.permutations(sorted(places), 2):
        room = int(min(task.counts[source] - least[source], greatest[target] - task.counts[target]))
        limit = room + 1 if best is None else min(room + 1, task.moved(best))
        n_people = 1
        while n_people < limit and tries.left > 0:
            counts = task.counts.copy()
            counts[source] -= n_people
            counts[target] += n_people
            if tries.hides(counts):
                best = counts
                break
            n_people = n_people + 1 if n_people < ENDS else n_people * 2
    return best


def _starts(task: Reshaping) -> Iterator[int]:
    """Yield the ranks of the other places from which on they take part."""
    size = task.others.size
    starts = {min(int(share * size), size - 1) for share in SHARES} | {
        size - n_largest for n_largest in FEW if n_largest <= size
    }
    return iter(sorted(starts))


def _least_pull(tries: _Tries, start: int, best: Counts | None) -> Counts | None:
    """Move hidden places to the middle in steps, then by halving, until they do not stand out."""
    task = tries.task
    limit = np.inf if best is None else task.moved(best)
    before = 0.0
    for step in range(1, GRID + 1):
        counts = _pulled(task, step / GRID, start)
        if counts is None or task.moved(counts) >= 2 * limit + GRID:
            return None
        if tries.hides(counts):
            break
        before = step / GRID
    else:
        return _evened(tries, start)
    solution, after = counts, step / GRID
    for _ in range(FINEST):
        middle = (before + after) / 2
        counts = _pulled(task, middle, start)
        if counts is not None and tries.hides(counts):
            solution, after = counts, middle
        else:
            before = middle
    return solution


def _evened(tries: _Tries, start: int) -> Counts | None:
    """Move hidden places just as far as others come towards them, where steps to the middle are too coarse."""
    task, hidden = tries.task, list(tries.task.hidden)
    before, after = 0.0, 1.0
    for _ in range(FINEST):
        middle = (before + after) / 2
        counts = _pulled(task, middle, start)
        if counts is None:
            return None
        if tries.hides(counts):
            return counts
        signal, changed = task.signal_of(counts), counts != task.counts
        changed[hidden] = False
        if not changed.any():
            return None
        theirs, rest = float(signal[hidden].mean()), float(signal[changed].mean())
        from_above = bool(task.high.mean() > 0.5)
        before, after = (middle, after) if (theirs > rest) == from_above else (before, middle)
    return None


def _pulled(task: Reshaping, pull: float, start: int) -> Counts | None:
    """Move hidden places by a share of the way to the median, and let others from a start on take the difference."""
    hidden, values = list(task.hidden), task.values
    median = quartiles(np.sort(np.delete(values, hidden)))[1]
    signal = values.copy()
    top = median + (1.0 - pull) * (values[hidden].max() - median)
    bottom = median - (1.0 - pull) * (median - values[hidden].min())
    ends = max(top, median), min(bottom, median)
    signal[hidden] = np.clip(values[hidden], ends[1], ends[0])
    counts = np.rint(task.counts_of(signal)).astype(np.int64)
    counts = np.clip(counts, *task.bounds)
    missing = task.total - int(counts.sum())
    if missing == 0:
        return counts
    signal = task.signal_of(counts)
    ranked = task.others[np.argsort(values[task.others], kind="stable")]
    takers = ranked[start:] if missing > 0 else ranked[: ranked.size - start]
    if takers.size == 0:
        return None
    signal[takers] = _levelled(task, takers, missing)
    least, greatest = task.bounds
    unchanged = np.setdiff1d(np.arange(counts.size), takers)
    least, greatest = least.copy(), greatest.copy()
    least[unchanged] = greatest[unchanged] = counts[unchanged]
    return _rounded(task, signal, least, greatest)


def _levelled(task: Reshaping, takers: Counts, missing: int) -> Reals:
    """Raise the lowest takers to one level (or lower the highest) so that together they gain the missing people."""
    values, weights = task.values[takers], task.weights[takers]
    lowest, highest = (task.signal_of(bound)[takers] for bound in task.bounds)

    def at(level: float) -> Reals:
        moved = np.maximum(values, level) if missing > 0 else np.minimum(values, level)
        return np.clip(moved, lowest, highest)

    target_total = dot(weights, values) + missing
    return at(halve(lambda level: dot(weights, at(level)) < target_total, float(lowest.min()), float(highest.max()))[1])


def _rounded(task: Reshaping, signal: Reals, least: Counts, greatest: Counts) -> Counts | None:
    try:
        return largest_remainders(task.counts_of(signal), task.total, lower=least, upper=greatest)
    except UnattainableError:
        return None


def _given_back(tries: _Tries, counts: Counts) -> Counts:
    """Give people back from places that gained to places that lost as long as hidden ones stay hidden."""
    task = tries.task
    for _ in range(ROUNDS):
        gained, lost = np.flatnonzero(counts > task.counts), np.flatnonzero(counts < task.counts)
        better = None
        for source, target in ((source, target) for source in gained.tolist() for target in lost.tolist()):
            n_people = int(min(counts[source] - task.counts[source], task.counts[target] - counts[target]))
            while n_people > 0 and better is None and tries.left > 0:
                tried = counts.copy()
                tried[source] -= n_people
                tried[target] += n_people
                better = tried if tries.hides(tried) else None
                n_people //= 2
            if better is not None or tries.left <= 0:
                break
        if better is None:
            break
        counts = better
    return counts
