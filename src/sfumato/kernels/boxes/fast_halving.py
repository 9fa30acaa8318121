"""Halving: plain numbers cut in a hurry.

A node is cut in the attribute whose width costs most, where half of its cost lies on either side: XK13's optimum has
a_i Delta_i equal for all i, which this approaches, see ERRATA 001-15. It is done within the small leaves of a tree that
was grown from a sample, where a width costs all records about alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.kernels.boxes.box_cost import span_cost
from sfumato.kernels.boxes.cut_search import ONE
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within, interpreted_while_small
from sfumato.kernels.signatures import RealTable, SingleTable

RANKED = 128
"""Nodes of up to so many records are ranked whole."""
SAMPLE = 64
"""Larger ones are judged by a sample of so many."""
EVEN = 64
"""Nodes of up to so many boxes are cut at a multiple of k records."""
FEW = 4
"""Nodes of up to so many boxes are cut as well as can be, in the two attributes whose widths cost most."""


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
    most = (starts[last] - starts[first]) // k + last - first
    ends, found = np.empty(most, dtype=np.int64), 0
    los, his, totals = np.empty((attributes, most)), np.empty((attributes, most)), np.empty((attributes, most))
    room = 0
    for leaf in range(first, last):
        room = max(room, starts[leaf + 1] - starts[leaf])
    places, own = np.empty((attributes, room)), np.empty(room, dtype=np.int32)
    keys, ranks = np.empty(max(room, RANKED)), np.empty(RANKED, dtype=np.int64)
    here, spare, pieces = np.empty(room, dtype=np.bool_), np.empty_like(own), np.empty((3, FEW))
    lo, hi, scales = np.empty(attributes), np.empty(attributes), np.empty(attributes)
    lows, highs = np.empty(room + 2, dtype=np.int64), np.empty(room + 2, dtype=np.int64)
    for leaf in range(first, last):
        start = starts[leaf]
        _load(rows, weights, start, starts[leaf + 1], places, own, scales)
        for attribute in range(attributes):
            scales[attribute] *= usual[attribute]
        lows[0], highs[0] = 0, starts[leaf + 1] - start
        depth = 1 if starts[leaf + 1] > start else 0
        while depth:
            depth -= 1
            low, high = lows[depth], highs[depth]
            middle = low
            if high - low >= 2 * k:
                _find_ends(places, own, low, high, _step(low, high), lo, hi)
                attribute, second = costliest(lo, hi, scales)
                if attribute >= 0 and high - low > min(FEW * k, RANKED):
                    middle += _cut_half(places[attribute], own, low, high, k, keys, ranks, here, spare)
                elif attribute >= 0:
                    middle += _cut_best(
                        places, scales, own, low, high, k, attribute, second, keys, pieces, ranks, here, spare
                    )
            if low < middle < high:
                lows[depth], highs[depth] = middle, high
                lows[depth + 1], highs[depth + 1] = low, middle
                depth += 2
                continue
            _find_ends(places, own, low, high, ONE, lo, hi)
            ends[found] = start + high
            for attribute in range(attributes):
                los[attribute, found] = lo[attribute]
                his[attribute, found] = hi[attribute]
                totals[attribute, found] = 0.0
            for place in range(low, high):
                row = start + own[place]
                order[start + place] = records[row]
                for attribute in range(attributes):
                    totals[attribute, found] += weights[row, attribute] * usual[attribute]
            found += 1
    return ends[:found].copy(), los[:, :found].copy(), his[:, :found].copy(), totals[:, :found].copy()


@compiled_within
def _load(rows: Reals, weights: Any, first: int, last: int, places: Reals, own: Codes, scales: Reals) -> None:
    """Turn a leaf's rows (IN) into columns (OUT), put them in their first order (OUT), and sum up costs (OUT)."""
    attributes = places.shape[0]
    for attribute in range(attributes):
        scales[attribute] = 0.0
    for place in range(last - first):
        own[place] = place
        for attribute in range(attributes):
            places[attribute, place] = rows[first + place, attribute]
            scales[attribute] += weights[first + place, attribute]


@compiled_inside
def _find_ends(places: RealTable, order: Codes, low: int, high: int, step: int, lo: Reals, hi: Reals) -> None:
    """Find the ends (OUT) of every ``step``-th record of a node."""
    for attribute in range(lo.size):
        least, most = np.inf, -np.inf
        for place in range(low, high, step):
            value = places[attribute, order[place]]
            least = value if value < least else least
            most = value if value > most else most
        lo[attribute], hi[attribute] = least, most


@compiled_within
def _step(low: int, high: int) -> int:
    return 1 if high - low <= RANKED else (high - low + SAMPLE - 1) // SAMPLE


@compiled_inside
def costliest(lo: Reals, hi: Reals, weights: Reals) -> tuple[int, int]:
    """Return the two attributes whose widths cost most, -1 where there is none."""
    first, second, most, next_most = -1, -1, 0.0, 0.0
    for attribute in range(lo.size):
        cost = span_cost(weights[attribute], lo[attribute], hi[attribute])
        if cost > most:
            first, second, most, next_most = attribute, first, cost, most
        elif cost > next_most:
            second, next_most = attribute, cost
    return first, second


@compiled
def rank(keys: Reals, size: int, ranks: Counts) -> None:
    """Count for each key (IN) how many are smaller (OUT): quadratic, but many at a time."""
    for one in range(size):
        key = keys[one]
        smaller = np.int64(0)
        for other in range(size):
            smaller += np.int64(keys[other] < key)
        ranks[one] = smaller


@compiled_inside
def part_below(places: Reals, order: Codes, low: int, high: int, bound: float, here: Flags, spare: Codes) -> int:
    """Put the records below a bound first; return how many they are."""
    for place in range(low, high):
        here[place - low] = places[order[place]] < bound
    return _part(order, low, high, here, spare)


@compiled_inside
def _part(order: Codes, low: int, high: int, here: Flags, spare: Codes) -> int:
    """Put the records that are ``here`` (IN) first; return how many they are."""
    lefts, rights = low, 0
    for place in range(low, high):
        record = order[place]
        order[lefts] = record
        spare[rights] = record
        lefts += here[place - low]
        rights += not here[place - low]
    for place in range(rights):
        order[lefts + place] = spare[place]
    return lefts - low


@compiled_within
def _rounded(position: int, size: int, k: int) -> int:
    """Return the multiple of k that is nearest to a position and leaves both sides k records."""
    return max(k, min((position + k // 2) // k * k, (size - k) // k * k))


@compiled_within
def _kept(position: int, size: int, k: int) -> int:
    """Return a position, or 0 if one side is too small."""
    return position if k <= position <= size - k else 0


@compiled_within
def _cut_half(
    places: Reals,
    order: Codes,
    low: int,
    high: int,
    k: int,
    keys: Reals,
    ranks: Counts,
    here: Flags,
    spare: Codes,
) -> int:
    """Cut a node in halves, at a multiple of k if it has few boxes.

    Returns how many records fall on the left side, 0 if there is no such cut.
    """
    size = high - low
    if size <= RANKED or size <= EVEN * k:
        for place in range(size):
            keys[place] = places[order[low + place]]
        position = _rounded(size // 2, size, k)
        if size > RANKED:
            return _kept(part_below(places, order, low, high, _select(keys, size, position), here, spare), size, k)
        rank(keys, size, ranks)
        for place in range(size):
            here[place] = ranks[place] < position
        return _kept(_part(order, low, high, here, spare), size, k)
    step = _step(low, high)
    sampled = (size + step - 1) // step
    for member in range(sampled):
        keys[member] = places[order[low + member * step]]
    bound = _select(keys, sampled, sampled // 2)
    return _kept(part_below(places, order, low, high, bound, here, spare), size, k)


@compiled_inside
def _select(keys: Reals, size: int, rank: int) -> float:
    """Return the key that has ``rank`` smaller ones if all differ; ``keys`` (IN, OUT) are put in another order."""
    low, high = 0, size - 1
    while low < high:
        pivot = keys[(low + high) // 2]
        left, right = low, high
        while left <= right:
            while keys[left] < pivot:
                left += 1
            while keys[right] > pivot:
                right -= 1
            if left <= right:
                keys[left], keys[right] = keys[right], keys[left]
                left += 1
                right -= 1
        if rank <= right:
            high = right
        elif rank >= left:
            low = left
        else:
            break
    return keys[rank]


@compiled_within
def _cut_best(
    places: Reals,
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
    here: Flags,
    spare: Codes,
) -> int:
    """Make the best cut of a node of few boxes in one of two attributes; return as above."""
    size = high - low
    best, position = np.inf, 0
    for attribute in (first, second):
        if attribute < 0:
            continue
        for place in range(size):
            keys[place] = places[attribute, order[low + place]]
        rank(keys, size, ranks)
        for place in range(size):
            ranks[place] = min(ranks[place] // k, size // k - 1)
        _cost_pieces(places, scales, order, low, high, size // k, ranks, pieces)
        lefts = 0
        for piece in range(1, size // k):
            for place in range(size):
                lefts += ranks[place] == piece - 1
            if pieces[2, piece] < best and _kept(lefts, size, k):
                best, position = pieces[2, piece], lefts
                for place in range(size):
                    here[place] = ranks[place] < piece
    if position:
        _part(order, low, high, here, spare)
    return position


@compiled_within
def _cost_pieces(
    places: Reals, scales: Reals, order: Codes, low: int, high: int, count: int, which: Counts, pieces: Reals
) -> None:
    """Find what the two sides of a cut before each piece cost: the last row of ``pieces`` (OUT).

    ``which`` (IN) is the piece of each record; pieces are about equally large.
    """
    lo, hi, costs = pieces[0], pieces[1], pieces[2]
    for piece in range(count):
        costs[piece] = 0.0
    for attribute in range(places.shape[0]):
        for piece in range(count):
            lo[piece], hi[piece] = np.inf, -np.inf
        for place in range(low, high):
            value, piece = places[attribute, order[place]], which[place - low]
            lo[piece] = value if value < lo[piece] else lo[piece]
            hi[piece] = value if value > hi[piece] else hi[piece]
        least, most = np.inf, -np.inf
        for piece in range(count - 1):
            least = lo[piece] if lo[piece] < least else least
            most = hi[piece] if hi[piece] > most else most
            costs[piece + 1] += span_cost((piece + 1) * scales[attribute], least, most)
        least, most = np.inf, -np.inf
        for piece in range(count - 1, 0, -1):
            least = lo[piece] if lo[piece] < least else least
            most = hi[piece] if hi[piece] > most else most
            costs[piece] += span_cost((count - piece) * scales[attribute], least, most)
