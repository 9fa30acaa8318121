"""Records in boxes within boxes, so that the records far from a given one are skipped together.

Every box is halved in the attribute in which its records differ most, until it holds few of them. What the records of a
box have in common gives a lower bound on the distance of any of them from a record outside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.kernels.argument_types import CodeTable, RealTable
from sfumato.kernels.compiled import compiled, compiled_ratios, compiled_within
from sfumato.kernels.factorize import sort_by_keys

LEAF = 32
"""Boxes of up to this number of records are not halved."""
SAMPLE = 127
"""The number of records by which the middle of a box is estimated."""
ONE: Any = np.int64(1)
"""A plain 1 would be a type of its own, for which a kernel is compiled once more."""
MIXED = np.int32(-(2**31))
"""Stands for the code of a box whose records have several."""


class Attributes(NamedTuple):
    """What is compared of records, attributes x records."""

    ordinal: RealTable
    """NaN where missing."""
    omegas: Reals
    codes: CodeTable
    gammas: Reals
    """Infinite where codes must not differ."""


class Nest(NamedTuple):
    """Boxes in boxes; a box comes before those within it, and the second half of one follows the first."""

    starts: Counts
    stops: Counts
    """The positions of a box's records in the order of the nest."""
    halves: Counts
    """The number of a box's first half, -1 where it is not halved."""
    los: RealTable
    his: RealTable
    """Boxes x ordinal attributes: the ends of known values; if all are missing, the lower end exceeds the upper."""
    missing: CodeTable
    """Boxes x ordinal attributes: 1 where something is missing."""
    codes: CodeTable
    """Boxes x other attributes: the code of all its records, or MIXED."""


@compiled_ratios
def squared_difference(first: float, second: float) -> float:
    """Return the squared relative difference of two numbers neither of which is missing."""
    size = abs(first) + abs(second)
    ratio = (first - second) / size if size > 0.0 else 0.0
    return ratio * ratio


@compiled
def nest(attributes: Attributes, price_groups: Codes, order: Counts) -> Nest:
    """Put at least one record into boxes within boxes; ``order`` (IN, OUT) are the records' numbers.

    A large box has records of only one of the ``price_groups`` (IN: one code per record).
    """
    # every halving makes two boxes of one, and no half is empty
    room = 2 * order.size + 1
    starts, stops = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    halves, of_one_group = np.full(room, -1), np.zeros(room, dtype=np.bool_)
    keys, spare, sample = np.empty(order.size), np.empty_like(order), np.empty(SAMPLE)
    stops[0] = order.size
    boxes, box = 1, 0
    while box < boxes:
        members = order[starts[box] : stops[box]]
        if members.size > LEAF:
            unmixed = of_one_group[box] or _rank_groups(price_groups, members, keys)
            # records that do not differ are halved as well
            middle = starts[box] + members.size // 2
            if not unmixed or _rank(attributes, members, keys):
                middle = starts[box] + _part(members, keys, spare, sample)
            halves[box] = boxes
            starts[boxes], stops[boxes] = starts[box], middle
            starts[boxes + 1], stops[boxes + 1] = middle, stops[box]
            of_one_group[boxes] = of_one_group[boxes + 1] = unmixed
            boxes += 2
        box += 1
    return _enclosed(attributes, order, starts[:boxes].copy(), stops[:boxes].copy(), halves[:boxes].copy())


@compiled_within
def _enclosed(attributes: Attributes, order: Counts, starts: Counts, stops: Counts, halves: Counts) -> Nest:
    """Find the ends and codes of boxes: of the innermost from their records, of the others from what is within them."""
    boxes, n_ordinal, n_nominal = starts.size, attributes.ordinal.shape[0], attributes.codes.shape[0]
    los, his = np.empty((boxes, n_ordinal)), np.empty((boxes, n_ordinal))
    missing, codes = np.zeros((boxes, n_ordinal), dtype=np.int32), np.empty((boxes, n_nominal), dtype=np.int32)
    for box in range(boxes - 1, -1, -1):
        first, second = halves[box], halves[box] + 1
        if first < 0:
            enclose(attributes, order[starts[box] : stops[box]], ONE, los[box], his[box], missing[box], codes[box])
            continue
        for attribute in range(n_ordinal):
            los[box, attribute] = min(los[first, attribute], los[second, attribute])
            his[box, attribute] = max(his[first, attribute], his[second, attribute])
            missing[box, attribute] = max(missing[first, attribute], missing[second, attribute])
        for attribute in range(n_nominal):
            same = codes[first, attribute] == codes[second, attribute]
            codes[box, attribute] = codes[first, attribute] if same else MIXED
    return Nest(starts, stops, halves, los, his, missing, codes)


@compiled
def enclose(
    attributes: Attributes, members: Counts, step: int, lo: Reals, hi: Reals, missing: Codes, codes: Codes
) -> int:
    """Find the ends and codes (OUT) of every ``step``-th record (IN).

    Returns the attribute in which they differ most, -1 if they do not differ.
    """
    widest, largest_width = -1, 0.0
    for attribute in range(lo.size):
        values = attributes.ordinal[attribute]
        least, largest, n_missing, n_present = np.inf, -np.inf, 0, 0
        for index in range(0, members.size, step):
            value = values[members[index]]
            if np.isnan(value):
                n_missing += 1
            else:
                n_present += 1
                least = value if value < least else least
                largest = value if value > largest else largest
        lo[attribute], hi[attribute], missing[attribute] = least, largest, 1 if n_missing else 0
        width = 0.0
        if n_present:
            width = attributes.omegas[attribute] * (1.0 if n_missing else squared_difference(least, largest))
        if width > largest_width:
            widest, largest_width = attribute, width
    for attribute in range(codes.size):
        row = attributes.codes[attribute]
        common = row[members[0]]
        for index in range(0, members.size, step):
            if row[members[index]] != common:
                common = MIXED
                break
        codes[attribute] = common
        if common == MIXED and attributes.gammas[attribute] > largest_width:
            widest, largest_width = lo.size + attribute, attributes.gammas[attribute]
    return widest


@compiled_within
def _rank_groups(price_groups: Codes, members: Counts, keys: Reals) -> bool:
    """Write the price group of each record to ``keys`` (OUT); return whether there is only one."""
    unmixed = True
    for index in range(members.size):
        keys[index] = price_groups[members[index]]
        unmixed = unmixed and keys[index] == keys[0]
    return unmixed


@compiled_within
def _rank(attributes: Attributes, members: Counts, keys: Reals) -> bool:
    """Write the attribute in which records differ most to ``keys`` (OUT), missing last; return whether they differ."""
    n_ordinal, n_nominal = attributes.ordinal.shape[0], attributes.codes.shape[0]
    lo, hi = np.empty(n_ordinal), np.empty(n_ordinal)
    missing, codes = np.zeros(n_ordinal, dtype=np.int32), np.empty(n_nominal, dtype=np.int32)
    attribute = enclose(attributes, members, (members.size + SAMPLE - 1) // SAMPLE, lo, hi, missing, codes)
    if attribute < 0:
        attribute = enclose(attributes, members, ONE, lo, hi, missing, codes)
    for index in range(members.size):
        if 0 <= attribute < n_ordinal:
            value = attributes.ordinal[attribute, members[index]]
            keys[index] = np.inf if np.isnan(value) else value
        elif attribute >= n_ordinal:
            keys[index] = attributes.codes[attribute - n_ordinal, members[index]]
    return attribute >= 0


@compiled_within
def _part(members: Counts, keys: Reals, spare: Counts, sample: Reals) -> int:
    """Put the records (IN, OUT) with lower keys first, and return how many they are; equal keys stay together."""
    count = min(members.size, sample.size)
    for index in range(count):
        sample[index] = keys[index * members.size // count]
    sort_by_keys(sample[:count], sample[:count])
    middle = sample[count // 2]
    below = up_to = 0
    for index in range(members.size):
        below += keys[index] < middle
        up_to += keys[index] <= middle
    # keys are not all equal, so that at least one way leaves neither half empty
    strictly = up_to == members.size or (below > 0 and abs(2 * below - members.size) < abs(2 * up_to - members.size))
    first, second = 0, 0
    for index in range(members.size):
        if keys[index] < middle or (not strictly and keys[index] == middle):
            members[first] = members[index]
            first += 1
        else:
            spare[second] = members[index]
            second += 1
    for index in range(second):
        members[first + index] = spare[index]
    return first


@compiled
def highest_in_boxes(boxes: Nest, prices: Counts) -> Counts:
    """Return the highest price in each box; ``prices`` (IN) are in the order of the nest."""
    highest_prices = np.empty_like(boxes.starts)
    for box in range(boxes.starts.size - 1, -1, -1):
        half = boxes.halves[box]
        if half >= 0:
            highest_prices[box] = max(highest_prices[half], highest_prices[half + 1])
        else:
            highest = np.int64(-(2**62))
            for position in range(boxes.starts[box], boxes.stops[box]):
                highest = max(highest, prices[position])
            highest_prices[box] = highest
    return highest_prices
