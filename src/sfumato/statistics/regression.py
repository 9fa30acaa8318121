"""The ranges of the coefficients of a linear regression.

With b0 the slopes at the middles, e = y - b0 x and S the covariances of the predictors, b - b0 = S^-1 cov(x, e). Every
entry of cov(x, e) is a form of two attributes, whose range is found as for a covariance; S is an interval matrix whose
entries are ranges of variances and covariances. With R the inverse of the middle of S and E at least |R S - I|, the
inverse of R S is I + F with |F| <= (I - E)^-1 - I, if the eigenvalues of E are below one; if they are not, nothing is
proved.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.statistics.covariation import TOLERANCE, Range, Scaled, covariance_range, power_of_two, slope_range
from sfumato.statistics.language import Statistic
from sfumato.statistics.points import derivatives_of, values_of
from sfumato.statistics.quadratic import Form, Pair
from sfumato.statistics.sample import Boxes, Sample
from sfumato.statistics.spread import ROUNDING, mean_range, rounding_of, spread_of

MAX_CLIMBS = 24
NOT_PROVED = (-math.inf, math.inf)

Interval = tuple[float, float]


def regression_ranges(sample: Sample, statistic: Statistic, at_middles: Reals) -> list[Range]:
    """Return the ranges of intercept and slopes; infinite where nothing is proved."""
    outcome, *predictors = statistic.attributes
    proved = _slopes(sample, outcome, predictors, at_middles[1:])
    proved = [_intercept(sample, outcome, predictors, at_middles[1:], proved), *proved]
    found = []
    for target, (low, high) in enumerate(proved):
        reached = climb(sample.boxes, statistic, target)
        found.append(Range(min(low, reached[0]), max(high, reached[1]), reached))
    return found


def climb(boxes: Boxes, statistic: Statistic, target: int) -> Interval:
    """Return the smallest and the largest value that is found by moving all values along the derivatives."""
    ends = []
    for sign in (-1.0, 1.0):
        values = boxes.middles
        best = sign * float(values_of(statistic, values, boxes.shares)[target])
        share = 1.0
        for _ in range(MAX_CLIMBS):
            rising = sign * derivatives_of(statistic, values, boxes.shares)[target] > 0.0
            corner = np.where(rising, boxes.hi, boxes.lo)
            try:
                moved = values + share * (corner - values)
                reached = sign * float(values_of(statistic, moved, boxes.shares)[target])
            except SettingError:
                # on the way the predictors became dependent
                reached = -math.inf
            if reached > best * (1 + 1e-12 * math.copysign(1.0, best)):
                best, values = reached, moved
            elif share > 0.1:
                share *= 0.5
            else:
                break
        ends.append(sign * best)
    return ends[0], ends[1]


def _slopes(sample: Sample, outcome: str, predictors: list[str], slopes: Reals) -> list[Interval]:
    """Return what the slopes are proved to lie between."""
    if len(predictors) == 1:
        found = slope_range(Scaled.of(sample, predictors[0], outcome))
        return [(found.lower, found.upper)]
    low, high = _covariances(sample, predictors)
    middle, radius = 0.5 * (low + high), 0.5 * (high - low)
    try:
        inverse = np.linalg.inv(middle)
    except np.linalg.LinAlgError:
        return [NOT_PROVED] * slopes.size
    rounded = rounding_of(sample.records) * (abs(inverse) @ abs(middle))
    away = abs(inverse) @ radius + abs(inverse @ middle - np.eye(slopes.size)) + rounded
    if not (np.isfinite(away).all() and abs(np.linalg.eigvals(away)).max() < 1.0 - 1e-9):
        return [NOT_PROVED] * slopes.size
    further = np.linalg.inv(np.eye(slopes.size) - away) * (1.0 + 1e-9) - np.eye(slopes.size)
    residual = np.array([_residual_covariance(sample, outcome, predictors, slopes, j) for j in range(slopes.size)])
    centre, reach = inverse @ residual.mean(axis=1), abs(inverse) @ (0.5 * (residual[:, 1] - residual[:, 0]))
    reach = reach + abs(further) @ (abs(centre) + reach)
    reach = reach * (1.0 + 1e-9) + 16 * ROUNDING * (abs(slopes) + abs(centre))
    return list(zip((slopes + centre - reach).tolist(), (slopes + centre + reach).tolist(), strict=True))


def _covariances(sample: Sample, predictors: list[str]) -> tuple[Reals, Reals]:
    """Return the smallest and the largest variances and covariances of the predictors."""
    low, high = np.empty((len(predictors),) * 2), np.empty((len(predictors),) * 2)
    for i, one in enumerate(predictors):
        spread = spread_of(sample, one)
        low[i, i], high[i, i] = spread.lower, spread.upper
        for j in range(i):
            found = covariance_range(Scaled.of(sample, one, predictors[j]))
            low[i, j] = low[j, i] = found.lower
            high[i, j] = high[j, i] = found.upper
    return low, high


def _residual_covariance(sample: Sample, outcome: str, predictors: list[str], slopes: Reals, number: int) -> Interval:
    """Return the range of the covariance of a predictor with the residuals of given slopes.

    It is C(x, e) - b V(x), where e leaves the predictor's own part out and so has an interval of its own.
    """
    boxes, rows = sample.boxes, list(sample.bounds)
    low = high = np.zeros(boxes.shares.size)
    others = [(outcome, 1.0), *((name, -slope) for name, slope in zip(predictors, slopes.tolist(), strict=True))]
    for name, factor in others:
        if name != predictors[number]:
            row, centre = rows.index(name), sample.bounds[name].middle
            ends = factor * (boxes.lo[row] - centre), factor * (boxes.hi[row] - centre)
            low, high = low + np.minimum(*ends), high + np.maximum(*ends)
    row, centre = rows.index(predictors[number]), sample.bounds[predictors[number]].middle
    x_low, x_high = boxes.lo[row] - centre, boxes.hi[row] - centre
    x_scale = power_of_two(math.sqrt(float(boxes.shares @ np.maximum(x_low**2, x_high**2))))
    e_scale = power_of_two(math.sqrt(float(boxes.shares @ np.maximum(low**2, high**2))))
    pair = Pair(
        np.stack([x_low / x_scale, x_high / x_scale, low / e_scale, high / e_scale]),
        boxes.shares,
        sample.records,
    )
    alpha = -float(slopes[number]) * x_scale / e_scale
    ends_found = []
    for form in (Form(pair.mirrored(), -alpha, 0.0), Form(pair, alpha, 0.0)):
        tolerance = TOLERANCE * (form.ends[1] - form.ends[0] + 1e-9)
        best = form.climb(form.pair.middles, tolerance=tolerance)
        ends_found.append(form.bound(best, goal=form.of(best), tolerance=tolerance))
    scale = x_scale * e_scale
    return -ends_found[0] * scale, ends_found[1] * scale


def _intercept(sample: Sample, outcome: str, predictors: list[str], slopes: Reals, proved: list[Interval]) -> Interval:
    """Return what E_y - b E_x is proved to lie between: with b0 for b exactly, the rest as intervals."""
    low, high = mean_range(sample, outcome)
    size = abs(low) + abs(high)
    for name, slope, (least, most) in zip(predictors, slopes.tolist(), proved, strict=True):
        if not math.isfinite(least + most):
            return NOT_PROVED
        means = mean_range(sample, name)
        own = (-slope * means[0], -slope * means[1])
        rest = [(slope - b) * mean for b in (least, most) for mean in means]
        low, high = low + min(own) + min(rest), high + max(own) + max(rest)
        size += abs(own[0]) + abs(own[1]) + max(abs(r) for r in rest)
    return low - 16 * ROUNDING * size, high + 16 * ROUNDING * size
