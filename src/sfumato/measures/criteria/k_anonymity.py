"""k-anonymity, of records and of households."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sfumato.measures.criteria.criterion import BlockCriterion
from sfumato.measures.criteria.limit import Limit

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise
    from sfumato.measures.safety import Safety


class KAnonymity(BlockCriterion):
    """Each block has at least k records."""

    setting = "k"
    title = "k-anonymity"
    when_to_use = (
        "Always: it is the basis of all other criteria. Anyone who knows the quasi values of a person is left "
        "with at least k candidates. They may all have the same sensitive value, so promise l or t as well."
    )
    label = "Records in a block (k), at least"
    step = -1.0
    original = True

    def limits(self, promise: Promise, safety: Safety) -> Iterator[Limit]:
        """Return k with the size of each block."""
        yield Limit(self, None, promise.k, safety.k)

    def statement(self, promise: Promise) -> str:
        """Say how many records look alike."""
        if promise.k == 1:
            return "Nothing is promised against being singled out: k = 1 allows a record to be unique."
        alike = f"{promise.k - 1:,} other{'s' * (promise.k > 2)}"
        return f"Every record looks exactly like at least {alike} in its quasi attributes (k = {promise.k:,})."


class HouseholdAnonymity(BlockCriterion):
    """Each block has records of at least k households."""

    setting = "k"
    title = "k-anonymity of households"
    when_to_use = (
        "Where members of a household are released together: k records of one family protect nobody in it. It is "
        "promised with k as soon as the household of each record is named."
    )
    label = "Households in a block, at least"
    step = -1.0
    settings = ("household",)
    original = True

    @property
    def code(self) -> str:
        """Households have the limit of k, but are counted separately."""
        return "households"

    def promised(self, promise: Promise) -> float | None:
        """Return k where households are named."""
        return None if promise.household is None else promise.k

    def limits(self, promise: Promise, safety: Safety) -> Iterator[Limit]:
        """Return k with the number of households in each block."""
        if safety.households is not None:
            yield Limit(self, None, promise.k, safety.households)

    def statement(self, promise: Promise) -> str:
        """Say how many households the records of a block come from."""
        return f"Records that look alike come from at least {promise.k:,} household{'s' * (promise.k > 1)}."
