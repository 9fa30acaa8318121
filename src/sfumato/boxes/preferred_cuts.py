"""What experts prefer as cut points, as fuzzy sets.

A preferred point is a step in the way along its attribute: a box that reaches across it is wider by the step. So the
preference is a part of what boxes cost, and cutting and swapping records heed it alike. Where the preference is
fuzzy, the step is a ramp: the integral of the fuzzy set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from sfumato.array_types import Reals
from sfumato.boxes.axes import QuasiAxis, as_rows
from sfumato.boxes.box_edges import resolution_of
from sfumato.kernels.elementary_functions import powers
from sfumato.settings import Settings


class Preference(Settings):
    """Where cuts of an attribute are preferred."""

    points: tuple[float, ...] = ()
    """Such as 18 and 65: a cut that puts what is below on one side and the point itself on the other."""
    multiples: float | None = Field(default=None, gt=0)
    """Multiples of this number, such as 1000, are preferred too."""
    spread: float = Field(default=0.0, ge=0)
    """Up to this distance from a point a cut is still somewhat preferred: half the base of a triangular fuzzy set."""


def preferred_places(
    prefer: Mapping[str, Preference], strength: float, axes: Sequence[QuasiAxis], *, boxes: float
) -> Reals:
    """Return the places of all axes, with a step at each preferred point.

    Parameters
    ----------
    prefer, strength
        The preferences, and how high a step is, in widths of a usual box.
    axes
        The attributes.
    boxes
        How many boxes there will be, about.
    """
    typical_width = float(powers(max(boxes, 1.0), -1.0 / len(axes)))
    return as_rows(
        [
            _stepped(axis.coordinates, prefer[axis.name], strength * typical_width * axis.span, axis.origin)
            if axis.name in prefer
            else axis.coordinates
            for axis in axes
        ]
    )


def _stepped(coordinates: Reals, preference: Preference, height: float, origin: int) -> Reals:
    # between two values that can occur, just below the point
    before = 0.5 * (resolution_of(coordinates) or 0.0)
    stepped = coordinates.copy()
    for point in preference.points:
        stepped += height * _ramp(coordinates - (point - origin) + before, preference.spread)
    if preference.multiples is not None:
        shifted = coordinates + (before + origin % preference.multiples)
        steps = np.floor(shifted / preference.multiples)
        nearest = np.rint(shifted / preference.multiples)
        if preference.spread > 0:
            steps = nearest - 1 + _ramp(shifted - nearest * preference.multiples, preference.spread)
        stepped += height * steps
    return stepped


def _ramp(distances: Reals, spread: float) -> Reals:
    """Return the share of a triangular fuzzy set around 0 that lies below each distance."""
    if spread == 0:
        return (distances >= 0).astype(np.float64)
    share = np.clip(distances / spread, -1.0, 1.0)
    return np.where(share < 0, 0.5 * (1 + share) ** 2, 1 - 0.5 * (1 - share) ** 2)
