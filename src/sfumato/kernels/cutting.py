"""Cutting records into boxes: the best cut over all attributes and positions, again and again.

A box's cost is the sum over its records and attributes of cost times width; a cut is good if the boxes of its two
sides cost little. Nodes of more than some hundred records are judged by a sample of them; which side a record
falls on is always decided by its own values, and every limit is checked on all records.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.kernels.compiled import compiled
from sfumato.kernels.keys import sort_by_keys
from sfumato.kernels.limits import Limits, keeps_limits
from sfumato.kernels.space import LINEAR, SET, Space, node_width

ROOM = 512
"""Nodes of up to so many records are cut by looking at all of them."""
SAMPLE = 256
"""Larger ones are judged by a sample of about so many."""
QUICK_ROOM, QUICK_SAMPLE = 2048, 64
"""The same in a hurry: the attribute whose width costs most is cut in its middle, without trying the others."""
QUICK_SMALL = 40
"""In a hurry, so few records are cut as well as can be, but only in the two attributes whose widths cost most."""
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

    places: Reals
    """Attributes by records of a small node, or of the sample of a large one."""
    costs: Reals
    orders: Codes
    """Attributes by those records: in the order of the attribute; one row more in any order."""
    left: Reals
    """What the box of the first so many records costs."""
    right: Reals
    """What the box of the others costs."""
    spare: Codes
    spare_order: Codes
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
    tried: Reals
    """The cuts of a node by (cost, attribute, variant, position)."""
    records: Counts
    """Records in the order of a node's last partition."""


@compiled
def room_for(k: int, quick: bool) -> int:
    """Return up to how many records a node is cut by looking at all of them."""
    return max(QUICK_ROOM if quick else ROOM, LARGE_K * k)


@compiled
def make_work(space: Space, limits: Limits, codes: int, largest: int, quick: bool) -> Work:
    """Make what nodes of up to ``largest`` records need; ``codes`` is the number of categories or sensitive codes."""
    attributes = space.kinds.size
    room = room_for(limits.k, quick)
    waste = np.full(room + 1, np.inf)
    for size in range(limits.k, room + 1):
        waste[size] = (size / (size // limits.k * limits.k)) ** (1.0 / attributes)
    return Work(
        np.empty((attributes, room)),
        np.empty((attributes, room)),
        np.empty((attributes + 1, room), dtype=np.int32),
        np.empty(room + 1),
        np.empty(room + 1),
        np.empty(room, dtype=np.int32),
        np.empty(QUICK_SAMPLE, dtype=np.int32),
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
def _gather(space: Space, work: Work, records: Counts, first: int, last: int, step: int) -> int:
    """Copy every ``step``-th record of a node; return how many they are."""
    size = (last - first + step - 1) // step
    for member in range(size):
        work.orders[-1, member] = member
    for attribute in range(space.kinds.size):
        places, costs = space.places[attribute], space.costs[attribute]
        its_places, its_costs = work.places[attribute], work.costs[attribute]
        for member in range(size):
            record = records[first + member * step]
            its_places[member] = places[record]
            its_costs[member] = costs[record]
    return size


@compiled
def _sort_all(space: Space, work: Work, low: int, high: int) -> None:
    """Sort a node's records by each attribute."""
    for attribute in range(space.kinds.size):
        if space.kinds[attribute] != SET:
            order = work.orders[attribute, low:high]
            order[:] = work.orders[-1, low:high]
            _sort(work, work.places[attribute], order)


@compiled
def _sort(work: Work, places: Reals, order: Codes) -> None:
    """Sort a few hundred records by their places: into buckets first, then among neighbours."""
    lo, hi = np.inf, -np.inf
    for record in order:
        value = places[record]
        lo = value if value < lo else lo
        hi = value if value > hi else hi
    buckets = min(order.size, BUCKETS)
    scale = (buckets - 0.001) / (hi - lo) if hi > lo else 0.0
    starts, spare = work.starts, work.spare
    starts[: buckets + 1] = 0
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


@compiled
def _arrange(work: Work, attribute: int, first: int, last: int, by_frequency: bool) -> None:
    """Put a node's records in the order of a SET's categories, or the most frequent categories first."""
    places, members, order = work.places[attribute], work.orders[-1], work.orders[attribute]
    found = 0
    for place in range(first, last):
        category = int(places[members[place]])
        if work.counts[category] == 0:
            work.spare[found] = category
            found += 1
        work.counts[category] += 1
    categories = work.spare[:found]
    keys = np.empty(found, dtype=np.int64)
    for place in range(found):
        # of equally frequent ones the first comes first
        keys[place] = categories[place] - (work.counts[categories[place]] << 32 if by_frequency else ZERO)
    sort_by_keys(keys, categories)
    start = first
    for category in categories:
        size = work.counts[category]
        work.counts[category] = start
        start += size
    for place in range(first, last):
        category = int(places[members[place]])
        order[work.counts[category]] = members[place]
        work.counts[category] += 1
    for category in categories:
        work.counts[category] = 0


@compiled
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
            left[place + 1] += weight * (hi - lo)
            back = size - 1 - place
            record = orders[row, first + back]
            value = places[attribute, record]
            burden += costs[attribute, record]
            low = value if value < low else low
            high = value if value > high else high
            right[back] += burden * (high - low)


@compiled
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
        width = 0.0
        if categories > 1:
            width = unit * categories if a_set else node_width(ends, shares, int(lo), int(hi))
        into[place if backwards else place + 1] += weight * width


@compiled
def _find_cuts(space: Space, work: Work, first: int, last: int, least: int, steered: bool, quick: bool) -> int:
    """List the cuts of a small node; return how many there are.

    ``least`` (IN) is the smallest side; ``steered`` (IN) tells whether sides should be multiples of k.
    """
    size = last - first
    orders, places = work.orders, work.places
    found = 0
    enough = _width_that_counts(space, work, first, last) if quick else 0.0
    for attribute in range(space.kinds.size):
        a_set = space.kinds[attribute] == SET
        if quick and _cost_of_width(work, attribute, first, last) < enough:
            continue
        for variant in range(2 if a_set else 1):
            if a_set:
                _arrange(work, attribute, first, last, variant == 1)
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


@compiled
def _cost_of_width(work: Work, attribute: int, first: int, last: int) -> float:
    """Return what a sorted LINEAR attribute's width costs."""
    orders, places, costs = work.orders, work.places, work.costs
    weight = 0.0
    for place in range(first, last):
        weight += costs[attribute, orders[attribute, place]]
    return weight * (places[attribute, orders[attribute, last - 1]] - places[attribute, orders[attribute, first]])


@compiled
def _width_that_counts(space: Space, work: Work, first: int, last: int) -> float:
    """Return what the width of the second costliest attribute costs."""
    most, second = 0.0, 0.0
    for attribute in range(space.kinds.size):
        cost = _cost_of_width(work, attribute, first, last)
        second = max(second, min(most, cost))
        most = max(most, cost)
    return second


@compiled
def _cheapest(work: Work, found: int) -> int:
    """Return the cheapest cut that was not taken, and take it; -1 if there is none."""
    best = -1
    least = np.inf
    for cut in range(found):
        if work.tried[cut, 0] < least:
            least = work.tried[cut, 0]
            best = cut
    if best >= 0:
        work.tried[best, 0] = np.inf
    return best


@compiled
def _divide_small(
    space: Space,
    limits: Limits,
    work: Work,
    records: Counts,
    first: int,
    last: int,
    quick: bool,
    ends: Counts,
    boxes: int,
) -> int:
    """Cut a node that fits into ``work`` until no cut is left; return the number of boxes.

    ``records`` (IN, OUT) is put in the order of the boxes, whose ends are written to ``ends`` (OUT) from ``boxes``.
    """
    size = _gather(space, work, records, first, last, ONE)
    own = records[first:last].copy()
    if not quick:
        _sort_all(space, work, ZERO, size)
    stack = np.empty((size + 1, 3), dtype=np.int64)
    stack[0] = 0, size, 0 if quick else 1
    depth = 1
    while depth:
        depth -= 1
        low, high, is_sorted = stack[depth]
        position = 0
        if not is_sorted and high - low > max(QUICK_SMALL, LARGE_K // 2 * limits.k):
            position = _cut_middle(space, limits, work, own, low, high)
        if position == 0 and high - low >= 2 * limits.k:
            if not is_sorted:
                _sort_all(space, work, low, high)
                is_sorted = 1
            position = _cut_small(space, limits, work, own, low, high, quick)
        if position:
            stack[depth] = low + position, high, is_sorted
            stack[depth + 1] = low, low + position, is_sorted
            depth += 2
        else:
            for place in range(low, high):
                records[first + place] = own[work.orders[-1, place]]
            ends[boxes] = first + high
            boxes += 1
    return boxes


@compiled
def _cut_middle(space: Space, limits: Limits, work: Work, own: Counts, low: int, high: int) -> int:
    """Cut the attribute whose width costs most, where half of its cost lies on either side.

    XK13's optimum has a_i Delta_i equal for all i, which this approaches, see ERRATA 001-15. Returns how many
    records fall on the left side, 0 if there is no such cut.
    """
    places, orders, here = work.places, work.orders, work.here
    row = space.kinds.size
    attribute, above = _middle(row, places, work.costs, orders[row], low, high, work)
    if attribute < 0:
        return 0
    lefts = 0
    for place in range(low, high):
        record = orders[row, place]
        here[record] = places[attribute, record] < above
        lefts += here[record]
    _part(work, row, low, high)
    # so many of the left side's largest are too many for a multiple of k
    extra = lefts % limits.k
    most = above
    for end in range(low + lefts - 1, low + lefts - 1 - extra, -1):
        largest, most = low, places[attribute, orders[row, low]]
        for place in range(low, end + 1):
            value = places[attribute, orders[row, place]]
            if value > most:
                largest, most = place, value
        orders[row, largest], orders[row, end] = orders[row, end], orders[row, largest]
    position = lefts - extra
    if position <= 0:
        return 0
    for place in range(low, low + position if extra else low):
        if places[attribute, orders[row, place]] >= most:
            # equal values would stand on both sides
            return 0
    if limits.rules.size:
        for place in range(low, high):
            work.records[place] = own[orders[row, place]]
    return position if _may_part(limits, work, work.records, low, low + position, high) else 0


@compiled
def _middle(
    attributes: int, places: Reals, costs: Reals, records: Codes | Counts, first: int, last: int, work: Work
) -> tuple[int, float]:
    """Return the attribute whose width costs most by a sample, and the value below which half of its cost lies."""
    step = (last - first + QUICK_SAMPLE - 1) // QUICK_SAMPLE
    widest, most, half = -1, 0.0, 0.0
    for attribute in range(attributes):
        values, weights = places[attribute], costs[attribute]
        lo, hi, weight = np.inf, -np.inf, 0.0
        for place in range(first, last, step):
            value = values[records[place]]
            lo = value if value < lo else lo
            hi = value if value > hi else hi
            weight += weights[records[place]]
        if weight * (hi - lo) > most:
            widest, most, half = attribute, weight * (hi - lo), 0.5 * weight
    if widest < 0:
        return -1, 0.0
    sample, weights, order = work.left, work.right, work.spare_order
    size = 0
    for place in range(first, last, step):
        sample[size] = places[widest, records[place]]
        weights[size] = costs[widest, records[place]]
        order[size] = size
        size += 1
    _sort(work, sample, order[:size])
    position, weight = 0, 0.0
    while position < size - 1 and (weight < half or sample[order[position]] == sample[order[0]]):
        weight += weights[order[position]]
        position += 1
    return widest, sample[order[position]]


@compiled
def _cut_small(space: Space, limits: Limits, work: Work, own: Counts, low: int, high: int, quick: bool) -> int:
    """Make the best cut that keeps the limits; return how many records fall on its left side, 0 if there is none."""
    found = _find_cuts(space, work, low, high, limits.k, YES, quick)
    for _ in range(TRIES):
        cut = _cheapest(work, found)
        if cut < 0:
            return 0
        attribute, variant = int(work.tried[cut, 1]), int(work.tried[cut, 2])
        position = int(work.tried[cut, 3])
        if space.kinds[attribute] == SET:
            _arrange(work, attribute, low, high, variant == 1)
        order = work.orders[attribute]
        if limits.rules.size:
            for place in range(low, high):
                work.records[place] = own[order[place]]
            if not _may_part(limits, work, work.records, low, low + position, high):
                continue
        for place in range(low, high):
            work.here[order[place]] = place < low + position
        # sides that cannot be cut again need no order
        again = max(position, high - low - position) >= 2 * limits.k
        for row in range(space.kinds.size if again else 0):
            if row != attribute and space.kinds[row] != SET:
                _part(work, row, low, high)
        _part(work, space.kinds.size, low, high)
        return position
    return 0


@compiled
def _part(work: Work, row: int, low: int, high: int) -> None:
    """Put the left side's records first in an order, else keeping it."""
    orders, here, spare = work.orders, work.here, work.spare
    lefts, rights = low, 0
    for place in range(low, high):
        record = orders[row, place]
        orders[row, lefts] = record
        spare[rights] = record
        lefts += here[record]
        rights += not here[record]
    for place in range(rights):
        orders[row, lefts + place] = spare[place]


@compiled
def _cut_large(space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int, quick: bool) -> int:
    """Cut a node by a sample; return where its right side begins, or ``first`` if there is no cut."""
    if quick:
        attribute, above = _middle(space.kinds.size, space.places, space.costs, records, first, last, work)
        if attribute >= 0:
            middle = _part_records(space, work, records, first, last, attribute, above)
            middle = _evened(space, limits, records, first, middle, last, attribute)
            if _may_part(limits, work, records, first, middle, last):
                return middle
    step = (last - first + SAMPLE - 1) // SAMPLE
    size = _gather(space, work, records, first, last, step)
    _sort_all(space, work, ZERO, size)
    found = _find_cuts(space, work, ZERO, size, max(ONE, limits.k // step), NO, NO)
    for _ in range(TRIES):
        cut = _cheapest(work, found)
        if cut < 0:
            break
        attribute, variant = int(work.tried[cut, 1]), int(work.tried[cut, 2])
        position = int(work.tried[cut, 3])
        a_set = space.kinds[attribute] == SET
        if a_set:
            _arrange(work, attribute, ZERO, size, variant == 1)
        order, places = work.orders[attribute], work.places[attribute]
        if a_set:
            for place in range(position):
                work.chosen[int(places[order[place]])] = True
        middle = _part_records(space, work, records, first, last, attribute, places[order[position]])
        if a_set:
            for place in range(position):
                work.chosen[int(places[order[place]])] = False
        else:
            middle = _evened(space, limits, records, first, middle, last, attribute)
        if _may_part(limits, work, records, first, middle, last):
            return middle
        _forget_near(work, found, cut, size)
    return _cut_heap(space, limits, work, records, first, last)


@compiled
def _forget_near(work: Work, found: int, cut: int, size: int) -> None:
    """Do not try cuts that are nearly the same as one that breaks a limit."""
    for other in range(found):
        alike = work.tried[other, 1] == work.tried[cut, 1] and work.tried[other, 2] == work.tried[cut, 2]
        if alike and abs(work.tried[other, 3] - work.tried[cut, 3]) <= size // 32:
            work.tried[other, 0] = np.inf


@compiled
def _evened(space: Space, limits: Limits, records: Counts, first: int, middle: int, last: int, attribute: int) -> int:
    """Move the cut of a node of few boxes down to a multiple of k records, unless it parts equal values there."""
    extra = (middle - first) % limits.k
    kept = middle - first - extra
    if extra == 0 or kept == 0 or last - first > EVEN * limits.k:
        return middle
    values = space.places[attribute]
    above = np.inf
    for end in range(middle - 1, middle - 1 - extra, -1):
        largest, above = first, values[records[first]]
        for place in range(first, end + 1):
            if values[records[place]] > above:
                largest, above = place, values[records[place]]
        records[largest], records[end] = records[end], records[largest]
    for place in range(first, first + kept):
        if values[records[place]] >= above:
            return middle
    return first + kept


@compiled
def _cut_heap(space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int) -> int:
    """Cut off what differs from the value that a whole sample has; return as for a large node."""
    for attribute in range(space.kinds.size):
        values = space.places[attribute]
        common = values[records[first + (last - first) // 2]]
        if space.kinds[attribute] == SET:
            work.chosen[int(common)] = True
            middle = _part_records(space, work, records, first, last, attribute, 0.0)
            work.chosen[int(common)] = False
            if _may_part(limits, work, records, first, middle, last):
                return middle
            continue
        next_up = np.inf
        for place in range(first, last):
            value = values[records[place]]
            if common < value < next_up:
                next_up = value
        for above in (common, next_up):
            middle = _part_records(space, work, records, first, last, attribute, above)
            if _may_part(limits, work, records, first, middle, last):
                return middle
    return first


@compiled
def _may_part(limits: Limits, work: Work, records: Counts, first: int, middle: int, last: int) -> bool:
    if min(middle - first, last - middle) < limits.k:
        return False
    return limits.rules.size == 0 or (
        keeps_limits(limits, records, first, middle, work.counts)
        and keeps_limits(limits, records, middle, last, work.counts)
    )


@compiled
def _part_records(
    space: Space, work: Work, records: Counts, first: int, last: int, attribute: int, above: float
) -> int:
    """Put the left side's records first: below a value, or of the chosen categories; return where the others begin."""
    values = space.places[attribute]
    a_set = space.kinds[attribute] == SET
    lefts, rights = first, 0
    for place in range(first, last):
        record = records[place]
        value = values[record]
        here = work.chosen[int(value)] if a_set else value < above
        records[lefts] = record
        work.records[rights] = record
        lefts += here
        rights += not here
    for place in range(rights):
        records[lefts + place] = work.records[place]
    return lefts


@compiled
def split(
    space: Space, limits: Limits, work: Work, records: Counts, first: int, last: int, most: int, quick: bool
) -> Counts:
    """Cut a node until its parts have at most ``most`` records, or cannot be cut by a sample; return their ends.

    ``records`` (IN, OUT) is put in the order of the parts; ``quick`` (IN) needs attributes that are all LINEAR.
    """
    ends = np.empty((last - first) // limits.k + 1, dtype=np.int64)
    parts = 0
    stack = np.empty(((last - first) // limits.k + 2, 2), dtype=np.int64)
    stack[0] = first, last
    depth = 1
    while depth:
        depth -= 1
        low, high = stack[depth]
        middle = low
        if high - low > most:
            middle = _cut_large(space, limits, work, records, low, high, quick)
        if middle > low:
            stack[depth] = middle, high
            stack[depth + 1] = low, middle
            depth += 2
        else:
            ends[parts] = high
            parts += 1
    return ends[:parts].copy()


@compiled
def divide(space: Space, limits: Limits, work: Work, records: Counts, first: int, parts: Counts, quick: bool) -> Counts:
    """Cut parts of a node into boxes; return where each box ends in ``records`` (IN, OUT), which is put in their order.

    ``parts`` (IN) is where each part ends, the first beginning at ``first`` (IN), as :func:`split` left them.
    """
    ends = np.empty((parts[-1] - first) // limits.k + 1, dtype=np.int64)
    boxes = ZERO
    start = first
    for end in parts:
        if end - start <= work.spare.size:
            boxes = _divide_small(space, limits, work, records, start, end, quick, ends, boxes)
        else:
            ends[boxes] = end
            boxes += 1
        start = end
    return ends[:boxes].copy()
