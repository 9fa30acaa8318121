"""Linguistic variables: an attribute whose values are words, each a fuzzy set of its numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field, model_validator

from sfumato.arrays import Codes, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.shapes import AnyShape, written
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.settings import Settings

ROUNDING = 1e-9
"""By so much grades may sum to something else than 1."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Where the grades of a variable's values sum to something else than 1."""

    point: float
    """A corner of a shape, or a number between two corners; never a record's value."""
    total: float
    """What they sum to there."""


class LinguisticVariable(Settings):
    """An attribute with the words that its numbers are told in.

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
    """The word for missing numbers, which only they have; default: they have no word, and belong to no set."""

    @model_validator(mode="after")
    def _check(self) -> LinguisticVariable:
        if self.missing in self.values:
            raise ValueError(f"the word {self.missing!r} for missing numbers is one of the values")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The words, in the order of the columns of :meth:`grades`; that for missing numbers is the last."""
        return (*self.values, *([] if self.missing is None else [self.missing]))

    def grades(self, numbers: ArrayLike) -> Reals:
        """Return how far each word holds of each number: records by words."""
        given = np.asarray(numbers, dtype=np.float64)
        grades = np.empty((given.size, len(self.names)))
        for column, shape in enumerate(self.values.values()):
            grades[:, column] = shape.grades(given)
        if self.missing is not None:
            grades[:, -1] = np.isnan(given)
        return grades

    def memberships(self, microfile: Any) -> Reals:
        """Return how far each word holds of each record of a microfile, or of a frame that becomes one."""
        return self.grades(as_microfile(microfile).numbers(self.attribute))

    def coded(self, microfile: Microfile) -> tuple[Codes, Reals]:
        """Return a code a record, and codes by words: how far each word holds. Missing numbers have the last code."""
        microfile.check_numeric(self.attribute)
        encoded = microfile.encoded(self.attribute)
        known = ~encoded.missing
        # the last one is for missing numbers; dates and times are numbers only in the column
        numbers = np.full(encoded.values.size + 1, np.nan)
        numbers[encoded.codes[known]] = microfile.numbers(self.attribute)[known]
        return encoded.with_missing(), self.grades(numbers)

    def words(self) -> dict[str, str]:
        """Say what each word means, for a codebook."""
        told = {name: shape.words() for name, shape in self.values.items()}
        return told if self.missing is None else {**told, self.missing: "no number is known"}

    def blind_spots(self, numbers: ArrayLike, *, alpha: float = 0.5) -> Reals:
        """Return the numbers of which no word holds by at least alpha, each once: a rule cannot see them.

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
        """Return where the grades sum to something else than 1 by the most, or None for a Ruspini partition.

        Between two bends each shape but the bell is a polynomial of at most the second degree, so that three points
        there and the bends themselves decide it for all numbers.

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

    @property
    def is_ruspini(self) -> bool:
        """Whether the grades sum to 1 at every number from the lowest corner to the highest."""
        return self.ruspini_gap() is None

    def check_ruspini(self, *, within: tuple[float, float] | None = None) -> None:
        """Refuse values whose grades do not sum to 1: QADM14 Definition 6."""
        gap = self.ruspini_gap(within=within)
        if gap is not None:
            off = f"{abs(gap.total - 1.0):.6g} too {'much' if gap.total > 1 else 'little'}"
            raise SettingError(
                f"the values of {self.attribute!r} are no Ruspini partition: at {written(gap.point)} their grades sum "
                f"to {gap.total:.6g}, {off}",
                hint="let each shape fall where the next one rises, as ruspini(attribute, points) does",
            )

    def _deciding_points(self, within: tuple[float, float] | None) -> Reals:
        bends = sorted({bend for shape in self.values.values() for bend in shape.bends})
        # without any bend every shape is constant, so that one point decides
        low, high = within or ((bends[0], bends[-1]) if bends else (0.0, 0.0))
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise SettingError(f"within must be two ascending numbers (given: {low:g} and {high:g})")
        ends = [low, *(bend for bend in bends if low < bend < high), high]
        inner = [start + share * (stop - start) for start, stop in pairwise(ends) for share in (0.25, 0.5, 0.75)]
        return np.array([*ends, *inner])


def check_alpha(alpha: float) -> None:
    """Refuse an alpha that nothing or everything reaches."""
    if not 0 < alpha <= 1:
        raise SettingError(f"alpha must lie above 0 and at most at 1 (given: {alpha:g})")
