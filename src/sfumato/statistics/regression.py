"""The linear regression of an outcome on one or more predictors."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from sfumato.array_types import Reals
from sfumato.formatting import listed
from sfumato.progress import Progress
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.moment_statistic import MomentStatistic
from sfumato.statistics.regression_fit import RegressionFit, condition_of
from sfumato.statistics.regression_range import regression_ranges
from sfumato.statistics.statistic_range import StatisticRange, linear_ranges
from sfumato.statistics.tokens import Tokens, error_at

INTERCEPT = "(intercept)"


class LinearRegression(MomentStatistic):
    """The coefficients of a linear regression by least squares."""

    name: ClassVar[str] = "regress"
    form: ClassVar[str] = "regress(y ~ x1 + x2)"
    title: ClassVar[str] = "Regression"

    @classmethod
    def read(cls, tokens: Tokens) -> Self:
        """Read the outcome, a tilde, and the predictors."""
        outcome = tokens.word("an attribute")
        tokens.mark("~")
        words = [outcome, *tokens.words("an attribute", separator="+")]
        for name, span in words:
            if name == INTERCEPT:
                message = f"{INTERCEPT!r} is the name of the intercept"
                raise error_at(span, message, tokens.text, hint="rename the attribute", column=name)
        return cls.of_words(words, tokens.text)

    def _arguments(self, names: list[str]) -> str:
        return f"{names[0]} ~ {' + '.join(names[1:])}"

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The intercept, and one slope per predictor."""
        return (INTERCEPT, *self.attributes[1:])

    def described(self, coefficient: str | None = None) -> str:
        """Return the regression, or one of its coefficients, in words."""
        outcome, *predictors = self.attributes
        line = f"egression of {outcome} on {listed(predictors)}"
        if coefficient is None:
            return f"R{line}"
        return f"Intercept of the r{line}" if coefficient == INTERCEPT else f"Slope of {coefficient} in the r{line}"

    def has_sign(self, coefficient: str | None = None) -> bool:
        """Return whether a coefficient is a slope."""
        return coefficient != INTERCEPT

    def values(self, points: Reals, shares: Reals) -> Reals:
        """Return the intercept and the slopes, refusing predictors that depend on each other."""
        return RegressionFit.of(self, points, shares).coefficients

    def gradient(self, points: Reals, shares: Reals) -> Reals:
        """Return the derivatives of each coefficient by each value."""
        fit = RegressionFit.of(self, points, shares)
        return np.stack([fit.derivatives(target) for target in range(points.shape[0])])

    def influences(self, points: Reals, shares: Reals) -> Reals:
        """Return how much another record like each would move the coefficients."""
        return RegressionFit.of(self, points, shares).influences

    def natural_sizes(self, spreads: Reals) -> Reals:
        """Return the outcome's standard deviation, and its ratio to that of each predictor."""
        outcome = spreads[:1]
        ratios = np.divide(outcome, spreads[1:], out=np.ones(len(spreads) - 1), where=spreads[1:] > 0)
        return np.concatenate([outcome, ratios])

    @property
    def varying(self) -> tuple[str, ...]:
        """All predictors must vary."""
        return self.attributes[1:]

    def ranges(self, sample: Sample, values: Reals, slopes: Reals, progress: Progress) -> list[StatisticRange]:
        """Return the ranges; with exact predictors, the coefficients are linear in the outcome."""
        if all(sample.bounds[name].exact for name in self.attributes[1:]):
            condition = condition_of(sample.boxes.middles, sample.boxes.shares)
            return linear_ranges(sample, values, slopes, condition=condition)
        return regression_ranges(sample, self, values, progress)
