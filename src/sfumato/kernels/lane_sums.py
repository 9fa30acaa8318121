"""Long sums in lanes: every number is added to one of a fixed number of partial sums, which are added up at the end.

Additions of one lane do not wait for those of another, so that a processor does as many of them at once as it can.
Which number is added to which lane, and in which order, is fixed, so that the sum does not depend on the processor.
"""

from __future__ import annotations

from sfumato.array_types import Reals
from sfumato.kernels.compiled import compiled_ratios, compiled_ratios_inside

LANES = 32
STRIDE = 4 * LANES
"""The number of terms added in one round: four to each lane."""


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
def add_products_to_lanes(xs: Reals, ys: Reals, lanes: Reals) -> None:
    """Add the products of two rows of numbers (IN), up to the last multiple of STRIDE, to ``lanes`` (IN, OUT)."""
    for start in range(0, xs.size // STRIDE * STRIDE, STRIDE):
        second, third, fourth = start + LANES, start + 2 * LANES, start + 3 * LANES
        for k in range(LANES):
            first_half = xs[start + k] * ys[start + k] + xs[second + k] * ys[second + k]
            lanes[k] += first_half + (xs[third + k] * ys[third + k] + xs[fourth + k] * ys[fourth + k])


@compiled_ratios
def sum_of_products(xs: Reals, ys: Reals, lanes: Reals) -> float:
    """Return the sum of the products of two rows of numbers; ``lanes`` (LANES zeros) is scratch."""
    n_in_lanes = xs.size // STRIDE * STRIDE
    add_products_to_lanes(xs, ys, lanes)
    rest = 0.0
    for k in range(n_in_lanes, xs.size):
        rest += xs[k] * ys[k]
    return (fold(lanes) if n_in_lanes else 0.0) + rest


@compiled_ratios
def sum_of(numbers: Reals, lanes: Reals) -> float:
    """Return the sum of some numbers; ``lanes`` (LANES zeros) is scratch."""
    n_in_lanes = numbers.size // STRIDE * STRIDE
    add_to_lanes(numbers, lanes)
    rest = 0.0
    for k in range(n_in_lanes, numbers.size):
        rest += numbers[k]
    return (fold(lanes) if n_in_lanes else 0.0) + rest
