"""A limit on the risk of re-identification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.criteria.criterion import BlockCriterion
from sfumato.measures.criteria.limit import Limit

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise
    from sfumato.measures.safety import Safety


class RiskLimit(BlockCriterion):
    """No record is re-identified with a larger probability."""

    setting = "max_risk"
    title = "maximum re-identification risk"
    when_to_use = (
        "Where a rule or a review board sets a threshold such as 0.05, or where the file is a sample with weights: "
        "then the risk counts the people in the population who look alike, and not only the records. Without weights "
        "it says the same as k = 1 / max_risk."
    )
    label = "Re-identification risk of a record, at most"
    step = 0.05
    original = True

    def limits(self, promise: Promise, safety: Safety) -> Iterator[Limit]:
        """Return the limit with the risk in each block."""
        if promise.max_risk is not None:
            risk = safety.risk
            yield Limit(self, None, promise.max_risk, BlockMeasure("risk", risk.by_block, risk.sizes, safer="lower"))

    def statement(self, promise: Promise) -> str:
        """Say how probable a re-identification can be."""
        return f"No record is re-identified with a probability above {promise.max_risk or 0:.4g}."
