"""Cutting small nodes into boxes: the best cut over all attributes and positions, repeated until none is left.

A box's cost is the sum over its records and attributes of cost times width; the best cut is the
one whose two sides cost least.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Counts, Flags
from sfumato.kernels.boxes.box_cost import SET, Space
from sfumato.kernels.boxes.cut_search import (
    ONE,
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
from sfumato.kernels.compiled import compiled, compiled_within


@compiled_within
def _part(order: Codes, is_left: Flags, spare: Codes, low: int, high: int) -> None:
    """Put the left side's records first in an order, which is kept otherwise."""
    lefts, rights = low, 0
    for position in range(low, high):
        record = order[position]
        order[lefts] = record
        spare[rights] = record
        lefts += is_left[record]
        rights += not is_left[record]
    for position in range(rights):
        order[lefts + position] = spare[position]


@compiled_within
def _cut_small(space: Space, limits: Limits, work: Work, node_records: Counts, low: int, high: int) -> int:
    """Make the best cut that keeps the limits; return the number of records on its left side, 0 without one."""
    n_cuts = find_cuts(space, work, low, high, limits.k, YES)
    for _ in range(TRIES):
        cut = cheapest(work.tried, n_cuts)
        if cut < 0:
            return 0
        attribute, variant = int(work.tried[cut, 1]), int(work.tried[cut, 2])
        position = int(work.tried[cut, 3])
        order = work.orders[attribute]
        if space.kinds[attribute] == SET:
            values, members = work.points[attribute], work.orders[-1]
            arrange(values, members, order, work.counts, work.spare, low, high, variant == 1)
        if limits.rules.size:
            for index in range(low, high):
                work.records[index] = node_records[order[index]]
            if not may_part(limits, work.counts, work.records, low, low + position, high):
                continue
        for index in range(low, high):
            work.is_left[order[index]] = index < low + position
        # sides that cannot be cut again need no order
        again = max(position, high - low - position) >= 2 * limits.k
        for row in range(space.kinds.size if again else 0):
            if row != attribute and space.kinds[row] != SET:
                _part(work.orders[row], work.is_left, work.spare, low, high)
        _part(work.orders[-1], work.is_left, work.spare, low, high)
        return position
    return 0


@compiled
def divide(
    space: Space,
    limits: Limits,
    work: Work,
    records: Counts,
    first: int,
    last: int,
    ends: Counts,
    boxes: int,
) -> int:
    """Cut a node that fits into ``work`` until no cut is left; return the number of boxes after that.

    ``records`` (IN, OUT) is put in the order of the boxes, whose ends are written to ``ends`` (OUT) from ``boxes``.
    """
    members = work.orders[-1]
    size = gather(space.points, space.costs, records, first, last, ONE, work.points, work.costs, members)
    node_records = records[first:last].copy()
    sort_all(space.kinds, work.points, work.orders, work.starts, work.spare, ZERO, size)
    stack = np.empty((size + 1, 2), dtype=np.int64)
    stack[0, 0], stack[0, 1] = 0, size
    depth = 1
    while depth:
        depth -= 1
        low, high = stack[depth, 0], stack[depth, 1]
        position = 0
        if high - low >= 2 * limits.k:
            position = _cut_small(space, limits, work, node_records, low, high)
        if position:
            stack[depth, 0], stack[depth, 1] = low + position, high
            stack[depth + 1, 0], stack[depth + 1, 1] = low, low + position
            depth += 2
        else:
            for index in range(low, high):
                records[first + index] = node_records[work.orders[-1, index]]
            ends[boxes] = first + high
            boxes += 1
    return boxes
