"""A statistic whose costs are not affine: the share of records above a cut."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from sfumato.statistics.statistic import Statistic
from sfumato.statistics.statistic_range import StatisticRange

CUT = 0.0
NEAR = 0.25


class ShareAbove(Statistic):
    """The share of records above the cut."""

    name: ClassVar[str] = "above"
    form: ClassVar[str] = "above(x)"
    title: ClassVar[str] = "Share above the cut"

    def values(self, points, shares):
        return (points > CUT) @ shares

    def slopes(self, points, shares):
        # only records near the cut can change sides
        return (shares * (abs(points - CUT) < NEAR))[None]

    def influences(self, points, shares):
        return (points > CUT) - self.values(points, shares)[:, None]

    def natural_sizes(self, spreads):
        return np.ones(1)

    def ranges(self, sample, values, slopes, progress):
        boxes = sample.boxes
        low, high = (float(((ends > CUT) @ boxes.shares)[0]) for ends in (boxes.lo, boxes.hi))
        return [StatisticRange(low, high, (low, high))]


class UnprovedShare(ShareAbove):
    """The same without a proof of its range."""

    name: ClassVar[str] = "unproved"
    form: ClassVar[str] = "unproved(x)"

    def ranges(self, sample, values, slopes, progress):
        return Statistic.ranges(self, sample, values, slopes, progress)
