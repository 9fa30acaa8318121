"""The space that boxes divide: what a box costs in each attribute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.arrays import Codes, Counts, Reals
from sfumato.kernels.compiled import compiled, compiled_ratios_inside, interpreted_while_small
from sfumato.kernels.signatures import CodeCube, CodeTable, RealCube, RealTable

LINEAR, TREE, SET = 0, 1, 2
"""What a box's width is: the distance of its ends, the share of the lowest common node, the share of its categories."""


class Space(NamedTuple):
    """Records as points, and what widths cost; attributes of kind LINEAR come first.

    A category's place is its number in an order; along a tree's order every node is a run of places.
    """

    places: RealTable
    """Attributes by records."""
    costs: RealTable
    """Attributes by records: what a unit of width costs there."""
    kinds: Codes
    units: Reals
    """The width of one category of a SET."""
    ends: CodeCube
    """Attributes by levels by places: the last place of the TREE's node that a place belongs to."""
    shares: RealCube
    """Attributes by levels by places: the width of that node."""


@compiled_ratios_inside
def span_cost(weight: float, low: float, high: float) -> float:
    """Return what a box costs in a LINEAR attribute: the sum of its records' costs times its width."""
    return weight * (high - low)


@compiled_ratios_inside
def set_cost(weight: float, unit: float, n_categories: int) -> float:
    """Return what a box costs in a SET attribute: as above, where a box of one category has no width."""
    return weight * (unit * n_categories) if n_categories > 1 else 0.0


@compiled_ratios_inside
def tree_cost(weight: float, ends: CodeTable, shares: RealTable, low: int, high: int) -> float:
    """Return what a box costs in a TREE attribute, whose outermost positions in the tree's order are given."""
    return weight * node_width(ends, shares, low, high) if high > low else 0.0


@compiled_ratios_inside
def node_width(ends: CodeTable, shares: RealTable, low: int, high: int) -> float:
    """Return the width of the lowest node of a tree that holds two places."""
    for level in range(ends.shape[0] - 1):
        if ends[level, low] >= high:
            return shares[level, low]
    return shares[-1, low]


@interpreted_while_small
@compiled
def summarize_boxes(
    places: RealTable,
    costs: RealTable,
    records: Counts,
    ends: Counts,
    first: int,
    last: int,
    lo: RealTable,
    hi: RealTable,
    totals: RealTable,
) -> None:
    """Find the ends of the boxes from ``first`` to ``last``, and the sums of their records' costs.

    ``places`` and ``costs`` (IN) by attributes and records; ``lo``, ``hi`` and ``totals`` (OUT) by attributes and
    boxes.
    """
    for attribute in range(places.shape[0]):
        for box in range(first, last):
            low, high, total = np.inf, -np.inf, 0.0
            for place in range(ends[box - 1] if box else 0, ends[box]):
                value = places[attribute, records[place]]
                total += costs[attribute, records[place]]
                low = value if value < low else low
                high = value if value > high else high
            lo[attribute, box] = low
            hi[attribute, box] = high
            totals[attribute, box] = total


@interpreted_while_small
@compiled
def cost_boxes(
    space: Space, records: Counts, box_ends: Counts, first: int, last: int, n_categories: int, costs: Reals
) -> None:
    """Find what each box from ``first`` to ``last`` costs; ``n_categories`` (IN) counts those of all attributes."""
    stamps = np.full(n_categories + 1, -1, dtype=np.int64)
    for box in range(first, last):
        start = box_ends[box - 1] if box else 0
        total = 0.0
        for attribute in range(space.kinds.size):
            kind = space.kinds[attribute]
            low, high, weight, categories = np.inf, -np.inf, 0.0, 0
            for position in range(start, box_ends[box]):
                value = space.places[attribute, records[position]]
                weight += space.costs[attribute, records[position]]
                low = value if value < low else low
                high = value if value > high else high
                if kind == SET and stamps[int(value)] != box * space.kinds.size + attribute:
                    stamps[int(value)] = box * space.kinds.size + attribute
                    categories += 1
            if kind == LINEAR:
                total += span_cost(weight, low, high)
            elif kind == SET:
                total += set_cost(weight, space.units[attribute], categories)
            else:
                total += tree_cost(weight, space.ends[attribute], space.shares[attribute], int(low), int(high))
        costs[box] = total
