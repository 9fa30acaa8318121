"""How sensitive statistics are to each record, one by one and combined by what users want."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pydantic import Field, field_validator

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import dot, least_squares, product
from sfumato.settings import Settings
from sfumato.statistics.language import Statistic, parse
from sfumato.statistics.points import derivatives_of, sensitivities_of, values_of
from sfumato.statistics.sample import Sample, columns_of
from sfumato.statistics.spread import check_defined

RELATIVE = 0.1
"""The accuracy that is wanted if none is given, as a share of the statistic."""
FITTED = 2000
"""Affine functions are fitted to about so many records."""
FLOOR = 0.1
"""A statistic near zero is wanted as exactly as one of this share of its natural size."""


class Wanted(Settings):
    """A statistic that users look for, how often, and how exactly."""

    statistic: str
    """As ``mean(x)`` or ``corr(x, y)``."""
    importance: float = Field(default=1.0, gt=0)
    """How often it is looked for, compared with the others."""
    accuracy: float | None = Field(default=None, gt=0)
    """The uncertainty that would be welcome; default: a tenth of the statistic."""

    @field_validator("statistic")
    @classmethod
    def _is_one(cls, statistic: str) -> str:
        try:
            parse(statistic)
        except SettingError as error:
            raise ValueError(error.message) from None
        return statistic


def sensitivities(statistic: str, values: Mapping[str, Any], weights: Any | None = None) -> dict[str, Reals]:
    """Return how much the statistic moves with each value, times the number of records.

    Parameters
    ----------
    statistic
        As for :func:`range_of`.
    values
        The exact values of each attribute, one number a record.
    weights
        Survey weights; then a value's sensitivity is divided by its record's share instead.

    Returns
    -------
    For each attribute one number a record; of a regression one row a coefficient, the intercept first.

    Examples
    --------
    >>> found = sensitivities("var(x)", {"x": [1.0, 2.0, 6.0]})
    >>> found["x"].tolist()
    [4.0, 2.0, 6.0]
    """
    asked = parse(statistic)
    sample, points = _points(asked, values, weights)
    found = sensitivities_of(asked, points, sample.shares)
    return {
        name: found[:, row] if asked.name == "regress" else found[0, row] for row, name in enumerate(asked.attributes)
    }


def combined_sensitivities(
    wanted: Sequence[Wanted | str], values: Mapping[str, Any], weights: Any | None = None
) -> dict[str, Reals]:
    """Return one sensitivity for several statistics, by how often and how exactly each is wanted.

    Parameters
    ----------
    wanted
        The statistics. The coefficients of a regression share its importance.
    values, weights
        As for :func:`sensitivities`.
    """
    total: dict[str, Reals] = {}
    asked = [one if isinstance(one, Wanted) else Wanted(statistic=one) for one in wanted]
    for one in asked:
        statistic = parse(one.statistic)
        sample, points = _points(statistic, values, weights)
        found = sensitivities_of(statistic, points, sample.shares)
        share = one.importance / sum(other.importance for other in asked) / len(found)
        accuracy = _accuracies(one, statistic, points, sample.shares)
        for row, name in enumerate(statistic.attributes):
            # XF13 (4): a_i = sum over C of p_C / Delta_0^C a_i^C
            added = product(share / accuracy, found[:, row])
            total[name] = total[name] + added if name in total else added
    return total


@dataclass(frozen=True)
class Term:
    """A part of a combined sensitivity: the absolute value of an affine function of a record's own values."""

    owner: str
    """The attribute whose sensitivity it is."""
    attributes: tuple[str, ...]
    """The attributes that it depends on."""
    coefficients: Reals
    """Of one and of the attributes."""

    def scaled(self, factor: float) -> Term:
        """Return so many times the term."""
        return replace(self, coefficients=factor * self.coefficients)


def sensitivity_terms(wanted: Sequence[Wanted], values: Mapping[str, Any], weights: Any | None = None) -> list[Term]:
    """Return the combined sensitivities as sums of terms, which can be evaluated for other records.

    Every derivative of these statistics is affine in the record's values, so a fit to some records is exact.
    Parameters are as for :func:`combined_sensitivities`; a record with NaN is left out where it lacks a value.
    """
    terms: list[Term] = []
    for one in wanted:
        statistic = parse(one.statistic)
        complete = ~np.isnan(np.sum([np.asarray(values[name]) for name in statistic.attributes], axis=0))
        known = {name: np.asarray(values[name])[complete] for name in statistic.attributes}
        sample, points = _points(statistic, known, None if weights is None else np.asarray(weights)[complete])
        share = one.importance / sum(other.importance for other in wanted) / len(statistic.targets)
        scale = share / _accuracies(one, statistic, points, sample.shares)
        slopes = derivatives_of(statistic, points, sample.shares) / np.where(sample.shares > 0, sample.shares, np.inf)
        some = np.flatnonzero(sample.shares > 0)[:: max(1, int((sample.shares > 0).sum()) // FITTED)]
        centre = points[:, some].mean(axis=1)
        spread = np.maximum(points[:, some].std(axis=1), np.finfo(np.float64).tiny)
        design = np.column_stack([np.ones(some.size), ((points[:, some] - centre[:, None]) / spread[:, None]).T])
        for row, owner in enumerate(statistic.attributes):
            found = least_squares(design, slopes[:, row][:, some].T).T
            for target, fitted in enumerate(found):
                inner = fitted[1:] / spread
                coefficients = np.concatenate([[fitted[0] - dot(inner, centre)], inner])
                terms.append(Term(owner, statistic.attributes, scale[target] * coefficients))
    return terms


def _points(statistic: Statistic, values: Mapping[str, Any], weights: Any | None) -> tuple[Sample, Reals]:
    given = columns_of("values", values)
    statistic.check(list(given))
    sample = Sample(given, given, statistic.attributes, weights)
    check_defined(statistic, sample)
    return sample, np.stack([sample.bounds[name].lo for name in statistic.attributes])


def _accuracies(wanted: Wanted, statistic: Statistic, points: Reals, shares: Reals) -> Reals:
    """Return Delta_0 of each target; XF13 has 0.1 C, which may be 0 or negative, see ERRATA 000-11."""
    values = values_of(statistic, points, shares)
    if wanted.accuracy is not None:
        return np.full(values.size, wanted.accuracy)
    spreads = np.sqrt(product((points - product(points, shares)[:, None]) ** 2, shares))
    first = spreads[0]
    natural = {
        "mean": [first],
        "var": [first**2],
        "std": [first],
        "cov": [np.prod(spreads)],
        "corr": [1.0],
        "regress": [first, *np.divide(first, spreads[1:], out=np.ones(len(spreads) - 1), where=spreads[1:] > 0)],
    }[statistic.name]
    accuracies = RELATIVE * np.maximum(abs(values), FLOOR * np.array(natural))
    return np.where(accuracies > 0, accuracies, RELATIVE * FLOOR)
