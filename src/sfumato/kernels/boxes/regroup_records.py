"""Regrouping records among neighbouring boxes, in spaces with categories.

Three steps lower what a few neighbouring boxes cost: spare records of several boxes make a new box, a spare record
moves to another box, and two records of different boxes are exchanged. A box has spare records if it has more than k.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.kernels.argument_types import CodeTable, CountTable, FlagTable, RealCube, RealTable
from sfumato.kernels.boxes.box_cost import LINEAR, SET, Space, set_cost, span_cost, tree_cost
from sfumato.kernels.boxes.cut_search import ZERO
from sfumato.kernels.boxes.limit_check import Limits, keeps_limits
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within, interpreted_while_small

WORTHWHILE = 0.1
"""A record is only tried elsewhere if its box would cost this share less without it."""
LEAST = 1e-9
"""A step must save this share of what a box costs."""
LARGEST = 4
"""Boxes take in no more than this many times k records."""
NOBODY: Any = np.int64(-1)
"""A plain -1 would be a type of its own, for which a kernel is compiled once more."""


class Labels(NamedTuple):
    """How the labels of sets are closed: a category of one record brings its whole group."""

    groups: CodeTable
    """Attributes by categories: the group of each."""
    sizes: CodeTable
    """Attributes by groups: how many categories each has."""
    rare: FlagTable
    """Attributes by categories: whether too few records of the file have it to be named alone."""


class Scratch(NamedTuple):
    """The kernel's working memory, one per thread."""

    points: RealTable
    """Attributes by members of a neighbourhood."""
    weights: RealTable
    """What a unit of width costs each member, by attributes."""
    records: Counts
    """The record of each member."""
    boxes: CountTable
    """Boxes by seats: the members of each box."""
    sizes: Counts
    """How many members each box has."""
    costs: Reals
    """What each box costs."""
    without: Counts
    """Members of a box without those that leave it."""
    changed: Counts
    """Members of a box after a change."""
    gathered: Counts
    """The members of a new box."""
    donors: Counts
    """The box that each of them leaves."""
    donated: Counts
    """The number of members that each box gives to the new one."""
    tested: Counts
    """Records that limits are tested on."""
    counts: Counts
    """Records by category; zero between uses."""
    present: Counts
    """Categories of each group that a box has; zero between uses."""
    brought: Flags
    """Groups that a label names as a whole; false between uses."""
    codes: Counts
    """Scratch of :func:`keeps_limits`."""


@compiled_within
def _make_scratch(space: Space, limits: Limits, members: int, boxes: int, codes: int) -> Scratch:
    attributes, seats = space.kinds.size, LARGEST * limits.k
    return Scratch(
        np.empty((attributes, members)),
        np.empty((attributes, members)),
        np.empty(members, dtype=np.int64),
        np.empty((boxes, seats), dtype=np.int64),
        np.empty(boxes, dtype=np.int64),
        np.empty(boxes),
        np.empty(seats + 1, dtype=np.int64),
        np.empty(seats + 1, dtype=np.int64),
        np.empty(limits.k, dtype=np.int64),
        np.empty(limits.k, dtype=np.int64),
        np.zeros(boxes, dtype=np.int64),
        np.empty(seats + 1, dtype=np.int64),
        np.zeros(codes + 1, dtype=np.int64),
        np.zeros(codes + 1, dtype=np.int64),
        np.zeros(codes + 1, dtype=np.bool_),
        np.zeros(codes + 1, dtype=np.int64),
    )


@compiled_inside
def _cost(space: Space, labels: Labels, scratch: Scratch, box: Counts, size: int, ceiling: float) -> float:
    """Return what a box of some members costs, or infinity if that exceeds ``ceiling``."""
    points, weights = scratch.points, scratch.weights
    counts, present, brought = scratch.counts, scratch.present, scratch.brought
    total = 0.0
    for attribute in range(space.kinds.size):
        kind, weight, named, low, high = space.kinds[attribute], 0.0, 0, np.inf, -np.inf
        if kind == SET:
            for seat in range(size):
                category = int(points[attribute, box[seat]])
                weight += weights[attribute, box[seat]]
                counts[category] += 1
                if counts[category] == 1:
                    named += 1
                    present[labels.groups[attribute, category]] += 1
            if named > 1:
                for seat in range(size):
                    category = int(points[attribute, box[seat]])
                    group = labels.groups[attribute, category]
                    if (counts[category] == 1 or labels.rare[attribute, category]) and not brought[group]:
                        brought[group] = True
                        named += labels.sizes[attribute, group] - present[group]
            for seat in range(size):
                category = int(points[attribute, box[seat]])
                group = labels.groups[attribute, category]
                counts[category], present[group], brought[group] = 0, 0, False
        else:
            for seat in range(size):
                value = points[attribute, box[seat]]
                weight += weights[attribute, box[seat]]
                low = value if value < low else low
                high = value if value > high else high
        if kind == LINEAR:
            total += span_cost(weight, low, high)
        elif kind == SET:
            total += set_cost(weight, space.units[attribute], named)
        else:
            # not earlier: slicing an array takes longer than all the rest
            total += tree_cost(weight, space.ends[attribute], space.shares[attribute], int(low), int(high))
        if total > ceiling:
            return np.inf
    return total


@compiled_inside
def _keeps(limits: Limits, scratch: Scratch, box: Counts, size: int) -> bool:
    """Return whether some members may be a box."""
    if limits.rules.size == 0:
        return size >= limits.k
    for seat in range(size):
        scratch.tested[seat] = scratch.records[box[seat]]
    return keeps_limits(limits, scratch.tested, ZERO, size, scratch.codes)


@compiled_within
def _copy_without(box: Counts, size: int, seat: int, into: Counts) -> None:
    for index in range(size - 1):
        into[index] = box[index if index < seat else index + 1]


@compiled_within
def _is_in(member: int, members: Counts, size: int) -> bool:
    contained = False
    for index in range(size):
        contained = contained or members[index] == member
    return contained


@compiled_within
def _remaining(scratch: Scratch, box: int) -> int:
    """Copy the members that a box keeps when the new one is formed; return their number."""
    n_remaining = 0
    for seat in range(scratch.sizes[box]):
        member = scratch.boxes[box, seat]
        if not _is_in(member, scratch.gathered, scratch.gathered.size):
            scratch.without[n_remaining] = member
            n_remaining += 1
    return n_remaining


@compiled_inside
def _form_box(space: Space, limits: Limits, labels: Labels, scratch: Scratch, boxes: int, home: int, seat: int) -> bool:
    """Make a new box of a member and the spare members nearest to it, if that costs less; return whether it does."""
    sizes, costs, gathered, donors, donated = (
        scratch.sizes,
        scratch.costs,
        scratch.gathered,
        scratch.donors,
        scratch.donated,
    )
    for box in range(boxes):
        donated[box] = 0
    donated[home] = 1
    gathered[0], donors[0] = scratch.boxes[home, seat], home
    for position in range(1, limits.k):
        gathered[position] = NOBODY
    for position in range(1, limits.k):
        best, member, donor = np.inf, NOBODY, NOBODY
        for box in range(boxes):
            if sizes[box] - donated[box] <= limits.k:
                continue
            share = costs[box] / sizes[box]
            for candidate_seat in range(sizes[box]):
                candidate = scratch.boxes[box, candidate_seat]
                if _is_in(candidate, gathered, position):
                    continue
                gathered[position] = candidate
                extra = _cost(space, labels, scratch, gathered, position + 1, best + share) - share
                if extra < best:
                    best, member, donor = extra, candidate, box
        gathered[position], donors[position] = member, donor
        if member < 0:
            return False
        donated[donor] += 1
    new_cost = _cost(space, labels, scratch, gathered, limits.k, np.inf)
    gain = -new_cost
    for box in range(boxes):
        if donated[box]:
            n_remaining = _remaining(scratch, box)
            gain += costs[box] - _cost(space, labels, scratch, scratch.without, n_remaining, np.inf)
            if limits.rules.size and not _keeps(limits, scratch, scratch.without, n_remaining):
                return False
    if gain <= LEAST * costs[home] or not _keeps(limits, scratch, gathered, limits.k):
        return False
    for box in range(boxes):
        if donated[box]:
            n_remaining = _remaining(scratch, box)
            costs[box] = _cost(space, labels, scratch, scratch.without, n_remaining, np.inf)
            for position in range(n_remaining):
                scratch.boxes[box, position] = scratch.without[position]
            sizes[box] = n_remaining
    for position in range(limits.k):
        scratch.boxes[boxes, position] = gathered[position]
    sizes[boxes], costs[boxes] = limits.k, new_cost
    return True


@compiled_inside
def _reassign(space: Space, limits: Limits, labels: Labels, scratch: Scratch, boxes: int, home: int, seat: int) -> bool:
    """Move a member to the box, or exchange it with the member, that saves most; return whether any does."""
    sizes, costs, without, changed = scratch.sizes, scratch.costs, scratch.without, scratch.changed
    size, member = sizes[home], scratch.boxes[home, seat]
    _copy_without(scratch.boxes[home], size, seat, without)
    lighter = _cost(space, labels, scratch, without, size - 1, np.inf)
    relief = costs[home] - lighter
    if relief <= WORTHWHILE * costs[home]:
        return False
    spare = size > limits.k and _keeps(limits, scratch, without, size - 1)
    best_gain, target, partner, home_cost, target_cost = LEAST * costs[home], NOBODY, NOBODY, 0.0, 0.0
    for box in range(boxes):
        if box == home:
            continue
        for other_seat in range(sizes[box]):
            changed[other_seat] = scratch.boxes[box, other_seat]
        if spare and sizes[box] < scratch.boxes.shape[1]:
            changed[sizes[box]] = member
            new_target_cost = _cost(space, labels, scratch, changed, sizes[box] + 1, relief + costs[box] - best_gain)
            if relief + costs[box] - new_target_cost > best_gain and _keeps(limits, scratch, changed, sizes[box] + 1):
                best_gain, target, partner = relief + costs[box] - new_target_cost, box, NOBODY
                home_cost, target_cost = lighter, new_target_cost
        for other_seat in range(sizes[box]):
            changed[other_seat] = member
            new_target_cost = _cost(space, labels, scratch, changed, sizes[box], relief + costs[box] - best_gain)
            if relief + costs[box] - new_target_cost > best_gain:
                without[size - 1] = scratch.boxes[box, other_seat]
                new_home_cost = _cost(
                    space, labels, scratch, without, size, costs[home] + costs[box] - new_target_cost - best_gain
                )
                gain = costs[home] + costs[box] - new_home_cost - new_target_cost
                if (
                    gain > best_gain
                    and _keeps(limits, scratch, changed, sizes[box])
                    and _keeps(limits, scratch, without, size)
                ):
                    best_gain, target, partner = gain, box, other_seat
                    home_cost, target_cost = new_home_cost, new_target_cost
            changed[other_seat] = scratch.boxes[box, other_seat]
    if target < 0:
        return False
    if partner < 0:
        scratch.boxes[target, sizes[target]] = member
        scratch.boxes[home, seat] = scratch.boxes[home, size - 1]
        sizes[target] += 1
        sizes[home] -= 1
    else:
        scratch.boxes[home, seat] = scratch.boxes[target, partner]
        scratch.boxes[target, partner] = member
    costs[home], costs[target] = home_cost, target_cost
    return True


@compiled
def regroup(
    space: Space,
    limits: Limits,
    labels: Labels,
    records: Counts,
    ends: Counts,
    hoods: Counts,
    codes: int,
    new_records: Counts,
    new_ends: Counts,
) -> tuple[int, int]:
    """Regroup the records of each neighbourhood; return the resulting number of boxes and the number of steps.

    ``records`` (IN) holds the boxes in a row and ``ends`` (IN) where each ends, at most ``LARGEST`` times k records
    each; ``hoods`` (IN) says where each neighbourhood begins among the boxes, and the end; ``codes`` (IN) is the
    number of categories. ``new_records`` and ``new_ends`` (OUT) begin with the first neighbourhood's.
    """
    max_members = ZERO
    for hood in range(hoods.size - 1):
        max_members = max(max_members, ends[hoods[hood + 1] - 1] - (ends[hoods[hood] - 1] if hoods[hood] else 0))
    scratch = _make_scratch(space, limits, max_members, max_members // limits.k + 1, codes)
    sizes = scratch.sizes
    filled, n_boxes, steps = 0, 0, 0
    for hood in range(hoods.size - 1):
        boxes, members = hoods[hood + 1] - hoods[hood], 0
        for box in range(boxes):
            number = hoods[hood] + box
            sizes[box] = 0
            for position in range(ends[number - 1] if number else 0, ends[number]):
                scratch.records[members] = records[position]
                scratch.boxes[box, sizes[box]] = members
                sizes[box] += 1
                members += 1
        for attribute in range(space.kinds.size):
            for member in range(members):
                scratch.points[attribute, member] = space.points[attribute, scratch.records[member]]
                scratch.weights[attribute, member] = space.costs[attribute, scratch.records[member]]
        for box in range(boxes):
            scratch.costs[box] = _cost(space, labels, scratch, scratch.boxes[box], sizes[box], np.inf)
        for box in range(boxes):
            seat = ZERO
            while seat < sizes[box] and sizes[box] > limits.k and scratch.costs[box] > 0.0:
                if _form_box(space, limits, labels, scratch, boxes, box, seat):
                    boxes += 1
                    steps += 1
                seat += 1
        for box in range(boxes):
            seat, tries = ZERO, 0
            while seat < sizes[box] and tries < LARGEST * sizes[box]:
                tries += 1
                if _reassign(space, limits, labels, scratch, boxes, box, seat):
                    steps += 1
                else:
                    seat += 1
        for box in range(boxes):
            for seat in range(sizes[box]):
                new_records[filled] = scratch.records[scratch.boxes[box, seat]]
                filled += 1
            new_ends[n_boxes] = filled
            n_boxes += 1
    return n_boxes, steps


@interpreted_while_small
@compiled
def box_points(space: Space, directions: RealCube, records: Counts, ends: Counts, points: RealTable) -> None:
    """Find a point for each box, so that boxes of similar records are near each other.

    ``directions`` (IN) by attributes, categories and coordinates: the point of each category; of a LINEAR attribute the
    first entry is the direction of its values. ``points`` (OUT) by coordinates and boxes: the mean of the records'.
    """
    for box in range(ends.size):
        first = ends[box - 1] if box else 0
        for coordinate in range(points.shape[0]):
            points[coordinate, box] = 0.0
        for attribute in range(space.kinds.size):
            for position in range(first, ends[box]):
                value, category, factor = space.points[attribute, records[position]], 0, 1.0
                if space.kinds[attribute] == LINEAR:
                    factor = value
                else:
                    category = int(value)
                for coordinate in range(points.shape[0]):
                    points[coordinate, box] += factor * directions[attribute, category, coordinate]
        for coordinate in range(points.shape[0]):
            points[coordinate, box] /= ends[box] - first
