"""Ruspini partitions of an attribute, defined by the points where its sets have grade 1."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.shapes import (
    Crisp,
    Falling,
    PiShaped,
    Rising,
    Shape,
    SShaped,
    Trapezoidal,
    Triangular,
    ZShaped,
    written,
)
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.microfile import readable

Plateau = tuple[float, float]
DIGITS = 12
"""Points found in data are written with this number of digits."""


def ruspini(
    attribute: str,
    points: Sequence[float | Sequence[float]],
    *,
    names: Sequence[str] | None = None,
    smooth: bool = False,
    missing: str | None = None,
) -> LinguisticVariable:
    """Return a partition whose sets have grade 1 at given points and cross between them.

    Parameters
    ----------
    attribute
        The numeric attribute.
    points
        Where each set has grade 1, ascending: a number, or the two ends of a plateau. The first set has grade 1 below,
        the last one above.
    names
        The words; default: such as ``"about 40"``.
    smooth
        Whether slopes are rounded.
    missing
        The word for missing numbers.

    Examples
    --------
    >>> age = ruspini("age", [33, (37, 38), 42], names=["young", "middle", "old"])
    >>> age.grades([34, 39]).tolist()
    [[0.75, 0.25, 0.0], [0.0, 0.75, 0.25]]
    """
    plateaus = [_plateau(point) for point in points]
    if len(plateaus) < 2:
        raise SettingError(f"a partition of {attribute!r} needs at least two points (given: {len(plateaus)})")
    for before, after in pairwise(plateaus):
        if not before[1] < after[0]:
            raise SettingError(
                f"points of {attribute!r} must ascend, with gaps between them; {written(before[1])} is followed by "
                f"{written(after[0])}",
                hint="for sets without slopes, use crisp(attribute, cuts)",
            )
    if names is None:
        names = [_name(plateau, position, len(plateaus)) for position, plateau in enumerate(plateaus)]
    return _variable(attribute, names, _crossing(plateaus, smooth=smooth), missing)


def crisp(
    attribute: str, cuts: Sequence[float], *, names: Sequence[str] | None = None, missing: str | None = None
) -> LinguisticVariable:
    """Return a partition into intervals, cut at given numbers; a cut belongs to the interval above it.

    >>> crisp("age", [36, 41]).grades([35, 36, 50]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if not cuts or any(later <= earlier for earlier, later in pairwise(cuts)):
        raise SettingError(f"cuts of {attribute!r} must be one or more ascending numbers")
    shapes = [Crisp(start=start, stop=stop) for start, stop in pairwise([None, *cuts, None])]
    return _variable(attribute, names or [shape.words() for shape in shapes], shapes, missing)


def ruspini_from(
    attribute: str,
    numbers: ArrayLike,
    *,
    sets: int = 3,
    names: Sequence[str] | None = None,
    smooth: bool = False,
    missing: str | None = None,
) -> LinguisticVariable:
    """Return a partition whose sets have grade 1 at equally spaced quantiles of the data.

    The points are rounded to a readable grid, because a quantile is a record's own value. To use other centres, pass
    them as points to :func:`ruspini`.

    >>> [shape.corners for shape in ruspini_from("age", range(100)).values.values()]
    [(20.0, 50.0), (20.0, 50.0, 80.0), (50.0, 80.0)]
    """
    if sets < 2:
        raise SettingError(f"a partition of {attribute!r} needs at least two sets (given: {sets})")
    finite = np.asarray(numbers, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    if not finite.size:
        raise SettingError(
            f"{attribute!r} has no numbers, and therefore no quantiles", setting="sets", column=attribute
        )
    quantiles = np.quantile(finite, (2 * np.arange(sets) + 1) / (2 * sets))
    gap = float(np.diff(quantiles).min())
    if gap <= 0:
        raise SettingError(
            f"{sets} quantiles of {attribute!r} coincide: too many records have the same value",
            hint="choose fewer sets, or give the points",
            setting="sets",
            column=attribute,
        )
    points = _on_grid(quantiles, gap)
    if any(later <= earlier for earlier, later in pairwise(points)):
        # the points are near records' values, so they are not part of the message
        raise SettingError(
            f"{sets} quantiles of {attribute!r} are equal to {DIGITS} digits: its values are too close together",
            hint="subtract a constant from the attribute, or choose fewer sets",
            setting="sets",
            column=attribute,
        )
    return ruspini(attribute, points, names=names, smooth=smooth, missing=missing)


def _on_grid(quantiles: Reals, gap: float) -> list[float]:
    # at most half the gap, so that no two points meet
    step = readable(gap / 5)
    return [float(f"{count * step:.{DIGITS}g}") for count in np.rint(quantiles / step)]


def _plateau(point: float | Sequence[float]) -> Plateau:
    ends = tuple(point) if isinstance(point, Sequence) else (point, point)
    if len(ends) != 2 or not np.isfinite(ends).all() or ends[1] < ends[0]:
        raise SettingError("a point of a partition is a number, or the two ascending ends of a plateau")
    return float(ends[0]), float(ends[1])


def _crossing(plateaus: Sequence[Plateau], *, smooth: bool) -> list[Shape]:
    """Return shapes of which each falls where the next one rises."""
    falling, full, rising = (ZShaped, PiShaped, SShaped) if smooth else (Falling, Trapezoidal, Rising)
    inner: list[Shape] = [
        Triangular(corners=(before[1], plateau[0], after[0]))
        if plateau[0] == plateau[1] and not smooth
        else full(corners=(before[1], *plateau, after[0]))
        for before, plateau, after in zip(plateaus, plateaus[1:], plateaus[2:], strict=False)
    ]
    first = falling(corners=(plateaus[0][1], plateaus[1][0]))
    return [first, *inner, rising(corners=(plateaus[-2][1], plateaus[-1][0]))]


def _name(plateau: Plateau, position: int, count: int) -> str:
    low, high = map(written, plateau)
    if position == 0:
        return f"up to {high}"
    if position == count - 1:
        return f"{low} and more"
    return f"about {low}" if low == high else f"about {low} to {high}"


def _variable(attribute: str, names: Sequence[str], shapes: Sequence[Shape], missing: str | None) -> LinguisticVariable:
    if len(set(names)) != len(shapes):
        raise SettingError(
            f"the {len(shapes)} sets of {attribute!r} need {len(shapes)} different names (given: {len(names)})"
        )
    return LinguisticVariable(attribute=attribute, values=dict(zip(names, shapes, strict=True)), missing=missing)
