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
    points: Reals
    """Attributes by points: where cuts are preferred; NaN fills up."""
    spreads: Reals
    """How far from such a point a cut is still somewhat preferred."""
    steps: Reals
    """Attributes by (step, spread): cuts at multiples of the step are preferred; 0 for none."""
    strength: float
    """By which share a cut that is not preferred at all seems dearer."""


@compiled
def node_width(ends: Codes, shares: Reals, low: int, high: int) -> float:
    """Return the width of the lowest node of a tree that holds two places."""
    for level in range(ends.shape[0] - 1):
        if ends[level, low] >= high:
            return shares[level, low]
    return shares[-1, low]


@compiled
def dislike(space: Space, attribute: int, below: float, above: float) -> float:
    """Return the factor by which a cut between two neighbouring values seems dearer."""
    if space.strength == 0.0:
        return 1.0
    wanted = False
    membership = 0.0
    for point in range(space.points.shape[1]):
        at = space.points[attribute, point]
        if not np.isnan(at):
            wanted = True
            membership = max(membership, _near(at, below, above, space.spreads[attribute, point]))
    step, spread = space.steps[attribute, 0], space.steps[attribute, 1]
    if step > 0.0:
        wanted = True
        membership = max(membership, _near(np.floor(above / step) * step, below, above, spread))
        membership = max(membership, _near((np.floor(below / step) + 1.0) * step, below, above, spread))
    return 1.0 + space.strength * (1.0 - membership) if wanted else 1.0


@compiled
def _near(at: float, below: float, above: float, spread: float) -> float:
    """Return the largest membership, in a triangle around a point, of a cut that divides two values."""
    if below < at <= above:
        return 1.0
    distance = at - above if at > above else below - at
    return max(0.0, 1.0 - distance / spread) if spread > 0.0 else 0.0


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
