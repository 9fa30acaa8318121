"""Gustafson-Kessel: each fuzzy set has its own norm, so it may be elongated in its own direction."""

from __future__ import annotations

import math
import numbers as kinds
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.array_types import Reals
from sfumato.fuzzy.c_means import means_of, shift_between
from sfumato.fuzzy.clustering import Descent, Frame, FuzzyClustering, Task
from sfumato.fuzzy.clustering_input import Spread, sum_records
from sfumato.fuzzy.gustafson_kessel_norms import Norms, norms_of, round_norms
from sfumato.kernels.algebra import product
from sfumato.kernels.elementary_functions import exponentials, logarithms

if TYPE_CHECKING:
    from sfumato.kernels.fuzzy_memberships import FuzzySets


class GustafsonKessel(FuzzyClustering):
    """Gustafson-Kessel clustering: memberships u, centres v and norms A that minimize the sum of u^m (x - v)'A(x - v).

    The determinant of A is the set's volume, 1 by default; without this condition A = 0 would be best. If the records
    of a set were on a line or at a point, there would be no such A. So only norms are allowed whose condition number,
    the largest eigenvalue divided by the smallest, is at most ``max_condition``, with attributes measured in standard
    deviations. The best of these norms are computed exactly, not by adjusting eigenvalues afterwards, so the objective
    never increases from one iteration to the next, up to rounding. ``shrinkage`` adds to the objective, in the same
    units, the sum of l tr(A) with l = shrinkage * (weight of all records) / (number of sets): as if this number of
    records were spread around the centre of each set as widely as the whole file. Then this sum never increases.

    The units of attributes do not matter. A constant attribute is left out: its rows and columns of norms, covariances
    and distances are 0. Records that are all equal belong equally to all sets.

    Parameters
    ----------
    n_clusters, fuzzifier, init, n_init, max_iter, random_state, threads
        As for :class:`FuzzyCMeans`.
    tol
        The sets have converged when no centre moves further than this, in standard deviations, and no covariance matrix
        changes by a larger share of itself.
    volumes
        The determinants of the norms, one per set; the lower, the larger the set may grow.
    max_condition
        How elongated a set may be: its longest axis is at most the square root of this times its shortest.
    shrinkage
        How much of a round set as wide as the file is added to each set, as a share of the mean weight of a set.

    Attributes
    ----------
    cluster_centers_
        Sets x attributes.
    covariances_
        Sets x attributes x attributes: the spread of the members of each set, within the bounds above.
    norms_
        Sets x attributes x attributes: A.
    memberships_, labels_, objective_, objectives_, n_iter_, converged_
        As for :class:`FuzzyCMeans`.
    """

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        fuzzifier: float = 2.0,
        volumes: Any = None,
        max_condition: float = 1e6,
        shrinkage: float = 0.0,
        init: Any = "k-means++",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: Any = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(
            n_clusters,
            fuzzifier=fuzzifier,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            random_state=random_state,
            threads=threads,
        )
        self.volumes = volumes
        self.max_condition = max_condition
        self.shrinkage = shrinkage

    def _frame(self, spread: Spread) -> Frame:
        varying = np.flatnonzero(spread.variances > 0.0)
        if varying.size == 0:
            everything = np.arange(spread.means.size)
            return Frame(spread.means, everything, spread.means, np.ones(everything.size))
        return Frame(spread.means, varying, spread.means[varying], 1.0 / np.sqrt(spread.variances[varying]))

    def _descend(self, task: Task, centres: Reals) -> Descent:
        volumes = self._volumes()
        ridge = self.shrinkage * task.weight / self.n_clusters
        norms = round_norms(volumes, centres.shape[1])
        objectives: list[float] = []
        moved = math.inf
        while True:
            sums = sum_records(task.records, task.count, self._with(centres, norms), task.threads, scatters=True)
            objectives.append(sums.objective + ridge * norms.traces)
            if moved <= self.tol or len(objectives) > self.max_iter:
                break
            improved = means_of(sums, centres)
            shifts = improved - centres
            # scatters are about the old centres; those about the means are smaller by this
            scatters = sums.scatters - sums.masses[:, None, None] * shifts[:, :, None] * shifts[:, None, :]
            better = norms_of(scatters, sums.masses, volumes, ridge=ridge, max_condition=self.max_condition)
            moved = max(shift_between(centres, improved), norms.change_to(better))
            centres, norms = improved, better
        return Descent(self._with(centres, norms), norms.covariances, np.array(objectives), moved <= self.tol)

    def _with(self, centres: Reals, norms: Norms) -> FuzzySets:
        from sfumato.kernels.fuzzy_memberships import FuzzySets

        return FuzzySets(centres, norms.factors, float(self.fuzzifier))

    def _adopt(self, best: Descent, frame: Frame) -> None:
        n_attributes = self.n_features_in_
        block = np.ix_(np.arange(self.n_clusters), frame.attributes, frame.attributes)
        # preserves the determinant of norms when attributes return to their units
        unit = float(exponentials(-2.0 * logarithms(frame.scales).mean()))
        self.cluster_centers_ = np.tile(frame.means, (self.n_clusters, 1))
        self.cluster_centers_[:, frame.attributes] = best.sets.centres / frame.scales + frame.origins
        self.covariances_, self._factors = np.zeros((2, self.n_clusters, n_attributes, n_attributes))
        self.covariances_[block] = best.covariances / np.outer(frame.scales, frame.scales)
        self._factors[block] = math.sqrt(unit) * best.sets.factors * frame.scales
        self.norms_ = np.stack([product(factor.T, factor) for factor in self._factors])
        self.objectives_ = best.objectives * unit

    def _sets(self) -> FuzzySets:
        from sfumato.kernels.fuzzy_memberships import FuzzySets

        return FuzzySets(self.cluster_centers_, self._factors, float(self.fuzzifier))

    def _volumes(self) -> Reals:
        if self.volumes is None:
            return np.ones(self.n_clusters)
        volumes = np.asarray(self.volumes, dtype=np.float64)
        if volumes.shape != (self.n_clusters,) or not ((volumes > 0.0) & (volumes < math.inf)).all():
            raise ValueError(f"volumes must be {self.n_clusters} finite numbers above 0, one per set")
        return volumes

    def _check_settings(self) -> None:
        super()._check_settings()
        self._volumes()
        if not (isinstance(self.max_condition, kinds.Real) and 1.0 <= self.max_condition <= 1e15):
            raise ValueError(f"max_condition must be a number from 1 to 1e15, not {self.max_condition!r}")
        if not (isinstance(self.shrinkage, kinds.Real) and 0.0 <= self.shrinkage < math.inf):
            raise ValueError(f"shrinkage must be a finite number of at least 0, not {self.shrinkage!r}")
