"""Hierarchies: how values are generalised, level by level."""

from __future__ import annotations

import csv
import datetime
import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sfumato.array_types import Codes
from sfumato.errors import MicrofileError, SettingError
from sfumato.kernels.elementary_functions import decimal_exponent
from sfumato.microfile.attribute import Code, Kind
from sfumato.microfile.encoded_column import Encoded
from sfumato.microfile.generalization_rules import EVERYTHING, Dates, Generalization, Intervals, Listed, Prefixes, plain
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.text_dialect import rows
from sfumato.quiet_repr import quiet

LEAST = 10
"""An automatic hierarchy lists the categories of at least this number of records."""


@quiet
@dataclass(frozen=True, slots=True)
class Generalized:
    """A column at one level of a hierarchy."""

    labels: pl.Series
    """One per record."""
    unknown_values: int
    """The number of distinct values that the hierarchy does not list."""
    unknown_records: int
    """The number of records with such a value; they get the fallback label."""


@quiet
@dataclass(frozen=True, slots=True)
class HierarchyFit:
    """How a hierarchy fits an attribute: counts only, which may be reported."""

    unknown_values: int
    """The number of distinct values that it does not list."""
    unknown_records: int
    """The number of records with such a value."""
    split_labels: int
    """The number of labels with several parents, which make the hierarchy no tree: each counts as one node."""

    def warnings(self, name: str) -> list[str]:
        """Describe what does not fit."""
        lines = []
        if self.unknown_values:
            lines.append(
                f"hierarchies: the hierarchy of {name!r} lacks {_counted(self.unknown_values, 'value')} of "
                f"{_counted(self.unknown_records, 'record')}, released as the label for any value."
            )
        if self.split_labels:
            lines.append(
                f"hierarchies: in the hierarchy of {name!r}, {_counted(self.split_labels, 'label')} with several "
                "parents: it is not a tree, and each such label is released as one set."
            )
        return lines


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The label of each value at each level; level 0 is the value itself.

    Create one by :meth:`from_mapping`, :meth:`from_csv`, :meth:`intervals`, :meth:`prefixes`, :meth:`dates` or
    :meth:`automatic`. It is plain data: it can be pickled, and settings that hold one can be written as JSON.
    """

    by: Generalization
    """The rule that gives values their labels."""
    fallback: str = EVERYTHING
    """The label of values that are not listed, at every level above 0."""

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return self.by.height

    @property
    def listed(self) -> tuple[str, ...]:
        """The values that it lists, if any; intervals, prefixes and dates cover all values."""
        return tuple(self.by.paths) if isinstance(self.by, Listed) else ()

    def path(self, value: Code | datetime.date) -> tuple[str, ...] | None:
        """Return the labels of a value at levels 1 to ``height``, or None if it is not covered."""
        return self.by.path(value)

    @classmethod
    def from_mapping(cls, paths: Mapping[str, Sequence[str]], *, fallback: str = EVERYTHING) -> Hierarchy:
        """Make a hierarchy from each value's labels, from fine to coarse."""
        return cls(Listed(paths={str(value): tuple(labels) for value, labels in paths.items()}), fallback)

    @classmethod
    def from_csv(cls, file: str | os.PathLike[str], *, delimiter: str = ";", fallback: str = EVERYTHING) -> Hierarchy:
        """Read ARX's format: no header, one line per value, ``value;level1;level2;...``."""
        path = Path(file)
        if len(delimiter) != 1:
            raise SettingError(f"delimiter {delimiter!r} is not a single character", setting="delimiter")
        try:
            with path.open(newline="", encoding="utf-8-sig") as lines:
                listed = [row for row in rows(lines, delimiter) if row]
        except FileNotFoundError:
            raise MicrofileError(f"hierarchy file {path} does not exist") from None
        except UnicodeDecodeError:
            raise MicrofileError(f"hierarchy file {path.name} is not encoded in UTF-8") from None
        except (OSError, ValueError, csv.Error):
            # ValueError: a name with a NUL in it
            raise MicrofileError(f"hierarchy file {path.name} cannot be read") from None
        if not listed:
            raise MicrofileError(f"hierarchy file {path.name} is empty")
        for number, row in enumerate(listed, start=1):
            if len(row) != len(listed[0]):
                raise MicrofileError(
                    f"line {number} of hierarchy file {path.name} has {len(row)} fields, the first {len(listed[0])}"
                )
        if len({row[0] for row in listed}) != len(listed):
            raise MicrofileError(f"hierarchy file {path.name} lists a value twice")
        if len(listed[0]) == 1:
            return cls.from_mapping({row[0]: (EVERYTHING,) for row in listed}, fallback=fallback)
        return cls.from_mapping({row[0]: row[1:] for row in listed}, fallback=fallback)

    @classmethod
    def intervals(cls, widths: Sequence[float], *, origin: float = 0.0, fallback: str = EVERYTHING) -> Hierarchy:
        """Generalise numbers to intervals ``[low, high)`` of increasing widths, and finally to ``*``.

        >>> Hierarchy.intervals([5, 10]).path(37)
        ('[35, 40)', '[30, 40)', '*')
        """
        return cls(Intervals(widths=tuple(widths), origin=origin), fallback)

    @classmethod
    def dates(cls, *, fallback: str = EVERYTHING) -> Hierarchy:
        """Generalise dates to months, years and decades.

        >>> import datetime
        >>> Hierarchy.dates().path(datetime.date(1987, 5, 31))
        ('1987-05', '1987', '1980s', '*')
        """
        return cls(Dates(), fallback)

    @classmethod
    def prefixes(cls, length: int, *, mask: str = "*", fallback: str = EVERYTHING) -> Hierarchy:
        """Mask a code of fixed length from its end, as is usual for ZIP codes.

        >>> Hierarchy.prefixes(5).path("02139")
        ('0213*', '021**', '02***', '0****', '*****')
        """
        if length < 1:
            raise SettingError(f"length must be at least 1 (given: {length})")
        return cls(Prefixes(length=length, mask=mask), fallback)

    @classmethod
    def automatic(cls, microfile: Microfile | Any, name: str, *, levels: int = 4, least: int = LEAST) -> Hierarchy:
        """Make a hierarchy from the data.

        Numbers get intervals on a readable grid, from about 2**levels intervals down to two. Categories
        are merged in pairs, level by level: neighbours of an ordinal attribute, otherwise the rarest
        with the rarest.

        Parameters
        ----------
        microfile, name
            The attribute.
        levels
            The number of levels below the coarsest.
        least
            Categories of fewer records are not listed, because a list would show that somebody has them; they get
            the fallback label. It should be the k of the release. All categories of a declared order are listed.
        """
        microfile = as_microfile(microfile)
        if levels < 1:
            raise SettingError(f"levels must be at least 1 (given: {levels})")
        if microfile.series(name).dtype.is_temporal():
            return cls.dates()
        if microfile.attribute(name).kind is Kind.NUMERIC:
            numbers = microfile.numbers(name)
            if np.isnan(numbers).all():
                raise MicrofileError(f"column {name!r} has only missing values", column=name)
            spread = float(np.nanmax(numbers) - np.nanmin(numbers))
            finest = readable(spread / 2**levels) if spread > 0 else 1.0
            return cls.intervals([finest * 2**level for level in range(levels)])
        paths = _halved(microfile, name, levels, least)
        if not paths:
            raise MicrofileError(
                f"no category of {name!r} has {least:,} records or more, so none may be listed",
                hint="declare a hierarchy: from_csv, from_mapping or prefixes",
                column=name,
            )
        return cls(Listed(paths=paths, learned=not microfile.attribute(name).order))

    def generalize(self, microfile: Microfile | Any, name: str, *, level: int) -> Generalized:
        """Return a column at a level; missing values stay missing."""
        if not 0 <= level <= self.height:
            raise SettingError(f"level {level} of {name!r} does not exist; allowed: 0 to {self.height}", column=name)
        encoded = as_microfile(microfile).encoded(name)
        values = [plain(value) for value in encoded.values]
        if level == 0:
            labels = [str(value) for value in values]
        else:
            labels = [path[level - 1] if (path := self.path(value)) else self.fallback for value in values]
        table = np.array([*labels, None], dtype=object)
        return Generalized(pl.Series(name, table[encoded.codes].tolist(), dtype=pl.String), *self.unknown(encoded))

    def unknown(self, encoded: Encoded) -> tuple[int, int]:
        """Return the number of distinct values that are not covered, and of records that have one."""
        strange = np.array([*(self.path(plain(value)) is None for value in encoded.values), False])
        return int(strange.sum()), int(strange[encoded.codes].sum())

    def fit(self, microfile: Microfile | Any, name: str) -> HierarchyFit:
        """Return how it fits an attribute: how many values it lacks, and whether it is a tree.

        >>> paths = {"a": ("other", "north"), "b": ("other", "south")}
        >>> Hierarchy.from_mapping(paths).fit(pl.DataFrame({"x": ["a", "b", "c", "c"]}), "x")
        HierarchyFit(unknown_values=1, unknown_records=2, split_labels=1)
        """
        parents: list[dict[str, set[str]]] = [{} for _ in range(self.height - 1)]
        for path in self.by.paths.values() if isinstance(self.by, Listed) else ():
            for level, (label, parent) in enumerate(itertools.pairwise(path)):
                parents[level].setdefault(label, set()).add(parent)
        split = sum(len(above) > 1 for level in parents for above in level.values())
        return HierarchyFit(*self.unknown(as_microfile(microfile).encoded(name)), split)

    def tree(self, encoded: Encoded) -> list[Codes]:
        """Return the node of each value at levels 0 to the root, numbered within the level.

        A value that is not covered has the fallback label up to the root.
        """
        listed = [self.path(plain(value)) for value in encoded.values]
        tops = {path[-1] for path in listed if path}
        root = tops.pop() if len(tops) == 1 else self.fallback
        paths = [path or (*(self.fallback,) * (self.height - 1), root) for path in listed]
        nodes = [np.arange(len(paths), dtype=np.int32)]
        for level in range(self.height):
            labels = [path[level:] for path in paths]  # equal labels under different parents are different nodes
            node_ids = {label: node for node, label in enumerate(dict.fromkeys(labels))}
            nodes.append(np.array([node_ids[label] for label in labels], dtype=np.int32))
        if len(set(nodes[-1].tolist())) > 1:
            nodes.append(np.zeros(len(paths), dtype=np.int32))
        return nodes

    def joining_tree(self, encoded: Encoded) -> list[Codes]:
        """Return the tree without levels that merge none of the values that occur.

        Distances count levels, so repeating a level would bring values closer to each other.

        >>> paths = {"a": ("x", "x", "*", "*"), "b": ("x", "x", "*", "*"), "c": ("y", "y", "*", "*")}
        >>> encoded = as_microfile(pl.DataFrame({"v": ["a", "b", "c"]})).encoded("v")
        >>> [level.tolist() for level in Hierarchy.from_mapping(paths).joining_tree(encoded)]
        [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
        """
        first, *above = self.tree(encoded)
        sizes = [np.unique(level).size for level in (first, *above)]
        joining = [level for level, size, below in zip(above, sizes[1:], sizes[:-1], strict=True) if size < below]
        return [first, *(joining or above[-1:])]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def readable(width: float) -> float:
    """Round a width up to 1, 2 or 5 times a power of ten.

    >>> [readable(width) for width in (0.3, 4.6, 17)]
    [0.5, 5.0, 20.0]
    """
    power = decimal_exponent(width)
    # by way of text: 10 times 1e-06 is not 1e-05
    steps = (float(f"{step}e{power}") for step in (1, 2, 5, 10))
    return next(step for step in steps if step >= width * (1 - 1e-12))


def _halved(microfile: Microfile, name: str, levels: int, least: int) -> dict[str, tuple[str, ...]]:
    encoded, attribute = microfile.encoded(name), microfile.attribute(name)
    categories = [str(plain(value)) for value in encoded.values]
    counts = np.bincount(encoded.codes[encoded.codes >= 0], minlength=len(categories)).tolist()
    frequent = sorted((count, code) for code, count in enumerate(counts) if count >= least)
    if attribute.order:
        names = [str(category) for category in attribute.order]
    elif attribute.kind.ordered:
        names = [categories[code] for code in sorted(code for _, code in frequent)]
    else:
        names = [categories[code] for _, code in frequent]
    ranks = {label: rank for rank, label in enumerate(names if attribute.kind.ordered else sorted(names))}
    sets = [[label] for label in names]
    paths: dict[str, list[str]] = {label: [] for label in names}
    for _ in range(levels):
        if len(sets) <= 1:
            break
        sets = [list(itertools.chain(*sets[i : i + 2])) for i in range(0, len(sets), 2)]
        for members in sets:
            label = EVERYTHING if len(sets) == 1 else "{" + ", ".join(sorted(members, key=ranks.__getitem__)) + "}"
            for member in members:
                paths[member].append(label)
    if len(sets) > 1 or not any(paths.values()):
        for labels in paths.values():
            labels.append(EVERYTHING)
    return {label: tuple(labels) for label, labels in paths.items()}
