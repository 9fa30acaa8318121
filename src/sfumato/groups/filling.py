"""Good starts: hidden places are moved to the middle as far as needed, and others take what they lose."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.errors import UnattainableError
from sfumato.groups.outliers import quartiles
from sfumato.groups.rounding import halve, largest_remainders
from sfumato.groups.task import Reshaping
from sfumato.kernels.algebra import dot

SHARES = (0.0, 0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9)
"""From which of the others on, in their order, places share what hidden ones lose."""
FEW = (1, 2, 3, 4)
"""So many of the largest others alone."""
GRID = 24
"""In how many steps from nothing to the middle hidden places are moved, before steps are halved."""
FINEST = 12
"""How often steps are halved."""
ENDS = 6
"""So many of the largest others may take from another place or give to it alone."""
ROUNDS = 40
"""How often all returns are tried."""


def filled(task: Reshaping) -> Counts | None:
    """Return counts that hide the places and move few people; None if none were found."""
    best: Counts | None = None
    for start in _starts(task):
        found = _least_pull(task, start, best)
        if found is not None and (best is None or task.moved(found) < task.moved(best)):
            best = found
    best = _one_move(task, best)
    return None if best is None else _given_back(task, best)


def _one_move(task: Reshaping, best: Counts | None) -> Counts | None:
    """Look for fewer people moved from one place to another, of the hidden ones, the ends and the middle."""
    ranked = task.others[np.argsort(task.values[task.others], kind="stable")]
    middle = ranked.size // 2
    places = {*task.hidden, *ranked[:3].tolist(), *ranked[-ENDS:].tolist(), *ranked[middle - 1 : middle + 2].tolist()}
    least, most = task.bounds
    for source, target in itertools.permutations(sorted(places), 2):
        room = int(min(task.counts[source] - least[source], most[target] - task.counts[target]))
        limit = room + 1 if best is None else min(room + 1, task.moved(best))
        part = 1
        while part < limit:
            counts = task.counts.copy()
            counts[source] -= part
            counts[target] += part
            if task.hides(counts):
                best = counts
                break
            part = part + 1 if part < ENDS else part * 2
    return best


def _starts(task: Reshaping) -> Iterator[int]:
    """Yield from which of the others on places take part."""
    size = task.others.size
    known = {min(int(share * size), size - 1) for share in SHARES} | {size - few for few in FEW if few <= size}
    return iter(sorted(known))


def _least_pull(task: Reshaping, start: int, best: Counts | None) -> Counts | None:
    """Move hidden places to the middle in steps, then by halving, until they do not stand out."""
    limit = np.inf if best is None else task.moved(best)
    before = 0.0
    for step in range(1, GRID + 1):
        counts = _pulled(task, step / GRID, start)
        if counts is None or task.moved(counts) >= 2 * limit + GRID:
            return None
        if task.hides(counts):
            break
        before = step / GRID
    else:
        return None
    found, after = counts, step / GRID
    for _ in range(FINEST):
        middle = (before + after) / 2
        counts = _pulled(task, middle, start)
        if counts is not None and task.hides(counts):
            found, after = counts, middle
        else:
            before = middle
    return found


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
    least, most = task.bounds
    kept = np.setdiff1d(np.arange(counts.size), takers)
    least, most = least.copy(), most.copy()
    least[kept] = most[kept] = counts[kept]
    return _rounded(task, signal, least, most)


def _levelled(task: Reshaping, takers: Counts, missing: int) -> Reals:
    """Raise the lowest takers to one level (or lower the highest) so that they have so many people more."""
    values, weights = task.values[takers], task.weights[takers]
    lowest, highest = (task.signal_of(bound)[takers] for bound in task.bounds)

    def at(level: float) -> Reals:
        moved = np.maximum(values, level) if missing > 0 else np.minimum(values, level)
        return np.clip(moved, lowest, highest)

    wanted = dot(weights, values) + missing
    return at(halve(lambda level: dot(weights, at(level)) < wanted, float(lowest.min()), float(highest.max()))[1])


def _rounded(task: Reshaping, signal: Reals, least: Counts, most: Counts) -> Counts | None:
    try:
        return largest_remainders(task.counts_of(signal), task.total, lower=least, upper=most)
    except UnattainableError:
        return None


def _given_back(task: Reshaping, counts: Counts) -> Counts:
    """Give people back from places that gained to places that lost as long as hidden ones stay unnoticed."""
    for _ in range(ROUNDS):
        gained, lost = np.flatnonzero(counts > task.counts), np.flatnonzero(counts < task.counts)
        better = None
        for source, target in ((source, target) for source in gained.tolist() for target in lost.tolist()):
            part = int(min(counts[source] - task.counts[source], task.counts[target] - counts[target]))
            while part > 0 and better is None:
                tried = counts.copy()
                tried[source] -= part
                tried[target] += part
                better = tried if task.hides(tried) else None
                part //= 2
            if better is not None:
                break
        if better is None:
            break
        counts = better
    return counts
