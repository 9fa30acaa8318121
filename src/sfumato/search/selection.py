"""Who becomes a parent."""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Counts, Reals


def tournament(fitness: Reals, count: int, *, size: int, rng: np.random.Generator) -> Counts:
    """Return the winners of tournaments: of so many drawn with replacement, the fittest; of equals, the first drawn.

    Only the order of fitness matters, so that no scaling of it changes who wins.

    Parameters
    ----------
    fitness
        One number an individual.
    count
        How many winners.
    size
        How many take part in each tournament.
    """
    drawn = rng.integers(0, fitness.size, (count, size))
    winners: Counts = drawn[np.arange(count), fitness[drawn].argmax(axis=1)]
    return winners


def roulette(weights: Reals, count: int, *, rng: np.random.Generator) -> Counts:
    """Return individuals drawn in proportion to their weights, with replacement; all are as likely if none has any.

    Parameters
    ----------
    weights
        One number an individual, none negative: such as scaled fitness.
    count
        How many are drawn.
    """
    total = weights.sum()
    return rng.choice(weights.size, count, p=weights / total if total > 0 else None)
