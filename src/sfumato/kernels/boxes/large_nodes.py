"""Splitting large nodes: they are judged by a sample of their records.

Which side a record falls on is always decided by its own values, and every limit is checked on all records.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.kernels.boxes.box_cost import SET, Space
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
from sfumato.kernels.boxes.limit_check import Limits
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within

EVENED = 1 << 24
"""Cuts are not moved where that takes more steps than this."""


@compiled_inside
def _part_records(
    values: Reals, chosen: Flags, a_set: bool, records: Counts, first: int, last: int, above: float, spare: Counts
) -> int:
    """Put the left side's records first: below a value, or of the chosen categories; return where the others begin."""
    lefts, rights = first, 0
    for position in range(first, last):
        record = records[position]
        value = values[record]
        is_left = chosen[int(value)] if a_set else value < above
        records[lefts] = record
        spare[rights] = record
        lefts += is_left
        rights += not is_left
    for position in range(rights):
        records[lefts + position] = spare[position]
    return lefts


@compiled_within
def _evened(values: Reals, k: int, records: Counts, first: int, middle: int, last: int) -> int:
    """Move the cut of a node of few boxes down to a multiple of k records, unless equal values are there."""
    extra = (middle - first) % k
    n_left = middle - first - extra
    if extra == 0 or n_left == 0 or last - first > EVEN * k or extra * (middle - first) > EVENED:
        return middle
    above = np.inf
    for end in range(middle - 1, middle - 1 - extra, -1):
        largest, above = first, values[records[first]]
        for position in range(first, end + 1):
            if values[records[position]] > above:
                largest, above = position, values[records[position]]
        records[largest], records[end] = records[end], records[largest]
    for position in range(first, first + n_left):
        if values[records[position]] >= above:
            return middle
    return first + n_left


@compiled_within
def _forget_near(tried: Reals, n_cuts: int, cut: int, size: int) -> None:
    """Do not try cuts that are nearly the same as one that breaks a limit."""
    for candidate in range(n_cuts):
        alike = tried[candidate, 1] == tried[cut, 1] and tried[candidate, 2] == tried[cut, 2]
        if alike and abs(tried[candidate, 3] - tried[cut, 3]) <= size // 32:
            tried[candidate, 0] = np.inf


@compiled_within
def _cut_heap(space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int) -> int:
    """Separate the records that differ from the value that the whole sample has; return as :func:`split`."""
    for attribute in range(space.kinds.size):
        values = space.points[attribute]
        common = values[records[first + (last - first) // 2]]
        if space.kinds[attribute] == SET:
            work.chosen[int(common)] = True
            middle = _part_records(values, work.chosen, YES, records, first, last, 0.0, work.records)
            work.chosen[int(common)] = False
            if may_part(limits, work.counts, records, first, middle, last):
                return middle
            continue
        next_up = np.inf
        for position in range(first, last):
            value = values[records[position]]
            if common < value < next_up:
                next_up = value
        for above in (common, next_up):
            middle = _part_records(values, work.chosen, NO, records, first, last, above, work.records)
            if may_part(limits, work.counts, records, first, middle, last):
                return middle
    return first


@compiled
def split(space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int) -> int:
    """Cut a node by a sample; return where its right side begins, or ``first`` if it cannot be cut."""
    step = (last - first + SAMPLE - 1) // SAMPLE
    size = gather(space.points, space.costs, records, first, last, step, work.points, work.costs, work.orders[-1])
    sort_all(space.kinds, work.points, work.orders, work.starts, work.spare, ZERO, size)
    n_cuts = find_cuts(space, work, ZERO, size, max(ONE, limits.k // step), NO)
    for _ in range(TRIES):
        cut = cheapest(work.tried, n_cuts)
        if cut < 0:
            break
        attribute, variant = int(work.tried[cut, 1]), int(work.tried[cut, 2])
        position = int(work.tried[cut, 3])
        a_set = space.kinds[attribute] == SET
        order, sample_values, values = work.orders[attribute], work.points[attribute], space.points[attribute]
        if a_set:
            arrange(sample_values, work.orders[-1], order, work.counts, work.spare, ZERO, size, variant == 1)
        if a_set:
            for index in range(position):
                work.chosen[int(sample_values[order[index]])] = True
        above = sample_values[order[position]]
        middle = _part_records(values, work.chosen, a_set, records, first, last, above, work.records)
        if a_set:
            for index in range(position):
                work.chosen[int(sample_values[order[index]])] = False
        else:
            middle = _evened(values, limits.k, records, first, middle, last)
        if may_part(limits, work.counts, records, first, middle, last):
            return middle
        _forget_near(work.tried, n_cuts, cut, size)
    return _cut_heap(space, limits, work, records, first, last)
