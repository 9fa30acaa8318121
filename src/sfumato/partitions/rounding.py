"""Rounding clusters for a codebook, so that no record can be computed from them and all the others."""

from __future__ import annotations

import math

import numpy as np

from sfumato.arrays import Flags, Reals
from sfumato.fuzzy.released import ClusteredSets
from sfumato.kernels.algebra import eigen
from sfumato.microfile.hierarchy import readable

FINE = 20
"""Centres are rounded to a readable step of at least a deviation divided by this."""
WIDE = 4
"""A record is taken to lie up to this number of a set's deviations from its centre."""
MOVED = 4
"""The step of a centre is at least this number of times as wide as one record can move it."""
SERIES = (40, 20, 10, 5)
"""Norms are rounded to preferred numbers (Renard's), of which a decade has one of these numbers."""
BENT = 20
"""Times the largest share of a record in a set is the least relative step of its norm: a record far from the centre
counts several times as much for the norm as for the centre."""
STRAIGHT = 0.02
"""The least step of correlations."""
LEAST_EIGENVALUE = 1e-3
"""Of a norm in units of its own diagonal: below it, correlations are reduced."""
FULLEST = (0.3, 0.5)
"""No record may make up more than this share of a set, and no two more than that."""


def shares_of(sets: ClusteredSets, grades: Reals, weights: Reals | None) -> Reals:
    """Return what share of each set's centre each record makes up: records by sets, each column summing to 1."""
    powers = grades ** (sets.fuzzifier or 1.0)
    powers = powers if weights is None else powers * weights[:, None]
    return np.asarray(powers / np.maximum(powers.sum(axis=0), np.finfo(np.float64).tiny), dtype=np.float64)


def dominated(shares: Reals) -> Flags:
    """Say of which sets one or two records make up too much, so that their centres would tell of them."""
    largest = np.sort(shares, axis=0)[::-1]
    return np.asarray((largest[0] > FULLEST[0]) | (largest[:2].sum(axis=0) > FULLEST[1]))


def rounded_sets(
    sets: ClusteredSets, known: Reals, weights: Reals | None
) -> tuple[list[list[float]], list[list[list[float]]]]:
    """Return centres and norms on grids so coarse that one record hardly ever decides between two of their numbers.

    Parameters
    ----------
    sets
        As they were found.
    known
        The values of records that have all attributes: records by attributes.
    weights
        Of the records, if they have any.
    """
    shares = shares_of(sets, sets.grades(known), weights)
    largest = shares.max(axis=0)
    centres = [
        [
            _on_step(value, shares[:, place], column, lonely=lonely)
            for value, column in zip(centre, known.T, strict=True)
        ]
        for place, (centre, lonely) in enumerate(zip(sets.centres, dominated(shares).tolist(), strict=True))
    ]
    # round sets have one norm, of the attributes' scales, on which no record has much influence
    moved = BENT * float(largest.max()) if len(set(sets.norms)) > 1 else 0.0
    return centres, [_rounded_norm(np.array(norm), moved) for norm in sets.norms]


def _on_step(centre: float, shares: Reals, values: Reals, *, lonely: bool) -> float:
    """Round one number of a centre; that of a lonely set, which is never released, need not be coarse."""
    away = values - centre
    deviation = math.sqrt(float((shares * away**2).sum()))
    moved = max(WIDE * float(shares.max()) * deviation, float((shares * np.abs(away)).max()))
    step = readable(max(float(values.std()) / FINE, 0.0 if lonely else MOVED * moved))
    return float(f"{round(centre / step) * step:.12g}")


def _rounded_norm(norm: Reals, moved: float) -> list[list[float]]:
    """Round a norm to a diagonal and correlations on coarse grids, so that it stays positive definite.

    ``moved`` is the least relative step.
    """
    lengths = np.sqrt(np.diagonal(norm))
    per_decade = next((count for count in SERIES if 10 ** (1 / count) - 1 >= moved), SERIES[-1])
    diagonal = [_preferred(float(length) ** 2, per_decade) for length in lengths]
    step = min(readable(max(STRAIGHT, moved / 2)), 0.5)
    # towards 0, so that a set becomes rounder, never flat
    correlations = np.trunc(norm / np.outer(lengths, lengths) / step) * step
    np.fill_diagonal(correlations, 1.0)
    outer = np.sqrt(np.outer(diagonal, diagonal))
    while True:
        rounded = [[float(f"{value:.3g}") + 0.0 for value in row] for row in correlations * outer]
        for place, value in enumerate(diagonal):
            rounded[place][place] = value
        if eigen(np.array(rounded) / outer)[0].min() >= LEAST_EIGENVALUE:
            return rounded
        correlations *= 0.9
        np.fill_diagonal(correlations, 1.0)


def _preferred(value: float, per_decade: int) -> float:
    """Round to the nearest of the numbers that part a decade evenly, written with three digits.

    >>> _preferred(0.0035934504, 10)
    0.00398
    """
    return float(f"{10.0 ** (round(math.log10(value) * per_decade) / per_decade):.3g}")
