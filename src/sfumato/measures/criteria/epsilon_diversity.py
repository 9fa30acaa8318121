"""Diversity of numeric quasi attributes, which boxes enforce while they are cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.measures.criteria.criterion import Criterion

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise


class EpsilonDiversity(Criterion):
    """Each block has at least l values of a quasi attribute that are at least epsilon apart (XK13)."""

    setting = "l"
    title = "(epsilon, l)-diversity"
    when_to_use = (
        "Where the values of a quasi attribute themselves must not be learned to within epsilon. It needs the "
        "original, so that it holds when a release is made and cannot be measured again from its files."
    )
    label = "Values of {} in a block that are epsilon apart, at least"
    step = -1.0

    def promised(self, promise: Promise) -> float | None:
        """Return nothing: a certificate states it among the settings, because it cannot be audited."""
        return None

    def statement(self, promise: Promise) -> str:
        """Say how many values there are."""
        return f"at least {promise.l or 1:g} values that are epsilon apart"
