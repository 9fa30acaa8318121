"""How precisely values may be recovered from released words or grades."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.fuzzy import LEAST_WIDTH
from sfumato.measures.criteria.criterion import FuzzyCriterion

if TYPE_CHECKING:
    from sfumato.measures.promise import Promise

ROUNDING = 1e-3
"""Widths and extents are written with four digits."""


class InversionWidth(FuzzyCriterion):
    """Inverting the words or grades of a record leaves at least this share of an attribute's extent."""

    setting = "width"
    title = "width left by inverting grades"
    when_to_use = (
        "For fuzzy partitions only: grades are a function of the value, so that somebody who knows the sets can invert "
        "them. A minimum applies even where nothing is promised: values that can be recovered are not protected."
    )
    label = "Share of the extent of {} that inverting its grades leaves, at least"
    step = -0.05
    original = True

    def required(self, promise: Promise) -> float:
        """Return the share that must be left, promised or not."""
        return max(promise.width or 0.0, LEAST_WIDTH)

    def satisfied(self, promise: Promise, narrowest: float, extent: float) -> bool:
        """Whether the narrowest width that inversion leaves is wide enough."""
        return narrowest > self.required(promise) * extent * (1.0 - ROUNDING)

    def statement(self, promise: Promise) -> str:
        """Say how much inversion leaves."""
        return (
            f"Inverting the released words or grades of a record leaves at least {promise.width or 0:.4g} of each "
            "attribute's extent, even if all other attributes are known."
        )
