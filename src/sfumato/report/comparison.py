"""The picture of a comparison: the risk of each method's release against the information that it has lost."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sfumato.comparison import METHODS, Compared
from sfumato.errors import SettingError
from sfumato.report.estimates import INK

if TYPE_CHECKING:
    import altair as alt

WIDTH, HEIGHT = 560, 380
COLOUR = "#3182bd"
SHAPES = dict(zip(METHODS.values(), ("circle", "triangle-up", "diamond", "square"), strict=True))
"""Methods are told apart by these and by their names, so that colour is not needed."""
SIZE = 130
"""The area of a point."""
LETTER, LINE, GAP = 6.3, 16.0, 11.0
"""In pixels: the width of a label's letter, rather more than less, its height, and how far it stands from its point."""
LETTERS = 70
"""Of a title's line."""
WIDE = 10.0
"""If risks differ by more than this factor, the axis is logarithmic."""
ROOM = 0.12
"""The share of an axis left free beyond the outermost points."""
BESIDE = 0.42
"""The same of the axis along which labels are written."""
ALIGNED: tuple[Literal["left", "right", "center"], ...] = ("left", "right", "center")
"""Labels stand at the right of their points, at the left, or above and below."""


@dataclass(frozen=True)
class Axis:
    """From numbers to shares of an axis and back."""

    low: float
    high: float
    logarithmic: bool = False

    def share(self, number: float) -> float:
        """Return where a number stands, from 0 to 1."""
        low, high, number = (self._along(one) for one in (self.low, self.high, number))
        return (number - low) / (high - low)

    def number(self, share: float) -> float:
        """Return the number that stands there."""
        low, high = self._along(self.low), self._along(self.high)
        along = low + share * (high - low)
        return 10.0**along if self.logarithmic else along

    def _along(self, number: float) -> float:
        return math.log10(number) if self.logarithmic else number


def compare_chart(compared: Compared) -> alt.LayerChart | alt.FacetChart:
    """Draw the expected share of re-identifications of each method against its information loss.

    Parameters
    ----------
    compared
        What :meth:`Comparison.run` returned; a method that was refused is named under the title.
    """
    import altair as alt

    if not compared.found:
        raise SettingError("no method keeps the promise, so there is nothing to draw")
    points: list[dict[str, Any]] = [
        {"method": name, "loss": found.loss.mean, "risk": found.rate, "k": found.k, "label": f"{name}, k = {found.k:,}"}
        for name, found in compared.found.items()
    ]
    across = _linear([point["loss"] for point in points], room=BESIDE)
    upward = _upward([point["risk"] for point in points])
    labels = _labels(points, across, upward)
    x = alt.X(
        "loss:Q",
        title="information loss",
        scale=alt.Scale(domain=[across.low, across.high], nice=False),
        axis=alt.Axis(format=".3~g", tickCount=6, labelFlush=False),
    )
    y = alt.Y(
        "risk:Q",
        title="expected share of re-identifications",
        scale=alt.Scale(type="log" if upward.logarithmic else "linear", domain=[upward.low, upward.high], nice=False),
        axis=alt.Axis(format=".3~%", **_ticks(upward)),
    )
    told = [
        alt.Tooltip("method:N"),
        alt.Tooltip("loss:Q", title="information loss", format=".4~g"),
        alt.Tooltip("risk:Q", title="re-identified", format=".3~%"),
        alt.Tooltip("k:Q", format=","),
    ]
    shapes = alt.Shape("method:N", legend=None, scale=alt.Scale(domain=list(SHAPES), range=list(SHAPES.values())))
    marks = (
        alt.Chart(alt.InlineData(values=points))
        .mark_point(filled=True, size=SIZE, color=COLOUR, fillOpacity=0.6, opacity=1, stroke=INK, strokeWidth=1)
        .encode(x=x, y=y, shape=shapes, tooltip=told)
    )
    words = [
        alt.Chart(alt.InlineData(values=[label for label in labels if label["align"] == align]))
        .mark_text(align=align, baseline="middle", fontSize=12, **looks)
        .encode(x=x, y=y, text="label:N")
        for align in ALIGNED
        # a white edge keeps the lines of the grid off the letters
        for looks in ({"color": "white", "stroke": "white", "strokeWidth": 4}, {"color": INK})
    ]
    chart: alt.LayerChart | alt.FacetChart = (
        alt.layer(*words, marks, width=WIDTH, height=HEIGHT, title=_title(compared))
        .properties(description=_description(points))
        .configure_view(stroke=None)
        .configure_axis(labelColor=INK, titleColor=INK, gridColor="#e5e5e5", labelFontSize=11, titleFontSize=12)
        .configure_title(color=INK, anchor="start", fontSize=14, subtitleFontSize=11, subtitleColor="#555555")
    )
    return chart


def _linear(numbers: Sequence[float], *, room: float) -> Axis:
    """Return an axis from 0 on that leaves some room beyond the largest number."""
    return Axis(0.0, max(numbers) * (1 + room) or 1.0)


def _upward(risks: Sequence[float]) -> Axis:
    """Return the axis of risks, logarithmic if they are of different orders."""
    if max(risks) <= WIDE * min(risks):
        return _linear(risks, room=ROOM)
    beyond = (max(risks) / min(risks)) ** ROOM
    return Axis(min(risks) / beyond, max(risks) * beyond, logarithmic=True)


def _ticks(axis: Axis) -> dict[str, Any]:
    """Return ticks at 1, 2, 5, 10, ... or only at powers of ten, if those are enough."""
    if not axis.logarithmic:
        return {"tickCount": 6}
    powers = range(math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high)) + 1)
    digits = (1, 2, 5) if math.log10(axis.high / axis.low) < 3 else (1,)
    ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
    return {"values": [tick for tick in ticks if axis.low <= tick <= axis.high]}


def _labels(points: Sequence[dict[str, Any]], across: Axis, upward: Axis) -> list[dict[str, Any]]:
    """Put each label beside its point: the first of some places where it lies on no point and on no other label."""
    half = math.sqrt(SIZE) / 2
    spots = [(across.share(point["loss"]) * WIDTH, upward.share(point["risk"]) * HEIGHT) for point in points]
    taken = [(left - half, low - half, left + half, low + half) for left, low in spots]
    labels = []
    for point, (right, high) in zip(points, spots, strict=True):
        width = LETTER * len(point["label"])
        above = GAP + LINE / 2
        # where the label is anchored, how it is aligned, and where it then begins, from its point
        places = [
            (aside, upwards + step * away * LINE, align, begins)
            for away in range(4)
            for aside, upwards, step, align, begins in (
                (GAP, 0.0, 1, "left", GAP),
                (GAP, 0.0, -1, "left", GAP),
                (-GAP, 0.0, 1, "right", -GAP - width),
                (0.0, above, 1, "center", -width / 2),
                (0.0, -above, -1, "center", -width / 2),
            )
        ]
        rooms = [
            (right + begins, high + up - LINE / 2, right + begins + width, high + up + LINE / 2)
            for _, up, _, begins in places
        ]
        best = next((place for place, room in enumerate(rooms) if _is_free(room, taken)), 0)
        taken.append(rooms[best])
        aside, up, align, _ = places[best]
        loss, risk = across.number((right + aside) / WIDTH), upward.number((high + up) / HEIGHT)
        labels.append({"label": point["label"], "loss": loss, "risk": risk, "align": align})
    return labels


def _is_free(room: tuple[float, ...], taken: Sequence[tuple[float, ...]]) -> bool:
    """Say whether a rectangle lies in the picture and on no other."""
    left, low, right, high = room
    if left < 0 or right > WIDTH or low < 0 or high > HEIGHT:
        return False
    return all(right <= its[0] or its[2] <= left or high <= its[1] or its[3] <= low for its in taken)


def _title(compared: Compared) -> dict[str, Any]:
    lines = ["The nearer to the lower left corner, the safer and the more exact."]
    if compared.refused:
        lines.append(f"Cannot keep k = {compared.k:,}: {', '.join(compared.refused)}.")
    text = f"Risk and information loss of {', '.join(compared.quasi)}, k = {compared.k:,}"
    return {"text": textwrap.wrap(text, LETTERS), "subtitle": lines}


def _description(points: Sequence[dict[str, Any]]) -> str:
    """Say the picture in words, for those who cannot see it."""
    told = [f"{one['method']}: information loss {one['loss']:.3g}, risk {one['risk']:.3%}" for one in points]
    return f"Expected share of re-identifications against information loss. {'; '.join(told)}."
