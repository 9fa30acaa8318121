"""(alpha, k)-anonymity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.measures.criteria.criterion import AttributeCriterion
from sfumato.measures.criteria.limit import Limit

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise
    from sfumato.measures.safety import AttributeSafety


class AlphaKAnonymity(AttributeCriterion):
    """No sensitive value has a larger share of a block than alpha."""

    setting = "alpha"
    title = "(alpha, k)-anonymity"
    when_to_use = (
        "Where guesses must not succeed too often: a guess of a sensitive value from a person's block is correct with "
        "a probability of at most alpha. It ignores how frequent the value is in the whole file; beta does not."
    )
    label = "Share of a single value of {} in a block, at most"
    step = 0.05
    listed_facts = ("alpha",)
    original = True

    def limit(self, promise: Promise, name: str, attribute: AttributeSafety) -> Limit | None:
        """Return alpha with the largest share in each block."""
        return None if promise.alpha is None else Limit(self, name, promise.alpha, attribute.alpha)

    def facts(self, attribute: AttributeSafety) -> Mapping[str, Any]:
        """Return the largest share."""
        return {"alpha": attribute.alpha.worst}

    def statement(self, promise: Promise) -> str:
        """Say which share no value exceeds."""
        return f"no value that more than {100 * (promise.alpha or 0):.4g}% of the records share"
