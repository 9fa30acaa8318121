"""Reshaping that preserves mean and deviation: hidden places become ordinary, and the rest is stretched."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.kernels.algebra import dot

LEVELS = (0.5, 0.6, 0.4, 0.75, 0.25, 0.85, 0.15, 0.95, 0.05)
"""The quantiles of the other places at which hidden ones are put; tried in turn."""
NEAR = 0.01
"""Deviations that differ by less than this share count as equal."""
HALVINGS = 60
"""How often an interval is bisected; more than floating-point precision needs."""
WIDEST = 2.0**40
"""Stretching by more than this is as good as putting everybody at one place."""


def reshape_by_moments(task: Reshaping) -> Counts:
    """Make hidden places ordinary while the signal's mean and deviation stay.

    The hidden places are first put among the others. Then CT10 (2), which is lost in the paper's text and rebuilt as
    theta* = (theta^ - mean^) sd / sd^ + mean (ERRATA 003-11), restores both moments. Lowering a peak makes sd^ small,
    so the formula stretches the rest, often to below zero. In that case, and where places are fixed or full, values
    are cut at their bounds and stretched further around a centre that preserves the total of people exactly, until the
    deviation is the original one, or as near to it as bounds allow. All of this preserves the order, so hidden places
    stay between the same others. Of the positions tried for them that leave no hidden place outlying, those are
    preferred that miss the deviation by less than one in a hundred, and of these the one that moves fewest people.
    Rounding changes the deviation by less than half a person.

    Parameters
    ----------
    task
        The signal and the places.
    """
    best: tuple[tuple[bool, float], Counts] | None = None
    closest = None
    target_deviation = float(task.values.std(ddof=1))
    for level in LEVELS:
        counts = task.rounded(stretched(task, _made_ordinary(task, level)))
        if not task.hides(counts):
            closest = counts
            continue
        error = (
            abs(float(task.signal_of(counts).std(ddof=1)) - target_deviation) / target_deviation
            if target_deviation > 0
            else 0.0
        )
        key = (True, error) if error > NEAR else (False, float(task.moved(counts)))
        if best is None or key < best[0]:
            best = key, counts
    if best is None:
        hint = "use reshape 'least', fix fewer places, raise capacities or take a smaller alpha"
        raise task.unattainable(closest, "keeping mean and deviation", hint)
    return best[1]


def stretched(task: Reshaping, signal: Reals) -> Reals:
    """Return a signal stretched to the deviation of the task's signal, with its total of people, within its bounds.

    Parameters
    ----------
    task
        The problem with the total, deviation and bounds.
    signal
        One number per place; at fixed places that of the task.
    """
    lowest, highest = (task.signal_of(bound) for bound in task.bounds)
    total = dot(task.weights, task.values)
    target_deviation, centre = float(task.values.std(ddof=1)), float(signal.mean())

    def placed(scale: float) -> Reals:
        """Stretch by a scale and shift so that the total stays."""
        shape = (signal - centre) * scale

        def at(shift: float) -> Reals:
            return np.clip(shape + shift, lowest, highest)

        reach = float(np.abs(shape).max() + np.abs(lowest).max() + np.abs(highest).max()) + 1.0
        return at(_root(lambda shift: dot(task.weights, at(shift)) - total, -reach, reach))

    def missing(scale: float) -> float:
        return float(placed(scale).std(ddof=1)) - target_deviation

    high = 1.0
    while missing(high) < 0 and high < WIDEST:
        high *= 2.0
    return placed(_root(missing, 0.0, high))


def _made_ordinary(task: Reshaping, level: float) -> Reals:
    """Put the hidden places among the others, in their own order and a little apart where there is room."""
    other_values = np.sort(np.delete(task.values, list(task.hidden)))
    ranks = np.argsort(np.argsort(task.values[list(task.hidden)], kind="stable"), kind="stable")
    shares = level + 0.05 * ((ranks + 0.5) / ranks.size - 0.5)
    signal = task.values.copy()
    signal[list(task.hidden)] = np.quantile(other_values, np.clip(shares, 0.0, 1.0))
    return signal


def _root(growing: Callable[[float], float], low: float, high: float) -> float:
    """Find the zero of a growing function; the nearer end if there is none."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (middle, high) if growing(middle) < 0 else (low, middle)
    return high
