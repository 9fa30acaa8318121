"""Signals of a group over places: by themselves, or before and after a mask."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.errors import SettingError
from sfumato.groups.signals import Signal
from sfumato.report.estimates import INK
from sfumato.report.page import counted
from sfumato.report.pictures import offline

if TYPE_CHECKING:
    import altair as alt

STEP, HEIGHT = 22, 220
COLOURS = ("#bdbdbd", "#3182bd", "#31a354", "#e6550d")
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
    return offline(chart)


def signal_chart(
    signals: Signal | Mapping[str, Signal], *, alpha: float = 0.01, robust: bool = True
) -> alt.LayerChart | alt.FacetChart:
    """Draw a signal, or several of the same places beside each other, with a mark above what stands out.

    Only for the steward: it shows where the group is.

    Parameters
    ----------
    signals
        The signal, or up to four by name.
    alpha, robust
        As of :func:`~sfumato.groups.outliers.outliers`.
    """
    named = {"": signals} if isinstance(signals, Signal) else dict(signals)
    if not 0 < len(named) <= len(COLOURS):
        raise SettingError(f"one to {len(COLOURS)} signals can be drawn at once (given: {len(named)})")
    first = next(iter(named.values()))
    if any((one.labels, one.kind) != (first.labels, first.kind) for one in named.values()):
        raise SettingError("signals drawn at once must be of one kind and of the same places")
    drawn = {when: (one.as_dict(), one.outliers(alpha=alpha, robust=robust).labels) for when, one in named.items()}
    return offline(_bars(drawn, place="place", value=WHAT[first.kind]))


def _one(number: int, group: Mapping[str, Any]) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    kind = group["mask"].get("signal", "quantity")
    signals = group.get("signal", {"before": group["before"], "after": group["after"]})
    drawn = {when: (signals[when], group["outliers"][when]) for when in ("before", "after")}
    hidden = ", ".join(group["hidden"][:12]) or "no place"
    title = alt.TitleParams(
        f"Group {number}: {WHAT[kind]} by place",
        subtitle=[f"▼ stands out. Hidden: {hidden}.", f"{counted(group['moved'], 'member')} moved."],
        anchor="start",
        color=INK,
        subtitleColor=INK,
    )
    chart = _bars(drawn, place=" and ".join(group["mask"]["group"]["parameter"]), value=WHAT[kind])
    titled: alt.LayerChart | alt.FacetChart = chart.properties(title=title)
    return titled


def _bars(
    drawn: Mapping[str, tuple[Mapping[str, float], Collection[str]]], *, place: str, value: str
) -> alt.LayerChart | alt.FacetChart:
    """Draw signals, each with the places that stand out in it, beside each other."""
    import altair as alt

    rows = [
        {"place": label, "when": when, "value": number, "stands out": label in shown}
        for when, (signal, shown) in drawn.items()
        for label, number in signal.items()
    ]
    names = list(drawn)
    base = alt.Chart(alt.InlineData(values=rows))
    x = alt.X("place:N", sort=list(drawn[names[0]][0]), title=place)
    order = alt.XOffset("when:N", sort=names)
    y = alt.Y("value:Q", title=value)
    colours = alt.Scale(domain=names, range=COLOURS[: len(names)])
    legend = alt.Legend() if len(names) > 1 else None
    colour = alt.Color("when:N", title=None, scale=colours, legend=legend)
    bars = base.mark_bar(stroke=INK, strokeWidth=0.5).encode(x=x, xOffset=order, y=y, color=colour)
    # told by a sign too, so that colour is not needed
    marks = (
        base.transform_filter("datum['stands out']")
        .mark_text(text="▼", dy=-8, color=INK, fontSize=10)
        .encode(x=x, xOffset=order, y=y)
    )
    chart: alt.LayerChart | alt.FacetChart = alt.layer(bars, marks).properties(width=alt.Step(STEP), height=HEIGHT)
    return chart
