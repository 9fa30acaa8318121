"""Fuzzy t-closeness: the distance between what memberships reveal about a sensitive value and the whole table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.algebra import product
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.closeness import equal_closeness, ordered_closeness
from sfumato.measures.fuzzy_contingency import FuzzyContingency
from sfumato.settings import check_choice

FuzzyDistance = Literal["ordered", "equal"]


@dataclass(frozen=True)
class FuzzyCloseness:
    """t of each record and of each fuzzy set, beside the crisp twin."""

    records: BlockMeasure
    """The distance of each record's own mixture of the sets' distributions: QADM14 Definition 13."""
    sets: BlockMeasure
    """The distance of each set's distribution. No record is farther away than the farthest of its sets."""
    crisp: BlockMeasure
    """t of each block, where each record is in the set of its largest membership."""

    @property
    def t(self) -> float:
        """The t of the release: the largest distance of a record, not the smallest as printed (ERRATA 002-2)."""
        return self.records.worst


def fuzzy_closeness(counts: FuzzyContingency, *, distance: FuzzyDistance) -> FuzzyCloseness:
    """Measure t-closeness of a fuzzy partition.

    Parameters
    ----------
    counts
        The counts.
    distance
        ``"ordered"`` along the order of the values, or ``"equal"`` where all are equally far apart. Missing values are
        treated as in the crisp measures.
    """
    check_choice("distance", distance, FuzzyDistance)
    measured = _ordered if distance == "ordered" else _equal
    rows, row_of = counts.distinct
    records = measured(counts, rows)[row_of]
    sets = measured(counts, np.eye(counts.memberships.shape[1]))
    return FuzzyCloseness(
        records=BlockMeasure("t", records, np.ones(records.size, dtype=np.int64), safer="lower"),
        sets=BlockMeasure("t", sets, counts.sizes, safer="lower"),
        crisp=(ordered_closeness if distance == "ordered" else equal_closeness)(counts.crisp),
    )


def _equal(counts: FuzzyContingency, memberships: Reals) -> Reals:
    # QADM14 Theorem 12: P = sum_i mu_i P_i, so that P - W = sum_i mu_i (P_i - W)
    return 0.5 * _lengths(memberships, counts.shares - counts.table_shares)


def _ordered(counts: FuzzyContingency, memberships: Reals) -> Reals:
    """Measure the known values along their order, and the share of missing ones separately; the larger counts."""
    values = counts.crisp.known
    n_known = counts.shares[:, :values]
    table = counts.crisp.overall[:values]
    # the distance between what is known: sum_i mu_i P_i is divided by its own share of known values
    share = n_known.sum(axis=1)
    ahead = np.cumsum(n_known, axis=1) - np.outer(share, np.cumsum(table) / max(int(table.sum()), 1))
    # D = 1/(m-1) sum_i |sum_{j<=i} (p_j - w_j)|, and 0 for one value: ERRATA 002-14
    lengths = _lengths(memberships, ahead[:, :-1]) / max(values - 1, 1)
    known_share = product(memberships, share)
    distance: Reals = np.divide(lengths, known_share, out=np.zeros_like(lengths), where=known_share > 0)
    if counts.crisp.overall.size > values:
        missing = product(memberships, counts.shares[:, values] - counts.table_shares[values])
        distance = np.maximum(distance, np.abs(missing))
    return distance


def _lengths(memberships: Reals, differences: Reals) -> Reals:
    from sfumato.kernels.belief_mixtures import mixture_lengths

    return mixture_lengths(memberships, np.ascontiguousarray(differences))
