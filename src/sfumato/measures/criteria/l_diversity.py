"""l-diversity: distinct, entropy and recursive."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.measures.criteria.criterion import AttributeCriterion, BoxConstraint
from sfumato.measures.criteria.limit import Limit

if TYPE_CHECKING:
    from sfumato.measures.promise import Distance, Promise
    from sfumato.measures.safety import AttributeSafety


class DistinctDiversity(AttributeCriterion):
    """Each block has at least l different values of each sensitive attribute."""

    setting = "l"
    title = "distinct l-diversity"
    when_to_use = (
        "The minimum that prevents the disclosure of a sensitive value that all records of a block share. One value "
        "may still be far more frequent than the others: then choose the entropy or the recursive form, or t."
    )
    label = "Different values of {} in a block (l), at least"
    step = -1.0
    settings = ("diversity",)
    listed_facts = ("l",)
    original = True

    def promised(self, promise: Promise) -> float | None:
        """Return l where distinct values are counted."""
        return promise.l if promise.diversity == "distinct" else None

    def limit(self, promise: Promise, name: str, attribute: AttributeSafety) -> Limit | None:
        """Return l with the number of different values in each block."""
        limit = self.promised(promise)
        return None if limit is None else Limit(self, name, limit, attribute.l)

    def facts(self, attribute: AttributeSafety) -> Mapping[str, Any]:
        """Return l, and what it is if a missing value does not count as a value."""
        return {"l": attribute.l.worst, "known_l": attribute.known_l.worst}

    def box_constraint(self, promise: Promise, distance: Distance) -> BoxConstraint | None:
        """Count different values in each box."""
        limit = self.promised(promise)
        return None if limit is None else BoxConstraint("distinct", limit)

    def statement(self, promise: Promise) -> str:
        """Say how many different values there are."""
        return f"at least {promise.l or 1:g} different values (l = {promise.l or 1:g})"


class EntropyDiversity(AttributeCriterion):
    """Each block's sensitive values are as diverse as l equally frequent ones."""

    setting = "l"
    title = "entropy l-diversity"
    when_to_use = (
        "Where one value must not dominate a block. It is stricter than the distinct form: the whole file must reach l "
        "too, which fails where one value is common everywhere."
    )
    label = "Effective number of values of {} in a block (entropy l), at least"
    step = -1.0
    settings = ("diversity",)
    listed_facts = ("entropy_l",)
    original = True

    def promised(self, promise: Promise) -> float | None:
        """Return l where it is measured by entropy."""
        return promise.l if promise.diversity == "entropy" else None

    def limit(self, promise: Promise, name: str, attribute: AttributeSafety) -> Limit | None:
        """Return l with the effective number of values in each block."""
        limit = self.promised(promise)
        return None if limit is None else Limit(self, name, limit, attribute.entropy_l)

    def facts(self, attribute: AttributeSafety) -> Mapping[str, Any]:
        """Return the effective number of values."""
        return {"entropy_l": attribute.entropy_l.worst}

    def box_constraint(self, promise: Promise, distance: Distance) -> BoxConstraint | None:
        """Bound the entropy of each box."""
        limit = self.promised(promise)
        return None if limit is None else BoxConstraint("entropy", limit)

    def statement(self, promise: Promise) -> str:
        """Say how diverse values are."""
        return f"a mix of values as even as {promise.l or 1:g} equally frequent ones (l = {promise.l or 1:g})"


class RecursiveDiversity(AttributeCriterion):
    """In each block, the most frequent value is rarer than c times all values from the l-th most frequent on."""

    setting = "l"
    title = "recursive (c, l)-diversity"
    when_to_use = (
        "Where one value is common in the whole file, so that entropy l-diversity is unattainable, but the most "
        "frequent value of a block must still be limited relative to the rarer ones."
    )
    label = "Weight of the most common value of {} in a block (c of recursive l-diversity), at most"
    step = 0.5
    settings = ("diversity", "c")
    listed_facts = ("recursive_c",)
    original = True

    @property
    def code(self) -> str:
        """What is measured and can be relaxed is c, for the promised l."""
        return "c"

    def promised(self, promise: Promise) -> float | None:
        """Return c where l is promised with it."""
        return promise.c if promise.l is not None else None

    def limit(self, promise: Promise, name: str, attribute: AttributeSafety) -> Limit | None:
        """Return c with the c that each block has for the promised l."""
        if promise.l is None or promise.c is None:
            return None
        return Limit(self, name, promise.c, attribute.recursive_c(round(promise.l)))

    def facts(self, attribute: AttributeSafety) -> Mapping[str, Any]:
        """Return c for the distinct l that the table has."""
        distinct = attribute.l.worst
        return {"recursive_c": attribute.recursive_c(int(distinct)).worst if math.isfinite(distinct) else None}

    def box_constraint(self, promise: Promise, distance: Distance) -> BoxConstraint | None:
        """Bound the most frequent value of each box."""
        if promise.l is None or promise.c is None:
            return None
        return BoxConstraint("recursive", promise.l, promise.c)

    def statement(self, promise: Promise) -> str:
        """Say that no value dominates."""
        l, c = promise.l or 1, promise.c or 0  # noqa: E741  # the field's own letter
        return f"at least {l:g} values of which none dominates (c = {c:g}) (l = {l:g})"
