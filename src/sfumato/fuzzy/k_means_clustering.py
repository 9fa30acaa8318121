"""Crisp clusters: k-means by Lloyd's algorithm, with the same result on every machine."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Reals
from sfumato.fuzzy.clustering_input import in_parts, read_records
from sfumato.fuzzy.initial_centres import Drawing, plain_sets

ROUNDS = 300
"""The largest number of iterations, as in scikit-learn."""


def k_means(
    values: Reals,
    count: int,
    *,
    weights: Reals | None = None,
    starts: int = 4,
    random: np.random.RandomState | None = None,
    threads: int | None = None,
) -> Reals:
    """Return centres for which the sum of squared distances of records from the nearest one is small.

    The k-means of scikit-learn adds up in an order that depends on the processor, so its centres differ in the last
    digits, and occasionally the clusters.

    Parameters
    ----------
    values
        Records by attributes.
    count
        Number of clusters; there must be at least as many different records of positive weight.
    weights
        One per record.
    starts
        Number of random starts; the best is used, the first if several are equal.
    random
        The source of the starts; default: always the same numbers.
    threads
        Number of threads; the result does not depend on it.

    Examples
    --------
    >>> k_means(np.array([[1.0], [2.0], [9.0], [10.0]]), 2).tolist()
    [[1.5], [9.5]]
    """
    every = np.ones(len(values)) if weights is None else weights
    used, origins = np.arange(values.shape[1]), np.zeros(values.shape[1])
    source = np.random.RandomState(0) if random is None else random
    drawing = Drawing(values, every, used, origins, np.ones(used.size), source)
    ways = [_descend(values, every, drawing.draw(count, threads), threads) for _ in range(starts)]
    _, best = min(ways, key=lambda way: way[0])
    return best[np.lexsort(best.T[::-1])]


def _descend(values: Reals, weights: Reals, centres: Reals, threads: int | None) -> tuple[float, Reals]:
    """Move centres to the means of their nearest records until nothing changes."""
    labels, distances = _nearest(values, centres, threads)
    for _ in range(ROUNDS):
        totals = np.bincount(labels, weights=weights, minlength=len(centres))
        sums = [np.bincount(labels, weights=weights * column, minlength=len(centres)) for column in values.T]
        means = np.stack(sums, axis=1) / np.where(totals > 0, totals, 1.0)[:, None]
        for empty in np.flatnonzero(totals <= 0):
            # no record is nearest to it, so it restarts at the record farthest from its own centre
            farthest = int(np.argmax(distances * weights))
            means[empty], distances[farthest] = values[farthest], 0.0
        centres = means
        before, (labels, distances) = labels, _nearest(values, centres, threads)
        if np.array_equal(before, labels):
            break
    return float((distances * weights).sum()), centres


def _nearest(values: Reals, centres: Reals, threads: int | None) -> tuple[Codes, Reals]:
    """Return the index of each record's nearest centre, the first if several are equal, and the squared distance."""
    from sfumato.kernels.fuzzy_clustering import find_labels

    records, sets = read_records(values, np.ones(1)), plain_sets(centres, 2.0)
    labels = np.empty(len(values), dtype=np.int32)
    in_parts(len(values), lambda first, last: find_labels(records, sets, first, last, labels), threads)
    return labels, ((values - centres[labels]) ** 2).sum(axis=1)
