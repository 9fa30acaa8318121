"""How large blocks are, and how records share the risk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.report.estimates import INK
from sfumato.report.evidence import Evidence
from sfumato.report.page import Picture, Section, Table, count, counted, listed, share

if TYPE_CHECKING:
    import altair as alt

MOST = 12
"""So many bars are drawn at most."""
DIGITS: tuple[tuple[float, ...], ...] = ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,))
"""With what the ends of bars begin, from many bars to few."""
CLOSE = 1e-9
"""Risks that differ by less than this share are one: 1/k is no number in base two."""
WIDTH, HEIGHT = 430, 190
ROOM = 1.1
COLOUR = "#9ecae1"


@dataclass(frozen=True)
class Bar:
    """Some blocks that are about alike."""

    label: str
    blocks: int
    records: int


def size_bars(sizes: Counts) -> tuple[Bar, ...]:
    """Sort blocks by how many records they have.

    >>> [(bar.label, bar.blocks, bar.records) for bar in size_bars(np.array([3, 2, 3]))]
    [('2', 1, 2), ('3', 2, 6)]
    """
    distinct = np.unique(sizes)
    low, high = int(distinct[0]), int(distinct[-1])
    if distinct.size <= MOST:
        starts = [int(size) for size in distinct]
        labels = [f"{start:,}" for start in starts]
    else:
        starts = [low, *(int(end) for end in _ends(low, high) if low < end <= high and end == int(end))]
        labels = [f"{start:,} to {after - 1:,}" for start, after in pairwise([*starts, high + 1])]
    places = np.searchsorted(np.array(starts), sizes, side="right") - 1
    return _bars(labels, places, sizes)


def risk_bars(risks: Reals, sizes: Counts) -> tuple[Bar, ...]:
    """Sort blocks by the risk of their records, ends of bars belonging to the lower one.

    >>> [(bar.label, bar.records) for bar in risk_bars(np.array([0.1, 0.05, 0.06]), np.array([10, 20, 15]))]
    [('3% to 5%', 20), ('5% to 7%', 15), ('7% to 10%', 10)]
    """
    low, high = float(risks.min()), float(risks.max())
    if high - low < CLOSE * high:
        return (Bar(_percent(high), int(risks.size), int(sizes.sum())),)
    ends = _ends(low, high)
    below = max(end for end in ends if end < low * (1 - CLOSE))
    above = min((end for end in ends if end >= high * (1 - CLOSE)), default=1.0)
    inner = [end for end in ends if below < end < above]
    labels = [f"{_percent(start)} to {_percent(end)}" for start, end in pairwise([below, *inner, above])]
    places = np.searchsorted(np.array(inner) * (1 + CLOSE), risks, side="left")
    return _bars(labels, places, sizes)


def _percent(risk: float) -> str:
    """Write the end of a bar.

    >>> _percent(0.1), _percent(0.000015)
    ('10%', '0.0015%')
    """
    return f"{100 * risk:.8f}".rstrip("0").rstrip(".") + "%"


def _ends(low: float, high: float) -> list[float]:
    """Return round numbers around two others, few enough for bars."""
    powers = range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 1)
    for digits in DIGITS:
        ends = [float(f"{digit}e{power}") for power in powers for digit in digits]
        if sum(low < end < high for end in ends) < MOST:
            break
    return ends


def _bars(labels: Sequence[str], places: Counts, sizes: Counts) -> tuple[Bar, ...]:
    blocks = np.bincount(places, minlength=len(labels))
    records = np.bincount(places, weights=sizes, minlength=len(labels))
    return tuple(Bar(*its) for its in zip(labels, blocks.tolist(), map(int, records.tolist()), strict=True))


def bars_chart(bars: Sequence[Bar], *, title: str) -> alt.LayerChart | alt.FacetChart:
    """Draw how many records each bar has.

    Parameters
    ----------
    bars
        In the order of the axis.
    title
        What the axis is about.
    """
    import altair as alt

    data = alt.InlineData(values=[{"label": bar.label, "records": bar.records} for bar in bars])
    across = alt.X(
        "label:N",
        sort=[bar.label for bar in bars],
        title=title,
        axis=alt.Axis(labelAngle=-40 if len(bars) > 3 else 0, labelLimit=200),
    )
    # room for the number above the highest bar
    upper = ROOM * max(bar.records for bar in bars)
    upward = alt.Y(
        "records:Q",
        title="records",
        scale=alt.Scale(domain=[0, upper], nice=False),
        axis=alt.Axis(format=",d", tickCount=5),
    )
    base = alt.Chart(data).encode(x=across, y=upward)
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(
            base.mark_bar(color=COLOUR, stroke=INK, strokeWidth=1),
            base.mark_text(dy=-7, color=INK, fontSize=12).encode(text=alt.Text("records:Q", format=",d")),
            width=WIDTH,
            height=HEIGHT,
        )
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=INK, gridColor="#e5e5e5", labelFontSize=13, titleFontSize=13)
    )
    return chart


def blocks_section(evidence: Evidence) -> Section | None:
    """Show how large blocks are."""
    if evidence.kept is None:
        return None
    sizes = evidence.kept.safety.blocks.sizes
    bars = size_bars(sizes)
    told = (
        f"{count(evidence.kept.safety.records)} records lie in {counted(len(sizes), 'block')}. The smallest has "
        f"{count(sizes.min())}, the largest {count(sizes.max())}; half of the blocks have {np.median(sizes):,.4g} "
        "or fewer. Records of a block cannot be told apart by what others may know."
    )
    return Section(
        "blocks",
        "Blocks",
        (told,),
        (_table("Blocks by size", "Records in a block", bars),),
        (_picture(bars, "Records by the size of their block", "records in a block"),),
    )


def risk_section(evidence: Evidence) -> Section | None:
    """Show how records share the risk."""
    if evidence.kept is None:
        return None
    risk = evidence.kept.safety.risk
    bars = risk_bars(risk.by_block, risk.sizes)
    outside = ", not knowing who is in the file," if evidence.kept.promise.weight is not None else ""
    told = (
        f"On average a record is found with a probability of {share(risk.rate)}; the largest risk of one is "
        f"{share(risk.highest)}. It is the probability that who looks for a person by "
        f"{listed(evidence.known)}{outside} picks the right record."
    )
    return Section(
        "risk",
        "Risk",
        (told,),
        (_table("Records by risk", "Risk of a record", bars),),
        (_picture(bars, "Records by their risk of being found", "risk of a record"),),
    )


def _table(caption: str, first: str, bars: Sequence[Bar]) -> Table:
    whole = sum(bar.records for bar in bars)
    rows = tuple((bar.label, count(bar.blocks), count(bar.records), share(bar.records / whole)) for bar in bars)
    return Table(caption, (first, "Blocks", "Records", "Share of records"), rows)


def _picture(bars: Sequence[Bar], caption: str, title: str) -> Picture:
    seen = "; ".join(f"{bar.label}: {counted(bar.records, 'record')}" for bar in bars)
    return Picture(bars_chart(bars, title=title), caption, f"Bar chart. {caption}. {seen}.")
