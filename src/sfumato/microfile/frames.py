"""Frames of other libraries: taken in as they are, without row index and metadata."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from sfumato.array_types import Flags
from sfumato.errors import MicrofileError

KNOWN_LIBRARIES = ("pandas", "polars", "pyarrow", "modin", "cudf", "narwhals")
"""Libraries whose frames are accepted and returned as they are."""


def may_hide(series: pl.Series) -> bool:
    """Whether a column has cells that mean a missing value although they are not null and no code was declared."""
    if series.dtype.is_float():
        return bool(series.is_nan().any())
    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        series = series.unique().cast(pl.String)
    return series.dtype == pl.String and bool((series == "").any())


def is_plain(dtype: pl.DataType) -> bool:
    """Whether the plain pandas type cannot hold a missing value."""
    return dtype.is_integer() or dtype == pl.Boolean


def emptied(column: nw.Series[Any], chosen: Flags) -> nw.Series[Any]:
    """Return a column in which the chosen cells are missing, with a type that can hold them and all others."""
    native = column.to_native()
    if column.implementation is nw.Implementation.PANDAS and native.dtype.kind in "iub":
        # plain pandas integers and booleans cannot be missing, and as floats they would lose digits
        kind = str(native.dtype)
        nullable = "boolean" if kind == "bool" else kind.replace("int", "Int").replace("uI", "UI")
        return nw.from_native(native.astype(nullable).mask(chosen), series_only=True)
    if column.implementation is nw.Implementation.PANDAS:
        return nw.from_native(native.mask(chosen), series_only=True)
    rows = pl.Series(np.arange(chosen.size)).set(pl.Series(chosen), None)
    if column.implementation is nw.Implementation.POLARS:
        return nw.from_native(native.gather(rows), series_only=True)
    return nw.from_native(native.take(rows.to_arrow()), series_only=True)


def frame_of(table: Any) -> Any:
    """Return the frame of a stream or dataset of Arrow, or of anything that exports an Arrow stream; or what is one."""
    kind, library = type(table).__name__, type(table).__module__.partition(".")[0]
    if kind in ("Series", "ChunkedArray", "Index") or (library == "pyarrow" and kind.endswith("Array")):
        raise MicrofileError(
            f"a {kind} of {library} is one column, not a table", hint="pass a frame, such as series.to_frame()"
        )
    try:
        if library == "pyarrow" and not hasattr(table, "column_names"):
            # a stream is read to its end, a dataset or its scanner as a whole
            return table.read_all() if hasattr(table, "read_all") else table.to_table()
        if library == "pyarrow" and kind == "RecordBatch":
            return sys.modules["pyarrow"].Table.from_batches([table])
        if library not in KNOWN_LIBRARIES and hasattr(table, "__arrow_c_stream__"):
            return pl.DataFrame(table)
    except Exception:
        # a foreign message would show values
        raise MicrofileError(
            f"the {kind} of {library} cannot be read as a table",
            hint="a stream can be read only once; pass a new one, or a pandas, polars or pyarrow table",
        ) from None
    return table


def eager(frame: Any) -> nw.DataFrame[Any]:
    """Return a frame, collected if it is lazy; refuse one without columns or records."""
    _check_names(frame)
    try:
        wrapped: nw.DataFrame[Any] | nw.LazyFrame[Any] = nw.from_native(without_index(frame))
    except TypeError:
        raise MicrofileError(
            f"expected a data frame, got {type(frame).__name__}", hint="pass a pandas, polars or pyarrow table"
        ) from None
    try:
        table: nw.DataFrame[Any] = wrapped.collect() if isinstance(wrapped, nw.LazyFrame) else wrapped
    except Exception:
        # a foreign message would show values
        raise MicrofileError("the lazy frame cannot be collected", hint="collect it first to see why") from None
    if not table.columns:
        raise MicrofileError("the frame has no columns")
    if len(table) == 0:
        raise MicrofileError("the frame has a header but no records")
    return table


def without_index(frame: Any) -> Any:
    """Return a frame of the same cells, numbered from 0, without a row index or metadata.

    These can hold the number of every patient, and would be released with the frame unnoticed.
    """
    if nw.dependencies.is_pandas_dataframe(frame):
        plain: Any = frame.copy(deep=False)
        plain.index = range(len(frame))
        plain.columns = plain.columns.rename(None)
        plain.attrs = {}
        return plain
    if nw.dependencies.is_pyarrow_table(frame):
        schema = frame.schema.remove_metadata()
        for index, field in enumerate(schema):
            schema = schema.set(index, field.remove_metadata())
        return type(frame).from_arrays(frame.columns, schema=schema)
    return frame


def _check_names(frame: Any) -> None:
    """Refuse column names that are not text, or not distinct."""
    library = type(frame).__module__.partition(".")[0]
    names = list(frame.columns if library == "pandas" else frame.column_names if library == "pyarrow" else ())
    if any(not isinstance(name, str) for name in names):
        raise MicrofileError("column names must be text", hint="frame.columns = frame.columns.map(str)")
    check_distinct(names)


def check_distinct(names: Sequence[str]) -> None:
    """Refuse columns of the same name, by their positions: without a header a name would be a record's value."""
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name in first:
            raise MicrofileError(
                f"columns {first[name]} and {position} have the same name",
                hint="column names must be distinct; the first line of a file must be its header",
            )
        first[name] = position
