"""Exact swaps against one pass over all pairs of records, and against taking pairs one by one."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from benchmarks.timing import Row, in_turns
from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.groups.swap.greedy_swaps import swap_greedily
from sfumato.groups.swap.optimal_swaps import swap_exactly
from sfumato.groups.swap.swap_cost import Influence
from sfumato.kernels.nearest_record_tree import Attributes
from sfumato.kernels.nearest_swaps import measure
from sfumato.threads import batches_of, side_by_side

PLACES, SHRINKING, GROWING = 50, 10, 16
BLOCK = 512
MOST = 2.5
MEMORY = {(1_000, 100_000): 1024.0, (5_000, 100_000): 4096.0, (5_000, 1_000_000): 4096.0}


class Problem(NamedTuple):
    """What is swapped."""

    influence: Influence
    places: Codes
    vital: Flags
    candidates: Flags
    delta: Counts


def problem(leaving: int, candidates: int, elsewhere: float = 0.5) -> Problem:
    """Make four ordinal and four other attributes of records, of which so many vital ones shall leave their places.

    A tenth more are there, and ``elsewhere`` times as many in other places, by way of which it may be cheaper.
    """
    rng = np.random.default_rng(0)
    there, others = leaving + leaving // 10, int(leaving * elsewhere)
    size = there + others + candidates
    places = rng.integers(0, PLACES, size).astype(np.int32)
    places[:there] = rng.integers(0, SHRINKING, there)
    places[there : there + others] = rng.integers(SHRINKING, PLACES, others)
    vital = np.arange(size) < there + others
    delta = np.zeros(PLACES, dtype=np.int64)
    delta[:SHRINKING] = -rng.multivariate_hypergeometric(np.bincount(places[:there]), leaving)
    growing = rng.choice(np.arange(SHRINKING, PLACES), GROWING, replace=False)
    delta[growing] = rng.multinomial(leaving, np.ones(GROWING) / GROWING)
    spans = ((16, 90), (0, 80), (1, 25))
    ordinal = np.stack([*(rng.integers(*span, size).astype(float) for span in spans), rng.lognormal(10, 1, size)])
    ordinal[3, rng.random(size) < 0.05] = np.nan
    nominal = np.stack([rng.integers(0, codes, size) for codes in (2, 5, 9, 20)]).astype(np.int32)
    influence = Influence(ordinal, np.ones(4), nominal, np.ones(4), np.zeros(size, dtype=np.int32))
    return Problem(influence, places, vital, ~vital, delta)


@njit(nogil=True)
def least_of_all(asking: Attributes, others: Attributes, first: int, last: int, least: Reals) -> None:
    """Write how near the nearest of all other records comes to ``least`` (OUT)."""
    distances, size = np.empty(BLOCK), others.codes.shape[1]
    for one in range(first, last):
        numbers, codes = asking.ordinal[:, one].copy(), asking.codes[:, one].copy()
        least[one] = np.inf
        for start in range(0, size, BLOCK):
            stop = min(start + BLOCK, size)
            measure(numbers, codes, others, start, stop, distances)
            least[one] = min(least[one], distances[: stop - start].min())


def one_pass(given: Problem) -> Reals:
    """Compare every vital record with every candidate, keeping nothing but the least."""

    def taken(flags: Flags) -> Attributes:
        records, influence = np.flatnonzero(flags), given.influence
        tables = influence.ordinal.take(records, axis=1), influence.nominal.take(records, axis=1)
        return Attributes(tables[0], influence.omegas, tables[1], influence.gammas)

    asking, others = taken(given.vital), taken(given.candidates)
    least = np.empty(asking.codes.shape[1])
    side_by_side(lambda batch: least_of_all(asking, others, *batch, least), batches_of(least.size))
    return least


def run() -> Iterator[Row]:
    yield from _speed()
    yield from _memory()
    yield from _greedy()


def _speed() -> Iterator[Row]:
    given = problem(1_000, 100_000)
    ours, theirs = in_turns(lambda: swap_exactly(*given), lambda: one_pass(given), rounds=5)
    swaps = swap_exactly(*given)
    print(f"    {swaps.leaving.size:,} swaps, no others cheaper by {swaps.gap:.2g} of {swaps.cost:.6g}")
    met = swaps.optimal and ours <= MOST * theirs
    yield Row("1,000 to leave, 100,000 candidates", ours, "one pass over all pairs", theirs, str(MOST), met)


def _memory() -> Iterator[Row]:
    for (leaving, candidates), limit in MEMORY.items():
        # a process of its own, for only the most memory that a process ever had is known
        command = [sys.executable, "-m", "benchmarks.groups", str(leaving), str(candidates)]
        told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        what = f"memory, {leaving:,} to leave, {candidates:,} candidates, {told['seconds']:.2f} s"
        yield Row(what, told["memory"], "limit", limit, "1", told["optimal"] and told["memory"] <= limit, unit=" MiB")


def _greedy() -> Iterator[Row]:
    for elsewhere, what in ((0.5, "with"), (0.0, "without")):
        given = problem(1_000, 100_000, elsewhere)
        ours, theirs = swap_exactly(*given).cost, swap_greedily(*given).cost
        yield Row(f"cost of swaps {what} ways by third places", ours, "greedy", theirs, "1", ours <= theirs, unit="")


def _peak_memory() -> float:
    """Return the most memory this process had, in MiB."""
    status = Path("/proc/self/status")
    if status.exists():
        # what getrusage tells is at least what the process had that started this one
        return float(status.read_text().split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Swap once, compiled code being there, and tell the time and memory it took."""
    swap_exactly(*problem(50, 2_000))
    given = problem(int(sys.argv[1]), int(sys.argv[2]))
    start = time.perf_counter()
    optimal = swap_exactly(*given).optimal
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "memory": _peak_memory(), "optimal": optimal}))


if __name__ == "__main__":
    main()
