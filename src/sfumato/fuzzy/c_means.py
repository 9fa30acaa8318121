"""Fuzzy c-means: fuzzy sets that are round and of equal size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Reals
from sfumato.fuzzy.clustering import Descent, Frame, FuzzyClustering, Task
from sfumato.fuzzy.clustering_input import Spread, Sums, sum_records
from sfumato.fuzzy.initial_centres import plain_sets

if TYPE_CHECKING:
    from sfumato.kernels.fuzzy_memberships import FuzzySets


class FuzzyCMeans(FuzzyClustering):
    """Fuzzy c-means: memberships u and centres v that minimize the sum of u^m |x - v|^2.

    The objective never increases from one iteration to the next, up to rounding. The units of attributes matter: use
    a scaler first if they are not comparable. A constant attribute has no effect.

    Parameters
    ----------
    n_clusters
        Number of sets.
    fuzzifier
        m, above 1: the higher, the fuzzier. With 2, iterations are fastest.
    init
        "k-means++", or the initial centres: sets x attributes.
    n_init
        Number of starts; the one with the lowest objective is used.
    max_iter
        Largest number of iterations per start.
    tol
        The centres have converged when none moves further than this, in standard deviations (root mean square over
        attributes).
    random_state
        A seed or generator for the starts.
    threads
        Number of threads; the result does not depend on it. Default: the number of cores.

    Attributes
    ----------
    cluster_centers_
        Sets x attributes.
    memberships_
        Records x sets, computed on first access.
    labels_
        The index of the set with the highest membership, per record.
    objective_
        The sum that is minimized, with these centres and the memberships that belong to them.
    objectives_
        That sum at the start and after each iteration.
    n_iter_
        The number of iterations.
    converged_
        Whether the centres converged before max_iter.

    Examples
    --------
    >>> model = FuzzyCMeans(n_clusters=2, random_state=0).fit([[1.0], [2.0], [9.0], [10.0]])
    >>> sorted(model.cluster_centers_.ravel().round(1).tolist())
    [1.5, 9.5]
    >>> model.memberships_.sum(axis=1).round(9).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """

    def _frame(self, spread: Spread) -> Frame:
        typical = float(np.sqrt(spread.variances.mean()))
        attributes = np.arange(spread.means.size)
        scales = np.full(attributes.size, 1.0 / typical if typical > 0.0 else 1.0)
        return Frame(spread.means, attributes, spread.means, scales)

    def _descend(self, task: Task, centres: Reals) -> Descent:
        objectives: list[float] = []
        moved = np.inf
        while moved > self.tol and len(objectives) < self.max_iter:
            sums = self._sums(task, centres)
            objectives.append(sums.objective)
            # QADM14 4.1: the v that minimizes J(X; U, V) for given U
            improved = means_of(sums, centres)
            moved = shift_between(centres, improved)
            centres = improved
        objectives.append(self._sums(task, centres).objective)
        sets = plain_sets(centres, self.fuzzifier)
        return Descent(sets, np.empty(0), np.array(objectives), bool(moved <= self.tol))

    def _sums(self, task: Task, centres: Reals) -> Sums:
        sets = plain_sets(centres, self.fuzzifier)
        return sum_records(task.records, task.count, sets, task.threads, scatters=False)

    def _adopt(self, best: Descent, frame: Frame) -> None:
        self.cluster_centers_ = best.sets.centres / frame.scales + frame.origins
        self.objectives_ = best.objectives / frame.scales[0] ** 2

    def _sets(self) -> FuzzySets:
        return plain_sets(self.cluster_centers_, self.fuzzifier)


def means_of(sums: Sums, centres: Reals) -> Reals:
    """Return the weighted means of the sets; a set without members keeps its centre."""
    masses = sums.masses[:, None]
    return np.where(masses > 0.0, sums.firsts / np.where(masses > 0.0, masses, 1.0), centres)


def shift_between(before: Reals, after: Reals) -> float:
    """Return the largest move of a centre, as a root mean square over attributes."""
    return float(np.sqrt(((after - before) ** 2).mean(axis=1)).max())
