"""A statistic of a sample that is known only as boxes: its value, and the range it is sure to lie in."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import product
from sfumato.progress import Progress, silent
from sfumato.statistics.covariation import Range, Scaled, correlation_range, covariance_range
from sfumato.statistics.dismissal import Dismiss, Dismissal, Weighted, box_weights, dismissal_of
from sfumato.statistics.estimate import Estimate, Regression
from sfumato.statistics.language import Statistic, parse
from sfumato.statistics.points import condition_of, derivatives_of, influences_of, values_of
from sfumato.statistics.regression import regression_ranges
from sfumato.statistics.sample import Boxes, Sample, columns_of
from sfumato.statistics.spread import ROUNDING, check_defined, mean_range, middles_variance, rounding_of, spread_of


def range_of(
    statistic: str,
    lo: Mapping[str, Any],
    hi: Mapping[str, Any],
    weights: Any | None = None,
    *,
    dismiss: Dismiss = "none",
    calibrate: bool = True,
) -> Estimate | Any:
    """Return what a statistic of interval data can be: an :class:`Estimate`, or a :class:`Regression` of ``regress``.

    Parameters
    ----------
    statistic
        ``mean(x)``, ``var(x)``, ``std(x)``, ``cov(x, y)``, ``corr(x, y)`` or ``regress(y ~ x1 + x2)``. Variances and
        covariances have N, not N - 1, in the denominator.
    lo, hi
        The bounds of each attribute: arrays with one number a record, ends included.
    weights
        Survey weights, one number a record.
    dismiss
        Also tell what the statistic is if rare, wide boxes are left out (``"crisp"``) or count less (``"fuzzy"``).
        That is ``weighted``, and never guaranteed to hold the statistic of all records; the rest stays as it is.
    calibrate
        Whether these weights must keep the moments that the statistic is made of; if not, it is biased.

    Examples
    --------
    >>> found = range_of("var(x)", lo={"x": [0, 1, 2.5, 6]}, hi={"x": [1, 3, 3, 9]})
    >>> found.value, found.attained, found.guaranteed
    (6.85546875, (3.1875, 12.296875), True)
    >>> lo, hi = [-7, -3, -1, 0, 1, 2, 3, 5], [-3, -2, -1, 0, 1, 3, 3, 9]
    >>> print(range_of("var(x)", {"x": lo}, {"x": hi}, dismiss="fuzzy"))
    var(x) = 11.80, surely in [6.23, 19.49]
      fuzzy, calibrated: 11.80 in [6.58, 18.94], shift 0, width saved 6.82 %; the truth need not lie there
    """
    dismissal = dismissal_of(dismiss, calibrate)
    return estimate_of(parse(statistic), columns_of("lo", lo), columns_of("hi", hi), weights, dismissal=dismissal)


def estimate_of(
    statistic: Statistic,
    lo: Mapping[str, Any],
    hi: Mapping[str, Any],
    weights: Any | None = None,
    *,
    left_out: int = 0,
    weight: str | None = None,
    dismissal: Dismissal | None = None,
    progress: Progress = silent,
) -> Estimate | Regression:
    """Return what a statistic can be, noting how many records were left out and what weights the rest."""
    for one, other, missing in ((lo, hi, "hi"), (hi, lo, "lo")):
        for name in statistic.attributes:
            if name in one and name not in other:
                raise SettingError(f"{missing} has no bounds of {name!r}", hint="give lo and hi of every attribute")
    statistic.check([name for name in lo if name in hi])
    sample = Sample(lo, hi, statistic.attributes, weights)
    weighty = sample.weighty()
    found = _estimates(statistic, weighty, progress)
    if dismissal is not None:
        found = _with_weighted(statistic, weighty.boxes, found, dismissal)
    found = [replace(one, records=sample.records, left_out=left_out, weight=weight) for one in found]
    if statistic.name == "regress":
        return Regression(statistic.text, dict(zip(statistic.targets, found, strict=True)))
    return found[0]


def _estimates(statistic: Statistic, sample: Sample, progress: Progress = silent) -> list[Estimate]:
    """Estimate each target."""
    alone = statistic.name in ("mean", "var", "std")
    return _of_one(statistic, sample) if alone else _of_several(statistic, sample, progress)


def _with_weighted(statistic: Statistic, boxes: Boxes, found: list[Estimate], dismissal: Dismissal) -> list[Estimate]:
    """Put beside each target what it is with weights of its own."""
    weighted = box_weights(statistic, boxes, [one.sampling_error for one in found], dismissal)
    return [
        replace(one, weighted=_weighted(statistic, boxes, target, one, weights, dismissal, calibrated=calibrated))
        for target, (one, (weights, calibrated)) in enumerate(zip(found, weighted, strict=True))
    ]


def _weighted(
    statistic: Statistic,
    boxes: Boxes,
    target: int,
    every: Estimate,
    weights: Reals,
    dismissal: Dismissal,
    *,
    calibrated: bool,
) -> Weighted:
    """Estimate a target with weights of the boxes' records; a box with all its records is as good as each of them."""
    shares, squares = boxes.shares * weights, boxes.squares * weights**2
    lo, hi = (dict(zip(statistic.attributes, ends, strict=True)) for ends in (boxes.lo, boxes.hi))
    try:
        one = _estimates(statistic, Sample(lo, hi, statistic.attributes, shares, least=1).weighty())[target]
        value, lower, upper = one.value, one.lower, one.upper
    except SettingError as undefined:
        if dismissal.asked:
            raise SettingError(
                f"{dismissal.kind} weights leave too few boxes: {undefined.message}",
                hint="calibrate the weights, or dismiss none",
            ) from None
        value, lower, upper = math.nan, -math.inf, math.inf
    return Weighted(
        dismiss=dismissal.kind,
        calibrated=calibrated,
        value=value,
        lower=lower,
        upper=upper,
        shift=value - every.value,
        saved=1.0 - (upper - lower) / every.width if every.width > 0 else 0.0,
        # XF13 sec. III: A sqrt(sum w^2) for A / sqrt(N), printed 1 / #(S), see ERRATA 000-6
        sampling_error=every.sampling_error * math.sqrt(float(squares.sum() / boxes.squares.sum())),
        records=int(boxes.counts[weights > 0].sum()),
        effective=1.0 / float(squares.sum()),
    )


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


def _of_several(statistic: Statistic, sample: Sample, progress: Progress) -> list[Estimate]:
    """Estimate a statistic of two or more attributes, from the distinct boxes."""
    boxes = sample.boxes
    check_defined(statistic, sample)
    values = values_of(statistic, boxes.middles, boxes.shares)
    slopes = abs(derivatives_of(statistic, boxes.middles, boxes.shares))
    parts = (slopes * boxes.halves).sum(axis=2)
    errors = np.sqrt(product(influences_of(statistic, boxes.middles, boxes.shares) ** 2, boxes.squares))
    if all(bounds.exact for bounds in sample.bounds.values()):
        found = [Range(value, value, (value, value)) for value in values.tolist()]
    elif _is_linear(statistic, sample):
        found = _linear_ranges(statistic, sample, values, slopes)
    elif statistic.name == "regress":
        found = regression_ranges(sample, statistic, values, progress)
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
    half = (slopes * boxes.halves).sum(axis=(1, 2))
    distances = abs(boxes.middles - product(boxes.middles, boxes.shares)[:, None]) + boxes.halves
    size = abs(values) + (slopes * distances).sum(axis=(1, 2))
    # the middles are rounded as numbers of their full size
    whole = (slopes * (abs(boxes.middles) + boxes.halves)).sum(axis=(1, 2))
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
