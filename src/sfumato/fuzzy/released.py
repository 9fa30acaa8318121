"""Fuzzy sets as a release tells them: from what it says, anybody can compute the grades of any values."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import numpy as np
import polars as pl
from pydantic import Field, TypeAdapter, model_validator

from sfumato.arrays import Codes, Flags, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.shapes import written
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.kernels.algebra import eigen, pseudo_inverse
from sfumato.kernels.elementary import powers
from sfumato.microfile.forms import Fuzzy
from sfumato.microfile.microfile import Microfile
from sfumato.settings import Settings

BETWEEN = " / "
"""What stands between the words of a record that belongs to several sets."""
TOLERANCE = 1e-6
"""How far a released grade may lie from a multiple of a level, by rounding."""


class ShapedSets(Settings):
    """The words of one attribute."""

    kind: Literal["shapes"] = "shapes"
    variable: LinguisticVariable

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attribute."""
        return (self.variable.attribute,)

    def words(self) -> dict[str, str]:
        """Say what each set means."""
        return self.variable.words()

    def grades(self, values: Reals) -> Reals:
        """Return the grades of values: records by sets."""
        return self.variable.grades(values[:, 0])

    def spans(self) -> Reals:
        """Return between which values the sets lie, and as far again on either side: attributes by two."""
        bends = sorted(bend for shape in self.variable.values.values() for bend in shape.bends) or [0.0]
        width = bends[-1] - bends[0]
        return np.array([[bends[0] - width, bends[-1] + width]])

    def extents(self) -> Reals:
        """Return how far the sets reach: from the lowest corner of a shape to the highest."""
        bends = [bend for shape in self.variable.values.values() for bend in shape.bends] or [0.0]
        return np.array([max(bends) - min(bends) or 1.0])


class ClusteredSets(Settings):
    """Sets around centres in several attributes, each with a norm of its own."""

    kind: Literal["clusters"] = "clusters"
    attributes: tuple[str, ...]
    names: tuple[str, ...]
    centres: tuple[tuple[float, ...], ...]
    """Sets by attributes."""
    norms: tuple[tuple[tuple[float, ...], ...], ...]
    """Sets by attributes by attributes: A of (x - v)'A(x - v)."""
    fuzzifier: float | None = Field(default=None, gt=1)
    """m of the memberships; default: a record belongs to the nearest set alone."""

    @model_validator(mode="after")
    def _fits(self) -> ClusteredSets:
        width = len(self.attributes)
        if not len(self.names) == len(self.centres) == len(self.norms) or not width:
            raise ValueError("there must be as many names as centres and norms")
        square = all(len(norm) == width and all(len(row) == width for row in norm) for norm in self.norms)
        if not square or any(len(centre) != width for centre in self.centres):
            raise ValueError("centres and norms must have as many numbers as there are attributes")
        levels = np.stack([eigen(norm)[0] for norm in self.norms])
        if not (levels[:, 0] > 0).all():
            raise ValueError("norms must be positive definite")
        return self

    def words(self) -> dict[str, str]:
        """Say what each set means."""
        how = "the nearer" if self.fuzzifier else "the nearest"
        told = [", ".join(f"{a} {written(v)}" for a, v in zip(self.attributes, c, strict=True)) for c in self.centres]
        return {name: f"{how} to {centre}" for name, centre in zip(self.names, told, strict=True)}

    def grades(self, values: Reals) -> Reals:
        """Return the grades of values: records by sets."""
        squares = np.empty((len(values), len(self.centres)))
        for place, (centre, norm) in enumerate(zip(self.centres, self.norms, strict=True)):
            away = values - np.array(centre)
            squares[:, place] = sum(
                factor * away[:, row] * away[:, column]
                for row, factors in enumerate(norm)
                for column, factor in enumerate(factors)
                if factor
            )
        squares = np.maximum(squares, 0.0)
        nearest = squares.min(axis=1, keepdims=True)
        if self.fuzzifier is None:
            grades = np.zeros_like(squares)
            grades[np.arange(len(values)), squares.argmin(axis=1)] = 1.0
            return grades
        # u_i = 1 / sum_j (d_i^2 / d_j^2)^(1/(m-1)); at a centre the nearest sets share the record
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(nearest > 0, nearest / squares, squares == 0)
        shares = powers(relative, 1.0 / (self.fuzzifier - 1.0))
        grades = shares / shares.sum(axis=1, keepdims=True)
        return np.asarray(grades, dtype=np.float64)

    def spans(self) -> Reals:
        """Return between which values the sets lie, and a little beyond: attributes by two."""
        centres = np.array(self.centres)
        beyond = 0.5 * np.ptp(centres, axis=0) + self._reach()
        return np.stack([centres.min(axis=0) - beyond, centres.max(axis=0) + beyond], axis=1)

    def extents(self) -> Reals:
        """Return how far the sets reach in each attribute: from the lowest to the highest centre, and a norm beyond."""
        return np.asarray(np.ptp(np.array(self.centres), axis=0) + 2.0 * self._reach(), dtype=np.float64)

    def _reach(self) -> Reals:
        reaches = []
        for norm in map(np.array, self.norms):
            # attributes in their own units may differ by more than a matrix of them can hold
            units = np.sqrt(np.diagonal(norm))
            reaches.append(np.sqrt(np.diagonal(pseudo_inverse(norm / units / units[:, None]))) / units)
        # one way along which a set is long does not make all of them reach so far
        return np.asarray(np.min(reaches, axis=0), dtype=np.float64)


PublicSets: TypeAlias = ShapedSets | ClusteredSets
_READ: TypeAdapter[PublicSets] = TypeAdapter(Annotated[PublicSets, Field(discriminator="kind")])


def sets_of(form: Fuzzy) -> PublicSets:
    """Return the sets of a released attribute."""
    return _READ.validate_python(form.definition)


def form_of(sets: PublicSets, *, shown: Literal["words", "grades"], levels: int) -> Fuzzy:
    """Return how sets stand in a release."""
    return Fuzzy(sets=sets.words(), shown=shown, levels=levels, definition=sets.model_dump(mode="json"))


def on_levels(grades: Reals, levels: int) -> Codes:
    """Round grades to whole parts of ``levels``, so that those of a record still sum to all: by largest remainders.

    >>> on_levels(np.array([[0.5, 0.3, 0.2]]), 4).tolist()
    [[2, 1, 1]]
    """
    scaled = grades * levels
    parts = np.floor(scaled + 1e-9)
    lacking = levels - parts.sum(axis=1, keepdims=True)
    order = np.argsort(parts - scaled, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(grades.shape[1])[None], axis=1)
    whole: Codes = (parts + (ranks < lacking)).astype(np.int32)
    return whole


def columns_of(attribute: str, form: Fuzzy, parts: Codes, lacking: Flags) -> dict[str, pl.Series]:
    """Return what stands in the columns of a release.

    Parameters
    ----------
    attribute, form
        The attribute and how it stands in the release.
    parts
        Records by sets: grades in parts of ``levels``.
    lacking
        Which records lack a value.
    """
    names = form.columns(attribute)
    if form.shown == "grades":
        grades = np.where(lacking[:, None], np.nan, parts / form.levels)
        columns = zip(names, grades.T, strict=True)
        return {name: pl.Series(name, np.ascontiguousarray(column), nan_to_null=True) for name, column in columns}
    present = parts > 0
    keys = present @ (1 << np.arange(present.shape[1], dtype=np.int64))
    found, codes = np.unique(keys, return_inverse=True)
    words = list(form.sets)
    labels = [BETWEEN.join(word for place, word in enumerate(words) if key >> place & 1) for key in found.tolist()]
    told = pl.Series(attribute, [*labels, None], dtype=pl.String)
    return {attribute: told.gather(np.where(lacking, len(labels), codes)).alias(attribute)}


def memberships_of(table: Microfile, attribute: str, form: Fuzzy) -> Reals:
    """Return the memberships that a release tells; a record with several words belongs to each alike.

    Records that lack the attribute belong to one set more, the last.
    """
    if form.shown == "grades":
        told = np.stack([table.numbers(column) for column in form.columns(attribute)], axis=1)
        lacking: Flags = np.asarray(np.isnan(told).any(axis=1))
        grades = np.where(lacking[:, None], 0.0, told)
    else:
        encoded = table.encoded(attribute)
        words = list(form.sets)
        rows = np.zeros((encoded.values.size + 1, len(words)))
        for place, label in enumerate(encoded.values.tolist()):
            its = [words.index(word) for word in str(label).split(BETWEEN)]
            rows[place, its] = 1.0 / len(its)
        # the code of a missing value, -1, is the last row
        grades, lacking = rows[encoded.codes], encoded.missing
    return np.column_stack([grades, lacking]) if lacking.any() else grades


def _is_label(words: list[str], known: list[str]) -> bool:
    """Whether words are some of the known ones, in their order."""
    return words == [word for word in known if word in words]


def misfit(table: Microfile, attribute: str, form: Fuzzy) -> str | None:
    """Say what is wrong with a released attribute, if anything."""
    try:
        sets = sets_of(form)
        if isinstance(sets, ShapedSets):
            sets.variable.check_ruspini()
        known = sets.words()
    except (ValueError, SettingError):
        return f"does not define the sets of {attribute!r}"
    if known != form.sets:
        return f"says other sets of {attribute!r} than it defines"
    if form.shown == "words":
        labels = [str(label) for label in table.encoded(attribute).values.tolist()]
        strange = sum(not _is_label(label.split(BETWEEN), list(form.sets)) for label in labels)
        return f"does not explain {strange} labels of column {attribute!r}" if strange else None
    grades = [table.series(column) for column in form.columns(attribute)]
    if not all(series.dtype.is_numeric() for series in grades):
        return f"says that {attribute!r} has grades, which are no numbers"
    told = np.stack([series.cast(pl.Float64).fill_null(np.nan).to_numpy() for series in grades], axis=1)
    parts = told[~np.isnan(told).all(axis=1)] * form.levels
    whole = (np.abs(parts - np.rint(parts)) < TOLERANCE) & (parts > -TOLERANCE)
    wrong = int((~whole.all(axis=1) | (np.abs(parts.sum(axis=1) - form.levels) > TOLERANCE)).sum())
    return (
        f"says that {attribute!r} has grades on {form.levels} levels; {wrong:,} records have others" if wrong else None
    )


def told_parts(table: Microfile, name: str, form: Fuzzy) -> tuple[Codes, Flags]:
    """Return what a released attribute tells of each record, grades in parts of its levels or 1 for each word.

    And which records it tells nothing of.
    """
    grades = memberships_of(table, name, form)[:, : len(form.sets)]
    parts = (grades > 0).astype(np.int32) if form.shown == "words" else np.rint(grades * form.levels).astype(np.int32)
    return parts, np.asarray(~grades.any(axis=1))
