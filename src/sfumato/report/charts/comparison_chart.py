"""The risk of each method's release against its information loss."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.comparison import Compared
from sfumato.errors import SettingError
from sfumato.protection_registry import compared_methods
from sfumato.report.charts.chart_export import offline
from sfumato.report.charts.risk_loss_axes import linear_axis, risk_axis
from sfumato.report.charts.style import AXIS, BLUE, INK, TITLE

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 440, 340
MARKS = ("circle", "triangle-up", "diamond", "square", "cross", "triangle-down")
SHAPES = dict(zip((method.title for method in compared_methods()), itertools.cycle(MARKS), strict=False))
"""Methods are distinguished by shape, so that colour is not needed."""
SIZE = 130
"""The area of a point."""
LINE_LENGTH = 70
"""The length of a line in a title, in characters."""


def compare_chart(compared: Compared) -> alt.Chart:
    """Draw the expected share of re-identifications of each method against its information loss.

    Parameters
    ----------
    compared
        The result of :meth:`Comparison.run`; a method that made no release is named under the title.
    """
    import altair as alt

    if not compared.found:
        raise SettingError("no method attains k, so there is nothing to draw")
    points: list[dict[str, Any]] = [
        {
            "method": name,
            "loss": result.loss.mean,
            "risk": result.rate,
            "k": result.k,
            "label": f"{name}, k = {result.k:,}",
        }
        for name, result in compared.found.items()
    ]
    loss, risk = linear_axis([point["loss"] for point in points]), risk_axis([point["risk"] for point in points])
    x = alt.X(
        "loss:Q",
        title="information loss",
        scale=alt.Scale(**loss.scale),
        axis=alt.Axis(format=".3~g", tickCount=6, labelFlush=False),
    )
    y = alt.Y(
        "risk:Q",
        title="expected share of re-identifications",
        scale=alt.Scale(**risk.scale),
        axis=alt.Axis(format=".3~%", **risk.ticks),
    )
    tooltip = [
        alt.Tooltip("method:N"),
        alt.Tooltip("loss:Q", title="information loss", format=".4~g"),
        alt.Tooltip("risk:Q", title="re-identified", format=".3~%"),
        alt.Tooltip("k:Q", format=","),
    ]
    shapes = alt.Scale(domain=[point["label"] for point in points], range=[SHAPES[point["method"]] for point in points])
    legend = alt.Legend(title=None, symbolFillColor=BLUE, symbolStrokeColor=INK, symbolSize=SIZE, labelLimit=260)
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=points))
        .mark_point(filled=True, size=SIZE, color=BLUE, fillOpacity=0.6, opacity=1, stroke=INK, strokeWidth=1)
        .encode(x=x, y=y, shape=alt.Shape("label:N", scale=shapes, legend=legend), tooltip=tooltip)
        .properties(width=WIDTH, height=HEIGHT, title=_title(compared), description=_description(points))
        .configure_view(stroke=None)
        .configure_axis(**AXIS, labelFontSize=11, titleFontSize=12)
        .configure_legend(labelColor=INK, labelFontSize=12, orient="right")
        .configure_title(**TITLE, fontSize=14)
    )
    return offline(chart)


def _title(compared: Compared) -> dict[str, Any]:
    lines = ["Closer to the lower left corner is safer and more exact."]
    if compared.refused:
        lines.append(f"k = {compared.k:,} is unattainable for {', '.join(compared.refused)}.")
    text = f"Risk and information loss for {', '.join(compared.quasi)}, k = {compared.k:,}"
    return {"text": textwrap.wrap(text, LINE_LENGTH), "subtitle": lines}


def _description(points: Sequence[dict[str, Any]]) -> str:
    """Describe the chart for readers who cannot see it."""
    texts = [f"{point['method']}: information loss {point['loss']:.3g}, risk {point['risk']:.3%}" for point in points]
    return f"Expected share of re-identifications against information loss. {'; '.join(texts)}."
