"""Fuzzy clustering as the Matlab toolbox that QADM14 used goes about it: one fixed start, plain alternation.

The library's own estimators start elsewhere and bound the norms otherwise, so they may end in another of the many local
minima. To repeat printed figures to the last digit, the way has to be the same one.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Reals

FIRST_DRAWS = (
    (0.95012928514718, 0.4859824687093),
    (0.231138513574288, 0.891298966148902),
    (0.606842583541787, 0.762096833027395),
)
"""What Matlab's generator of old gives first in its state 0, into which the toolbox puts it before every run."""
SETS = 3
STILL = 1e-4
"""It stops when no membership grows by more than this."""
FLOOR = 1e-10
"""It adds this to squared distances, so that none is 0."""
MAX_CONDITION = 1e15
MAX_ITERATIONS = 5000


def toolbox_start(records: Reals) -> Reals:
    """Return the first centres: draws from the box round the mean that holds all records, attribute by attribute."""
    if records.shape[1] != 2:
        raise ValueError("the first draws are known for pairs of attributes only")
    draws = np.array(FIRST_DRAWS)
    middle = records.mean(axis=0)
    return np.asarray(middle + 2 * np.abs(records - middle).max(axis=0) * (draws - 0.5))


def toolbox_memberships(records: Reals, *, own_norms: bool) -> Reals:
    """Return the memberships that the toolbox finds: by Gustafson-Kessel if sets have norms of their own, else c-means.

    The fuzzifier is 2 whatever is set: the toolbox asks for settings in a way that never finds them.
    """
    found = _grades(np.stack([_squares(records - centre) for centre in toolbox_start(records)], axis=1))
    before = np.zeros_like(found)
    for _ in range(MAX_ITERATIONS):
        if (found - before).max() <= STILL:
            break
        before, weights = found, found**2
        columns = []
        for weight in weights.T:
            away = records - weight @ records / weight.sum()
            columns.append(_squares(away, _norm(away, weight) if own_norms else None))
        found = _grades(np.stack(columns, axis=1))
    return found


def gustafson_kessel_objective(records: Reals, memberships: Reals) -> float:
    """Return the sum that Gustafson-Kessel minimizes, with the centres and norms that suit the memberships best."""
    total = 0.0
    for weight in (memberships**2).T:
        away = records - weight @ records / weight.sum()
        total += float(weight @ _squares(away, _norm(away, weight)))
    return total


def _grades(squares: Reals) -> Reals:
    inverse = 1.0 / (squares + FLOOR)
    return np.asarray(inverse / inverse.sum(axis=1, keepdims=True))


def _squares(away: Reals, norm: Reals | None = None) -> Reals:
    return np.asarray(((away if norm is None else away @ norm) * away).sum(axis=1))


def _norm(away: Reals, weight: Reals) -> Reals:
    """Return the norm of determinant 1 that suits the spread of a set."""
    values, axes = np.linalg.eigh((weight * away.T) @ away / weight.sum())
    values = np.maximum(values, values.max() / MAX_CONDITION)
    scale = np.prod(values) ** (1.0 / values.size)
    return np.asarray((axes * (scale / values)) @ axes.T)
