"""Statistics that stay inexact because other attributes keep their detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sfumato.statistics.language import parse

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes

MUCH = 2.0
"""From so many times the formula's optimum on, it is said what may be the reason."""
LITTLE_DETAIL = 0.01


def drowned(settings: Boxes, uncertainty: dict[str, Any]) -> list[str]:
    """Say whether preserved statistics may be inexact because attributes that none of them names keep their detail."""
    if settings.preserve is None or settings.detail is None or settings.detail <= LITTLE_DETAIL:
        return []
    if uncertainty.get("ratio", 0.0) < MUCH:
        return []
    named = {name for one in settings.preserve for name in parse(one.statistic).attributes}
    others = [name for name in settings.quasi if name not in named]
    if not others:
        return []
    return [
        f"No preserved statistic names {', '.join(others)}, whose detail counts as well "
        f"(detail = {settings.detail:g}).",
        f"With detail = {LITTLE_DETAIL:g} the statistics may become much more exact, and these attributes coarser.",
    ]
