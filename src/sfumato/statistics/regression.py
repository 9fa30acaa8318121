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

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import inverse, product, pseudo_inverse
from sfumato.parallel import side_by_side
from sfumato.progress import Progress
from sfumato.statistics.covariation import SMALLEST, Range, Scaled, covariance_within, power_of_two, slope_range
from sfumato.statistics.language import Statistic
from sfumato.statistics.points import Fitted
from sfumato.statistics.quadratic import Combined, Form, Pair, divide
from sfumato.statistics.sample import Boxes, Sample
from sfumato.statistics.spread import ROUNDING, mean_slack, rounding_of, spread_of

MAX_CLIMBS = 24
MAX_PARTS = 30
CLIMBED = 0.3
"""The share of the work that is done when the ends that data reach are found."""
PRECISION = 0.02
"""How close guaranteed and attained ends of two slopes should come, as a share of the attained width."""
ROOM = 1.0 + 1e-9
"""For the rounding of the last few operations."""
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
        centres = np.array([[its.middle] for its in bounds.values()])
        # measured from the centres before they are halved, so that rounding is in proportion to the spread
        low, high = (boxes.lo - centres) / scales, (boxes.hi - centres) / scales
        return cls(0.5 * (low + high), 0.5 * (high - low), centres, scales, boxes.shares, sample.records)

    def place_of(self, values: Reals) -> Reals:
        """Return exact values in this scale."""
        return (values - self.centres) / self.scales

    def slope_scale(self, number: int) -> float:
        """Return by what a slope of this scale is multiplied to be one of the attributes."""
        return float(self.scales[0, 0] / self.scales[number, 0])

    def combined(self, first: Sequence[float] | Reals, second: Sequence[float] | Reals) -> Combined:
        """Combine the attributes in two ways."""
        return Combined(self.middle, self.half, np.array([first, second]), self.shares, self.records)

    def ends_of(self, factors: Sequence[float] | Reals) -> tuple[Reals, Reals]:
        """Return the bounds of a combination in each box."""
        middle, half = product(factors, self.middle), product(abs(np.asarray(factors)), self.half)
        return middle - half, middle + half

    def variance_of(self, factors: Sequence[float] | Reals) -> Interval:
        """Return the range of the variance of a combination."""
        low, high = self.ends_of(factors)
        found = spread_of(Sample({"": low}, {"": high}, [""], self.shares, least=1), "")
        slack = rounding_of(self.records) * (found.upper + 1.0)
        return max(found.lower - slack, 0.0), found.upper + slack

    def slope_of(self, outcome: Sequence[float] | Reals, predictor: Sequence[float] | Reals) -> Interval:
        """Return the range of the slope of one combination on another that has no attribute with it in common."""
        pair = Pair(np.stack([*self.ends_of(predictor), *self.ends_of(outcome)]), self.shares, self.records)
        found = slope_range(Scaled(pair, 1.0, 1.0, self.variance_of(predictor), self.variance_of(outcome)))
        return found.lower, found.upper


@dataclass(frozen=True)
class Reached:
    """Data that were found to have an extreme coefficient."""

    value: float
    values: Reals
    """One row an attribute, outcome first."""


def regression_ranges(sample: Sample, statistic: Statistic, at_middles: Reals, progress: Progress) -> list[Range]:
    """Return the ranges of intercept and slopes; infinite where nothing is proved."""
    done = 0.0

    def told(share: float | None = None) -> None:
        # threads that have nothing new to tell call too, for an interruption reaches them only so
        nonlocal done
        done = done if share is None else share
        progress(statistic.text, done)

    ways = [(target, sign) for target in range(at_middles.size) for sign in (-1.0, 1.0)]
    reached = side_by_side(
        lambda way: _climb(sample.boxes, statistic, *way, told), ways, progress=lambda share: told(CLIMBED * share)
    )
    climbs = list(zip(reached[0::2], reached[1::2], strict=True))
    attained = [(low.value, high.value) for low, high in climbs]
    slopes, predictors = at_middles[1:], statistic.attributes[1:]
    if slopes.size == 1:
        found = slope_range(Scaled.of(sample, predictors[0], statistic.attributes[0]))
        proved = [(found.lower, found.upper)]
        attained[1] = (min(attained[1][0], found.attained[0]), max(attained[1][1], found.attained[1]))
    else:
        plane = Plane.of(sample)
        proved = _two_slopes(plane, climbs[1:], told) if slopes.size == 2 else _many_slopes(plane, slopes)
    proved = [_intercept(sample, statistic, slopes, proved), *proved]
    return [
        Range(min(low, reached[0]), max(high, reached[1]), reached)
        for (low, high), reached in zip(proved, attained, strict=True)
    ]


def _climb(boxes: Boxes, statistic: Statistic, target: int, sign: float, told: Callable[[], None]) -> Reached:
    """Find data with a small or a large coefficient, by moving all values along the derivatives."""
    values = boxes.middles
    fitted = Fitted.of(statistic, values, boxes.shares)
    best = sign * float(fitted.coefficients[target])
    corner, share = _corner(boxes, fitted, target, sign), 1.0
    for _ in range(MAX_CLIMBS):
        told()
        moved = np.clip(values + share * (corner - values), boxes.lo, boxes.hi)
        try:
            fitted = Fitted.of(statistic, moved, boxes.shares)
            reached = sign * float(fitted.coefficients[target])
        except SettingError:
            # on the way the predictors became dependent
            reached = -math.inf
        if reached > best + 1e-9 * abs(best):
            best, values = reached, moved
            corner = _corner(boxes, fitted, target, sign)
        elif share > 0.1:
            share *= 0.5
        else:
            break
    return Reached(sign * best, values)


def _corner(boxes: Boxes, fitted: Fitted, target: int, sign: float) -> Reals:
    """Return the ends of the boxes towards which a coefficient grows, or falls if the sign is negative."""
    return np.where(sign * fitted.derivatives(target) > 0.0, boxes.hi, boxes.lo)


def _two_slopes(plane: Plane, climbs: Sequence[tuple[Reached, Reached]], told: Callable[..., None]) -> list[Interval]:
    """Return what the slopes on two predictors are proved to lie between."""

    def bound(way: tuple[int, float]) -> float:
        number, sign = way
        low, high = climbs[number - 1]
        scale = plane.slope_scale(number)
        tolerance = PRECISION * (high.value - low.value) / scale + SMALLEST
        return sign * _partial_bound(plane, number, high if sign > 0 else low, sign, tolerance, told) * scale

    ways = [(number, sign) for number in (1, 2) for sign in (-1.0, 1.0)]
    found = side_by_side(bound, ways, progress=lambda share: told(CLIMBED + (1.0 - CLIMBED) * share))
    return [
        (lower - 8 * ROUNDING * abs(lower), upper + 8 * ROUNDING * abs(upper))
        if math.isfinite(lower) and math.isfinite(upper)
        else NOT_PROVED
        for lower, upper in zip(found[0::2], found[1::2], strict=True)
    ]


def _partial_bound(
    plane: Plane, number: int, reached: Reached, sign: float, tolerance: float, told: Callable[[], None]
) -> float:
    """Bound the slope of sign * y on one of two predictors."""
    y, x, u = np.eye(3)[[0, number, 3 - number]]
    values = plane.place_of(reached.values)
    slope = sign * reached.value / plane.slope_scale(number)
    # y - r x; its slope on u is g, that of x on u is d
    rest = sign * y - slope * x
    d_range, g_range = plane.slope_of(x, u), plane.slope_of(rest, u)
    if not math.isfinite(sum(d_range) + sum(g_range)):
        return math.inf
    at = plane.combined(x, u).moments(values), plane.combined(rest, u).moments(values)
    d, g = (moments.xy / moments.yy for moments in at)
    most = plane.variance_of(u)[1]
    away = most * max(abs(g_range[0] - g), abs(g_range[1] - g)) * ROOM

    def bound(start: float, end: float) -> float:
        told()
        middle, width = 0.5 * (start + end), 0.5 * (end - start) * ROOM
        least = plane.variance_of(x - middle * u)[0] - width**2 * most * ROOM
        if not least > 0.0:
            return math.inf
        shapes = plane.combined(x - middle * u, rest - g * u)
        form = Form(shapes, 0.0, 0.0)
        goal = 0.0 if start <= d <= end else -width * away
        found = form.bound(shapes.moments(values), goal=goal, tolerance=tolerance * least) + width * away
        return slope + max(found, 0.0) * ROOM / least

    first = 0.5 * tolerance * plane.variance_of(x - d * u)[0] / (away + SMALLEST)
    low, high = d_range
    edges = sorted({low, min(max(d - first, low), high), min(max(d + first, low), high), high})
    return divide(
        bound, edges if len(edges) > 1 else (low, high), goal=slope, enough=slope + 2 * tolerance, most=MAX_PARTS
    )


def _many_slopes(plane: Plane, slopes: Reals) -> list[Interval]:
    """Return what the slopes on three or more predictors are proved to lie between."""
    scales = np.array([plane.slope_scale(number) for number in range(1, slopes.size + 1)])
    own, units = slopes / scales, np.eye(slopes.size + 1)[1:]
    low, high = np.empty((slopes.size,) * 2), np.empty((slopes.size,) * 2)
    for i in range(slopes.size):
        low[i, i], high[i, i] = plane.variance_of(units[i])
        for j in range(i):
            found = covariance_within(plane.combined(units[i], units[j]))
            low[i, j] = low[j, i] = found.lower
            high[i, j] = high[j, i] = found.upper
    middle, radius = 0.5 * (low + high), 0.5 * (high - low)
    back = pseudo_inverse(middle)
    rounded = rounding_of(plane.records) * product(abs(back), abs(middle))
    one = np.eye(slopes.size)
    off = product(abs(back), radius) * ROOM + abs(product(back, middle) - one) + rounded
    if not _largest_eigenvalue(off) < 0.99:
        return [NOT_PROVED] * slopes.size
    series = inverse(one - off)
    # of a matrix without negative entries this shows that its series converges to what was computed
    if not (series.min() > -1e-12 * series.max() and abs(product(one - off, series) - one).sum() < 1e-10):
        return [NOT_PROVED] * slopes.size
    further = series * ROOM + 1e-9 * series.max() - one
    residual = np.concatenate([[1.0], -own])
    parts = [covariance_within(plane.combined(product(row, units), residual)) for row in back]
    least, most = np.array([part.lower for part in parts]), np.array([part.upper for part in parts])
    reach = product(abs(further), np.maximum(abs(least), abs(most))) * ROOM + 16 * ROUNDING * abs(own)
    lower, upper = (own + least - reach) * scales, (own + most + reach) * scales
    return list(zip(lower.tolist(), upper.tolist(), strict=True))


def _largest_eigenvalue(matrix: Reals) -> float:
    """Return what no eigenvalue of a matrix without negative entries exceeds, and the largest one nearly is."""
    # Collatz and Wielandt: for every positive x, the largest of (A x) / x
    x, bound = np.ones(len(matrix)), np.inf
    for _ in range(MAX_CLIMBS):
        reached = product(matrix, x)
        bound = min(bound, float((reached / x).max()))
        x = reached + 1e-3 * float(reached.max()) + SMALLEST
    return bound


def _intercept(sample: Sample, statistic: Statistic, slopes: Reals, proved: list[Interval]) -> Interval:
    """Return what E_y - b E_x is proved to lie between: with b0 for b exactly, the rest as intervals."""
    outcome, *predictors = statistic.attributes
    ranges = {}
    for name, bounds in sample.bounds.items():
        slack = mean_slack(sample, name)
        ranges[name] = (bounds.low - slack, bounds.high + slack)
    low, high = ranges[outcome]
    size = abs(low) + abs(high)
    for name, slope, (least, most) in zip(predictors, slopes.tolist(), proved, strict=True):
        if not math.isfinite(least + most):
            return NOT_PROVED
        means = ranges[name]
        own = (-slope * means[0], -slope * means[1])
        rest = [(slope - b) * mean for b in (least, most) for mean in means]
        low, high = low + min(own) + min(rest), high + max(own) + max(rest)
        size += abs(own[0]) + abs(own[1]) + max(abs(part) for part in rest)
    return low - 16 * ROUNDING * size, high + 16 * ROUNDING * size
