"""Moving edges outward to a grid."""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Reals
from sfumato.kernels.compiled import compiled

DUST = 1e-9
"""A number that is so little below a multiple of the step is one."""


@compiled
def snap_down(numbers: Reals, step: float, scale: float, further: int) -> tuple[Reals, Reals]:
    """Return the multiples of a step below numbers, and the next multiples of ``further`` steps below those.

    They are rounded to one in ``scale``, as they are written, without the dust of binary numbers.
    """
    near, far = np.empty_like(numbers), np.empty_like(numbers)
    for place in range(numbers.size):
        count = np.floor(numbers[place] / step + DUST)
        if np.rint(count * step * scale) / scale > numbers[place]:
            count -= 1.0
        near[place] = np.rint(count * step * scale) / scale + 0.0
        beyond = np.floor((count - 1.0) / further) * further
        far[place] = np.rint(beyond * step * scale) / scale + 0.0
    return near, far
