"""Fitness made fit for drawing in proportion to it."""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Reals


def linear_scaling(fitness: Reals, *, multiple: float = 2.0) -> Reals:
    """Return fitness on a line that keeps the mean and gives the fittest a multiple of it (Goldberg 1989, p. 79).

    Early on, it keeps a few outstanding individuals from taking over; later, it tells nearly equal ones apart. Where
    the line would make the least fit negative, it is turned so that this one gets zero and the mean stays.

    Parameters
    ----------
    fitness
        One number an individual, none negative.
    multiple
        What the fittest gets, in units of the mean; more than one.

    Examples
    --------
    >>> linear_scaling(np.array([4.0, 5.0, 6.0]), multiple=1.2)
    array([4., 5., 6.])
    >>> linear_scaling(np.array([4.0, 5.0, 6.0]))
    array([ 0.,  5., 10.])
    >>> linear_scaling(np.array([2.0, 8.0, 8.0]))
    array([0., 9., 9.])
    """
    low, mean, high = float(fitness.min()), float(fitness.mean()), float(fitness.max())
    if high <= low:
        return fitness.copy()
    if low * (multiple - 1.0) > multiple * mean - high:
        slope = (multiple - 1.0) * mean / (high - mean)
    else:
        slope = mean / (mean - low)
    # rounding may leave a trace below zero
    return np.maximum(mean + slope * (fitness - mean), 0.0)
