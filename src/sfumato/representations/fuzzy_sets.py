"""An attribute that is released as words or grades of fuzzy sets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from pydantic import Field

from sfumato.array_types import Codes, Flags, Reals
from sfumato.errors import ReleaseError, SettingError
from sfumato.fuzzy import BETWEEN, Inversion, PublicSets, distinct_grades, invert, on_levels, ranges_behind, read_sets
from sfumato.kernels.algebra import product
from sfumato.microfile import Microfile
from sfumato.representations.attribute_pair import Comparable, OutsideFile, different_kind
from sfumato.representations.representation import Misfit, Representation, is_plain_number

TOLERANCE = 1e-6
"""By how much a released grade may differ from a multiple of a level, by rounding."""
REACH = 0.01
"""A range that ends in the outermost hundredth of what was tried is taken to have no end."""
WHOLE = 1e-6
"""Grades whose sum falls short of one by more than this belong to a value beyond all sets."""


class Fuzzy(Representation):
    """Fuzzy sets of an attribute's values, or of several attributes' together.

    They are released as words, in a column of the attribute's name, or as grades, in one column ``<name>.<set>`` per
    set.
    """

    form: Literal["fuzzy"] = "fuzzy"
    sets: dict[str, str] = Field(min_length=1)
    """Each set with its meaning."""
    shown: Literal["words", "grades"] = "words"
    """Whether a record has the words of all sets that it belongs to, or its grades."""
    levels: int = Field(ge=1)
    """Grades are multiples of one divided by this number."""
    definition: dict[str, Any]
    """From what the grades are computed, as :func:`~sfumato.fuzzy.codebook_sets.read_sets` reads it."""

    invertible: ClassVar[bool] = True

    @classmethod
    def of(cls, sets: PublicSets, *, shown: Literal["words", "grades"], levels: int) -> Fuzzy:
        """Return how sets are released."""
        return cls(sets=sets.words(), shown=shown, levels=levels, definition=sets.model_dump(mode="json"))

    def public_sets(self) -> PublicSets:
        """Return the sets, from which anybody can compute grades of values."""
        return read_sets(self.definition)

    def columns(self, attribute: str) -> tuple[str, ...]:
        """Return the table's columns of the attribute."""
        return (attribute,) if self.shown == "words" else tuple(f"{attribute}.{name}" for name in self.sets)

    def attributes(self, attribute: str) -> tuple[str, ...]:
        """Return the original attributes of the sets; none where the definition cannot be read."""
        try:
            return self.public_sets().attributes
        except ValueError:
            # the audit reports it
            return ()

    def write(self, attribute: str, level_counts: Codes, lacking: Flags) -> dict[str, pl.Series]:
        """Return the released columns.

        Parameters
        ----------
        attribute
            The attribute.
        level_counts
            Records by sets: grades as multiples of one level.
        lacking
            Which records lack a value.
        """
        if self.shown == "grades":
            grades = np.where(lacking[:, None], np.nan, level_counts / self.levels)
            columns = zip(self.columns(attribute), grades.T, strict=True)
            return {name: pl.Series(name, np.ascontiguousarray(column), nan_to_null=True) for name, column in columns}
        present = level_counts > 0
        keys = present @ (1 << np.arange(present.shape[1], dtype=np.int64))
        distinct, codes = np.unique(keys, return_inverse=True)
        words = list(self.sets)
        labels = [BETWEEN.join(word for bit, word in enumerate(words) if key >> bit & 1) for key in distinct.tolist()]
        with_missing = pl.Series(attribute, [*labels, None], dtype=pl.String)
        return {attribute: with_missing.gather(np.where(lacking, len(labels), codes)).alias(attribute)}

    def memberships(self, table: Microfile, attribute: str) -> Reals:
        """Return the released memberships; a record with several words belongs to each equally.

        Records that lack the attribute belong to one set more, the last.
        """
        if self.shown == "grades":
            released = np.stack([table.numbers(column) for column in self.columns(attribute)], axis=1)
            lacking: Flags = np.asarray(np.isnan(released).any(axis=1))
            grades = np.where(lacking[:, None], 0.0, released)
        else:
            encoded = table.encoded(attribute)
            words = list(self.sets)
            rows = np.zeros((encoded.values.size + 1, len(words)))
            for row, label in enumerate(encoded.values.tolist()):
                positions = [words.index(word) for word in str(label).split(BETWEEN)]
                rows[row, positions] = 1.0 / len(positions)
            # the code of a missing value, -1, is the last row
            grades, lacking = rows[encoded.codes], encoded.missing
        return np.column_stack([grades, lacking]) if lacking.any() else grades

    def released_level_counts(self, table: Microfile, attribute: str) -> tuple[Codes, Flags]:
        """Return each record's grades as multiples of one level, or 1 for each word; and which records have none."""
        grades = self.memberships(table, attribute)[:, : len(self.sets)]
        is_words = self.shown == "words"
        level_counts = (grades > 0).astype(np.int32) if is_words else np.rint(grades * self.levels).astype(np.int32)
        return level_counts, np.asarray(~grades.any(axis=1))

    def misfits(self, table: Microfile, attribute: str) -> Iterator[Misfit]:
        """Check that words or grades are those of the sets that the codebook defines."""
        message = self._misfit(table, attribute)
        if message is not None:
            yield Misfit("codebook", message)

    def _misfit(self, table: Microfile, attribute: str) -> str | None:
        try:
            sets = self.public_sets()
            sets.check()
            words = sets.words()
        except (ValueError, SettingError):
            return f"does not define the sets of {attribute!r}"
        if words != self.sets:
            return f"lists other sets of {attribute!r} than it defines"
        if self.shown == "words":
            labels = [str(label).split(BETWEEN) for label in table.encoded(attribute).values.tolist()]
            strange = sum(label != [word for word in self.sets if word in label] for label in labels)
            return f"does not explain {strange} labels of column {attribute!r}" if strange else None
        columns = [table.series(column) for column in self.columns(attribute)]
        if not all(series.dtype.is_numeric() for series in columns):
            return f"says that {attribute!r} has grades, but its columns are not numeric"
        grades = np.stack([series.cast(pl.Float64).fill_null(np.nan).to_numpy() for series in columns], axis=1)
        level_counts = grades[~np.isnan(grades).all(axis=1)] * self.levels
        is_multiple = (np.abs(level_counts - np.rint(level_counts)) < TOLERANCE) & (level_counts > -TOLERANCE)
        wrong = int((~is_multiple.all(axis=1) | (np.abs(level_counts.sum(axis=1) - self.levels) > TOLERANCE)).sum())
        if not wrong:
            return None
        return f"says that {attribute!r} has grades on {self.levels} levels, but others occur ({wrong:,} records)"

    def description(self, attribute: str) -> str:
        """Describe it in a few words."""
        kind = "words" if self.shown == "words" else f"grades on {self.levels} levels"
        return f"as {kind} of {len(self.sets):,} fuzzy sets"

    def title_column(self, attribute: str) -> str | None:
        """Return the column of words; grades have no title."""
        return attribute if self.shown == "words" else None

    def explanations(self) -> Collection[str]:
        """Return what the sets mean."""
        return self.sets.values()

    def repeated_settings(self) -> dict[str, Any]:
        """Return what the settings of a fuzzy partition repeat."""
        return {"levels": self.levels, "shown": self.shown}

    def has_bounds(self, table: Microfile, attribute: str) -> bool:
        """Whether values have guaranteed bounds; never, because fuzzy sets have no sharp ends."""
        return False

    def bounds(self, table: Microfile, attribute: str) -> tuple[Reals, Reals]:
        """Refuse: nothing would be guaranteed."""
        raise ReleaseError(f"attribute {attribute!r} is released as fuzzy sets, which guarantee no bounds")

    def estimates(self, table: Microfile, attribute: str) -> dict[str, Reals]:
        """Return the centres of the sets, weighted by a record's grades; NaN of a record without a set."""
        sets = self.public_sets()
        grades = self.memberships(table, attribute)[:, : len(self.sets)]
        has_sets = grades.sum(axis=1) > 0
        estimates = np.where(has_sets[:, None], product(grades, sets.midpoints()), np.nan)
        return {name: estimates[:, column] for column, name in enumerate(sets.attributes)}

    def coverage(self, table: Microfile, attribute: str, original: Microfile | None = None) -> tuple[Reals, Flags]:
        """Return no share for every word: how much its fuzzy set covers is measured by :meth:`detail_lost`."""
        return np.zeros(table.records), ~table.encoded(attribute).missing

    def detail_lost(self, table: Microfile, attribute: str) -> dict[str, Reals]:
        """Return how much of their span the values behind words or grades can have, for each original attribute."""
        sets, (level_counts, lacking) = self.public_sets(), self.released_level_counts(table, attribute)
        lost = {name: np.ones(table.records) for name in sets.attributes}
        if lacking.all():
            return lost
        ranges = ranges_behind(sets, level_counts[~lacking], self.levels, words=self.shown == "words")
        spans = ranges.span[:, 1] - ranges.span[:, 0]
        # grades that no tried value has leave less than the distance between two of them
        widths = np.nan_to_num(ranges.hi - ranges.lo, nan=0.0)[ranges.of_records]
        for column, name in enumerate(sets.attributes):
            lost[name][~lacking] = widths[:, column] / spans[column] if spans[column] > 0 else 0.0
        return lost

    def inversions(self, table: Microfile, attribute: str) -> list[Inversion]:
        """Measure how exactly the words or grades give back the values behind them."""
        level_counts, lacking = self.released_level_counts(table, attribute)
        if lacking.all():
            return []
        return invert(self.public_sets(), level_counts[~lacking], self.levels, words=self.shown == "words")

    def reconstruct(self, table: Microfile, attribute: str) -> dict[str, pl.Series]:
        """Return the midpoints of the values that would have a record's words or grades."""
        level_counts, lacking = self.released_level_counts(table, attribute)
        sets = self.public_sets()
        ranges = ranges_behind(sets, level_counts, self.levels, words=self.shown == "words")
        midpoints = ((ranges.lo + ranges.hi) / 2)[ranges.of_records]
        midpoints[lacking] = np.nan
        columns = zip(sets.attributes, midpoints.T, strict=True)
        return {name: pl.Series(name, values, nan_to_null=True) for name, values in columns}

    def compare(self, table: Microfile, attribute: str, outside: OutsideFile) -> list[Comparable]:
        """Compare grades where all attributes of the sets are known, else the ranges that grades leave."""
        attributes = self.public_sets().attributes
        compared = [name for name in attributes if name in outside.names]
        has_all = len(compared) == len(attributes)
        if has_all and not outside.inverted:
            return [self._compare_grades(table, attribute, outside.microfile)]
        lacks_all = has_all and outside.missing_own
        return self._compare_ranges(table, attribute, outside.microfile, compared, lacks_all=lacks_all)

    def _compare_grades(self, table: Microfile, attribute: str, outside: Microfile) -> Comparable:
        """Compute the grades that outside records would be released with, as anybody can who knows the sets."""
        sets = self.public_sets()
        values, lacking = _complete(outside, sets.attributes)
        grades = sets.grades(np.where(lacking[:, None], 0.0, values))
        level_counts, blank = self.released_level_counts(table, attribute)
        stacked = np.concatenate([level_counts, on_levels(grades, self.levels)])
        _, codes = distinct_grades(stacked, words=self.shown == "words")
        released, computed = (
            codes[: len(level_counts)].astype(np.float64),
            codes[len(level_counts) :].astype(np.float64),
        )
        computed[grades.sum(axis=1) < 1.0 - WHOLE] = -1.0
        released[blank], computed[lacking] = np.nan, np.nan
        return Comparable.of_ranges(attribute, computed, released, released, continuous=False)

    def _compare_ranges(
        self, table: Microfile, attribute: str, outside: Microfile, compared: Sequence[str], *, lacks_all: bool
    ) -> list[Comparable]:
        """Invert the grades, as far as they leave a range of each attribute.

        With ``lacks_all``, a record that lacks one attribute is released without grades, so that it lacks all.
        """
        sets = self.public_sets()
        level_counts, blank = self.released_level_counts(table, attribute)
        ranges = ranges_behind(sets, level_counts, self.levels, words=self.shown == "words")
        # what lies beyond the outermost values that were tried was not tried
        reach = REACH * (ranges.span[:, 1] - ranges.span[:, 0])
        los = np.where(ranges.lo <= ranges.span[:, 0] + reach, -np.inf, ranges.lo - ranges.steps)
        his = np.where(ranges.hi >= ranges.span[:, 1] - reach, np.inf, ranges.hi + ranges.steps)
        values, lacking = _complete(outside, compared)
        if lacks_all:
            values[lacking] = np.nan
        comparables = []
        for name, column in zip(compared, values.T, strict=True):
            axis = sets.attributes.index(name)
            low, high = (np.where(blank, np.nan, ends[ranges.of_records, axis]) for ends in (los, his))
            comparables.append(Comparable.of_ranges(name, column, low, high))
        return comparables


def _complete(outside: Microfile, names: Sequence[str]) -> tuple[Reals, Flags]:
    """Return numbers of the outside file, records by attributes, and which records lack one."""
    for name in names:
        if not is_plain_number(outside, name):
            raise different_kind(name, "values that are not numbers")
    values = np.column_stack([outside.numbers(name) for name in names])
    return values, np.asarray(np.isnan(values).any(axis=1))
