"""The ranges of covariance, correlation and the slope on one attribute.

Each is found for its upper end; the lower end is minus the upper end with -x for x.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from sfumato.arrays import Reals
from sfumato.statistics.quadratic import Combined, Form, Moments, Pair, divide
from sfumato.statistics.sample import Sample
from sfumato.statistics.spread import ROUNDING, spread_of

TOLERANCE = 1e-3
"""How close guaranteed and attained ends should come, as a share of the half-width of the linear range."""
SMALLEST = 1e-15
"""A tolerance that is never zero; everything is of about unit size."""
NEGLIGIBLE = 1e-10
"""Data that vary less, where they could vary by about 1, are constant as far as rounding tells."""
ROOT_HALF = math.sqrt(0.5)
MAX_ROUNDS = 40
MAX_PARTS = 120

Shape = TypeVar("Shape", Pair, Combined)


@dataclass(frozen=True)
class Range:
    """What a statistic can be."""

    lower: float
    upper: float
    attained: tuple[float, float]

    def scaled(self, factor: float) -> Range:
        """Return the range of the statistic times a positive factor."""
        low, high = self.attained
        return Range(self.lower * factor, self.upper * factor, (low * factor, high * factor))


@dataclass(frozen=True)
class Scaled:
    """Two attributes brought near 0 and to unit size by steps that rounding does not touch."""

    pair: Pair
    x_scale: float
    y_scale: float
    x_variance: tuple[float, float]
    """What the variance of x is at least and at most, in its scale."""
    y_variance: tuple[float, float]

    @classmethod
    def of(cls, sample: Sample, x: str, y: str) -> Scaled:
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
        return cls(Pair(np.stack(columns), boxes.shares, sample.records), scales[0], scales[1], *variances)


def power_of_two(number: float) -> float:
    """Return a power of two near a number, by which dividing is exact."""
    if not number > 0:
        return 1.0
    part, exponent = math.frexp(number)
    return math.ldexp(1.0, exponent if part > ROOT_HALF else exponent - 1)


def covariance_range(scaled: Scaled) -> Range:
    """Return the range of the covariance."""
    return covariance_within(scaled.pair).scaled(scaled.x_scale * scaled.y_scale)


def covariance_within(shapes: Shape) -> Range:
    """Return the range of the covariance of two numbers that lie in shapes."""
    tolerance = TOLERANCE * shapes.linear + SMALLEST

    def largest(shapes: Shape) -> tuple[float, float]:
        form = Form(shapes, 0.0, 0.0)
        best = form.climb(shapes.middles, tolerance=tolerance)
        return form.bound(best, goal=best.xy, tolerance=tolerance), best.xy

    return _both(shapes, largest)


def correlation_range(scaled: Scaled) -> Range:
    """Return the range of the correlation.

    Notes
    -----
    Between data of deviations sx and sy and any s > 0, sx sy = (s Vx + Vy / s) / 2 / cosh(ln(s sx / sy)). So with s
    fixed a correlation is bounded by a form, as tightly as ln s is known; ln s is divided until that is enough.
    """
    spans = (scaled.x_variance, scaled.y_variance)
    tolerance = (TOLERANCE * scaled.pair.linear + SMALLEST) / math.sqrt(scaled.pair.middles.xx * scaled.pair.middles.yy)

    def largest(pair: Pair) -> tuple[float, float]:
        best = _most_correlated(pair, tolerance)
        reached = best.correlation
        if spans[0][0] <= 0.0 or spans[1][0] <= 0.0 or reached >= 1.0 - tolerance:
            return 1.0, reached
        if reached < 0.0:
            return _negative_bound(pair, best, spans, tolerance), reached
        return _positive_bound(pair, best, spans, tolerance), reached

    found = _both(scaled.pair, largest)
    return Range(max(found.lower, -1.0), min(found.upper, 1.0), found.attained)


def slope_range(scaled: Scaled) -> Range:
    """Return the range of the slope of y on x; it is infinite if x can be constant."""
    least = scaled.x_variance[0]
    reference = scaled.pair.middles
    tolerance = (TOLERANCE * scaled.pair.linear + SMALLEST) / max(reference.xx, least)

    def largest(pair: Pair) -> tuple[float, float]:
        best = pair.middles
        for _ in range(MAX_ROUNDS):
            slope = best.xy / best.xx
            # C <= r V for the largest r: C - r V is a form
            cut = Form(pair, -slope, 0.0)
            found = cut.add_cut(*cut.place_of(best), tolerance=0.1 * tolerance).moments
            if found.xx < NEGLIGIBLE or not found.xy / found.xx > slope + 0.05 * tolerance:
                break
            best = found
        slope = best.xy / best.xx
        if not least > 0.0:
            return np.inf, slope
        bound = Form(pair, -slope, 0.0).bound(best, goal=0.0, tolerance=tolerance * best.xx)
        return slope + max(bound, 0.0) / least, slope

    return _both(scaled.pair, largest).scaled(scaled.y_scale / scaled.x_scale)


def _both(shapes: Shape, largest: Callable[[Shape], tuple[float, float]]) -> Range:
    """Find both ends by finding the upper one twice."""
    upper, high = largest(shapes)
    lower, low = largest(shapes.mirrored())
    # the last operations round, too
    ulp = 8 * ROUNDING
    return Range(-lower - ulp * abs(lower), upper + ulp * abs(upper), (-low, high))


def _most_correlated(pair: Pair, tolerance: float) -> Moments:
    """Find data of large correlation."""
    best = pair.middles
    for _ in range(MAX_ROUNDS):
        reached = best.correlation
        if reached >= 1.0 - tolerance:
            break
        form = _form(pair, reached, math.sqrt(best.yy / best.xx))
        found = form.add_cut(*form.place_of(best), tolerance=0.1 * tolerance).moments
        if min(found.xx, found.yy) < NEGLIGIBLE or not found.correlation > reached + 0.05 * tolerance:
            break
        best = found
    return best


def _form(pair: Pair, correlation: float, s: float) -> Form:
    """Return C - r (s Vx + Vy / s) / 2."""
    return Form(pair, -correlation * s / 2, -correlation / s / 2)


Spans = tuple[tuple[float, float], tuple[float, float]]


def _positive_bound(pair: Pair, best: Moments, spans: Spans, tolerance: float) -> float:
    """Bound a correlation that can be positive, dividing the logarithm of s = sy / sx."""
    reached = best.correlation
    (vx, wx), (vy, wy) = spans
    low, high = 0.5 * math.log(vy / wx) - 1e-12, 0.5 * math.log(wy / vx) + 1e-12
    known = min(max(0.5 * math.log(best.yy / best.xx), low), high)
    first = min(math.sqrt(tolerance), 0.5 * (high - low))

    def bound(start: float, end: float) -> float:
        s, loss = math.exp(0.5 * (start + end)), math.cosh(0.5 * (end - start))
        goal = reached / loss
        least = 0.5 * (s * vx + vy / s)
        found = _form(pair, goal, s).bound(best, goal=0.0, tolerance=tolerance * least)
        return loss * (goal + max(found, 0.0) / least)

    edges = sorted({low, max(known - first, low), min(known + first, high), high})
    return divide(bound, edges, goal=reached, enough=reached + 2 * tolerance, most=MAX_PARTS)


def _negative_bound(pair: Pair, best: Moments, spans: Spans, tolerance: float) -> float:
    """Bound a correlation that is negative in all known data: any s does."""
    reached = best.correlation
    least = math.sqrt(spans[0][0] * spans[1][0])
    s = math.sqrt(best.yy / best.xx)
    found = _form(pair, reached, s).bound(best, goal=0.0, tolerance=tolerance * least)
    return reached + max(found, 0.0) / least
