"""Splitting large nodes: they are judged by a sample of their records.

Which side a record falls on is always decided by its own values, and every limit is checked on all records.
"""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Counts
from sfumato.kernels.compiled import compiled
from sfumato.kernels.cuts import (
    EVEN,
    NO,
    ONE,
    SAMPLE,
    TRIES,
    ZERO,
    Work,
    arrange,
    cheapest,
    find_cuts,
    gather,
    may_part,
    sort_all,
)
from sfumato.kernels.limits import Limits
from sfumato.kernels.space import SET, Space


@compiled
def _part_records(
    space: Space, work: Work, records: Counts, first: int, last: int, attribute: int, above: float
) -> int:
    """Put the left side's records first: below a value, or of the chosen categories; return where the others begin."""
    values = space.places[attribute]
    a_set = space.kinds[attribute] == SET
    lefts, rights = first, 0
    for place in range(first, last):
        record = records[place]
        value = values[record]
        here = work.chosen[int(value)] if a_set else value < above
        records[lefts] = record
        work.records[rights] = record
        lefts += here
        rights += not here
    for place in range(rights):
        records[lefts + place] = work.records[place]
    return lefts


@compiled
def _evened(space: Space, limits: Limits, records: Counts, first: int, middle: int, last: int, attribute: int) -> int:
    """Move the cut of a node of few boxes down to a multiple of k records, unless it parts equal values there."""
    extra = (middle - first) % limits.k
    kept = middle - first - extra
    if extra == 0 or kept == 0 or last - first > EVEN * limits.k:
        return middle
    values = space.places[attribute]
    above = np.inf
    for end in range(middle - 1, middle - 1 - extra, -1):
        largest, above = first, values[records[first]]
        for place in range(first, end + 1):
            if values[records[place]] > above:
                largest, above = place, values[records[place]]
        records[largest], records[end] = records[end], records[largest]
    for place in range(first, first + kept):
        if values[records[place]] >= above:
            return middle
    return first + kept


@compiled
def _forget_near(work: Work, found: int, cut: int, size: int) -> None:
    """Do not try cuts that are nearly the same as one that breaks a limit."""
    for other in range(found):
        alike = work.tried[other, 1] == work.tried[cut, 1] and work.tried[other, 2] == work.tried[cut, 2]
        if alike and abs(work.tried[other, 3] - work.tried[cut, 3]) <= size // 32:
            work.tried[other, 0] = np.inf


@compiled
def _cut_heap(space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int) -> int:
    """Cut off what differs from the value that a whole sample has; return as for a large node."""
    for attribute in range(space.kinds.size):
        values = space.places[attribute]
        common = values[records[first + (last - first) // 2]]
        if space.kinds[attribute] == SET:
            work.chosen[int(common)] = True
            middle = _part_records(space, work, records, first, last, attribute, 0.0)
            work.chosen[int(common)] = False
            if may_part(limits, work, records, first, middle, last):
                return middle
            continue
        next_up = np.inf
        for place in range(first, last):
            value = values[records[place]]
            if common < value < next_up:
                next_up = value
        for above in (common, next_up):
            middle = _part_records(space, work, records, first, last, attribute, above)
            if may_part(limits, work, records, first, middle, last):
                return middle
    return first


@compiled
def _cut_large(space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int) -> int:
    """Cut a node by a sample; return where its right side begins, or ``first`` if there is no cut."""
    step = (last - first + SAMPLE - 1) // SAMPLE
    size = gather(space, work, records, first, last, step)
    sort_all(space, work, ZERO, size)
    found = find_cuts(space, work, ZERO, size, max(ONE, limits.k // step), NO)
    for _ in range(TRIES):
        cut = cheapest(work, found)
        if cut < 0:
            break
        attribute, variant = int(work.tried[cut, 1]), int(work.tried[cut, 2])
        position = int(work.tried[cut, 3])
        a_set = space.kinds[attribute] == SET
        if a_set:
            arrange(work, attribute, ZERO, size, variant == 1)
        order, places = work.orders[attribute], work.places[attribute]
        if a_set:
            for place in range(position):
                work.chosen[int(places[order[place]])] = True
        middle = _part_records(space, work, records, first, last, attribute, places[order[position]])
        if a_set:
            for place in range(position):
                work.chosen[int(places[order[place]])] = False
        else:
            middle = _evened(space, limits, records, first, middle, last, attribute)
        if may_part(limits, work, records, first, middle, last):
            return middle
        _forget_near(work, found, cut, size)
    return _cut_heap(space, limits, work, records, first, last)


@compiled
def split(space: Space, limits: Limits, work: Work, records: Counts, parts: Counts, most: int) -> Counts:
    """Cut parts until they have at most ``most`` records, or cannot be cut by a sample; return where the new ones end.

    ``parts`` (IN) is where each part ends in ``records`` (IN, OUT), which is put in the order of the new ones.
    """
    room = records.size // limits.k + parts.size + 1
    ends, found = np.empty(room, dtype=np.int64), 0
    stack = np.empty((room, 2), dtype=np.int64)
    start = ZERO
    for end in parts:
        stack[0] = start, end
        depth = 1
        while depth:
            depth -= 1
            low, high = stack[depth]
            middle = low
            if high - low > most:
                middle = _cut_large(space, limits, work, records, low, high)
            if middle > low:
                stack[depth] = middle, high
                stack[depth + 1] = low, middle
                depth += 2
            else:
                ends[found] = high
                found += 1
        start = end
    return ends[:found].copy()
