"""A linear regression of exact values: its coefficients, and what each value and record contributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import dot, inverse, orthogonal, product, singular
from sfumato.statistics.moment_statistic import centred
from sfumato.statistics.statistic import Statistic

SINGULAR = 1e-6
"""Predictors of unit size are dependent if one direction of them is shorter than this."""


@dataclass(frozen=True)
class RegressionFit:
    """A regression of exact values: the outcome is the first row, the intercept the first coefficient."""

    means: Reals
    distances: Reals
    """The values, less their means."""
    shares: Reals
    slopes: Reals
    inverse: Reals
    """Of the predictors' covariances."""

    @classmethod
    def of(cls, statistic: Statistic, points: Reals, shares: Reals) -> RegressionFit:
        """Fit it, refusing predictors that depend on each other."""
        means, distances = centred(points, shares)
        y, x = distances[0], distances[1:]
        spreads = np.sqrt(product(x * x, shares))
        for name, spread in zip(statistic.attributes[1:], spreads, strict=True):
            if not spread > 0:
                raise SettingError(
                    f"{statistic.text} is singular: {name!r} is constant", hint="leave it out", column=name
                )
        # this keeps twice as many digits as inverting the correlations would
        directions, triangle, shortest = _orthogonal(x, spreads, shares)
        if shortest < SINGULAR:
            raise SettingError(
                f"{statistic.text} is singular: a predictor depends linearly on the others",
                hint="leave one of them out",
            )
        back = inverse(triangle) / spreads[:, None]
        slopes = product(back, product(directions, y * np.sqrt(shares)))
        return cls(means, distances, shares, slopes, product(back, back.T))

    @property
    def coefficients(self) -> Reals:
        """The intercept and the slopes."""
        return np.concatenate(([self.means[0] - dot(self.means[1:], self.slopes)], self.slopes))

    @property
    def residuals(self) -> Reals:
        """What the regression leaves of each record's outcome."""
        return np.asarray(self.distances[0] - product(self.slopes, self.distances[1:]))

    @property
    def influences(self) -> Reals:
        """How much another record like each would move the coefficients, one row per coefficient."""
        by_slope = product(self.inverse, self.distances[1:]) * self.residuals
        return np.vstack([self.residuals - product(self.means[1:], by_slope), by_slope])

    def derivatives(self, target: int) -> Reals:
        """Differentiate a coefficient by each value, S b = c being implicit, as ERRATA 001-14 has it."""
        # of a slope, db/dy = w S^-1 (x - E) and db/dx_r = w S^-1 [e_r res - b_r (x - E)]
        # of the intercept, dc0/dy = w - E . db/dy and dc0/dx_r = -E . db/dx_r - w b_r
        through = self.inverse[target - 1] if target else product(-self.means[1:], self.inverse)
        derivatives = np.empty_like(self.distances)
        derivatives[0] = product(through, self.distances[1:]) + (0.0 if target else 1.0)
        residuals = self.residuals
        for row, (slope, factor) in enumerate(zip(self.slopes, through, strict=True), start=1):
            derivatives[row] = factor * residuals - slope * derivatives[0]
        derivatives *= self.shares
        return derivatives


def condition_of(points: Reals, shares: Reals) -> float:
    """Return how much a regression magnifies rounding."""
    x = centred(points, shares)[1][1:]
    return 1.0 / _orthogonal(x, np.sqrt(product(x * x, shares)), shares)[2] ** 2


def _orthogonal(x: Reals, spreads: Reals, shares: Reals) -> tuple[Reals, Reals, float]:
    """Return orthogonal directions of predictors of unit size, the triangle behind them, and its shortest direction."""
    directions, triangle = orthogonal(x / spreads[:, None] * np.sqrt(shares))
    return directions, triangle, float(singular(triangle)[0][-1])
