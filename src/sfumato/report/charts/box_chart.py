"""The boxes of a release in two attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from sfumato.errors import SettingError, nearest
from sfumato.formatting import counted
from sfumato.release import Release
from sfumato.report.charts.chart_export import offline
from sfumato.report.charts.style import AXIS, BLUE, TITLE
from sfumato.representations import Interval

if TYPE_CHECKING:
    import altair as alt

MAX_BOXES = 3_000
"""The largest number of boxes in the chart."""
WIDTH, HEIGHT = 640, 430
RELEASED_AS_INTERVALS = "numbers and dates among the quasi attributes are released as intervals"
FAINTEST, STRONGEST = 0.03, 0.4
"""The opacity of a box where very many overlap, and where none do."""


def boxes_chart(release: Release, x: str | None = None, y: str | None = None) -> alt.LayerChart | alt.FacetChart:
    """Draw the boxes of a release in two attributes.

    Boxes that differ in other attributes overlap here: the darker, the more of them.

    Parameters
    ----------
    release
        What :meth:`Boxes.protect` or :func:`open_release` returned.
    x, y
        Attributes that are released as intervals of numbers or dates; default: the first two of them.
    """
    import altair as alt

    x, y = _chosen(release, x, y)
    boxes = _boxes(release, x, y)
    drawn = boxes if boxes.height <= MAX_BOXES else boxes.sample(MAX_BOXES, seed=0).sort("x", "y", "x2", "y2")
    opacity = _opacity(drawn)
    channels: dict[str, Any] = {
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
    # a rectangle without width or height would be invisible
    flat = (pl.col("x") == pl.col("x2")) | (pl.col("y") == pl.col("y2"))
    areas, lines = (alt.Chart(alt.InlineData(values=drawn.filter(chosen).to_dicts())) for chosen in (~flat, flat))
    stroke_opacity = min(1.0, 2 * opacity)
    layers = (
        areas.mark_rect(fill=BLUE, fillOpacity=opacity, stroke=BLUE, strokeWidth=0.6, strokeOpacity=stroke_opacity),
        lines.mark_rule(color=BLUE, strokeWidth=2.5, strokeCap="round", opacity=stroke_opacity),
    )
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            *(layer.encode(**channels) for layer in layers),
            width=WIDTH,
            height=HEIGHT,
            title=_title(release, x, y, boxes, drawn),
        )
        .configure_view(stroke=None)
        .configure_axis(**AXIS, labelFontSize=11, titleFontSize=12)
        .configure_title(**TITLE, fontSize=14)
    )
    return offline(chart)


def _chosen(release: Release, x: str | None, y: str | None) -> tuple[str, str]:
    """Return two attributes that can be drawn."""
    entries = release.codebook.attributes
    ordered = dict.fromkeys((*release.promise.quasi, *entries))
    intervals = [name for name in ordered if name in entries and entries[name].form.edge_columns(name)]
    for name in (x, y):
        if name is not None and name not in intervals:
            hint = nearest(name, intervals) if intervals else RELEASED_AS_INTERVALS
            raise SettingError(
                f"{name!r} is not released as intervals, so it has no boxes to draw",
                hint=hint,
                setting="axes",
                column=name,
            )
    rest = iter(name for name in intervals if name not in (x, y))
    first, second = x or next(rest, None), y or next(rest, None)
    if first is None or second is None or first == second:
        raise SettingError(
            f"a chart of boxes needs two attributes that are released as intervals (available: {len(intervals)})",
            hint=RELEASED_AS_INTERVALS,
            setting="axes",
        )
    return first, second


def _boxes(release: Release, x: str, y: str) -> pl.DataFrame:
    """Return the different boxes in two attributes with their numbers of records, without missing values."""
    names = dict(zip(("x", "x2", "y", "y2"), (*Interval().columns(x), *Interval().columns(y)), strict=True))
    table = pl.DataFrame([release.microfile.series(name).alias(end) for end, name in names.items()])
    boxes = table.drop_nulls().group_by(*names).agg(pl.len().alias("records")).sort("x", "y", "x2", "y2")
    if not boxes.height:
        raise SettingError(f"no record has a value of both {x!r} and {y!r}, so no box can be drawn")
    ends = {"across": ("x", "x2"), "upward": ("y", "y2")}
    texts = [pl.format("{} to {}", low, high).alias(name) for name, (low, high) in ends.items()]
    return boxes.with_columns(texts).with_columns(_number(boxes[end]) for end in names)


def _number(series: pl.Series) -> pl.Series:
    """Return numbers; dates and times become milliseconds since 1970, as Vega reads them."""
    if series.dtype.is_temporal():
        return series.cast(pl.Datetime("ms")).to_physical().cast(pl.Float64)
    return series.cast(pl.Float64)


def _channel(release: Release, name: str, channel: Any, field: str) -> Any:
    import altair as alt

    axis = alt.Axis(title=name, labelFlush=False, labelOverlap="greedy")
    if release.microfile.series(Interval().columns(name)[0]).dtype.is_temporal():
        return channel(f"{field}:T", axis=axis, scale=alt.Scale(type="utc"))
    return channel(f"{field}:Q", axis=axis, scale=alt.Scale(zero=False))


def _opacity(drawn: pl.DataFrame) -> float:
    """Return an opacity at which overlapping boxes can still be distinguished."""
    ends = drawn.select(pl.col("x", "y").min(), pl.col("x2", "y2").max()).row(0)
    area = (ends[2] - ends[0]) * (ends[3] - ends[1])
    covered = drawn.select(((pl.col("x2") - pl.col("x")) * (pl.col("y2") - pl.col("y"))).sum()).item()
    layers = covered / area if area > 0 else 1.0
    return float(min(STRONGEST, max(FAINTEST, STRONGEST / max(layers, 1.0) ** 0.9)))


def _title(release: Release, x: str, y: str, boxes: pl.DataFrame, drawn: pl.DataFrame) -> dict[str, Any]:
    n_records = int(boxes["records"].sum())
    n_boxes = counted(boxes.height, "different box", "different boxes")
    text = f"{counted(n_records, 'record')} in {n_boxes} of these two attributes"
    text += f"; a random {drawn.height:,} of the boxes are drawn" if drawn.height < boxes.height else ""
    lacking = release.microfile.records - n_records
    lacks = counted(lacking, "record with a missing value is", "records with missing values are")
    lines = [text, *([f"{lacks} not drawn"] if lacking else [])]
    return {"text": f"{x} and {y}, k = {release.promise.k}", "subtitle": lines}
