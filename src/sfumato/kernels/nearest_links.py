"""The released blocks nearest to outside records, and how many records are that near, without a table of all pairs.

A block is a region: an interval in each attribute, or a set of categories, which are numbered. What a pair costs is the
sum over attributes of what agreement, disagreement and a missing value cost there; so the same search serves a
distance, containment and match weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.kernels.argument_types import ByteTable, CodeTable, FlagTable, RealTable, WordTable
from sfumato.kernels.bit_sets import NONE, ONE
from sfumato.kernels.compiled import compiled, compiled_within
from sfumato.kernels.nearest_record_tree import Nest
from sfumato.kernels.nearest_swaps import DEPTH

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
    """The row of ``bits`` that says which numbers between the ends belong to the block, -1 where all do."""
    bits: WordTable
    sizes: Counts
    """Records of each block."""


class Hulls(NamedTuple):
    """What the blocks of each box of a nest have in common; boxes by attributes."""

    los: RealTable
    his: RealTable
    """No known value is beyond these."""
    inner_los: RealTable
    inner_his: RealTable
    """Every block with a known value covers what is between these."""
    gaps: FlagTable
    """Whether a block does not cover everything between its ends."""
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
    """If the values of both are missing."""
    lacking: Reals
    """If only that of the outside record is missing."""
    blank: Reals
    """If only that of the block is missing."""


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
                first, second = missing[half, a], missing[half + 1, a]
                missing[box, a] = first if first == second else SOME
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
    """Return whether a value agrees with a block's region in an attribute; neither is missing."""
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
    """Return what a pair costs; if that exceeds the limit, perhaps only a partial sum that exceeds it as well."""
    total = 0.0
    for a in range(point.size):
        total += _cost(point[a], regions, block, a, costs)
        if total > limit:
            break
    return total


@compiled_within
def _least_cost(point: Reals, hulls: Hulls, box: int, costs: Costs) -> float:
    """Return a lower bound on what the blocks of a box cost."""
    total = 0.0
    for a in range(point.size):
        value, missing = point[a], hulls.missing[box, a]
        least = np.inf
        if missing:
            least = costs.both[a] if np.isnan(value) else costs.blank[a]
        if missing != ALL:
            if np.isnan(value):
                present = costs.lacking[a]
            elif value < hulls.los[box, a]:
                present = costs.disagree[a] + costs.slopes[a] * (hulls.los[box, a] - value)
            elif value > hulls.his[box, a]:
                present = costs.disagree[a] + costs.slopes[a] * (value - hulls.his[box, a])
            else:
                present = min(costs.agree[a], costs.disagree[a])
            least = min(least, present)
        total += least
    return total


@compiled_within
def _greatest_cost(point: Reals, hulls: Hulls, box: int, costs: Costs) -> float:
    """Return an upper bound on what the blocks of a box cost."""
    total = 0.0
    for a in range(point.size):
        value, missing = point[a], hulls.missing[box, a]
        greatest = 0.0
        if missing:
            greatest = costs.both[a] if np.isnan(value) else costs.blank[a]
        if missing != ALL:
            lo, hi = hulls.inner_los[box, a], hulls.inner_his[box, a]
            if np.isnan(value):
                present = costs.lacking[a]
            elif lo <= value <= hi and not hulls.gaps[box, a]:
                present = costs.agree[a]
            else:
                away = max(lo - value, value - hi, 0.0)
                present = max(costs.agree[a], costs.disagree[a] + costs.slopes[a] * away)
            greatest = max(greatest, present)
        total += greatest
    return total


@compiled
def nearest_costs(
    points: RealTable, regions: Regions, boxes: Nest, hulls: Hulls, costs: Costs, first: int, last: int, best: Reals
) -> None:
    """Find what the cheapest block costs each outside record from ``first`` up to ``last``.

    ``points`` (IN) are outside records by attributes, ``best`` (OUT) gets one cost per record.
    """
    waiting, bounds = np.empty(DEPTH, dtype=np.int64), np.empty(DEPTH)
    for record in range(first, last):
        point = points[record]
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
            nearer, farther = _least_cost(point, hulls, near, costs), _least_cost(point, hulls, far, costs)
            if farther < nearer:
                near, far, nearer, farther = far, near, farther, nearer
            # the nearer half is searched first
            waiting[depth], bounds[depth] = far, farther
            waiting[depth + 1], bounds[depth + 1] = near, nearer
            depth += 2
        best[record] = least


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
    """Count the released records (OUT) within the cost limit of each outside record from ``first`` up to ``last``."""
    waiting = np.empty(DEPTH, dtype=np.int64)
    for record in range(first, last):
        point, limit = points[record], limits[record]
        n_within = 0
        waiting[0], depth = 0, 1
        while depth:
            depth -= 1
            box = waiting[depth]
            if _least_cost(point, hulls, box, costs) > limit:
                continue
            if _greatest_cost(point, hulls, box, costs) <= limit:
                n_within += hulls.totals[box]
                continue
            half = boxes.halves[box]
            if half >= 0:
                waiting[depth], waiting[depth + 1] = half, half + 1
                depth += 2
                continue
            for block in range(boxes.starts[box], boxes.stops[box]):
                if _cost_up_to(point, regions, block, costs, limit) <= limit:
                    n_within += regions.sizes[block]
        counts[record] = n_within


@compiled
def costs_of_pairs(points: RealTable, regions: Regions, costs: Costs, records: Counts, blocks: Counts) -> Reals:
    """Return what pairs of outside ``records`` (IN) and ``blocks`` (IN) cost."""
    pair_costs = np.empty(records.size)
    for pair in range(records.size):
        pair_costs[pair] = _cost_up_to(points[records[pair]], regions, blocks[pair], costs, np.inf)
    return pair_costs


@compiled_within
def _pattern(point: Reals, regions: Regions, block: int, missing_is_value: bool) -> int:
    pattern = 0
    for a in range(point.size):
        value, blank = point[a], np.isnan(regions.los[block, a])
        if blank or np.isnan(value):
            compared = UNKNOWN if not missing_is_value else ALIKE if blank and np.isnan(value) else DIFFERENT
        else:
            compared = _compare(value, regions, block, a)
        pattern = 3 * pattern + compared
    return pattern


@compiled
def count_patterns(
    points: RealTable, regions: Regions, times: Counts, missing_is_value: bool, first: int, last: int
) -> Counts:
    """Count pairs by how they compare, outside records from ``first`` up to ``last`` with all released ones.

    Parameters
    ----------
    points, times
        (IN) outside records by attributes, and how many there are of each.
    regions
        (IN) blocks.
    missing_is_value
        (IN) whether missing counts as a value, which agrees only with another missing one.

    Returns
    -------
    array
        A count for each pattern: a number whose digits to the base 3, the first attribute's first, are DIFFERENT, ALIKE
        or UNKNOWN.
    """
    counts = np.zeros(3 ** points.shape[1], dtype=np.int64)
    for record in range(first, last):
        for block in range(regions.sizes.size):
            counts[_pattern(points[record], regions, block, missing_is_value)] += times[record] * regions.sizes[block]
    return counts
