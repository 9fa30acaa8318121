"""All privacy criteria, in the order in which they are measured, written and shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sfumato.measures.criteria.alpha_k_anonymity import AlphaKAnonymity
from sfumato.measures.criteria.beta_likeness import BetaLikeness
from sfumato.measures.criteria.criterion import AttributeCriterion, BlockCriterion, Criterion
from sfumato.measures.criteria.delta_disclosure import DeltaDisclosure
from sfumato.measures.criteria.epsilon_diversity import EpsilonDiversity
from sfumato.measures.criteria.inversion_width import InversionWidth
from sfumato.measures.criteria.k_anonymity import HouseholdAnonymity, KAnonymity
from sfumato.measures.criteria.l_diversity import DistinctDiversity, EntropyDiversity, RecursiveDiversity
from sfumato.measures.criteria.q_anonymity import QAnonymityLimit
from sfumato.measures.criteria.risk_limit import RiskLimit
from sfumato.measures.criteria.t_closeness import TCloseness

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise

Q_ANONYMITY = QAnonymityLimit()
INVERSION_WIDTH = InversionWidth()
EPSILON_DIVERSITY = EpsilonDiversity()
"""Enforced by boxes, but stated among the settings: it cannot be measured from a release."""

CRITERIA: tuple[Criterion, ...] = (
    KAnonymity(),
    HouseholdAnonymity(),
    Q_ANONYMITY,
    RiskLimit(),
    DistinctDiversity(),
    EntropyDiversity(),
    RecursiveDiversity(),
    TCloseness(),
    AlphaKAnonymity(),
    BetaLikeness(),
    DeltaDisclosure(),
    INVERSION_WIDTH,
)
"""Every criterion that a promise can name."""

BLOCK_CRITERIA = tuple(criterion for criterion in CRITERIA if isinstance(criterion, BlockCriterion))
ATTRIBUTE_CRITERIA = tuple(criterion for criterion in CRITERIA if isinstance(criterion, AttributeCriterion))

TABLE_SETTINGS = frozenset(
    name
    for criterion in (*BLOCK_CRITERIA, *ATTRIBUTE_CRITERIA)
    for name in (criterion.setting, *criterion.settings)
    if name not in ("household", "distances")
)
"""The settings of a promise that limit what is measured on any table, and not only on fuzzy sets."""


def promised_criteria(promise: Promise) -> Iterator[tuple[Criterion, float]]:
    """Return the criteria that a promise names, each with its limit.

    >>> from sfumato.measures.promise import Promise
    >>> [(criterion.title, limit) for criterion, limit in promised_criteria(Promise(quasi="age", k=3, max_risk=0.2))]
    [('k-anonymity', 3), ('maximum re-identification risk', 0.2)]
    """
    if not promise.quasi:
        return
    for criterion in CRITERIA:
        limit = criterion.promised(promise)
        if limit is not None:
            yield criterion, limit
