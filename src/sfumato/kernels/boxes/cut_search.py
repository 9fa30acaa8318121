"""Search for cuts: the cost of the boxes on both sides of a cut, for every attribute and position."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.kernels.argument_types import CodeTable, RealTable
from sfumato.kernels.boxes.box_cost import LINEAR, SET, Space, set_cost, span_cost, tree_cost
from sfumato.kernels.boxes.limit_check import Limits, keeps_limits
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within
from sfumato.kernels.elementary_functions import powers
from sfumato.kernels.factorize import sort_by_keys

ROOM = 512
"""Nodes of up to this number of records are cut by examining all of them."""
SAMPLE = 256
"""Larger nodes are judged by a sample of about this number of records."""
LARGE_K = 16
"""All records are examined in nodes of up to this number times k records, too."""
EVEN = 64
"""Nodes of up to this number of boxes are cut at a multiple of k records."""
ZERO: Any = np.int64(0)
"""A plain 0 would be a type of its own, for which a kernel is compiled once more; so with the next three."""
ONE: Any = np.int64(1)
NO: Any = np.bool_(False)
YES: Any = np.bool_(True)
BUCKETS = 256
TRIES = 64
"""How many cuts are tried, best first, before a node that must keep limits is left whole."""


class Work(NamedTuple):
    """The memory that cutting needs, made once per task; all of it is scratch."""

    points: RealTable
    """Attributes by records of a small node, or of the sample of a large one."""
    costs: RealTable
    orders: CodeTable
    """Attributes by those records: their order by the attribute; the last row is in any order."""
    left_costs: Reals
    """The cost of the box of the first n records, for every n."""
    right_costs: Reals
    """The cost of the box of the other records."""
    spare: Codes
    starts: Codes
    """Where the buckets of a sort begin."""
    is_left: Flags
    """Whether a record falls on the left side."""
    stamps: Counts
    """When each category was last counted; the last entry is the time."""
    counts: Counts
    """The number of records with a category, or a code of a limit; zero between uses."""
    chosen: Flags
    """Which categories fall on the left side."""
    waste: Reals
    """The factor by which n records cost more because n is not a multiple of k."""
    tried: RealTable
    """The cuts of a node: cost, attribute, variant, position."""
    records: Counts
    """Records in the order of a node's last partition."""


def room_for(k: int) -> int:
    """Return up to how many records a node is cut by examining all of them."""
    return max(ROOM, LARGE_K * k)


def make_work(space: Space, limits: Limits, codes: int, largest: int) -> Work:
    """Make room for nodes of up to ``largest`` records; ``codes`` is the number of categories or sensitive codes."""
    attributes = space.kinds.size
    room = room_for(limits.k)
    waste = np.full(room + 1, np.inf)
    sizes = np.arange(limits.k, room + 1)
    waste[limits.k :] = powers(sizes / (sizes // limits.k * limits.k), 1.0 / attributes)
    return Work(
        np.empty((attributes, room)),
        np.empty((attributes, room)),
        np.empty((attributes + 1, room), dtype=np.int32),
        np.empty(room + 1),
        np.empty(room + 1),
        np.empty(room, dtype=np.int32),
        np.empty(BUCKETS + 1, dtype=np.int32),
        np.empty(room, dtype=np.bool_),
        np.zeros(codes + 1, dtype=np.int64),
        np.zeros(codes + 1, dtype=np.int64),
        np.zeros(codes + 1, dtype=np.bool_),
        waste,
        np.empty((2 * attributes * room, 4)),
        np.empty(largest, dtype=np.int64),
    )


@compiled
def gather(
    points: RealTable,
    costs: RealTable,
    records: Counts,
    first: int,
    last: int,
    step: int,
    node_points: RealTable,
    node_costs: RealTable,
    members: Codes,
) -> int:
    """Copy every ``step``-th record of a node (``node_points``, ``node_costs``: OUT); return how many they are."""
    size = (last - first + step - 1) // step
    for member in range(size):
        members[member] = member
    for attribute in range(points.shape[0]):
        for member in range(size):
            record = records[first + member * step]
            node_points[attribute, member] = points[attribute, record]
            node_costs[attribute, member] = costs[attribute, record]
    return size


@compiled_inside
def sort_all(
    kinds: Codes, points: RealTable, orders: CodeTable, starts: Codes, spare: Codes, low: int, high: int
) -> None:
    """Sort a node's records by each attribute: ``orders`` (IN, OUT), the last row of which is in any order."""
    for attribute in range(kinds.size):
        if kinds[attribute] != SET:
            for position in range(low, high):
                orders[attribute, position] = orders[-1, position]
            _sort_by_values(points[attribute], orders[attribute, low:high], starts, spare)


@compiled_within
def _sort_by_values(values: Reals, order: Codes, starts: Codes, spare: Codes) -> None:
    """Sort a few hundred records by their values: into buckets first, then by insertion."""
    lo, hi = np.inf, -np.inf
    for record in order:
        value = values[record]
        lo = value if value < lo else lo
        hi = value if value > hi else hi
    buckets = min(order.size, BUCKETS)
    scale = (buckets - 0.001) / (hi - lo) if hi > lo else 0.0
    for bucket in range(buckets + 1):
        starts[bucket] = 0
    for position in range(order.size):
        starts[int((values[order[position]] - lo) * scale) + 1] += 1
        spare[position] = order[position]
    for bucket in range(buckets):
        starts[bucket + 1] += starts[bucket]
    for position in range(order.size):
        bucket = int((values[spare[position]] - lo) * scale)
        order[starts[bucket]] = spare[position]
        starts[bucket] += 1
    for position in range(1, order.size):
        record = order[position]
        value = values[record]
        before = position - 1
        while before >= 0 and values[order[before]] > value:
            order[before + 1] = order[before]
            before -= 1
        order[before + 1] = record


@compiled_inside
def arrange(
    values: Reals, members: Codes, order: Codes, counts: Counts, spare: Codes, first: int, last: int, by_frequency: bool
) -> None:
    """Put a node's records in the order (OUT) of a SET's categories, or the most frequent categories first."""
    n_categories = 0
    for position in range(first, last):
        category = int(values[members[position]])
        if counts[category] == 0:
            spare[n_categories] = category
            n_categories += 1
        counts[category] += 1
    categories = spare[:n_categories]
    keys = np.empty(n_categories, dtype=np.int64)
    for position in range(n_categories):
        # of equally frequent categories the first comes first
        keys[position] = categories[position] - (counts[categories[position]] << 32 if by_frequency else ZERO)
    sort_by_keys(keys, categories)
    start = first
    for category in categories:
        size = counts[category]
        counts[category] = start
        start += size
    for position in range(first, last):
        category = int(values[members[position]])
        order[counts[category]] = members[position]
        counts[category] += 1
    for category in categories:
        counts[category] = 0


@compiled_within
def _side_costs(space: Space, work: Work, row: int, first: int, last: int) -> None:
    """Find the cost of the box of the first n records and of that of the others, for every n."""
    left_costs, right_costs, orders, points, costs = (
        work.left_costs,
        work.right_costs,
        work.orders,
        work.points,
        work.costs,
    )
    size = last - first
    for position in range(size + 1):
        left_costs[position] = 0.0
        right_costs[position] = 0.0
    for attribute in range(space.kinds.size):
        if space.kinds[attribute] != LINEAR:
            for backwards in (False, True):
                _coded_costs(space, work, attribute, orders[row, first:last], size, backwards)
            continue
        # from both ends at once, because each step waits for the one before
        lo, hi, weight = np.inf, -np.inf, 0.0
        low, high, burden = np.inf, -np.inf, 0.0
        for position in range(size):
            record = orders[row, first + position]
            value = points[attribute, record]
            weight += costs[attribute, record]
            lo = value if value < lo else lo
            hi = value if value > hi else hi
            left_costs[position + 1] += span_cost(weight, lo, hi)
            back = size - 1 - position
            record = orders[row, first + back]
            value = points[attribute, record]
            burden += costs[attribute, record]
            low = value if value < low else low
            high = value if value > high else high
            right_costs[back] += span_cost(burden, low, high)


@compiled_within
def _coded_costs(space: Space, work: Work, attribute: int, order: Codes, size: int, backwards: bool) -> None:
    """Do the same for categories, from one end."""
    values, costs, stamps, into = work.points[attribute], work.costs[attribute], work.stamps, work.left_costs
    if backwards:
        into = work.right_costs
    a_set, unit = space.kinds[attribute] == SET, space.units[attribute]
    ends, shares = space.ends[attribute], space.shares[attribute]
    lo, hi, weight, categories = np.inf, -np.inf, 0.0, 0
    stamps[-1] += 1
    now = stamps[-1]
    for step in range(size):
        position = size - 1 - step if backwards else step
        value = values[order[position]]
        weight += costs[order[position]]
        lo = value if value < lo else lo
        hi = value if value > hi else hi
        if stamps[int(value)] != now:
            stamps[int(value)] = now
            categories += 1
        cost = set_cost(weight, unit, categories) if a_set else tree_cost(weight, ends, shares, int(lo), int(hi))
        into[position if backwards else position + 1] += cost


@compiled_inside
def find_cuts(space: Space, work: Work, first: int, last: int, least: int, steered: bool) -> int:
    """List the cuts of a small node; return how many there are.

    ``least`` (IN) is the smallest side; ``steered`` (IN) says whether sides should be multiples of k.
    """
    size = last - first
    orders, points = work.orders, work.points
    n_cuts = 0
    for attribute in range(space.kinds.size):
        a_set = space.kinds[attribute] == SET
        for variant in range(2 if a_set else 1):
            if a_set:
                row, order = work.points[attribute], orders[attribute]
                arrange(row, orders[-1], order, work.counts, work.spare, first, last, variant == 1)
            if points[attribute, orders[attribute, first]] == points[attribute, orders[attribute, last - 1]]:
                continue
            _side_costs(space, work, attribute, first, last)
            for position in range(least, size - least + 1):
                below = points[attribute, orders[attribute, first + position - 1]]
                above = points[attribute, orders[attribute, first + position]]
                if below == above:
                    continue
                cost = work.left_costs[position] + work.right_costs[position]
                if steered:
                    cost = work.left_costs[position] * work.waste[position]
                    cost += work.right_costs[position] * work.waste[size - position]
                work.tried[n_cuts, 0] = cost
                work.tried[n_cuts, 1] = attribute
                work.tried[n_cuts, 2] = variant
                work.tried[n_cuts, 3] = position
                n_cuts += 1
    return n_cuts


@compiled_within
def cheapest(tried: Reals, n_cuts: int) -> int:
    """Return the cheapest cut that was not tried, and mark it as tried; -1 if all were."""
    best = -1
    least = np.inf
    for cut in range(n_cuts):
        if tried[cut, 0] < least:
            least = tried[cut, 0]
            best = cut
    if best >= 0:
        tried[best, 0] = np.inf
    return best


@compiled_inside
def may_part(limits: Limits, counts: Counts, records: Counts, first: int, middle: int, last: int) -> bool:
    """Return whether both sides of a cut keep the limits."""
    if min(middle - first, last - middle) < limits.k:
        return False
    return limits.rules.size == 0 or (
        keeps_limits(limits, records, first, middle, counts) and keeps_limits(limits, records, middle, last, counts)
    )
