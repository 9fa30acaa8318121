"""The variance and the standard deviation, which is its root."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.algebra import product
from sfumato.progress import Progress
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.moment_statistic import MomentStatistic, centred
from sfumato.statistics.statistic import Evaluation
from sfumato.statistics.statistic_range import StatisticRange
from sfumato.statistics.variance_range import spread_of


class Variance(MomentStatistic):
    """The variance of an attribute, with N in the denominator."""

    name: ClassVar[str] = "var"
    form: ClassVar[str] = "var(x)"
    title: ClassVar[str] = "Variance"

    def values(self, points: Reals, shares: Reals) -> Reals:
        """Return the variance."""
        _, distances = centred(points, shares)
        return product(distances * shares, distances.T)[0, :]

    def gradient(self, points: Reals, shares: Reals) -> Reals:
        """Return the derivatives by each value."""
        _, distances = centred(points, shares)
        return (2 * distances * shares)[None]

    def influences(self, points: Reals, shares: Reals) -> Reals:
        """Return how much another record like each would move the variance."""
        squares = centred(points, shares)[1] ** 2
        return squares - product(squares, shares)[:, None]

    def natural_sizes(self, spreads: Reals) -> Reals:
        """Return the square of the standard deviation."""
        return spreads[:1] ** 2

    def evaluate(self, sample: Sample, progress: Progress) -> list[Evaluation]:
        """Return value and range in a few passes over the records."""
        spread = spread_of(sample, self.attributes[0])
        span = StatisticRange(spread.lower, spread.upper, spread.attained)
        return [Evaluation(spread.value, span, [spread.linear], spread.sampling_error)]


class StandardDeviation(MomentStatistic):
    """The standard deviation of an attribute, with N in the denominator."""

    name: ClassVar[str] = "std"
    form: ClassVar[str] = "std(x)"
    title: ClassVar[str] = "Standard deviation"

    def values(self, points: Reals, shares: Reals) -> Reals:
        """Return the standard deviation."""
        _, distances = centred(points, shares)
        return np.sqrt(product(distances * shares, distances.T)[0, :])

    def gradient(self, points: Reals, shares: Reals) -> Reals:
        """Return the derivatives by each value; 0 for a constant."""
        _, distances = centred(points, shares)
        derivatives: Reals = 2 * distances * shares
        # XF13 sec. II; printed with E_x for E_i, see ERRATA 000-9 and 001-2
        spread = np.sqrt(product(distances**2, shares))[0]
        derivatives = np.divide(derivatives, 2 * spread, out=np.zeros_like(derivatives), where=spread > 0)
        return derivatives[None]

    def influences(self, points: Reals, shares: Reals) -> Reals:
        """Return how much another record like each would move the standard deviation."""
        squares = centred(points, shares)[1] ** 2
        variance = product(squares, shares)
        moved = squares - variance[:, None]
        spread = 2 * np.sqrt(variance[0])
        return np.asarray(np.divide(moved, spread, out=np.zeros_like(moved), where=spread > 0))

    def natural_sizes(self, spreads: Reals) -> Reals:
        """Return the standard deviation."""
        return spreads[:1]

    def evaluate(self, sample: Sample, progress: Progress) -> list[Evaluation]:
        """Return the root of the variance and of its range."""
        (name,) = self.attributes
        spread = spread_of(sample, name)
        value = math.sqrt(spread.value)
        low, high = spread.attained
        span = StatisticRange.exact(value)
        if not sample.bounds[name].exact:
            # a root is rounded to the nearest number, which can be inside the range
            lower = max(math.nextafter(math.sqrt(spread.lower), -1.0), 0.0)
            upper = math.nextafter(math.sqrt(spread.upper), math.inf)
            span = StatisticRange(lower, upper, (math.sqrt(low), math.sqrt(high)))
        # the derivative of the root
        slope = 1.0 / (2.0 * value) if value > 0 else 0.0
        return [Evaluation(value, span, [slope * spread.linear], slope * spread.sampling_error)]
