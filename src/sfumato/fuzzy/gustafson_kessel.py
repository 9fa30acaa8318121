"""Gustafson-Kessel: fuzzy sets with a norm of their own, so that each may be long in another direction."""

from __future__ import annotations

import math
import numbers as kinds
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Reals
from sfumato.fuzzy.c_means import means_of, shift_between
from sfumato.fuzzy.clustering import Descent, Frame, FuzzyClustering, Task
from sfumato.fuzzy.norms import Norms, norms_of, round_norms
from sfumato.fuzzy.records import Spread, sum_records
from sfumato.kernels.algebra import product
from sfumato.kernels.elementary import exponentials, logarithms

if TYPE_CHECKING:
    from sfumato.kernels.memberships import Sets


class GustafsonKessel(FuzzyClustering):
    """Gustafson-Kessel clustering: memberships u, centres v and norms A that minimize the sum of u^m (x - v)'A(x - v).

    The determinant of A is the set's volume, 1 if nothing is said, for otherwise A = 0 would be best. Sets whose
    records lie on a line or in a point would have no such A; so the norms are only those whose condition, the largest
    eigenvalue over the least, is at most ``max_condition``, with attributes measured in their deviations. The best of
    these are found exactly, not by mending eigenvalues afterwards; so the objective never increases from one iteration
    to the next, up to rounding. ``shrinkage`` adds to the objective, in the same units, the sum of l tr(A) with
    l = shrinkage * (weight of all records) / (number of sets): as if so many records of each set were spread evenly
    round its centre as widely as the whole file. It is this sum that never increases then.

    Units of attributes do not matter. A constant attribute is left out: of norms, covariances and distances its rows
    and columns are 0. Records that are all the same are members of all sets alike.

    Parameters
    ----------
    n_clusters, fuzzifier, init, n_init, max_iter, random_state, threads
        As of :class:`FuzzyCMeans`.
    tol
        The sets stand still when no centre moves further than this, in deviations of an attribute, and no covariance
        matrix changes by a larger share of itself.
    volumes
        The determinants of the norms, one a set; the lower, the larger the set may grow.
    max_condition
        How far a set may be from round: its longest axis is at most the square root of this times its shortest.
    shrinkage
        How much of a round set as wide as the file is added to each set, as a share of its even part of the records.

    Attributes
    ----------
    cluster_centers_
        Sets x attributes.
    covariances_
        Sets x attributes x attributes: how the members of each set are spread, within the bounds above.
    norms_
        Sets x attributes x attributes: A.
    memberships_, labels_, objective_, objectives_, n_iter_, converged_
        As of :class:`FuzzyCMeans`.
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
            # scatters are about the old centres; those about the means are less by this
            scatters = sums.scatters - sums.masses[:, None, None] * shifts[:, :, None] * shifts[:, None, :]
            better = norms_of(scatters, sums.masses, volumes, ridge=ridge, max_condition=self.max_condition)
            moved = max(shift_between(centres, improved), norms.change_to(better))
            centres, norms = improved, better
        return Descent(self._with(centres, norms), norms.covariances, np.array(objectives), moved <= self.tol)

    def _with(self, centres: Reals, norms: Norms) -> Sets:
        from sfumato.kernels.memberships import Sets

        return Sets(centres, norms.factors, float(self.fuzzifier))

    def _adopt(self, best: Descent, frame: Frame) -> None:
        n_attributes = self.n_features_in_
        place = np.ix_(np.arange(self.n_clusters), frame.attributes, frame.attributes)
        # what keeps the determinant of norms when the attributes get their units back
        unit = float(exponentials(-2.0 * logarithms(frame.scales).mean()))
        self.cluster_centers_ = np.tile(frame.means, (self.n_clusters, 1))
        self.cluster_centers_[:, frame.attributes] = best.sets.centres / frame.scales + frame.origins
        self.covariances_, self._factors = np.zeros((2, self.n_clusters, n_attributes, n_attributes))
        self.covariances_[place] = best.covariances / np.outer(frame.scales, frame.scales)
        self._factors[place] = math.sqrt(unit) * best.sets.factors * frame.scales
        self.norms_ = np.stack([product(factor.T, factor) for factor in self._factors])
        self.objectives_ = best.objectives * unit

    def _sets(self) -> Sets:
        from sfumato.kernels.memberships import Sets

        return Sets(self.cluster_centers_, self._factors, float(self.fuzzifier))

    def _volumes(self) -> Reals:
        if self.volumes is None:
            return np.ones(self.n_clusters)
        volumes = np.asarray(self.volumes, dtype=np.float64)
        if volumes.shape != (self.n_clusters,) or not ((volumes > 0.0) & (volumes < math.inf)).all():
            raise ValueError(f"volumes must be {self.n_clusters} finite numbers above 0, one a set")
        return volumes

    def _check_settings(self) -> None:
        super()._check_settings()
        self._volumes()
        if not (isinstance(self.max_condition, kinds.Real) and 1.0 <= self.max_condition <= 1e15):
            raise ValueError(f"max_condition must be a number from 1 to 1e15, not {self.max_condition!r}")
        if not (isinstance(self.shrinkage, kinds.Real) and 0.0 <= self.shrinkage < math.inf):
            raise ValueError(f"shrinkage must be a finite number of at least 0, not {self.shrinkage!r}")
