"""Long sums in lanes: every number is added to one of a fixed number of partial sums, which are added up at the end.

Additions of one lane do not wait for those of another, so that a processor does as many of them at once as it can; and
because it is fixed which number is added to which lane, and in which order, the sum is the same whatever it can.
"""

from __future__ import annotations

from sfumato.arrays import Reals
from sfumato.kernels.compiled import compiled_ratios, compiled_ratios_inside

LANES = 32
STRIDE = 4 * LANES
"""So many numbers are added in one round: four to each lane."""


@compiled_ratios
def fold(lanes: Reals) -> float:
    """Add up the LANES partial sums of ``lanes`` (IN, OUT), and set them to 0."""
    for k in range(16):
        lanes[k] += lanes[k + 16]
    for k in range(8):
        lanes[k] += lanes[k + 8]
    total = ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
    for k in range(LANES):
        lanes[k] = 0.0
    return total


@compiled_ratios_inside
def add_to_lanes(numbers: Reals, lanes: Reals) -> None:
    """Add ``numbers`` (IN), up to the last multiple of STRIDE, to ``lanes`` (IN, OUT)."""
    for start in range(0, numbers.size // STRIDE * STRIDE, STRIDE):
        second, third, fourth = start + LANES, start + 2 * LANES, start + 3 * LANES
        for k in range(LANES):
            lanes[k] += (numbers[start + k] + numbers[second + k]) + (numbers[third + k] + numbers[fourth + k])


@compiled_ratios_inside
def add_products_to_lanes(one: Reals, other: Reals, lanes: Reals) -> None:
    """Add the products of two rows of numbers (IN), up to the last multiple of STRIDE, to ``lanes`` (IN, OUT)."""
    for start in range(0, one.size // STRIDE * STRIDE, STRIDE):
        second, third, fourth = start + LANES, start + 2 * LANES, start + 3 * LANES
        for k in range(LANES):
            first_half = one[start + k] * other[start + k] + one[second + k] * other[second + k]
            lanes[k] += first_half + (one[third + k] * other[third + k] + one[fourth + k] * other[fourth + k])


@compiled_ratios
def sum_of_products(one: Reals, other: Reals, lanes: Reals) -> float:
    """Return the sum of the products of two rows of numbers; ``lanes`` (LANES zeros) is room to work in."""
    whole = one.size // STRIDE * STRIDE
    add_products_to_lanes(one, other, lanes)
    rest = 0.0
    for k in range(whole, one.size):
        rest += one[k] * other[k]
    return (fold(lanes) if whole else 0.0) + rest


@compiled_ratios
def sum_of(numbers: Reals, lanes: Reals) -> float:
    """Return the sum of some numbers; ``lanes`` (LANES zeros) is room to work in."""
    whole = numbers.size // STRIDE * STRIDE
    add_to_lanes(numbers, lanes)
    rest = 0.0
    for k in range(whole, numbers.size):
        rest += numbers[k]
    return (fold(lanes) if whole else 0.0) + rest
