"""t-closeness."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sfumato.measures.criteria.criterion import AttributeCriterion, BoxConstraint
from sfumato.measures.criteria.limit import Limit

if TYPE_CHECKING:
    from sfumato.measures.promise import Distance, Promise
    from sfumato.measures.safety import AttributeSafety


class TCloseness(AttributeCriterion):
    """Each block's distribution of a sensitive attribute is at most t from that of the table."""

    setting = "t"
    title = "t-closeness"
    when_to_use = (
        "Where it must not be learned that somebody's value is unusually high, low or likely: with l = 3 a block may "
        "hold three neighbouring incomes. It costs more detail than l, because every block must resemble the file."
    )
    label = "Distance between {} in a block and in the whole file (t, from 0 to 1), at most"
    step = 0.05
    settings = ("distances",)
    listed_facts = ("t", "distance")
    uses_distance = True
    original = True

    def limit(self, promise: Promise, name: str, attribute: AttributeSafety) -> Limit | None:
        """Return t with the distance of each block."""
        return None if promise.t is None else Limit(self, name, promise.t, attribute.t)

    def facts(self, attribute: AttributeSafety) -> Mapping[str, Any]:
        """Return t, its ground distance, and how many values its hierarchy does not contain."""
        return {
            "t": attribute.t.worst,
            "distance": attribute.distance,
            "unknown_to_hierarchy": attribute.unknown_records,
        }

    def box_constraint(self, promise: Promise, distance: Distance) -> BoxConstraint | None:
        """Bound the distance of each box by the attribute's ground distance."""
        return None if promise.t is None else BoxConstraint(distance, promise.t)

    def statement(self, promise: Promise) -> str:
        """Say how close shares are to those of the whole file."""
        return (
            f"a distribution within a distance of {promise.t or 0:g} of that in the whole file, where 0 means equal "
            f"and 1 as different as possible (t = {promise.t or 0:g})"
        )
