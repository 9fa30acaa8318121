"""The microfile: a frame of any library, with the kinds of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from sfumato.array_types import Reals
from sfumato.errors import MicrofileError, SettingError, nearest, needs
from sfumato.fork_guard import begin_work
from sfumato.microfile.attribute import Attribute, Code, Kind, kind_named, ordered_categories
from sfumato.microfile.encoded_column import Encoded, encode, is_one_of
from sfumato.microfile.frames import eager, emptied, frame_of, is_plain, may_hide, without_index
from sfumato.microfile.times import times_outside, unsupported_zone
from sfumato.microfile.unused_categories import without_unused_categories
from sfumato.notebook_tables import MOST_ROWS
from sfumato.notebook_tables import table as html_table
from sfumato.threads import side_by_side

Missing = Code | Iterable[Code] | Mapping[str, Code | Iterable[Code]]
Kinds = Mapping[str, str | Sequence[Code]]
GLANCE = 1000
"""How many values are looked at first where a single one may decide."""


class Microfile:
    """A file with one record per person, household or firm.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table; a stream (``RecordBatchReader``) or dataset of pyarrow, which is read
        completely; or anything that exports a stream of Arrow (``__arrow_c_stream__``).
    kinds
        For columns whose kind is guessed wrong: ``"numeric"``, ``"categorical"``, ``"ordinal"`` or,
        for an ordinal attribute, its categories from lowest to highest.
    missing
        Codes that mean a missing value, for all columns or per column. Null, NaN and the empty
        text always do.
    labels
        What the codes of each column mean.
    titles
        The columns' names in words.

    Examples
    --------
    >>> import polars as pl
    >>> people = Microfile(pl.DataFrame({"age": [31, 99], "sex": ["f", "m"]}), missing={"age": [99]})
    >>> people
    Microfile of 2 records: age (numeric), sex (categorical)
    >>> people.encoded("age").codes.tolist()
    [0, -1]
    """

    def __init__(
        self,
        frame: Any,
        *,
        kinds: Kinds | None = None,
        missing: Missing | None = None,
        labels: Mapping[str, Mapping[Code, str]] | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> None:
        begin_work()
        table = eager(frame_of(frame))
        self._table = table
        names = table.columns
        for argument, mapping in (("kinds", kinds), ("labels", labels), ("titles", titles)):
            _check_names(argument, mapping or {}, names)
        if isinstance(missing, Mapping):
            _check_names("missing", missing, names)
        self._series: dict[str, pl.Series] = {}
        self._encoded: dict[str, Encoded] = {}
        schema = table.schema
        self.attributes: dict[str, Attribute] = {
            name: _describe(
                name,
                self.series(name),
                kind=kinds[name] if kinds and name in kinds else _declared_kind(schema[name]),
                missing=codes_for(name, missing),
                labels=(labels or {}).get(name, {}),
                title=(titles or {}).get(name, ""),
            )
            for name in names
        }

    @property
    def frame(self) -> Any:
        """The frame as it was passed, without its row index and metadata, which could identify records."""
        return self._table.to_native()

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self._table)

    @property
    def names(self) -> list[str]:
        """The attributes' names in the file's order."""
        return list(self.attributes)

    def __repr__(self) -> str:
        listing = ", ".join(f"{a.name} ({a.kind})" for a in list(self.attributes.values())[:8])
        more = len(self.attributes) - 8
        return f"Microfile of {self.records:,} records: {listing}" + (f" and {more} more" if more > 0 else "")

    def _repr_html_(self) -> str:
        attributes = list(self.attributes.values())[:MOST_ROWS]
        rows = []
        for attribute in attributes:
            # not cached: showing a file should not fill the memory
            encoded = self._encoded.get(attribute.name) or encode(self.series(attribute.name), attribute)
            rows.append((attribute.name, attribute.kind.value, f"{encoded.missing.mean():.1%}", encoded.values.size))
        columns, more = ("attribute", "kind", "missing", "different values"), len(self.attributes) - len(attributes)
        return html_table(f"Microfile of {self.records:,} records", columns, rows, more=more)

    def attribute(self, name: str) -> Attribute:
        """Return the description of an attribute."""
        try:
            return self.attributes[name]
        except KeyError:
            raise MicrofileError(f"unknown column {name!r}", hint=nearest(name, self.attributes), column=name) from None

    def series(self, name: str) -> pl.Series:
        """Return a column as it is in the frame."""
        if name not in self._series:
            try:
                self._series[name] = self._table.get_column(name).to_polars()
            except ImportError:
                raise needs(f"texts and categories of pandas (column {name!r})", "pyarrow", extra="pandas") from None
            except (Exception, pl.exceptions.PanicException):
                if getattr(self._table.schema[name], "time_zone", None):
                    raise unsupported_zone(name) from None
                # a foreign message would show values
                raise MicrofileError(
                    f"column {name!r} holds values of several types, or of an unsupported type",
                    hint="convert them all to numbers or all to text",
                    column=name,
                ) from None
        return self._series[name]

    def encoded(self, name: str) -> Encoded:
        """Return a column as codes; it is encoded only once."""
        attribute = self.attribute(name)
        if name not in self._encoded:
            self._encoded[name] = encode(self.series(name), attribute)
        return self._encoded[name]

    def encode_together(self, names: Sequence[str]) -> None:
        """Encode several columns at once, on as many threads as there are cores."""
        waiting = [name for name in dict.fromkeys(names) if name not in self._encoded]
        if len(waiting) > 1:
            side_by_side(self.encoded, waiting)

    def is_blank(self, name: str) -> bool:
        """Whether all values of a column are missing."""
        series = self.series(name)
        if series.null_count() == len(series):
            return True
        attribute = self.attribute(name)
        if attribute.kind is Kind.NUMERIC and not attribute.missing:
            return series.dtype.is_float() and bool(series.is_nan().fill_null(True).all())
        # one value is enough: names of people would take long to encode, and nobody needs their codes
        first_values = encode(series.drop_nulls().head(GLANCE), replace(attribute, order=()))
        return first_values.values.size == 0 and self.encoded(name).values.size == 0

    def check_numeric(self, name: str) -> None:
        """Refuse a column that is not numeric."""
        kind = self.attribute(name).kind
        if kind is not Kind.NUMERIC:
            raise MicrofileError(
                f"column {name!r} is {kind}, not numeric",
                hint="choose a numeric column, or set its kind and declare the codes that mean missing",
                column=name,
            )

    def numbers(self, name: str) -> Reals:
        """Return a numeric column as numbers, NaN where missing."""
        self.check_numeric(name)
        attribute, series = self.attribute(name), self.series(name)
        # the physical values of a decimal column would be multiples of its last digit
        series = (series.to_physical() if series.dtype.is_temporal() else series).cast(pl.Float64)
        numbers = np.array(series.fill_null(float("nan")).to_numpy(), dtype=np.float64)
        if attribute.missing:
            numbers[self.encoded(name).missing] = np.nan
        return numbers

    def with_columns(
        self,
        columns: Mapping[str, pl.Series | Reals],
        *,
        kinds: Kinds | None = None,
        labels: Mapping[str, Mapping[Code, str]] | None = None,
        titles: Mapping[str, str] | None = None,
    ) -> Microfile:
        """Return a microfile in which some columns are replaced or added; the frame keeps its type.

        Columns are polars series or arrays of numbers, in which NaN is a missing value. Kinds, labels and titles are
        those of the new columns.
        """
        table = self._table
        for name, column in columns.items():
            series = column if isinstance(column, pl.Series) else pl.Series(name, column, nan_to_null=True)
            if table.implementation is nw.Implementation.POLARS:
                values = nw.from_native(series.alias(name), series_only=True)
            elif table.implementation is nw.Implementation.PANDAS and series.null_count() and is_plain(series.dtype):
                # as floats, whole numbers would lose digits and booleans their type
                filled = nw.new_series(name, series.fill_null(series.drop_nulls()[0]).to_list(), backend="pandas")
                values = emptied(filled, series.is_null().to_numpy())
            else:
                values = nw.new_series(name, series.to_list(), backend=table.implementation)
            table = table.with_columns(values)
        unchanged = {name: a for name, a in self.attributes.items() if name not in columns}
        return Microfile(
            table.to_native(),
            kinds={**{n: a.declared for n, a in unchanged.items() if not a.guessed}, **(kinds or {})},
            missing={name: a.missing for name, a in unchanged.items()},
            labels={**{name: a.labels for name, a in unchanged.items()}, **(labels or {})},
            titles={**{name: a.title for name, a in unchanged.items()}, **(titles or {})},
        )

    def filter(self, keep: Sequence[bool] | np.ndarray[Any, np.dtype[np.bool_]]) -> Microfile:
        """Return a microfile of the records to keep, in their order."""
        return self.take(np.flatnonzero(np.asarray(keep, dtype=np.bool_)))

    def take(self, rows: np.ndarray[Any, np.dtype[np.int64]]) -> Microfile:
        """Return a microfile of the records at these row numbers."""
        return self._like(nw.from_native(without_index(self._table[rows].to_native()), eager_only=True))

    def select(self, names: Sequence[str]) -> Microfile:
        """Return a microfile of some attributes."""
        for name in names:
            self.attribute(name)
        return self._like(self._table.select(*names))

    def renamed(self, names: Mapping[str, str]) -> Microfile:
        """Return a microfile in which attributes are renamed, from old to new names."""
        copy = self._like(self._table)
        copy._table = self._table.rename(dict(names))
        copy.attributes = {
            names.get(name, name): replace(attribute, name=names.get(name, name))
            for name, attribute in self.attributes.items()
        }
        return copy

    def rearranged(self, names: Sequence[str], order: np.ndarray[Any, np.dtype[np.int64]]) -> Microfile:
        """Return a microfile in which each record has some attributes of another, whose row number is in ``order``."""
        moved = [self._table.get_column(name)[order] for name in names]
        return self._like(self._table.with_columns(*moved))

    def with_codes_missing(self) -> Microfile:
        """Return a microfile in which declared missing codes, empty texts and NaN are nulls of the frame."""
        table = self._table
        for name, attribute in self.attributes.items():
            series = self.series(name)
            if attribute.missing or may_hide(series):
                hidden = self.encoded(name).missing & series.is_not_null().to_numpy()
                if hidden.any():
                    table = table.with_columns(emptied(table.get_column(name), hidden).alias(name))
        if table is self._table and not any(attribute.missing for attribute in self.attributes.values()):
            return self
        copy = self._like(table)
        copy.attributes = {name: replace(attribute, missing=()) for name, attribute in copy.attributes.items()}
        return copy

    def with_kinds_guessed_again(self) -> Microfile:
        """Return a microfile whose guessed kinds are guessed from its own records, not from the file they come from."""
        guessed = {
            name: replace(attribute, kind=_guess(self.series(name), attribute.labels, attribute.missing))
            for name, attribute in self.attributes.items()
            if attribute.guessed and attribute.labels
        }
        if all(attribute.kind is self.attributes[name].kind for name, attribute in guessed.items()):
            return self
        copy = self._like(self._table)
        copy.attributes |= guessed
        return copy

    def with_used_categories(self) -> Microfile:
        """Return a microfile whose types and declared orders list only categories that occur, in their order."""
        table = self._table
        for name in table.columns:
            column = table.get_column(name)
            if (used := without_unused_categories(column)) is not column:
                table = table.with_columns(used.alias(name))
        shorter = {name: replace(a, order=self._occurring(name)) for name, a in self.attributes.items() if a.order}
        if table is self._table and all(self.attributes[name].order == a.order for name, a in shorter.items()):
            return self
        copy = self._like(table)
        copy.attributes |= shorter
        # only values that occur were encoded
        copy._encoded = dict(self._encoded)
        return copy

    def _occurring(self, name: str) -> tuple[Code, ...]:
        """Return the categories of a declared order that occur."""
        occurring = set(map(str, self.encoded(name).values.tolist()))
        return tuple(category for category in self.attribute(name).order if str(category) in occurring)

    def _like(self, table: nw.DataFrame[Any]) -> Microfile:
        copy = object.__new__(Microfile)
        copy._table = table
        copy._series = {}
        copy._encoded = {}
        copy.attributes = {name: self.attributes[name] for name in table.columns}
        return copy


def as_microfile(table: Any) -> Microfile:
    """Return a microfile as it is, or make one from a frame."""
    begin_work()
    return table if isinstance(table, Microfile) else Microfile(table)


def _check_names(argument: str, mapping: Mapping[str, object], names: Sequence[str]) -> None:
    for name in mapping:
        if name not in names:
            raise SettingError(
                f"{argument}: unknown column {name!r}",
                hint=nearest(name, names),
                setting=(argument, name),
                column=name,
            )


def codes_for(name: str, missing: Missing | None) -> tuple[Code, ...]:
    """Return the declared missing codes of a column, from one code, several, or a mapping by column."""
    codes = missing.get(name, ()) if isinstance(missing, Mapping) else () if missing is None else missing
    return (codes,) if isinstance(codes, str | int | float) else tuple(codes)


def _declared_kind(dtype: Any) -> str | list[Code] | None:
    """Return the kind that the frame's own type declares: an order, or categories."""
    if isinstance(dtype, nw.Enum):
        return list(dtype.categories)
    return Kind.CATEGORICAL.value if dtype == nw.Categorical else None


def _describe(
    name: str,
    series: pl.Series,
    *,
    kind: str | Sequence[Code] | None,
    missing: tuple[Code, ...],
    labels: Mapping[Code, str],
    title: str,
) -> Attribute:
    numbers = series.dtype.is_numeric() or series.dtype.is_temporal()
    order: tuple[Code, ...] = ()
    if kind is None:
        guessed = _guess(series, labels, missing)
    elif isinstance(kind, str):
        guessed = kind_named(kind, attribute=name)
    else:
        guessed, order = Kind.ORDINAL, ordered_categories(kind, attribute=name)
    if guessed is Kind.NUMERIC and not numbers and series.dtype != pl.Null:
        raise MicrofileError(
            f"column {name!r} is declared numeric but holds text",
            hint="declare the codes that mean missing (missing=...), or make it categorical",
            setting=("kinds", name),
            column=name,
        )
    if series.dtype.is_float() and bool(series.is_infinite().any()):
        raise MicrofileError(
            f"column {name!r} holds {int(series.is_infinite().sum())} infinite values",
            hint="replace them by missing values, or by the largest finite value",
            column=name,
        )
    if outside := times_outside(series):
        raise MicrofileError(
            f"column {name!r} holds {outside:,} dates outside the years 1 to 9999",
            hint="correct them, or replace them by missing values",
            column=name,
        )
    return Attribute(
        name, guessed, order=order, missing=missing, labels=dict(labels), title=title, guessed=kind is None
    )


def _guess(series: pl.Series, labels: Mapping[Code, str], missing: tuple[Code, ...]) -> Kind:
    """Guess a kind from the column's type; numbers are categories if every value has a label."""
    dtype = series.dtype
    if not (dtype.is_numeric() or dtype.is_temporal()):
        return Kind.CATEGORICAL
    if labels:
        values = series.drop_nulls().unique().to_list()
        if all(value in labels or is_one_of(value, missing) for value in values):
            return Kind.CATEGORICAL
    return Kind.NUMERIC
