"""The mean, and its exact range."""

from __future__ import annotations

from typing import ClassVar

from sfumato.array_types import Reals
from sfumato.progress import Progress
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.moment_statistic import MomentStatistic, centred
from sfumato.statistics.rounding_error import ROUNDING, rounding_of
from sfumato.statistics.statistic import Evaluation
from sfumato.statistics.statistic_range import StatisticRange
from sfumato.statistics.variance_range import middles_variance


class Mean(MomentStatistic):
    """The mean of an attribute."""

    name: ClassVar[str] = "mean"
    form: ClassVar[str] = "mean(x)"
    title: ClassVar[str] = "Mean"

    def values(self, points: Reals, shares: Reals) -> Reals:
        """Return the mean."""
        return centred(points, shares)[0]

    def gradient(self, points: Reals, shares: Reals) -> Reals:
        """Return the derivatives by each value."""
        return shares[None, None, :].copy()

    def influences(self, points: Reals, shares: Reals) -> Reals:
        """Return how much another record like each would move the mean."""
        return centred(points, shares)[1]

    def natural_sizes(self, spreads: Reals) -> Reals:
        """Return the standard deviation."""
        return spreads[:1]

    def evaluate(self, sample: Sample, progress: Progress) -> list[Evaluation]:
        """Return value and range in a few passes over the records."""
        (name,) = self.attributes
        bounds = sample.bounds[name]
        lower, upper = mean_range(sample, name)
        _, error = middles_variance(sample, name)
        half_width = 0.5 * (bounds.high - bounds.low)
        attained = (bounds.low, bounds.high)
        return [Evaluation(bounds.middle, StatisticRange(lower, upper, attained), [half_width], error)]


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
