"""Growing a tree from a sample, and bringing together the records that fall to each of its leaves.

A node of the tree is cut as in halving, but every record's own cost counts.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.kernels.argument_types import RealTable, SingleTable
from sfumato.kernels.boxes.fast_halving import SAMPLE, costliest, part_below, rank
from sfumato.kernels.compiled import compiled, compiled_within, interpreted_while_small


@interpreted_while_small
@compiled
def grow_tree(points: RealTable, depth: int) -> tuple[Codes, Reals]:
    """Halve a sample ``depth`` times; return the attribute and the bound of each node, the children of i at 2i, 2i + 1.

    ``points`` (IN) has one column per record of the sample. Records below the bound fall to the first child.
    """
    nodes = 1 << depth
    attributes, bounds = np.zeros(nodes, dtype=np.int32), np.full(nodes, np.inf)
    starts = np.zeros(2 * nodes, dtype=np.int64)
    ends = np.full(2 * nodes, points.shape[1], dtype=np.int64)
    order = np.empty(points.shape[1], dtype=np.int32)
    for member in range(order.size):
        order[member] = member
    is_left, spare = np.empty(order.size, dtype=np.bool_), np.empty_like(order)
    keys, sums, ranks = np.empty(SAMPLE), np.empty(SAMPLE), np.empty(SAMPLE, dtype=np.int64)
    lo = np.empty(points.shape[0] // 2)
    hi, weights = np.empty_like(lo), np.empty_like(lo)
    for node in range(1, nodes):
        low, high = starts[node], ends[node]
        middle = high
        _measure(points, order, low, high, lo, hi, weights)
        attribute, _ = costliest(lo, hi, weights)
        if attribute >= 0:
            bound = _halfway(points, order, low, high, attribute, keys, sums, ranks)
            attributes[node], bounds[node] = attribute, bound
            middle = low + part_below(points[attribute], order, low, high, bound, is_left, spare)
        starts[2 * node], ends[2 * node] = low, middle
        starts[2 * node + 1], ends[2 * node + 1] = middle, high
    return attributes, bounds


@interpreted_while_small
@compiled
def find_leaves(
    points: RealTable,
    members: Counts,
    first: int,
    last: int,
    attributes: Codes,
    bounds: Reals,
    low: Reals,
    high: Reals,
    leaves: Codes,
    counts: Counts,
) -> None:
    """Find the leaf (OUT) of the tree (IN) that each member (IN) from ``first`` to ``last`` falls to, and count (OUT).

    Members with a value below ``low`` (IN) or above ``high`` (IN) fall to a leaf of their own, the last.
    """
    for member in range(first, last):
        record = members[member]
        node = 1
        while node < bounds.size:
            node = 2 * node + (points[attributes[node], record] >= bounds[node])
        leaf = node - bounds.size
        for attribute in range(low.size):
            value = points[attribute, record]
            leaf = bounds.size if value < low[attribute] or value > high[attribute] else leaf
        leaves[member] = leaf
        counts[leaf] += 1


@interpreted_while_small
@compiled
def sort_rows(
    points: RealTable,
    costs: RealTable,
    members: Counts,
    first: int,
    last: int,
    leaves: Codes,
    usual: Reals,
    nexts: Counts,
    rows: RealTable,
    weights: SingleTable,
    records: Counts,
) -> None:
    """Put members together by their leaves, so that those of a leaf are contiguous in memory.

    ``nexts`` (IN, OUT) is where the next of each leaf goes in ``rows`` (OUT: points), ``weights`` (OUT: costs, in
    units of the ``usual`` ones) and ``records`` (OUT).
    """
    attributes = points.shape[0]
    for member in range(first, last):
        record = members[member]
        to = nexts[leaves[member]]
        nexts[leaves[member]] += 1
        records[to] = record
        for attribute in range(attributes):
            rows[to, attribute] = points[attribute, record]
            weights[to, attribute] = costs[attribute, record] / usual[attribute]


@compiled_within
def _measure(points: Reals, order: Codes, low: int, high: int, lo: Reals, hi: Reals, weights: Reals) -> None:
    """Find a node's ends (OUT) and what a unit of its widths costs (OUT)."""
    for attribute in range(lo.size):
        lowest, highest, weight = np.inf, -np.inf, 0.0
        for position in range(low, high):
            record = order[position]
            value = points[attribute, record]
            weight += points[lo.size + attribute, record]
            lowest = value if value < lowest else lowest
            highest = value if value > highest else highest
        lo[attribute], hi[attribute], weights[attribute] = lowest, highest, weight


@compiled_within
def _half_of(points: Reals, order: Codes, low: int, high: int, row: int, ranks: Counts, sums: Reals, step: int) -> int:
    """Return how many of the smallest records, by rank (IN), bear half of the costs in ``row``."""
    size = (high - low + step - 1) // step
    sums[:size] = 0.0
    total = 0.0
    for member in range(size):
        weight = points[row, order[low + member * step]]
        sums[ranks[member]] += weight
        total += weight
    position, reached = 0, 0.0
    while position < size and reached < 0.5 * total:
        reached += sums[position]
        position += 1
    return position


@compiled_within
def _halfway(
    points: Reals, order: Codes, low: int, high: int, attribute: int, keys: Reals, sums: Reals, ranks: Counts
) -> float:
    """Return the value below which half of an attribute's cost is, by a sample."""
    step = (high - low + SAMPLE - 1) // SAMPLE
    size = (high - low + step - 1) // step
    for member in range(size):
        keys[member] = points[attribute, order[low + member * step]]
    rank(keys, size, ranks)
    position = _half_of(points, order, low, high, points.shape[0] // 2 + attribute, ranks, sums, step)
    bound, largest = np.inf, -np.inf
    for member in range(size):
        largest = max(largest, keys[member])
        if ranks[member] >= position and keys[member] < bound:
            bound = keys[member]
    return bound if bound < np.inf else largest
