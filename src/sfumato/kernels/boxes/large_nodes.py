"""Splitting large nodes: they are judged by a sample of their records.

Which side a record falls on is always decided by its own values, and every limit is checked on all records.
"""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Counts, Flags, Reals
from sfumato.kernels.boxes.box_cost import SET, Space
from sfumato.kernels.boxes.box_limits import Limits
from sfumato.kernels.boxes.cut_search import (
    EVEN,
    NO,
    ONE,
    SAMPLE,
    TRIES,
    YES,
    ZERO,
    Work,
    arrange,
    cheapest,
    find_cuts,
    gather,
    may_part,
    sort_all,
)
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within

EVENED = 1 << 24
"""Cuts are not moved where that takes more steps than this."""


@compiled_inside
def _part_records(
    values: Reals, chosen: Flags, a_set: bool, records: Counts, first: int, last: int, above: float, spare: Counts
) -> int:
    """Put the left side's records first: below a value, or of the chosen categories; return where the others begin."""
    lefts, rights = first, 0
    for place in range(first, last):
        record = records[place]
        value = values[record]
        here = chosen[int(value)] if a_set else value < above
        records[lefts] = record
        spare[rights] = record
        lefts += here
        rights += not here
    for place in range(rights):
        records[lefts + place] = spare[place]
    return lefts


@compiled_within
def _evened(values: Reals, k: int, records: Counts, first: int, middle: int, last: int) -> int:
    """Move the cut of a node of few boxes down to a multiple of k records, unless it parts equal values there."""
    extra = (middle - first) % k
    kept = middle - first - extra
    if extra == 0 or kept == 0 or last - first > EVEN * k or extra * (middle - first) > EVENED:
        return middle
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


@compiled_within
def _forget_near(tried: Reals, found: int, cut: int, size: int) -> None:
    """Do not try cuts that are nearly the same as one that breaks a limit."""
    for other in range(found):
        alike = tried[other, 1] == tried[cut, 1] and tried[other, 2] == tried[cut, 2]
        if alike and abs(tried[other, 3] - tried[cut, 3]) <= size // 32:
            tried[other, 0] = np.inf


@compiled_within
def _cut_heap(space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int) -> int:
    """Cut off what differs from the value that a whole sample has; return as for a large node."""
    for attribute in range(space.kinds.size):
        values = space.places[attribute]
        common = values[records[first + (last - first) // 2]]
        if space.kinds[attribute] == SET:
            work.chosen[int(common)] = True
            middle = _part_records(values, work.chosen, YES, records, first, last, 0.0, work.records)
            work.chosen[int(common)] = False
            if may_part(limits, work.counts, records, first, middle, last):
                return middle
            continue
        next_up = np.inf
        for place in range(first, last):
            value = values[records[place]]
            if common < value < next_up:
                next_up = value
        for above in (common, next_up):
            middle = _part_records(values, work.chosen, NO, records, first, last, above, work.records)
            if may_part(limits, work.counts, records, first, middle, last):
                return middle
    return first


@compiled
def split(space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int) -> int:
    """Cut a node by a sample; return where its right side begins, or ``first`` if there is no cut."""
    step = (last - first + SAMPLE - 1) // SAMPLE
    size = gather(space.places, space.costs, records, first, last, step, work.places, work.costs, work.orders[-1])
    sort_all(space.kinds, work.places, work.orders, work.starts, work.spare, ZERO, size)
    found = find_cuts(space, work, ZERO, size, max(ONE, limits.k // step), NO)
    for _ in range(TRIES):
        cut = cheapest(work.tried, found)
        if cut < 0:
            break
        attribute, variant = int(work.tried[cut, 1]), int(work.tried[cut, 2])
        position = int(work.tried[cut, 3])
        a_set = space.kinds[attribute] == SET
        order, places, values = work.orders[attribute], work.places[attribute], space.places[attribute]
        if a_set:
            arrange(places, work.orders[-1], order, work.counts, work.spare, ZERO, size, variant == 1)
        if a_set:
            for place in range(position):
                work.chosen[int(places[order[place]])] = True
        above = places[order[position]]
        middle = _part_records(values, work.chosen, a_set, records, first, last, above, work.records)
        if a_set:
            for place in range(position):
                work.chosen[int(places[order[place]])] = False
        else:
            middle = _evened(values, limits.k, records, first, middle, last)
        if may_part(limits, work.counts, records, first, middle, last):
            return middle
        _forget_near(work.tried, found, cut, size)
    return _cut_heap(space, limits, work, records, first, last)
