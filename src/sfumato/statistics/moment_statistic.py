"""Statistics that are smooth functions of means, squares and products: their derivatives are affine.

The derivative of such a statistic by a value of a record is an affine function of that record's own values, whose
coefficients depend on all other records by their means and covariances alone. A statistic of weighted records depends
on each value in proportion to the record's weight, which is 1/N where all are equal (XF13 sec. II and III).
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.algebra import dot, least_squares, product
from sfumato.statistics.cost_terms import AffineCost, CostTerms
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.moments import RecordMoments
from sfumato.statistics.statistic import Statistic


class MomentStatistic(Statistic):
    """A smooth function of the means, squares and products of some attributes."""

    @abstractmethod
    def gradient(self, points: Reals, shares: Reals) -> Reals:
        """Return the derivatives by each value: targets, attributes, records; affine in each record's own values."""

    def slopes(self, points: Reals, shares: Reals) -> Reals:
        """Return the absolute derivatives."""
        return np.asarray(abs(self.gradient(points, shares)))

    def cost_terms(self, records: RecordMoments, accuracy: float | None) -> CostTerms:
        """Return the sensitivities in units of the target accuracy, as affine functions of a record's values.

        A few points with the same means and covariances as all records have the same affine functions, so a fit to
        these points is exact.
        """
        columns = records.points(self.attributes)
        sample = Sample(columns, columns, self.attributes)
        self.check_defined(sample)
        points = np.stack([columns[name] for name in self.attributes])
        factors = 1.0 / len(self.targets) / self.accuracies(accuracy, points, sample.shares)
        slopes = self.gradient(points, sample.shares) / sample.shares
        # in this order of the memory sums over points do not depend on how many numbers a processor adds at once
        points = np.asfortranarray(points)
        centre = points.mean(axis=1)
        spread = np.maximum(points.std(axis=1), np.finfo(np.float64).tiny)
        design = np.column_stack([np.ones(points.shape[1]), ((points - centre[:, None]) / spread[:, None]).T])
        terms = []
        for row, owner in enumerate(self.attributes):
            for factor, fitted in zip(factors, least_squares(design, slopes[:, row].T).T, strict=True):
                inner = fitted[1:] / spread
                coefficients = np.concatenate([[fitted[0] - dot(inner, centre)], inner])
                terms.append(AffineCost(owner, self.attributes, factor * coefficients))
        return CostTerms(affine=tuple(terms))


def centred(points: Reals, shares: Reals) -> tuple[Reals, Reals]:
    """Return the means and the distances from them, which are centred twice because a mean is rounded."""
    means: Reals = product(points, shares)
    distances: Reals = points - means[:, None]
    rest = product(distances, shares)
    means, distances = means + rest, distances - rest[:, None]
    # rounding must not make a constant vary: its covariance with anything is exactly zero
    constant = (points == points[:, :1]).all(axis=1)
    means[constant], distances[constant] = points[constant, 0], 0.0
    return means, distances
