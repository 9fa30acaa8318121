"""Weights for the records of each box, so that rare, wide boxes blur a statistic less.

Everything is computed from the boxes of a release alone. A box stands for all records in it: ``uncertainties`` are the
sums of sensitivity times half-width (of the statistic of all records, ERRATA 000-12), ``counts`` the number of records
in each box (or the sum of their survey weights), ``error`` is the standard error of a sample of one record (the A of
A / sqrt(M)). Weights are per record: ``weights @ counts == 1``.

Uncertainties depend on the values themselves. Weighting by them is therefore informative selection: the weighted
statistic is biased, by far more than the ranges suggest (ERRATA 001-13). Only the calibrated weights preserve the
moments that a statistic is made of; the others are those of the papers, for comparison.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import dot, product
from sfumato.statistics.calibration import best_weights, nearest_to_equal, straddling, threshold_of, whitened

TIE = 1e-12
"""Uncertainties that differ by a smaller share are equal except for rounding."""


@dataclass(frozen=True)
class CalibratedWeights:
    """Weights that preserve moments."""

    values: Reals
    """The weight of each record of a box, one number per box."""
    uncertainty: float
    """The minimised quantity, see :func:`overall_uncertainty`."""
    calibrated: bool
    """Whether such weights were found; if not, all records have equal weights, which also preserve the moments."""


@dataclass(frozen=True)
class _WeightedBoxes:
    """Boxes that hold records, with weights relative to equal ones."""

    held: Flags
    costs: Reals
    """Uncertainties minus the smallest one: a constant does not change the weights."""
    shares: Reals
    """Of the records; they sum to one."""
    error: float
    """The sampling error of all records."""
    total: float

    @classmethod
    def of(cls, uncertainties: ArrayLike, counts: ArrayLike, error: float) -> _WeightedBoxes:
        blurs, counted = _numbers("uncertainties", uncertainties), _numbers("counts", counts)
        if blurs.ndim != 1 or blurs.shape != counted.shape:
            raise SettingError(
                f"uncertainties has the shape {blurs.shape}, counts has {counted.shape}", hint="give one number per box"
            )
        if not (math.isfinite(error) and error >= 0):
            raise SettingError(f"error = {error}", hint="error is finite and 0 or more")
        held, total = counted > 0, float(counted.sum())
        if not held.any():
            raise SettingError("counts: no box holds a record", hint="at least one must be positive")
        costs = blurs[held] - blurs[held].min()
        return cls(held, costs, counted[held] / total, error / math.sqrt(total), total)

    def weights(self, relative: Reals) -> Reals:
        """Return weights from relative ones of the boxes that hold records."""
        values = np.zeros(self.held.size)
        values[self.held] = relative / dot(relative, self.shares) / self.total
        return values


def overall_uncertainty(uncertainties: ArrayLike, counts: ArrayLike, error: float, weights: ArrayLike) -> float:
    """Return the half-width of the linear range plus the sampling error of a weighted statistic.

    Parameters
    ----------
    uncertainties, counts, error
        See the module.
    weights
        The weight of each record of a box, one number per box.

    Examples
    --------
    >>> overall_uncertainty([1.0, 2.0], [8, 8], 2.0, [1 / 16, 1 / 16])
    2.0
    """
    _WeightedBoxes.of(uncertainties, counts, error)
    blurs, counted, weighted = np.asarray(uncertainties), np.asarray(counts), _numbers("weights", weights)
    # XF13 sec. III: n sum w c + A sqrt(sum w^2), with g for n c (ERRATA 000-12)
    return dot(counted, weighted * blurs) + error * math.sqrt(dot(counted, weighted**2))


def crisp_weights(uncertainties: ArrayLike, counts: ArrayLike, error: float) -> Reals:
    """Leave out the boxes with the largest uncertainties, so that range plus sampling error is smallest.

    Biased, see the module. Boxes of equal uncertainty are retained or left out together.

    Parameters
    ----------
    uncertainties, counts, error
        See the module.

    Examples
    --------
    >>> crisp_weights([1.0, 10.0, 40.0], [8, 1, 1], 3.0).tolist()
    [0.125, 0.0, 0.0]
    """
    boxes = _WeightedBoxes.of(uncertainties, counts, error)
    levels, best = _levels(boxes)
    return boxes.weights((levels <= best).astype(np.float64))


def threshold(uncertainties: ArrayLike, counts: ArrayLike, error: float) -> float:
    """Return the uncertainty above which boxes have no fuzzy weight; it is also the smallest overall uncertainty.

    Parameters
    ----------
    uncertainties, counts, error
        See the module.

    Examples
    --------
    >>> round(threshold([2.0, 4.0, 6.0, 20.0], [1, 1, 1, 1], 4.0), 9)
    5.645751311
    """
    boxes = _WeightedBoxes.of(uncertainties, counts, error)
    least = float(np.asarray(uncertainties, dtype=np.float64)[boxes.held].min())
    return least + threshold_of(boxes.costs, boxes.shares, boxes.error)


def fuzzy_weights(uncertainties: ArrayLike, counts: ArrayLike, error: float) -> Reals:
    """Return the weights for which range plus sampling error is smallest.

    Biased, see the module. Without a sampling error all weight is on the boxes with the smallest uncertainty.

    Parameters
    ----------
    uncertainties, counts, error
        See the module.

    Examples
    --------
    >>> fuzzy_weights([2.0, 4.0, 6.0, 20.0], [1, 1, 1, 1], 4.0).round(4).tolist()
    [0.689, 0.311, 0.0, 0.0]
    """
    boxes = _WeightedBoxes.of(uncertainties, counts, error)
    # XF13 (3): w = K (lambda - n c); printed K (lambda - c), see ERRATA 000-1
    weights = np.maximum(threshold_of(boxes.costs, boxes.shares, boxes.error) - boxes.costs, 0.0)
    return boxes.weights(weights if weights.any() else (boxes.costs == 0).astype(np.float64))


def calibrated_weights(
    uncertainties: ArrayLike, counts: ArrayLike, error: float, moments: ArrayLike
) -> CalibratedWeights:
    """Return the weights for which range plus sampling error is smallest and the moments are preserved.

    Parameters
    ----------
    uncertainties, counts, error
        See the module.
    moments
        Their weighted means must be the same as with equal weights: one row per moment, one number per box. For a
        statistic they are its attributes at the midpoints of the boxes, and their squares and products; best measured
        from the means, so that a square is not nearly a multiple of its attribute.

    Notes
    -----
    With multipliers mu of the moments m the weights are K (lambda - g - mu m)_+, which are fuzzy weights with other
    uncertainties. Their lambda is a concave function of mu, and the smallest overall uncertainty is its maximum; the
    gradient is the weighted mean of the centred moments. A damped semismooth Newton method finds it. The smaller the
    error, the nearer this is to a linear program, whose dual has kinks. If the method gets stuck in them, or the error
    is 0, the best weights for a larger error are returned: they preserve the moments, too.

    Examples
    --------
    >>> weights = calibrated_weights([4.0, 1.0, 0.0, 1.0, 4.0], [9] * 5, 1.0, [[-2.0, -1.0, 0.0, 1.0, 2.0]])
    >>> (weights.values * 9).round(3).tolist(), weights.calibrated
    ([0.0, 0.0, 1.0, 0.0, 0.0], True)
    """
    boxes = _WeightedBoxes.of(uncertainties, counts, error)
    centred = whitened(_moments(moments, boxes), boxes.shares)
    equal = np.ones(boxes.costs.size)
    relative = best_weights(boxes.costs, boxes.shares, boxes.error, centred) if boxes.costs.any() else equal
    if relative is None:
        return _weights(boxes, uncertainties, counts, error, equal, calibrated=False)
    return _weights(boxes, uncertainties, counts, error, relative, calibrated=True)


def calibrated_crisp_weights(
    uncertainties: ArrayLike, counts: ArrayLike, error: float, moments: ArrayLike
) -> CalibratedWeights:
    """Leave out boxes as :func:`crisp_weights` does, and weight the others as equally as the moments allow.

    If no weights of the retained boxes preserve the moments, boxes return in the order of their uncertainties.

    Parameters
    ----------
    uncertainties, counts, error, moments
        As for :func:`calibrated_weights`.

    Examples
    --------
    >>> weights = calibrated_crisp_weights([0.0, 1.0, 2.0, 9.0], [1] * 4, 1.0, [[0.0, 1.0, 3.0, 2.0]])
    >>> weights.values.round(3).tolist()
    [0.286, 0.321, 0.393, 0.0]
    """
    boxes = _WeightedBoxes.of(uncertainties, counts, error)
    rows = _moments(moments, boxes)
    centred = whitened(rows, boxes.shares)
    rows = rows - product(rows, boxes.shares)[:, None]
    levels, low = _levels(boxes)
    best = nearest_to_equal(centred, boxes.shares, levels <= low)
    if best is None:
        # if weights exist for some boxes they exist for more, and they do for all: double the step, then bisect
        low, step = max(low, straddling(np.vstack([rows, centred]), levels) - 1), 1
        high = int(levels.max())
        while best is None and low + step < high:
            best = nearest_to_equal(centred, boxes.shares, levels <= low + step)
            low, high, step = (low + step, high, 2 * step) if best is None else (low, low + step, step)
        while high - low > 1:
            middle = (low + high) // 2
            tried = nearest_to_equal(centred, boxes.shares, levels <= middle)
            low, high, best = (middle, high, best) if tried is None else (low, middle, tried)
    relative = np.ones(levels.size) if best is None else best
    return _weights(boxes, uncertainties, counts, error, relative, calibrated=True)


def _weights(
    boxes: _WeightedBoxes,
    uncertainties: ArrayLike,
    counts: ArrayLike,
    error: float,
    relative: Reals,
    *,
    calibrated: bool,
) -> CalibratedWeights:
    values = boxes.weights(relative)
    return CalibratedWeights(values, overall_uncertainty(uncertainties, counts, error, values), calibrated)


def _numbers(argument: str, content: ArrayLike, *, negative: bool = False) -> Reals:
    try:
        numbers = np.asarray(content, dtype=np.float64)
    except (TypeError, ValueError):
        # a foreign message could show values
        raise SettingError(
            f"{argument} does not hold numbers", hint="give an array of numbers", setting=argument
        ) from None
    for wrong, problem in (
        (~np.isfinite(numbers), "missing or infinite"),
        ((numbers < 0) & (not negative), "negative"),
    ):
        if wrong.any():
            allowed = "finite" if negative else "finite and 0 or more"
            n_wrong = int(wrong.sum())
            message = f"{argument} has {n_wrong:,} {problem} {'entry' if n_wrong == 1 else 'entries'}"
            raise SettingError(message, hint=f"{argument} must be {allowed}", setting=argument)
    return numbers


def _moments(moments: ArrayLike, boxes: _WeightedBoxes) -> Reals:
    rows = _numbers("moments", moments, negative=True)
    if rows.ndim != 2 or rows.shape[1] != boxes.held.size:
        raise SettingError(
            f"moments has the shape {rows.shape}, there are {boxes.held.size:,} boxes",
            hint="give one row per moment, with one number per box",
            setting="moments",
        )
    return rows[:, boxes.held]


def _levels(boxes: _WeightedBoxes) -> tuple[Counts, int]:
    """Return the rank of each box among the distinct uncertainties, and the last rank worth retaining."""
    order = np.argsort(boxes.costs, kind="stable")
    costs, shares = boxes.costs[order], boxes.shares[order]
    new = np.diff(costs, prepend=costs[0]) > TIE * costs
    last = np.append(np.flatnonzero(new[1:]), costs.size - 1)
    retained = np.cumsum(shares)[last]
    # XF13 sec. II: n / #S sum c + A / sqrt(#S); XK13 has no n / #S, see ERRATA 001-1
    overall = np.cumsum(shares * costs)[last] / retained + boxes.error / np.sqrt(retained)
    levels = np.empty(costs.size, dtype=np.int64)
    levels[order] = np.cumsum(new)
    return levels, int(np.argmin(overall))
