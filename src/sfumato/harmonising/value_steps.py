"""Steps that change values: codes, units, times, intervals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Discriminator, Field, Tag, field_validator, model_validator

from sfumato.array_types import Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.harmonising.step import Several, Step, refuse_values, with_numbers, with_texts
from sfumato.microfile import Code, Encoded, Kind, Microfile, label_of
from sfumato.settings import Settings

HOURS, MINUTES = 24, 60
_TIME = re.compile(r"(\d{1,2}):(\d{2})|(\d{0,2}?)(\d{1,2})")


class Become(Settings):
    """One value for all values that are not listed."""

    become: Code
    """The value."""


def _type_of(value: Any) -> str:
    return "table" if isinstance(value, Mapping | Become) else "word"


class Map(Step):
    """Replaces the values of an attribute: codes of one file become those of another, or several become one.

    If all new values are numbers, the attribute becomes numeric, otherwise categorical.
    """

    map: str
    """The attribute."""
    to: dict[Code, Code] = Field(min_length=1)
    """Each value with the one that replaces it; an empty text makes it missing."""
    others: Annotated[
        Annotated[Literal["refused", "stay", "missing"], Tag("word")] | Annotated[Become, Tag("table")],
        Discriminator(_type_of),
    ] = "refused"
    """What happens to values that are not listed: they are "refused", so that no code is forgotten; they "stay" as they
    are; they become "missing"; or all become one value, as {become = "other"}."""

    @field_validator("to")
    @classmethod
    def _once(cls, values: dict[Code, Code]) -> dict[Code, Code]:
        if len({label_of(value) for value in values}) < len(values):
            raise ValueError("it lists a value twice, as a number and as text")
        return values

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute whose values change."""
        return (self.map,)

    def _applied(self, microfile: Microfile) -> Microfile:
        encoded, kind = microfile.encoded(self.map), microfile.attribute(self.map).kind
        listed = {label_of(value): becomes for value, becomes in self.to.items()}
        values = encoded.values.tolist()
        unknown = np.array([label_of(value) not in listed for value in values], dtype=np.bool_)
        if values and unknown.all():
            raise SettingError(
                f"to: none of the listed values occurs in {self.map!r}",
                hint="compare them with the codes in the file's codebook",
                setting="to",
                column=self.map,
            )
        if self.others == "refused":
            refuse_values(
                encoded,
                unknown,
                f"{self.map!r} has values that are not listed",
                hint="list them, or set others",
            )
        if self.others == "stay":
            self._check_merging(
                [label_of(value) for value, is_unknown in zip(values, unknown, strict=True) if is_unknown]
            )
        rest = self.others.become if isinstance(self.others, Become) else None
        mapped = [
            (value if self.others == "stay" else rest) if is_unknown else listed[label_of(value)]
            for value, is_unknown in zip(values, unknown, strict=True)
        ]
        mapped = [None if value == "" else value for value in mapped]
        if all(value is None or isinstance(value, int | float) for value in mapped):
            numbers = np.array(mapped, dtype=np.float64)
            codes_stay = self.others == "stay" and kind is not Kind.NUMERIC
            becomes = Kind.CATEGORICAL if codes_stay else Kind.NUMERIC
            return with_numbers(microfile, self.map, numbers, encoded.codes, kind=becomes)
        texts = [None if value is None else label_of(value) for value in mapped]
        return with_texts(microfile, self.map, Encoded(encoded.codes, np.array(texts, dtype=object)))

    def _check_merging(self, staying: Sequence[str]) -> None:
        both = {label_of(value) for value in self.to.values()} & set(staying)
        if both:
            raise SettingError(
                f"to: new values of {self.map!r} already occur with another meaning ({len(both)})",
                hint="if they should be merged, list these values too, each mapped to itself",
                setting="to",
                column=self.map,
            )


class Hhmm(Step):
    """Converts times written as hours and minutes (730, "0730", "7:30") into minutes after midnight (450)."""

    hhmm: Several
    """The attributes that hold times; codes for missing values must be missing already, because 0 is midnight."""

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
                f"{name!r} has values that are not times",
                hint="times range from 0000 to 2359; map codes for missing values first",
            )
            microfile = with_numbers(microfile, name, minutes, encoded.codes)
        return microfile


class Scale(Step):
    """Changes the unit of numbers: ``number * times + plus``."""

    scale: Several
    """The numeric attributes."""
    times: float = 1.0
    """The factor, as 0.01 from cents to dollars; not 0."""
    plus: float = 0.0
    """What is added after multiplying."""

    @model_validator(mode="after")
    def _check(self) -> Scale:
        if self.times == 0:
            raise SettingError("times must not be 0, which would make all numbers equal", setting="times")
        if self.times == 1 and self.plus == 0:
            raise SettingError("scale needs times, plus or both", setting="scale")
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
            raise MicrofileError(
                f"scale: {beyond:,} numbers of {name!r} become too large",
                setting="scale",
                column=name,
            )
        return numbers


class Run(Settings):
    """Consecutive codes of intervals with the same width."""

    code: int
    """The first of them."""
    start: float
    """The start of its interval."""
    width: float = Field(gt=0)
    """The width of each interval."""


class CodedIntervals(Step):
    """Converts codes of intervals into numbers: the midpoint of each."""

    intervals: str
    """The attribute whose codes are intervals."""
    runs: tuple[Run, ...] = Field(min_length=1)
    """The codes with their intervals, as {code = 7, start = 180, width = 10}; each run ends where the next begins."""
    last: int
    """The last code."""

    @model_validator(mode="after")
    def _check(self) -> CodedIntervals:
        codes = [*(run.code for run in self.runs), self.last + 1]
        if any(later <= earlier for earlier, later in pairwise(codes)):
            raise SettingError("the codes of runs must increase, up to last", setting="runs")
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute."""
        return (self.intervals,)

    def _applied(self, microfile: Microfile) -> Microfile:
        encoded = microfile.encoded(self.intervals)
        codes = np.array([_code(label_of(value)) for value in encoded.values.tolist()], dtype=np.float64)
        firsts = np.array([run.code for run in self.runs], dtype=np.float64)
        starts, widths = np.array([(run.start, run.width) for run in self.runs]).T
        run_ids = np.maximum(np.searchsorted(firsts, codes, side="right") - 1, 0)
        numbers = starts[run_ids] + (codes - firsts[run_ids] + 0.5) * widths[run_ids]
        numbers[~((codes >= firsts[0]) & (codes <= self.last))] = np.nan
        refuse_values(
            encoded, np.isnan(numbers), f"{self.intervals!r} has codes outside all runs", hint="see the file's codebook"
        )
        return with_numbers(microfile, self.intervals, numbers, encoded.codes)


def _code(written: str) -> float:
    """Return a whole number, also one with leading zeros; NaN if it is not one.

    >>> [_code(text) for text in ("7", "007", "7.5", "x")]
    [7.0, 7.0, nan, nan]
    """
    return float(written) if re.fullmatch(r"-?\d{1,15}", written) else np.nan


def _minutes(written: str) -> float:
    """Return the minutes from midnight to a time, NaN if it is not a time.

    >>> [_minutes(time) for time in ("730", "0730", "7:30", "5", "2400", "760")]
    [450.0, 450.0, 450.0, 5.0, nan, nan]
    """
    match = _TIME.fullmatch(written)
    if not match:
        return np.nan
    hours, minutes = (int(digits or 0) for digits in (match[1] or match[3], match[2] or match[4]))
    return float(hours * MINUTES + minutes) if hours < HOURS and minutes < MINUTES else np.nan
