"""A statistic of a sample that is known only as boxes: its value, and the range it is sure to lie in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal, localcontext
from typing import Any

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.statistics.covariation import Range, Scaled, correlation_range, covariance_range
from sfumato.statistics.language import Statistic, parse
from sfumato.statistics.points import condition_of, derivatives_of, influences_of, values_of
from sfumato.statistics.regression import regression_ranges
from sfumato.statistics.sample import Sample, columns_of
from sfumato.statistics.spread import ROUNDING, check_defined, mean_range, middles_variance, rounding_of, spread_of


@dataclass(frozen=True)
class Estimate:
    """A statistic, and how exact it is."""

    statistic: str
    """As it was asked for; of a regression, with the coefficient behind it."""
    value: float
    """At the middles of the boxes."""
    lower: float
    """No data that lie in the boxes have less."""
    upper: float
    """No data that lie in the boxes have more."""
    attained: tuple[float, float]
    """A range whose ends some data in the boxes really have, as found by search."""
    linear: tuple[float, float]
    """The range of XK13 and XF13. It ignores what is not linear and is an approximation, not a guarantee."""
    sampling_error: float
    """A / sqrt(M): what drawing M records from a population adds, as a standard error; with weights, linearised."""
    guaranteed: bool
    """Whether ``lower`` and ``upper`` are proved; if not, they are infinite."""
    records: int
    """How many records it is of."""
    left_out: int = 0
    """How many records were left out because a value is missing."""
    weight: str | None = None
    """The attribute that weights the records, if any."""
    contributions: Mapping[str, float] = field(default_factory=dict, hash=False)
    """The part of half the width of the linear range that each attribute's boxes cause."""

    @property
    def width(self) -> float:
        """The width of the guaranteed range."""
        return self.upper - self.lower

    def summary(self) -> dict[str, Any]:
        """Return plain numbers; null stands for what is not finite."""
        return {name.name: _plain(getattr(self, name.name)) for name in fields(self)}

    @property
    def told(self) -> tuple[str, str]:
        """The value and the guaranteed range in few digits; the range is rounded outwards, so that it stays true."""
        if not self.guaranteed:
            return f"{self.value:.6g}", "not proved"
        digits = _digits(self.lower, self.upper)
        low, high = _rounded(self.lower, digits, ROUND_FLOOR), _rounded(self.upper, digits, ROUND_CEILING)
        return _rounded(self.value, digits, ROUND_HALF_EVEN), f"[{low}, {high}]"

    def __str__(self) -> str:
        value, sure = self.told
        return f"{self.statistic} = {value}, " + (f"surely in {sure}" if self.guaranteed else "no range is proved")


@dataclass(frozen=True)
class Regression(Mapping[str, Estimate]):
    """The coefficients of a regression by name: ``(intercept)`` and the predictors.

    The value, the ranges and the sampling errors of all coefficients are also here at once, as dictionaries.
    """

    statistic: str
    coefficients: Mapping[str, Estimate] = field(hash=False)

    def __getitem__(self, name: str) -> Estimate:
        return self.coefficients[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.coefficients)

    def __len__(self) -> int:
        return len(self.coefficients)

    @property
    def value(self) -> dict[str, float]:
        """At the middles of the boxes."""
        return {name: estimate.value for name, estimate in self.items()}

    @property
    def lower(self) -> dict[str, float]:
        """No data that lie in the boxes have less."""
        return {name: estimate.lower for name, estimate in self.items()}

    @property
    def upper(self) -> dict[str, float]:
        """No data that lie in the boxes have more."""
        return {name: estimate.upper for name, estimate in self.items()}

    @property
    def attained(self) -> dict[str, tuple[float, float]]:
        """Ranges whose ends some data in the boxes really have."""
        return {name: estimate.attained for name, estimate in self.items()}

    @property
    def linear(self) -> dict[str, tuple[float, float]]:
        """Ranges that ignore what is not linear."""
        return {name: estimate.linear for name, estimate in self.items()}

    @property
    def sampling_error(self) -> dict[str, float]:
        """What drawing records from a population adds, as standard errors."""
        return {name: estimate.sampling_error for name, estimate in self.items()}

    @property
    def guaranteed(self) -> bool:
        """Whether the ranges of all coefficients are proved."""
        return all(estimate.guaranteed for estimate in self.values())

    @property
    def records(self) -> int:
        """How many records it is of."""
        return next(iter(self.values())).records

    @property
    def left_out(self) -> int:
        """How many records were left out because a value is missing."""
        return next(iter(self.values())).left_out

    @property
    def weight(self) -> str | None:
        """The attribute that weights the records, if any."""
        return next(iter(self.values())).weight

    def summary(self) -> dict[str, Any]:
        """Return plain numbers; null stands for what is not finite."""
        told = {name: getattr(self, name) for name in ("statistic", "guaranteed", "records", "left_out", "weight")}
        return told | {"coefficients": {name: estimate.summary() for name, estimate in self.items()}}

    def __str__(self) -> str:
        return "\n".join(str(estimate) for estimate in self.values())


def range_of(
    statistic: str, lo: Mapping[str, Any], hi: Mapping[str, Any], weights: Any | None = None
) -> Estimate | Regression:
    """Return what a statistic of interval data can be.

    Parameters
    ----------
    statistic
        ``mean(x)``, ``var(x)``, ``std(x)``, ``cov(x, y)``, ``corr(x, y)`` or ``regress(y ~ x1 + x2)``. Variances and
        covariances have N, not N - 1, in the denominator.
    lo, hi
        The bounds of each attribute: arrays with one number a record, ends included.
    weights
        Survey weights, one number a record.

    Examples
    --------
    >>> found = range_of("var(x)", lo={"x": [0, 1, 2.5, 6]}, hi={"x": [1, 3, 3, 9]})
    >>> found.value, found.attained, found.guaranteed
    (6.85546875, (3.1875, 12.296875), True)
    """
    return estimate_of(parse(statistic), columns_of("lo", lo), columns_of("hi", hi), weights)


def estimate_of(
    statistic: Statistic,
    lo: Mapping[str, Any],
    hi: Mapping[str, Any],
    weights: Any | None = None,
    *,
    left_out: int = 0,
    weight: str | None = None,
) -> Estimate | Regression:
    """Return what a statistic can be, noting how many records were left out and what weights the rest."""
    for one, other, missing in ((lo, hi, "hi"), (hi, lo, "lo")):
        for name in statistic.attributes:
            if name in one and name not in other:
                raise SettingError(f"{missing} has no bounds of {name!r}", hint="give lo and hi of every attribute")
    statistic.check([name for name in lo if name in hi])
    sample = Sample(lo, hi, statistic.attributes, weights)
    of = _of_one if statistic.name in ("mean", "var", "std") else _of_several
    found = [
        replace(one, records=sample.records, left_out=left_out, weight=weight)
        for one in of(statistic, sample.weighty())
    ]
    if statistic.name == "regress":
        return Regression(statistic.text, dict(zip(statistic.targets, found, strict=True)))
    return found[0]


def _of_one(statistic: Statistic, sample: Sample) -> list[Estimate]:
    """Estimate mean, variance or deviation, in a few passes over the records."""
    (name,) = statistic.attributes
    bounds = sample.bounds[name]
    if statistic.name == "mean":
        found = Range(*mean_range(sample, name), (bounds.low, bounds.high))
        _, error = middles_variance(sample, name)
        half = 0.5 * (bounds.high - bounds.low)
        return [_estimate(statistic.text, sample, bounds.middle, found, {name: half}, error)]
    spread = spread_of(sample, name)
    found = Range(spread.lower, spread.upper, spread.attained)
    if statistic.name == "var":
        return [_estimate(statistic.text, sample, spread.value, found, {name: spread.linear}, spread.sampling_error)]
    value = math.sqrt(spread.value)
    found = _root(found) if not bounds.exact else Range(value, value, (value, value))
    # the derivative of the root
    slope = 1.0 / (2.0 * value) if value > 0 else 0.0
    return [
        _estimate(statistic.text, sample, value, found, {name: slope * spread.linear}, slope * spread.sampling_error)
    ]


def _root(found: Range) -> Range:
    """Return the range of the root; it is rounded to the nearest number, which can lie inside."""
    lower, upper, (low, high) = math.sqrt(found.lower), math.sqrt(found.upper), found.attained
    return Range(
        max(math.nextafter(lower, -1.0), 0.0), math.nextafter(upper, math.inf), (math.sqrt(low), math.sqrt(high))
    )


def _of_several(statistic: Statistic, sample: Sample) -> list[Estimate]:
    """Estimate a statistic of two or more attributes, from the distinct boxes."""
    boxes = sample.boxes
    check_defined(statistic, sample)
    values = values_of(statistic, boxes.middles, boxes.shares)
    slopes = abs(derivatives_of(statistic, boxes.middles, boxes.shares))
    parts = np.einsum("tan,an->ta", slopes, boxes.halves)
    errors = np.sqrt(influences_of(statistic, boxes.middles, boxes.shares) ** 2 @ boxes.squares)
    if all(bounds.exact for bounds in sample.bounds.values()):
        found = [Range(value, value, (value, value)) for value in values.tolist()]
    elif _is_linear(statistic, sample):
        found = _linear_ranges(statistic, sample, values, slopes)
    elif statistic.name == "regress":
        found = regression_ranges(sample, statistic, values)
    else:
        scaled = Scaled.of(sample, *statistic.attributes)
        found = [covariance_range(scaled) if statistic.name == "cov" else correlation_range(scaled)]
    several = statistic.name == "regress"
    return [
        _estimate(
            f"{statistic.text}: {target}" if several else target,
            sample,
            value,
            its,
            dict(zip(statistic.attributes, part, strict=True)),
            error,
        )
        for target, value, its, part, error in zip(
            statistic.targets, values.tolist(), found, parts.tolist(), errors.tolist(), strict=True
        )
    ]


def _is_linear(statistic: Statistic, sample: Sample) -> bool:
    """Tell whether the statistic is linear in all that is not exact, so that the linear range is the range."""
    exact = [sample.bounds[name].exact for name in statistic.attributes]
    return (statistic.name == "cov" and any(exact)) or (statistic.name == "regress" and all(exact[1:]))


def _linear_ranges(statistic: Statistic, sample: Sample, values: Reals, slopes: Reals) -> list[Range]:
    boxes = sample.boxes
    half = np.einsum("tan,an->t", slopes, boxes.halves)
    distances = abs(boxes.middles - (boxes.middles @ boxes.shares)[:, None]) + boxes.halves
    size = abs(values) + np.einsum("tan,an->t", slopes, distances)
    # the middles are rounded as numbers of their full size
    whole = np.einsum("tan,an->t", slopes, abs(boxes.middles) + boxes.halves)
    slack = rounding_of(sample.records) * size + 8 * ROUNDING * whole
    slack *= condition_of(statistic, boxes.middles, boxes.shares)
    return [
        Range(value - its - room, value + its + room, (value - its, value + its))
        for value, its, room in zip(values.tolist(), half.tolist(), slack.tolist(), strict=True)
    ]


def _estimate(name: str, sample: Sample, value: float, found: Range, parts: dict[str, float], error: float) -> Estimate:
    """Gather what is known, with the value inside its ranges."""
    half = sum(parts.values())
    attained = (min(found.attained[0], value), max(found.attained[1], value))
    return Estimate(
        statistic=name,
        value=value,
        lower=min(found.lower, attained[0]),
        upper=max(found.upper, attained[1]),
        attained=attained,
        linear=(value - half, value + half),
        sampling_error=error,
        guaranteed=math.isfinite(found.lower) and math.isfinite(found.upper),
        records=sample.records,
        contributions=parts,
    )


def _digits(low: float, high: float) -> int:
    """Return after how many digits behind the point to round: four of the width, but ten in all at most."""
    largest = max(abs(low), abs(high))
    whole = 10 - math.ceil(math.log10(largest)) if largest > 0 else 10
    return min(3 - math.floor(math.log10(high - low)), whole) if high > low else whole


def _rounded(number: float, digits: int, way: str) -> str:
    """Write a number rounded to some digits behind the point (or before it, if negative).

    >>> _rounded(37.9979, 1, ROUND_FLOOR), _rounded(46.9979, 1, ROUND_CEILING), _rounded(55885.2, -2, ROUND_FLOOR)
    ('37.9', '47.0', '55,800')
    """
    with localcontext() as context:
        # enough for any double
        context.prec = 800
        return f"{Decimal(number).quantize(Decimal(1).scaleb(-digits), rounding=way):,f}"


def _plain(content: Any) -> Any:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, tuple):
        return [_plain(part) for part in content]
    if isinstance(content, Mapping):
        return {name: _plain(part) for name, part in content.items()}
    return content
