"""The picture of a comparison: the risk of each method's release against the information that it has lost."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.comparison import METHODS, Compared
from sfumato.errors import SettingError
from sfumato.report.estimates import INK
from sfumato.report.labels import ALIGNED, BESIDE, Field, linear_axis, risk_axis
from sfumato.report.pictures import offline

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 560, 380
COLOUR = "#3182bd"
SHAPES = dict(zip(METHODS.values(), ("circle", "triangle-up", "diamond", "square"), strict=True))
"""Methods are told apart by these and by their names, so that colour is not needed."""
SIZE = 130
"""The area of a point."""
LETTERS = 70
"""Of a title's line."""


def compare_chart(compared: Compared) -> alt.LayerChart | alt.FacetChart:
    """Draw the expected share of re-identifications of each method against its information loss.

    Parameters
    ----------
    compared
        What :meth:`Comparison.run` returned; a method that was refused is named under the title.
    """
    import altair as alt

    if not compared.found:
        raise SettingError("no method keeps the promise, so there is nothing to draw")
    points: list[dict[str, Any]] = [
        {"method": name, "loss": found.loss.mean, "risk": found.rate, "k": found.k, "label": f"{name}, k = {found.k:,}"}
        for name, found in compared.found.items()
    ]
    across = linear_axis([point["loss"] for point in points], room=BESIDE)
    upward = risk_axis([point["risk"] for point in points])
    placed = Field(across, upward, WIDTH, HEIGHT, SIZE).labels([(p["loss"], p["risk"], p["label"]) for p in points])
    labels = [{"label": one.text, "loss": one.x, "risk": one.y, "align": one.align} for one in placed]
    x = alt.X(
        "loss:Q",
        title="information loss",
        scale=alt.Scale(**across.scale),
        axis=alt.Axis(format=".3~g", tickCount=6, labelFlush=False),
    )
    y = alt.Y(
        "risk:Q",
        title="expected share of re-identifications",
        scale=alt.Scale(**upward.scale),
        axis=alt.Axis(format=".3~%", **upward.ticks),
    )
    told = [
        alt.Tooltip("method:N"),
        alt.Tooltip("loss:Q", title="information loss", format=".4~g"),
        alt.Tooltip("risk:Q", title="re-identified", format=".3~%"),
        alt.Tooltip("k:Q", format=","),
    ]
    shapes = alt.Shape("method:N", legend=None, scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES.values())))
    marks = (
        alt.Chart(alt.InlineData(values=points))
        .mark_point(filled=True, size=SIZE, color=COLOUR, fillOpacity=0.6, opacity=1, stroke=INK, strokeWidth=1)
        .encode(x=x, y=y, shape=shapes, tooltip=told)
    )
    words = [
        alt.Chart(alt.InlineData(values=[label for label in labels if label["align"] == align]))
        .mark_text(align=align, baseline="middle", fontSize=12, **looks)
        .encode(x=x, y=y, text="label:N")
        for align in ALIGNED
        # a white edge keeps the lines of the grid off the letters
        for looks in ({"color": "white", "stroke": "white", "strokeWidth": 4}, {"color": INK})
    ]
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(*words, marks, width=WIDTH, height=HEIGHT, title=_title(compared))
        .properties(description=_description(points))
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=INK, gridColor="#e5e5e5", labelFontSize=11, titleFontSize=12)
        .configure_title(color=INK, anchor="start", fontSize=14, subtitleFontSize=11, subtitleColor="#555555")
    )
    return offline(chart)


def _title(compared: Compared) -> dict[str, Any]:
    lines = ["The nearer to the lower left corner, the safer and the more exact."]
    if compared.refused:
        lines.append(f"Cannot keep k = {compared.k:,}: {', '.join(compared.refused)}.")
    text = f"Risk and information loss of {', '.join(compared.quasi)}, k = {compared.k:,}"
    return {"text": textwrap.wrap(text, LETTERS), "subtitle": lines}


def _description(points: Sequence[dict[str, Any]]) -> str:
    """Say the picture in words, for those who cannot see it."""
    told = [f"{one['method']}: information loss {one['loss']:.3g}, risk {one['risk']:.3%}" for one in points]
    return f"Expected share of re-identifications against information loss. {'; '.join(told)}."
