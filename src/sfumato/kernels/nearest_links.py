"""Which released blocks lie nearest to outside records, and how many records lie so near, without a table of all pairs.

A block is a region: an interval in each attribute, or a set of categories, which are numbered. What a pair costs is the
sum over attributes of what agreement, disagreement and a missing value cost there; so the same search serves a
distance, containment and match weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.kernels.bit_sets import NONE, ONE
from sfumato.kernels.box_tree import Nest
from sfumato.kernels.compiled import compiled, compiled_within
from sfumato.kernels.nearest_swaps import DEPTH
from sfumato.kernels.signatures import ByteTable, CodeTable, FlagTable, RealTable, WordTable

SIX = np.uint64(6)
LOW_SIX = np.uint64(63)
SOME, ALL = 1, 2
"""Whether values of some or of all blocks are missing."""
DIFFERENT, ALIKE, UNKNOWN = 0, 1, 2
"""How a pair compares in one attribute."""


class Regions(NamedTuple):
    """Released blocks by attributes."""

    los: RealTable
    his: RealTable
    """The ends of what a block can be, NaN where that is missing."""
    rows: CodeTable
    """The row of ``bits`` that tells which numbers between the ends belong to it, -1 where all do."""
    bits: WordTable
    sizes: Counts
    """Records of each block."""


class Hulls(NamedTuple):
    """What the blocks of each box of a nest have in common; boxes by attributes."""

    los: RealTable
    his: RealTable
    """No known value lies beyond."""
    inner_los: RealTable
    inner_his: RealTable
    """Every known value covers what lies between."""
    gaps: FlagTable
    """Whether between a block's ends something is not its own."""
    missing: ByteTable
    totals: Counts
    """Records in each box."""


class Costs(NamedTuple):
    """What a pair costs in each attribute; nothing is negative."""

    agree: Reals
    disagree: Reals
    slopes: Reals
    """On top of that, for each unit between the value and the region."""
    both: Reals
    """The values of both are missing."""
    lacking: Reals
    """That of the outside record alone is."""
    blank: Reals
    """That of the block alone is."""


@compiled
def hulls_of(boxes: Nest, regions: Regions) -> Hulls:
    """Find what the blocks of each box have in common; ``regions`` (IN) are in the order of the nest."""
    count, attributes = boxes.starts.size, regions.los.shape[1]
    los, his = np.full((count, attributes), np.inf), np.full((count, attributes), -np.inf)
    inner_los, inner_his = np.full((count, attributes), -np.inf), np.full((count, attributes), np.inf)
    gaps = np.zeros((count, attributes), dtype=np.bool_)
    missing, totals = np.zeros((count, attributes), dtype=np.uint8), np.zeros(count, dtype=np.int64)
    for box in range(count - 1, -1, -1):
        half = boxes.halves[box]
        if half >= 0:
            totals[box] = totals[half] + totals[half + 1]
            for a in range(attributes):
                los[box, a] = min(los[half, a], los[half + 1, a])
                his[box, a] = max(his[half, a], his[half + 1, a])
                inner_los[box, a] = max(inner_los[half, a], inner_los[half + 1, a])
                inner_his[box, a] = min(inner_his[half, a], inner_his[half + 1, a])
                gaps[box, a] = gaps[half, a] or gaps[half + 1, a]
                one, other = missing[half, a], missing[half + 1, a]
                missing[box, a] = one if one == other else SOME
            continue
        start, stop = boxes.starts[box], boxes.stops[box]
        for block in range(start, stop):
            totals[box] += regions.sizes[block]
        for a in range(attributes):
            absent = 0
            for block in range(start, stop):
                lo, hi = regions.los[block, a], regions.his[block, a]
                if np.isnan(lo):
                    absent += 1
                    continue
                los[box, a], his[box, a] = min(los[box, a], lo), max(his[box, a], hi)
                inner_los[box, a], inner_his[box, a] = max(inner_los[box, a], lo), min(inner_his[box, a], hi)
                gaps[box, a] = gaps[box, a] or regions.rows[block, a] >= 0
            missing[box, a] = 0 if absent == 0 else ALL if absent == stop - start else SOME
    return Hulls(los, his, inner_los, inner_his, gaps, missing, totals)


@compiled_within
def _compare(value: float, regions: Regions, block: int, a: int) -> int:
    """Return whether a known value is one that a block can have there, if it is known of the block."""
    if value < regions.los[block, a] or value > regions.his[block, a]:
        return DIFFERENT
    row = regions.rows[block, a]
    if row < 0:
        return ALIKE
    number = np.uint64(value)
    return ALIKE if (regions.bits[row, number >> SIX] >> (number & LOW_SIX)) & ONE != NONE else DIFFERENT


@compiled_within
def _cost(value: float, regions: Regions, block: int, a: int, costs: Costs) -> float:
    lo, hi = regions.los[block, a], regions.his[block, a]
    if np.isnan(lo):
        return costs.both[a] if np.isnan(value) else costs.blank[a]
    if np.isnan(value):
        return costs.lacking[a]
    if _compare(value, regions, block, a) == ALIKE:
        return costs.agree[a]
    if value < lo:
        return costs.disagree[a] + costs.slopes[a] * (lo - value)
    return costs.disagree[a] + (costs.slopes[a] * (value - hi) if value > hi else 0.0)


@compiled_within
def _cost_up_to(point: Reals, regions: Regions, block: int, costs: Costs, limit: float) -> float:
    """Return what a pair costs; if more than the limit, perhaps only a part of it that is more."""
    found = 0.0
    for a in range(point.size):
        found += _cost(point[a], regions, block, a, costs)
        if found > limit:
            break
    return found


@compiled_within
def _least(point: Reals, hulls: Hulls, box: int, costs: Costs) -> float:
    """Return a cost that no block of a box is below."""
    found = 0.0
    for a in range(point.size):
        value, missing = point[a], hulls.missing[box, a]
        least = np.inf
        if missing:
            least = costs.both[a] if np.isnan(value) else costs.blank[a]
        if missing != ALL:
            if np.isnan(value):
                known = costs.lacking[a]
            elif value < hulls.los[box, a]:
                known = costs.disagree[a] + costs.slopes[a] * (hulls.los[box, a] - value)
            elif value > hulls.his[box, a]:
                known = costs.disagree[a] + costs.slopes[a] * (value - hulls.his[box, a])
            else:
                known = min(costs.agree[a], costs.disagree[a])
            least = min(least, known)
        found += least
    return found


@compiled_within
def _most(point: Reals, hulls: Hulls, box: int, costs: Costs) -> float:
    """Return a cost that no block of a box is above."""
    found = 0.0
    for a in range(point.size):
        value, missing = point[a], hulls.missing[box, a]
        most = 0.0
        if missing:
            most = costs.both[a] if np.isnan(value) else costs.blank[a]
        if missing != ALL:
            lo, hi = hulls.inner_los[box, a], hulls.inner_his[box, a]
            if np.isnan(value):
                known = costs.lacking[a]
            elif lo <= value <= hi and not hulls.gaps[box, a]:
                known = costs.agree[a]
            else:
                away = max(lo - value, value - hi, 0.0)
                known = max(costs.agree[a], costs.disagree[a] + costs.slopes[a] * away)
            most = max(most, known)
        found += most
    return found


@compiled
def nearest_costs(
    points: RealTable, regions: Regions, boxes: Nest, hulls: Hulls, costs: Costs, first: int, last: int, best: Reals
) -> None:
    """Find what the cheapest block costs each outside record from ``first`` up to ``last``.

    ``points`` (IN) are outside records by attributes, ``best`` (OUT) has one cost a record.
    """
    waiting, bounds = np.empty(DEPTH, dtype=np.int64), np.empty(DEPTH)
    for one in range(first, last):
        point = points[one]
        least = np.inf
        waiting[0], bounds[0], depth = 0, 0.0, 1
        while depth:
            depth -= 1
            if bounds[depth] >= least:
                continue
            box = waiting[depth]
            half = boxes.halves[box]
            if half < 0:
                for block in range(boxes.starts[box], boxes.stops[box]):
                    least = min(least, _cost_up_to(point, regions, block, costs, least))
                continue
            near, far = half, half + 1
            nearer, farther = _least(point, hulls, near, costs), _least(point, hulls, far, costs)
            if farther < nearer:
                near, far, nearer, farther = far, near, farther, nearer
            # the nearer half is looked into first
            waiting[depth], bounds[depth] = far, farther
            waiting[depth + 1], bounds[depth + 1] = near, nearer
            depth += 2
        best[one] = least


@compiled
def count_within(
    points: RealTable,
    regions: Regions,
    boxes: Nest,
    hulls: Hulls,
    costs: Costs,
    limits: Reals,
    first: int,
    last: int,
    counts: Counts,
) -> None:
    """Count the released records (OUT) that cost outside ones, from ``first`` up to ``last``, at most their limits."""
    waiting = np.empty(DEPTH, dtype=np.int64)
    for one in range(first, last):
        point, limit = points[one], limits[one]
        found = 0
        waiting[0], depth = 0, 1
        while depth:
            depth -= 1
            box = waiting[depth]
            if _least(point, hulls, box, costs) > limit:
                continue
            if _most(point, hulls, box, costs) <= limit:
                found += hulls.totals[box]
                continue
            half = boxes.halves[box]
            if half >= 0:
                waiting[depth], waiting[depth + 1] = half, half + 1
                depth += 2
                continue
            for block in range(boxes.starts[box], boxes.stops[box]):
                if _cost_up_to(point, regions, block, costs, limit) <= limit:
                    found += regions.sizes[block]
        counts[one] = found


@compiled
def costs_of_pairs(points: RealTable, regions: Regions, costs: Costs, asking: Counts, asked: Counts) -> Reals:
    """Return what pairs cost: ``asking`` (IN) are outside records, ``asked`` (IN) blocks."""
    found = np.empty(asking.size)
    for pair in range(asking.size):
        found[pair] = _cost_up_to(points[asking[pair]], regions, asked[pair], costs, np.inf)
    return found


@compiled_within
def _pattern(point: Reals, regions: Regions, block: int, own: bool) -> int:
    found = 0
    for a in range(point.size):
        value, blank = point[a], np.isnan(regions.los[block, a])
        if blank or np.isnan(value):
            compared = UNKNOWN if not own else ALIKE if blank and np.isnan(value) else DIFFERENT
        else:
            compared = _compare(value, regions, block, a)
        found = 3 * found + compared
    return found


@compiled
def count_patterns(points: RealTable, regions: Regions, times: Counts, own: bool, first: int, last: int) -> Counts:
    """Count pairs by how they compare, outside records from ``first`` up to ``last`` with all released ones.

    Parameters
    ----------
    points, times
        (IN) outside records by attributes, and how many there are of each.
    regions
        (IN) blocks.
    own
        (IN) whether a missing value is one of its own, which only another missing one is like.

    Returns
    -------
    array
        A count for each pattern: a number whose digits to the base 3, the first attribute's first, are DIFFERENT, ALIKE
        or UNKNOWN.
    """
    counts = np.zeros(3 ** points.shape[1], dtype=np.int64)
    for one in range(first, last):
        for block in range(regions.sizes.size):
            counts[_pattern(points[one], regions, block, own)] += times[one] * regions.sizes[block]
    return counts
