"""Risk against utility: how easily records are found, beside how much of their detail is gone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.release.preserved import Part
from sfumato.report.estimates import INK
from sfumato.report.evidence import Evidence
from sfumato.report.labels import Axis, risk_axis
from sfumato.report.page import Picture, Section, Table, counted, number, share

if TYPE_CHECKING:
    import altair as alt

COLUMNS, ROWS = 20, 14
"""Into how many parts detail and risk are divided; records in the same part are one circle."""
CLOSE = 1e-9
"""What differs by less than this share is one."""
WIDTH, HEIGHT = 440, 300
ROOM = 1.1
COLOUR = "#9ecae1"
SMALLEST, LARGEST = 12, 900
"""The areas of circles."""


@dataclass(frozen=True)
class Circle:
    """Records that are about alike in risk and in detail."""

    gone: float
    """The mean share of their detail that is gone."""
    risk: float
    """Their mean risk."""
    records: int


def circles_of(gone: Reals, risks: Reals, sizes: Reals) -> tuple[Circle, ...]:
    """Put blocks together that are about alike, so that a million can be drawn.

    Parameters
    ----------
    gone, risks, sizes
        Of each block: the share of detail that is gone, the risk of its records, and how many they are.

    Examples
    --------
    >>> circles_of(np.array([0.1, 0.11, 0.9]), np.array([0.5, 0.5, 0.1]), np.array([2, 2, 10]))
    (Circle(gone=0.105, risk=0.5, records=4), Circle(gone=0.9, risk=0.1, records=10))
    """
    across = _parts(gone, COLUMNS)
    wide = risk_axis([float(risks.min()), float(risks.max())]).logarithmic
    upward = _parts(np.log(risks) if wide else risks, ROWS)
    _, places = np.unique(across * ROWS + upward, return_inverse=True)
    records = np.bincount(places, weights=sizes)
    means = [np.bincount(places, weights=its * sizes) / records for its in (gone, risks)]
    return tuple(Circle(float(f"{g:.6g}"), float(f"{r:.6g}"), int(n)) for g, r, n in zip(*means, records, strict=True))


def _parts(numbers: Reals, parts: int) -> Counts:
    """Divide the range of some numbers into equal parts; return the part of each."""
    low, high = float(numbers.min()), float(numbers.max())
    if high - low <= CLOSE * max(abs(high), abs(low)):
        return np.zeros(numbers.size, dtype=np.int64)
    return np.minimum(((numbers - low) * (parts / (high - low))).astype(np.int64), parts - 1)


def tradeoff_chart(circles: tuple[Circle, ...], average: Circle) -> alt.LayerChart | alt.FacetChart:
    """Draw records by detail and risk, and where they lie on average.

    Parameters
    ----------
    circles
        All records.
    average
        The mean of all.
    """
    import altair as alt

    most = max(one.records for one in circles)
    across = Axis(0.0, min(1.0, ROOM * max(one.gone for one in circles)) or 1.0)
    upward = risk_axis([one.risk for one in circles])
    x = detail_along(across)
    y = alt.Y(
        "risk:Q", title="risk of a record", scale=alt.Scale(**upward.scale), axis=alt.Axis(format="~%", **upward.ticks)
    )
    size = alt.Size(
        "records:Q",
        title="records",
        scale=alt.Scale(domain=[0, most], range=[SMALLEST, LARGEST]),
        legend=alt.Legend(
            format=",d", values=_shown(most), symbolFillColor=COLOUR, symbolStrokeColor=INK, orient="bottom"
        ),
    )
    rows = [vars(one) for one in circles]
    left = across.share(average.gone) < 0.75
    word: dict[str, Any] = {"text": "average", "dx": 12 if left else -12, "align": "left" if left else "right"}
    word |= {"color": INK, "fontSize": 13, "fontWeight": "bold"}
    mean = alt.Chart(alt.InlineData(values=[vars(average)])).encode(x=x, y=y)
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            alt.Chart(alt.InlineData(values=rows))
            .mark_circle(fill=COLOUR, fillOpacity=0.55, stroke=INK, strokeWidth=0.8, opacity=1, clip=False)
            .encode(x=x, y=y, size=size),
            # told by a sign and a word, so that colour is not needed
            mean.mark_point(shape="cross", size=170, filled=True, color=INK, stroke="white", strokeWidth=1, opacity=1),
            # over circles a word needs a white edge
            mean.mark_text(**word, stroke="white", strokeWidth=4),
            mean.mark_text(**word),
            width=WIDTH,
            height=HEIGHT,
        )
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=INK, gridColor="#e5e5e5", labelFontSize=13, titleFontSize=13)
        .configure_legend(labelColor=INK, titleColor=INK, labelFontSize=12)
    )
    return chart


def _shown(most: int) -> list[int]:
    """Return round numbers of records whose circles explain the others.

    >>> _shown(7381), _shown(1)
    ([500, 5000], [1])
    """
    power = 10 ** int(np.log10(most))
    high = max(digit * power for digit in (1, 2, 5) if digit * power <= most)
    return sorted({max(high // 10, 1), high})


def tradeoff_section(evidence: Evidence) -> Section | None:
    """Set the risk of records beside what is still told of them."""
    if evidence.kept is None or evidence.detail is None:
        return None
    safety, detail = evidence.kept.safety, evidence.detail
    sizes = safety.blocks.sizes
    gone = np.clip(safety.blocks.totals(detail.by_record) / sizes, 0.0, 1.0)
    circles = circles_of(gone, safety.risk.by_block, sizes.astype(np.float64))
    average = Circle(detail.mean, safety.risk.rate, safety.records)
    sentences = (
        f"On average {share(average.gone)} of the detail of what others may know is gone, and a record is found with a "
        f"probability of {share(average.risk)}. Protection is paid with detail: further right less is told, further up "
        "records are easier to find.",
        "Detail that is gone is the share of an attribute's span, or of its categories, that a released value covers: "
        "0% is told exactly, 100% is not told. A missing value counts as not told.",
    )
    caption = "Records by the detail that is gone and their risk; the larger a circle, the more records"
    largest = sorted(circles, key=lambda one: -one.records)[:5]
    seen = "; ".join(
        f"{counted(one.records, 'record')}: {share(one.gone)} gone, risk {share(one.risk)}" for one in largest
    )
    described = f"Circles of records. Average: {share(average.gone)} gone, risk {share(average.risk)}. Largest: {seen}."
    tables = (_attributes(evidence), *_statistics(evidence))
    picture = Picture(tradeoff_chart(circles, average), caption, described)
    return Section("tradeoff", "Risk against utility", sentences, tables, (picture,))


def _attributes(evidence: Evidence) -> Table:
    found = {} if evidence.detail is None else evidence.detail.attributes
    rows = tuple(
        (name, share(float(its.mean())), share(float(np.median(its))), share(float((its == 0).mean())))
        for name, its in found.items()
    )
    columns = ("Attribute", "Gone on average", "Gone for half of the records, at most", "Records told exactly")
    return Table("Detail that is gone, by attribute", columns, rows)


def _statistics(evidence: Evidence) -> tuple[Table, ...]:
    """Set the width of each preserved statistic's range beside what it is measured by."""
    if not evidence.parts:
        return ()
    accurate = any(part.accuracy is not None for part in evidence.parts)
    columns: tuple[str, ...] = ("Statistic", "Width of the sure range", "Times what sampling leaves open")
    columns += ("Times the wanted accuracy",) if accurate else ()
    rows = tuple(_row(part, accurate=accurate) for part in evidence.parts)
    return (Table("What is left of preserved statistics", columns, rows),)


def _row(part: Part, *, accurate: bool) -> tuple[str, ...]:
    one = part.estimate
    if not one.guaranteed:
        return part.name, "no range is proved", "-", *(("-",) if accurate else ())
    # two sampling errors on both sides
    sampled = _times(one.width, 4 * one.sampling_error)
    wanted = _times(one.width, 0.0 if part.accuracy is None else 2 * part.accuracy)
    return part.name, number(one.width), sampled, *((wanted,) if accurate else ())


def _times(width: float, measure: float) -> str:
    """Write how many times a width is another.

    >>> _times(3.0, 2.0), _times(1.0, 0.0)
    ('1.5', '-')
    """
    return f"{width / measure:,.2g}" if measure > 0 else "-"


def detail_along(axis: Axis) -> alt.X:
    """Return the shares of detail that are gone, along an axis."""
    import altair as alt

    return alt.X(
        "gone:Q",
        title="detail that is gone",
        scale=alt.Scale(**axis.scale),
        axis=alt.Axis(format="~%", tickCount=5, labelFlush=False),
    )
