"""Risk against utility: circles of records by the detail that is lost and their risk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.report.charts.risk_loss_axes import ChartAxis, risk_axis
from sfumato.report.charts.style import INK, PALE_BLUE, REPORT_AXIS
from sfumato.views import Circle

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 440, 300
ROOM = 1.1
SMALLEST, LARGEST = 12, 900
"""The areas of circles."""


def risk_utility_chart(circles: tuple[Circle, ...], average: Circle) -> alt.LayerChart | alt.FacetChart:
    """Draw records by detail and risk, with their average.

    Parameters
    ----------
    circles
        All records.
    average
        The mean of all records.
    """
    import altair as alt

    largest = max(circle.records for circle in circles)
    detail = ChartAxis(0.0, min(1.0, ROOM * max(circle.lost for circle in circles)) or 1.0)
    risk = risk_axis([circle.risk for circle in circles])
    x = detail_channel(detail)
    y = alt.Y(
        "risk:Q", title="risk of a record", scale=alt.Scale(**risk.scale), axis=alt.Axis(format="~%", **risk.ticks)
    )
    size = alt.Size(
        "records:Q",
        title="records",
        scale=alt.Scale(domain=[0, largest], range=[SMALLEST, LARGEST]),
        legend=alt.Legend(
            format=",d", values=_legend(largest), symbolFillColor=PALE_BLUE, symbolStrokeColor=INK, orient="bottom"
        ),
    )
    rows = [vars(circle) for circle in circles]
    has_room = average.lost < 0.75 * detail.high
    label: dict[str, Any] = {"text": "average", "dx": 12 if has_room else -12, "align": "left" if has_room else "right"}
    label |= {"color": INK, "fontSize": 13, "fontWeight": "bold"}
    mean = alt.Chart(alt.InlineData(values=[vars(average)])).encode(x=x, y=y)
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            alt.Chart(alt.InlineData(values=rows))
            .mark_circle(fill=PALE_BLUE, fillOpacity=0.55, stroke=INK, strokeWidth=0.8, opacity=1, clip=False)
            .encode(x=x, y=y, size=size),
            # marked by a symbol and a word, so that colour is not needed
            mean.mark_point(shape="cross", size=170, filled=True, color=INK, stroke="white", strokeWidth=1, opacity=1),
            # a white outline keeps the word legible over circles
            mean.mark_text(**label, stroke="white", strokeWidth=4),
            mean.mark_text(**label),
            width=WIDTH,
            height=HEIGHT,
        )
        .configure_view(stroke=None)
        .configure_axis(**REPORT_AXIS)
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12)
    )
    return chart


def _legend(largest: int) -> list[int]:
    """Return round numbers of records whose circles explain the others.

    >>> _legend(7381), _legend(1)
    ([500, 5000], [1])
    """
    power = 10 ** int(np.log10(largest))
    high = max(digit * power for digit in (1, 2, 5) if digit * power <= largest)
    return sorted({max(high // 10, 1), high})


def detail_channel(axis: ChartAxis) -> alt.X:
    """Return the horizontal axis of lost detail."""
    import altair as alt

    return alt.X(
        "lost:Q",
        title="detail lost",
        scale=alt.Scale(**axis.scale),
        axis=alt.Axis(format="~%", tickCount=5, labelFlush=False),
    )
