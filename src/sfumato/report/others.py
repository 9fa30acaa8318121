"""The private edition: what another k would have cost, with the released one marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from sfumato.report.estimates import INK
from sfumato.report.page import Picture, Section, Table, count, number, odds, share
from sfumato.report.records import RecordPart
from sfumato.report.tradeoff import COLOUR, is_wide

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 440, 300
ROOM = 1.25
"""How far the axis of risks goes beyond the largest."""


class Refused(RecordPart):
    """Why a k cannot be kept."""

    message: str


class Other(RecordPart):
    """What became of one k, as the steward's record tells it."""

    k: int
    released: bool
    refused: Refused | None
    rate: float = 0.0
    highest: float = 0.0
    detail: float = 0.0
    information_loss: float | None = None
    widths: dict[str, float | None] = Field(default_factory=dict)


def others_section(others: Sequence[Other]) -> Section:
    """Show what each k would have cost.

    Parameters
    ----------
    others
        One of them is that of the release.
    """
    kept = [one for one in others if one.refused is None]
    sentences = (
        "The same protection with other k's, measured against the original: further left more is told, further down "
        "records are harder to find. The released one is marked.",
        *(f"k = {count(one.k)} makes no release: {one.refused.message}." for one in others if one.refused is not None),
    )
    picture = Picture(
        others_chart(kept),
        "Average risk of a record against the detail that is gone, for each k",
        "A line of points. "
        + "; ".join(f"k = {one.k:,}: {share(one.detail)} gone, risk {share(one.rate)}" for one in kept),
    )
    return Section("others", "What another k would have cost", sentences, _tables(kept), (picture,))


def _tables(kept: Sequence[Other]) -> tuple[Table, ...]:
    rows = tuple(
        (
            _name(one),
            odds(one.rate),
            odds(one.highest),
            share(one.detail),
            "-" if one.information_loss is None else number(one.information_loss),
        )
        for one in kept
    )
    columns = ("k", "Average risk", "Highest risk", "Detail gone", "Information loss (0 to 1)")
    tables = [Table("Risk and detail by k", columns, rows)]
    if statistics := list(kept[0].widths):
        widths = tuple((name, *(_width(one.widths.get(name)) for one in kept)) for name in statistics)
        heads = ("Statistic", *(_name(one) for one in kept))
        tables.append(Table("Width of the range in which preserved statistics surely lie, by k", heads, widths))
    return tuple(tables)


def _name(one: Other) -> str:
    return f"k = {one.k:,}{' (released)' if one.released else ''}"


def _width(width: float | None) -> str:
    return "not proved" if width is None else number(width)


def others_chart(kept: Sequence[Other]) -> alt.LayerChart | alt.FacetChart:
    """Draw risk against detail for each k, the released one with another sign and in bold.

    Parameters
    ----------
    kept
        Those that can be kept.
    """
    import altair as alt

    rows = [
        {"k": one.k, "name": _name(one), "gone": one.detail, "risk": one.rate, "released": one.released} for one in kept
    ]
    risks, most = np.array([one.rate for one in kept]), max(one.detail for one in kept)
    scale = (
        alt.Scale(type="log", domain=[float(risks.min()) / ROOM, float(risks.max()) * ROOM], nice=False)
        if is_wide(risks)
        else alt.Scale(domain=[0, float(risks.max()) * ROOM], nice=False)
    )
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X(
            "gone:Q",
            title="detail that is gone",
            # room for the last name
            scale=alt.Scale(domain=[0, min(1.4, most * 1.4) or 1.0], nice=False),
            axis=alt.Axis(format="~%", tickCount=5),
        ),
        y=alt.Y("risk:Q", title="average risk of a record", scale=scale, axis=alt.Axis(format="~%", tickCount=5)),
    )
    own, rest = "datum.released", "!datum.released"
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            base.mark_line(color=INK, strokeWidth=1).encode(order="k:Q"),
            base.transform_filter(rest).mark_point(size=80, filled=True, color=COLOUR, stroke=INK, opacity=1),
            base.transform_filter(own).mark_point(shape="diamond", size=220, filled=True, color=INK, opacity=1),
            base.transform_filter(rest)
            .mark_text(dx=10, dy=-8, align="left", color=INK, fontSize=12)
            .encode(text="name:N"),
            base.transform_filter(own)
            .mark_text(dx=12, dy=-8, align="left", color=INK, fontSize=13, fontWeight="bold")
            .encode(text="name:N"),
            width=WIDTH,
            height=HEIGHT,
        )
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=INK, gridColor="#e5e5e5", labelFontSize=13, titleFontSize=13)
    )
    return chart
