"""The records nearest to others, prices taken into account, without a table of all pairs.

Costs are whole numbers here: the metric in small units, and one more for the exchange itself, so that of equally
expensive solutions the one with the fewest exchanges is chosen, and prices prove an optimum without a tolerance.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.kernels.argument_types import CountTable
from sfumato.kernels.compiled import compiled, compiled_ratios, compiled_within
from sfumato.kernels.nearest_record_tree import LEAF, MIXED, Attributes, Nest, squared_difference

CLOSED = -(2**62)
"""The price of a record that may not be chosen."""
UNREACHED = 2**62
"""More than any pair costs."""
DEPTH = 1024
"""Boxes that wait to be searched, about one per level of halving."""
CAUTION = 1.0 - 1e-14
"""Bounds are lowered by more than the sums of some thirty attributes can be off by rounding."""
SHUFFLE = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(33)


@compiled_within
def in_units(distance: float, scale: float) -> int:
    """Return what an exchange costs in small units."""
    return int(np.floor(distance * scale + 0.5)) + 1


@compiled_ratios
def measure(numbers: Reals, codes: Codes, attributes: Attributes, start: int, stop: int, distances: Reals) -> None:
    """Write the distances of a record from those from ``start`` up to ``stop`` to ``distances`` (OUT)."""
    count = stop - start
    for k in range(count):
        distances[k] = 0.0
    for attribute in range(numbers.size):
        number, omega = numbers[attribute], attributes.omegas[attribute]
        values = attributes.ordinal[attribute, start:stop]
        if np.isnan(number):
            for k in range(count):
                distances[k] += 0.0 if np.isnan(values[k]) else omega
        else:
            for k in range(count):
                value = values[k]
                size = abs(number) + abs(value)
                ratio = (number - value) / size if size > 0.0 else 0.0
                distances[k] += omega if np.isnan(value) else omega * (ratio * ratio)
    for attribute in range(codes.size):
        code, gamma = codes[attribute], attributes.gammas[attribute]
        other_codes = attributes.codes[attribute, start:stop]
        for k in range(count):
            distances[k] += gamma if other_codes[k] != code else 0.0


@compiled_within
def least_distance(numbers: Reals, codes: Codes, attributes: Attributes, boxes: Nest, box: int) -> float:
    """Return a lower bound on the distance of a box's records."""
    distance = 0.0
    for attribute in range(numbers.size):
        number, lo, hi = numbers[attribute], boxes.los[box, attribute], boxes.his[box, attribute]
        if np.isnan(number):
            distance += 0.0 if boxes.missing[box, attribute] else attributes.omegas[attribute]
        elif lo > hi:
            distance += attributes.omegas[attribute]
        elif number < lo:
            # the relative difference grows with the distance, on either side
            distance += attributes.omegas[attribute] * squared_difference(number, lo)
        elif number > hi:
            distance += attributes.omegas[attribute] * squared_difference(number, hi)
    for attribute in range(codes.size):
        common = boxes.codes[box, attribute]
        if common not in (MIXED, codes[attribute]):
            distance += attributes.gammas[attribute]
    return distance


@compiled
def nearest(
    asking: Attributes,
    attributes: Attributes,
    boxes: Nest,
    prices: Counts,
    highest: Counts,
    limits: Counts,
    scale: float,
    first: int,
    last: int,
    neighbours: CountTable,
    costs: CountTable,
) -> None:
    """Find the records of least reduced cost, cost minus price, for the asking ones from ``first`` up to ``last``.

    Parameters
    ----------
    asking
        (IN) the records for which others are searched.
    attributes, boxes
        (IN) the records that are searched, in the order of the nest.
    prices, highest
        (IN) the price of each of these, and the highest price in each box.
    limits
        (IN) only records with a reduced cost below this are listed.
    scale
        (IN) the number of small units in a cost of 1.
    neighbours, costs
        (OUT) asking records x ranks, the best first: positions in the order of the nest, -1 where there are no more,
        and their costs before the price.
    """
    waiting, bounds = np.empty(DEPTH, dtype=np.int64), np.empty(DEPTH, dtype=np.int64)
    distances, n_neighbours = np.empty(LEAF), neighbours.shape[1]
    reduced = np.empty(n_neighbours, dtype=np.int64)
    for record in range(first, last):
        numbers, codes = asking.ordinal[:, record].copy(), asking.codes[:, record].copy()
        neighbours[record, :] = -1
        reduced[:] = limits[record]
        waiting[0], bounds[0] = 0, CLOSED
        depth = 1
        while depth:
            depth -= 1
            if bounds[depth] >= reduced[n_neighbours - 1]:
                continue
            box = waiting[depth]
            half = boxes.halves[box]
            if half >= 0:
                depth = _look_into(
                    numbers, codes, attributes, boxes, highest, scale, half, record, depth, waiting, bounds
                )
                continue
            start, stop = boxes.starts[box], boxes.stops[box]
            measure(numbers, codes, attributes, start, stop, distances)
            _keep(distances, prices, scale, start, stop, record, reduced, neighbours[record], costs[record])


@compiled_within
def _look_into(
    numbers: Reals,
    codes: Codes,
    attributes: Attributes,
    boxes: Nest,
    highest: Counts,
    scale: float,
    half: int,
    record: int,
    depth: int,
    waiting: Counts,
    bounds: Counts,
) -> int:
    """Let both halves of a box wait (OUT), the better one to be searched first; return how many wait."""
    first = _bound(numbers, codes, attributes, boxes, highest, scale, half)
    second = _bound(numbers, codes, attributes, boxes, highest, scale, half + 1)
    # equal records should not all get the same neighbours
    mixed = ((np.uint64(record + 1) * SHUFFLE) ^ np.uint64(half)) * SHUFFLE
    swapped = (mixed >> FOLD) & np.uint64(1) == np.uint64(1) if first == second else first < second
    near, far = (half, half + 1) if swapped else (half + 1, half)
    waiting[depth], bounds[depth] = far, max(first, second)
    waiting[depth + 1], bounds[depth + 1] = near, min(first, second)
    return depth + 2


@compiled_within
def _bound(
    numbers: Reals, codes: Codes, attributes: Attributes, boxes: Nest, highest: Counts, scale: float, box: int
) -> int:
    """Return a lower bound on the reduced cost of a box's records, in small units."""
    distance = least_distance(numbers, codes, attributes, boxes, box)
    if distance == np.inf or highest[box] == CLOSED:
        return UNREACHED
    return in_units(distance * CAUTION, scale) - highest[box]


@compiled_within
def _keep(
    distances: Reals,
    prices: Counts,
    scale: float,
    start: int,
    stop: int,
    record: int,
    reduced: Counts,
    neighbours: Counts,
    costs: Counts,
) -> None:
    """Merge a leaf's records into the best ones so far (IN, OUT)."""
    count, last = stop - start, reduced.size - 1
    turn = np.int64((np.uint64(record) * SHUFFLE >> FOLD) % np.uint64(count))
    for step in range(count):
        k = step + turn if step + turn < count else step + turn - count
        if distances[k] == np.inf or prices[start + k] == CLOSED:
            continue
        cost = in_units(distances[k], scale)
        paid = cost - prices[start + k]
        if paid >= reduced[last]:
            continue
        rank = last
        while rank > 0 and reduced[rank - 1] > paid:
            reduced[rank], neighbours[rank], costs[rank] = reduced[rank - 1], neighbours[rank - 1], costs[rank - 1]
            rank -= 1
        reduced[rank], neighbours[rank], costs[rank] = paid, start + k, cost
