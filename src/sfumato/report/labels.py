"""Axes of risks and losses, and names beside points that lie on no other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

LETTER, LINE, GAP = 6.3, 16.0, 11.0
"""In pixels: the width of a label's letter, rather more than less, its height, and how far it stands from its point."""
WIDE = 10.0
"""If risks differ by more than this factor, the axis is logarithmic."""
ROOM = 0.12
"""The share of an axis left free beyond the outermost points."""
BESIDE = 0.42
"""The same of the axis along which labels are written."""
Alignment = Literal["left", "right", "center"]
ALIGNED: tuple[Alignment, ...] = ("left", "right", "center")
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

    @property
    def scale(self) -> dict[str, Any]:
        """What a scale is made of."""
        return {"type": "log" if self.logarithmic else "linear", "domain": [self.low, self.high], "nice": False}

    @property
    def ticks(self) -> dict[str, Any]:
        """Where ticks stand: at 1, 2, 5, 10, ... or only at powers of ten, if those are enough."""
        if not self.logarithmic:
            return {"tickCount": 6}
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        digits = (1, 2, 5) if math.log10(self.high / self.low) < 3 else (1,)
        ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
        return {"values": [tick for tick in ticks if self.low <= tick <= self.high]}


def linear_axis(numbers: Sequence[float], *, room: float) -> Axis:
    """Return an axis from 0 on that leaves some room beyond the largest number."""
    return Axis(0.0, max(numbers) * (1 + room) or 1.0)


def risk_axis(risks: Sequence[float]) -> Axis:
    """Return the axis of risks, logarithmic if they are of different orders."""
    if max(risks) <= WIDE * min(risks):
        return linear_axis(risks, room=ROOM)
    beyond = (max(risks) / min(risks)) ** ROOM
    return Axis(min(risks) / beyond, max(risks) * beyond, logarithmic=True)


@dataclass(frozen=True)
class Label:
    """Where the name of a point stands."""

    text: str
    x: float
    y: float
    align: Alignment


@dataclass(frozen=True)
class Field:
    """Where points are drawn."""

    across: Axis
    upward: Axis
    width: float
    """In pixels."""
    height: float
    size: float
    """The area of a point."""

    def labels(self, points: Sequence[tuple[float, float, str]]) -> list[Label]:
        """Put each label beside its point: the first of some places where it lies on no point and on no other label.

        Parameters
        ----------
        points
            x, y and the label.
        """
        half = math.sqrt(self.size) / 2
        spots = [(self.across.share(x) * self.width, self.upward.share(y) * self.height) for x, y, _ in points]
        taken = [(left - half, low - half, left + half, low + half) for left, low in spots]
        labels = []
        for (_, _, text), (right, high) in zip(points, spots, strict=True):
            places = _places(LETTER * len(text))
            rooms = [
                (right + begins, high + up - LINE / 2, right + begins + LETTER * len(text), high + up + LINE / 2)
                for _, up, _, begins in places
            ]
            best = next((place for place, room in enumerate(rooms) if self._is_free(room, taken)), 0)
            taken.append(rooms[best])
            aside, up, align, _ = places[best]
            x, y = self.across.number((right + aside) / self.width), self.upward.number((high + up) / self.height)
            labels.append(Label(text, x, y, align))
        return labels

    def _is_free(self, room: tuple[float, ...], taken: Sequence[tuple[float, ...]]) -> bool:
        """Say whether a rectangle lies in the picture and on no other."""
        left, low, right, high = room
        if left < 0 or right > self.width or low < 0 or high > self.height:
            return False
        return all(right <= its[0] or its[2] <= left or high <= its[1] or its[3] <= low for its in taken)


def _places(width: float) -> list[tuple[float, float, Alignment, float]]:
    """Return where a label can be anchored, how it is aligned, and where it then begins, from its point."""
    above = GAP + LINE / 2
    kinds: tuple[tuple[float, float, int, Alignment, float], ...] = (
        (GAP, 0.0, 1, "left", GAP),
        (GAP, 0.0, -1, "left", GAP),
        (-GAP, 0.0, 1, "right", -GAP - width),
        (0.0, above, 1, "center", -width / 2),
        (0.0, -above, -1, "center", -width / 2),
    )
    return [
        (aside, upwards + step * away * LINE, align, begins)
        for away in range(4)
        for aside, upwards, step, align, begins in kinds
    ]
