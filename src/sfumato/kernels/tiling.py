"""From boxes that guillotine cuts made to the cells that tile the space."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.arrays import Codes, Flags, Reals
from sfumato.kernels.compiled import compiled, compiled_within
from sfumato.kernels.space import SET

NONE = np.uint64(0)


@compiled
def find_cells(
    kinds: Codes,
    whole: Flags,
    lo: Reals,
    hi: Reals,
    sets: NDArray[np.uint64],
    first: int,
    last: int,
    cell_lo: Reals,
    cell_hi: Reals,
    cell_sets: NDArray[np.uint64],
) -> None:
    """Find the cells of the boxes from ``first`` to ``last``, which stand in the order of the cuts.

    ``lo`` and ``hi`` (IN) are the boxes' outermost places by attributes, ``sets`` (IN) their categories as bits, by
    attributes, boxes and words; ``whole`` (IN) tells where cuts lie on whole numbers. The cells (IN, OUT) begin as
    the whole space. A cell holds its lower end; what no box has of a set falls to the right side.
    """
    stack = np.empty((last - first + 1, 2), dtype=np.int64)
    stack[0] = first, last
    depth = 1
    size = last - first
    highest = np.empty(size)
    together = np.zeros((size, sets.shape[2]), dtype=np.uint64)
    while depth:
        depth -= 1
        low, high = stack[depth]
        if high - low < 2:
            continue
        for attribute in range(kinds.size):
            if kinds[attribute] == SET:
                middle = _part_set(sets[attribute], low, high, together)
                if middle:
                    bits = together[middle - 1 - low].copy()
                    for box in range(low, high):
                        for word in range(bits.size):
                            mask = bits[word] if box < middle else ~bits[word]
                            cell_sets[attribute, box, word] &= mask
            else:
                middle, cut = _part_places(lo[attribute], hi[attribute], whole[attribute], low, high, highest)
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


@compiled_within
def _part_places(lo: Reals, hi: Reals, whole: bool, low: int, high: int, highest: Reals) -> tuple[int, float]:
    """Return the box with which the right side of a cut begins, and the cut; 0 if there is none."""
    most = -np.inf
    for box in range(low, high):
        most = max(most, hi[box])
        highest[box - low] = most
    least = np.inf
    best, distance, cut = 0, np.inf, 0.0
    for box in range(high - 1, low, -1):
        least = min(least, lo[box])
        below = highest[box - 1 - low]
        # the most even of all that there are
        if below < least and abs(2 * box - low - high) < distance:
            best, distance, cut = box, abs(2 * box - low - high), least if whole else roundest(below, least)
    return best, cut


@compiled_within
def _part_set(sets: NDArray[np.uint64], low: int, high: int, together: NDArray[np.uint64]) -> int:
    """Return the box with which the right side of a cut between categories begins, 0 if there is none."""
    words = sets.shape[1]
    for box in range(low, high):
        for word in range(words):
            before = together[box - 1 - low, word] if box > low else NONE
            together[box - low, word] = before | sets[box, word]
    after = np.zeros(words, dtype=np.uint64)
    best, distance = 0, np.inf
    for box in range(high - 1, low, -1):
        apart = True
        for word in range(words):
            after[word] |= sets[box, word]
            apart &= (after[word] & together[box - 1 - low, word]) == NONE
        if apart and abs(2 * box - low - high) < distance:
            best, distance = box, abs(2 * box - low - high)
    return best


@compiled_within
def roundest(below: float, above: float) -> float:
    """Return the number with the fewest digits above one and below another, or up to it if both are whole."""
    whole = np.floor(below) == below and np.floor(above) == above
    largest, power = max(abs(below), abs(above)), -307
    # the first power of ten that is no less
    while power < 308 and 10.0**power < largest:
        power += 1
    for digits in range(-power, 18 - power):
        for part in (1, 2, 5):
            # steps below one as parts of one, for only their quotients are what is written
            step, parts = 10.0 ** max(-digits, 0) / part, 1.0
            if digits >= 0:
                step, parts = 1.0, part * 10.0**digits
            number = np.floor(above / step * parts + 1e-9) * step / parts
            if below < number < above or (whole and number == above):
                return number
    return above
