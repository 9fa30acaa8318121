"""delta-disclosure privacy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.measures.criteria.criterion import AttributeCriterion
from sfumato.measures.criteria.limit import Limit

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise
    from sfumato.measures.safety import AttributeSafety


class DeltaDisclosure(AttributeCriterion):
    """No sensitive value that a block has changes its share by a factor of exp(delta) or more."""

    setting = "delta"
    title = "delta-disclosure privacy"
    when_to_use = (
        "The strictest of these criteria: a block may make a value neither much more nor much less probable than the "
        "whole file does. It is measured over the values that a block has; taken literally, a value that a block lacks "
        "makes delta infinite, and the certificate counts such blocks."
    )
    label = "Change of the share of a value of {} in a block (logarithm, delta), less than"
    step = 0.5
    listed_facts = ("delta",)
    original = True

    def limit(self, promise: Promise, name: str, attribute: AttributeSafety) -> Limit | None:
        """Return delta with the largest change in each block."""
        return None if promise.delta is None else Limit(self, name, promise.delta, attribute.delta)

    def facts(self, attribute: AttributeSafety) -> Mapping[str, Any]:
        """Return the largest change, and how many blocks lack a value."""
        return {"delta": attribute.delta.worst, "blocks_lacking_a_value": attribute.blocks_lacking_a_value}

    def statement(self, promise: Promise) -> str:
        """Say by which factor no share changes."""
        factor = f"exp({promise.delta or 0:g}) or more (delta = {promise.delta or 0:g})"
        return f"no value whose share differs from that in the whole file by a factor of {factor}"
