"""The covariance of two attributes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.algebra import dot, product
from sfumato.progress import Progress
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.moment_statistic import MomentStatistic, centred
from sfumato.statistics.pair_range import ScaledPair, covariance_range
from sfumato.statistics.statistic_range import StatisticRange, linear_ranges


class Covariance(MomentStatistic):
    """The covariance of two attributes, with N in the denominator."""

    name: ClassVar[str] = "cov"
    form: ClassVar[str] = "cov(x, y)"
    title: ClassVar[str] = "Covariance"
    n_attributes: ClassVar[int] = 2
    signed: ClassVar[bool] = True

    @classmethod
    def hint_if_repeated(cls, attribute: str) -> str | None:
        """Point to the variance."""
        return f"var({attribute}) is the covariance of an attribute with itself"

    def values(self, points: Reals, shares: Reals) -> Reals:
        """Return the covariance."""
        _, distances = centred(points, shares)
        return product(distances * shares, distances.T)[0, 1:]

    def gradient(self, points: Reals, shares: Reals) -> Reals:
        """Return the derivatives by each value."""
        _, (x, y) = centred(points, shares)
        return np.stack([y * shares, x * shares])[None]

    def influences(self, points: Reals, shares: Reals) -> Reals:
        """Return how much another record like each would move the covariance."""
        _, (x, y) = centred(points, shares)
        return np.asarray(x * y - dot(x * y, shares))[None]

    def natural_sizes(self, spreads: Reals) -> Reals:
        """Return the product of the standard deviations."""
        return np.array([np.prod(spreads)])

    def ranges(self, sample: Sample, values: Reals, slopes: Reals, progress: Progress) -> list[StatisticRange]:
        """Return the range; with one attribute exact, the covariance is linear in the other."""
        if any(sample.bounds[name].exact for name in self.attributes):
            return linear_ranges(sample, values, slopes)
        return [covariance_range(ScaledPair.of(sample, *self.attributes))]
