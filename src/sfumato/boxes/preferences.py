"""What experts prefer as cut points, as fuzzy sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from sfumato.arrays import Reals
from sfumato.boxes.axes import Axis
from sfumato.settings import Settings

NEAR = 0.01
"""How far from a point a cut is still somewhat preferred, as a share of the attribute's span."""


class Preference(Settings):
    """Where cuts of an attribute are preferred: a triangular fuzzy set around each point."""

    points: tuple[float, ...] = ()
    """Such as 18 and 65: a cut that puts what is below on one side and the point itself on the other."""
    multiples: float | None = Field(default=None, gt=0)
    """Multiples of this number, such as 1000, are preferred too."""
    spread: float | None = Field(default=None, gt=0)
    """Up to this distance a cut is still somewhat preferred; default: a hundredth of the attribute's span, or a
    tenth of ``multiples``."""


def preferred(
    prefer: Mapping[str, Preference], strength: float, axes: Sequence[Axis]
) -> tuple[Reals, Reals, Reals, float]:
    """Return the points and their spreads, the steps and their spreads by axes, and the strength, for the kernels."""
    most = max((len(one.points) for one in prefer.values()), default=0) or 1
    points = np.full((len(axes), most), np.nan)
    spreads, steps = np.zeros((len(axes), most)), np.zeros((len(axes), 2))
    for row, axis in enumerate(axes):
        if axis.name in prefer:
            one = prefer[axis.name]
            points[row, : len(one.points)] = one.points
            spreads[row] = one.spread or NEAR * axis.span
            if one.multiples is not None:
                steps[row] = one.multiples, one.spread or 0.1 * one.multiples
    return points, spreads, steps, strength if prefer else 0.0
