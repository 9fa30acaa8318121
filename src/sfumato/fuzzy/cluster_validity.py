"""Validity indices of fuzzy clusterings, and the choice of the number of sets."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sfumato.array_types import Reals
from sfumato.fuzzy.c_means import FuzzyCMeans
from sfumato.fuzzy.clustering import FuzzyClustering
from sfumato.fuzzy.clustering_input import in_parts, numbers_of, read_records, spread_of, weights_of
from sfumato.fuzzy.gustafson_kessel import GustafsonKessel
from sfumato.fuzzy.initial_centres import plain_sets
from sfumato.kernels.algebra import dot

Method = Literal["fuzzy-c-means", "gustafson-kessel"]
METHODS: dict[str, type[FuzzyClustering]] = {"fuzzy-c-means": FuzzyCMeans, "gustafson-kessel": GustafsonKessel}

Index = Literal[
    "partition-coefficient", "modified-partition-coefficient", "partition-entropy", "xie-beni", "fukuyama-sugeno"
]
HIGHER_IS_BETTER: dict[str, bool] = {
    "partition-coefficient": True,
    "modified-partition-coefficient": True,
    "partition-entropy": False,
    "xie-beni": False,
    "fukuyama-sugeno": False,
}


@dataclass(frozen=True)
class Validity:
    """Validity indices of fuzzy sets. Distances are Euclidean, whatever the norms of the sets."""

    sets: int
    """Number of sets."""
    partition_coefficient: float
    """The mean over records of sum u^2: 1 if crisp, 1 / sets if all memberships are equal (Bezdek)."""
    modified_partition_coefficient: float
    """The same, rescaled to 0 to 1 for any number of sets (Dave); 0 for a single set."""
    partition_entropy: float
    """The mean over records of -sum u ln u: 0 if crisp, ln sets if all memberships are equal (Bezdek)."""
    xie_beni: float
    """The sum of u^m |x - v|^2 over records times the smallest |v - v'|^2; infinite if that is 0 or undefined."""
    fukuyama_sugeno: float
    """The sum of u^m (|x - v|^2 - |v - mean|^2)."""

    def value(self, index: Index) -> float:
        """Return an index by its name."""
        _check_name(index, HIGHER_IS_BETTER, "index")
        return float(getattr(self, index.replace("-", "_")))


@dataclass(frozen=True)
class ChosenSets:
    """The number of sets that describes the records best, by a validity index."""

    sets: int
    """The chosen number."""
    index: Index
    """The index that decided."""
    table: tuple[Validity, ...]
    """The indices for each number of sets tried."""
    estimator: FuzzyClustering
    """The estimator with the chosen number of sets, fitted."""


def validity_of(estimator: FuzzyClustering, X: Any, *, sample_weight: Any = None) -> Validity:
    """Return the validity indices of sets for records, in one pass without a table of memberships.

    Parameters
    ----------
    estimator
        A fitted :class:`FuzzyCMeans` or :class:`GustafsonKessel`.
    X
        Records x attributes: those the sets were fitted to, or others.
    sample_weight
        One weight per record.
    """
    from sfumato.kernels.fuzzy_clustering import sum_validity

    check_is_fitted(estimator)
    numbers = numbers_of(estimator, X, reset=False)
    weights = weights_of(sample_weight, numbers)
    records, sets = read_records(numbers, weights), estimator._sets()
    plain = plain_sets(sets.centres, sets.fuzzifier)

    def part(first: int, last: int) -> Reals:
        sums = np.empty(3 + len(sets.centres))
        sum_validity(records, sets, plain, first, last, sums)
        return sums

    squares, entropy, compactness, *masses = np.sum(in_parts(len(numbers), part, estimator.threads), axis=0).tolist()
    weight = float(weights.sum()) if weights.size > 1 else float(len(numbers))
    centres, n_sets = sets.centres, len(sets.centres)
    means = spread_of(numbers, weights, estimator.threads).means
    apart = _separation(centres)
    coefficient = squares / weight
    return Validity(
        n_sets,
        coefficient,
        1.0 - n_sets / (n_sets - 1) * (1.0 - coefficient) if n_sets > 1 else 0.0,
        max(-entropy / weight, 0.0),
        compactness / (weight * apart) if apart > 0.0 else math.inf,
        compactness - dot(masses, ((centres - means) ** 2).sum(axis=1)),
    )


def choose_sets(
    X: Any,
    sets: Iterable[int] = range(2, 11),
    *,
    method: Method = "fuzzy-c-means",
    index: Index = "xie-beni",
    sample_weight: Any = None,
    **settings: Any,
) -> ChosenSets:
    """Try several numbers of sets and choose the best by a validity index.

    The partition coefficient and entropy favour few sets, the index of Fukuyama and Sugeno many.

    Parameters
    ----------
    X
        Records x attributes.
    sets
        The numbers of sets to try. If several are equally good, the first is chosen.
    method
        "fuzzy-c-means" or "gustafson-kessel".
    index
        The index that decides.
    sample_weight
        One weight per record.
    settings
        Further settings of the estimator.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> records = np.concatenate([rng.normal(centre, 0.1, (50, 2)) for centre in range(4)])
    >>> choose_sets(records, range(2, 7), random_state=1).sets
    4
    """
    _check_name(method, METHODS, "method")
    _check_name(index, HIGHER_IS_BETTER, "index")
    tried: list[tuple[Validity, FuzzyClustering]] = []
    for number in sets:
        estimator = METHODS[method](number, **settings).fit(X, sample_weight=sample_weight)
        tried.append((validity_of(estimator, X, sample_weight=sample_weight), estimator))
    if not tried:
        raise ValueError("sets must name at least one number of sets to try")
    sign = -1.0 if HIGHER_IS_BETTER[index] else 1.0
    validity, best = min(tried, key=lambda trial: sign * trial[0].value(index))
    return ChosenSets(validity.sets, index, tuple(indices for indices, _ in tried), best)


def _separation(centres: Reals) -> float:
    """Return the smallest squared distance between two centres; 0 if there is only one."""
    first, second = np.triu_indices(len(centres), 1)
    return float(((centres[first] - centres[second]) ** 2).sum(axis=1).min()) if first.size else 0.0


def _check_name(name: Any, names: Iterable[str], argument: str) -> None:
    if name not in names:
        raise ValueError(f"{argument} must be one of {', '.join(names)}, not {name!r}")
