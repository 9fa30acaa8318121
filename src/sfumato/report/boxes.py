"""The picture of boxes: where two attributes of a release are blurred, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from sfumato.errors import SettingError, nearest
from sfumato.microfile.forms import Interval
from sfumato.release.release import Release
from sfumato.report.estimates import INK
from sfumato.report.page import counted
from sfumato.report.pictures import offline

if TYPE_CHECKING:
    import altair as alt

MOST = 3_000
"""So many boxes are drawn at most."""
WIDTH, HEIGHT = 640, 430
COLOUR = "#3182bd"
FAINTEST, STRONGEST = 0.03, 0.4
"""How opaque a box is, where very many lie upon each other and where they lie side by side."""


def boxes_chart(release: Release, x: str | None = None, y: str | None = None) -> alt.LayerChart | alt.FacetChart:
    """Draw the boxes of a release in two attributes.

    Boxes that differ in further attributes lie upon each other here: the darker, the more of them.

    Parameters
    ----------
    release
        What :meth:`Boxes.protect` or :func:`open_release` returned.
    x, y
        Attributes that are released as intervals of numbers or dates; default: the first two of them.
    """
    import altair as alt

    x, y = _chosen(release, x, y)
    found = _boxes(release, x, y)
    drawn = found if found.height <= MOST else found.sample(MOST, seed=0).sort("x", "y", "x2", "y2")
    opacity = _opacity(drawn)
    places: dict[str, Any] = {
        "x": _channel(release, x, alt.X, "x"),
        "x2": alt.X2("x2"),
        "y": _channel(release, y, alt.Y, "y"),
        "y2": alt.Y2("y2"),
        "tooltip": [
            alt.Tooltip("across:N", title=x),
            alt.Tooltip("upward:N", title=y),
            alt.Tooltip("records:Q", format=","),
        ],
    }
    # a rectangle without width or height would not be seen
    flat = (pl.col("x") == pl.col("x2")) | (pl.col("y") == pl.col("y2"))
    areas, lines = (alt.Chart(alt.InlineData(values=drawn.filter(part).to_dicts())) for part in (~flat, flat))
    seen = min(1.0, 2 * opacity)
    layers = (
        areas.mark_rect(fill=COLOUR, fillOpacity=opacity, stroke=COLOUR, strokeWidth=0.6, strokeOpacity=seen),
        lines.mark_rule(color=COLOUR, strokeWidth=2.5, strokeCap="round", opacity=seen),
    )
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            *(layer.encode(**places) for layer in layers),
            width=WIDTH,
            height=HEIGHT,
            title=_title(release, x, y, found, drawn),
        )
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=INK, gridColor="#e5e5e5", labelFontSize=11, titleFontSize=12)
        .configure_title(color=INK, anchor="start", fontSize=14, subtitleFontSize=11, subtitleColor="#555555")
    )
    return offline(chart)


def _chosen(release: Release, x: str | None, y: str | None) -> tuple[str, str]:
    """Return two attributes that can be drawn."""
    entries = release.codebook.attributes
    ordered = dict.fromkeys((*release.promise.quasi, *entries))
    known = [name for name in ordered if name in entries and isinstance(entries[name].form, Interval)]
    for name in (x, y):
        if name is not None and name not in known:
            hint = nearest(name, known) if known else "numbers and dates among the quasi attributes are"
            raise SettingError(f"{name!r} is not released as intervals, so it has no boxes to draw", hint=hint)
    rest = iter(name for name in known if name not in (x, y))
    first, second = x or next(rest, None), y or next(rest, None)
    if first is None or second is None or first == second:
        raise SettingError(
            f"a picture of boxes needs two attributes that are released as intervals (there are: {len(known)})",
            hint="numbers and dates among the quasi attributes are",
        )
    return first, second


def _boxes(release: Release, x: str, y: str) -> pl.DataFrame:
    """Return the different boxes in two attributes with their numbers of records, where no value is missing."""
    places = {"x": x, "x2": x, "y": y, "y2": y}
    names = dict(zip(places, (*Interval().columns(x), *Interval().columns(y)), strict=True))
    table = pl.DataFrame([release.microfile.series(name).alias(place) for place, name in names.items()])
    found = table.drop_nulls().group_by(*names).agg(pl.len().alias("records")).sort("x", "y", "x2", "y2")
    if not found.height:
        raise SettingError(f"no record has a value of both {x!r} and {y!r}, so there is no box to draw")
    ends = {"across": ("x", "x2"), "upward": ("y", "y2")}
    texts = [pl.format("{} to {}", low, high).alias(name) for name, (low, high) in ends.items()]
    return found.with_columns(texts).with_columns(_number(found[place]) for place in names)


def _number(series: pl.Series) -> pl.Series:
    """Return numbers; of dates and times milliseconds since 1970, which Vega reads."""
    if series.dtype.is_temporal():
        return series.cast(pl.Datetime("ms")).to_physical().cast(pl.Float64)
    return series.cast(pl.Float64)


def _channel(release: Release, name: str, channel: Any, place: str) -> Any:
    import altair as alt

    axis = alt.Axis(title=name, labelFlush=False, labelOverlap="greedy")
    if release.microfile.series(Interval().columns(name)[0]).dtype.is_temporal():
        return channel(f"{place}:T", axis=axis, scale=alt.Scale(type="utc"))
    return channel(f"{place}:Q", axis=axis, scale=alt.Scale(zero=False))


def _opacity(drawn: pl.DataFrame) -> float:
    """Return how opaque boxes may be, so that those upon each other can still be told apart."""
    ends = drawn.select(pl.col("x", "y").min(), pl.col("x2", "y2").max()).row(0)
    area = (ends[2] - ends[0]) * (ends[3] - ends[1])
    covered = drawn.select(((pl.col("x2") - pl.col("x")) * (pl.col("y2") - pl.col("y"))).sum()).item()
    layers = covered / area if area > 0 else 1.0
    return float(min(STRONGEST, max(FAINTEST, STRONGEST / max(layers, 1.0) ** 0.9)))


def _title(release: Release, x: str, y: str, found: pl.DataFrame, drawn: pl.DataFrame) -> dict[str, Any]:
    records = int(found["records"].sum())
    boxes = counted(found.height, "different box", "different boxes")
    told = f"{counted(records, 'record')} in {boxes} of these two attributes"
    told += f"; {drawn.height:,} of the boxes are drawn, taken at random" if drawn.height < found.height else ""
    lacking = release.microfile.records - records
    lines = [told, *([f"{counted(lacking, 'record lacks', 'records lack')} a value"] if lacking else [])]
    return {"text": f"{x} and {y}, k = {release.promise.k}", "subtitle": lines}
