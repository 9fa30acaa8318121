"""Who lives on."""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Counts, Reals


def survivors(fitness: Reals, count: int) -> Counts:
    """Return the fittest, in order of fitness; of equals, those that come first.

    The best of parents and children together never gets worse from one generation to the next.

    Parameters
    ----------
    fitness
        One number an individual.
    count
        How many live on.

    Examples
    --------
    >>> survivors(np.array([0.2, 0.9, 0.4, 0.9]), 3)
    array([1, 3, 2])
    """
    return np.argsort(-fitness, kind="stable")[:count]
