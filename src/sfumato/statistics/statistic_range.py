"""The values that a statistic can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from sfumato.array_types import Reals
from sfumato.kernels.algebra import product
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.rounding_error import ROUNDING, rounding_of


@dataclass(frozen=True)
class StatisticRange:
    """The values that a statistic can have, given the boxes."""

    lower: float
    """Proved lower bound; minus infinity if nothing is proved."""
    upper: float
    """Proved upper bound; infinity if nothing is proved."""
    attained: tuple[float, float]
    """Values that some data in the boxes have."""

    @classmethod
    def exact(cls, value: float) -> Self:
        """Return the range of a statistic of exact data."""
        return cls(value, value, (value, value))

    @classmethod
    def unproved(cls, low: float, high: float) -> Self:
        """Return a range of which only the attained values are known."""
        return cls(float("-inf"), float("inf"), (low, high))

    def scaled(self, factor: float) -> StatisticRange:
        """Return the range of the statistic times a positive factor."""
        low, high = self.attained
        return StatisticRange(self.lower * factor, self.upper * factor, (low * factor, high * factor))


def linear_ranges(sample: Sample, values: Reals, slopes: Reals, *, condition: float = 1.0) -> list[StatisticRange]:
    """Return the ranges of a statistic that is linear in every attribute that is not exact.

    Parameters
    ----------
    sample
        The boxes.
    values
        The statistic at the middles of the distinct boxes, one number per target.
    slopes
        Its absolute derivatives there: targets, attributes, boxes.
    condition
        How much the statistic magnifies rounding.
    """
    boxes = sample.boxes
    half_widths = (slopes * boxes.halves).sum(axis=(1, 2))
    distances = abs(boxes.middles - product(boxes.middles, boxes.shares)[:, None]) + boxes.halves
    size = abs(values) + (slopes * distances).sum(axis=(1, 2))
    # the middles are rounded as numbers of their full size
    full_size = (slopes * (abs(boxes.middles) + boxes.halves)).sum(axis=(1, 2))
    slack = rounding_of(sample.records) * size + 8 * ROUNDING * full_size
    slack *= condition
    return [
        StatisticRange(value - half - room, value + half + room, (value - half, value + half))
        for value, half, room in zip(values.tolist(), half_widths.tolist(), slack.tolist(), strict=True)
    ]
