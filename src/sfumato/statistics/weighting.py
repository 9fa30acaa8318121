"""Weights for the records of each box, so that rare, wide boxes blur one statistic less.

Everything is computed from boxes alone, so from a release. A box stands for all records in it: ``uncertainties`` are
the sums of sensitivity times half-width (of the statistic of all records, ERRATA 000-12), ``counts`` the records of
each box (or the sum of their survey weights), ``error`` is the standard error that a sample of a single record has
(the A of A / sqrt(M)). Weights are per record: ``weights @ counts == 1``.

Uncertainties depend on the values themselves. So weighting by them is informative selection: a statistic of records
so weighted is biased, and by far more than the ranges tell (ERRATA 001-13). Only the calibrated weights keep the
moments that a statistic is made of; the others are what the papers have, for comparison.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sfumato.arrays import Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import dot, product
from sfumato.statistics.calibration import best_weights, nearest_to_equal, straddling, threshold_of, whitened

TIE = 1e-12
"""Uncertainties that differ by a smaller share are the same but for rounding."""


@dataclass(frozen=True)
class Weights:
    """Weights that keep moments."""

    values: Reals
    """The weight of each record of a box, one number a box."""
    uncertainty: float
    """What is minimised, see :func:`overall_uncertainty`."""
    calibrated: bool
    """Whether they were found; if not, the records are weighted equally, which keeps the moments as well."""


@dataclass(frozen=True)
class _Boxes:
    """Boxes that hold records, with weights relative to equal ones."""

    held: Flags
    costs: Reals
    """Uncertainties above the least one: what is added to all of them changes no weight."""
    shares: Reals
    """Of the records; they sum to one."""
    error: float
    """The sampling error of all records."""
    total: float

    @classmethod
    def of(cls, uncertainties: ArrayLike, counts: ArrayLike, error: float) -> _Boxes:
        blurs, counted = _numbers("uncertainties", uncertainties), _numbers("counts", counts)
        if blurs.ndim != 1 or blurs.shape != counted.shape:
            raise SettingError(
                f"uncertainties has the shape {blurs.shape}, counts has {counted.shape}", hint="give one number a box"
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
        As the module says.
    weights
        Of each record of a box, one number a box.

    Examples
    --------
    >>> overall_uncertainty([1.0, 2.0], [8, 8], 2.0, [1 / 16, 1 / 16])
    2.0
    """
    _Boxes.of(uncertainties, counts, error)
    blurs, counted, weighted = np.asarray(uncertainties), np.asarray(counts), _numbers("weights", weights)
    # XF13 sec. III: n sum w c + A sqrt(sum w^2), with g for n c (ERRATA 000-12)
    return dot(counted, weighted * blurs) + error * math.sqrt(dot(counted, weighted**2))


def crisp_weights(uncertainties: ArrayLike, counts: ArrayLike, error: float) -> Reals:
    """Dismiss the boxes with the largest uncertainties, so that range and sampling error together are least.

    Biased, as the module says. Boxes of equal uncertainty are kept or dismissed together.

    Parameters
    ----------
    uncertainties, counts, error
        As the module says.

    Examples
    --------
    >>> crisp_weights([1.0, 10.0, 40.0], [8, 1, 1], 3.0).tolist()
    [0.125, 0.0, 0.0]
    """
    boxes = _Boxes.of(uncertainties, counts, error)
    levels, best = _levels(boxes)
    return boxes.weights((levels <= best).astype(np.float64))


def threshold(uncertainties: ArrayLike, counts: ArrayLike, error: float) -> float:
    """Return the uncertainty from which on boxes get no fuzzy weight; it is also the least overall uncertainty.

    Parameters
    ----------
    uncertainties, counts, error
        As the module says.

    Examples
    --------
    >>> round(threshold([2.0, 4.0, 6.0, 20.0], [1, 1, 1, 1], 4.0), 9)
    5.645751311
    """
    boxes = _Boxes.of(uncertainties, counts, error)
    least = float(np.asarray(uncertainties, dtype=np.float64)[boxes.held].min())
    return least + threshold_of(boxes.costs, boxes.shares, boxes.error)


def fuzzy_weights(uncertainties: ArrayLike, counts: ArrayLike, error: float) -> Reals:
    """Return the weights for which range and sampling error together are least.

    Biased, as the module says. Without a sampling error all the weight is on the boxes of least uncertainty.

    Parameters
    ----------
    uncertainties, counts, error
        As the module says.

    Examples
    --------
    >>> fuzzy_weights([2.0, 4.0, 6.0, 20.0], [1, 1, 1, 1], 4.0).round(4).tolist()
    [0.689, 0.311, 0.0, 0.0]
    """
    boxes = _Boxes.of(uncertainties, counts, error)
    # XF13 (3): w = K (lambda - n c); printed K (lambda - c), see ERRATA 000-1
    weights = np.maximum(threshold_of(boxes.costs, boxes.shares, boxes.error) - boxes.costs, 0.0)
    return boxes.weights(weights if weights.any() else (boxes.costs == 0).astype(np.float64))


def calibrated_weights(uncertainties: ArrayLike, counts: ArrayLike, error: float, moments: ArrayLike) -> Weights:
    """Return the weights for which range and sampling error together are least while moments stay.

    Parameters
    ----------
    uncertainties, counts, error
        As the module says.
    moments
        What must have the same weighted mean as with equal weights: one row a moment, one number a box. For a
        statistic they are its attributes at the middles of the boxes, and their squares and products; best measured
        from the means, so that a square is not nearly a multiple of its attribute.

    Notes
    -----
    With multipliers mu of the moments m the weights are K (lambda - g - mu m)_+, so fuzzy weights with other
    uncertainties. Their lambda is a concave function of mu, and the least overall uncertainty is its maximum; the
    gradient is the weighted mean of the centred moments. A damped semismooth Newton method finds it. The smaller the
    error, the nearer this comes to a linear programme, whose dual has kinks; where the method gets stuck in them, or
    the error is 0, the weights that are best for a larger error are returned: they keep the moments as well.

    Examples
    --------
    >>> found = calibrated_weights([4.0, 1.0, 0.0, 1.0, 4.0], [9] * 5, 1.0, [[-2.0, -1.0, 0.0, 1.0, 2.0]])
    >>> (found.values * 9).round(3).tolist(), found.calibrated
    ([0.0, 0.0, 1.0, 0.0, 0.0], True)
    """
    boxes = _Boxes.of(uncertainties, counts, error)
    centred = whitened(_moments(moments, boxes), boxes.shares)
    equal = np.ones(boxes.costs.size)
    relative = best_weights(boxes.costs, boxes.shares, boxes.error, centred) if boxes.costs.any() else equal
    if relative is None:
        return _told(boxes, uncertainties, counts, error, equal, calibrated=False)
    return _told(boxes, uncertainties, counts, error, relative, calibrated=True)


def calibrated_crisp_weights(uncertainties: ArrayLike, counts: ArrayLike, error: float, moments: ArrayLike) -> Weights:
    """Dismiss boxes as :func:`crisp_weights` does, and weight the others as equally as keeping moments allows.

    Where no weights of the boxes kept have the moments, boxes are taken back in the order of their uncertainties.

    Parameters
    ----------
    uncertainties, counts, error, moments
        As for :func:`calibrated_weights`.

    Examples
    --------
    >>> found = calibrated_crisp_weights([0.0, 1.0, 2.0, 9.0], [1] * 4, 1.0, [[0.0, 1.0, 3.0, 2.0]])
    >>> found.values.round(3).tolist()
    [0.286, 0.321, 0.393, 0.0]
    """
    boxes = _Boxes.of(uncertainties, counts, error)
    rows = _moments(moments, boxes)
    centred = whitened(rows, boxes.shares)
    rows = rows - product(rows, boxes.shares)[:, None]
    levels, low = _levels(boxes)
    best = nearest_to_equal(centred, boxes.shares, levels <= low)
    if best is None:
        # weights are found for more boxes if for fewer, and for all: the step doubles until they are, then is halved
        low, step = max(low, straddling(np.vstack([rows, centred]), levels) - 1), 1
        high = int(levels.max())
        while best is None and low + step < high:
            best = nearest_to_equal(centred, boxes.shares, levels <= low + step)
            low, high, step = (low + step, high, 2 * step) if best is None else (low, low + step, step)
        while high - low > 1:
            middle = (low + high) // 2
            found = nearest_to_equal(centred, boxes.shares, levels <= middle)
            low, high, best = (middle, high, best) if found is None else (low, middle, found)
    relative = np.ones(levels.size) if best is None else best
    return _told(boxes, uncertainties, counts, error, relative, calibrated=True)


def _told(
    boxes: _Boxes, uncertainties: ArrayLike, counts: ArrayLike, error: float, relative: Reals, *, calibrated: bool
) -> Weights:
    values = boxes.weights(relative)
    return Weights(values, overall_uncertainty(uncertainties, counts, error, values), calibrated)


def _numbers(what: str, given: ArrayLike, *, negative: bool = False) -> Reals:
    try:
        numbers = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        # a foreign message could show values
        raise SettingError(f"{what} does not hold numbers", hint="give an array of numbers") from None
    for bad, told in ((~np.isfinite(numbers), "not finite"), ((numbers < 0) & (not negative), "negative")):
        if bad.any():
            allowed = "finite" if negative else "finite and 0 or more"
            raise SettingError(f"{what}: {int(bad.sum()):,} are {told}", hint=f"{what} are {allowed}")
    return numbers


def _moments(given: ArrayLike, boxes: _Boxes) -> Reals:
    rows = _numbers("moments", given, negative=True)
    if rows.ndim != 2 or rows.shape[1] != boxes.held.size:
        raise SettingError(
            f"moments has the shape {rows.shape}, there are {boxes.held.size:,} boxes",
            hint="give one row a moment, with one number a box",
        )
    return rows[:, boxes.held]


def _levels(boxes: _Boxes) -> tuple[Counts, int]:
    """Return the rank of each box among the distinct uncertainties, and the last rank worth keeping."""
    order = np.argsort(boxes.costs, kind="stable")
    costs, shares = boxes.costs[order], boxes.shares[order]
    new = np.diff(costs, prepend=costs[0]) > TIE * costs
    last = np.append(np.flatnonzero(new[1:]), costs.size - 1)
    kept = np.cumsum(shares)[last]
    # XF13 sec. II: n / #S sum c + A / sqrt(#S); XK13 has no n / #S, see ERRATA 001-1
    overall = np.cumsum(shares * costs)[last] / kept + boxes.error / np.sqrt(kept)
    levels = np.empty(costs.size, dtype=np.int64)
    levels[order] = np.cumsum(new)
    return levels, int(np.argmin(overall))
