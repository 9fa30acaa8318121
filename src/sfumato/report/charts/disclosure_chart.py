"""What attacks find of a group, place by place, beside the truth. For the steward alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sfumato.attacks import Verdict
from sfumato.formatting import capitalised, counted
from sfumato.report.charts.chart_export import offline
from sfumato.report.charts.style import GREY, INK, ORANGE, place_axis
from sfumato.views import GroupAttack

if TYPE_CHECKING:
    import altair as alt

STEP, HEIGHT = 16, 170
NARROWEST = 320
"""The width of a chart of a few places, so that the words above it fit."""
DRAWN = 26
"""The largest number of places in the chart of a report."""


def disclosure_chart(verdicts: Mapping[str, Verdict]) -> alt.VConcatChart:
    """Draw what each attack finds, beside the truth.

    Only for the steward: it shows where the group is.

    Parameters
    ----------
    verdicts
        What was attacked, such as "before" and "after", each with the verdict.
    """
    attacks = [
        (when, GroupAttack.model_validate(disclosure.summary()))
        for when, verdict in verdicts.items()
        for disclosure in verdict.disclosures
    ]
    return offline(attacks_chart(attacks))


def attacks_chart(attacks: Sequence[tuple[str, GroupAttack]]) -> alt.VConcatChart:
    """Draw attacks below each other, each with a word for what was attacked."""
    import altair as alt

    # one scale per attack, so that before and after can be compared
    highest: dict[str, float] = {}
    for _, attack in attacks:
        highest[attack.attack] = max([highest.get(attack.attack, 0.0), *(place.auxiliary for place in attack.signals)])
    charts = [_panel(when, attack, highest[attack.attack]) for when, attack in attacks]
    chart: alt.VConcatChart = alt.vconcat(*charts).configure_axis(labelColor=INK, titleColor=INK)
    return chart


def _panel(when: str, attack: GroupAttack, highest: float) -> alt.LayerChart:
    import altair as alt

    rows = [
        {
            "place": place.name,
            "members": place.true,
            "estimate": place.auxiliary,
            "outlier": place.place in attack.stands_out,
            "found": place.place in (*attack.disclosed, *attack.false_alarms),
        }
        for place in attack.signals
    ]
    names = [place.name for place in attack.signals]
    regions = any(place.region is not None for place in attack.signals)
    base = alt.Chart(alt.InlineData(values=rows))
    x = alt.X("place:N", sort=sorted(names) if regions else names, title=None, axis=alt.Axis(**place_axis(names)))
    members = alt.Y("members:Q", title="members (bars)")
    scale = alt.Scale(domain=[0, highest or 1.0])
    estimate = alt.Y("estimate:Q", title="estimated members (line)", scale=scale)
    bars = base.mark_bar(color=GREY, stroke=INK, strokeWidth=0.5).encode(x=x, y=members)
    # marked by a symbol too, so that colour is not needed
    outliers = base.transform_filter("datum.outlier").mark_text(text="▼", dy=-8, color=INK, fontSize=10)
    line = base.mark_line(color=ORANGE, point=alt.OverlayMarkDef(color=ORANGE, size=18)).encode(x=x, y=estimate)
    marks = base.transform_filter("datum.found").mark_point(
        shape="circle", size=110, color=ORANGE, strokeWidth=2, filled=False
    )
    title = alt.TitleParams(
        f"{capitalised(attack.attack)}, {when}",
        subtitle=[
            "▼ the group is an outlier; ○ the attack finds the place.",
            f"{len(attack.disclosed)} of {counted(len(attack.stands_out), 'place')} disclosed, "
            f"{len(attack.false_alarms)} found falsely.",
        ],
        anchor="start",
        color=INK,
        subtitleColor=INK,
    )
    width = alt.Step(STEP) if STEP * len(rows) > NARROWEST else NARROWEST
    truth = alt.layer(bars, outliers.encode(x=x, y=members))
    guess = alt.layer(line, marks.encode(x=x, y=estimate))
    both: alt.LayerChart = alt.layer(truth, guess).resolve_scale(y="independent")
    panel: alt.LayerChart = both.properties(width=width, height=HEIGHT, title=title)
    return panel


def relevant_extract(
    attacks: Sequence[tuple[str, GroupAttack]], *, at_most: int = DRAWN
) -> list[tuple[str, GroupAttack]]:
    """Return attacks with only the places that matter: outliers and found places, then those with most members."""
    special = {place for _, attack in attacks for place in (*attack.stands_out, *attack.found)}
    order = sorted(attacks[0][1].signals, key=lambda place: (place.place not in special, -place.true))
    chosen = {place.name for place in order[:at_most]}
    return [
        (
            when,
            attack.model_copy(update={"signals": tuple(place for place in attack.signals if place.name in chosen)}),
        )
        for when, attack in attacks
    ]
