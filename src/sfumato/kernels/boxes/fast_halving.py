"""Halving: a fast way to cut plain numbers.

A node is cut in the attribute whose width costs most, with half of its cost on either side: XK13's optimum has
a_i Delta_i equal for all i, which this approaches, see ERRATA 001-15. It is done within the small leaves of a tree that
was grown from a sample, where a width costs all records about alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.kernels.argument_types import RealTable, SingleTable
from sfumato.kernels.boxes.box_cost import span_cost
from sfumato.kernels.boxes.cut_search import ONE
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within, interpreted_while_small

RANKED = 128
"""Nodes of up to this number of records are ranked completely."""
SAMPLE = 64
"""Larger nodes are judged by a sample of this number of records."""
EVEN = 64
"""Nodes of up to this number of boxes are cut at a multiple of k records."""
FEW = 4
"""Nodes of up to this number of boxes get the best cut in the two attributes whose widths cost most."""


@interpreted_while_small
@compiled
def halve(
    rows: RealTable,
    weights: SingleTable,
    usual: Reals,
    records: Counts,
    starts: Counts,
    first: int,
    last: int,
    k: int,
    order: Counts,
) -> tuple[Counts, Reals, Reals, Reals]:
    """Cut the leaves from ``first`` to ``last`` into boxes.

    ``order`` (OUT) are the ``records`` (IN) in the order of the boxes. Returns where each box ends, its ends by
    attributes, and what a unit of its widths costs. A box of 2 k records or more could not be cut in this way.
    """
    attributes = rows.shape[1]
    max_boxes = (starts[last] - starts[first]) // k + last - first
    ends, n_boxes = np.empty(max_boxes, dtype=np.int64), 0
    los, his, totals = (
        np.empty((attributes, max_boxes)),
        np.empty((attributes, max_boxes)),
        np.empty((attributes, max_boxes)),
    )
    room = 0
    for leaf in range(first, last):
        room = max(room, starts[leaf + 1] - starts[leaf])
    points, members = np.empty((attributes, room)), np.empty(room, dtype=np.int32)
    keys, ranks = np.empty(max(room, RANKED)), np.empty(RANKED, dtype=np.int64)
    is_left, spare, pieces = np.empty(room, dtype=np.bool_), np.empty_like(members), np.empty((3, FEW))
    lo, hi, scales = np.empty(attributes), np.empty(attributes), np.empty(attributes)
    lows, highs = np.empty(room + 2, dtype=np.int64), np.empty(room + 2, dtype=np.int64)
    for leaf in range(first, last):
        start = starts[leaf]
        _load(rows, weights, start, starts[leaf + 1], points, members, scales)
        for attribute in range(attributes):
            scales[attribute] *= usual[attribute]
        lows[0], highs[0] = 0, starts[leaf + 1] - start
        depth = 1 if starts[leaf + 1] > start else 0
        while depth:
            depth -= 1
            low, high = lows[depth], highs[depth]
            middle = low
            if high - low >= 2 * k:
                _find_ends(points, members, low, high, _step(low, high), lo, hi)
                attribute, second = costliest(lo, hi, scales)
                if attribute >= 0 and high - low > min(FEW * k, RANKED):
                    middle += _cut_half(points[attribute], members, low, high, k, keys, ranks, is_left, spare)
                elif attribute >= 0:
                    middle += _cut_best(
                        points, scales, members, low, high, k, attribute, second, keys, pieces, ranks, is_left, spare
                    )
            if low < middle < high:
                lows[depth], highs[depth] = middle, high
                lows[depth + 1], highs[depth + 1] = low, middle
                depth += 2
                continue
            _find_ends(points, members, low, high, ONE, lo, hi)
            ends[n_boxes] = start + high
            for attribute in range(attributes):
                los[attribute, n_boxes] = lo[attribute]
                his[attribute, n_boxes] = hi[attribute]
                totals[attribute, n_boxes] = 0.0
            for position in range(low, high):
                row = start + members[position]
                order[start + position] = records[row]
                for attribute in range(attributes):
                    totals[attribute, n_boxes] += weights[row, attribute] * usual[attribute]
            n_boxes += 1
    return ends[:n_boxes].copy(), los[:, :n_boxes].copy(), his[:, :n_boxes].copy(), totals[:, :n_boxes].copy()


@compiled_within
def _load(rows: Reals, weights: Any, first: int, last: int, points: Reals, members: Codes, scales: Reals) -> None:
    """Turn a leaf's rows (IN) into columns (OUT), put them in their first order (OUT), and sum up costs (OUT)."""
    attributes = points.shape[0]
    for attribute in range(attributes):
        scales[attribute] = 0.0
    for position in range(last - first):
        members[position] = position
        for attribute in range(attributes):
            points[attribute, position] = rows[first + position, attribute]
            scales[attribute] += weights[first + position, attribute]


@compiled_inside
def _find_ends(points: RealTable, order: Codes, low: int, high: int, step: int, lo: Reals, hi: Reals) -> None:
    """Find the ends (OUT) of every ``step``-th record of a node."""
    for attribute in range(lo.size):
        lowest, highest = np.inf, -np.inf
        for position in range(low, high, step):
            value = points[attribute, order[position]]
            lowest = value if value < lowest else lowest
            highest = value if value > highest else highest
        lo[attribute], hi[attribute] = lowest, highest


@compiled_within
def _step(low: int, high: int) -> int:
    return 1 if high - low <= RANKED else (high - low + SAMPLE - 1) // SAMPLE


@compiled_inside
def costliest(lo: Reals, hi: Reals, weights: Reals) -> tuple[int, int]:
    """Return the two attributes whose widths cost most, -1 where there is none."""
    first, second, highest_cost, next_cost = -1, -1, 0.0, 0.0
    for attribute in range(lo.size):
        cost = span_cost(weights[attribute], lo[attribute], hi[attribute])
        if cost > highest_cost:
            first, second, highest_cost, next_cost = attribute, first, cost, highest_cost
        elif cost > next_cost:
            second, next_cost = attribute, cost
    return first, second


@compiled
def rank(keys: Reals, size: int, ranks: Counts) -> None:
    """Count the smaller keys (OUT) of each key (IN): quadratic, but many at a time."""
    for i in range(size):
        key = keys[i]
        smaller = np.int64(0)
        for j in range(size):
            smaller += np.int64(keys[j] < key)
        ranks[i] = smaller


@compiled_inside
def part_below(values: Reals, order: Codes, low: int, high: int, bound: float, is_left: Flags, spare: Codes) -> int:
    """Put the records below a bound first; return how many they are."""
    for position in range(low, high):
        is_left[position - low] = values[order[position]] < bound
    return _part(order, low, high, is_left, spare)


@compiled_inside
def _part(order: Codes, low: int, high: int, is_left: Flags, spare: Codes) -> int:
    """Put the records that fall on the left side (``is_left``, IN) first; return how many they are."""
    lefts, rights = low, 0
    for position in range(low, high):
        record = order[position]
        order[lefts] = record
        spare[rights] = record
        lefts += is_left[position - low]
        rights += not is_left[position - low]
    for position in range(rights):
        order[lefts + position] = spare[position]
    return lefts - low


@compiled_within
def _rounded(position: int, size: int, k: int) -> int:
    """Return the multiple of k that is nearest to a position and leaves both sides k records."""
    return max(k, min((position + k // 2) // k * k, (size - k) // k * k))


@compiled_within
def _if_allowed(position: int, size: int, k: int) -> int:
    """Return a position, or 0 if one side is too small."""
    return position if k <= position <= size - k else 0


@compiled_within
def _cut_half(
    values: Reals,
    order: Codes,
    low: int,
    high: int,
    k: int,
    keys: Reals,
    ranks: Counts,
    is_left: Flags,
    spare: Codes,
) -> int:
    """Cut a node in halves, at a multiple of k if it has few boxes.

    Returns the number of records on the left side, 0 without such a cut.
    """
    size = high - low
    if size <= RANKED or size <= EVEN * k:
        for index in range(size):
            keys[index] = values[order[low + index]]
        position = _rounded(size // 2, size, k)
        if size > RANKED:
            return _if_allowed(
                part_below(values, order, low, high, _select(keys, size, position), is_left, spare), size, k
            )
        rank(keys, size, ranks)
        for index in range(size):
            is_left[index] = ranks[index] < position
        return _if_allowed(_part(order, low, high, is_left, spare), size, k)
    step = _step(low, high)
    sampled = (size + step - 1) // step
    for member in range(sampled):
        keys[member] = values[order[low + member * step]]
    bound = _select(keys, sampled, sampled // 2)
    return _if_allowed(part_below(values, order, low, high, bound, is_left, spare), size, k)


@compiled_inside
def _select(keys: Reals, size: int, rank: int) -> float:
    """Return the key that has ``rank`` smaller ones if all differ; ``keys`` (IN, OUT) are put in another order."""
    low, high = 0, size - 1
    while low < high:
        pivot = keys[(low + high) // 2]
        lower, upper = low, high
        while lower <= upper:
            while keys[lower] < pivot:
                lower += 1
            while keys[upper] > pivot:
                upper -= 1
            if lower <= upper:
                keys[lower], keys[upper] = keys[upper], keys[lower]
                lower += 1
                upper -= 1
        if rank <= upper:
            high = upper
        elif rank >= lower:
            low = lower
        else:
            break
    return keys[rank]


@compiled_within
def _cut_best(
    points: Reals,
    scales: Reals,
    order: Codes,
    low: int,
    high: int,
    k: int,
    first: int,
    second: int,
    keys: Reals,
    pieces: Reals,
    ranks: Counts,
    is_left: Flags,
    spare: Codes,
) -> int:
    """Make the best cut of a node of few boxes in one of two attributes; return as above."""
    size = high - low
    best, position = np.inf, 0
    for attribute in (first, second):
        if attribute < 0:
            continue
        for index in range(size):
            keys[index] = points[attribute, order[low + index]]
        rank(keys, size, ranks)
        for index in range(size):
            ranks[index] = min(ranks[index] // k, size // k - 1)
        _cost_pieces(points, scales, order, low, high, size // k, ranks, pieces)
        lefts = 0
        for piece in range(1, size // k):
            for index in range(size):
                lefts += ranks[index] == piece - 1
            if pieces[2, piece] < best and _if_allowed(lefts, size, k):
                best, position = pieces[2, piece], lefts
                for index in range(size):
                    is_left[index] = ranks[index] < piece
    if position:
        _part(order, low, high, is_left, spare)
    return position


@compiled_within
def _cost_pieces(
    points: Reals, scales: Reals, order: Codes, low: int, high: int, count: int, piece_of: Counts, pieces: Reals
) -> None:
    """Find what the two sides of a cut before each piece cost: the last row of ``pieces`` (OUT).

    ``piece_of`` (IN) is the piece of each record; pieces are about equally large.
    """
    lo, hi, costs = pieces[0], pieces[1], pieces[2]
    for piece in range(count):
        costs[piece] = 0.0
    for attribute in range(points.shape[0]):
        for piece in range(count):
            lo[piece], hi[piece] = np.inf, -np.inf
        for position in range(low, high):
            value, piece = points[attribute, order[position]], piece_of[position - low]
            lo[piece] = value if value < lo[piece] else lo[piece]
            hi[piece] = value if value > hi[piece] else hi[piece]
        lowest, highest = np.inf, -np.inf
        for piece in range(count - 1):
            lowest = lo[piece] if lo[piece] < lowest else lowest
            highest = hi[piece] if hi[piece] > highest else highest
            costs[piece + 1] += span_cost((piece + 1) * scales[attribute], lowest, highest)
        lowest, highest = np.inf, -np.inf
        for piece in range(count - 1, 0, -1):
            lowest = lo[piece] if lo[piece] < lowest else lowest
            highest = hi[piece] if hi[piece] > highest else highest
            costs[piece] += span_cost((count - piece) * scales[attribute], lowest, highest)
