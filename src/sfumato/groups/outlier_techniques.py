"""Techniques besides the modified Thompson tau that detect outliers even where several places stand out.

Once a quarter of the places are outliers, they widen the quartiles and mask each other. The techniques here withstand
that: they use the median distance from the median, they test outwards from the bulk (generalised extreme Studentized
deviates, Rosner 1983), or they look for a gap as wide as all the rest.

No spread is taken to be less than the chance variation of counts: the root of the centre, in people, and at least one
person. Without this floor a signal with mostly equal places would have no spread, and a place would stand out either
always or never.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, TypeAlias, get_args

import numpy as np

from sfumato.array_types import Flags, Reals

Technique: TypeAlias = Literal["tau", "median", "deviates", "gap"]
"""The modified Thompson tau, the median distance, generalised extreme Studentized deviates, the widest gap."""
TECHNIQUES: tuple[Technique, ...] = get_args(Technique)
FEWEST_VALUES = 5
"""Among fewer places the techniques of this module detect nothing."""
NORMAL_MEDIAN_DISTANCE = 1.4826
"""The deviation of a normal distribution, in median distances from the median."""


def unit_of(values: Reals) -> float:
    """Return what one person amounts to in a signal of unknown origin: 1 if all values are integers, otherwise 0."""
    return 1.0 if (values == np.floor(values)).all() else 0.0


def detect_with(technique: Technique, values: Reals, *, alpha: float, unit: float | None = None) -> tuple[int, ...]:
    """Return the places that a technique other than "tau" detects, ascending; equal values are detected together.

    Parameters
    ----------
    technique
        The name of the technique.
    values
        One number per place.
    alpha
        The significance level; "gap" does not use it.
    unit
        What one person amounts to in the signal; no spread is less than its chance variation. See :func:`unit_of`.
    """
    if values.size < FEWEST_VALUES:
        return ()
    ascending = np.sort(values)
    person = unit_of(values) if unit is None else unit
    if technique == "median":
        low, high = _by_median(ascending, alpha, person)
    elif technique == "deviates":
        low, high = _by_deviates(ascending, alpha, person)
    else:
        low, high = _by_gap(ascending, person)
    outside: Flags = (values < low) | (values > high)
    return tuple(np.flatnonzero(outside).tolist())


def least_spread(centre: float, unit: float) -> float:
    """Return the deviation of counts around a centre that is due to chance alone."""
    return unit * math.sqrt(max(abs(centre) / unit, 1.0)) if unit > 0 else 0.0


def _by_median(ascending: Reals, alpha: float, unit: float) -> tuple[float, float]:
    """Return the range in which nothing stands out, by the median distance from the median."""
    size = ascending.size
    centre = float(np.median(ascending))
    distances = np.abs(ascending - centre)
    spread = max(NORMAL_MEDIAN_DISTANCE * float(np.median(distances)), least_spread(centre, unit))
    if spread == 0:
        # more than half of the values are equal, and what a person amounts to is unknown
        spread = float(distances.mean())
    reach = _student(alpha / (2 * size), size - 1) * spread
    return centre - reach, centre + reach


def _by_deviates(ascending: Reals, alpha: float, unit: float) -> tuple[float, float]:
    """Return the range in which nothing stands out, by generalised extreme Studentized deviates."""
    size = ascending.size
    first, last = 0, size
    total, squares = float(ascending.sum()), float((ascending * ascending).sum())
    ends = float(ascending[0]), float(ascending[-1])
    limits = -math.inf, math.inf
    for removed in range((size - 1) // 2):
        n_remaining = size - removed
        centre = total / n_remaining
        deviation = math.sqrt(max(squares - total * centre, 0.0) / (n_remaining - 1))
        spread = max(deviation, least_spread(centre, unit))
        above, below = ends[1] - centre, centre - ends[0]
        farthest = max(above, below)
        student = _student(alpha / (2 * n_remaining), n_remaining - 2)
        critical = student * (n_remaining - 1) / math.sqrt((n_remaining - 2 + student * student) * n_remaining)
        if above >= below:
            last -= 1
            removed_value = ends[1]
            ends = ends[0], float(ascending[last - 1])
        else:
            first += 1
            removed_value = ends[0]
            ends = float(ascending[first]), ends[1]
        total, squares = total - removed_value, squares - removed_value * removed_value
        if spread > 0 and farthest > critical * spread:
            limits = ends
    return limits


def _by_gap(ascending: Reals, unit: float) -> tuple[float, float]:
    """Return the range in which nothing stands out: inside a gap that is wider than all that it encloses."""
    highest = _before_gap(ascending, unit)
    lowest = -_before_gap(-ascending[::-1], unit)
    return lowest, highest


def _before_gap(ascending: Reals, unit: float) -> float:
    """Return the value below the first gap in the upper half that is wider than the range of all values below it."""
    for rank in range(max(ascending.size // 2 + 1, FEWEST_VALUES - 1), ascending.size):
        inner = float(ascending[rank - 1])
        # there are gaps between counts by chance too
        inside = max(inner - float(ascending[0]), 3 * least_spread(inner, unit))
        if float(ascending[rank]) - inner > inside > 0:
            return inner
    return math.inf


@lru_cache(maxsize=4096)
def _student(alpha: float, degrees: int) -> float:
    from scipy.stats import t as student

    return float(student.isf(alpha, degrees))
