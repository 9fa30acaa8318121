"""Risk against detail for each value of k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.report.charts.risk_loss_axes import linear_axis, risk_axis
from sfumato.report.charts.risk_utility_chart import detail_channel
from sfumato.report.charts.style import INK, PALE_BLUE, REPORT_AXIS
from sfumato.views import KAlternative

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 440, 300
SIZE = 80
"""The area of a point."""
LABEL_ROOM = 0.42
"""The share of the axis left free for the label of the last point."""


def alternatives_chart(alternatives: Sequence[KAlternative]) -> alt.LayerChart | alt.FacetChart:
    """Draw risk against detail for each k; the released one is a diamond with a bold label.

    Parameters
    ----------
    alternatives
        Those that make a release.
    """
    import altair as alt

    detail = linear_axis([alternative.detail for alternative in alternatives], room=LABEL_ROOM)
    risk = risk_axis([alternative.rate for alternative in alternatives])
    x = detail_channel(detail)
    y = alt.Y(
        "risk:Q",
        title="average risk of a record",
        scale=alt.Scale(**risk.scale),
        axis=alt.Axis(format=".3~%", **risk.ticks),
    )
    points = [
        {
            "k": alternative.k,
            "label": alternative.name,
            "lost": alternative.detail,
            "risk": alternative.rate,
            "released": alternative.released,
        }
        for alternative in alternatives
    ]
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x, y=y)
    released, not_released = base.transform_filter("datum.released"), base.transform_filter("!datum.released")
    # the line falls, so that labels above and to the right of its points are clear of it
    label: dict[str, Any] = {"align": "left", "baseline": "bottom", "dx": 6, "dy": -3, "fontSize": 12, "color": INK}
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            base.mark_line(color=INK, strokeWidth=1).encode(order="k:Q"),
            not_released.mark_point(size=SIZE, filled=True, color=PALE_BLUE, stroke=INK, opacity=1),
            released.mark_point(shape="diamond", size=2 * SIZE, filled=True, color=INK, opacity=1),
            not_released.mark_text(**label).encode(text="label:N"),
            released.mark_text(**label, fontWeight="bold").encode(text="label:N"),
            width=WIDTH,
            height=HEIGHT,
        )
        .configure_view(stroke=None)
        .configure_axis(**REPORT_AXIS)
    )
    return chart
