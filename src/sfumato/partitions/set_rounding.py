"""Rounding the clusters that a codebook describes, so that they hardly confirm a record to somebody who has the others.

A centre is a weighted mean: somebody who has every other record could compute the last one from an exact centre. Plain
rounding does not prevent that, since sometimes a limit between two rounded numbers is among the values that the
record may have, and half of them are ruled out. Here the secret of the release draws where these limits lie, so that
all values that move a centre by little beside the step make the published number about equally probable.
"""

from __future__ import annotations

import math

import numpy as np

from sfumato.array_types import Flags, Reals
from sfumato.fuzzy import ClusteredSets
from sfumato.kernels.algebra import eigen
from sfumato.microfile import readable

FINE = 20
"""Centres are rounded to a readable step of at least a deviation divided by this number."""
WIDE = 4
"""A record is assumed to be at most this number of a set's deviations from its centre."""
MOVED = 7
"""The step of a centre is at least this number of times as wide as one record can move it."""
SCALES = 10
"""The scales of attributes are rounded to preferred numbers (Renard's), this number per decade."""
SERIES = (40, 20, 10, 5, 3)
"""Norms are rounded to preferred numbers of one of these series."""
BENT = 20
"""Times the largest share of a record in a set is the least relative step of its norm: a record far from the centre
counts several times as much for the norm as for the centre."""
STRAIGHT = 0.02
"""The least step of correlations."""
CROOKED = 0.5
"""The greatest one."""
LEAST_EIGENVALUE = 1e-3
"""Of a norm in units of its own diagonal: below it, correlations are reduced."""
FULLEST = (0.3, 0.5)
"""No record may make up more than this share of a set, and no two more than that."""


def dominated(shares: Reals) -> Flags:
    """Say of which sets one or two records make up too much, so that their centres would reveal these."""
    largest = np.sort(shares, axis=0)[::-1]
    return np.asarray((largest[0] > FULLEST[0]) | (largest[:2].sum(axis=0) > FULLEST[1]))


def rounded_scales(widths: Reals, random: np.random.Generator) -> Reals:
    """Round the widths of attributes to preferred numbers."""
    return np.array([_preferred(width, SCALES, random) for width in widths.tolist()])


def rounded_sets(
    sets: ClusteredSets, values: Reals, weights: Reals | None, random: np.random.Generator
) -> tuple[list[list[float]], list[list[list[float]]]]:
    """Return centres and norms on grids that are coarse beside what one record can change.

    Parameters
    ----------
    sets
        As they were found.
    values
        The values of records that have all attributes: records by attributes.
    weights
        Of the records, if they have any.
    random
        What decides between the two nearest numbers of a grid.
    """
    shares = sets.centre_shares(sets.grades(values), weights)
    centres = [
        [_on_step(coordinate, set_shares, column, random) for coordinate, column in zip(centre, values.T, strict=True)]
        for centre, set_shares in zip(sets.centres, shares.T, strict=True)
    ]
    if len(set(sets.norms)) == 1:
        # round sets have one norm, of the attributes' scales, which are rounded before
        return centres, [[[float(f"{coordinate:.3g}") for coordinate in row] for row in norm] for norm in sets.norms]
    largest = shares.max(axis=0).tolist()
    norms = [
        _rounded_norm(np.array(norm), BENT * share, random) for norm, share in zip(sets.norms, largest, strict=True)
    ]
    return centres, norms


def _on_step(centre: float, shares: Reals, values: Reals, random: np.random.Generator) -> float:
    """Round one number of a centre."""
    away = values - centre
    deviation = math.sqrt(float((shares * away**2).sum()))
    moved = max(WIDE * float(shares.max()) * deviation, float((shares * np.abs(away)).max()))
    spread = float(values.std())
    # a step of all the records' deviation is enough, for no record makes up much of a set that is released
    least = min(max(spread / FINE, MOVED * moved), spread)
    # a step that depended on the records alone would reveal something about them where it jumps
    step = readable(least * (1.0 + random.random()))
    return float(f"{_one_of_two(centre / step, random) * step:.12g}")


def _rounded_norm(norm: Reals, moved: float, random: np.random.Generator) -> list[list[float]]:
    """Round a norm to a diagonal and correlations on coarse grids, so that it stays positive definite.

    ``moved`` is the least relative step.
    """
    lengths = np.sqrt(np.diagonal(norm))
    moved *= 1.0 + random.random()
    per_decade = next((count for count in SERIES if 10 ** (1 / count) - 1 >= moved), SERIES[-1])
    diagonal = [_preferred(float(length) ** 2, per_decade, random) for length in lengths]
    step = min(readable(max(STRAIGHT, moved / 2)), CROOKED)
    correlations = norm / np.outer(lengths, lengths)
    for row, column in zip(*np.triu_indices(len(norm), 1), strict=True):
        correlation = _one_of_two(float(correlations[row, column]) / step, random) * step
        correlations[row, column] = correlations[column, row] = correlation
    np.fill_diagonal(correlations, 1.0)
    outer = np.sqrt(np.outer(diagonal, diagonal))
    while True:
        rounded = [[float(f"{value:.3g}") + 0.0 for value in row] for row in correlations * outer]
        for index, value in enumerate(diagonal):
            rounded[index][index] = value
        if eigen(np.array(rounded) / outer)[0].min() >= LEAST_EIGENVALUE:
            return rounded
        correlations *= 0.9
        np.fill_diagonal(correlations, 1.0)


def _one_of_two(value: float, random: np.random.Generator) -> int:
    """Return one of the two whole numbers around a value, the nearer one more often, so that their mean is right."""
    return math.floor(value + random.random())


def _preferred(value: float, per_decade: int, random: np.random.Generator) -> float:
    """Round to one of the two nearest numbers that divide a decade evenly, written with three digits.

    >>> _preferred(0.0035934504, 10, np.random.default_rng(1))
    0.00398
    """
    return float(f"{10.0 ** (_one_of_two(math.log10(value) * per_decade, random) / per_decade):.3g}")
