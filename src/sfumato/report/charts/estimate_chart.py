"""Estimates: value, guaranteed and attained range, linear range and sampling error."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from sfumato.errors import SettingError
from sfumato.formatting import guaranteed_range
from sfumato.report.charts.chart_export import offline
from sfumato.report.charts.style import AXIS, INK, TITLE, label_room
from sfumato.statistics import Estimate, Regression
from sfumato.views import records_of

if TYPE_CHECKING:
    import altair as alt

LANES = {
    "guaranteed": "#9ecae1",
    "attained": "#3182bd",
    "linear (approximate)": "#bdbdbd",
    "± 2 sampling errors": "#e6842a",
}
WIDTH, HEIGHT = 330, 92
LABEL_SIZE = 11
LINE_LENGTH = 60
"""The length of a line in a title, in characters."""
FAR = 4.0
"""If no range is guaranteed, the attained one is drawn at most this many times as far as the linear one."""
MARGIN = 0.06
"""The share of the range left free on both sides."""


def estimates_chart(estimates: Iterable[Estimate | Regression] | Estimate | Regression) -> alt.ConcatChart:
    """Draw several estimates side by side, each on its own axis.

    Parameters
    ----------
    estimates
        The result of :meth:`Release.estimate` or :func:`range_of`; every coefficient of a regression is drawn.
    """
    import altair as alt

    if isinstance(estimates, Estimate | Regression):
        estimates = [estimates]
    drawn = [
        result
        for estimate in estimates
        for result in (estimate.values() if isinstance(estimate, Regression) else (estimate,))
    ]
    if not drawn:
        raise SettingError("no estimate to draw")
    panels = [_panel(estimate) for estimate in drawn]
    chart: alt.ConcatChart = (
        alt.concat(*panels, columns=min(2, len(panels)), spacing=28)
        .configure_view(stroke=None)
        .configure_axis(**AXIS, labelFontSize=LABEL_SIZE)
        .configure_title(**TITLE, fontSize=13)
    )
    return offline(chart)


def _panel(estimate: Estimate) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    spans = _spans(estimate)
    ends = [end for span in spans for end in (span["from"], span["to"])] + [estimate.value]
    room = MARGIN * (max(ends) - min(ends)) or MARGIN * abs(estimate.value) or 1.0
    x = alt.X(
        "from:Q",
        title=None,
        scale=alt.Scale(domain=[min(ends) - room, max(ends) + room], nice=False, zero=False),
        axis=alt.Axis(tickCount=5, labelOverlap="greedy", labelSeparation=8),
    )
    y = alt.Y(
        "lane:N",
        title=None,
        sort=list(LANES),
        scale=alt.Scale(domain=list(LANES)),
        axis=alt.Axis(ticks=False, domain=False, minExtent=label_room(LANES, font_size=LABEL_SIZE)),
    )
    colour = alt.Color("lane:N", legend=None, scale=alt.Scale(domain=list(LANES), range=list(LANES.values())))
    tooltip = [
        alt.Tooltip("lane:N", title="range"),
        alt.Tooltip("from:Q", format=".6g"),
        alt.Tooltip("to:Q", format=".6g"),
    ]
    bars = (
        alt.Chart(alt.InlineData(values=spans))
        .mark_bar(height=12, stroke=INK, strokeWidth=0.4, clip=True)
        .encode(x=x, x2="to:Q", y=y, color=colour, tooltip=tooltip)
    )
    # a bar without width would be invisible
    points = [span for span in spans if span["from"] == span["to"]]
    marks = alt.Chart(alt.InlineData(values=points)).mark_point(shape="diamond", size=70, filled=True, color=INK)
    unguaranteed = [{"lane": "guaranteed", "from": estimate.value}] * (not estimate.guaranteed)
    words = alt.Chart(alt.InlineData(values=unguaranteed)).mark_text(
        text="not guaranteed", dx=8, align="left", color=INK
    )
    value = alt.Chart(alt.InlineData(values=[{"from": estimate.value}])).mark_rule(color=INK, strokeWidth=1.5)
    layers = (bars, value.encode(x=x), marks.encode(x=x, y=y), words.encode(x=x, y=y))
    return alt.layer(*layers, width=WIDTH, height=HEIGHT, title=_title(estimate))


def _spans(estimate: Estimate) -> list[dict[str, Any]]:
    error = 2 * estimate.sampling_error
    low, high = estimate.attained
    if not estimate.guaranteed:
        # a far end would leave no room for the rest
        reach = FAR * max(estimate.linear[1] - estimate.value, error)
        low, high = max(low, estimate.value - reach), min(high, estimate.value + reach)
    ranges = (
        (estimate.lower, estimate.upper),
        (low, high),
        estimate.linear,
        (estimate.value - error, estimate.value + error),
    )
    return [
        {"lane": lane, "from": start, "to": end}
        for lane, (start, end) in zip(LANES, ranges, strict=True)
        if math.isfinite(start) and math.isfinite(end)
    ]


def _title(estimate: Estimate) -> dict[str, Any]:
    value, span = estimate.formatted
    formula, _, coefficient = estimate.statistic.rpartition(": ")
    lines = [f"{value}, {guaranteed_range(span)}", records_of(estimate)]
    lines = [*textwrap.wrap(formula, LINE_LENGTH), *lines] if formula else lines
    lines += textwrap.wrap(str(estimate.weighted), LINE_LENGTH) if estimate.weighted else []
    return {"text": textwrap.wrap(coefficient, LINE_LENGTH), "subtitle": lines}
