"""The microfile: a frame of any library, with the kinds of its columns."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from sfumato.arrays import Flags, Reals
from sfumato.errors import MicrofileError, SettingError, nearest, needs
from sfumato.forking import begin_work
from sfumato.html import MOST_ROWS
from sfumato.html import table as html_table
from sfumato.microfile.attribute import Attribute, Code, Kind, kind_named, ordered_categories
from sfumato.microfile.encoding import Encoded, encode, is_one_of
from sfumato.parallel import side_by_side

Missing = Code | Iterable[Code] | Mapping[str, Code | Iterable[Code]]
Kinds = Mapping[str, str | Sequence[Code]]
KNOWN_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf", "narwhals")
"""Libraries whose frames are taken, and given back, as they are."""
GLANCE = 1000
"""How many values are looked at first where one may be enough."""


class Microfile:
    """A file with one record a person, household or firm.

    Parameters
    ----------
    frame
        A pandas, polars or pyarrow table; a stream (``RecordBatchReader``) or dataset of pyarrow, which is read as a
        whole; or anything that exports a stream of Arrow (``__arrow_c_stream__``).
    kinds
        For columns whose kind is not as guessed: ``"numeric"``, ``"categorical"``, ``"ordinal"`` or,
        for an ordinal attribute, its categories from lowest to highest.
    missing
        Codes that mean a missing value, for all columns or column by column. Null, NaN and the empty
        text always do.
    labels
        What codes mean, column by column.
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
        table = _eager(_frame_of(frame))
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
        """The frame as it came in, but for its row index and metadata, which could name records."""
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
        shown = ", ".join(f"{a.name} ({a.kind})" for a in list(self.attributes.values())[:8])
        more = len(self.attributes) - 8
        return f"Microfile of {self.records:,} records: {shown}" + (f" and {more} more" if more > 0 else "")

    def _repr_html_(self) -> str:
        shown = list(self.attributes.values())[:MOST_ROWS]
        # encoded apart: what is only looked at is not kept
        found = [(one, self._encoded.get(one.name) or encode(self.series(one.name), one)) for one in shown]
        rows = [(one.name, one.kind.value, f"{its.missing.mean():.1%}", its.values.size) for one, its in found]
        columns, more = ("attribute", "kind", "missing", "different values"), len(self.attributes) - len(shown)
        return html_table(f"Microfile of {self.records:,} records", columns, rows, more=more)

    def attribute(self, name: str) -> Attribute:
        """Return the description of an attribute."""
        try:
            return self.attributes[name]
        except KeyError:
            raise MicrofileError(f"there is no column {name!r}", hint=nearest(name, self.attributes)) from None

    def series(self, name: str) -> pl.Series:
        """Return a column as it stands in the frame."""
        if name not in self._series:
            try:
                self._series[name] = self._table.get_column(name).to_polars()
            except ImportError:
                raise needs(f"texts and categories of pandas (column {name!r})", "pyarrow", extra="pandas") from None
            except (Exception, pl.exceptions.PanicException):
                # a foreign message would show values
                raise MicrofileError(
                    f"column {name!r} holds values of several types, or of one that is not known",
                    hint="make them all numbers or all text",
                ) from None
        return self._series[name]

    def encoded(self, name: str) -> Encoded:
        """Return a column as codes; it is encoded once."""
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
        # one known value is enough: names of people would take long to encode, and nobody needs their codes
        some = encode(series.drop_nulls().head(GLANCE), replace(attribute, order=()))
        return some.values.size == 0 and self.encoded(name).values.size == 0

    def check_numeric(self, name: str) -> None:
        """Refuse a column that is not numeric."""
        kind = self.attribute(name).kind
        if kind is not Kind.NUMERIC:
            raise MicrofileError(
                f"column {name!r} is {kind}, not numeric",
                hint="choose a numeric column, or set its kind and declare the codes that mean missing",
            )

    def numbers(self, name: str) -> Reals:
        """Return a numeric column as numbers, NaN where missing."""
        self.check_numeric(name)
        attribute, series = self.attribute(name), self.series(name)
        # of a decimal column these would be whole numbers of its last digit
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
        """Return a microfile in which some columns are replaced; the frame stays of its kind.

        Columns are polars series or arrays of numbers, in which NaN is a missing value. Kinds, labels and titles are
        those of the new columns.
        """
        table = self._table
        for name, given in columns.items():
            series = given if isinstance(given, pl.Series) else pl.Series(name, given, nan_to_null=True)
            if table.implementation is nw.Implementation.POLARS:
                values = nw.from_native(series.alias(name), series_only=True)
            elif table.implementation is nw.Implementation.PANDAS and series.null_count() and _is_plain(series.dtype):
                # as floats, whole numbers would lose digits and booleans their type
                whole = nw.new_series(name, series.fill_null(series.drop_nulls()[0]).to_list(), backend="pandas")
                values = _emptied(whole, series.is_null().to_numpy())
            else:
                values = nw.new_series(name, series.to_list(), backend=table.implementation)
            table = table.with_columns(values)
        kept = {name: a for name, a in self.attributes.items() if name not in columns}
        return Microfile(
            table.to_native(),
            kinds={**{n: a.declared for n, a in kept.items() if not a.guessed}, **(kinds or {})},
            missing={name: a.missing for name, a in kept.items()},
            labels={**{name: a.labels for name, a in kept.items()}, **(labels or {})},
            titles={**{name: a.title for name, a in kept.items()}, **(titles or {})},
        )

    def filter(self, keep: Sequence[bool] | np.ndarray[Any, np.dtype[np.bool_]]) -> Microfile:
        """Return a microfile of the records that are kept, in their order."""
        return self.take(np.flatnonzero(np.asarray(keep, dtype=np.bool_)))

    def take(self, places: np.ndarray[Any, np.dtype[np.int64]]) -> Microfile:
        """Return a microfile of the records at some places."""
        return self._like(nw.from_native(_without_index(self._table[places].to_native()), eager_only=True))

    def select(self, names: Sequence[str]) -> Microfile:
        """Return a microfile of some attributes."""
        for name in names:
            self.attribute(name)
        return self._like(self._table.select(*names))

    def renamed(self, names: Mapping[str, str]) -> Microfile:
        """Return a microfile in which some attributes have other names, each given with its new one."""
        copy = self._like(self._table)
        copy._table = self._table.rename(dict(names))
        copy.attributes = {
            names.get(name, name): replace(attribute, name=names.get(name, name))
            for name, attribute in self.attributes.items()
        }
        return copy

    def rearranged(self, names: Sequence[str], order: np.ndarray[Any, np.dtype[np.int64]]) -> Microfile:
        """Return a microfile in which each record has some attributes of another, whose place ``order`` gives."""
        moved = [self._table.get_column(name)[order] for name in names]
        return self._like(self._table.with_columns(*moved))

    def with_codes_missing(self) -> Microfile:
        """Return a microfile in which declared missing codes, empty texts and NaN are missing values of the frame."""
        table = self._table
        for name, attribute in self.attributes.items():
            series = self.series(name)
            if attribute.missing or _may_hide(series):
                hidden = self.encoded(name).missing & series.is_not_null().to_numpy()
                if hidden.any():
                    table = table.with_columns(_emptied(table.get_column(name), hidden).alias(name))
        if table is self._table and not any(attribute.missing for attribute in self.attributes.values()):
            return self
        copy = self._like(table)
        copy.attributes = {name: replace(attribute, missing=()) for name, attribute in copy.attributes.items()}
        return copy

    def with_kinds_guessed_again(self) -> Microfile:
        """Return a microfile whose guessed kinds are those of its own records, not of the file they were taken from."""
        again = {
            name: replace(one, kind=_guess(self.series(name), one.labels, one.missing))
            for name, one in self.attributes.items()
            if one.guessed and one.labels
        }
        if all(one.kind is self.attributes[name].kind for name, one in again.items()):
            return self
        copy = self._like(self._table)
        copy.attributes |= again
        return copy

    def _like(self, table: nw.DataFrame[Any]) -> Microfile:
        copy = object.__new__(Microfile)
        copy._table = table
        copy._series = {}
        copy._encoded = {}
        copy.attributes = {name: self.attributes[name] for name in table.columns}
        return copy


def _may_hide(series: pl.Series) -> bool:
    """Whether a column has cells that mean a missing value, though no code was declared and they are not null."""
    if series.dtype.is_float():
        return bool(series.is_nan().any())
    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        series = series.unique().cast(pl.String)
    return series.dtype == pl.String and bool((series == "").any())


def _is_plain(dtype: pl.DataType) -> bool:
    """Whether pandas has no missing value of a type in its plain form."""
    return dtype.is_integer() or dtype == pl.Boolean


def _emptied(column: nw.Series[Any], chosen: Flags) -> nw.Series[Any]:
    """Return a column with missing values at some places, of a type that can hold them and the others unchanged."""
    native = column.to_native()
    if column.implementation is nw.Implementation.PANDAS and native.dtype.kind in "iub":
        # plain pandas integers and booleans know no missing value, and as floats would lose digits
        kind = str(native.dtype)
        nullable = "boolean" if kind == "bool" else kind.replace("int", "Int").replace("uI", "UI")
        return nw.from_native(native.astype(nullable).mask(chosen), series_only=True)
    if column.implementation is nw.Implementation.PANDAS:
        return nw.from_native(native.mask(chosen), series_only=True)
    places = pl.Series(np.arange(chosen.size)).set(pl.Series(chosen), None)
    if column.implementation is nw.Implementation.POLARS:
        return nw.from_native(native.gather(places), series_only=True)
    return nw.from_native(native.take(places.to_arrow()), series_only=True)


def as_microfile(given: Any) -> Microfile:
    """Take a microfile, or make one of a frame."""
    begin_work()
    return given if isinstance(given, Microfile) else Microfile(given)


def _frame_of(given: Any) -> Any:
    """Take what holds a table in another way: streams and datasets of Arrow, and whatever exports a stream of it."""
    kind, library = type(given).__name__, type(given).__module__.partition(".")[0]
    if kind in ("Series", "ChunkedArray", "Index") or (library == "pyarrow" and kind.endswith("Array")):
        raise MicrofileError(
            f"a {kind} of {library} is one column, not a table", hint="give a frame, as series.to_frame()"
        )
    try:
        if library == "pyarrow" and not hasattr(given, "column_names"):
            # a stream is read to its end, a dataset or its scanner as a whole
            return given.read_all() if hasattr(given, "read_all") else given.to_table()
        if library == "pyarrow" and kind == "RecordBatch":
            return sys.modules["pyarrow"].Table.from_batches([given])
        if library not in KNOWN_LIBRARIES and hasattr(given, "__arrow_c_stream__"):
            return pl.DataFrame(given)
    except Exception:
        # a foreign message would show values
        raise MicrofileError(
            f"the {kind} of {library} cannot be read as a table",
            hint="a stream is read once; give a new one, or a pandas, polars or pyarrow table",
        ) from None
    return given


def _eager(frame: Any) -> nw.DataFrame[Any]:
    _check_names_of(frame)
    try:
        given: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(_without_index(frame))
    except TypeError:
        raise MicrofileError(
            f"a {type(frame).__name__} is no frame", hint="give a pandas, polars or pyarrow table"
        ) from None
    try:
        table: nw.DataFrame[Any] = given.collect() if isinstance(given, nw.LazyFrame) else given
    except Exception:
        # a foreign message would show values
        raise MicrofileError("the lazy frame cannot be collected", hint="collect it first to see why") from None
    if not table.columns:
        raise MicrofileError("the frame has no columns")
    if len(table) == 0:
        raise MicrofileError("the frame has a header but no records")
    return table


def _without_index(frame: Any) -> Any:
    """Return a frame of the same cells, numbered from 0, without what its library lets it carry beside them.

    A row index or metadata can hold the number of every patient, and would leave with the frame unseen.
    """
    if nw.dependencies.is_pandas_dataframe(frame):
        plain: Any = frame.copy(deep=False)
        plain.index = range(len(frame))
        plain.columns = plain.columns.rename(None)
        plain.attrs = {}
        return plain
    if nw.dependencies.is_pyarrow_table(frame):
        schema = frame.schema.remove_metadata()
        for place, field in enumerate(schema):
            schema = schema.set(place, field.remove_metadata())
        return type(frame).from_arrays(frame.columns, schema=schema)
    return frame


def _check_names_of(frame: Any) -> None:
    """Refuse names that other libraries allow."""
    library = type(frame).__module__.partition(".")[0]
    names = list(frame.columns if library == "pandas" else frame.column_names if library == "pyarrow" else ())
    if any(not isinstance(name, str) for name in names):
        raise MicrofileError("every column needs a text as its name", hint="frame.columns = frame.columns.map(str)")
    check_distinct(names)


def check_distinct(names: Sequence[str]) -> None:
    """Refuse columns of the same name, by their places: without a header a name would be a record's value."""
    first: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        if name in first:
            raise MicrofileError(
                f"columns {first[name]} and {place} have the same name",
                hint="give every column a name of its own; the first line of a file must be its header",
            )
        first[name] = place


def _check_names(argument: str, mapping: Mapping[str, object], names: Sequence[str]) -> None:
    for name in mapping:
        if name not in names:
            raise SettingError(f"{argument}: there is no column {name!r}", hint=nearest(name, names))


def codes_for(name: str, missing: Missing | None) -> tuple[Code, ...]:
    """Return the declared missing codes of a column, given as one code, several, or by column."""
    codes = missing.get(name, ()) if isinstance(missing, Mapping) else () if missing is None else missing
    return (codes,) if isinstance(codes, str | int | float) else tuple(codes)


def _declared_kind(dtype: Any) -> str | list[Code] | None:
    """Return what the frame's own library declares: an order, or that numbers are categories."""
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
        )
    if series.dtype.is_float() and bool(series.is_infinite().any()):
        raise MicrofileError(
            f"column {name!r} holds {int(series.is_infinite().sum())} infinite values",
            hint="replace them by missing values, or by the largest value that occurs",
        )
    return Attribute(
        name, guessed, order=order, missing=missing, labels=dict(labels), title=title, guessed=kind is None
    )


def _guess(series: pl.Series, labels: Mapping[Code, str], missing: tuple[Code, ...]) -> Kind:
    """Guess a kind: a file's own types decide; numbers whose every known value has a label are categories."""
    dtype = series.dtype
    if not (dtype.is_numeric() or dtype.is_temporal()):
        return Kind.CATEGORICAL
    if labels:
        values = series.drop_nulls().unique().to_list()
        if all(value in labels or is_one_of(value, missing) for value in values):
            return Kind.CATEGORICAL
    return Kind.NUMERIC
