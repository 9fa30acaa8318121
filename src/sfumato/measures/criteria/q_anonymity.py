"""Q-anonymity of fuzzy sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.measures.criteria.criterion import FuzzyCriterion

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise


class QAnonymityLimit(FuzzyCriterion):
    """It is possible to ``level`` that each combination of fuzzy sets has at least q records."""

    setting = "q"
    title = "Q-anonymity"
    when_to_use = (
        "For fuzzy partitions only, beside k: k counts records whose released words or grades are equal, Q how many "
        "records belong to each combination of sets to a degree (QADM14)."
    )
    label = "Q of the fuzzy sets, at least"
    step = -1.0
    settings = ("level", "operator")
    original = True

    def satisfied(self, promise: Promise, reached: float | None) -> bool:
        """Whether what was measured satisfies the promise; too many combinations to measure do not."""
        return promise.q is None or (reached is not None and reached >= promise.q)

    def statement(self, promise: Promise) -> str:
        """Say how many records are possible in each set."""
        return (
            f"With a possibility of {promise.level:g}, every combination of fuzzy sets has at least {promise.q or 1:,} "
            f"record{'s' * ((promise.q or 1) > 1)} (Q)."
        )
