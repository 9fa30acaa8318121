"""Bars with their numbers: how records are distributed over block sizes or risks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sfumato.report.charts.style import INK, PALE_BLUE, REPORT_AXIS, label_room
from sfumato.views import Bar

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 430, 190
ROOM = 1.1
"""The axis reaches this many times as high as the highest bar, so that its number fits."""


def bars_chart(bars: Sequence[Bar], *, title: str) -> alt.LayerChart | alt.FacetChart:
    """Draw the number of records of each bar.

    Parameters
    ----------
    bars
        In the order of the axis.
    title
        The title of the axis.
    """
    import altair as alt

    angle, highest, size = 40 if len(bars) > 3 else 0, max(bar.records for bar in bars), REPORT_AXIS["labelFontSize"]
    below = label_room([bar.label for bar in bars], font_size=size, angle=angle)
    data = alt.InlineData(values=[{"label": bar.label, "records": bar.records} for bar in bars])
    x = alt.X(
        "label:N",
        sort=[bar.label for bar in bars],
        title=title,
        axis=alt.Axis(labelAngle=-angle, labelLimit=200, minExtent=below),
    )
    y = alt.Y(
        "records:Q",
        title="records",
        scale=alt.Scale(domain=[0, ROOM * highest], nice=False),
        axis=alt.Axis(format=",d", tickCount=5, minExtent=label_room([f"{highest:,}"], font_size=size)),
    )
    base = alt.Chart(data).encode(x=x, y=y)
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            base.mark_bar(color=PALE_BLUE, stroke=INK, strokeWidth=1),
            base.mark_text(dy=-7, color=INK, fontSize=12).encode(text=alt.Text("records:Q", format=",d")),
            width=WIDTH,
            height=HEIGHT,
        )
        .configure_view(stroke=None)
        .configure_axis(**REPORT_AXIS)
    )
    return chart
