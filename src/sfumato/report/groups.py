"""Goal charts: the signal of a group over places, before and after a mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.errors import SettingError
from sfumato.report.estimates import INK

if TYPE_CHECKING:
    import altair as alt

STEP, HEIGHT = 22, 220
COLOURS = {"before": "#bdbdbd", "after": "#3182bd"}
WHAT = {"quantity": "members", "concentration": "share of members", "difference": "difference of shares"}


def goal_chart(groups: Sequence[Mapping[str, Any]]) -> alt.VConcatChart:
    """Draw the signal of each group before and after its mask.

    Only for the steward: it shows where the group is.

    Parameters
    ----------
    groups
        The ``groups`` of a steward's record.
    """
    import altair as alt

    if not groups:
        raise SettingError("there is no group to draw")
    charts = [_one(number, group) for number, group in enumerate(groups, start=1)]
    chart: alt.VConcatChart = alt.vconcat(*charts).configure_axis(labelColor=INK, titleColor=INK)
    return chart


def _one(number: int, group: Mapping[str, Any]) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    kind = group["mask"].get("signal", "quantity")
    signals = group.get("signal", {"before": group["before"], "after": group["after"]})
    labels = list(signals["before"])
    shown = {when: set(group["outliers"][when]) for when in ("before", "after")}
    rows = [
        {"place": label, "when": when, "value": value, "stands out": label in shown[when]}
        for when in ("before", "after")
        for label, value in signals[when].items()
    ]
    base = alt.Chart(alt.InlineData(values=rows))
    x = alt.X("place:N", sort=labels, title=" and ".join(group["mask"]["group"]["parameter"]))
    order = alt.XOffset("when:N", sort=["before", "after"])
    y = alt.Y("value:Q", title=WHAT[kind])
    colour = alt.Color("when:N", title=None, scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())))
    bars = base.mark_bar(stroke=INK, strokeWidth=0.5).encode(x=x, xOffset=order, y=y, color=colour)
    # told by a sign too, so that colour is not needed
    marks = (
        base.transform_filter("datum['stands out']")
        .mark_text(text="▼", dy=-8, color=INK, fontSize=10)
        .encode(x=x, xOffset=order, y=y)
    )
    hidden = ", ".join(group["hidden"][:12]) or "no place"
    title = alt.TitleParams(
        f"Group {number}: {WHAT[kind]} by place",
        subtitle=[f"▼ stands out. Hidden: {hidden}.", f"{group['moved']:,} members moved."],
        anchor="start",
        color=INK,
        subtitleColor=INK,
    )
    return alt.layer(bars, marks).properties(width=alt.Step(STEP), height=HEIGHT, title=title)
