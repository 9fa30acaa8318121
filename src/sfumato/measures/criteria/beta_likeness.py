"""Basic beta-likeness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.measures.criteria.criterion import AttributeCriterion
from sfumato.measures.criteria.limit import Limit

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise
    from sfumato.measures.safety import AttributeSafety


class BetaLikeness(AttributeCriterion):
    """No sensitive value gains more than beta relative to its share in the table."""

    setting = "beta"
    title = "basic beta-likeness"
    when_to_use = (
        "Where rare values need most protection: a value of 1 % in the file may have at most (1 + beta) % in a block. "
        "t hardly notices such a value, because it weighs all values together."
    )
    label = "Relative gain of a value of {} in a block over its share in the file (beta), at most"
    step = 0.5
    listed_facts = ("beta", "enhanced_beta")
    original = True

    def limit(self, promise: Promise, name: str, attribute: AttributeSafety) -> Limit | None:
        """Return beta with the largest relative gain in each block."""
        return None if promise.beta is None else Limit(self, name, promise.beta, attribute.beta)

    def facts(self, attribute: AttributeSafety) -> Mapping[str, Any]:
        """Return the largest relative gain, in its basic and its enhanced form."""
        return {"beta": attribute.beta.worst, "enhanced_beta": attribute.enhanced_beta.worst}

    def statement(self, promise: Promise) -> str:
        """Say how much more probable a value can become."""
        beta = promise.beta or 0
        gain = f"{100 * beta:.4g}% (beta = {beta:g})"
        return f"no value whose probability exceeds that in the whole file by more than {gain}"
