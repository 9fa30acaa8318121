"""Colours and configuration that all charts share."""

from __future__ import annotations

from typing import Any

INK, PALE_BLUE, BLUE, GREY, ORANGE = "#1f2d3d", "#9ecae1", "#3182bd", "#bdbdbd", "#d95f0e"
AXIS: dict[str, Any] = {"labelColor": INK, "titleColor": INK, "gridColor": "#e5e5e5"}
TITLE: dict[str, Any] = {"color": INK, "anchor": "start", "subtitleFontSize": 11, "subtitleColor": "#555555"}
REPORT_AXIS: dict[str, Any] = {**AXIS, "labelFontSize": 13, "titleFontSize": 13}
"""Axes of a chart in a report, which is scaled down on narrow screens."""
