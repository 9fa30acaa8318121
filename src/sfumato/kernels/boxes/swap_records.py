"""Exchanging records between neighbouring boxes, so that the boxes get narrower.

For each record of a few boxes, the costs after its exchange with every record of the other boxes are computed
together. With heat, exchanges are judged with noise, so that a search can leave a poor optimum; without heat, only
exchanges that lower the cost are made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.kernels.argument_types import RealTable
from sfumato.kernels.boxes.box_cost import LINEAR, SET, Space, set_cost, span_cost, tree_cost
from sfumato.kernels.boxes.limit_check import Limits, keeps_limits
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within

SPARED = 0.2
"""Without heat, a record whose leaving would lower its box's cost by less than this share is not tried."""
SETTLED, WEIGHED, NOISED, CODED, COMPARED, TESTED, SWAPPED = range(7)
"""Kinds of work that are counted: attributes of members settled, and weighed against another member's; members judged
with noise; widths found of coded attributes, and members compared for them; members tested against a limit; exchanges.
"""
WORK = 7
"""The number of kinds of work."""
LEAST = 1e-9
"""An exchange must save this share of what a box costs."""
MIX = np.uint64(0x9E3779B97F4A7C15)
SHIFT = np.uint64(11)
FOLD = np.uint64(31)
UNIT = 2.0**-53


class Bench(NamedTuple):
    """The members of a group of boxes; all of it is scratch."""

    slots: Counts
    """The position of each member among the records."""
    box: Counts
    """The member's box, numbered within the group."""
    starts: Counts
    """Where the members of each box begin."""
    owed: Reals
    """What the member's box costs."""
    relief: Reals
    """What the member's box would cost less without it."""
    points: RealTable
    """Attributes by members."""
    weights: RealTable
    lo: RealTable
    """Attributes by members: the lower end of the member's box without it."""
    hi: RealTable
    rest: RealTable
    """Attributes by members: the costs of the member's box without it."""
    totals: Reals
    """What a pair of boxes would cost after an exchange."""
    work: Counts
    """The amount of each kind of work: the cost of a search, independent of the machine."""


@compiled_within
def make_bench(space: Space, room: int, boxes: int) -> Bench:
    """Make a bench for a group with this number of boxes and room for this number of records."""
    attributes = space.kinds.size
    return Bench(
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty(boxes + 1, dtype=np.int64),
        np.empty(room),
        np.empty(room),
        np.empty((attributes, room)),
        np.empty((attributes, room)),
        np.empty((attributes, room)),
        np.empty((attributes, room)),
        np.empty((attributes, room)),
        np.empty(room),
        np.zeros(WORK, dtype=np.int64),
    )


@compiled_within
def _seat(space: Space, bench: Bench, records: Counts, ends: Counts, group: Counts) -> int:
    """Copy the members of a group of boxes; return their number."""
    members = 0
    for number in range(group.size):
        box = group[number]
        first = ends[box - 1] if box else 0
        bench.starts[number] = members
        for slot in range(first, ends[box]):
            bench.slots[members] = slot
            bench.box[members] = number
            members += 1
    bench.starts[group.size] = members
    points, weights, slots = bench.points, bench.weights, bench.slots
    for attribute in range(space.kinds.size):
        for member in range(members):
            record = records[slots[member]]
            points[attribute, member] = space.points[attribute, record]
            weights[attribute, member] = space.costs[attribute, record]
    return members


@compiled_inside
def _settle(space: Space, bench: Bench, box: int) -> None:
    """Find what a box costs, and its ends and costs without each of its members."""
    first, last = bench.starts[box], bench.starts[box + 1]
    owed, relief, points, weights = bench.owed, bench.relief, bench.points, bench.weights
    los, his, rests = bench.lo, bench.hi, bench.rest
    bench.work[SETTLED] += (last - first) * space.kinds.size
    total = 0.0
    for member in range(first, last):
        relief[member] = 0.0
    for attribute in range(space.kinds.size):
        lo, second_lo, hi, second_hi, weight = np.inf, np.inf, -np.inf, -np.inf, 0.0
        for member in range(first, last):
            value = points[attribute, member]
            weight += weights[attribute, member]
            between = value if value > lo else lo
            second_lo = between if between < second_lo else second_lo
            lo = value if value < lo else lo
            between = value if value < hi else hi
            second_hi = between if between > second_hi else second_hi
            hi = value if value > hi else hi
        linear = space.kinds[attribute] == LINEAR
        cost = span_cost(weight, lo, hi)
        if not linear:
            cost = _coded_cost(space, bench, attribute, box, first, points[attribute, first], weight)
        total += cost
        for member in range(first, last):
            value = points[attribute, member]
            low = second_lo if value == lo else lo
            high = second_hi if value == hi else hi
            rest = weight - weights[attribute, member]
            los[attribute, member], his[attribute, member], rests[attribute, member] = low, high, rest
            # of a coded attribute, as if the member's leaving saved all of its cost
            relief[member] += cost - (span_cost(rest, low, high) if linear else 0.0)
    for member in range(first, last):
        owed[member] = total


@compiled_within
def _coded_cost(
    space: Space, bench: Bench, attribute: int, box: int, member: int, value: float, weight: float
) -> float:
    """Return what a box would cost in a coded attribute if a member had another value."""
    first, last = bench.starts[box], bench.starts[box + 1]
    values = bench.points[attribute]
    bench.work[CODED] += 1
    bench.work[COMPARED] += last - first
    if space.kinds[attribute] != SET:
        lo, hi = value, value
        for peer in range(first, last):
            if peer != member:
                lo = min(lo, values[peer])
                hi = max(hi, values[peer])
        return tree_cost(weight, space.ends[attribute], space.shares[attribute], int(lo), int(hi))
    categories = 1
    for peer in range(first, last):
        if peer == member or values[peer] == value:
            continue
        new = 1
        for earlier in range(first, peer):
            if earlier != member and values[earlier] == values[peer]:
                new = 0
                bench.work[COMPARED] += earlier - first
                break
        categories += new
        bench.work[COMPARED] += new * (peer - first)
    return set_cost(weight, space.units[attribute], categories)


@compiled_within
def _weigh(linear: int, bench: Bench, member: int, members: int) -> None:
    """Find what the two boxes would cost in LINEAR attributes after an exchange of a member with each of the others."""
    totals, points, weights = bench.totals, bench.points, bench.weights
    los, his, rests = bench.lo, bench.hi, bench.rest
    bench.work[WEIGHED] += members * linear
    for peer in range(members):
        totals[peer] = 0.0
    for attribute in range(linear):
        value, weight = points[attribute, member], weights[attribute, member]
        lo, hi, rest = los[attribute, member], his[attribute, member], rests[attribute, member]
        for peer in range(members):
            peer_value, peer_lo, peer_hi = points[attribute, peer], los[attribute, peer], his[attribute, peer]
            low = peer_value if peer_value < lo else lo
            high = peer_value if peer_value > hi else hi
            lower = value if value < peer_lo else peer_lo
            upper = value if value > peer_hi else peer_hi
            totals[peer] += span_cost(rest + weights[attribute, peer], low, high)
            totals[peer] += span_cost(rests[attribute, peer] + weight, lower, upper)


@compiled_within
def _partner(space: Space, linear: int, bench: Bench, member: int, members: int, heat: float, seed: np.uint64) -> int:
    """Return the member with which an exchange saves most, -1 if no exchange saves."""
    _weigh(linear, bench, member, members)
    totals, owed = bench.totals, bench.owed
    own_box = bench.box[member]
    first, last = bench.starts[own_box], bench.starts[own_box + 1]
    own_cost = owed[member]
    best, best_gain = -1, LEAST * own_cost
    if heat > 0.0:
        bench.work[NOISED] += members
    for peer in range(members):
        gain = own_cost + owed[peer] - totals[peer]
        if heat > 0.0:
            seed = (seed ^ np.uint64(peer)) * MIX
            seed ^= seed >> FOLD
            gain += heat * float(seed >> SHIFT) * UNIT
        if gain <= best_gain or first <= peer < last:
            continue
        peer_box = bench.box[peer]
        for attribute in range(linear, space.kinds.size):
            value, own_value = bench.points[attribute, peer], bench.points[attribute, member]
            weight = bench.rest[attribute, member] + bench.weights[attribute, peer]
            gain -= _coded_cost(space, bench, attribute, own_box, member, value, weight)
            weight = bench.rest[attribute, peer] + bench.weights[attribute, member]
            gain -= _coded_cost(space, bench, attribute, peer_box, peer, own_value, weight)
            if gain <= best_gain:
                break
        if gain > best_gain:
            best, best_gain = peer, gain
    return best


@compiled_inside
def _swap(space: Space, bench: Bench, records: Counts, member: int, peer: int) -> None:
    """Exchange two members."""
    bench.work[SWAPPED] += 1
    slot, peer_slot = bench.slots[member], bench.slots[peer]
    records[slot], records[peer_slot] = records[peer_slot], records[slot]
    points, weights = bench.points, bench.weights
    for attribute in range(space.kinds.size):
        points[attribute, member], points[attribute, peer] = points[attribute, peer], points[attribute, member]
        weights[attribute, member], weights[attribute, peer] = weights[attribute, peer], weights[attribute, member]
    _settle(space, bench, bench.box[member])
    _settle(space, bench, bench.box[peer])


@compiled_inside
def exchange(
    space: Space,
    limits: Limits,
    bench: Bench,
    records: Counts,
    ends: Counts,
    group: Counts,
    heat: float,
    seed: int,
    counts: Counts,
) -> int:
    """Exchange records within a group of boxes, trying each record once; return the number of exchanges.

    ``records`` (IN, OUT) holds the boxes in a row, ``ends`` (IN) where each ends, ``group`` (IN) the numbers of the
    boxes; ``heat`` (IN) is the largest noise, ``counts`` (SCRATCH) as for the limits.
    """
    members = _seat(space, bench, records, ends, group)
    for box in range(group.size):
        _settle(space, bench, box)
    linear = 0
    while linear < space.kinds.size and space.kinds[linear] == LINEAR:
        linear += 1
    made = 0
    for member in range(members):
        # a record inside its box cannot narrow it, and one of two exchanged records is at an end of its box
        if heat == 0.0 and bench.relief[member] <= SPARED * bench.owed[member]:
            continue
        noise = np.uint64(seed) * MIX + np.uint64(member)
        partner = _partner(space, linear, bench, member, members, heat, noise)
        if partner < 0:
            continue
        _swap(space, bench, records, member, partner)
        if limits.rules.size and not (
            _fits(limits, bench, records, bench.box[member], counts)
            and _fits(limits, bench, records, bench.box[partner], counts)
        ):
            _swap(space, bench, records, member, partner)
        else:
            made += 1
    return made


@compiled_within
def _fits(limits: Limits, bench: Bench, records: Counts, box: int, counts: Counts) -> bool:
    first, last = bench.slots[bench.starts[box]], bench.slots[bench.starts[box + 1] - 1] + 1
    bench.work[TESTED] += (last - first) * limits.rules.size
    return keeps_limits(limits, records, first, last, counts)


@compiled
def exchange_groups(
    space: Space,
    limits: Limits,
    records: Counts,
    ends: Counts,
    groups: Counts,
    starts: Counts,
    room: int,
    heat: float,
    seed: int,
    counts: Counts,
    work: Counts,
) -> int:
    """Exchange records within each group of boxes, one after the other; return the number of exchanges.

    ``groups`` (IN) lists the boxes group by group, ``starts`` (IN) where each group begins, and the end; ``room``
    (IN) is the number of records that a group can have; ``work`` (OUT) the amount of each kind of work.
    """
    max_boxes: Any = np.int64(0)  # a plain 0 would be a type of its own
    for number in range(starts.size - 1):
        max_boxes = max(max_boxes, starts[number + 1] - starts[number])
    bench = make_bench(space, max(room, 1), max_boxes)
    made = 0
    for number in range(starts.size - 1):
        group = groups[starts[number] : starts[number + 1]]
        made += exchange(space, limits, bench, records, ends, group, heat, seed + number, counts)
    for kind in range(work.size):
        work[kind] = bench.work[kind]
    return made
