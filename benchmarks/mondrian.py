"""Mondrian as its authors describe it: the yardstick for boxes, with nothing but k and the widths in mind."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray


def mondrian(values: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Return the number of each record's box, from 0.

    Strict: a box is cut at the median of the attribute that is widest in it, relative to the attribute's range in the
    whole data, or of the next widest, where a side would have fewer than k records. Records equal to the median stay
    together, on the side that makes the sides most even. It ends where no attribute of any box can be cut.

    Parameters
    ----------
    values
        Attributes by records, all finite.
    k
        The fewest records in a box; where there are fewer in all, they are one box.
    """
    return _boxes(np.ascontiguousarray(values, dtype=np.float64), k)


@numba.njit
def _boxes(values: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    attributes, records = values.shape
    ranges = np.empty(attributes)
    for attribute in range(attributes):
        ranges[attribute] = np.ptp(values[attribute]) if records else 0.0
    numbers = np.empty(records, dtype=np.int64)
    order = np.arange(records)
    spare = np.empty_like(order)
    # Boxes that wait to be cut share no records and have k each, so there are never more than this.
    waiting = np.empty((records // k + 1, 2), dtype=np.int64)
    waiting[0] = 0, records
    count, found = min(records, 1), 0
    while count:
        count -= 1
        start, end = waiting[count]
        members = order[start:end]
        widths = np.zeros(attributes)
        for attribute in range(attributes):
            if ranges[attribute] > 0.0:
                widths[attribute] = _range(values[attribute], members) / ranges[attribute]
        below = 0
        for attribute in np.argsort(-widths, kind="mergesort"):
            if widths[attribute] > 0.0 and len(members) >= 2 * k:
                below = _cut(values[attribute], members, k, spare[start:end])
            if below:
                break
        if below:
            waiting[count] = start, start + below
            waiting[count + 1] = start + below, end
            count += 2
        else:
            numbers[members] = found
            found += 1
    return numbers


@numba.njit
def _range(values: NDArray[np.float64], members: NDArray[np.int64]) -> float:
    lowest = highest = values[members[0]]
    for member in members:
        lowest = min(lowest, values[member])
        highest = max(highest, values[member])
    return highest - lowest


@numba.njit
def _cut(values: NDArray[np.float64], members: NDArray[np.int64], k: int, spare: NDArray[np.int64]) -> int:
    """Put the members below the cut first and return how many they are; 0 where a side would have fewer than k."""
    held = values[members]
    size = len(held)
    median = np.partition(held, size // 2)[size // 2]
    less = np.sum(held < median)
    not_more = np.sum(held <= median)
    # The median itself goes up, or down where that is more even.
    down = abs(2 * not_more - size) < abs(2 * less - size)
    below = not_more if down else less
    if min(below, size - below) < k:
        return 0
    first, second = 0, below
    for place in range(size):
        if held[place] < median or (down and held[place] == median):
            spare[first] = members[place]
            first += 1
        else:
            spare[second] = members[place]
            second += 1
    members[:] = spare
    return below
