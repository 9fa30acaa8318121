"""The largest alpha V(x) + C(x, y) + beta V(y) of data within boxes.

For any point c and data with means E, the form of the centred values is the sum over records of Q(z - c), less
Q(E - c), where Q(X, Y) = alpha X^2 + X Y + beta Y^2. Q has one positive and one negative direction; the positive part
of Q(E - c) only lowers the form and may be left out. So with D and l the coordinates of the mean and of c in the
negative direction, and -n the negative eigenvalue,

    form <= sum over records of the largest Q(z - c) in the box + n (D - l)^2,

in which the sum is separable: each box is solved once for all its records. It is convex in the coordinate of c in the
positive direction, which is therefore chosen optimally. One number remains, D. Every l gives a parabola that bounds the
form for all D, and all parabolas have the same curvature. So the largest value of their lower envelope is at one of
finitely many points: where two parabolas meet, or at an end of D. New parabolas are added there until the bound is
close to a value that some data attain. Setting l := D of the data that maximise the sum raises the form each time (the
convex part is replaced by its tangent), which finds such data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol, Self

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.algebra import dot, eigen, product
from sfumato.statistics.rounding_error import rounding_of

MAX_CUTS = 48
MAX_STEPS = 24
NARROW = 0.03
"""Dividing parts narrower than this share of the interval without gain shows that a gap cannot be closed."""
MAX_IDLE = 6
"""Number of cuts in a row with little gain after which the search stops: with few records a gap can remain."""


@dataclass(frozen=True)
class PairMoments:
    """Means, variances and the covariance of two attributes of some data."""

    x: float
    y: float
    xx: float
    xy: float
    yy: float

    @property
    def correlation(self) -> float:
        """The correlation; NaN where an attribute is constant."""
        scale = np.sqrt(max(self.xx, 0.0)) * np.sqrt(max(self.yy, 0.0))
        return float(min(max(self.xy / scale, -1.0), 1.0)) if scale > 0 else float("nan")


class Shapes(Protocol):
    """The region of each record in the plane of two numbers."""

    @property
    def records(self) -> int:
        """How many records there are."""

    @property
    def size(self) -> float:
        """The mean of the largest squares; rounding errors are proportional to it."""

    @property
    def middles(self) -> PairMoments:
        """The moments of the middles."""

    def largest(self, a: float, b: float, alpha: float, beta: float) -> Reals:
        """Return the sums of X, Y, X^2, X Y, Y^2, measured from (a, b), where alpha X^2 + X Y + beta Y^2 is largest."""

    def ends(self, direction: Reals) -> tuple[float, float]:
        """Return the smallest and the largest possible mean in a direction."""

    @property
    def linear(self) -> float:
        """Half the width of the linear range of the covariance."""

    def mirrored(self) -> Self:
        """Return the same with -x for x."""


@dataclass(frozen=True)
class Rectangles:
    """The boxes of two attributes, near 0 and of about unit size."""

    boxes: Reals
    """Rows: x from, x to, y from, y to."""
    shares: Reals
    """The share of the records in each box."""
    records: int

    @cached_property
    def size(self) -> float:
        """The mean of the largest squares."""
        largest = np.maximum(self.boxes[0::2] ** 2, self.boxes[1::2] ** 2)
        return dot(largest.sum(axis=0), self.shares)

    @cached_property
    def middles(self) -> PairMoments:
        """The moments of the middles."""
        x, y = 0.5 * (self.boxes[0] + self.boxes[1]), 0.5 * (self.boxes[2] + self.boxes[3])
        return moments_of(x, y, self.shares)

    def largest(self, a: float, b: float, alpha: float, beta: float) -> Reals:
        """Return the sums where the form is largest."""
        from sfumato.kernels.quadratic_max import largest_form

        return largest_form(self.boxes, self.shares, a, b, alpha, beta)

    def ends(self, direction: Reals) -> tuple[float, float]:
        """Return the smallest and the largest possible mean in a direction."""
        x, y = self.boxes[:2] * direction[0], self.boxes[2:] * direction[1]
        low, high = x.min(axis=0) + y.min(axis=0), x.max(axis=0) + y.max(axis=0)
        return dot(low, self.shares), dot(high, self.shares)

    @cached_property
    def linear(self) -> float:
        """Half the width of the linear range of the covariance."""
        at = self.middles
        x, y = 0.5 * (self.boxes[0] + self.boxes[1]) - at.x, 0.5 * (self.boxes[2] + self.boxes[3]) - at.y
        widths = abs(y) * (self.boxes[1] - self.boxes[0]) + abs(x) * (self.boxes[3] - self.boxes[2])
        return 0.5 * dot(widths, self.shares)

    def mirrored(self) -> Rectangles:
        """Return the same with -x for x."""
        boxes = self.boxes.copy()
        boxes[0], boxes[1] = -self.boxes[1], -self.boxes[0]
        return Rectangles(boxes, self.shares, self.records)


@dataclass(frozen=True)
class Zonotopes:
    """Two linear combinations of several attributes: the box of a record becomes a zonotope in their plane."""

    middle: Reals
    """One row per attribute."""
    half: Reals
    factors: Reals
    """The two rows of factors."""
    shares: Reals
    records: int

    @cached_property
    def size(self) -> float:
        """The mean of the largest squares that the parts of a combination can have together."""
        reach = product(abs(self.factors), abs(self.middle) + self.half)
        return dot((reach**2).sum(axis=0), self.shares)

    @cached_property
    def middles(self) -> PairMoments:
        """The moments of the middles."""
        return self.moments(self.middle)

    def moments(self, values: Reals) -> PairMoments:
        """Return the moments of the combinations of exact values."""
        first, second = product(self.factors, values)
        return moments_of(first, second, self.shares)

    @cached_property
    def _steps(self) -> tuple[Reals, Reals, Reals]:
        """The centres, and half lengths and directions by rising angle."""
        turned = np.where((self.factors[0] < 0) | ((self.factors[0] == 0) & (self.factors[1] < 0)), -1.0, 1.0)
        directions = self.factors * turned
        # slopes rise as angles do
        with np.errstate(over="ignore"):
            slopes = np.divide(directions[1], directions[0], out=np.full(turned.size, np.inf), where=directions[0] > 0)
        order = np.argsort(slopes, kind="stable")
        # exact attributes take no steps; at least one is needed, so that the border has a corner
        steps = order[self.half[order].any(axis=1)] if self.half.any() else order[:1]
        return product(self.factors, self.middle), self.half[steps], np.ascontiguousarray(directions[:, steps])

    def largest(self, a: float, b: float, alpha: float, beta: float) -> Reals:
        """Return the sums where the form is largest."""
        from sfumato.kernels.quadratic_max import largest_product

        return largest_product(*self._steps, self.shares, a, b, alpha, beta)

    def ends(self, direction: Reals) -> tuple[float, float]:
        """Return the smallest and the largest possible mean in a direction."""
        factors = product(direction, self.factors)
        middle = dot(product(factors, self.middle), self.shares)
        half = dot(product(abs(factors), self.half), self.shares)
        return middle - half, middle + half

    @cached_property
    def linear(self) -> float:
        """Half the width of the linear range of the covariance."""
        first, second = product(self.factors, self.middle - product(self.middle, self.shares)[:, None])
        slopes = np.outer(self.factors[0], second) + np.outer(self.factors[1], first)
        return dot((abs(slopes) * self.half).sum(axis=0), self.shares)

    def mirrored(self) -> Zonotopes:
        """Return the same with -x for x."""
        factors = self.factors * np.array([[-1.0], [1.0]])
        return Zonotopes(self.middle, self.half, factors, self.shares, self.records)


def moments_of(x: Reals, y: Reals, shares: Reals) -> PairMoments:
    """Return the moments of exact values."""
    mx, my = dot(shares, x), dot(shares, y)
    dx, dy = x - mx, y - my
    return PairMoments(mx, my, dot(shares, dx * dx), dot(shares, dx * dy), dot(shares, dy * dy))


@dataclass(frozen=True)
class Cut:
    """If the mean in the negative direction is D, the form is at most ``height`` + n (D - ``coordinate``)^2."""

    coordinate: float
    height: float
    positive: float
    """The coordinate of c in the positive direction."""
    mean: float
    """D of the data that maximise the sum."""
    moments: PairMoments
    """Of these data."""


class Form:
    """alpha V(x) + C(x, y) + beta V(y) of data within given regions.

    Parameters
    ----------
    shapes
        The region of each record.
    alpha, beta
        Not both negative with 4 alpha beta > 1, so that the form has a positive direction.
    """

    def __init__(self, shapes: Shapes, alpha: float, beta: float) -> None:
        self.shapes, self.alpha, self.beta = shapes, alpha, beta
        values, vectors = eigen([[alpha, 0.5], [0.5, beta]])
        self.negative, self.positive = max(-float(values[0]), 0.0), float(values[1])
        self.down, self.up = vectors[:, 0].tolist(), vectors[:, 1].tolist()
        self.rounding = 4.0 * rounding_of(shapes.records) * (1.0 + abs(alpha) + abs(beta))
        self.cuts: list[Cut] = []

    def of(self, moments: PairMoments) -> float:
        """Return the form of data with these moments."""
        return self.alpha * moments.xx + moments.xy + self.beta * moments.yy

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest possible D."""
        low, high = self.shapes.ends(np.array(self.down))
        return low - self.rounding * (1.0 + self.shapes.size), high + self.rounding * (1.0 + self.shapes.size)

    def means_of(self, moments: PairMoments) -> tuple[float, float]:
        """Return the coordinates of the means in the negative and in the positive direction."""
        x, y = moments.x, moments.y
        return self.down[0] * x + self.down[1] * y, self.up[0] * x + self.up[1] * y

    def climb(self, start: PairMoments, *, tolerance: float) -> PairMoments:
        """Find data with a large form, starting at the means of other data."""
        coordinate, positive = self.means_of(start)
        best, largest = start, -np.inf
        for _ in range(MAX_STEPS):
            cut = self.add_cut(coordinate, positive, tolerance=0.1 * tolerance)
            reached = self.of(cut.moments)
            if not reached > largest + 0.1 * tolerance:
                break
            best, largest = cut.moments, reached
            coordinate, positive = cut.mean, cut.positive
        return best

    def bound(self, start: PairMoments, *, goal: float, tolerance: float) -> float:
        """Return an upper bound of the form; at most about ``goal`` + ``tolerance`` if that can be proved."""
        if not self.cuts:
            self.add_cut(*self.means_of(start), tolerance=0.1 * tolerance)
        stretch, idle = 4.0, 0
        height, worst_mean = self._envelope()
        while height > goal + 0.5 * tolerance and len(self.cuts) < MAX_CUTS and idle < MAX_IDLE:
            below = [cut for cut in self.cuts if cut.mean <= worst_mean]
            above = [cut for cut in self.cuts if cut.mean > worst_mean]
            if below and above:
                # the means rise with the coordinates; halving helps where they jump
                lower, upper = max(below, key=lambda cut: cut.coordinate), min(above, key=lambda cut: cut.coordinate)
                share = (worst_mean - lower.mean) / (upper.mean - lower.mean) if len(self.cuts) % 2 else 0.5
                tried = lower.coordinate + share * (upper.coordinate - lower.coordinate)
                positive = lower.positive + share * (upper.positive - lower.positive)
            else:
                end = (
                    max(below, key=lambda cut: cut.coordinate) if below else min(above, key=lambda cut: cut.coordinate)
                )
                tried = end.coordinate + stretch * (worst_mean - end.mean)
                positive = end.positive
                stretch *= 2.0
            if any(abs(tried - cut.coordinate) <= 1e-9 * (1.0 + abs(tried)) for cut in self.cuts):
                break
            self.add_cut(tried, positive, tolerance=0.1 * tolerance)
            previous, (height, worst_mean) = height, self._envelope()
            idle = idle + 1 if height > previous - 0.05 * (previous - goal) else 0
        return height

    def add_cut(self, coordinate: float, positive: float, *, tolerance: float) -> Cut:
        """Bound the form with c at ``coordinate``; its other coordinate is searched from a first guess."""
        best: Cut | None = None
        low = high = None
        for step in range(MAX_STEPS):
            a, b = (coordinate * down + positive * up for down, up in zip(self.down, self.up, strict=True))
            x, y, xx, xy, yy = self.shapes.largest(a, b, self.alpha, self.beta).tolist()
            height = self.alpha * xx + xy + self.beta * yy + self.rounding * (self.shapes.size + a * a + b * b)
            # an overflow proves nothing
            height = math.inf if math.isnan(height) else height
            mean, ahead = coordinate + self.down[0] * x + self.down[1] * y, self.up[0] * x + self.up[1] * y
            if best is None or height < best.height:
                moments = PairMoments(a + x, b + y, xx - x * x, xy - x * y, yy - y * y)
                best = Cut(coordinate, height, positive, mean, moments)
            # towards the mean of the data the sum falls with slope 2 p and curvature 2 p or more
            if 2.0 * self.positive * ahead**2 <= tolerance:
                break
            if ahead > 0.0:
                low = (positive, ahead)
            else:
                high = (positive, ahead)
            if low is None or high is None:
                # the curvature is at least what is assumed, so this is at or beyond the smallest sum
                positive += ahead * (1.0 + 1e-9)
            else:
                width = high[0] - low[0]
                share = low[1] / (low[1] - high[1]) if step % 3 else 0.5
                positive = low[0] + min(max(share, 0.02), 0.98) * width
        assert best is not None
        self.cuts.append(best)
        return best

    def _envelope(self) -> tuple[float, float]:
        """Return the largest value of the lower envelope of all cuts, and the D where it is attained."""
        low, high = self.ends
        # without n D^2 a cut is a line; as D rises, lines with larger coordinates become the lowest
        lowest: list[Cut] = []
        meets: list[float] = []
        for cut in sorted(self.cuts, key=lambda cut: (cut.coordinate, cut.height)):
            while lowest:
                meet = self._meet(lowest[-1], cut)
                if meet > (meets[-1] if meets else -math.inf):
                    break
                lowest.pop()
                if meets:
                    meets.pop()
            if lowest:
                meets.append(meet)
            lowest.append(cut)
        worst = (-math.inf, low)
        for number, cut in enumerate(lowest):
            # each cut is the lowest between two meetings, and largest at one of them
            start = max(meets[number - 1], low) if number else low
            end = min(meets[number], high) if number < len(meets) else high
            if start <= end:
                worst = max(
                    worst, *((cut.height + self.negative * (at - cut.coordinate) ** 2, at) for at in (start, end))
                )
        return worst

    def _meet(self, first: Cut, second: Cut) -> float:
        """Return where the cut with the larger coordinate becomes the lower one."""
        run = 2.0 * self.negative * (second.coordinate - first.coordinate)
        if run <= 0.0 or math.isinf(max(first.height, second.height)):
            return -math.inf if second.height < first.height else math.inf
        return (second.height - first.height) / run + 0.5 * (first.coordinate + second.coordinate)


def divide(
    bound: Callable[[float, float], float], edges: Sequence[float], *, goal: float, enough: float, max_parts: int
) -> float:
    """Bound a quantity that depends on a number, by dividing the interval of that number.

    Parameters
    ----------
    bound
        Returns the bound for numbers between two ends.
    edges
        The first division, from the smallest to the largest possible number.
    goal
        The attained value.
    enough
        A bound close enough to it to stop.
    max_parts
        The largest number of parts.
    """
    nodes = [(bound(*node), node) for node in pairwise(edges)]
    narrow = NARROW * (edges[-1] - edges[0])
    idle = 0
    while (worst := max(nodes))[0] > enough and len(nodes) < max_parts and idle < MAX_IDLE:
        start, end = worst[1]
        third = (end - start) / 3
        nodes.remove(worst)
        nodes += [(bound(*node), node) for node in pairwise((start, start + third, end - third, end))]
        idle = idle + 1 if third < narrow and max(nodes)[0] > worst[0] - 0.05 * (worst[0] - goal) else 0
    return max(nodes)[0]
