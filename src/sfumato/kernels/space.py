"""The space that boxes divide: what a box costs in each attribute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.arrays import Codes, Counts, Reals
from sfumato.kernels.compiled import compiled

LINEAR, TREE, SET = 0, 1, 2
"""What a box's width is: the distance of its ends, the share of the lowest common node, the share of its categories."""


class Space(NamedTuple):
    """Records as points, and what widths cost; attributes of kind LINEAR come first.

    A category's place is its number in an order; along a tree's order every node is a run of places.
    """

    places: Reals
    """Attributes by records."""
    costs: Reals
    """Attributes by records: what a unit of width costs there."""
    kinds: Codes
    units: Reals
    """The width of one category of a SET."""
    ends: Codes
    """Attributes by levels by places: the last place of the TREE's node that a place belongs to."""
    shares: Reals
    """Attributes by levels by places: the width of that node."""


@compiled
def node_width(ends: Codes, shares: Reals, low: int, high: int) -> float:
    """Return the width of the lowest node of a tree that holds two places."""
    for level in range(ends.shape[0] - 1):
        if ends[level, low] >= high:
            return shares[level, low]
    return shares[-1, low]


@compiled
def summarize_boxes(
    places: Reals,
    costs: Reals,
    records: Counts,
    ends: Counts,
    first: int,
    last: int,
    lo: Reals,
    hi: Reals,
    totals: Reals,
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


@compiled
def cost_boxes(space: Space, records: Counts, ends: Counts, first: int, last: int, codes: int, costs: Reals) -> None:
    """Find what each box from ``first`` to ``last`` costs; ``codes`` (IN) is the number of categories."""
    stamps = np.full(codes + 1, -1, dtype=np.int64)
    for box in range(first, last):
        start = ends[box - 1] if box else 0
        total = 0.0
        for attribute in range(space.kinds.size):
            kind = space.kinds[attribute]
            low, high, weight, categories = np.inf, -np.inf, 0.0, 0
            for place in range(start, ends[box]):
                value = space.places[attribute, records[place]]
                weight += space.costs[attribute, records[place]]
                low = value if value < low else low
                high = value if value > high else high
                if kind == SET and stamps[int(value)] != box * space.kinds.size + attribute:
                    stamps[int(value)] = box * space.kinds.size + attribute
                    categories += 1
            if kind == LINEAR:
                total += weight * (high - low)
            elif kind == SET:
                total += weight * space.units[attribute] * (categories if categories > 1 else 0)
            elif high > low:
                total += weight * node_width(space.ends[attribute], space.shares[attribute], int(low), int(high))
        costs[box] = total
