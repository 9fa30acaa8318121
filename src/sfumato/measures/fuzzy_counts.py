"""How often each sensitive value occurs in each fuzzy set: the counts that fuzzy measures share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.arrays import Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.cardinality import nonfuzzy_parts
from sfumato.fuzzy.memberships import as_partition
from sfumato.measures.blocks import Blocks, group
from sfumato.measures.contingency import Contingency, tabulate
from sfumato.microfile.encoding import Encoded

Cardinality = Literal["sigma", "nonfuzzy"]

CELLS_AT_ONCE = 1 << 17
"""A table of so many numbers stays in a core's own memory, which makes mixtures three times as fast."""


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
    """The counts where each record stands in the set of its largest membership."""

    @cached_property
    def sizes(self) -> Counts:
        """The records that belong to each set the most, over which violations are counted."""
        return set_sizes(self.memberships)

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
        """#(Q_i and s), sets by values; sigma-counts where (2) counts nobody."""
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
    """Count an attribute's values in each fuzzy set; a missing one counts as one more value.

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
    grades = with_members(as_partition(memberships))
    if grades.shape[0] != sensitive.codes.size:
        raise SettingError(f"memberships of {grades.shape[0]:,} records do not fit {sensitive.codes.size:,} records")
    crisp = tabulate(crisp_blocks(grades) if blocks is None else blocks, sensitive, wildcards=False)
    values = crisp.overall.size
    codes = np.where(sensitive.codes < 0, values - 1, sensitive.codes)
    sums = np.empty((grades.shape[1], values))
    nonfuzzy = np.empty(sums.shape, dtype=np.int64)
    for place, column in enumerate(grades.T):
        grade = np.ascontiguousarray(column)
        sums[place] = np.bincount(codes, weights=grade, minlength=values)
        nonfuzzy[place] = nonfuzzy_parts(grade, codes, values)
    return FuzzyContingency(grades, sums, nonfuzzy, sums > 0, cardinality, crisp)


def with_members(memberships: Reals) -> Reals:
    """Leave out the sets that no record belongs to."""
    inhabited = memberships.any(axis=0)
    return memberships if inhabited.all() else np.ascontiguousarray(memberships[:, inhabited])


def crisp_blocks(memberships: Reals) -> Blocks:
    """Put each record into the set of its largest membership."""
    return group([Encoded(memberships.argmax(axis=1).astype(np.int32), np.arange(memberships.shape[1]))])


def set_sizes(memberships: Reals) -> Counts:
    """Return how many records belong to each set more than to any other; the first of several takes a tie."""
    return np.bincount(memberships.argmax(axis=1), minlength=memberships.shape[1])


def chunks(memberships: Reals, width: int) -> Iterator[tuple[slice, Reals]]:
    """Yield some records at a time, so that a table of them by values stays small."""
    step = max(1, CELLS_AT_ONCE // max(width, 1))
    for first in range(0, memberships.shape[0], step):
        places = slice(first, first + step)
        yield places, memberships[places]
