"""The sensitivity of statistics to each record: single, and combined by importance and accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import Field, field_validator

from sfumato.array_types import Reals
from sfumato.kernels.algebra import product
from sfumato.settings import Settings
from sfumato.statistics.interval_sample import Sample, columns_of
from sfumato.statistics.parser import parse
from sfumato.statistics.statistic import Statistic


class Wanted(Settings):
    """A statistic to preserve, with its importance and target accuracy."""

    statistic: str
    """Such as ``mean(x)`` or ``corr(x, y)``."""
    importance: float = Field(default=1.0, gt=0)
    """Its importance, relative to the other statistics."""
    accuracy: float | None = Field(default=None, gt=0)
    """The target accuracy, as a half-width; default: a tenth of the statistic."""

    @field_validator("statistic")
    @classmethod
    def _can_be_read(cls, statistic: str) -> str:
        parse(statistic)
        return statistic


def sensitivities(statistic: str, values: Mapping[str, Any], weights: Any | None = None) -> dict[str, Reals]:
    """Return how much the statistic moves with each value, times the number of records.

    Parameters
    ----------
    statistic
        As for :func:`range_of`.
    values
        The exact values of each attribute, one number per record.
    weights
        Survey weights; then a value's sensitivity is divided by its record's share instead.

    Returns
    -------
    For each attribute one number per record; for a regression one row per coefficient, the intercept first.

    Examples
    --------
    >>> sensitivities("var(x)", {"x": [1.0, 2.0, 6.0]})["x"].tolist()
    [4.0, 2.0, 6.0]
    """
    parsed = parse(statistic)
    sample, points = _points(parsed, values, weights)
    by_target = parsed.sensitivities(points, sample.shares)
    return {
        name: by_target[:, row] if parsed.coefficients else by_target[0, row]
        for row, name in enumerate(parsed.attributes)
    }


def combined_sensitivities(
    wanted: Sequence[Wanted | str], values: Mapping[str, Any], weights: Any | None = None
) -> dict[str, Reals]:
    """Return one sensitivity for several statistics, combined by their importance and target accuracy.

    Parameters
    ----------
    wanted
        The statistics. The coefficients of a regression share its importance.
    values, weights
        As for :func:`sensitivities`.
    """
    total: dict[str, Reals] = {}
    requests = [request if isinstance(request, Wanted) else Wanted(statistic=request) for request in wanted]
    for request in requests:
        statistic = parse(request.statistic)
        sample, points = _points(statistic, values, weights)
        by_target = statistic.sensitivities(points, sample.shares)
        share = request.importance / sum(each.importance for each in requests) / len(by_target)
        accuracy = statistic.accuracies(request.accuracy, points, sample.shares)
        for row, name in enumerate(statistic.attributes):
            # XF13 (4): a_i = sum over C of p_C / Delta_0^C a_i^C
            added = product(share / accuracy, by_target[:, row])
            total[name] = total[name] + added if name in total else added
    return total


def _points(statistic: Statistic, values: Mapping[str, Any], weights: Any | None) -> tuple[Sample, Reals]:
    columns = columns_of("values", values)
    statistic.check(list(columns))
    sample = Sample(columns, columns, statistic.attributes, weights)
    statistic.check_defined(sample)
    return sample, np.stack([sample.bounds[name].lo for name in statistic.attributes])
