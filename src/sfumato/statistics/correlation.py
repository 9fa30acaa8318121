"""The correlation of two attributes, and the proof of its range."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.algebra import dot, product
from sfumato.progress import Progress
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.moment_statistic import MomentStatistic, centred
from sfumato.statistics.pair_range import MAX_ROUNDS, NEGLIGIBLE, SMALLEST, TOLERANCE, ScaledPair, both_ends
from sfumato.statistics.quadratic_bound import Form, PairMoments, Rectangles, divide
from sfumato.statistics.statistic_range import StatisticRange

MAX_PARTS = 120

Spans = tuple[tuple[float, float], tuple[float, float]]


class Correlation(MomentStatistic):
    """The correlation of two attributes."""

    name: ClassVar[str] = "corr"
    form: ClassVar[str] = "corr(x, y)"
    title: ClassVar[str] = "Correlation"
    n_attributes: ClassVar[int] = 2
    signed: ClassVar[bool] = True

    def values(self, points: Reals, shares: Reals) -> Reals:
        """Return the correlation; NaN if an attribute is constant."""
        _, distances = centred(points, shares)
        covariances: Reals = product(distances * shares, distances.T)
        scale = float(np.sqrt(covariances[0, 0]) * np.sqrt(covariances[1, 1]))
        return np.clip(covariances[0, 1:] / scale, -1.0, 1.0) if scale > 0 else np.full(1, np.nan)

    def gradient(self, points: Reals, shares: Reals) -> Reals:
        """Return the derivatives by each value; NaN if an attribute is constant."""
        _, (x, y) = centred(points, shares)
        vx, vy, c = dot(x * x, shares), dot(y * y, shares), dot(x * y, shares)
        scale = np.sqrt(vx) * np.sqrt(vy)
        if not scale > 0:
            return np.full((1, 2, shares.size), np.nan)
        return np.stack([shares * (y - c / vx * x) / scale, shares * (x - c / vy * y) / scale])[None]

    def influences(self, points: Reals, shares: Reals) -> Reals:
        """Return how much another record like each would move the correlation."""
        _, (x, y) = centred(points, shares)
        c = dot(x * y, shares)
        sx, sy = math.sqrt(dot(x * x, shares)), math.sqrt(dot(y * y, shares))
        if not sx * sy > 0:
            return np.full((1, shares.size), np.nan)
        zx, zy = x / sx, y / sy
        return np.asarray(zx * zy - c / sx / sy / 2 * (zx**2 + zy**2))[None]

    def natural_sizes(self, spreads: Reals) -> Reals:
        """Return one."""
        return np.ones(1)

    @property
    def varying(self) -> tuple[str, ...]:
        """Both attributes must vary."""
        return self.attributes

    def ranges(self, sample: Sample, values: Reals, slopes: Reals, progress: Progress) -> list[StatisticRange]:
        """Return the range, as :func:`correlation_range` proves it."""
        return [correlation_range(ScaledPair.of(sample, *self.attributes))]


def correlation_range(scaled: ScaledPair) -> StatisticRange:
    """Return the range of the correlation.

    Notes
    -----
    Between data of deviations sx and sy and any s > 0, sx sy = (s Vx + Vy / s) / 2 / cosh(ln(s sx / sy)). So with s
    fixed a correlation is bounded by a form, as tightly as ln s is known; ln s is divided until that is enough.
    """
    spans = (scaled.x_variance, scaled.y_variance)
    tolerance = (TOLERANCE * scaled.pair.linear + SMALLEST) / math.sqrt(scaled.pair.middles.xx * scaled.pair.middles.yy)

    def largest(pair: Rectangles) -> tuple[float, float]:
        best = _most_correlated(pair, tolerance)
        reached = best.correlation
        if spans[0][0] <= 0.0 or spans[1][0] <= 0.0 or reached >= 1.0 - tolerance:
            return 1.0, reached
        if reached < 0.0:
            return _negative_bound(pair, best, spans, tolerance), reached
        return _positive_bound(pair, best, spans, tolerance), reached

    span = both_ends(scaled.pair, largest)
    return StatisticRange(max(span.lower, -1.0), min(span.upper, 1.0), span.attained)


def _most_correlated(pair: Rectangles, tolerance: float) -> PairMoments:
    """Find data of large correlation."""
    best = pair.middles
    for _ in range(MAX_ROUNDS):
        reached = best.correlation
        if reached >= 1.0 - tolerance:
            break
        form = _form(pair, reached, math.sqrt(best.yy / best.xx))
        moments = form.add_cut(*form.means_of(best), tolerance=0.1 * tolerance).moments
        if min(moments.xx, moments.yy) < NEGLIGIBLE or not moments.correlation > reached + 0.05 * tolerance:
            break
        best = moments
    return best


def _form(pair: Rectangles, correlation: float, s: float) -> Form:
    """Return C - r (s Vx + Vy / s) / 2."""
    return Form(pair, -correlation * s / 2, -correlation / s / 2)


def _positive_bound(pair: Rectangles, best: PairMoments, spans: Spans, tolerance: float) -> float:
    """Bound a correlation that can be positive, dividing the logarithm of s = sy / sx."""
    reached = best.correlation
    (vx, wx), (vy, wy) = spans
    low, high = 0.5 * math.log(vy / wx) - 1e-12, 0.5 * math.log(wy / vx) + 1e-12
    attained = min(max(0.5 * math.log(best.yy / best.xx), low), high)
    first = min(math.sqrt(tolerance), 0.5 * (high - low))

    def bound(start: float, end: float) -> float:
        s, loss = math.exp(0.5 * (start + end)), math.cosh(0.5 * (end - start))
        goal = reached / loss
        least = 0.5 * (s * vx + vy / s)
        excess = _form(pair, goal, s).bound(best, goal=0.0, tolerance=tolerance * least)
        return loss * (goal + max(excess, 0.0) / least)

    edges = sorted({low, max(attained - first, low), min(attained + first, high), high})
    return divide(bound, edges, goal=reached, enough=reached + 2 * tolerance, max_parts=MAX_PARTS)


def _negative_bound(pair: Rectangles, best: PairMoments, spans: Spans, tolerance: float) -> float:
    """Bound a correlation that is negative in all known data: any s does."""
    reached = best.correlation
    least = math.sqrt(spans[0][0] * spans[1][0])
    s = math.sqrt(best.yy / best.xx)
    excess = _form(pair, reached, s).bound(best, goal=0.0, tolerance=tolerance * least)
    return reached + max(excess, 0.0) / least
