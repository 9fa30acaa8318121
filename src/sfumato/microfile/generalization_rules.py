"""Generalization rules: how values get labels of coarser levels, in a form that a codebook can publish.

A rule covers all values that an attribute could have. It never depends on which of them occur, so that
publishing it discloses nobody's value.
"""

from __future__ import annotations

import datetime
import itertools
import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, model_validator

from sfumato.errors import SettingError
from sfumato.microfile.attribute import Code
from sfumato.number_enclosures import parsed_outward
from sfumato.settings import Settings

EVERYTHING = "*"
"""The label of the coarsest level, and of values that a hierarchy does not list."""
Ends = tuple[float, float]
"""The smallest and the largest number that a label can stand for."""

_INTERVAL = re.compile(r"\[(\S+), (\S+)\)")
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:[ T].*)?")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_YEAR = re.compile(r"\d{4}")
_DECADE = re.compile(r"(\d{3}0)s")


class _Kind(Settings):
    """A rule with a kind, by which it is recognised."""

    def model_post_init(self, _: Any) -> None:
        # written although nobody sets it: the kind says how to read the rest
        self.__pydantic_fields_set__.add("kind")


class Intervals(_Kind):
    """Numbers in intervals ``[low, high)`` of increasing widths, with ``*`` for everything at the top."""

    kind: Literal["intervals"] = "intervals"
    widths: tuple[float, ...]
    """The width of the intervals of each level, from fine to coarse; each is a multiple of the one before."""
    origin: float = 0.0
    """A number at which an interval of every level starts."""

    @model_validator(mode="after")
    def _nest(self) -> Intervals:
        if not self.widths or any(not math.isfinite(width) or width <= 0 for width in self.widths):
            raise _refusal("widths must be positive numbers", "such as [5, 10, 20]")
        for fine, coarse in itertools.pairwise(self._steps):
            if coarse <= fine or coarse % fine:
                message = f"width {_written(coarse)} is not a multiple of the finer {_written(fine)}"
                raise _refusal(message, "such as [5, 10, 20]")
        return self

    @cached_property
    def _steps(self) -> list[Fraction]:
        return [_decimal(width) for width in self.widths]

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(self.widths) + 1

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the labels of a value, from fine to coarse, or None if it is not a number."""
        try:
            number = _decimal(value)
        except (TypeError, ValueError, OverflowError, ZeroDivisionError):
            return None
        start = _decimal(self.origin)
        lows = [start + (number - start) // step * step for step in self._steps]
        ends = zip(lows, self._steps, strict=True)
        return (*(f"[{_written(low)}, {_written(low + step)})" for low, step in ends), EVERYTHING)

    def above(self, label: str) -> tuple[str, ...]:
        """Return the labels of all nodes that hold what a label stands for, its own included."""
        low = _interval(label)
        if low is None:
            return (EVERYTHING,) if label == EVERYTHING else self.path(label) or ()
        path = self.path(low[0]) or ()
        return path[path.index(label) :] if label in path else ()

    def ends(self, label: str) -> Ends | None:
        """Return between which numbers the values of a label lie, if it says so."""
        match = _INTERVAL.fullmatch(label)
        low, high = (match[1], match[2]) if match else (label, label)
        try:
            return parsed_outward(low, -1), parsed_outward(high, 1)
        except (InvalidOperation, OverflowError):
            return None


class Prefixes(_Kind):
    """Codes of a fixed length, masked from their end, as is done with ZIP codes."""

    kind: Literal["prefixes"] = "prefixes"
    length: int = Field(ge=1, le=1000)
    """How many characters a code has."""
    mask: str = Field(default="*", min_length=1, max_length=1, pattern=r"^\S$")
    """The character that replaces a masked one."""

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return self.length

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the labels of a value, from fine to coarse, or None where its length is another."""
        text = str(value)
        if len(text) != self.length:
            return None
        return tuple(text[: self.length - level] + self.mask * level for level in range(1, self.length + 1))

    def above(self, label: str) -> tuple[str, ...]:
        """Return the labels of all nodes that hold what a label stands for, its own included."""
        for level in range(self.length, 0, -1):
            masked = self.mask * level
            if len(label) == self.length - level + len(masked) and label.endswith(masked):
                first = label[: self.length - level]
                return tuple(first[: self.length - more] + self.mask * more for more in range(level, self.length + 1))
        return self.path(label) or ()

    def ends(self, label: str) -> Ends | None:
        """Return between which numbers the values of a label lie: codes have no distances."""
        return None


class Dates(_Kind):
    """Dates in months, years and decades."""

    kind: Literal["dates"] = "dates"

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return 4

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the labels of a value, from fine to coarse, or None if it is not a date."""
        if not isinstance(value, datetime.date):
            return None
        year = value.year
        return f"{year:04}-{value.month:02}", f"{year:04}", f"{year // 10 * 10:04}s", EVERYTHING

    def above(self, label: str) -> tuple[str, ...]:
        """Return the labels of all nodes that hold what a label stands for, its own included."""
        if _DECADE.fullmatch(label):
            return label, EVERYTHING
        for level, form in ((0, _DAY), (0, _MONTH), (1, _YEAR)):
            if form.fullmatch(label):
                year = label[:4]
                return (label[:7], year, f"{year[:3]}0s", EVERYTHING)[level:]
        return (EVERYTHING,) if label == EVERYTHING else ()

    def ends(self, label: str) -> Ends | None:
        """Return the first and the last day that a label stands for, as numbers of days."""
        first, last = datetime.date.min, datetime.date.min
        if match := _DAY.fullmatch(label):
            first = last = datetime.date(int(match[1]), int(match[2]), int(match[3]))
        elif match := _MONTH.fullmatch(label):
            first = datetime.date(int(match[1]), int(match[2]), 1)
            last = (first + datetime.timedelta(days=31)).replace(day=1) - datetime.timedelta(days=1)
        elif _YEAR.fullmatch(label):
            first, last = datetime.date(int(label), 1, 1), datetime.date(int(label), 12, 31)
        elif match := _DECADE.fullmatch(label):
            first = datetime.date(max(int(match[1]), 1), 1, 1)
            last = datetime.date(int(match[1]) + 9, 12, 31)
        else:
            return None
        return float(first.toordinal()), float(last.toordinal())


class Listed(_Kind):
    """Values that are listed one by one, each with its labels."""

    kind: Literal["listed"] = "listed"
    paths: dict[str, tuple[str, ...]]
    """The labels of each value, from fine to coarse."""
    learned: bool = False
    """Whether the values were taken from a file, so that a list of them shows which occur there."""

    @model_validator(mode="after")
    def _same_height(self) -> Listed:
        heights = {len(labels) for labels in self.paths.values()}
        if len(heights) != 1 or 0 in heights:
            raise _refusal("every value of a hierarchy needs the same number of levels, at least one", None)
        return self

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(next(iter(self.paths.values())))

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the labels of a value, from fine to coarse, or None if it is not listed."""
        return self.paths.get(str(value))


Described = Annotated[Intervals | Prefixes | Dates, Field(discriminator="kind")]
"""Rules for values that are not listed one by one."""
Generalization = Annotated[Intervals | Prefixes | Dates | Listed, Field(discriminator="kind")]
"""All rules."""


def plain(value: object) -> Code:
    """Return a numpy value as a Python object."""
    if isinstance(value, np.datetime64):
        # in nanoseconds numpy would return a plain number
        value = value.astype("datetime64[us]") if np.datetime_data(value)[0] == "ns" else value
    return value.item() if isinstance(value, np.generic) else value  # type: ignore[return-value]  # columns hold codes


def _refusal(message: str, hint: str | None) -> SettingError:
    return SettingError(message, hint=hint)


def _interval(label: str) -> tuple[Fraction, Fraction] | None:
    match = _INTERVAL.fullmatch(label)
    if match is None:
        return None
    try:
        return _decimal(match[1]), _decimal(match[2])
    except (ValueError, ZeroDivisionError):
        return None


def _decimal(value: object) -> Fraction:
    """Return the decimal number as it is written, not the nearest binary one."""
    if isinstance(value, float):
        return Fraction(repr(float(value)))
    return Fraction(value)  # type: ignore[call-overload, no-any-return]  # raises if it is not a number


def _written(number: Fraction) -> str:
    """Write a decimal number in full.

    >>> _written(_decimal(0.1) * 3), _written(_decimal(1234567890.0))
    ('0.3', '1234567890')
    """
    if number.denominator == 1:
        return str(number.numerator)
    return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"
