"""Statistics of exact values, and what they owe to each value.

All functions take the values of a statistic's attributes (one row an attribute, in the statistic's order) and
weights that sum to one, and return one row a target: one, or one a coefficient of a regression.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import dot, inverse, orthogonal, product, singular
from sfumato.statistics.language import Statistic

SINGULAR = 1e-6
"""Predictors of unit size are dependent if one direction of them is shorter than this."""


@dataclass(frozen=True)
class Fitted:
    """A regression of exact values: the outcome is the first row, the intercept the first coefficient."""

    means: Reals
    centred: Reals
    """The values, less their means."""
    weights: Reals
    slopes: Reals
    inverse: Reals
    """Of the predictors' covariances."""

    @classmethod
    def of(cls, statistic: Statistic, values: Reals, weights: Reals) -> Fitted:
        """Fit it, refusing predictors that depend on each other."""
        means, centred = _centred(values, weights)
        y, x = centred[0], centred[1:]
        spreads = np.sqrt(product(x * x, weights))
        constant = [name for name, spread in zip(statistic.attributes[1:], spreads, strict=True) if not spread > 0]
        if constant:
            raise SettingError(f"{statistic.text} is singular: {constant[0]!r} is constant", hint="leave it out")
        # this keeps twice as many digits as inverting the correlations would
        directions, triangle, shortest = _orthogonal(x, spreads, weights)
        if shortest < SINGULAR:
            raise SettingError(
                f"{statistic.text} is singular: a predictor depends linearly on the others",
                hint="leave one of them out",
            )
        back = inverse(triangle) / spreads[:, None]
        return cls(
            means, centred, weights, product(back, product(directions, y * np.sqrt(weights))), product(back, back.T)
        )

    @property
    def coefficients(self) -> Reals:
        """The intercept and the slopes."""
        return np.concatenate(([self.means[0] - dot(self.means[1:], self.slopes)], self.slopes))

    @property
    def residuals(self) -> Reals:
        """What the regression leaves of each record's outcome."""
        return np.asarray(self.centred[0] - product(self.slopes, self.centred[1:]))

    def derivatives(self, target: int) -> Reals:
        """Differentiate a coefficient by each value, S b = c being implicit, as ERRATA 001-14 has it."""
        # of a slope, db/dy = w S^-1 (x - E) and db/dx_r = w S^-1 [e_r res - b_r (x - E)]
        # of the intercept, dc0/dy = w - E . db/dy and dc0/dx_r = -E . db/dx_r - w b_r
        through = self.inverse[target - 1] if target else product(-self.means[1:], self.inverse)
        derivatives = np.empty_like(self.centred)
        derivatives[0] = product(through, self.centred[1:]) + (0.0 if target else 1.0)
        residuals = self.residuals
        for row, (slope, its) in enumerate(zip(self.slopes, through, strict=True), start=1):
            derivatives[row] = its * residuals - slope * derivatives[0]
        derivatives *= self.weights
        return derivatives


def values_of(statistic: Statistic, values: Reals, weights: Reals) -> Reals:
    """Return the statistic; NaN where it is undefined."""
    if statistic.name == "regress":
        return Fitted.of(statistic, values, weights).coefficients
    means, centred = _centred(values, weights)
    if statistic.name == "mean":
        return means
    covariances: Reals = product(centred * weights, centred.T)
    if statistic.name == "var":
        return covariances[0, :]
    if statistic.name == "std":
        return np.sqrt(covariances[0, :])
    if statistic.name == "cov":
        return covariances[0, 1:]
    scale = float(np.sqrt(covariances[0, 0]) * np.sqrt(covariances[1, 1]))
    return np.clip(covariances[0, 1:] / scale, -1.0, 1.0) if scale > 0 else np.full(1, np.nan)


def derivatives_of(statistic: Statistic, values: Reals, weights: Reals) -> Reals:
    """Return the derivatives by each value: targets, attributes, records.

    Notes
    -----
    A statistic of weighted records depends on each value in proportion to the record's weight, which is 1/N where
    all are equal (XF13 sec. II and III).
    """
    if statistic.name == "regress":
        fitted = Fitted.of(statistic, values, weights)
        return np.stack([fitted.derivatives(target) for target in range(values.shape[0])])
    if statistic.name == "mean":
        return weights[None, None, :].copy()
    _, centred = _centred(values, weights)
    if statistic.name in ("var", "std"):
        derivative = 2 * centred * weights
        if statistic.name == "std":
            # XF13 sec. II; printed with E_x for E_i, see ERRATA 000-9 and 001-2
            spread = np.sqrt(product(centred**2, weights))
            derivative = np.divide(derivative, 2 * spread[0], out=np.zeros_like(derivative), where=spread[0] > 0)
        return derivative[None]
    x, y = centred[0, :], centred[1, :]
    if statistic.name == "cov":
        return np.stack([y * weights, x * weights])[None]
    vx, vy, c = (dot(one, weights) for one in (x * x, y * y, x * y))
    scale = np.sqrt(vx) * np.sqrt(vy)
    if not scale > 0:
        return np.full((1, 2, weights.size), np.nan)
    return np.stack([weights * (y - c / vx * x) / scale, weights * (x - c / vy * y) / scale])[None]


def sensitivities_of(statistic: Statistic, values: Reals, weights: Reals) -> Reals:
    """Return a_i = N |dC/dx_i|, or |dC/dx_i| / w where weights differ; a record of weight 0 moves nothing."""
    derivatives = abs(derivatives_of(statistic, values, weights))
    return np.divide(derivatives, weights, out=np.zeros_like(derivatives), where=weights > 0)


def influences_of(statistic: Statistic, values: Reals, weights: Reals) -> Reals:
    """Return how much one more record like each would move the statistic, times the number of records.

    The sum of their squares, times the squared shares of the records, is the square of the sampling error: with A^2
    their mean square and M equal records it is A / sqrt(M).
    """
    if statistic.name == "regress":
        fitted = Fitted.of(statistic, values, weights)
        by_slope = product(fitted.inverse, fitted.centred[1:]) * fitted.residuals
        return np.vstack([fitted.residuals - product(fitted.means[1:], by_slope), by_slope])
    _, centred = _centred(values, weights)
    if statistic.name == "mean":
        return centred
    if statistic.name in ("var", "std"):
        square = centred**2
        variance = product(square, weights)
        moved = square - variance[:, None]
        if statistic.name == "std":
            spread = 2 * np.sqrt(variance[0])
            moved = np.divide(moved, spread, out=np.zeros_like(moved), where=spread > 0)
        return moved
    x, y = centred[0, :], centred[1, :]
    c = dot(x * y, weights)
    if statistic.name == "cov":
        return (x * y - c)[None]
    sx, sy = math.sqrt(dot(x * x, weights)), math.sqrt(dot(y * y, weights))
    if not sx * sy > 0:
        return np.full((1, weights.size), np.nan)
    zx, zy = x / sx, y / sy
    return (zx * zy - c / sx / sy / 2 * (zx**2 + zy**2))[None]


def condition_of(statistic: Statistic, values: Reals, weights: Reals) -> float:
    """Return by how much a regression magnifies rounding."""
    if statistic.name != "regress":
        return 1.0
    x = _centred(values, weights)[1][1:]
    return 1.0 / _orthogonal(x, np.sqrt(product(x * x, weights)), weights)[2] ** 2


def _orthogonal(x: Reals, spreads: Reals, weights: Reals) -> tuple[Reals, Reals, float]:
    """Return orthogonal directions of predictors of unit size, the triangle behind them, and its shortest direction."""
    directions, triangle = orthogonal(x / spreads[:, None] * np.sqrt(weights))
    return directions, triangle, float(singular(triangle)[0][-1])


def _centred(values: Reals, weights: Reals) -> tuple[Reals, Reals]:
    """Return the means and the distances from them, which are centred twice because a mean is rounded."""
    means: Reals = product(values, weights)
    centred: Reals = values - means[:, None]
    rest = product(centred, weights)
    return means + rest, centred - rest[:, None]
