"""Charts of attacks: the true signal of a group and what an attack makes of it, place by place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.attacks.disclosure import Disclosure, Verdict
from sfumato.report.estimates import INK

if TYPE_CHECKING:
    import altair as alt

STEP, HEIGHT = 16, 170
TRUE, SEEN = "#bdbdbd", "#d95f0e"


def disclosure_chart(verdicts: Mapping[str, Verdict]) -> alt.VConcatChart:
    """Draw what each attack finds beside the truth.

    Only for the steward: it shows where the group is.

    Parameters
    ----------
    verdicts
        What was attacked, as "before" and "after", with what was found.
    """
    import altair as alt

    # one scale an attack, so that before and after can be compared
    highest: dict[str, float] = {}
    for one in (one for verdict in verdicts.values() for one in verdict.disclosures):
        highest[one.attack] = max(highest.get(one.attack, 0.0), float(one.auxiliary.values.max()))
    charts = [_one(when, one, highest) for when, verdict in verdicts.items() for one in verdict.disclosures]
    chart: alt.VConcatChart = alt.vconcat(*charts).configure_axis(labelColor=INK, titleColor=INK)
    return chart


def _one(when: str, found: Disclosure, highest: Mapping[str, float]) -> alt.LayerChart:
    import altair as alt

    names = [
        label if found.regions is None else f"{found.regions[place]}: {label}"
        for place, label in enumerate(found.labels)
    ]
    rows = [
        {
            "place": names[place],
            "members": float(found.true.values[place]),
            "seen": float(found.auxiliary.values[place]),
            "stands out": place in found.standing_out,
            "found": place in found.found,
        }
        for place in range(len(names))
    ]
    base = alt.Chart(alt.InlineData(values=rows))
    x = alt.X("place:N", sort=sorted(names) if found.regions else names, title=None)
    members = alt.Y("members:Q", title="members (bars)")
    scale = alt.Scale(domain=[0, highest[found.attack] or 1.0])
    seen = alt.Y("seen:Q", title="taken for members (line)", scale=scale)
    bars = base.mark_bar(color=TRUE, stroke=INK, strokeWidth=0.5).encode(x=x, y=members)
    # told by a sign too, so that colour is not needed
    true = base.transform_filter("datum['stands out']").mark_text(text="▼", dy=-8, color=INK, fontSize=10)
    line = base.mark_line(color=SEEN, point=alt.OverlayMarkDef(color=SEEN, size=18)).encode(x=x, y=seen)
    marks = base.transform_filter("datum['found']").mark_point(
        shape="circle", size=110, color=SEEN, strokeWidth=2, filled=False
    )
    title = alt.TitleParams(
        f"{found.attack[:1].upper()}{found.attack[1:]}, {when}",
        subtitle=[
            "▼ the group stands out; ○ the attack finds the place.",
            f"{len(found.disclosed)} of {len(found.standing_out)} places disclosed, "
            f"{len(found.found) - len(found.disclosed)} found falsely.",
        ],
        anchor="start",
        color=INK,
        subtitleColor=INK,
    )
    truth = alt.layer(bars, true.encode(x=x, y=members))
    guess = alt.layer(line, marks.encode(x=x, y=seen))
    both: alt.LayerChart = alt.layer(truth, guess).resolve_scale(y="independent")
    shown: alt.LayerChart = both.properties(width=alt.Step(STEP), height=HEIGHT, title=title)
    return shown
