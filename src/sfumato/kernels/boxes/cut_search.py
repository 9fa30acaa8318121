"""Looking for cuts: what the boxes on the two sides of a cut would cost, for every attribute and position."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.kernels.boxes.box_cost import LINEAR, SET, Space, set_cost, span_cost, tree_cost
from sfumato.kernels.boxes.box_limits import Limits, keeps_limits
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within
from sfumato.kernels.elementary import powers
from sfumato.kernels.factorize import sort_by_keys
from sfumato.kernels.signatures import CodeTable, RealTable

ROOM = 512
"""Nodes of up to so many records are cut by looking at all of them."""
SAMPLE = 256
"""Larger ones are judged by a sample of about so many."""
LARGE_K = 16
"""Rooms hold at least so many boxes."""
EVEN = 64
"""Nodes of up to so many boxes are cut at a multiple of k records."""
ZERO: Any = np.int64(0)
"""A plain 0 would be a type of its own, for which a kernel is compiled once more; so with the next three."""
ONE: Any = np.int64(1)
NO: Any = np.bool_(False)
YES: Any = np.bool_(True)
BUCKETS = 256
TRIES = 64
"""How many cuts are tried, best first, before a node that must keep limits is left whole."""


class Work(NamedTuple):
    """What cutting needs to remember, made once a task; all of it is scratch."""

    places: RealTable
    """Attributes by records of a small node, or of the sample of a large one."""
    costs: RealTable
    orders: CodeTable
    """Attributes by those records: in the order of the attribute; one row more in any order."""
    left: Reals
    """What the box of the first so many records costs."""
    right: Reals
    """What the box of the others costs."""
    spare: Codes
    starts: Codes
    """Where the buckets of a sort begin."""
    here: Flags
    """Whether a record falls on the left side."""
    stamps: Counts
    """When each category was met last; at the end, the time."""
    counts: Counts
    """How many records have a category, or a code of a limit; zero between uses."""
    chosen: Flags
    """Which categories fall on the left side."""
    waste: Reals
    """What so many records cost more because they are no multiple of k."""
    tried: RealTable
    """The cuts of a node by (cost, attribute, variant, position)."""
    records: Counts
    """Records in the order of a node's last partition."""


def room_for(k: int) -> int:
    """Return up to how many records a node is cut by looking at all of them."""
    return max(ROOM, LARGE_K * k)


def make_work(space: Space, limits: Limits, codes: int, largest: int) -> Work:
    """Make what nodes of up to ``largest`` records need; ``codes`` is the number of categories or sensitive codes."""
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
    places: RealTable,
    costs: RealTable,
    records: Counts,
    first: int,
    last: int,
    step: int,
    its_places: RealTable,
    its_costs: RealTable,
    members: Codes,
) -> int:
    """Copy every ``step``-th record of a node (``its_places``, ``its_costs``: OUT); return how many they are."""
    size = (last - first + step - 1) // step
    for member in range(size):
        members[member] = member
    for attribute in range(places.shape[0]):
        for member in range(size):
            record = records[first + member * step]
            its_places[attribute, member] = places[attribute, record]
            its_costs[attribute, member] = costs[attribute, record]
    return size


@compiled_inside
def sort_all(
    kinds: Codes, places: RealTable, orders: CodeTable, starts: Codes, spare: Codes, low: int, high: int
) -> None:
    """Sort a node's records by each attribute: ``orders`` (IN, OUT), the last row of which is in any order."""
    for attribute in range(kinds.size):
        if kinds[attribute] != SET:
            for place in range(low, high):
                orders[attribute, place] = orders[-1, place]
            _sort_places(places[attribute], orders[attribute, low:high], starts, spare)


@compiled_within
def _sort_places(places: Reals, order: Codes, starts: Codes, spare: Codes) -> None:
    """Sort a few hundred records by their places: into buckets first, then among neighbours."""
    lo, hi = np.inf, -np.inf
    for record in order:
        value = places[record]
        lo = value if value < lo else lo
        hi = value if value > hi else hi
    buckets = min(order.size, BUCKETS)
    scale = (buckets - 0.001) / (hi - lo) if hi > lo else 0.0
    for bucket in range(buckets + 1):
        starts[bucket] = 0
    for place in range(order.size):
        starts[int((places[order[place]] - lo) * scale) + 1] += 1
        spare[place] = order[place]
    for bucket in range(buckets):
        starts[bucket + 1] += starts[bucket]
    for place in range(order.size):
        bucket = int((places[spare[place]] - lo) * scale)
        order[starts[bucket]] = spare[place]
        starts[bucket] += 1
    for place in range(1, order.size):
        record = order[place]
        value = places[record]
        before = place - 1
        while before >= 0 and places[order[before]] > value:
            order[before + 1] = order[before]
            before -= 1
        order[before + 1] = record


@compiled_inside
def arrange(
    places: Reals, members: Codes, order: Codes, counts: Counts, spare: Codes, first: int, last: int, by_frequency: bool
) -> None:
    """Put a node's records in the order (OUT) of a SET's categories, or the most frequent categories first."""
    found = 0
    for place in range(first, last):
        category = int(places[members[place]])
        if counts[category] == 0:
            spare[found] = category
            found += 1
        counts[category] += 1
    categories = spare[:found]
    keys = np.empty(found, dtype=np.int64)
    for place in range(found):
        # of equally frequent ones the first comes first
        keys[place] = categories[place] - (counts[categories[place]] << 32 if by_frequency else ZERO)
    sort_by_keys(keys, categories)
    start = first
    for category in categories:
        size = counts[category]
        counts[category] = start
        start += size
    for place in range(first, last):
        category = int(places[members[place]])
        order[counts[category]] = members[place]
        counts[category] += 1
    for category in categories:
        counts[category] = 0


@compiled_within
def _side_costs(space: Space, work: Work, row: int, first: int, last: int) -> None:
    """Find what the box of the first so many records costs, and that of the others, for every number of them."""
    left, right, orders, places, costs = work.left, work.right, work.orders, work.places, work.costs
    size = last - first
    for place in range(size + 1):
        left[place] = 0.0
        right[place] = 0.0
    for attribute in range(space.kinds.size):
        if space.kinds[attribute] != LINEAR:
            for backwards in (False, True):
                _coded_costs(space, work, attribute, orders[row, first:last], size, backwards)
            continue
        # from both ends at once, because each step waits for the one before
        lo, hi, weight = np.inf, -np.inf, 0.0
        low, high, burden = np.inf, -np.inf, 0.0
        for place in range(size):
            record = orders[row, first + place]
            value = places[attribute, record]
            weight += costs[attribute, record]
            lo = value if value < lo else lo
            hi = value if value > hi else hi
            left[place + 1] += span_cost(weight, lo, hi)
            back = size - 1 - place
            record = orders[row, first + back]
            value = places[attribute, record]
            burden += costs[attribute, record]
            low = value if value < low else low
            high = value if value > high else high
            right[back] += span_cost(burden, low, high)


@compiled_within
def _coded_costs(space: Space, work: Work, attribute: int, order: Codes, size: int, backwards: bool) -> None:
    """As above for categories, from one end."""
    places, costs, stamps, into = work.places[attribute], work.costs[attribute], work.stamps, work.left
    if backwards:
        into = work.right
    a_set, unit = space.kinds[attribute] == SET, space.units[attribute]
    ends, shares = space.ends[attribute], space.shares[attribute]
    lo, hi, weight, categories = np.inf, -np.inf, 0.0, 0
    stamps[-1] += 1
    now = stamps[-1]
    for step in range(size):
        place = size - 1 - step if backwards else step
        value = places[order[place]]
        weight += costs[order[place]]
        lo = value if value < lo else lo
        hi = value if value > hi else hi
        if stamps[int(value)] != now:
            stamps[int(value)] = now
            categories += 1
        cost = set_cost(weight, unit, categories) if a_set else tree_cost(weight, ends, shares, int(lo), int(hi))
        into[place if backwards else place + 1] += cost


@compiled_inside
def find_cuts(space: Space, work: Work, first: int, last: int, least: int, steered: bool) -> int:
    """List the cuts of a small node; return how many there are.

    ``least`` (IN) is the smallest side; ``steered`` (IN) tells whether sides should be multiples of k.
    """
    size = last - first
    orders, places = work.orders, work.places
    found = 0
    for attribute in range(space.kinds.size):
        a_set = space.kinds[attribute] == SET
        for variant in range(2 if a_set else 1):
            if a_set:
                row, order = work.places[attribute], orders[attribute]
                arrange(row, orders[-1], order, work.counts, work.spare, first, last, variant == 1)
            if places[attribute, orders[attribute, first]] == places[attribute, orders[attribute, last - 1]]:
                continue
            _side_costs(space, work, attribute, first, last)
            for position in range(least, size - least + 1):
                below = places[attribute, orders[attribute, first + position - 1]]
                above = places[attribute, orders[attribute, first + position]]
                if below == above:
                    continue
                cost = work.left[position] + work.right[position]
                if steered:
                    cost = work.left[position] * work.waste[position]
                    cost += work.right[position] * work.waste[size - position]
                work.tried[found, 0] = cost
                work.tried[found, 1] = attribute
                work.tried[found, 2] = variant
                work.tried[found, 3] = position
                found += 1
    return found


@compiled_within
def cheapest(tried: Reals, found: int) -> int:
    """Return the cheapest cut that was not taken, and take it; -1 if there is none."""
    best = -1
    least = np.inf
    for cut in range(found):
        if tried[cut, 0] < least:
            least = tried[cut, 0]
            best = cut
    if best >= 0:
        tried[best, 0] = np.inf
    return best


@compiled_inside
def may_part(limits: Limits, counts: Counts, records: Counts, first: int, middle: int, last: int) -> bool:
    """Tell whether both sides of a cut keep the limits."""
    if min(middle - first, last - middle) < limits.k:
        return False
    return limits.rules.size == 0 or (
        keeps_limits(limits, records, first, middle, counts) and keeps_limits(limits, records, middle, last, counts)
    )
