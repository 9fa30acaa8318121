"""What an outside file knows of a release: the attributes that both have, made comparable.

Each becomes a number of every outside record, NaN where missing, and a region of every released one: an interval, a set
of categories, which are numbered, or, where the release tells nothing, NaN.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.arrays import Codes, Flags, Reals
from sfumato.errors import SettingError, nearest
from sfumato.fuzzy.inversion import distinct_grades, ranges_behind
from sfumato.fuzzy.released import on_levels, sets_of, told_parts
from sfumato.kernels.bits import Words
from sfumato.microfile.attribute import Kind
from sfumato.microfile.encoding import Encoded
from sfumato.microfile.forms import NUMBER, Form, Fuzzy, Interval, Sets
from sfumato.microfile.microfile import Microfile

REACH = 0.01
"""A range that ends in the outermost hundredth of what was tried is taken to have no end."""
WHOLE = 1e-6
"""Grades that sum to less than one by more than this are those of a value beyond all sets."""


@dataclass(frozen=True)
class Known:
    """One attribute of both files."""

    name: str
    values: Reals
    """Of outside records."""
    los: Reals
    his: Reals
    """Of released records."""
    continuous: bool
    """Whether its numbers have distances; else it has categories."""
    rows: Codes
    """For each released record the row of ``bits`` with its categories, -1 where all between the ends belong to it."""
    bits: Words


def owners(forms: Mapping[str, Form]) -> dict[str, str]:
    """Return for each attribute that a release tells something of, which of its own tells it."""
    found: dict[str, str] = {}
    for name, form in forms.items():
        for attribute in sets_of(form).attributes if isinstance(form, Fuzzy) else (name,):
            found[attribute] = name
    return found


def common(forms: Mapping[str, Form], outside: Microfile, on: Sequence[str], usual: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes to link on: those asked for, or those of the usual ones that the outside file has."""
    there = owners(forms)
    for name in on:
        if on.count(name) > 1:
            raise SettingError(f"on names {name!r} twice")
        if name not in there:
            raise SettingError(f"on: the release tells nothing of {name!r}", hint=nearest(name, there))
        if name not in outside.attributes:
            raise SettingError(f"on: the outside file has no column {name!r}", hint=nearest(name, outside.names))
        if outside.is_blank(name):
            raise SettingError(f"on: the outside file has only missing values of {name!r}", hint="leave it out of on")
    found = tuple(on) or tuple(name for name in usual if name in outside.attributes and not outside.is_blank(name))
    if not found:
        raise SettingError(
            f"the outside file has none of the attributes that could link it: {', '.join(usual)}",
            hint="name its columns as the release does, or say with on which to use",
        )
    return found


def known_of(
    table: Microfile, forms: Mapping[str, Form], outside: Microfile, names: Sequence[str], *, inverted: bool, own: bool
) -> list[Known]:
    """Make the attributes of both files comparable.

    Parameters
    ----------
    table, forms
        A released table and how its attributes stand in it.
    outside, names
        The outside file, and the attributes to link on.
    inverted
        Whether fuzzy sets become the ranges that grades leave. If not, the grades of outside records are computed and
        compared, where all attributes of the sets are known.
    own
        Whether a missing value is one of its own.
    """
    found: list[Known] = []
    there = owners(forms)
    for owner in dict.fromkeys(there[name] for name in names):
        form = forms[owner]
        if isinstance(form, Fuzzy):
            asked = [name for name in sets_of(form).attributes if name in names]
            whole = len(asked) == len(sets_of(form).attributes)
            if whole and not inverted:
                found.append(_same_grades(table, owner, form, outside))
            else:
                found += _ranges(table, owner, form, outside, asked, whole=own and whole)
        else:
            found.append(_plainly(table, owner, form, outside))
    return found


def _plainly(table: Microfile, name: str, form: Form, outside: Microfile) -> Known:
    columns = form.columns(name)
    numeric = not isinstance(form, Sets) and table.attribute(columns[0]).kind is Kind.NUMERIC
    asked = outside.series(name).dtype
    if numeric and outside.attribute(name).kind is Kind.NUMERIC:
        if table.series(columns[0]).dtype.is_temporal() != asked.is_temporal():
            raise _other_kind(name, "dates" if asked.is_temporal() else "numbers")
        los, his = (_numbers(table, column) for column in (columns[0], columns[-1]))
        # with one end missing nothing is sure
        blank = np.isnan(los) | np.isnan(his)
        return _known(name, _numbers(outside, name), np.where(blank, np.nan, los), np.where(blank, np.nan, his))
    if isinstance(form, Interval) or (numeric and not asked.is_numeric()):
        raise _other_kind(name, "categories" if asked.is_numeric() else "text")
    return _categories(table, name, form, outside)


def _other_kind(name: str, outside: str) -> SettingError:
    return SettingError(
        f"on: {name!r} has {outside} in the outside file, and something else in the release",
        hint="make it of the same kind, or leave it out of on",
    )


def _numbers(microfile: Microfile, name: str) -> Reals:
    numbers, series = microfile.numbers(name), microfile.series(name)
    if not isinstance(series.dtype, pl.Date | pl.Datetime):
        return numbers
    # days, and times in any unit, become comparable
    local = series.dt.replace_time_zone(None) if isinstance(series.dtype, pl.Datetime) else series
    moments = local.cast(pl.Datetime("us")).to_physical().cast(pl.Float64).fill_null(float("nan"))
    return np.where(np.isnan(numbers), np.nan, moments.to_numpy())


def _known(name: str, values: Reals, los: Reals, his: Reals, *, continuous: bool = True) -> Known:
    nothing = np.empty((0, 1), dtype=np.uint64)
    return Known(name, values, los, his, continuous, np.full(los.size, -1, dtype=np.int32), nothing)


def _categories(table: Microfile, name: str, form: Form, outside: Microfile) -> Known:
    """Give numbers to the categories, so that those of large sets lie side by side."""
    released, asking = table.encoded(name), outside.encoded(name)
    labels = [str(value) for value in released.values.tolist()]
    numeric = outside.series(name).dtype.is_numeric()
    names = [_as_number(str(value)) if numeric else str(value) for value in asking.values.tolist()]
    told: list[tuple[str, ...]] = [(label,) for label in labels]
    if isinstance(form, Sets):
        behind = form.behind(asking.values.tolist() if asking.values.dtype == object else list(asking.values))
        told = [form.members[label] for label in labels]
    members = [tuple(map(_as_number, its)) if numeric else its for its in told]
    if isinstance(form, Sets):
        # labels of nodes list no values, and those that stand for any value not all of them
        members = [
            tuple(dict.fromkeys((*its, *(names[place] for place in behind[label]))))
            for label, its in zip(labels, members, strict=True)
        ]
        if form.open:
            every = tuple(dict.fromkeys(itertools.chain(*members)))
            members = [every if label in form.open else its for label, its in zip(labels, members, strict=True)]
    numbers: dict[str, int] = {}
    for its in sorted(members, key=len, reverse=True):
        for category in its:
            numbers.setdefault(category, len(numbers))
    codes = [numbers.get(category, len(numbers)) for category in names]
    if names and min(codes) == len(numbers):
        raise SettingError(
            f"on: no category of {name!r} in the outside file is one of the release",
            hint="write them as the release does, or leave it out of on",
        )
    own = [sorted({numbers[category] for category in its}) for its in members]
    torn = [place for place, its in enumerate(own) if its[-1] - its[0] + 1 != len(its)]
    rows = np.full(len(own) + 1, -1, dtype=np.int32)
    rows[torn] = np.arange(len(torn))
    flags = np.zeros((len(torn), -(-max(len(numbers), 1) // 64) * 64), dtype=np.uint8)
    for row, place in enumerate(torn):
        flags[row, own[place]] = 1
    bits = np.ascontiguousarray(np.packbits(flags, axis=1, bitorder="little")).view(np.uint64)
    los, his = (_spread(released, [float(its[end]) for its in own]) for end in (0, -1))
    return Known(name, _spread(asking, [float(code) for code in codes]), los, his, False, rows[released.codes], bits)


def _spread(encoded: Encoded, numbers: Sequence[float]) -> Reals:
    # the last number stands for a missing value, whose code is -1
    return np.array([*numbers, np.nan])[encoded.codes]


def _as_number(category: str) -> str:
    """Write a number as it is read from any file: whole ones without a point."""
    if not NUMBER.fullmatch(category):
        return category
    number = float(category)
    return str(int(number)) if number.is_integer() else repr(number)


def _complete(outside: Microfile, names: Sequence[str]) -> tuple[Reals, Flags]:
    """Return numbers of the outside file, records by attributes, and which records lack one."""
    for name in names:
        if outside.attribute(name).kind is not Kind.NUMERIC or outside.series(name).dtype.is_temporal():
            raise _other_kind(name, "no numbers")
    values = np.column_stack([outside.numbers(name) for name in names])
    return values, np.asarray(np.isnan(values).any(axis=1))


def _same_grades(table: Microfile, name: str, form: Fuzzy, outside: Microfile) -> Known:
    """Compute the grades that outside records would have been released with: who knows the sets can."""
    sets = sets_of(form)
    values, lacking = _complete(outside, sets.attributes)
    grades = sets.grades(np.where(lacking[:, None], 0.0, values))
    parts, blank = told_parts(table, name, form)
    together = np.concatenate([parts, on_levels(grades, form.levels)])
    _, codes = distinct_grades(together, words=form.shown == "words")
    own, theirs = codes[: len(parts)].astype(np.float64), codes[len(parts) :].astype(np.float64)
    theirs[grades.sum(axis=1) < 1.0 - WHOLE] = -1.0
    own[blank], theirs[lacking] = np.nan, np.nan
    return _known(name, theirs, own, own, continuous=False)


def _ranges(
    table: Microfile, owner: str, form: Fuzzy, outside: Microfile, asked: Sequence[str], *, whole: bool
) -> list[Known]:
    """Invert the grades, as far as they leave a range of each attribute.

    ``whole`` tells that who lacks one attribute is released without grades, so that it lacks all.
    """
    sets = sets_of(form)
    parts, blank = told_parts(table, owner, form)
    found = ranges_behind(sets, parts, form.levels, words=form.shown == "words")
    # what lies beyond the outermost values that were tried was not tried
    reach = REACH * (found.span[:, 1] - found.span[:, 0])
    los = np.where(found.lo <= found.span[:, 0] + reach, -np.inf, found.lo - found.steps)
    his = np.where(found.hi >= found.span[:, 1] - reach, np.inf, found.hi + found.steps)
    values, lacking = _complete(outside, asked)
    if whole:
        values[lacking] = np.nan
    made = []
    for name, column in zip(asked, values.T, strict=True):
        place = sets.attributes.index(name)
        low, high = (np.where(blank, np.nan, ends[found.of_records, place]) for ends in (los, his))
        made.append(_known(name, column, low, high))
    return made
