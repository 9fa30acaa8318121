"""The space that boxes divide, and what a box costs in each attribute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.kernels.argument_types import CodeCube, CodeTable, RealCube, RealTable
from sfumato.kernels.compiled import compiled, compiled_ratios_inside, interpreted_while_small

LINEAR, TREE, SET = 0, 1, 2
"""How the width of a box is measured: distance of its ends, share of its lowest common node, share of categories."""


class Space(NamedTuple):
    """Records as points, and what widths cost; attributes of kind LINEAR come first.

    A category's coordinate is its position in an order; along a tree's order every node is a run of positions.
    """

    points: RealTable
    """Attributes by records."""
    costs: RealTable
    """Attributes by records: what a unit of width costs the record."""
    kinds: Codes
    units: Reals
    """The width of one category of a SET."""
    ends: CodeCube
    """Attributes by levels by positions: the last position of the TREE's node to which a position belongs."""
    shares: RealCube
    """Attributes by levels by positions: the width of that node."""


@compiled_ratios_inside
def span_cost(weight: float, low: float, high: float) -> float:
    """Return what a box costs in a LINEAR attribute: the sum of its records' costs times its width."""
    return weight * (high - low)


@compiled_ratios_inside
def set_cost(weight: float, unit: float, n_categories: int) -> float:
    """Return what a box costs in a SET attribute: as above, but a box of one category has no width."""
    return weight * (unit * n_categories) if n_categories > 1 else 0.0


@compiled_ratios_inside
def tree_cost(weight: float, ends: CodeTable, shares: RealTable, low: int, high: int) -> float:
    """Return what a box costs in a TREE attribute; ``low`` and ``high`` are its ends in the tree's order."""
    return weight * node_width(ends, shares, low, high) if high > low else 0.0


@compiled_ratios_inside
def node_width(ends: CodeTable, shares: RealTable, low: int, high: int) -> float:
    """Return the width of the lowest node of a tree that contains two positions."""
    for level in range(ends.shape[0] - 1):
        if ends[level, low] >= high:
            return shares[level, low]
    return shares[-1, low]


@interpreted_while_small
@compiled
def summarize_boxes(
    points: RealTable,
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

    ``points`` and ``costs`` (IN) by attributes and records; ``lo``, ``hi`` and ``totals`` (OUT) by attributes and
    boxes.
    """
    for attribute in range(points.shape[0]):
        for box in range(first, last):
            low, high, total = np.inf, -np.inf, 0.0
            for position in range(ends[box - 1] if box else 0, ends[box]):
                value = points[attribute, records[position]]
                total += costs[attribute, records[position]]
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
                value = space.points[attribute, records[position]]
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
