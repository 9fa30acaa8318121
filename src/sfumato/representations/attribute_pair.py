"""A released attribute beside the same attribute of an outside file.

Each becomes a number of every outside record, NaN where missing, and a region of every released one: an interval, a set
of categories, which are numbered, or NaN where the release says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from sfumato.array_types import Codes, Reals
from sfumato.errors import SettingError
from sfumato.microfile import Encoded, Kind, Microfile
from sfumato.quiet_repr import quiet

if TYPE_CHECKING:
    from sfumato.kernels.bit_sets import Words

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?")
"""How numbers are written."""


@quiet
@dataclass(frozen=True)
class Comparable:
    """One attribute of a release and of an outside file."""

    name: str
    """The attribute."""
    values: Reals
    """Of outside records."""
    los: Reals
    """The lower ends."""
    his: Reals
    """Of released records."""
    continuous: bool
    """Whether its numbers have distances; else it has categories."""
    rows: Codes
    """For each released record the row of ``bits`` with its categories, -1 where all between the ends belong to it."""
    bits: Words
    """The categories of each value, as bits."""

    @classmethod
    def of_ranges(cls, name: str, values: Reals, los: Reals, his: Reals, *, continuous: bool = True) -> Comparable:
        """Compare with all numbers between two bounds."""
        no_bits = np.empty((0, 1), dtype=np.uint64)
        return cls(name, values, los, his, continuous, np.full(los.size, -1, dtype=np.int32), no_bits)


@quiet
@dataclass(frozen=True)
class OutsideFile:
    """A file that an attacker has beside a release, and how the two are compared."""

    microfile: Microfile
    """The file."""
    names: tuple[str, ...]
    """The original attributes to compare."""
    inverted: bool
    """Whether an invertible attribute becomes the ranges that its cells leave. If not, the cells that outside records
    would have are computed and compared, where all original attributes are known."""
    missing_own: bool
    """Whether a missing value is a value of its own."""


def are_numeric(table: Microfile, column: str, outside: Microfile, attribute: str) -> bool:
    """Whether an attribute has numbers, or dates, in both files."""
    return table.attribute(column).kind is Kind.NUMERIC and outside.attribute(attribute).kind is Kind.NUMERIC


def compare_ranges(table: Microfile, columns: tuple[str, str], outside: Microfile, attribute: str) -> Comparable:
    """Compare numbers, or dates, with those between two columns of a release."""
    is_temporal = outside.series(attribute).dtype.is_temporal()
    if table.series(columns[0]).dtype.is_temporal() != is_temporal:
        raise different_kind(attribute, "dates" if is_temporal else "numbers")
    los, his = (_comparable_numbers(table, column) for column in columns)
    # with one bound missing nothing is certain
    blank = np.isnan(los) | np.isnan(his)
    return Comparable.of_ranges(
        attribute,
        _comparable_numbers(outside, attribute),
        np.where(blank, np.nan, los),
        np.where(blank, np.nan, his),
    )


def compare_categories(
    table: Microfile, outside: Microfile, attribute: str, members: Sequence[tuple[str, ...]]
) -> Comparable:
    """Compare categories with the sets behind labels.

    Parameters
    ----------
    table, outside, attribute
        The released table, the outside file and the attribute.
    members
        The categories behind each released label, written as :func:`outside_categories` writes them.
    """
    released, asking = table.encoded(attribute), outside.encoded(attribute)
    # categories of large sets get neighbouring numbers, so that most sets are ranges
    category_codes: dict[str, int] = {}
    for categories in sorted(members, key=len, reverse=True):
        for category in categories:
            category_codes.setdefault(category, len(category_codes))
    n_categories = len(category_codes)
    codes = [category_codes.get(category, n_categories) for category in outside_categories(outside, attribute)]
    if codes and min(codes) == n_categories:
        raise SettingError(
            f"on: no category of {attribute!r} in the outside file occurs in the release",
            hint="write the categories as the release does, or leave the attribute out of on",
            setting="on",
            column=attribute,
        )
    sets = [sorted({category_codes[category] for category in categories}) for categories in members]
    scattered = [index for index, codes_of_set in enumerate(sets) if np.ptp(codes_of_set) + 1 != len(codes_of_set)]
    rows = np.full(len(sets) + 1, -1, dtype=np.int32)
    rows[scattered] = np.arange(len(scattered))
    flags = np.zeros((len(scattered), -(-max(n_categories, 1) // 64) * 64), dtype=np.uint8)
    for row, index in enumerate(scattered):
        flags[row, sets[index]] = 1
    bits = np.ascontiguousarray(np.packbits(flags, axis=1, bitorder="little")).view(np.uint64)
    los, his = (_of_records(released, [float(codes_of_set[end]) for codes_of_set in sets]) for end in (0, -1))
    values = _of_records(asking, [float(code) for code in codes])
    return Comparable(attribute, values, los, his, False, rows[released.codes], bits)


def outside_categories(outside: Microfile, attribute: str) -> list[str]:
    """Return the categories of an outside file, numbers in their usual notation."""
    values = map(str, outside.encoded(attribute).values.tolist())
    return [usual_notation(value) for value in values] if outside.series(attribute).dtype.is_numeric() else list(values)


def usual_notation(category: str) -> str:
    """Write a number as it is read from any file: whole ones without a point."""
    if not NUMBER.fullmatch(category):
        return category
    number = float(category)
    return str(int(number)) if number.is_integer() else repr(number)


def different_kind(attribute: str, outside: str) -> SettingError:
    """Return the error that an attribute is of another kind in the outside file."""
    return SettingError(
        f"on: {attribute!r} has {outside} in the outside file, but not in the release",
        hint="convert it to the same kind, or leave it out of on",
        setting="on",
        column=attribute,
    )


def not_numeric(outside: Microfile, attribute: str) -> SettingError:
    """Return the error that the outside file has no numbers to compare with those of the release."""
    is_numeric = outside.series(attribute).dtype.is_numeric()
    return different_kind(attribute, "categories" if is_numeric else "text")


def _comparable_numbers(microfile: Microfile, name: str) -> Reals:
    numbers, series = microfile.numbers(name), microfile.series(name)
    if not isinstance(series.dtype, pl.Date | pl.Datetime):
        return numbers
    # days, and times in any unit, become comparable
    local = series.dt.replace_time_zone(None) if isinstance(series.dtype, pl.Datetime) else series
    moments = local.cast(pl.Datetime("us")).to_physical().cast(pl.Float64).fill_null(float("nan"))
    return np.where(np.isnan(numbers), np.nan, moments.to_numpy())


def _of_records(encoded: Encoded, numbers: Sequence[float]) -> Reals:
    # the last number belongs to a missing value, whose code is -1
    return np.array([*numbers, np.nan])[encoded.codes]
