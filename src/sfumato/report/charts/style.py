"""Colours and configuration that all charts share."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

INK, PALE_BLUE, BLUE, GREY, ORANGE = "#1f2d3d", "#9ecae1", "#3182bd", "#bdbdbd", "#d95f0e"
AXIS: dict[str, Any] = {"labelColor": INK, "titleColor": INK, "gridColor": "#e5e5e5"}
TITLE: dict[str, Any] = {"color": INK, "anchor": "start", "subtitleFontSize": 11, "subtitleColor": "#555555"}
REPORT_AXIS: dict[str, Any] = {**AXIS, "labelFontSize": 13, "titleFontSize": 13}
"""Axes of a chart in a report, which is scaled down on narrow screens."""
WIDEST_FONT = 0.64
"""The width of a character in the widest usual font (DejaVu Sans), as a share of the font size."""
PLACE_SIZE, PLACE_LIMIT = 10, 180
"""The size of the labels of places, and their largest length, in pixels."""
LONGEST_PLACE = 216
"""The room for the longest label of a place: one that was shortened is still longer in a wider font."""
TICKS = 8
"""The length of a tick, with the gap between it and its label."""


def label_room(labels: Iterable[str], *, font_size: int, angle: float = 90) -> int:
    """Return the extent of an axis that its labels need in any usual font.

    A chart is laid out with one font and seen with another. If that is wider, labels would be cut off, or overlap the
    title of the axis.

    Parameters
    ----------
    labels
        The labels.
    font_size
        Their size, in pixels.
    angle
        The angle between the labels and the axis, in degrees.

    Examples
    --------
    >>> label_room(["5,000", "20,000"], font_size=13), label_room(["5 to 9"], font_size=13, angle=0)
    (58, 21)
    """
    length = max((len(label) for label in labels), default=0) * WIDEST_FONT * font_size
    turned = math.radians(angle)
    return math.ceil(length * math.sin(turned) + font_size * math.cos(turned)) + TICKS


def place_axis(places: Iterable[str]) -> dict[str, Any]:
    """Return the arguments of a horizontal axis of places."""
    room = min(LONGEST_PLACE, label_room(places, font_size=PLACE_SIZE))
    return {"labelFontSize": PLACE_SIZE, "labelLimit": PLACE_LIMIT, "minExtent": room}
