"""Records in boxes within boxes, so that those far from a given record are passed by together.

Every box is halved in the attribute that its records differ most in, until it holds few. What a box's records have in
common bounds from below how far any of them lies from a record outside.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sfumato.arrays import Codes, Counts, Reals
from sfumato.kernels.compiled import compiled, compiled_ratios, compiled_within
from sfumato.kernels.factorize import sort_by_keys
from sfumato.kernels.signatures import CodeTable, RealTable

LEAF = 32
"""Boxes of up to so many records are not halved."""
SAMPLE = 127
"""So many records tell where the middle of a box is."""
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
    """The places of a box's records in the order of the nest."""
    halves: Counts
    """The number of a box's first half, -1 where it is not halved."""
    los: RealTable
    his: RealTable
    """Boxes x ordinal attributes: the ends of what is not missing, the wrong way round where all is missing."""
    missing: CodeTable
    """Boxes x ordinal attributes: 1 where something is missing."""
    codes: CodeTable
    """Boxes x other attributes: the code of all its records, or MIXED."""


@compiled_ratios
def squared_difference(one: float, other: float) -> float:
    """Return the squared relative difference of two numbers neither of which is missing."""
    size = abs(one) + abs(other)
    ratio = (one - other) / size if size > 0.0 else 0.0
    return ratio * ratio


@compiled
def nest(attributes: Attributes, parts: Codes, order: Counts) -> Nest:
    """Put records, of which there is one at least, into boxes within boxes; ``order`` (IN, OUT) are their numbers.

    Large boxes are those of one of the ``parts`` (IN: one code a record) each.
    """
    # every halving makes two of one, and no half is empty
    room = 2 * order.size + 1
    starts, stops = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.int64)
    halves, of_one_part = np.full(room, -1), np.zeros(room, dtype=np.bool_)
    keys, spare, sample = np.empty(order.size), np.empty_like(order), np.empty(SAMPLE)
    stops[0] = order.size
    boxes, box = 1, 0
    while box < boxes:
        own = order[starts[box] : stops[box]]
        if own.size > LEAF:
            alone = of_one_part[box] or _rank_parts(parts, own, keys)
            # records that do not differ are halved anyhow
            middle = starts[box] + own.size // 2
            if not alone or _rank(attributes, own, keys):
                middle = starts[box] + _part(own, keys, spare, sample)
            halves[box] = boxes
            starts[boxes], stops[boxes] = starts[box], middle
            starts[boxes + 1], stops[boxes + 1] = middle, stops[box]
            of_one_part[boxes] = of_one_part[boxes + 1] = alone
            boxes += 2
        box += 1
    return _enclosed(attributes, order, starts[:boxes].copy(), stops[:boxes].copy(), halves[:boxes].copy())


@compiled_within
def _enclosed(attributes: Attributes, order: Counts, starts: Counts, stops: Counts, halves: Counts) -> Nest:
    """Find the ends and codes of boxes: of the innermost from their records, of the others from what is within them."""
    boxes, ordinals, others = starts.size, attributes.ordinal.shape[0], attributes.codes.shape[0]
    los, his = np.empty((boxes, ordinals)), np.empty((boxes, ordinals))
    missing, codes = np.zeros((boxes, ordinals), dtype=np.int32), np.empty((boxes, others), dtype=np.int32)
    for box in range(boxes - 1, -1, -1):
        one, other = halves[box], halves[box] + 1
        if one < 0:
            enclose(attributes, order[starts[box] : stops[box]], ONE, los[box], his[box], missing[box], codes[box])
            continue
        for attribute in range(ordinals):
            los[box, attribute] = min(los[one, attribute], los[other, attribute])
            his[box, attribute] = max(his[one, attribute], his[other, attribute])
            missing[box, attribute] = max(missing[one, attribute], missing[other, attribute])
        for attribute in range(others):
            same = codes[one, attribute] == codes[other, attribute]
            codes[box, attribute] = codes[one, attribute] if same else MIXED
    return Nest(starts, stops, halves, los, his, missing, codes)


@compiled
def enclose(attributes: Attributes, own: Counts, step: int, lo: Reals, hi: Reals, missing: Codes, codes: Codes) -> int:
    """Find the ends and codes (OUT) of every ``step``-th record (IN).

    Returns the attribute that they differ most in, -1 if in none.
    """
    widest, most = -1, 0.0
    for attribute in range(lo.size):
        values = attributes.ordinal[attribute]
        least, largest, absent, known = np.inf, -np.inf, 0, 0
        for place in range(0, own.size, step):
            value = values[own[place]]
            if np.isnan(value):
                absent += 1
            else:
                known += 1
                least = value if value < least else least
                largest = value if value > largest else largest
        lo[attribute], hi[attribute], missing[attribute] = least, largest, 1 if absent else 0
        width = 0.0
        if known:
            width = attributes.omegas[attribute] * (1.0 if absent else squared_difference(least, largest))
        if width > most:
            widest, most = attribute, width
    for attribute in range(codes.size):
        row = attributes.codes[attribute]
        common = row[own[0]]
        for place in range(0, own.size, step):
            if row[own[place]] != common:
                common = MIXED
                break
        codes[attribute] = common
        if common == MIXED and attributes.gammas[attribute] > most:
            widest, most = lo.size + attribute, attributes.gammas[attribute]
    return widest


@compiled_within
def _rank_parts(parts: Codes, own: Counts, keys: Reals) -> bool:
    """Write the parts that records belong to to ``keys`` (OUT); return whether it is one only."""
    alone = True
    for place in range(own.size):
        keys[place] = parts[own[place]]
        alone = alone and keys[place] == keys[0]
    return alone


@compiled_within
def _rank(attributes: Attributes, own: Counts, keys: Reals) -> bool:
    """Write what records differ most in, missing values last, to ``keys`` (OUT); return whether they differ."""
    ordinals, others = attributes.ordinal.shape[0], attributes.codes.shape[0]
    lo, hi = np.empty(ordinals), np.empty(ordinals)
    missing, codes = np.zeros(ordinals, dtype=np.int32), np.empty(others, dtype=np.int32)
    attribute = enclose(attributes, own, (own.size + SAMPLE - 1) // SAMPLE, lo, hi, missing, codes)
    if attribute < 0:
        attribute = enclose(attributes, own, ONE, lo, hi, missing, codes)
    for place in range(own.size):
        if 0 <= attribute < ordinals:
            value = attributes.ordinal[attribute, own[place]]
            keys[place] = np.inf if np.isnan(value) else value
        elif attribute >= ordinals:
            keys[place] = attributes.codes[attribute - ordinals, own[place]]
    return attribute >= 0


@compiled_within
def _part(own: Counts, keys: Reals, spare: Counts, sample: Reals) -> int:
    """Put the records (IN, OUT) with lower keys first, and return how many they are; equal keys stay together."""
    count = min(own.size, sample.size)
    for place in range(count):
        sample[place] = keys[place * own.size // count]
    sort_by_keys(sample[:count], sample[:count])
    middle = sample[count // 2]
    below = up_to = 0
    for place in range(own.size):
        below += keys[place] < middle
        up_to += keys[place] <= middle
    # keys are not all equal, so that one way at least leaves none empty
    strictly = up_to == own.size or (below > 0 and abs(2 * below - own.size) < abs(2 * up_to - own.size))
    first, second = 0, 0
    for place in range(own.size):
        if keys[place] < middle or (not strictly and keys[place] == middle):
            own[first] = own[place]
            first += 1
        else:
            spare[second] = own[place]
            second += 1
    for place in range(second):
        own[first + place] = spare[place]
    return first


@compiled
def highest_in_boxes(boxes: Nest, prices: Counts) -> Counts:
    """Return the highest price in each box; ``prices`` (IN) are in the order of the nest."""
    found = np.empty_like(boxes.starts)
    for box in range(boxes.starts.size - 1, -1, -1):
        half = boxes.halves[box]
        if half >= 0:
            found[box] = max(found[half], found[half + 1])
        else:
            highest = np.int64(-(2**62))
            for place in range(boxes.starts[box], boxes.stops[box]):
                highest = max(highest, prices[place])
            found[box] = highest
    return found
