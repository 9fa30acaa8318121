"""The statistics there are. A new one is a subclass of :class:`Statistic` and an entry here."""

from __future__ import annotations

from sfumato.statistics.correlation import Correlation
from sfumato.statistics.covariance import Covariance
from sfumato.statistics.mean import Mean
from sfumato.statistics.regression import LinearRegression
from sfumato.statistics.statistic import Statistic
from sfumato.statistics.variance import StandardDeviation, Variance

STATISTICS: dict[str, type[Statistic]] = {}
"""Every statistic by the name that it has in a text."""


def register(*statistics: type[Statistic]) -> None:
    """Let texts name some more statistics."""
    for statistic in statistics:
        STATISTICS[statistic.name] = statistic


def forms() -> list[str]:
    """Return how each statistic is written.

    >>> forms()[:4]
    ['mean(x)', 'var(x)', 'std(x)', 'cov(x, y)']
    """
    return [statistic.form for statistic in STATISTICS.values()]


register(Mean, Variance, StandardDeviation, Covariance, Correlation, LinearRegression)
