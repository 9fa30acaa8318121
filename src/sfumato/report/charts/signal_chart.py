"""Signals of a group by place: several side by side, or before and after a mask."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.errors import SettingError
from sfumato.formatting import counted
from sfumato.groups import Signal
from sfumato.report.charts.chart_export import offline
from sfumato.report.charts.style import BLUE, GREY, INK, place_axis

if TYPE_CHECKING:
    import altair as alt

STEP, HEIGHT = 22, 220
COLOURS = (GREY, BLUE, "#31a354", "#e6550d")
VALUES = {"quantity": "members", "concentration": "share of members", "difference": "difference of shares"}


def goal_chart(groups: Sequence[Mapping[str, Any]]) -> alt.VConcatChart:
    """Draw the signal of each group before and after its mask.

    Confidential: it shows where the group is.

    Parameters
    ----------
    groups
        The ``groups`` of a confidential record.
    """
    import altair as alt

    if not groups:
        raise SettingError("no group to draw")
    charts = [_panel(ordinal, group) for ordinal, group in enumerate(groups, start=1)]
    chart: alt.VConcatChart = alt.vconcat(*charts).configure_axis(labelColor=INK, titleColor=INK)
    return offline(chart)


def signal_chart(
    signals: Signal | Mapping[str, Signal], *, alpha: float = 0.01, robust: bool = True
) -> alt.LayerChart | alt.FacetChart:
    """Draw a signal, or several signals of the same places side by side, with a mark above outliers.

    Confidential: it shows where the group is.

    Parameters
    ----------
    signals
        The signal, or up to four signals by name.
    alpha, robust
        As for :func:`~sfumato.outliers`.
    """
    named = {"": signals} if isinstance(signals, Signal) else dict(signals)
    if not 0 < len(named) <= len(COLOURS):
        raise SettingError(f"a chart shows 1 to {len(COLOURS)} signals (given: {len(named)})")
    first = next(iter(named.values()))
    if any((signal.labels, signal.kind) != (first.labels, first.kind) for signal in named.values()):
        raise SettingError("signals in one chart must have the same kind and the same places")
    drawn = {
        name: (signal.as_dict(), signal.outliers(alpha=alpha, robust=robust).labels) for name, signal in named.items()
    }
    return offline(_bars(drawn, parameter="place", value=VALUES[first.kind]))


def _panel(ordinal: int, group: Mapping[str, Any]) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    kind = group["mask"].get("signal", "quantity")
    signals = group.get("signal", {"before": group["before"], "after": group["after"]})
    drawn = {when: (signals[when], group["outliers"][when]) for when in ("before", "after")}
    hidden = ", ".join(group["hidden"][:12]) or "none"
    title = alt.TitleParams(
        f"Group {ordinal}: {VALUES[kind]} by place",
        subtitle=[f"▼ marks outliers. Hidden places: {hidden}.", f"{counted(group['moved'], 'member')} moved."],
        anchor="start",
        color=INK,
        subtitleColor=INK,
    )
    chart = _bars(drawn, parameter=" and ".join(group["mask"]["group"]["parameter"]), value=VALUES[kind])
    titled: alt.LayerChart | alt.FacetChart = chart.properties(title=title)
    return titled


def _bars(
    drawn: Mapping[str, tuple[Mapping[str, float], Collection[str]]], *, parameter: str, value: str
) -> alt.LayerChart | alt.FacetChart:
    """Draw signals side by side, each with its outliers."""
    import altair as alt

    rows = [
        {"place": label, "when": when, "value": height, "outlier": label in outliers}
        for when, (signal, outliers) in drawn.items()
        for label, height in signal.items()
    ]
    names = list(drawn)
    base = alt.Chart(alt.InlineData(values=rows))
    places = list(drawn[names[0]][0])
    x = alt.X("place:N", sort=places, title=parameter, axis=alt.Axis(**place_axis(places)))
    order = alt.XOffset("when:N", sort=names)
    y = alt.Y("value:Q", title=value)
    colours = alt.Scale(domain=names, range=COLOURS[: len(names)])
    legend = alt.Legend() if len(names) > 1 else None
    colour = alt.Color("when:N", title=None, scale=colours, legend=legend)
    bars = base.mark_bar(stroke=INK, strokeWidth=0.5).encode(x=x, xOffset=order, y=y, color=colour)
    # marked by a symbol too, so that colour is not needed
    marks = (
        base.transform_filter("datum.outlier")
        .mark_text(text="▼", dy=-8, color=INK, fontSize=10)
        .encode(x=x, xOffset=order, y=y)
    )
    chart: alt.LayerChart | alt.FacetChart = alt.layer(bars, marks).properties(width=alt.Step(STEP), height=HEIGHT)
    return chart
