"""The range of a variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sfumato.array_types import Reals
from sfumato.statistics.interval_sample import AttributeBounds, Sample
from sfumato.statistics.rounding_error import rounding_of

SUBSAMPLE = 1 << 13
"""Size of the subsample that locates the means of the data with the smallest and the largest variance."""
BRACKET = 4.0
"""Half-width of the search brackets in standard errors of the subsample's mean; less if boxes are narrow."""
MAX_ASIDE = 8
"""At most one record in this many is expected within the brackets; more need another pass."""
SMALLEST = 1e-300
"""Covers underflow in sums of very small numbers."""

Brackets: TypeAlias = tuple[float, float, float, float]
"""Two intervals: of the mean of the data with the smallest variance, then with the largest."""
EVERYWHERE: Brackets = (-np.inf, np.inf, -np.inf, np.inf)


@dataclass(frozen=True)
class VarianceRange:
    """The possible variances of one attribute."""

    value: float
    """The variance of the midpoints."""
    lower: float
    upper: float
    attained: tuple[float, float]
    linear: float
    """Half the width of the linear range."""
    sampling_error: float


def variance_of(sums: Reals) -> float:
    """Return the variance from the mean distance and the mean squared distance; the centre is a rounded mean."""
    return max(float(sums[1] - sums[0] ** 2), 0.0)


def middles_variance(sample: Sample, name: str) -> tuple[float, float]:
    """Return the variance of the midpoints, and the sampling error of their mean."""
    from sfumato.kernels.interval_variance import spread_sums

    bounds = sample.bounds[name]
    middles, _, _ = spread_sums(bounds.lo, bounds.hi, sample.weights, sample.step, bounds.middle, *EVERYWHERE)
    return variance_of(middles / sample.total), math.sqrt(float(middles[2])) / sample.total


def spread_of(sample: Sample, name: str) -> VarianceRange:
    """Return the range of the variance; its upper end is exact up to (largest width / N)^2 (ERRATA 001-12)."""
    bounds = sample.bounds[name]
    centre = bounds.middle
    brackets = EVERYWHERE
    if sample.records > 2 * SUBSAMPLE:
        brackets = _brackets(sample, bounds, centre)
    near_m, smallest, far_m, largest, gap, middles = _solve(
        bounds.lo, bounds.hi, sample.weights, sample.step, sample.total, centre, brackets
    )
    if not (brackets[0] <= near_m <= brackets[1] and brackets[2] < far_m <= brackets[3]):
        # a subsample misleads if the order of the records is periodic
        near_m, smallest, far_m, largest, gap, middles = _solve(
            bounds.lo, bounds.hi, sample.weights, sample.step, sample.total, centre, EVERYWHERE
        )
    value, linear = variance_of(middles / sample.total), float(middles[4]) / sample.total
    # the influence of a record on the variance is (x - E)^2 - V
    moved = float(middles[3]) - 2.0 * value * float(middles[2]) + value * value * sample.squares
    error = math.sqrt(max(moved, 0.0)) / sample.total
    # XF13 sec. II: dV/dx = 2 (x - E) / N
    linear *= 2.0
    if bounds.exact:
        return VarianceRange(value, value, value, (value, value), linear, error)
    slack = rounding_of(sample.records) * (largest + near_m**2 + far_m**2) + SMALLEST
    attained = (min(smallest, value), max(largest - gap, value))
    return VarianceRange(
        value, max(min(smallest - slack, value), 0.0), max(largest + slack, value), attained, linear, error
    )


def _brackets(sample: Sample, bounds: AttributeBounds, centre: float) -> Brackets:
    """Guess from a subsample the means of the data with the smallest and the largest variance."""
    subsample = slice(None, None, sample.records // SUBSAMPLE)
    lo, hi = np.ascontiguousarray(bounds.lo[subsample]), np.ascontiguousarray(bounds.hi[subsample])
    weights = np.ascontiguousarray(sample.weights[subsample]) if sample.step else np.ones(lo.size)
    total = float(weights.sum())
    if not total > 0.0:
        return EVERYWHERE
    near_m, _, far_m, _, _, middles = _solve(lo, hi, weights, 1, total, centre, EVERYWHERE)
    deviation = math.sqrt(float(middles[1]) / total)
    # the error of the subsample's mean; its m have about the same error
    off = float(middles[0]) / total
    width = 0.5 * (bounds.high - bounds.low) / deviation if deviation > 0.0 else 0.0
    error = deviation * math.sqrt(float((weights**2).sum())) / total
    reach = min(BRACKET, 0.5 + BRACKET * width) * error
    near, far = sorted((near_m, near_m - off)), sorted((far_m, far_m - off))
    return (near[0] - reach, near[1] + reach, far[0] - reach, far[1] + reach)


def _solve(
    lo: Reals, hi: Reals, weights: Reals, step: int, total: float, centre: float, brackets: Brackets
) -> tuple[float, float, float, float, float, Reals]:
    """Return m and the smallest variance, m and the largest variance with its gap, and sums of the midpoints."""
    from sfumato.kernels.interval_variance import greatest_spread, least_spread, put_aside, spread_sums

    middles, near, far = spread_sums(lo, hi, weights, step, centre, *brackets)
    n_ends = n_records = lo.size // MAX_ASIDE if brackets != EVERYWHERE else 2 * lo.size
    ends, records = np.empty((3, n_ends)), np.empty((3, n_records))
    n_ends, n_records = put_aside(lo, hi, weights, step, centre, *brackets, ends, records)
    if n_ends > ends.shape[1] or n_records > records.shape[1]:
        ends, records = np.empty((3, n_ends)), np.empty((3, n_records))
        put_aside(lo, hi, weights, step, centre, *brackets, ends, records)
    near_m, smallest = least_spread(total, near, ends, n_ends)
    far_m, largest, gap = greatest_spread(total, far, records, n_records)
    return near_m, smallest, far_m, largest, gap, middles
