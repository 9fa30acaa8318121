"""The base of fuzzy clusterings: settings, checks, starts, and predictions."""

from __future__ import annotations

import math
import numbers as kinds
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sfumato.array_types import Codes, Counts, Reals
from sfumato.fuzzy.clustering_input import Spread, in_parts, numbers_of, read_records, spread_of, weights_of
from sfumato.fuzzy.initial_centres import Drawing, given_centres

if TYPE_CHECKING:
    from typing import Self

    from sfumato.kernels.fuzzy_memberships import FuzzySets, Records


@dataclass(frozen=True)
class Frame:
    """The coordinates in which sets are found: some attributes, shifted and scaled to limit rounding errors."""

    means: Reals
    """Of all attributes."""
    attributes: Counts
    """The attributes that are used."""
    origins: Reals
    scales: Reals
    """Each of these attributes, minus its origin, is multiplied by its scale."""


@dataclass(frozen=True)
class Task:
    """Records to be clustered, in the coordinates of a frame."""

    records: Records
    count: int
    weight: float
    """Of all of them."""
    threads: int | None


@dataclass(frozen=True)
class Descent:
    """The result of one descent from a start."""

    sets: FuzzySets
    covariances: Reals
    """One per set, or empty."""
    objectives: Reals
    """At the start and after each iteration."""
    converged: bool


class FuzzyClustering(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """The base of fuzzy clusterings."""

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        fuzzifier: float = 2.0,
        init: Any = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        threads: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzzifier = fuzzifier
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the sets.

        Parameters
        ----------
        X
            Records x attributes, numbers only. They are not copied if they are float64.
        y
            Ignored.
        sample_weight
            One weight per record, not negative: a record of weight 2 counts as two.
        """
        self._check_settings()
        numbers = numbers_of(self, X, reset=True)
        weights = weights_of(sample_weight, numbers)
        counted = int(np.count_nonzero(weights)) if weights.size > 1 else len(numbers)
        if counted < self.n_clusters:
            raise ValueError(f"n_samples={counted} should be >= n_clusters={self.n_clusters}")
        frame = self._frame(spread_of(numbers, weights, self.threads))
        weight = float(weights.sum()) if weights.size > 1 else float(len(numbers))
        records = read_records(numbers, weights, frame.attributes, frame.origins, frame.scales)
        task = Task(records, len(numbers), weight, self.threads)
        ways = (self._descend(task, start) for start in self._starts(numbers, weights, frame))
        best = min(ways, key=lambda way: float(way.objectives[-1]))
        self.n_iter_ = best.objectives.size - 1
        self.converged_ = best.converged
        self._adopt(best, frame)
        self.objective_ = float(self.objectives_[-1])
        self.labels_ = self._labels(numbers)
        self._fitted_on: Reals | None = numbers
        self._memberships: Reals | None = None
        return self

    def predict(self, X: Any) -> Codes:
        """Return the index of each record's nearest set, which is the one with its highest membership."""
        check_is_fitted(self)
        return self._labels(numbers_of(self, X, reset=False))

    def predict_memberships(self, X: Any) -> Reals:
        """Return the memberships of records in each set: records x sets, each row summing to one.

        A record at the centre of a set is a full member of it; centres that coincide share it.
        """
        check_is_fitted(self)
        return self._table(numbers_of(self, X, reset=False), memberships=True)

    def transform(self, X: Any) -> Reals:
        """Return the distances of records from the centres of the sets, in the norm of each: records x sets."""
        check_is_fitted(self)
        return self._table(numbers_of(self, X, reset=False), memberships=False)

    @property
    def memberships_(self) -> Reals:
        """The memberships of the records that the sets were found from.

        They are computed on first access, one per record and set. Until then the estimator refers to the records, which
        must not be changed; neither records nor memberships are pickled or copied with it.
        """
        check_is_fitted(self)
        if self._memberships is None:
            if self._fitted_on is None:
                raise AttributeError("a copy of an estimator has no memberships_; use predict_memberships(X)")
            self._memberships = self._table(self._fitted_on, memberships=True)
            self._fitted_on = None
        return self._memberships

    def __getstate__(self) -> dict[str, Any]:
        # a model that is passed on must not contain the records
        return {**super().__getstate__(), **({"_fitted_on": None, "_memberships": None} if self._fitted() else {})}

    def _fitted(self) -> bool:
        return hasattr(self, "cluster_centers_")

    @property
    def _n_features_out(self) -> int:
        return int(self.cluster_centers_.shape[0])

    @abstractmethod
    def _frame(self, spread: Spread) -> Frame:
        """Return the coordinates in which sets are found."""

    @abstractmethod
    def _descend(self, task: Task, centres: Reals) -> Descent:
        """Improve the sets from a start until they converge."""

    @abstractmethod
    def _adopt(self, best: Descent, frame: Frame) -> None:
        """Keep the best sets in the coordinates of the records: cluster_centers_, objectives_ and the like."""

    @abstractmethod
    def _sets(self) -> FuzzySets:
        """Return the sets in the coordinates of the records."""

    def _starts(self, numbers: Reals, weights: Reals, frame: Frame) -> list[Reals]:
        if not isinstance(self.init, str):
            centres = given_centres(self.init, (self.n_clusters, numbers.shape[1]))
            return [(centres[:, frame.attributes] - frame.origins) * frame.scales]
        random = check_random_state(self.random_state)
        drawing = Drawing(numbers, weights, frame.attributes, frame.origins, frame.scales, random)
        return [drawing.draw(self.n_clusters, self.threads) for _ in range(self.n_init)]

    def _labels(self, numbers: Reals) -> Codes:
        from sfumato.kernels.fuzzy_clustering import find_labels

        labels = np.empty(len(numbers), dtype=np.int32)
        records, sets = read_records(numbers, np.ones(1)), self._sets()
        in_parts(len(numbers), lambda first, last: find_labels(records, sets, first, last, labels), self.threads)
        return labels

    def _table(self, numbers: Reals, *, memberships: bool) -> Reals:
        from sfumato.kernels.fuzzy_clustering import fill_table

        table = np.empty((len(numbers), len(self.cluster_centers_)))
        records, sets = read_records(numbers, np.ones(1)), self._sets()
        in_parts(
            len(numbers),
            lambda first, last: fill_table(records, sets, first, last, memberships, table),
            self.threads,
        )
        return table

    def _check_settings(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            value = getattr(self, name)
            if not isinstance(value, kinds.Integral) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
        if not (isinstance(self.fuzzifier, kinds.Real) and 1.0 < self.fuzzifier < math.inf):
            raise ValueError(f"fuzzifier must be a finite number above 1, not {self.fuzzifier!r}")
        if not (isinstance(self.tol, kinds.Real) and 0.0 <= self.tol < math.inf):
            raise ValueError(f"tol must be a finite number of at least 0, not {self.tol!r}")
        if isinstance(self.init, str) and self.init != "k-means++":
            raise ValueError(f"init must be 'k-means++' or an array of centres, not {self.init!r}")
        if self.threads is not None and (not isinstance(self.threads, kinds.Integral) or self.threads < 1):
            raise ValueError(f"threads must be None or a whole number of at least 1, not {self.threads!r}")
