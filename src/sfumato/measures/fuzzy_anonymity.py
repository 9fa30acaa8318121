"""Fuzzy k-anonymity and Q-anonymity: how many records each fuzzy set has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Counts, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy import as_partition, at_least, descending_of, nonfuzzy_cardinality, sigma_count
from sfumato.measures.anonymity import anonymity, household_anonymity
from sfumato.measures.block_measure import TOLERANCE, BlockMeasure
from sfumato.measures.blocks import Blocks, homes_of
from sfumato.measures.fuzzy_contingency import crisp_blocks, set_sizes, with_members
from sfumato.microfile import Encoded
from sfumato.quiet_repr import quiet
from sfumato.settings import check_choice

Operator = Literal["min", "mean"]
Possibility = Literal["ralescu", "fg"]


@dataclass(frozen=True)
class FuzzyAnonymity:
    """How many records each fuzzy set has, beside its crisp twin."""

    nonfuzzy: BlockMeasure
    """k of each set by QADM14 (2): a whole number, 0 where no membership reaches 1/2."""
    sigma: BlockMeasure
    """k of each set by the sigma-count: many faint members count as some full ones."""
    crisp: BlockMeasure
    """k of each block, where each record is in the set of its largest membership."""
    households: BlockMeasure | None = None
    """How many households each set has by (2); a household belongs as much as the member who belongs most."""
    crisp_households: BlockMeasure | None = None
    """The number of different households in each such block."""


@quiet
@dataclass(frozen=True)
class QAnonymity:
    """The possibility that the fuzzy sets of a table have at least Q records: QADM14 Definition 7."""

    possibilities: Reals
    """For Q = 0, 1, ...; 0 beyond the last."""
    operator: Operator
    """How the sets' possibilities are combined: ``"min"`` is the worst set, ``"mean"`` the average one."""
    crisp: BlockMeasure
    """k of the crisp twin."""

    def at(self, q: int) -> float:
        """Return the possibility that there are at least q."""
        if q < 0:
            raise SettingError(f"Q must not be negative (given: {q})")
        return float(self.possibilities[q]) if q < self.possibilities.size else 0.0

    def reached(self, level: float) -> int:
        """Return the largest Q whose possibility is at least this level.

        The paper turns 0.833 into "Q = 2" without saying at which level (ERRATA 002-6), so it must be given here.
        """
        if not 0 < level <= 1:
            raise SettingError(f"the level must be above 0 and at most 1 (given: {level:g})")
        # possibilities descend
        return int(np.count_nonzero(self.possibilities[1:] >= level - TOLERANCE))


def fuzzy_anonymity(
    memberships: ArrayLike, *, household: Encoded | None = None, blocks: Blocks | None = None
) -> FuzzyAnonymity:
    """Return how many records each fuzzy set has; sets without any member are left out.

    Parameters
    ----------
    memberships
        Records by sets, a Ruspini partition.
    household
        The household of each record; one without is a household of its own.
    blocks
        The crisp twin, where it is known.

    Examples
    --------
    >>> k = fuzzy_anonymity([[1, 0], [0.75, 0.25], [0.25, 0.75], [0.375, 0.625]])
    >>> k.nonfuzzy.worst, k.sigma.worst, k.crisp.worst
    (2.0, 1.625, 2.0)
    """
    grades = with_members(as_partition(memberships))
    sizes = set_sizes(grades)
    twin = crisp_blocks(grades) if blocks is None else blocks
    homes = None if household is None else nonfuzzy_cardinality(_of_households(grades, household))
    return FuzzyAnonymity(
        nonfuzzy=_counted("fuzzy k", nonfuzzy_cardinality(grades), sizes),
        sigma=_counted("sigma k", sigma_count(grades), sizes),
        crisp=anonymity(twin, wildcards=False),
        households=None if homes is None else _counted("fuzzy households", homes, sizes),
        crisp_households=None if household is None else household_anonymity(twin, household, wildcards=False),
    )


def _counted(name: str, counts: Counts | Reals, sizes: Counts) -> BlockMeasure:
    return BlockMeasure(name, counts.astype(np.float64), sizes, safer="higher")


def _of_households(grades: Reals, household: Encoded) -> Reals:
    """Return the households by sets: the largest membership in each household."""
    if household.codes.size != grades.shape[0]:
        raise SettingError(f"memberships of {grades.shape[0]:,} records do not fit {household.codes.size:,} records")
    homes = homes_of(household)
    order = np.argsort(homes, kind="stable")
    starts = np.flatnonzero(np.diff(homes[order], prepend=-1))
    return np.maximum.reduceat(grades[order], starts, axis=0)


def q_anonymity(
    memberships: ArrayLike,
    *,
    operator: Operator = "min",
    possibility: Possibility = "ralescu",
    blocks: Blocks | None = None,
) -> QAnonymity:
    """Return the possibility that the fuzzy sets have at least Q records, for every Q.

    Parameters
    ----------
    memberships
        Records by sets, a Ruspini partition; sets without any member are left out.
    operator
        How the sets' possibilities are combined. The paper's mean guarantees nothing: 99 good sets hide a bad one
        (ERRATA 002-6). The minimum does not.
    possibility
        ``"ralescu"`` as the paper, or ``"fg"``: the Q-th largest membership, which an additional record never lowers.
    blocks
        The crisp twin, where it is known.

    Examples
    --------
    >>> q_anonymity([[1, 0], [0.75, 0.25], [0.25, 0.75], [0.375, 0.625]]).possibilities.tolist()
    [0.625, 0.625, 0.625, 0.25]
    """
    check_choice("operator", operator, Operator)
    check_choice("possibility", possibility, Possibility)
    grades = with_members(as_partition(memberships))
    total = np.zeros(grades.shape[0] + 1)
    lowest = np.ones(grades.shape[0] + 1)
    for grade in grades.T:
        # zeros count for nothing: ERRATA 002-10
        descending = descending_of(grade[grade > 0])
        possible = (descending if possibility == "fg" else at_least(descending))[:-1]
        total[: possible.size] += possible
        np.minimum(lowest[: possible.size], possible, out=lowest[: possible.size])
        lowest[possible.size :] = 0.0
    combined = lowest if operator == "min" else total / grades.shape[1]
    crisp = anonymity(crisp_blocks(grades) if blocks is None else blocks, wildcards=False)
    return QAnonymity(combined[: int(np.count_nonzero(combined))], operator, crisp)
