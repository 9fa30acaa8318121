"""Whether the records of a release are in a random order, as far as that can be measured.

A shuffled column is equally likely to be in any arrangement of its cells. So the number of arrangements that are at
least as regular, or a bound on it, divided by the number of all, bounds the probability of the order by chance. No
approximation is involved: of all releases that are shuffled, at most :data:`FALSE_ALARMS` are suspected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from sfumato.array_types import Codes, Counts
from sfumato.measures import Blocks, Compliance
from sfumato.microfile import Microfile

FALSE_ALARMS = 1e-9
"""The share of shuffled releases, at most, whose order is taken for an arranged one."""
TESTS = 5
"""Rising, falling, grouped by value, and the halves of the records in two directions."""


def arrangement(table: Microfile, compliance: Compliance | None) -> Iterator[str]:
    """Say by what the records of a release are arranged, if they are.

    Parameters
    ----------
    table
        The records in the order of the file.
    compliance
        Their blocks, if there are any.
    """
    columns: dict[str, Codes | Counts] = {repr(name): table.encoded(name).with_missing() for name in table.names}
    if compliance is not None:
        columns["their blocks"] = _ranks(compliance.safety.blocks)
    if patterns := arranged(columns):
        name, how = next(iter(patterns.items()))
        yield (
            f"records are not in a random order: by {name} they are {how}, which happens by chance in fewer than one "
            f"in {1 / FALSE_ALARMS:,.0f} releases"
        )


def _ranks(blocks: Blocks) -> Counts:
    """Return the rank of each record's block by its quasi values; block numbers may follow the order of the records."""
    ranks = np.empty(len(blocks), dtype=np.int64)
    ranks[np.lexsort(blocks.codes.T[::-1])] = np.arange(len(blocks))
    return ranks[blocks.numbers]


def arranged(columns: Mapping[str, Codes | Counts]) -> dict[str, str]:
    """Return the columns by which records are arranged, and how.

    Parameters
    ----------
    columns
        The codes of each column from 0 on, one per record; they follow the order of the values if there is one.

    Examples
    --------
    >>> arranged({"sorted": np.arange(100), "shuffled": np.arange(100) * 37 % 100})
    {'sorted': 'sorted, or made of few sorted pieces'}
    """
    limit = math.log(FALSE_ALARMS / (TESTS * max(len(columns), 1)))
    patterns = {}
    for name, codes in columns.items():
        chances = {how: likely for how, likely in _chances(np.asarray(codes, dtype=np.int64)) if likely < limit}
        if chances:
            patterns[name] = min(chances, key=lambda how: chances[how])
    return patterns


def _chances(codes: Counts) -> Iterator[tuple[str, float]]:
    """Bound the logarithm of the probability of each kind of order by chance."""
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    if counts.size < 2:
        return
    arrangements = math.lgamma(codes.size + 1) - _sum_of_logs(counts, lambda count: math.lgamma(count + 1))
    steps = np.diff(codes)
    for against in (int((steps < 0).sum()), int((steps > 0).sum())):
        yield "sorted, or made of few sorted pieces", _pieces(counts, against) - arrangements
    yield "grouped by value", _runs(codes.size, counts.size, int((steps != 0).sum())) - arrangements
    # two directions, of which the observed one is tested
    yield "different in the first and second half", math.log(2) + _halves(codes)


def _pieces(counts: Counts, against: int) -> float:
    """Bound the number of arrangements in which at most this number of steps go against the order, as a logarithm.

    Each consists of one more ascending pieces than that, and is given by how many cells of each value are in each.
    """
    return _sum_of_logs(counts, lambda count: _log_choose(count + against, against))


def _runs(records: int, values: int, changes: int) -> float:
    """Bound the number of arrangements with at most this number of changes from one cell to the next, as a logarithm.

    Each is given by where it changes, the first value, and which of the other values follows at each change.
    """
    if changes * values > (records - 1) * (values - 1):
        # more changes than if all values were equally frequent
        return math.inf
    # the number grows with the changes up to there, so that none of fewer ones is larger
    last = _log_choose(records - 1, changes) + math.log(values) + changes * math.log(values - 1)
    return math.log(changes + 1) + last


def _halves(codes: Counts) -> float:
    """Bound the probability of this number of high cells, or more, in one half of the records, as a logarithm."""
    size, half = codes.size, codes.size // 2
    # the cut that divides the cells most evenly depends on the frequencies of values, not on their positions
    below = np.cumsum(np.bincount(codes))[:-1]
    cut = int(np.abs(2 * below - size).argmin())
    high = codes > cut
    total, first = int(high.sum()), int(high[:half].sum())
    if first * size < total * half:
        first, half = total - first, size - half
    largest = min(total, half)
    if first < (total + 1) * (half + 1) // (size + 2) + 1:
        return 0.0
    # beyond its mode the hypergeometric distribution falls
    likely = _log_choose(half, first) + _log_choose(size - half, total - first) - _log_choose(size, total)
    return math.log(largest - first + 1) + likely


def _sum_of_logs(counts: Counts, log_of: Callable[[int], float]) -> float:
    """Sum a function of each count, computed once for equal ones."""
    distinct, times = np.unique(counts, return_counts=True)
    return math.fsum(often * log_of(count) for count, often in zip(distinct.tolist(), times.tolist(), strict=True))


def _log_choose(size: int, chosen: int) -> float:
    return math.lgamma(size + 1) - math.lgamma(chosen + 1) - math.lgamma(size - chosen + 1)
