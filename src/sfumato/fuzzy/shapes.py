"""Shapes: the membership functions of fuzzy sets of numbers.

A shape is a setting, so a recipe can contain it: ``{shape = "trapezoidal", corners = [0, 0, 20, 30]}``. Where corners
coincide, the plateau wins (ERRATA 004-14): the printed branches give such a point both 0 and 1. A missing number (NaN)
has grade 0 in every set, because it is not evidence for any of them. To give missing numbers their own set, use
``missing`` of :class:`~sfumato.fuzzy.LinguisticVariable`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, field_validator, model_validator

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.kernels.elementary_functions import exponentials
from sfumato.microfile import readable
from sfumato.settings import Settings


def written(number: float) -> str:
    """Write a number of a setting.

    >>> written(20.0), written(200000), written(0.25)
    ('20', '200000', '0.25')
    """
    return f"{number:.12g}"


class Shape(Settings, ABC):
    """The base of all shapes."""

    def grades(self, values: ArrayLike) -> Reals:
        """Return the grade of each number, from 0 to 1; 0 for a missing one."""
        numbers = np.asarray(values, dtype=np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            return np.where(np.isnan(numbers), 0.0, self._of_numbers(numbers))

    @property
    @abstractmethod
    def bends(self) -> tuple[float, ...]:
        """The numbers between which the grades follow one formula, ascending."""

    @abstractmethod
    def words(self) -> str:
        """Return what the set means, for a codebook."""

    @abstractmethod
    def cut(self, alpha: float) -> tuple[float, float]:
        """Return the interval of numbers with a grade of at least alpha, above 0; infinite for shoulders."""

    @abstractmethod
    def widened(self, alpha: float, *, low: float | None = None, high: float | None = None) -> Shape:
        """Return the shape with longer slopes, so that it reaches alpha, below 1, farther out.

        Parameters
        ----------
        alpha
            The grade.
        low, high
            Where the grade becomes alpha, below and above; default: that slope does not change.
        """

    @abstractmethod
    def _of_numbers(self, numbers: Reals) -> Reals: ...


class Cornered(Shape):
    """A slope up to a plateau and a slope down from it; a shoulder has only one of them."""

    rounded: ClassVar[bool] = False
    corners: tuple[float, ...]
    """Where slopes begin and end, ascending."""

    @field_validator("corners")
    @classmethod
    def _ascend(cls, corners: tuple[float, ...]) -> tuple[float, ...]:
        if any(later < earlier for earlier, later in pairwise(corners)):
            raise SettingError(
                f"corners must not descend (given: {', '.join(map(written, corners))})", setting="corners"
            )
        return corners

    @property
    def rise(self) -> tuple[float, float] | None:
        """Where the grades rise from 0 to 1; None if they are 1 for all low numbers."""
        return self.corners[0], self.corners[1]

    @property
    def fall(self) -> tuple[float, float] | None:
        """Where the grades fall from 1 to 0; None if they are 1 for all high numbers."""
        return self.corners[-2], self.corners[-1]

    @property
    def bends(self) -> tuple[float, ...]:
        """The corners; for a rounded slope also its midpoint, the inflection."""
        slopes = [slope for slope in (self.rise, self.fall) if slope is not None]
        middles = [(low + high) / 2 for low, high in slopes] if self.rounded else []
        return tuple(sorted({*self.corners, *middles}))

    def words(self) -> str:
        """Return what the set means."""
        how = "smoothly " if self.rounded else ""
        rise, fall = self.rise, self.fall
        phrases = [_fully(rise[1] if rise else None, fall[0] if fall else None)]
        if rise and rise[0] < rise[1]:
            phrases.insert(0, f"rising {how}from {written(rise[0])} to {written(rise[1])}")
        if fall and fall[0] < fall[1]:
            phrases.append(f"falling {how}from {written(fall[0])} to {written(fall[1])}")
        return ", ".join(phrases)

    def cut(self, alpha: float) -> tuple[float, float]:
        """Return the interval of numbers with a grade of at least alpha."""
        share, rise, fall = self._share(alpha), self.rise, self.fall
        low = rise[0] + share * (rise[1] - rise[0]) if rise else -math.inf
        high = fall[1] - share * (fall[1] - fall[0]) if fall else math.inf
        return low, high

    def widened(self, alpha: float, *, low: float | None = None, high: float | None = None) -> Cornered:
        """Return the shape with its feet farther out; the plateau does not change."""
        corners, share = list(self.corners), self._share(alpha)
        if low is not None and self.rise:
            corners[0] = -_outward(-self.rise[1], (self.rise[1] - low) / (1 - share))
        if high is not None and self.fall:
            corners[-1] = _outward(self.fall[0], (high - self.fall[0]) / (1 - share))
        return type(self)(corners=tuple(corners))

    def _share(self, alpha: float) -> float:
        """Return the share of a slope's width at which the grade is alpha."""
        if not self.rounded:
            return alpha
        return math.sqrt(alpha / 2) if alpha <= 0.5 else 1 - math.sqrt((1 - alpha) / 2)

    def _of_numbers(self, numbers: Reals) -> Reals:
        grades = np.ones(numbers.shape)
        if self.rise:
            grades = _slope(numbers, *self.rise)
        if self.fall:
            grades = np.minimum(grades, _slope(-numbers, -self.fall[1], -self.fall[0]))
        # 2 g^2 on the lower half of a slope, 1 - 2 (1 - g)^2 on the upper
        return np.where(grades <= 0.5, 2 * grades**2, 1 - 2 * (1 - grades) ** 2) if self.rounded else grades


class Triangular(Cornered):
    """Rises to a point and falls from it.

    >>> Triangular(corners=(20, 30, 40)).grades([20, 25, 30, 40]).tolist()
    [0.0, 0.5, 1.0, 0.0]
    """

    shape: Literal["triangular"] = "triangular"
    corners: tuple[float, float, float]
    """Where it starts to rise, the point, and where it ends."""


class Trapezoidal(Cornered):
    """Rises to a plateau and falls from it.

    >>> Trapezoidal(corners=(1, 1, 8, 10)).grades([1, 8, 9]).tolist()
    [1.0, 1.0, 0.5]
    """

    shape: Literal["trapezoidal"] = "trapezoidal"
    corners: tuple[float, float, float, float]
    """Where it starts to rise, the plateau's two ends, and where it ends."""


class PiShaped(Cornered):
    """Rises smoothly to a plateau and falls smoothly from it: a trapezoid with rounded corners."""

    rounded: ClassVar[bool] = True
    shape: Literal["pi"] = "pi"
    corners: tuple[float, float, float, float]
    """Where it starts to rise, the plateau's two ends, and where it ends."""


class Falling(Cornered):
    """Grade 1 up to a number, then a straight fall."""

    shape: Literal["falling"] = "falling"
    corners: tuple[float, float]
    """Where it starts to fall, and where it ends."""

    @property
    def rise(self) -> None:
        """None: everything below belongs to it."""


class Rising(Cornered):
    """A straight rise, then grade 1."""

    shape: Literal["rising"] = "rising"
    corners: tuple[float, float]
    """Where it starts to rise, and where it reaches grade 1."""

    @property
    def fall(self) -> None:
        """None: everything above belongs to it."""


class ZShaped(Falling):
    """Grade 1 up to a number, then a smooth fall."""

    rounded: ClassVar[bool] = True
    shape: Literal["z"] = "z"  # type: ignore[assignment]  # the name that a recipe knows it by


class SShaped(Rising):
    """A smooth rise, then grade 1."""

    rounded: ClassVar[bool] = True
    shape: Literal["s"] = "s"  # type: ignore[assignment]  # the name that a recipe knows it by


class Gaussian(Shape):
    """A bell: every number has a positive grade, so it cannot be part of a Ruspini partition."""

    shape: Literal["gaussian"] = "gaussian"
    centre: float
    """Where the grade is 1."""
    deviation: float = Field(gt=0)
    """The distance from the centre at which the grade is exp(-1/2), about 0.61."""

    @property
    def bends(self) -> tuple[float, ...]:
        """The centre and some deviations around it, as points to examine."""
        return tuple(self.centre + step * self.deviation for step in (-3, -2, -1, 0, 1, 2, 3))

    def words(self) -> str:
        """Return what the set means."""
        half = self.deviation * math.sqrt(2 * math.log(2))
        low, high = f"{self.centre - half:.4g}", f"{self.centre + half:.4g}"
        return f"fully at {written(self.centre)}, less the farther away, half at about {low} and {high}"

    def cut(self, alpha: float) -> tuple[float, float]:
        """Return the interval of numbers with a grade of at least alpha."""
        half = self.deviation * math.sqrt(-2 * math.log(alpha))
        return self.centre - half, self.centre + half

    def widened(self, alpha: float, *, low: float | None = None, high: float | None = None) -> Gaussian:
        """Return a wider bell; it grows on both sides."""
        far = max(abs(end - self.centre) for end in (low, high) if end is not None)
        return Gaussian(centre=self.centre, deviation=_outward(0.0, far / math.sqrt(-2 * math.log(alpha))))

    def _of_numbers(self, numbers: Reals) -> Reals:
        return exponentials(-0.5 * ((numbers - self.centre) / self.deviation) ** 2)


class Crisp(Shape):
    """An interval with its lower end, without its upper end. Neighbours share no number."""

    shape: Literal["crisp"] = "crisp"
    start: float | None = None
    """The first number of the set; default: no lower end."""
    stop: float | None = None
    """The first number above the set; default: no upper end."""

    @model_validator(mode="after")
    def _check(self) -> Crisp:
        if self.start is not None and self.stop is not None and self.stop <= self.start:
            raise SettingError(
                f"stop must be above start (given: {written(self.start)} and {written(self.stop)})", setting="stop"
            )
        return self

    @property
    def bends(self) -> tuple[float, ...]:
        """The finite ends."""
        return tuple(end for end in (self.start, self.stop) if end is not None)

    def words(self) -> str:
        """Return what the set means."""
        low = [] if self.start is None else [f"from {written(self.start)}"]
        high = [] if self.stop is None else [f"below {written(self.stop)}"]
        return " and ".join(low + high) or "every number"

    def cut(self, alpha: float) -> tuple[float, float]:
        """Return the two ends; the upper one does not belong to the set."""
        return (
            -math.inf if self.start is None else self.start,
            math.inf if self.stop is None else self.stop,
        )

    def widened(self, alpha: float, *, low: float | None = None, high: float | None = None) -> Crisp:
        """Return the interval with its ends moved."""
        return Crisp(start=self.start if low is None else low, stop=self.stop if high is None else high)

    def _of_numbers(self, numbers: Reals) -> Reals:
        start = -math.inf if self.start is None else self.start
        below = np.ones(numbers.shape, dtype=np.bool_) if self.stop is None else numbers < self.stop
        return ((numbers >= start) & below).astype(np.float64)


AnyShape = Annotated[
    Triangular | Trapezoidal | PiShaped | Falling | Rising | ZShaped | SShaped | Gaussian | Crisp,
    Field(discriminator="shape"),
]


def _slope(numbers: Reals, low: float, high: float) -> Reals:
    """Return a straight rise from 0 at the low end to 1 at the high end."""
    if low == high:
        # the plateau wins over the foot: ERRATA 004-14
        return (numbers >= high).astype(np.float64)
    return np.clip((numbers - low) / (high - low), 0.0, 1.0)


def _outward(start: float, length: float) -> float:
    """Return the end of an interval of some length, rounded outwards to a readable number."""
    step = readable(length / 200)
    return float(f"{math.ceil((start + length) / step) * step:.12g}")


def _fully(first: float | None, last: float | None) -> str:
    """Describe where a set has grade 1."""
    if first is None or last is None:
        return f"fully up to {written(last)}" if last is not None else f"fully from {written(first or 0.0)} on"
    return f"fully at {written(first)}" if first == last else f"fully from {written(first)} to {written(last)}"
