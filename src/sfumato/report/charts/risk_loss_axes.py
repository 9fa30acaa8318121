"""Axes of risks and losses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.views import spans_orders

ROOM = 0.12
"""The share of an axis left free beyond the outermost points."""


@dataclass(frozen=True)
class ChartAxis:
    """The range of an axis, linear or logarithmic."""

    low: float
    high: float
    logarithmic: bool = False

    @property
    def scale(self) -> dict[str, Any]:
        """The arguments of a Vega-Lite scale."""
        return {"type": "log" if self.logarithmic else "linear", "domain": [self.low, self.high], "nice": False}

    @property
    def ticks(self) -> dict[str, Any]:
        """The ticks: at 1, 2, 5, 10, ... or only at powers of ten, if there are enough of those."""
        if not self.logarithmic:
            return {"tickCount": 6}
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        digits = (1, 2, 5) if math.log10(self.high / self.low) < 3 else (1,)
        ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
        return {"values": [tick for tick in ticks if self.low <= tick <= self.high]}


def linear_axis(numbers: Sequence[float], *, room: float = ROOM) -> ChartAxis:
    """Return an axis that starts at 0 and leaves some room beyond the largest number."""
    return ChartAxis(0.0, max(numbers) * (1 + room) or 1.0)


def risk_axis(risks: Sequence[float]) -> ChartAxis:
    """Return the axis of risks, logarithmic if they span more than an order of magnitude."""
    if not spans_orders(risks):
        return linear_axis(risks)
    beyond = (max(risks) / min(risks)) ** ROOM
    return ChartAxis(min(risks) / beyond, max(risks) * beyond, logarithmic=True)
