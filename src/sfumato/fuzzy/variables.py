"""Linguistic variables: words for the numbers of an attribute, each a fuzzy set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, model_validator

from sfumato.array_types import Codes, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.shapes import AnyShape, written
from sfumato.microfile import Microfile, as_microfile
from sfumato.settings import Settings

ROUNDING = 1e-9
"""How far the sum of grades may be from 1."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A number where the grades of a variable's words do not sum to 1."""

    point: float
    """A corner of a shape, or a number between two corners; never a record's value."""
    total: float
    """The sum of the grades there."""


class LinguisticVariable(Settings):
    """An attribute with words for its numbers.

    >>> from sfumato.fuzzy import Falling
    >>> age = LinguisticVariable(
    ...     attribute="age",
    ...     values={"young": Falling(corners=(33, 37)), "old": {"shape": "rising", "corners": [33, 37]}},
    ... )
    >>> age.grades([30, 34]).tolist()
    [[1.0, 0.0], [0.75, 0.25]]
    >>> age.words()["old"]
    'rising from 33 to 37, fully from 37 on'
    """

    attribute: str
    """The numeric attribute."""
    values: dict[str, AnyShape] = Field(min_length=1)
    """Each word with its shape."""
    missing: str | None = None
    """The word for missing numbers; default: none, and they belong to no set."""

    @model_validator(mode="after")
    def _check(self) -> LinguisticVariable:
        if self.missing in self.values:
            raise SettingError(f"the word {self.missing!r} for missing numbers is one of the values", setting="missing")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The words, in the order of the columns of :meth:`grades`; that for missing numbers is the last."""
        return (*self.values, *([] if self.missing is None else [self.missing]))

    def grades(self, numbers: ArrayLike) -> Reals:
        """Return the grade of each number for each word: records by words."""
        values = np.asarray(numbers, dtype=np.float64)
        grades = np.empty((values.size, len(self.names)))
        for column, shape in enumerate(self.values.values()):
            grades[:, column] = shape.grades(values)
        if self.missing is not None:
            grades[:, -1] = np.isnan(values)
        return grades

    def memberships(self, microfile: Any) -> Reals:
        """Return the grades of each record of a microfile or frame: records by words."""
        return self.grades(as_microfile(microfile).numbers(self.attribute))

    def coded(self, microfile: Microfile) -> tuple[Codes, Reals]:
        """Return one code per record, and the grades of codes by words. Missing numbers have the last code."""
        microfile.check_numeric(self.attribute)
        encoded = microfile.encoded(self.attribute)
        present = ~encoded.missing
        # the last one is for missing numbers; dates and times are numbers only in the column
        numbers = np.full(encoded.values.size + 1, np.nan)
        numbers[encoded.codes[present]] = microfile.numbers(self.attribute)[present]
        return encoded.with_missing(), self.grades(numbers)

    def words(self) -> dict[str, str]:
        """Return what each word means, for a codebook."""
        meanings = {name: shape.words() for name, shape in self.values.items()}
        return meanings if self.missing is None else {**meanings, self.missing: "no number is known"}

    def blind_spots(self, numbers: ArrayLike, *, alpha: float = 0.5) -> Reals:
        """Return the distinct numbers whose grades are all below alpha: no rule can match them.

        >>> bells = {"low": {"shape": "gaussian", "centre": 27.5, "deviation": 2},
        ...          "high": {"shape": "gaussian", "centre": 32.5, "deviation": 2}}
        >>> LinguisticVariable(attribute="age", values=bells).blind_spots(range(26, 34)).tolist()
        [30.0]
        """
        check_alpha(alpha)
        distinct = np.unique(np.asarray(numbers, dtype=np.float64))
        distinct = distinct[~np.isnan(distinct)]
        unseen: Reals = distinct[self.grades(distinct).max(axis=1, initial=0.0) < alpha]
        return unseen

    def ruspini_gap(self, *, within: tuple[float, float] | None = None) -> Gap | None:
        """Return where the sum of the grades is farthest from 1, or None for a Ruspini partition.

        Between two bends every shape except the bell is a polynomial of degree 2 or less, so three points there and the
        bends themselves decide it for all numbers.

        Parameters
        ----------
        within
            The numbers that the attribute can have; default: from the lowest corner to the highest.
        """
        points = self._deciding_points(within)
        totals = self.grades(points).sum(axis=1)
        worst = int(np.argmax(np.abs(totals - 1.0)))
        if abs(totals[worst] - 1.0) <= ROUNDING:
            return None
        return Gap(float(points[worst]), float(totals[worst]))

    def check_ruspini(self, *, within: tuple[float, float] | None = None) -> None:
        """Refuse words whose grades do not sum to 1: QADM14 Definition 6."""
        gap = self.ruspini_gap(within=within)
        if gap is not None:
            off = f"{abs(gap.total - 1.0):.6g} too {'much' if gap.total > 1 else 'little'}"
            raise SettingError(
                f"the values of {self.attribute!r} are not a Ruspini partition: at {written(gap.point)} their grades "
                f"sum to {gap.total:.6g}, {off}",
                hint="let each shape fall where the next one rises, as ruspini(attribute, points) does",
                setting="sets",
                column=self.attribute,
            )

    def _deciding_points(self, within: tuple[float, float] | None) -> Reals:
        bends = sorted({bend for shape in self.values.values() for bend in shape.bends})
        # without any bend every shape is constant, so one point decides
        low, high = within or ((bends[0], bends[-1]) if bends else (0.0, 0.0))
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise SettingError(f"within must be two ascending numbers (given: {low:g} and {high:g})", setting="within")
        ends = [low, *(bend for bend in bends if low < bend < high), high]
        inner = [start + share * (stop - start) for start, stop in pairwise(ends) for share in (0.25, 0.5, 0.75)]
        return np.array([*ends, *inner])


def check_alpha(alpha: float) -> None:
    """Refuse an alpha outside its limits."""
    if not 0 < alpha <= 1:
        raise SettingError(f"alpha must be above 0 and at most 1 (given: {alpha:g})", setting="alpha")
