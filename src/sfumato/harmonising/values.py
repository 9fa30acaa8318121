"""Steps that change values: codes, units, times, intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from sfumato.arrays import Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.harmonising.step import Several, Step, refuse_values, with_numbers, with_texts
from sfumato.microfile.attribute import Code, Kind
from sfumato.microfile.encoding import Encoded
from sfumato.microfile.joining import label_of
from sfumato.microfile.microfile import Microfile
from sfumato.settings import Settings

HOURS, MINUTES = 24, 60
_TIME = re.compile(r"(\d{1,2}):(\d{2})|(\d{0,2}?)(\d{1,2})")


class Become(Settings):
    """One value for all that are not listed."""

    become: Code
    """The value."""


def _told_apart(given: Any) -> str:
    return "table" if isinstance(given, Mapping | Become) else "word"


class Map(Step):
    """Gives values of an attribute others: codes of one file become those of another, several become one.

    Where all are numbers, the attribute becomes numeric, else categorical.
    """

    map: str
    """The attribute."""
    to: dict[Code, Code] = Field(min_length=1)
    """Each value with the one that it becomes; an empty text makes it missing."""
    others: Annotated[
        Annotated[Literal["refused", "stay", "missing"], Tag("word")] | Annotated[Become, Tag("table")],
        Discriminator(_told_apart),
    ] = "refused"
    """Values that are not listed: they are "refused", so that no code is forgotten; "stay" as they are; are "missing"
    from then on; or all become one value, as {become = "other"}."""

    @field_validator("to")
    @classmethod
    def _once(cls, values: dict[Code, Code]) -> dict[Code, Code]:
        if len({label_of(value) for value in values}) < len(values):
            raise ValueError("it lists a value twice, as a number and as text")
        return values

    @property
    def attributes(self) -> tuple[str, ...]:
        """The one whose values change."""
        return (self.map,)

    def _applied(self, microfile: Microfile) -> Microfile:
        encoded, kind = microfile.encoded(self.map), microfile.attribute(self.map).kind
        listed = {label_of(value): becomes for value, becomes in self.to.items()}
        values = encoded.values.tolist()
        unknown = np.array([label_of(value) not in listed for value in values], dtype=np.bool_)
        if values and unknown.all():
            raise SettingError(
                f"to: none of the values that it lists occurs in {self.map!r}",
                hint="compare its codes with those of the file's codebook",
            )
        if self.others == "refused":
            refuse_values(
                encoded,
                unknown,
                f"{self.map!r} has values that are not listed",
                hint="list them, or say what others become",
            )
        if self.others == "stay":
            self._check_merging([label_of(value) for value, alone in zip(values, unknown, strict=True) if alone])
        rest = self.others.become if isinstance(self.others, Become) else None
        found = [
            (value if self.others == "stay" else rest) if alone else listed[label_of(value)]
            for value, alone in zip(values, unknown, strict=True)
        ]
        found = [None if value == "" else value for value in found]
        if all(value is None or isinstance(value, int | float) for value in found):
            numbers = np.array(found, dtype=np.float64)
            codes_stay = self.others == "stay" and kind is not Kind.NUMERIC
            becomes = Kind.CATEGORICAL if codes_stay else Kind.NUMERIC
            return with_numbers(microfile, self.map, numbers, encoded.codes, kind=becomes)
        texts = [None if value is None else label_of(value) for value in found]
        return with_texts(microfile, self.map, Encoded(encoded.codes, np.array(texts, dtype=object)))

    def _check_merging(self, staying: Sequence[str]) -> None:
        both = {label_of(value) for value in self.to.values()} & set(staying)
        if both:
            raise SettingError(
                f"to: {len(both)} of the values that {self.map!r} is mapped to stand for other people already",
                hint="list these too, each with itself, if they are meant to become one",
            )


class Hhmm(Step):
    """Turns times written as hours and minutes (730, "0730", "7:30") into minutes after midnight (450)."""

    hhmm: Several
    """The attributes that hold times; what means missing must be missing already, for 0 is midnight."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those that hold times."""
        return tuple(self.hhmm)

    def _applied(self, microfile: Microfile) -> Microfile:
        for name in self.hhmm:
            encoded = microfile.encoded(name)
            # ERRATA 004-16: as they are written, times jump from 559 to 600
            minutes = np.array([_minutes(label_of(value)) for value in encoded.values.tolist()], dtype=np.float64)
            refuse_values(
                encoded,
                np.isnan(minutes),
                f"{name!r} has values that are no times",
                hint="times go from 0000 to 2359; map what means missing first",
            )
            microfile = with_numbers(microfile, name, minutes, encoded.codes)
        return microfile


class Scale(Step):
    """Changes the unit of numbers: ``number * times + plus``."""

    scale: Several
    """The numeric attributes."""
    times: float = 1.0
    """What they are multiplied by, as 0.01 from cents to dollars; not 0."""
    plus: float = 0.0
    """What is added then."""

    @model_validator(mode="after")
    def _check(self) -> Scale:
        if self.times == 0:
            raise ValueError("times must not be 0, which would make all numbers alike")
        if self.times == 1 and self.plus == 0:
            raise ValueError("scale needs times, plus or both")
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those whose unit changes."""
        return tuple(self.scale)

    def _applied(self, microfile: Microfile) -> Microfile:
        columns = {name: self._scaled(microfile, name) for name in self.scale}
        return microfile.with_columns(columns)

    def _scaled(self, microfile: Microfile, name: str) -> Reals:
        with np.errstate(over="ignore"):
            numbers = microfile.numbers(name) * self.times + self.plus
        beyond = int(np.isinf(numbers).sum())
        if beyond:
            raise MicrofileError(f"scale: {beyond:,} numbers of {name!r} become larger than a number can be")
        return numbers


class Run(Settings):
    """Codes that follow each other and stand for intervals of one width."""

    code: int
    """The first of them."""
    start: float
    """Where its interval begins."""
    width: float = Field(gt=0)
    """How wide the interval of each is."""


class Intervals(Step):
    """Turns codes of intervals into numbers: the middle of each."""

    intervals: str
    """The attribute whose codes stand for intervals."""
    runs: tuple[Run, ...] = Field(min_length=1)
    """The codes with their intervals, as {code = 7, start = 180, width = 10}; each run ends where the next begins."""
    last: int
    """The last code."""

    @model_validator(mode="after")
    def _check(self) -> Intervals:
        codes = [*(run.code for run in self.runs), self.last + 1]
        if any(later <= earlier for earlier, later in pairwise(codes)):
            raise ValueError("the codes of runs must ascend, up to last")
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """The one whose codes they are."""
        return (self.intervals,)

    def _applied(self, microfile: Microfile) -> Microfile:
        encoded = microfile.encoded(self.intervals)
        codes = np.array([_code(label_of(value)) for value in encoded.values.tolist()], dtype=np.float64)
        firsts = np.array([run.code for run in self.runs], dtype=np.float64)
        starts, widths = np.array([(run.start, run.width) for run in self.runs]).T
        own = np.maximum(np.searchsorted(firsts, codes, side="right") - 1, 0)
        numbers = starts[own] + (codes - firsts[own] + 0.5) * widths[own]
        numbers[~((codes >= firsts[0]) & (codes <= self.last))] = np.nan
        refuse_values(
            encoded, np.isnan(numbers), f"{self.intervals!r} has codes of no run", hint="see the file's codebook"
        )
        return with_numbers(microfile, self.intervals, numbers, encoded.codes)


def _code(written: str) -> float:
    """Return a whole number, also one with noughts in front; NaN if it is none.

    >>> [_code(text) for text in ("7", "007", "7.5", "x")]
    [7.0, 7.0, nan, nan]
    """
    return float(written) if re.fullmatch(r"-?\d{1,15}", written) else np.nan


def _minutes(written: str) -> float:
    """Return how many minutes after midnight a time is, NaN if it is none.

    >>> [_minutes(time) for time in ("730", "0730", "7:30", "5", "2400", "760")]
    [450.0, 450.0, 450.0, 5.0, nan, nan]
    """
    found = _TIME.fullmatch(written)
    if not found:
        return np.nan
    hours, minutes = (int(part or 0) for part in (found[1] or found[3], found[2] or found[4]))
    return float(hours * MINUTES + minutes) if hours < HOURS and minutes < MINUTES else np.nan
