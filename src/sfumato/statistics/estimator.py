"""Estimates of a statistic from boxes: its value and its guaranteed range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.progress import Progress, silent
from sfumato.statistics.estimate import Estimate, Regression
from sfumato.statistics.interval_sample import DistinctBoxes, Sample, columns_of
from sfumato.statistics.parser import parse
from sfumato.statistics.statistic import Evaluation, Statistic
from sfumato.statistics.trimmed_estimate import Weighted
from sfumato.statistics.trimming import Dismiss, Dismissal, box_weights, dismissal_of


def range_of(
    statistic: str,
    lo: Mapping[str, Any],
    hi: Mapping[str, Any],
    weights: Any | None = None,
    *,
    dismiss: Dismiss = "none",
    calibrate: bool = True,
) -> Estimate | Any:
    """Return the possible values of a statistic of interval data.

    Parameters
    ----------
    statistic
        Such as ``mean(x)``, ``corr(x, y)`` or ``regress(y ~ x1 + x2)``; :func:`forms` lists them all. Variances and
        covariances have N, not N - 1, in the denominator.
    lo, hi
        The bounds of each attribute: arrays with one number per record, ends included.
    weights
        Survey weights, one number per record.
    dismiss
        Also estimate the statistic with rare, wide boxes left out (``"crisp"``) or weighted less (``"fuzzy"``), in
        the field ``weighted``. That range is not guaranteed to contain the statistic of all records. The other fields
        do not change.
    calibrate
        Whether these weights must preserve the moments that the statistic is made of; if not, it is biased.

    Returns
    -------
    An :class:`Estimate`; for ``regress`` a :class:`Regression`, with one estimate per coefficient.

    Examples
    --------
    >>> estimate = range_of("var(x)", lo={"x": [0, 1, 2.5, 6]}, hi={"x": [1, 3, 3, 9]})
    >>> estimate.value, estimate.attained, estimate.guaranteed
    (6.85546875, (3.1875, 12.296875), True)
    >>> lo, hi = [-7, -3, -1, 0, 1, 2, 3, 5], [-3, -2, -1, 0, 1, 3, 3, 9]
    >>> print(range_of("var(x)", {"x": lo}, {"x": hi}, dismiss="fuzzy"))
    var(x) = 11.80, guaranteed range [6.23, 19.49]
      fuzzy, calibrated: 11.80 in [6.58, 18.94], shift 0, width saved 6.82%; not a guaranteed range
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
    """Return the estimate, noting the number of records left out and the attribute that weights the rest."""
    for name in statistic.attributes:
        if (name in lo) != (name in hi):
            side = "hi" if name in lo else "lo"
            raise SettingError(
                f"{side} has no bounds of {name!r}", hint="give lo and hi of every attribute", setting=side, column=name
            )
    statistic.check([name for name in lo if name in hi])
    sample = Sample(lo, hi, statistic.attributes, weights)
    weighty = sample.weighty()
    estimates = _estimates(statistic, weighty, progress)
    if dismissal is not None:
        estimates = _with_weighted(statistic, weighty.boxes, estimates, dismissal)
    estimates = [replace(each, records=sample.records, left_out=left_out, weight=weight) for each in estimates]
    if statistic.coefficients:
        return Regression(statistic.text, dict(zip(statistic.targets, estimates, strict=True)))
    return estimates[0]


def _estimates(statistic: Statistic, sample: Sample, progress: Progress = silent) -> list[Estimate]:
    """Estimate each target."""
    return [
        _estimate(statistic, target, evaluation, sample.records)
        for target, evaluation in zip(statistic.targets, statistic.evaluate(sample, progress), strict=True)
    ]


def _estimate(statistic: Statistic, target: str, evaluation: Evaluation, records: int) -> Estimate:
    """Return an estimate whose value is inside its ranges."""
    value, span = evaluation.value, evaluation.range
    half_width = sum(evaluation.half_widths)
    attained = (min(span.attained[0], value), max(span.attained[1], value))
    return Estimate(
        statistic=f"{statistic.text}: {target}" if statistic.coefficients else target,
        value=value,
        lower=min(span.lower, attained[0]),
        upper=max(span.upper, attained[1]),
        attained=attained,
        linear=(value - half_width, value + half_width),
        sampling_error=evaluation.sampling_error,
        guaranteed=math.isfinite(span.lower) and math.isfinite(span.upper),
        records=records,
        contributions=dict(zip(statistic.attributes, evaluation.half_widths, strict=True)),
    )


def _with_weighted(
    statistic: Statistic, boxes: DistinctBoxes, estimates: list[Estimate], dismissal: Dismissal
) -> list[Estimate]:
    """Add to each target the estimate with its own weights."""
    weighted = box_weights(statistic, boxes, [estimate.sampling_error for estimate in estimates], dismissal)
    return [
        replace(
            estimate, weighted=_weighted(statistic, boxes, target, estimate, weights, dismissal, calibrated=calibrated)
        )
        for target, (estimate, (weights, calibrated)) in enumerate(zip(estimates, weighted, strict=True))
    ]


def _weighted(
    statistic: Statistic,
    boxes: DistinctBoxes,
    target: int,
    unweighted: Estimate,
    weights: Reals,
    dismissal: Dismissal,
    *,
    calibrated: bool,
) -> Weighted:
    """Estimate a target with weights of the boxes; the records of a box are equivalent, so a box counts as one."""
    shares, squares = boxes.shares * weights, boxes.squares * weights**2
    lo, hi = (dict(zip(statistic.attributes, ends, strict=True)) for ends in (boxes.lo, boxes.hi))
    try:
        estimate = _estimates(statistic, Sample(lo, hi, statistic.attributes, shares, least=1).weighty())[target]
        value, lower, upper = estimate.value, estimate.lower, estimate.upper
    except SettingError as undefined:
        if dismissal.requested:
            raise SettingError(
                f"{dismissal.kind} weights leave too few boxes: {undefined.message}",
                hint="calibrate the weights, or set dismiss to none",
                setting="dismiss",
                column=undefined.column,
            ) from None
        value, lower, upper = math.nan, -math.inf, math.inf
    return Weighted(
        dismiss=dismissal.kind,
        calibrated=calibrated,
        value=value,
        lower=lower,
        upper=upper,
        shift=value - unweighted.value,
        saved=1.0 - (upper - lower) / unweighted.width if unweighted.width > 0 else 0.0,
        # XF13 sec. III: A sqrt(sum w^2) for A / sqrt(N), printed 1 / #(S), see ERRATA 000-6
        sampling_error=unweighted.sampling_error * math.sqrt(float(squares.sum() / boxes.squares.sum())),
        records=int(boxes.counts[weights > 0].sum()),
        effective=1.0 / float(squares.sum()),
    )
