"""Cutting small nodes into boxes: the best cut over all attributes and positions, again and again.

A box's cost is the sum over its records and attributes of cost times width; a cut is good if the boxes of its two
sides cost little.
"""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Counts
from sfumato.kernels.compiled import compiled, compiled_within
from sfumato.kernels.cuts import (
    ONE,
    QUICK_BOXES,
    TRIES,
    YES,
    ZERO,
    Work,
    arrange,
    cheapest,
    find_cuts,
    gather,
    may_part,
    middle_of,
    sort_all,
)
from sfumato.kernels.limits import Limits
from sfumato.kernels.space import SET, Space


@compiled_within
def _part(work: Work, row: int, low: int, high: int) -> None:
    """Put the left side's records first in an order, else keeping it."""
    orders, here, spare = work.orders, work.here, work.spare
    lefts, rights = low, 0
    for place in range(low, high):
        record = orders[row, place]
        orders[row, lefts] = record
        spare[rights] = record
        lefts += here[record]
        rights += not here[record]
    for place in range(rights):
        orders[row, lefts + place] = spare[place]


@compiled_within
def _cut_middle(space: Space, limits: Limits, work: Work, own: Counts, low: int, high: int) -> int:
    """Cut the attribute whose width costs most, where half of its cost lies on either side.

    XK13's optimum has a_i Delta_i equal for all i, which this approaches, see ERRATA 001-15. Returns how many
    records fall on the left side, 0 if there is no such cut.
    """
    places, orders, here = work.places, work.orders, work.here
    row = space.kinds.size
    attribute, above = middle_of(row, places, work.costs, orders[row], low, high, work)
    if attribute < 0:
        return 0
    lefts = 0
    for place in range(low, high):
        record = orders[row, place]
        here[record] = places[attribute, record] < above
        lefts += here[record]
    _part(work, row, low, high)
    # so many of the left side's largest are too many for a multiple of k
    extra = lefts % limits.k
    most = above
    for end in range(low + lefts - 1, low + lefts - 1 - extra, -1):
        largest, most = low, places[attribute, orders[row, low]]
        for place in range(low, end + 1):
            value = places[attribute, orders[row, place]]
            if value > most:
                largest, most = place, value
        orders[row, largest], orders[row, end] = orders[row, end], orders[row, largest]
    position = lefts - extra
    if position <= 0:
        return 0
    for place in range(low, low + position if extra else low):
        if places[attribute, orders[row, place]] >= most:
            # equal values would stand on both sides
            return 0
    if limits.rules.size:
        for place in range(low, high):
            work.records[place] = own[orders[row, place]]
    return position if may_part(limits, work, work.records, low, low + position, high) else 0


@compiled_within
def _cut_small(space: Space, limits: Limits, work: Work, own: Counts, low: int, high: int, quick: bool) -> int:
    """Make the best cut that keeps the limits; return how many records fall on its left side, 0 if there is none."""
    found = find_cuts(space, work, low, high, limits.k, YES, quick)
    for _ in range(TRIES):
        cut = cheapest(work, found)
        if cut < 0:
            return 0
        attribute, variant = int(work.tried[cut, 1]), int(work.tried[cut, 2])
        position = int(work.tried[cut, 3])
        if space.kinds[attribute] == SET:
            arrange(work, attribute, low, high, variant == 1)
        order = work.orders[attribute]
        if limits.rules.size:
            for place in range(low, high):
                work.records[place] = own[order[place]]
            if not may_part(limits, work, work.records, low, low + position, high):
                continue
        for place in range(low, high):
            work.here[order[place]] = place < low + position
        # sides that cannot be cut again need no order
        again = max(position, high - low - position) >= 2 * limits.k
        for row in range(space.kinds.size if again else 0):
            if row != attribute and space.kinds[row] != SET:
                _part(work, row, low, high)
        _part(work, space.kinds.size, low, high)
        return position
    return 0


@compiled
def _divide_small(
    space: Space,
    limits: Limits,
    work: Work,
    records: Counts,
    first: int,
    last: int,
    quick: bool,
    ends: Counts,
    boxes: int,
) -> int:
    """Cut a node that fits into ``work`` until no cut is left; return the number of boxes.

    ``records`` (IN, OUT) is put in the order of the boxes, whose ends are written to ``ends`` (OUT) from ``boxes``.
    """
    size = gather(space, work, records, first, last, ONE)
    own = records[first:last].copy()
    if not quick:
        sort_all(space, work, ZERO, size)
    stack = np.empty((size + 1, 3), dtype=np.int64)
    stack[0] = 0, size, 0 if quick else 1
    depth = 1
    while depth:
        depth -= 1
        low, high, is_sorted = stack[depth]
        position = 0
        if not is_sorted and high - low > QUICK_BOXES * limits.k:
            position = _cut_middle(space, limits, work, own, low, high)
        if position == 0 and high - low >= 2 * limits.k:
            if not is_sorted:
                sort_all(space, work, low, high)
                is_sorted = 1
            position = _cut_small(space, limits, work, own, low, high, quick)
        if position:
            stack[depth] = low + position, high, is_sorted
            stack[depth + 1] = low, low + position, is_sorted
            depth += 2
        else:
            for place in range(low, high):
                records[first + place] = own[work.orders[-1, place]]
            ends[boxes] = first + high
            boxes += 1
    return boxes


@compiled
def divide(space: Space, limits: Limits, work: Work, records: Counts, first: int, parts: Counts, quick: bool) -> Counts:
    """Cut parts of a node into boxes; return where each box ends in ``records`` (IN, OUT), which is put in their order.

    ``parts`` (IN) is where each part ends, the first beginning at ``first`` (IN), as :func:`split` left them.
    """
    ends = np.empty((parts[-1] - first) // limits.k + 1, dtype=np.int64)
    boxes = ZERO
    start = first
    for end in parts:
        if end - start <= work.spare.size:
            boxes = _divide_small(space, limits, work, records, start, end, quick, ends, boxes)
        else:
            ends[boxes] = end
            boxes += 1
        start = end
    return ends[:boxes].copy()
