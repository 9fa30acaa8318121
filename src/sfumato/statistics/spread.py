"""The ranges of mean and variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.statistics.language import Statistic
from sfumato.statistics.sample import LARGEST, Bounds, Sample

SUBSAMPLE = 1 << 13
"""So many records tell about where to look for the means of the least and the most spread data."""
BRACKET = 4.0
"""In how many standard errors of that subsample's mean they are looked for at most; in fewer if boxes are narrow."""
MOST_ASIDE = 8
"""One record in so many is expected to lie in the brackets at most; more need another pass."""
ROUNDING = float(np.finfo(np.float64).eps)
SMALLEST = 1e-300
"""Sums of smaller numbers vanish."""

Brackets: TypeAlias = tuple[float, float, float, float]
"""From and to for the mean of the least spread data, then of the most spread."""
EVERYWHERE: Brackets = (-np.inf, np.inf, -np.inf, np.inf)


@dataclass(frozen=True)
class Spread:
    """What the variance of one attribute can be."""

    value: float
    """The variance of the middles."""
    lower: float
    upper: float
    attained: tuple[float, float]
    linear: float
    """Half the width of the linear range."""
    sampling_error: float


def rounding_of(records: int) -> float:
    """Return the share of the magnitudes summed up that rounding can be wrong by, with room to spare."""
    return 4.0 * (records + 32) * ROUNDING


def mean_range(sample: Sample, name: str) -> tuple[float, float]:
    """Return the exact range of the mean, widened by what rounding may have lost."""
    bounds = sample.bounds[name]
    slack = 0.0 if bounds.exact else mean_slack(sample, name)
    return bounds.low - slack, bounds.high + slack


def mean_slack(sample: Sample, name: str) -> float:
    """Return what rounding may have lost of a mean; its sums are of distances from the first lower bound."""
    bounds = sample.bounds[name]
    size = abs(bounds.low) + abs(bounds.high) + abs(float(bounds.lo[0]))
    return rounding_of(sample.records) * bounds.reach + 4 * ROUNDING * size


def variance_of(sums: Reals) -> float:
    """Return the variance from the mean distance and the mean squared distance; the centre is a rounded mean."""
    return max(float(sums[1] - sums[0] ** 2), 0.0)


def middles_variance(sample: Sample, name: str) -> tuple[float, float]:
    """Return the variance of the middles, and the sampling error of their mean."""
    from sfumato.kernels.spread import spread_sums

    bounds = sample.bounds[name]
    middles, _, _ = spread_sums(bounds.lo, bounds.hi, sample.weights, sample.step, bounds.middle, *EVERYWHERE)
    return variance_of(middles / sample.total), math.sqrt(float(middles[2])) / sample.total


def check_defined(statistic: Statistic, sample: Sample) -> None:
    """Refuse a correlation or regression with an attribute that does not vary."""
    needed = {"corr": statistic.attributes, "regress": statistic.attributes[1:]}.get(statistic.name, ())
    for name in needed:
        noise = max(8 * ROUNDING * abs(sample.bounds[name].middle), 1.0 / LARGEST)
        if not middles_variance(sample, name)[0] > noise**2:
            raise SettingError(
                f"{statistic.text} is undefined: {name!r} is constant", hint="choose an attribute that varies"
            )


def spread_of(sample: Sample, name: str) -> Spread:
    """Find what the variance can be: the lower end exactly, the upper up to (largest width / N)^2 (ERRATA 001-12)."""
    bounds = sample.bounds[name]
    centre = bounds.middle
    brackets = EVERYWHERE
    if sample.records > 2 * SUBSAMPLE:
        brackets = _brackets(sample, bounds, centre)
    near_m, least, far_m, most, gap, middles = _solve(
        bounds.lo, bounds.hi, sample.weights, sample.step, sample.total, centre, brackets
    )
    if not (brackets[0] <= near_m <= brackets[1] and brackets[2] < far_m <= brackets[3]):
        # a subsample misleads where the records' order repeats itself
        near_m, least, far_m, most, gap, middles = _solve(
            bounds.lo, bounds.hi, sample.weights, sample.step, sample.total, centre, EVERYWHERE
        )
    value, linear = variance_of(middles / sample.total), float(middles[4]) / sample.total
    # the influence of a record on the variance is (x - E)^2 - V
    moved = float(middles[3]) - 2.0 * value * float(middles[2]) + value * value * sample.squares
    error = math.sqrt(max(moved, 0.0)) / sample.total
    # XF13 sec. II: dV/dx = 2 (x - E) / N
    linear *= 2.0
    if bounds.exact:
        return Spread(value, value, value, (value, value), linear, error)
    slack = rounding_of(sample.records) * (most + near_m**2 + far_m**2) + SMALLEST
    attained = (min(least, value), max(most - gap, value))
    return Spread(value, max(min(least - slack, value), 0.0), max(most + slack, value), attained, linear, error)


def _brackets(sample: Sample, bounds: Bounds, centre: float) -> Brackets:
    """Guess from some of the records where the means of the least and the most spread data lie."""
    some = slice(None, None, sample.records // SUBSAMPLE)
    lo, hi = np.ascontiguousarray(bounds.lo[some]), np.ascontiguousarray(bounds.hi[some])
    weights = np.ascontiguousarray(sample.weights[some]) if sample.step else np.ones(lo.size)
    total = float(weights.sum())
    if not total > 0.0:
        return EVERYWHERE
    near_m, _, far_m, _, _, middles = _solve(lo, hi, weights, 1, total, centre, EVERYWHERE)
    deviation = math.sqrt(float(middles[1]) / total)
    # by so much the subsample's mean misses the mean of all, and its m miss theirs by about the same
    off = float(middles[0]) / total
    width = 0.5 * (bounds.high - bounds.low) / deviation if deviation > 0.0 else 0.0
    error = deviation * math.sqrt(float((weights**2).sum())) / total
    reach = min(BRACKET, 0.5 + BRACKET * width) * error
    near, far = sorted((near_m, near_m - off)), sorted((far_m, far_m - off))
    return (near[0] - reach, near[1] + reach, far[0] - reach, far[1] + reach)


def _solve(
    lo: Reals, hi: Reals, weights: Reals, step: int, total: float, centre: float, brackets: Brackets
) -> tuple[float, float, float, float, float, Reals]:
    """Return m and variance of the least, then of the most spread data with the gap, and sums of the middles."""
    from sfumato.kernels.spread import greatest_spread, least_spread, put_aside, spread_sums

    middles, near, far = spread_sums(lo, hi, weights, step, centre, *brackets)
    n_ends = n_records = lo.size // MOST_ASIDE if brackets != EVERYWHERE else 2 * lo.size
    ends, records = np.empty((3, n_ends)), np.empty((3, n_records))
    n_ends, n_records = put_aside(lo, hi, weights, step, centre, *brackets, ends, records)
    if n_ends > ends.shape[1] or n_records > records.shape[1]:
        ends, records = np.empty((3, n_ends)), np.empty((3, n_records))
        put_aside(lo, hi, weights, step, centre, *brackets, ends, records)
    near_m, least = least_spread(total, near, ends, n_ends)
    far_m, most, gap = greatest_spread(total, far, records, n_records)
    return near_m, least, far_m, most, gap, middles
