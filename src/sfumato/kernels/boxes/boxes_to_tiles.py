"""The cells that tile the space, from boxes that guillotine cuts made."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.kernels.argument_types import CountTable, RealTable
from sfumato.kernels.boxes.box_cost import SET
from sfumato.kernels.compiled import compiled, compiled_within

PARENT, LOW, MIDDLE, SIZE = range(4)
"""The columns of a cut between categories: the set that it divides, the boxes on its left side, and the number of
categories of these."""


@compiled
def find_cells(
    kinds: Codes,
    integral: Flags,
    lo: RealTable,
    hi: RealTable,
    categories: Codes,
    starts: CountTable,
    first: int,
    last: int,
    cell_lo: RealTable,
    cell_hi: RealTable,
    cell_sets: CountTable,
    cuts: CountTable,
    n_cuts: int,
    latest: Counts,
) -> int:
    """Find the cells of the boxes from ``first`` to ``last``, which are in the order of the cuts.

    ``lo`` and ``hi`` (IN) are the ends of the boxes by attributes; ``integral`` (IN) says in which attributes cuts are
    whole numbers. The ``categories`` (IN) of a box begin at ``starts`` (IN), by attributes and boxes. The cells (IN,
    OUT) begin as the whole space. A cell includes its lower end; categories of a set that no box has fall to the right
    side.

    Sets are numbered, by attributes and boxes: 0 is the whole space, and the cut in row ``i`` of ``cuts`` (OUT), of
    which there are ``n_cuts`` already, makes ``2 i + 1`` on its left and ``2 i + 2`` on its right. ``latest`` is
    scratch, with room for every category. Returns the new number of cuts.
    """
    stack = np.empty((last - first + 1, 2), dtype=np.int64)
    stack[0] = first, last
    depth = 1
    highest = np.empty(last - first)
    while depth:
        depth -= 1
        low, high = stack[depth]
        if high - low < 2:
            continue
        for attribute in range(kinds.size):
            if kinds[attribute] == SET:
                middle, size = _part_set(categories, starts[attribute], low, high, latest)
                if middle:
                    cuts[n_cuts, PARENT], cuts[n_cuts, SIZE] = cell_sets[attribute, low], size
                    cuts[n_cuts, LOW], cuts[n_cuts, MIDDLE] = low, middle
                    cell_sets[attribute, low:middle] = 2 * n_cuts + 1
                    cell_sets[attribute, middle:high] = 2 * n_cuts + 2
                    n_cuts += 1
            else:
                middle, cut = _part_values(lo[attribute], hi[attribute], integral[attribute], low, high, highest)
                for box in range(low, high if middle else low):
                    if box < middle:
                        cell_hi[attribute, box] = cut
                    else:
                        cell_lo[attribute, box] = cut
            if middle:
                stack[depth] = low, middle
                stack[depth + 1] = middle, high
                depth += 2
                break
    return n_cuts


@compiled
def list_sets(
    categories: Codes, starts: Counts, every: Codes, cuts: CountTable, set_ids: Counts, mark: Counts
) -> tuple[Codes, Counts]:
    """Return the categories of the sets with ``set_ids`` (IN), one set after the other, and where each ends.

    ``categories`` and ``starts`` (IN) are those of one attribute's boxes, ``every`` (IN) the categories of the whole
    space, ``cuts`` (IN) as :func:`find_cells` leaves them. ``mark`` is scratch, zero for every category.
    """
    sizes = np.empty(2 * len(cuts) + 1, dtype=np.int64)
    sizes[0] = every.size
    for cut in range(len(cuts)):
        sizes[2 * cut + 1] = cuts[cut, SIZE]
        sizes[2 * cut + 2] = sizes[cuts[cut, PARENT]] - cuts[cut, SIZE]
    ends = np.cumsum(sizes[set_ids])
    listed = np.empty(ends[-1], dtype=np.int32)
    for index in range(set_ids.size):
        number, stamp = set_ids[index], index + 1
        # a right side is the divided set without the left side, and so on
        while number and number % 2 == 0:
            cut = number // 2 - 1
            for category in categories[starts[cuts[cut, LOW]] : starts[cuts[cut, MIDDLE]]]:
                mark[category] = stamp
            number = cuts[cut, PARENT]
        within = every
        if number:
            cut = number // 2
            within = categories[starts[cuts[cut, LOW]] : starts[cuts[cut, MIDDLE]]]
        at = begin = ends[index] - sizes[set_ids[index]]
        for category in within:
            if mark[category] != stamp:
                mark[category] = stamp
                listed[at] = category
                at += 1
        listed[begin:at].sort()
    return listed, ends


@compiled_within
def _part_values(lo: Reals, hi: Reals, integral: bool, low: int, high: int, highest: Reals) -> tuple[int, float]:
    """Return the box with which the right side of a cut begins, and the cut; 0 if there is none."""
    highest_so_far = -np.inf
    for box in range(low, high):
        highest_so_far = max(highest_so_far, hi[box])
        highest[box - low] = highest_so_far
    lowest_so_far = np.inf
    best, distance, cut = 0, np.inf, 0.0
    for box in range(high - 1, low, -1):
        lowest_so_far = min(lowest_so_far, lo[box])
        below = highest[box - 1 - low]
        # the most even of all possible cuts
        if below < lowest_so_far and abs(2 * box - low - high) < distance:
            best, distance, cut = (
                box,
                abs(2 * box - low - high),
                lowest_so_far if integral else roundest(below, lowest_so_far),
            )
    return best, cut


@compiled_within
def _part_set(categories: Codes, starts: Counts, low: int, high: int, latest: Counts) -> tuple[int, int]:
    """Return the box with which the right side of a cut between categories begins, and how many the left side has.

    Both are 0 without such a cut.
    """
    for box in range(low, high):
        for category in categories[starts[box] : starts[box + 1]]:
            latest[category] = box
    best, distance, size = 0, high - low, 0
    # how far the boxes so far reach, and how many categories they have that no later one has
    reach, passed = low, 0
    for box in range(low, high):
        if reach < box and abs(2 * box - low - high) <= distance:
            best, distance, size = box, abs(2 * box - low - high), passed
        for category in categories[starts[box] : starts[box + 1]]:
            reach = max(reach, latest[category])
            passed += latest[category] == box
    return best, size


@compiled_within
def roundest(below: float, above: float) -> float:
    """Return the number with the fewest digits between two numbers; of whole numbers, the upper one is allowed, too."""
    integral = np.floor(below) == below and np.floor(above) == above
    largest, power = max(abs(below), abs(above)), -307
    # the first power of ten that is not less
    while power < 308 and 10.0**power < largest:
        power += 1
    for digits in range(-power, 18 - power):
        for divisor in (1, 2, 5):
            # steps below one as fractions: only their quotients are the decimals as written
            step, per_unit = 10.0 ** max(-digits, 0) / divisor, 1.0
            if digits >= 0:
                step, per_unit = 1.0, divisor * 10.0**digits
            number = np.floor(above / step * per_unit + 1e-9) * step / per_unit
            if below < number < above or (integral and number == above):
                return number
    return above
