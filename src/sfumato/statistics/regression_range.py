"""The ranges of the coefficients of a linear regression.

One predictor: the slope is a ratio of a covariance and a variance, bounded as a correlation is.

Two predictors x and u: with d and g the slopes of x and of y - r x on u, and V(x | u) the variance of x - d u,

    (b - r) V(x | u) = C(x - d0 u, y - r x - g0 u) - (d - d0) V(u) (g - g0)

for any d0 and g0. The covariance is of two combinations, so its range is found as for two attributes; the last term is
a product of two deviations whose ranges are known from regressions on one predictor, and vanishes as the interval of d
is divided.

More predictors: with b0 the slopes at the middles, e = y - b0 x, S the covariances of the predictors and R the inverse
of the middle of S, b - b0 = (R S)^-1 R C(x, e). Every entry of R C(x, e) is a covariance of two combinations. S is an
interval matrix; with E at least |R S - I|, the inverse of R S is I + F with |F| <= (I - E)^-1 - I if the eigenvalues of
E are below one. If they are not, nothing is proved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import inverse, product, pseudo_inverse
from sfumato.progress import Progress
from sfumato.statistics.interval_sample import DistinctBoxes, Sample
from sfumato.statistics.mean import mean_slack
from sfumato.statistics.pair_range import SMALLEST, ScaledPair, covariance_within, power_of_two, slope_range
from sfumato.statistics.quadratic_bound import Form, Rectangles, Zonotopes, divide
from sfumato.statistics.regression_fit import RegressionFit
from sfumato.statistics.rounding_error import ROUNDING, rounding_of
from sfumato.statistics.statistic import Statistic
from sfumato.statistics.statistic_range import StatisticRange
from sfumato.statistics.variance_range import spread_of
from sfumato.threads import side_by_side

MAX_CLIMBS = 24
MAX_PARTS = 30
CLIMBED = 0.3
"""The share of the work that is done when the attained ends are found."""
PRECISION = 0.02
"""How close guaranteed and attained ends of two slopes should come, as a share of the attained width."""
ROOM = 1.0 + 1e-9
"""A factor that covers the rounding of the last few operations."""
NOT_PROVED = (-math.inf, math.inf)

Interval = tuple[float, float]


@dataclass(frozen=True)
class Plane:
    """The boxes of outcome and predictors, near 0 and of about unit size; the outcome is the first row."""

    middle: Reals
    half: Reals
    centres: Reals
    scales: Reals
    shares: Reals
    records: int

    @classmethod
    def of(cls, sample: Sample) -> Plane:
        """Scale the attributes of a sample, whose first is the outcome."""
        boxes, bounds = sample.boxes, sample.bounds
        scales = np.array([[power_of_two(math.sqrt(spread_of(sample, name).upper))] for name in bounds])
        centres = np.array([[column.middle] for column in bounds.values()])
        # measured from the centres before they are halved, so that rounding errors are proportional to the spread
        low, high = (boxes.lo - centres) / scales, (boxes.hi - centres) / scales
        return cls(0.5 * (low + high), 0.5 * (high - low), centres, scales, boxes.shares, sample.records)

    def scaled_values(self, values: Reals) -> Reals:
        """Return exact values in this scale."""
        return (values - self.centres) / self.scales

    def slope_scale(self, number: int) -> float:
        """Return the factor that turns a slope in this scale into one of the original attributes."""
        return float(self.scales[0, 0] / self.scales[number, 0])

    def combined(self, first: Sequence[float] | Reals, second: Sequence[float] | Reals) -> Zonotopes:
        """Combine the attributes in two ways."""
        return Zonotopes(self.middle, self.half, np.array([first, second]), self.shares, self.records)

    def ends_of(self, factors: Sequence[float] | Reals) -> tuple[Reals, Reals]:
        """Return the bounds of a combination in each box."""
        middle, half = product(factors, self.middle), product(abs(np.asarray(factors)), self.half)
        return middle - half, middle + half

    def variance_of(self, factors: Sequence[float] | Reals) -> Interval:
        """Return the range of the variance of a combination."""
        low, high = self.ends_of(factors)
        spread = spread_of(Sample({"": low}, {"": high}, [""], self.shares, least=1), "")
        slack = rounding_of(self.records) * (spread.upper + 1.0)
        return max(spread.lower - slack, 0.0), spread.upper + slack

    def slope_of(self, outcome: Sequence[float] | Reals, predictor: Sequence[float] | Reals) -> Interval:
        """Return the range of the slope of one combination on another, which share no attribute."""
        pair = Rectangles(np.stack([*self.ends_of(predictor), *self.ends_of(outcome)]), self.shares, self.records)
        span = slope_range(ScaledPair(pair, 1.0, 1.0, self.variance_of(predictor), self.variance_of(outcome)))
        return span.lower, span.upper


@dataclass(frozen=True)
class AttainedData:
    """Data within the boxes with an extreme coefficient."""

    value: float
    values: Reals
    """One row per attribute, the outcome first."""


def regression_ranges(
    sample: Sample, statistic: Statistic, at_middles: Reals, progress: Progress
) -> list[StatisticRange]:
    """Return the ranges of intercept and slopes; infinite where nothing is proved."""
    done = 0.0

    def report(share: float | None = None) -> None:
        # threads without news call this too: it is how an interruption reaches them
        nonlocal done
        done = done if share is None else share
        progress(statistic.text, done)

    ways = [(target, sign) for target in range(at_middles.size) for sign in (-1.0, 1.0)]
    reached = side_by_side(
        lambda way: _climb(sample.boxes, statistic, *way, report), ways, progress=lambda share: report(CLIMBED * share)
    )
    climbs = list(zip(reached[0::2], reached[1::2], strict=True))
    attained = [(low.value, high.value) for low, high in climbs]
    slopes, predictors = at_middles[1:], statistic.attributes[1:]
    if slopes.size == 1:
        span = slope_range(ScaledPair.of(sample, predictors[0], statistic.attributes[0]))
        proved = [(span.lower, span.upper)]
        attained[1] = (min(attained[1][0], span.attained[0]), max(attained[1][1], span.attained[1]))
    else:
        plane = Plane.of(sample)
        proved = _two_slopes(plane, climbs[1:], report) if slopes.size == 2 else _many_slopes(plane, slopes)
    proved = [_intercept(sample, statistic, slopes, proved), *proved]
    return [
        StatisticRange(min(low, reached[0]), max(high, reached[1]), reached)
        for (low, high), reached in zip(proved, attained, strict=True)
    ]


def _climb(
    boxes: DistinctBoxes, statistic: Statistic, target: int, sign: float, report: Callable[[], None]
) -> AttainedData:
    """Find data with a small or a large coefficient, by moving all values along the derivatives."""
    values = boxes.middles
    fitted = RegressionFit.of(statistic, values, boxes.shares)
    best = sign * float(fitted.coefficients[target])
    corner, share = _corner(boxes, fitted, target, sign), 1.0
    for _ in range(MAX_CLIMBS):
        report()
        moved = np.clip(values + share * (corner - values), boxes.lo, boxes.hi)
        try:
            fitted = RegressionFit.of(statistic, moved, boxes.shares)
            reached = sign * float(fitted.coefficients[target])
        except SettingError:
            # the predictors became dependent on the way
            reached = -math.inf
        if reached > best + 1e-9 * abs(best):
            best, values = reached, moved
            corner = _corner(boxes, fitted, target, sign)
        elif share > 0.1:
            share *= 0.5
        else:
            break
    return AttainedData(sign * best, values)


def _corner(boxes: DistinctBoxes, fitted: RegressionFit, target: int, sign: float) -> Reals:
    """Return the ends of the boxes towards which a coefficient grows; if the sign is negative, falls."""
    return np.where(sign * fitted.derivatives(target) > 0.0, boxes.hi, boxes.lo)


def _two_slopes(
    plane: Plane, climbs: Sequence[tuple[AttainedData, AttainedData]], report: Callable[..., None]
) -> list[Interval]:
    """Return the proved ranges of the slopes on two predictors."""

    def bound(way: tuple[int, float]) -> float:
        number, sign = way
        low, high = climbs[number - 1]
        scale = plane.slope_scale(number)
        tolerance = PRECISION * (high.value - low.value) / scale + SMALLEST
        return sign * _partial_bound(plane, number, high if sign > 0 else low, sign, tolerance, report) * scale

    ways = [(number, sign) for number in (1, 2) for sign in (-1.0, 1.0)]
    bounds = side_by_side(bound, ways, progress=lambda share: report(CLIMBED + (1.0 - CLIMBED) * share))
    return [
        (lower - 8 * ROUNDING * abs(lower), upper + 8 * ROUNDING * abs(upper))
        if math.isfinite(lower) and math.isfinite(upper)
        else NOT_PROVED
        for lower, upper in zip(bounds[0::2], bounds[1::2], strict=True)
    ]


def _partial_bound(
    plane: Plane, number: int, reached: AttainedData, sign: float, tolerance: float, report: Callable[[], None]
) -> float:
    """Bound the slope of sign * y on one of two predictors."""
    y, x, u = np.eye(3)[[0, number, 3 - number]]
    values = plane.scaled_values(reached.values)
    slope = sign * reached.value / plane.slope_scale(number)
    # y - r x; its slope on u is g, that of x on u is d
    rest = sign * y - slope * x
    d_range, g_range = plane.slope_of(x, u), plane.slope_of(rest, u)
    if not math.isfinite(sum(d_range) + sum(g_range)):
        return math.inf
    at = plane.combined(x, u).moments(values), plane.combined(rest, u).moments(values)
    d, g = (moments.xy / moments.yy for moments in at)
    largest = plane.variance_of(u)[1]
    away = largest * max(abs(g_range[0] - g), abs(g_range[1] - g)) * ROOM

    def bound(start: float, end: float) -> float:
        report()
        middle, width = 0.5 * (start + end), 0.5 * (end - start) * ROOM
        least = plane.variance_of(x - middle * u)[0] - width**2 * largest * ROOM
        if not least > 0.0:
            return math.inf
        shapes = plane.combined(x - middle * u, rest - g * u)
        form = Form(shapes, 0.0, 0.0)
        goal = 0.0 if start <= d <= end else -width * away
        excess = form.bound(shapes.moments(values), goal=goal, tolerance=tolerance * least) + width * away
        return slope + max(excess, 0.0) * ROOM / least

    first = 0.5 * tolerance * plane.variance_of(x - d * u)[0] / (away + SMALLEST)
    low, high = d_range
    edges = sorted({low, min(max(d - first, low), high), min(max(d + first, low), high), high})
    return divide(
        bound, edges if len(edges) > 1 else (low, high), goal=slope, enough=slope + 2 * tolerance, max_parts=MAX_PARTS
    )


def _many_slopes(plane: Plane, slopes: Reals) -> list[Interval]:
    """Return the proved ranges of the slopes on three or more predictors."""
    scales = np.array([plane.slope_scale(number) for number in range(1, slopes.size + 1)])
    scaled, units = slopes / scales, np.eye(slopes.size + 1)[1:]
    low, high = np.empty((slopes.size,) * 2), np.empty((slopes.size,) * 2)
    for i in range(slopes.size):
        low[i, i], high[i, i] = plane.variance_of(units[i])
        for j in range(i):
            span = covariance_within(plane.combined(units[i], units[j]))
            low[i, j] = low[j, i] = span.lower
            high[i, j] = high[j, i] = span.upper
    middle, radius = 0.5 * (low + high), 0.5 * (high - low)
    back = pseudo_inverse(middle)
    rounded = rounding_of(plane.records) * product(abs(back), abs(middle))
    identity = np.eye(slopes.size)
    off = product(abs(back), radius) * ROOM + abs(product(back, middle) - identity) + rounded
    if not _largest_eigenvalue(off) < 0.99:
        return [NOT_PROVED] * slopes.size
    series = inverse(identity - off)
    # for a matrix without negative entries this shows that the series converges to the computed inverse
    if not (series.min() > -1e-12 * series.max() and abs(product(identity - off, series) - identity).sum() < 1e-10):
        return [NOT_PROVED] * slopes.size
    further = series * ROOM + 1e-9 * series.max() - identity
    residual = np.concatenate([[1.0], -scaled])
    spans = [covariance_within(plane.combined(product(row, units), residual)) for row in back]
    lowest, highest = np.array([span.lower for span in spans]), np.array([span.upper for span in spans])
    reach = product(abs(further), np.maximum(abs(lowest), abs(highest))) * ROOM + 16 * ROUNDING * abs(scaled)
    lower, upper = (scaled + lowest - reach) * scales, (scaled + highest + reach) * scales
    return list(zip(lower.tolist(), upper.tolist(), strict=True))


def _largest_eigenvalue(matrix: Reals) -> float:
    """Return a close upper bound of the eigenvalues of a matrix without negative entries."""
    # Collatz and Wielandt: for every positive x, the largest of (A x) / x
    x, bound = np.ones(len(matrix)), np.inf
    for _ in range(MAX_CLIMBS):
        reached = product(matrix, x)
        bound = min(bound, float((reached / x).max()))
        x = reached + 1e-3 * float(reached.max()) + SMALLEST
    return bound


def _intercept(sample: Sample, statistic: Statistic, slopes: Reals, proved: list[Interval]) -> Interval:
    """Return the proved range of E_y - b E_x: exactly for b = b0, and the remainder by interval arithmetic."""
    outcome, *predictors = statistic.attributes
    ranges = {}
    for name, bounds in sample.bounds.items():
        slack = mean_slack(sample, name)
        ranges[name] = (bounds.low - slack, bounds.high + slack)
    low, high = ranges[outcome]
    size = abs(low) + abs(high)
    for name, slope, (lower, upper) in zip(predictors, slopes.tolist(), proved, strict=True):
        if not math.isfinite(lower + upper):
            return NOT_PROVED
        means = ranges[name]
        at_slope = (-slope * means[0], -slope * means[1])
        rest = [(slope - b) * mean for b in (lower, upper) for mean in means]
        low, high = low + min(at_slope) + min(rest), high + max(at_slope) + max(rest)
        size += abs(at_slope[0]) + abs(at_slope[1]) + max(abs(end) for end in rest)
    return low - 16 * ROUNDING * size, high + 16 * ROUNDING * size
