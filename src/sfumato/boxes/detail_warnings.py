"""Warnings about preserved statistics that are inexact because other attributes keep their detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.statistics.parser import parse

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes

LARGE_RATIO = 2.0
"""The multiple of the formula's optimum from which on a likely reason is given."""
LITTLE_DETAIL = 0.01


def detail_concerns(settings: Boxes, ratio: float) -> list[str]:
    """Say whether preserved statistics may be inexact because attributes that none of them uses keep their detail.

    ``ratio`` is the achieved uncertainty divided by the optimum.
    """
    if settings.preserve is None or settings.detail is None or settings.detail <= LITTLE_DETAIL:
        return []
    if ratio < LARGE_RATIO:
        return []
    used = {name for request in settings.preserve for name in parse(request.statistic).attributes}
    unused = [name for name in settings.quasi if name not in used]
    if not unused:
        return []
    return [
        f"No preserved statistic uses {', '.join(unused)}, whose detail counts as well (detail = {settings.detail:g}).",
        f"With detail = {LITTLE_DETAIL:g} the statistics may become much more exact, and these attributes coarser.",
    ]
