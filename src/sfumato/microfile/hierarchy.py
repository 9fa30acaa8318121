"""Hierarchies: how values are made coarser, level by level."""

from __future__ import annotations

import csv
import datetime
import itertools
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sfumato.arrays import Codes
from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile.attribute import Code, Kind
from sfumato.microfile.dialect import rows
from sfumato.microfile.encoding import Encoded
from sfumato.microfile.microfile import Microfile, as_microfile

EVERYTHING = "*"
"""The label of the coarsest level, and of values that a hierarchy does not know."""


@dataclass(frozen=True, slots=True)
class Generalized:
    """A column at one level of a hierarchy."""

    labels: pl.Series
    """One a record."""
    unknown_values: int
    """How many distinct values the hierarchy does not know."""
    unknown_records: int
    """How many records have such a value; they carry the fallback's label."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """What each value becomes at each level; level 0 is the value itself.

    Made by :meth:`from_csv`, :meth:`intervals`, :meth:`prefixes` or :meth:`automatic`.
    """

    height: int
    """The number of levels above the values."""
    path: Callable[[Code], tuple[str, ...] | None]
    """From a value to its labels at levels 1 to ``height``, or None where it is not known."""
    fallback: str = EVERYTHING
    """The label of values that are not known, at every level above 0."""
    listed: tuple[str, ...] = ()
    """The values it was made of, if it was made of any; intervals and prefixes know all values."""

    @classmethod
    def from_mapping(cls, paths: Mapping[str, Sequence[str]], *, fallback: str = EVERYTHING) -> Hierarchy:
        """Take each value's labels, from fine to coarse."""
        heights = {len(labels) for labels in paths.values()}
        if len(heights) != 1 or 0 in heights:
            raise SettingError("every value of a hierarchy needs the same number of levels, at least one")
        table = {str(value): tuple(labels) for value, labels in paths.items()}
        return cls(heights.pop(), lambda value: table.get(str(value)), fallback, tuple(table))

    @classmethod
    def from_csv(cls, file: str | os.PathLike[str], *, delimiter: str = ";", fallback: str = EVERYTHING) -> Hierarchy:
        """Read ARX's form: no header, one line a value, ``value;level1;level2;...``."""
        path = Path(file)
        if len(delimiter) != 1:
            raise SettingError(f"delimiter {delimiter!r} is not a single character")
        try:
            with path.open(newline="", encoding="utf-8-sig") as lines:
                listed = [row for row in rows(lines, delimiter) if row]
        except FileNotFoundError:
            raise MicrofileError(f"there is no hierarchy file {path}") from None
        except UnicodeDecodeError:
            raise MicrofileError(f"hierarchy file {path.name} is not written in UTF-8") from None
        except (OSError, ValueError, csv.Error):
            # ValueError: a name with a NUL in it
            raise MicrofileError(f"hierarchy file {path.name} cannot be read") from None
        if not listed:
            raise MicrofileError(f"hierarchy file {path.name} is empty")
        for place, row in enumerate(listed, start=1):
            if len(row) != len(listed[0]):
                raise MicrofileError(
                    f"line {place} of hierarchy file {path.name} has {len(row)} fields, the first {len(listed[0])}"
                )
        if len({row[0] for row in listed}) != len(listed):
            raise MicrofileError(f"hierarchy file {path.name} lists a value twice")
        if len(listed[0]) == 1:
            return cls.from_mapping({row[0]: (EVERYTHING,) for row in listed}, fallback=fallback)
        return cls.from_mapping({row[0]: row[1:] for row in listed}, fallback=fallback)

    @classmethod
    def intervals(cls, widths: Sequence[float], *, origin: float = 0.0, fallback: str = EVERYTHING) -> Hierarchy:
        """Put numbers into intervals ``[low, high)`` of growing widths, and everything into ``*`` at last.

        >>> Hierarchy.intervals([5, 10]).path(37)
        ('[35, 40)', '[30, 40)', '*')
        """
        if not widths or any(not math.isfinite(width) or width <= 0 for width in widths):
            raise SettingError("widths must be positive numbers", hint="such as [5, 10, 20]")
        if not math.isfinite(origin):
            raise SettingError(f"origin must be a number (given: {origin})")
        start, steps = _decimal(origin), [_decimal(width) for width in widths]
        for fine, coarse in itertools.pairwise(steps):
            if coarse <= fine or coarse % fine:
                raise SettingError(
                    f"width {_written(coarse)} is not a multiple of the finer {_written(fine)}",
                    hint="such as [5, 10, 20]",
                )

        def path(value: Code) -> tuple[str, ...] | None:
            try:
                number = _decimal(value)
            except (TypeError, ValueError, OverflowError):
                return None
            lows = [start + (number - start) // step * step for step in steps]
            ends = zip(lows, steps, strict=True)
            return (*(f"[{_written(low)}, {_written(low + step)})" for low, step in ends), EVERYTHING)

        return cls(len(widths) + 1, path, fallback)

    @classmethod
    def dates(cls, *, fallback: str = EVERYTHING) -> Hierarchy:
        """Put dates into months, years and decades.

        >>> import datetime
        >>> Hierarchy.dates().path(datetime.date(1987, 5, 31))
        ('1987-05', '1987', '1980s', '*')
        """

        def path(value: Code | datetime.date) -> tuple[str, ...] | None:
            if not isinstance(value, datetime.date):
                return None
            year = value.year
            return f"{year:04}-{value.month:02}", f"{year:04}", f"{year // 10 * 10:04}s", EVERYTHING

        return cls(4, path, fallback)

    @classmethod
    def prefixes(cls, length: int, *, mask: str = "*", fallback: str = EVERYTHING) -> Hierarchy:
        """Mask a code of a fixed length from its end, as is done with ZIP codes.

        >>> Hierarchy.prefixes(5).path("02139")
        ('0213*', '021**', '02***', '0****', '*****')
        """
        if length < 1:
            raise SettingError(f"length must be at least 1 (given: {length})")

        def path(value: Code) -> tuple[str, ...] | None:
            text = str(value)
            if len(text) != length:
                return None
            return tuple(text[: length - level] + mask * level for level in range(1, length + 1))

        return cls(length, path, fallback)

    @classmethod
    def automatic(cls, microfile: Microfile | Any, name: str, *, levels: int = 4) -> Hierarchy:
        """Make a hierarchy from the data.

        Numbers get intervals on a readable grid, from about 2**levels of them down to two. Categories
        get, level by level, half as many sets: neighbours in the order of an ordinal attribute, the
        rarest with the rarest otherwise.
        """
        microfile = as_microfile(microfile)
        if levels < 1:
            raise SettingError(f"levels must be at least 1 (given: {levels})")
        if microfile.series(name).dtype.is_temporal():
            return cls.dates()
        if microfile.attribute(name).kind is Kind.NUMERIC:
            numbers = microfile.numbers(name)
            if np.isnan(numbers).all():
                raise MicrofileError(f"column {name!r} has only missing values")
            spread = float(np.nanmax(numbers) - np.nanmin(numbers))
            finest = readable(spread / 2**levels) if spread > 0 else 1.0
            return cls.intervals([finest * 2**level for level in range(levels)])
        return cls.from_mapping(_halved(microfile, name, levels))

    def generalize(self, microfile: Microfile | Any, name: str, *, level: int) -> Generalized:
        """Return a column at a level; missing stays missing."""
        if not 0 <= level <= self.height:
            raise SettingError(f"level {level} of {name!r} does not exist; allowed: 0 to {self.height}")
        encoded = as_microfile(microfile).encoded(name)
        plain = [_plain(value) for value in encoded.values]
        if level == 0:
            labels = [str(value) for value in plain]
        else:
            labels = [path[level - 1] if (path := self.path(value)) else self.fallback for value in plain]
        table = np.array([*labels, None], dtype=object)
        values, records = self.unknown(encoded)
        return Generalized(pl.Series(name, table[encoded.codes].tolist(), dtype=pl.String), values, records)

    def unknown(self, encoded: Encoded) -> tuple[int, int]:
        """Return how many distinct values the hierarchy does not know, and how many records have one."""
        strange = np.array([*(self.path(_plain(value)) is None for value in encoded.values), False])
        return int(strange.sum()), int(strange[encoded.codes].sum())

    def tree(self, encoded: Encoded) -> list[Codes]:
        """Return the node of each value at levels 0 to the root, numbered within the level.

        A value that is not known has the fallback's label up to the root.
        """
        known = [self.path(_plain(value)) for value in encoded.values]
        tops = {path[-1] for path in known if path}
        root = tops.pop() if len(tops) == 1 else self.fallback
        paths = [path or (*(self.fallback,) * (self.height - 1), root) for path in known]
        nodes = [np.arange(len(paths), dtype=np.int32)]
        for level in range(self.height):
            labels = [path[level:] for path in paths]  # equal labels under different parents are different nodes
            numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
            nodes.append(np.array([numbers[label] for label in labels], dtype=np.int32))
        if len(set(nodes[-1].tolist())) > 1:
            nodes.append(np.zeros(len(paths), dtype=np.int32))
        return nodes


def _plain(value: object) -> Code:
    return value.item() if isinstance(value, np.generic) else value  # type: ignore[return-value]  # columns hold codes


def _decimal(value: Code) -> Fraction:
    """Return the number that is written, not its nearest binary one."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def _written(number: Fraction) -> str:
    """Write a decimal number in full.

    >>> _written(_decimal(0.1) * 3), _written(_decimal(1234567890.0))
    ('0.3', '1234567890')
    """
    if number.denominator == 1:
        return str(number.numerator)
    return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"


def readable(width: float) -> float:
    """Round a width up to 1, 2 or 5 times a power of ten.

    >>> [readable(width) for width in (0.3, 4.6, 17)]
    [0.5, 5.0, 20.0]
    """
    power = math.floor(math.log10(width))
    # as it is written: 10 times 1e-06 is not 1e-05
    steps = (float(f"{step}e{power}") for step in (1, 2, 5, 10))
    return next(step for step in steps if step >= width * (1 - 1e-12))


def _halved(microfile: Microfile, name: str, levels: int) -> dict[str, tuple[str, ...]]:
    encoded = microfile.encoded(name)
    names = [str(_plain(value)) for value in encoded.values]
    counts = np.bincount(encoded.codes[encoded.codes >= 0], minlength=len(names))
    ordered = microfile.attribute(name).kind.ordered
    order = list(range(len(names))) if ordered else [int(i) for i in np.argsort(counts, kind="stable")]
    sets = [[i] for i in order]
    paths: dict[int, list[str]] = {i: [] for i in order}
    for _ in range(levels):
        if len(sets) == 1:
            break
        sets = [list(itertools.chain(*sets[i : i + 2])) for i in range(0, len(sets), 2)]
        for members in sets:
            label = EVERYTHING if len(sets) == 1 else "{" + ", ".join(names[i] for i in sorted(members)) + "}"
            for i in members:
                paths[i].append(label)
    if len(sets) > 1 or not any(paths.values()):
        for labels in paths.values():
            labels.append(EVERYTHING)
    return {names[i]: tuple(labels) for i, labels in paths.items()}
