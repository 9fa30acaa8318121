"""The private edition: what another k would have cost, with the released one marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pydantic

from sfumato.report.estimates import INK
from sfumato.report.labels import BESIDE, Field, linear_axis, risk_axis
from sfumato.report.page import Picture, Section, Table, count, number, share
from sfumato.report.records import RecordPart
from sfumato.report.tradeoff import COLOUR, detail_along

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 440, 300
SIZE = 80
"""The area of a point."""


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
    widths: dict[str, float | None] = pydantic.Field(default_factory=dict)


def others_section(others: Sequence[Other]) -> Section:
    """Show what each k would have cost.

    Parameters
    ----------
    others
        One of them is that of the release.
    """
    kept = [one for one in others if one.refused is None]
    sentences = (
        "The same protection with other k's: further left more is told, further down records are harder to find. The "
        "released one is marked. Information loss is measured against the file before this protection, in which groups "
        "are masked already if there are masks.",
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
            share(one.rate),
            share(one.highest),
            share(one.detail),
            "-" if one.information_loss is None else number(one.information_loss),
        )
        for one in kept
    )
    columns = ("k", "Average risk", "Highest risk", "Detail gone", "Information loss")
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


def _ink(*, bold: bool) -> dict[str, Any]:
    return {"color": INK, "fontWeight": "bold" if bold else "normal"}


def others_chart(kept: Sequence[Other]) -> alt.LayerChart | alt.FacetChart:
    """Draw risk against detail for each k, the released one with another sign and in bold.

    Parameters
    ----------
    kept
        Those that can be kept.
    """
    import altair as alt

    across, upward = linear_axis([one.detail for one in kept], room=BESIDE), risk_axis([one.rate for one in kept])
    labels = Field(across, upward, WIDTH, HEIGHT, SIZE).labels([(one.detail, one.rate, _name(one)) for one in kept])
    x = detail_along(across)
    y = alt.Y(
        "risk:Q",
        title="average risk of a record",
        scale=alt.Scale(**upward.scale),
        axis=alt.Axis(format=".3~%", **upward.ticks),
    )
    points = [{"k": one.k, "gone": one.detail, "risk": one.rate, "released": one.released} for one in kept]
    base = alt.Chart(alt.InlineData(values=points)).encode(x=x, y=y)
    words = [
        alt.Chart(alt.InlineData(values=[{"gone": label.x, "risk": label.y}]))
        .mark_text(text=label.text, align=label.align, baseline="middle", fontSize=12, **looks)
        .encode(x=x, y=y)
        for label, one in zip(labels, kept, strict=True)
        # a white edge keeps the line off the letters
        for looks in ({"color": "white", "stroke": "white", "strokeWidth": 4}, _ink(bold=one.released))
    ]
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            base.mark_line(color=INK, strokeWidth=1).encode(order="k:Q"),
            base.transform_filter("!datum.released").mark_point(
                size=SIZE, filled=True, color=COLOUR, stroke=INK, opacity=1
            ),
            base.transform_filter("datum.released").mark_point(
                shape="diamond", size=2 * SIZE, filled=True, color=INK, opacity=1
            ),
            *words,
            width=WIDTH,
            height=HEIGHT,
        )
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=INK, gridColor="#e5e5e5", labelFontSize=13, titleFontSize=13)
    )
    return chart
