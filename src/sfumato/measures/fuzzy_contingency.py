"""How often each sensitive value occurs in each fuzzy set: the counts that fuzzy measures share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy import as_partition, nonfuzzy_parts
from sfumato.kernels.algebra import product
from sfumato.measures.blocks import Blocks, group
from sfumato.measures.contingency import Contingency, tabulate
from sfumato.microfile import Encoded
from sfumato.quiet_repr import quiet
from sfumato.settings import check_choice

Cardinality = Literal["sigma", "nonfuzzy"]


@quiet
@dataclass(frozen=True)
class FuzzyContingency:
    """Counts of sensitive values, fuzzy set by fuzzy set, and those of its crisp twin."""

    memberships: Reals
    """Records by sets; a set without any member is left out, as a block without records is."""
    sigma_counts: Reals
    """Sets by values: the sum of the memberships of the records that have the value."""
    nonfuzzy: Counts
    """Sets by values: QADM14 (2) of those records."""
    present: Flags
    """Sets by values: whether any member has the value."""
    cardinality: Cardinality
    """Which of the two counts distributions and beliefs are made of."""
    crisp: Contingency
    """The counts where each record is in the set of its largest membership."""

    @cached_property
    def sizes(self) -> Counts:
        """The records that belong to each set the most, over which violations are counted."""
        return set_sizes(self.memberships)

    @cached_property
    def distinct(self) -> tuple[Reals, Counts]:
        """The different rows of memberships, and the row of each record: people of one age are measured once."""
        return distinct_rows(self.memberships)

    @property
    def table_shares(self) -> Reals:
        """The share of each value in the whole table."""
        return self.crisp.table_shares

    @property
    def undefined(self) -> Flags:
        """The sets in which (2) counts nobody, so that its shares would be 0/0: ERRATA 002-8."""
        return np.asarray(self.nonfuzzy.sum(axis=1) == 0)

    @cached_property
    def counts(self) -> Reals:
        """Sets by values, #(Q_i and s); sigma-counts where (2) counts nobody."""
        if self.cardinality == "sigma":
            return self.sigma_counts
        return np.where(self.undefined[:, None], self.sigma_counts, self.nonfuzzy)

    @cached_property
    def shares(self) -> Reals:
        """f(s | Q_i), sets by values.

        Divided by their sum: #Q_i, as printed in QADM14 (3), is not the sum for (2), see ERRATA 002-8.
        """
        totals = self.counts.sum(axis=1, keepdims=True)
        # each set has a member, so that no total is 0
        return np.asarray(self.counts / totals, dtype=np.float64)


def tabulate_fuzzy(
    memberships: ArrayLike, sensitive: Encoded, *, cardinality: Cardinality = "sigma", blocks: Blocks | None = None
) -> FuzzyContingency:
    """Count an attribute's values in each fuzzy set; a missing value counts as one more value.

    Parameters
    ----------
    memberships
        Records by sets, a Ruspini partition.
    sensitive
        The sensitive attribute.
    cardinality
        ``"sigma"``, which is additive, or ``"nonfuzzy"``, the paper's own (2).
    blocks
        The crisp twin, where it is known.
    """
    check_choice("cardinality", cardinality, Cardinality)
    grades = with_members(as_partition(memberships))
    if grades.shape[0] != sensitive.codes.size:
        raise SettingError(f"memberships of {grades.shape[0]:,} records do not fit {sensitive.codes.size:,} records")
    crisp = tabulate(crisp_blocks(grades) if blocks is None else blocks, sensitive, wildcards=False)
    values = crisp.overall.size
    codes = np.where(sensitive.codes < 0, values - 1, sensitive.codes)
    sums = np.empty((grades.shape[1], values))
    nonfuzzy = np.empty(sums.shape, dtype=np.int64)
    for index, column in enumerate(grades.T):
        grade = np.ascontiguousarray(column)
        sums[index] = np.bincount(codes, weights=grade, minlength=values)
        nonfuzzy[index] = nonfuzzy_parts(grade, codes, values)
    return FuzzyContingency(grades, sums, nonfuzzy, sums > 0, cardinality, crisp)


def with_members(memberships: Reals) -> Reals:
    """Leave out the sets that no record belongs to, and keep each record's memberships side by side."""
    inhabited = memberships.any(axis=0)
    return np.ascontiguousarray(memberships if inhabited.all() else memberships[:, inhabited])


def crisp_blocks(memberships: Reals) -> Blocks:
    """Put each record into the set of its largest membership."""
    return group([Encoded(memberships.argmax(axis=1).astype(np.int32), np.arange(memberships.shape[1]))])


def set_sizes(memberships: Reals) -> Counts:
    """Return how many records belong to each set more than to any other; the first of several takes a tie."""
    return np.bincount(memberships.argmax(axis=1), minlength=memberships.shape[1])


def distinct_rows(memberships: Reals) -> tuple[Reals, Counts]:
    """Return the different rows and the row of each record; all of them, if few are alike."""
    records, sets = memberships.shape
    keys = product(memberships, np.sqrt(np.arange(2.0, sets + 2)))
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    rows = memberships[first]
    # different rows may have the same key, by rounding
    if 2 * first.size <= records and np.array_equal(rows[inverse], memberships):
        return rows, inverse
    return memberships, np.arange(records)
