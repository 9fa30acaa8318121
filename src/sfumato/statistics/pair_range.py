"""The ranges of the covariance of two attributes, and of the slope of one on the other.

Only upper ends are computed; a lower end is minus the upper end with -x for x.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sfumato.array_types import Reals
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.quadratic_bound import Form, Rectangles, Zonotopes
from sfumato.statistics.rounding_error import ROUNDING
from sfumato.statistics.statistic_range import StatisticRange
from sfumato.statistics.variance_range import spread_of

TOLERANCE = 1e-3
"""How close guaranteed and attained ends should come, as a share of the half-width of the linear range."""
SMALLEST = 1e-15
"""Keeps a tolerance above zero; all data have about unit size."""
NEGLIGIBLE = 1e-10
"""Data of unit size with a smaller variance are constant except for rounding."""
ROOT_HALF = math.sqrt(0.5)
MAX_ROUNDS = 40

Shape = TypeVar("Shape", Rectangles, Zonotopes)


@dataclass(frozen=True)
class ScaledPair:
    """Two attributes, shifted near 0 and scaled to about unit size by powers of two, which is exact."""

    pair: Rectangles
    x_scale: float
    y_scale: float
    x_variance: tuple[float, float]
    """The smallest and the largest variance of x, in its scale."""
    y_variance: tuple[float, float]

    @classmethod
    def of(cls, sample: Sample, x: str, y: str) -> ScaledPair:
        """Scale two attributes of a sample."""
        boxes, names = sample.boxes, list(sample.bounds)
        columns: list[Reals] = []
        scales: list[float] = []
        variances: list[tuple[float, float]] = []
        for name in (x, y):
            spread, centre, row = spread_of(sample, name), sample.bounds[name].middle, names.index(name)
            scale = power_of_two(math.sqrt(spread.upper))
            columns += [(boxes.lo[row] - centre) / scale, (boxes.hi[row] - centre) / scale]
            scales.append(scale)
            variances.append((spread.lower / scale**2, spread.upper / scale**2))
        return cls(Rectangles(np.stack(columns), boxes.shares, sample.records), scales[0], scales[1], *variances)


def power_of_two(number: float) -> float:
    """Return a power of two near a number, by which dividing is exact."""
    if not number > 0:
        return 1.0
    mantissa, exponent = math.frexp(number)
    return math.ldexp(1.0, exponent if mantissa > ROOT_HALF else exponent - 1)


def covariance_range(scaled: ScaledPair) -> StatisticRange:
    """Return the range of the covariance."""
    return covariance_within(scaled.pair).scaled(scaled.x_scale * scaled.y_scale)


def covariance_within(shapes: Shape) -> StatisticRange:
    """Return the range of the covariance of two numbers, given the region of each record."""
    tolerance = TOLERANCE * shapes.linear + SMALLEST

    def largest(shapes: Shape) -> tuple[float, float]:
        form = Form(shapes, 0.0, 0.0)
        best = form.climb(shapes.middles, tolerance=tolerance)
        return form.bound(best, goal=best.xy, tolerance=tolerance), best.xy

    return both_ends(shapes, largest)


def slope_range(scaled: ScaledPair) -> StatisticRange:
    """Return the range of the slope of y on x; it is infinite if x can be constant."""
    least = scaled.x_variance[0]
    reference = scaled.pair.middles
    tolerance = (TOLERANCE * scaled.pair.linear + SMALLEST) / max(reference.xx, least)

    def largest(pair: Rectangles) -> tuple[float, float]:
        best = pair.middles
        for _ in range(MAX_ROUNDS):
            slope = best.xy / best.xx
            # C <= r V for the largest r: C - r V is a form
            cut = Form(pair, -slope, 0.0)
            moments = cut.add_cut(*cut.means_of(best), tolerance=0.1 * tolerance).moments
            if moments.xx < NEGLIGIBLE or not moments.xy / moments.xx > slope + 0.05 * tolerance:
                break
            best = moments
        slope = best.xy / best.xx
        if not least > 0.0:
            return np.inf, slope
        bound = Form(pair, -slope, 0.0).bound(best, goal=0.0, tolerance=tolerance * best.xx)
        return slope + max(bound, 0.0) / least, slope

    return both_ends(scaled.pair, largest).scaled(scaled.y_scale / scaled.x_scale)


def both_ends(shapes: Shape, largest: Callable[[Shape], tuple[float, float]]) -> StatisticRange:
    """Compute both ends as upper ends."""
    upper, high = largest(shapes)
    lower, low = largest(shapes.mirrored())
    # the last operations round, too
    ulp = 8 * ROUNDING
    return StatisticRange(-lower - ulp * abs(lower), upper + ulp * abs(upper), (-low, high))
