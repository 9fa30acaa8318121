"""Weights that preserve moments: convex programs, solved through their duals.

Costs and shares belong to boxes that hold records; shares sum to one. Weights are relative to equal ones. Moments are
centred: weights preserve a moment if its weighted mean is 0.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.kernels.algebra import dot, orthogonal, product, singular, solve

DEPENDENT = 1e-9
"""Moments of unit size are dependent if one direction of them is shorter than this."""
CONSTANT = 1e-13
"""A moment whose standard deviation is a smaller share of its size is constant except for rounding."""
ENOUGH = 1e-13
"""The search ends when moments of unit size are wrong by less than this."""
CALIBRATED = 1e-9
"""Moments of unit size count as preserved if they are wrong by less than this."""
MAX_STEPS = 200
DAMPING = 1e-3
"""How much the first step is damped, as a share of the curvature where no weight is 0."""
SMALLEST_ERROR = 1e-6
"""A smaller error counts as this share of the mean uncertainty when weights are calibrated."""
RUNGS = 7
"""Number of sampling errors that are tried, each ten times the last, until calibrated weights are found."""


def whitened(moments: Reals, shares: Reals) -> Reals:
    """Return independent combinations of the moments with mean 0 and variance 1."""
    sizes = abs(moments).max(axis=1, initial=0.0)
    rows: Reals = moments[sizes > 0] / sizes[sizes > 0, None]
    # twice, because a mean is rounded
    for _ in range(2):
        rows = rows - product(rows, shares)[:, None]
    spreads = np.sqrt(product(rows**2, shares))
    varied = spreads > CONSTANT
    rows = rows[varied] / spreads[varied, None]
    if not len(rows):
        return rows
    _, triangle = orthogonal(rows * np.sqrt(shares))
    lengths, _, directions = singular(triangle)
    independent = lengths > DEPENDENT
    combined: Reals = product((directions[:, independent] / lengths[independent]).T, rows)
    return combined


def straddling(centred: Reals, levels: Counts) -> int:
    """Return the first level up to which every moment is somewhere below and somewhere above its mean."""
    order = np.argsort(levels, kind="stable")
    rows = centred[:, order]
    rows = rows[rows.any(axis=1)]
    both = (np.minimum.accumulate(rows, axis=1) < 0) & (np.maximum.accumulate(rows, axis=1) > 0)
    return int(levels[order[np.argmax(both.all(axis=0))]])


def best_weights(costs: Reals, shares: Reals, error: float, centred: Reals) -> Reals | None:
    """Return the weights that preserve the moments with the least mean cost and error; None if none are found."""
    smallest = max(error, SMALLEST_ERROR * dot(costs, shares))
    start, best, rung = np.zeros(len(centred)), None, 0
    # raise the error until weights are found, then lower it while they still are
    while 0 <= rung < RUNGS:
        dual = _Dual(costs, shares, centred, smallest * 10.0**rung)
        multipliers, converged = _ascend(dual, start)
        if converged:
            start, best = multipliers, dual.weights(multipliers)[1]
        elif best is not None:
            break
        rung += 1 if best is None else -1
    return best


def nearest_to_equal(centred: Reals, shares: Reals, retained: Flags) -> Reals | None:
    """Return weights of the retained boxes, nearest to equal, that preserve the moments; None if there are none."""
    if retained.all() or not len(centred):
        return retained.astype(np.float64)
    dual = _Nearest(centred[:, retained], shares[retained])
    multipliers, converged = _ascend(dual, np.zeros(len(dual.goal)))
    if not converged:
        return None
    relative = np.zeros(retained.size)
    relative[retained] = dual.weights(multipliers)
    return relative


def threshold_of(costs: Reals, shares: Reals, error: float) -> float:
    """Solve sum of shares (lambda - cost)_+^2 = error^2 for lambda; sorted, it is a quadratic between two costs."""
    order = np.argsort(costs)
    costs, reach = costs[order], np.cumsum(shares[order])
    gaps = np.diff(costs)
    # sums of (lambda - cost)_+ and of its square at each cost, of positive terms only
    first = np.concatenate(([0.0], np.cumsum(reach[:-1] * gaps)))
    second = np.concatenate(([0.0], np.cumsum(gaps * (2 * first[:-1] + reach[:-1] * gaps))))
    at = int(np.searchsorted(second, error * error, side="right")) - 1
    rest = max(error * error - float(second[at]), 0.0)
    slope = float(first[at])
    # XF13 (2), the larger root (ERRATA 000-2 and 000-3), written so that nothing cancels
    beyond = slope + math.sqrt(slope * slope + float(reach[at]) * rest)
    return float(costs[at]) + (rest / beyond if beyond > 0 else 0.0)


def _near_threshold(costs: Reals, shares: Reals, error: float, *, guess: float) -> float:
    """Solve the same as :func:`threshold_of` by Newton's method, without sorting: the root of the sum is convex."""
    for _ in range(MAX_STEPS):
        beyond = np.maximum(guess - costs, 0.0)
        weighted = beyond * shares
        first, second = float(weighted.sum()), math.sqrt(dot(weighted, beyond))
        if not first > 0:
            break
        step = (error - second) * second / first
        guess += step
        if abs(step) <= 1e-15 * guess:
            return guess
    return threshold_of(costs, shares, error)


class _Dual:
    """The least overall uncertainty of fuzzy weights, as a function of multipliers of moments."""

    def __init__(self, costs: Reals, shares: Reals, centred: Reals, error: float) -> None:
        self.costs, self.shares, self.centred, self.error = costs, shares, centred, error
        self.guess = self.size = error

    def weights(self, multipliers: Reals) -> tuple[float, Reals]:
        """Return lambda and the weights."""
        costs = self.costs + product(multipliers, self.centred)
        least = float(costs.min())
        # above the least cost, so that a small lambda is exact
        costs -= least
        self.guess = _near_threshold(costs, self.shares, self.error, guess=self.guess)
        return least + self.guess, np.maximum(self.guess - costs, 0.0)

    def __call__(self, multipliers: Reals) -> tuple[float, Reals, Reals]:
        level, weights = self.weights(multipliers)
        positive = np.flatnonzero(weights)
        shares, rows = self.shares[positive], self.centred[:, positive]
        weighted = weights[positive] * shares
        scale = float(weighted.sum())
        gradient = product(rows, weighted) / scale
        rows -= gradient[:, None]
        return level, gradient, product(rows * shares, rows.T) / scale


class _Nearest:
    """The distance of weights of some boxes from equal ones, as a function of multipliers of moments."""

    def __init__(self, centred: Reals, shares: Reals) -> None:
        self.rows = np.vstack([np.ones(shares.size), centred])
        self.shares, self.equal = shares, 1.0 / float(shares.sum())
        self.size = 1.0
        self.goal = np.zeros(len(self.rows))
        self.goal[0] = 1.0

    def weights(self, multipliers: Reals) -> Reals:
        """Return the weights."""
        return np.maximum(self.equal + product(multipliers, self.rows), 0.0)

    def __call__(self, multipliers: Reals) -> tuple[float, Reals, Reals]:
        moved = product(multipliers, self.rows)
        if moved.max() < multipliers[0]:
            # Farkas: a combination of the moments is negative in all these boxes, so that its mean cannot be 0
            return np.inf, self.goal, np.eye(len(self.goal))
        weights = np.maximum(self.equal + moved, 0.0)
        positive = np.flatnonzero(weights)
        rows, shares = self.rows[:, positive], self.shares[positive]
        value = multipliers[0] - 0.5 * dot(shares, weights[positive] ** 2)
        return float(value), self.goal - product(rows, shares * weights[positive]), product(rows * shares, rows.T)


def _ascend(dual: _Dual | _Nearest, start: Reals) -> tuple[Reals, bool]:
    """Find where the gradient of a concave function is 0; return the point and whether the search converged.

    The gradient is continuous but has kinks, near which Newton's steps are too long. Steps are damped: more if they
    achieve little, and in proportion to the gradient, so that the last ones are pure Newton steps.
    """
    point, (value, gradient, curvature) = start, dual(start)
    damping = DAMPING
    for _ in range(MAX_STEPS):
        length = float(abs(gradient).max(initial=0.0))
        if length <= ENOUGH or damping > 1.0 / ENOUGH:
            break
        ridge = damping * min(length, 1.0) / dual.size
        try:
            step = solve(curvature + ridge * np.eye(len(point)), gradient)
        except np.linalg.LinAlgError:
            damping *= 10.0
            continue
        trial = dual(point + step)
        if trial[0] == np.inf:
            return point, False
        grown = trial[0] >= value + 1e-4 * dot(gradient, step)
        # near the end rounding hides the growth of the function, but not the decrease of the gradient
        level = trial[0] >= value - 1e-9 * (abs(value) + dual.size)
        if grown or (level and float(abs(trial[1]).max()) < 0.9 * length):
            point, (value, gradient, curvature) = point + step, trial
            damping = max(damping / 10.0, ENOUGH)
        else:
            damping *= 10.0
    return point, float(abs(gradient).max(initial=0.0)) <= CALIBRATED
