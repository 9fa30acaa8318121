"""Moving edges outward to a grid."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.kernels.compiled import compiled, compiled_for, interpreted_while_small

DUST = 1e-9
"""A number that is less than this share of a step below a multiple counts as the multiple."""
MOST = 2.0**48
"""The largest number of multiples of a step that can be distinguished."""


@interpreted_while_small
@compiled
def snap_down(numbers: Reals, step: float, scale: float, strictly: bool) -> tuple[Reals, Flags]:
    """Return the largest multiples of a step at (unless strictly) or below numbers, and whether these are multiples.

    Multiples are rounded to one in ``scale``, as they are written, without the dust of binary numbers. Where doubles
    cannot distinguish multiples, the step is multiplied by ten until they can.
    """
    multiples, same = np.empty_like(numbers), np.empty(numbers.size, dtype=np.bool_)
    for index in range(numbers.size):
        number, length = numbers[index], step
        while np.abs(number) > length * MOST:
            length *= 10.0
        count = np.floor(number / length + DUST)
        multiple = np.rint(count * length * scale) / scale
        if multiple > number or (strictly and multiple == number):
            multiple = np.rint((count - 1.0) * length * scale) / scale
        multiples[index] = multiple + 0.0
        same[index] = multiple == number
    return multiples, same


@compiled_for((Reals, Counts, int, float), (Counts, Counts, int, float))
def part_starts(points: Any, below: Counts, least: int, wide: float) -> Any:
    """Choose, of points in ascending order, those at which the parts of a line begin.

    Every part that has a record has at least ``least`` of them, or is at least ``wide``. ``below`` (IN) is how many
    records are below each point; none is below the first.
    """
    starts = np.empty_like(points)
    last = 0
    starts[0] = points[0]
    before = below[0]
    for index in range(1, points.size):
        records = below[index] - before
        if records == 0:
            starts[last] = points[index]
        elif records >= least or points[index] - starts[last] >= wide:
            last += 1
            starts[last] = points[index]
            before = below[index]
    return starts[: last + 1]
