"""Privacy criteria: each says in one place how it is measured, promised, enforced, explained and written."""

from sfumato.measures.criteria.criterion import (
    AttributeCriterion,
    BlockCriterion,
    BoxConstraint,
    Criterion,
    FuzzyCriterion,
)
from sfumato.measures.criteria.limit import Limit
from sfumato.measures.criteria.registry import (
    ATTRIBUTE_CRITERIA,
    BLOCK_CRITERIA,
    CRITERIA,
    EPSILON_DIVERSITY,
    INVERSION_WIDTH,
    Q_ANONYMITY,
    TABLE_SETTINGS,
    promised_criteria,
)

__all__ = [
    "ATTRIBUTE_CRITERIA",
    "BLOCK_CRITERIA",
    "CRITERIA",
    "EPSILON_DIVERSITY",
    "INVERSION_WIDTH",
    "Q_ANONYMITY",
    "TABLE_SETTINGS",
    "AttributeCriterion",
    "BlockCriterion",
    "BoxConstraint",
    "Criterion",
    "FuzzyCriterion",
    "Limit",
    "promised_criteria",
]
