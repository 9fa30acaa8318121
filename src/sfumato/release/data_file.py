"""The data file of a release: writing it, reading it back, and the digest of each column."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl

from sfumato.array_types import Counts
from sfumato.errors import MicrofileError, ReleaseError
from sfumato.measures import ranks_of
from sfumato.microfile import Attribute, Kind, Layout, Microfile, encode, layout_of
from sfumato.randomness import Secret
from sfumato.release.certificate import ColumnFacts, ColumnType
from sfumato.threads import side_by_side

# invisible characters and blanks do not stop a spreadsheet from running what follows
_UNSEEN = r"[\s\p{Cf}\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}]*"
# the characters themselves, the minus sign, and their wide and small forms
_SIGNS = r"[=+\-@\u{2212}\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}\u{fe66}\u{fe62}\u{fe63}\u{fe6b}]"
_RUNS = rf"({_UNSEEN}{_SIGNS}|[\t\r\n])"
_FORMULA = rf"^'*{_RUNS}"
_GUARDED = rf"^'+{_RUNS}"

MOST_MEMORY = 0.5
"""The share of a machine's memory that the data of a release may need."""
ROW_GROUP = 1 << 18
"""Records per row group of a Parquet file."""

TYPES: dict[ColumnType, pl.DataType] = {
    "integer": pl.Int64(),
    "real": pl.Float64(),
    "text": pl.String(),
    "date": pl.Date(),
    "datetime": pl.Datetime("us"),
    "boolean": pl.Boolean(),
}


def released_frame(table: Microfile) -> pl.DataFrame:
    """Return the table in the few types that a release has.

    Categories become plain text: a dictionary would also carry categories that no released record has.
    Empty text and NaN become missing.
    """
    columns = []
    for name in table.names:
        _check_name(name)
        series = table.series(name)
        kind = _type_of(series.dtype, name)
        columns.append(_plainly(series, kind).alias(name))
    return pl.DataFrame(columns)


def _check_name(name: str) -> None:
    if name != name.strip() or not name.isprintable():
        raise ReleaseError(f"column name {name!r} begins or ends with a blank, or cannot be printed")


def _plain_type(dtype: pl.DataType, kind: ColumnType) -> pl.DataType:
    return pl.Decimal(38, dtype.scale) if isinstance(dtype, pl.Decimal) else TYPES[kind]


def _plainly(series: pl.Series, kind: ColumnType) -> pl.Series:
    if kind == "datetime":
        # local clock time; the codebook names the zone
        series = series.dt.replace_time_zone(None)
        if series.dt.year().is_between(1, 9999).not_().any():
            raise ReleaseError(f"column {series.name!r} holds times beyond the year 9999 or before the year 1")
    plain = series.cast(_plain_type(series.dtype, kind), strict=False)
    lost = plain.null_count() - series.null_count()
    if lost:
        raise ReleaseError(f"column {series.name!r} holds {lost:,} values that are too large for a release")
    if kind == "text":
        return plain.set(plain == "", None)
    if kind == "real":
        # NaN is missing, and a negative zero would reveal its origin
        numbers = plain.fill_null(1.0).to_numpy()
        odd = np.isnan(numbers).any() or np.signbit(numbers[numbers == 0]).any()
        return pl.Series(plain.to_numpy() + 0.0, nan_to_null=True) if odd else plain
    return plain


def dtype_of(facts: ColumnFacts) -> pl.DataType:
    """Return the type in memory of a column that a certificate describes."""
    return pl.Decimal(38, facts.scale or 0) if facts.type == "decimal" else TYPES[facts.type]


def _type_of(dtype: pl.DataType, name: str) -> ColumnType:
    if dtype == pl.Boolean:
        return "boolean"
    if dtype.is_integer():
        return "integer"
    if dtype.is_decimal():
        return "decimal"
    if dtype.is_numeric():
        return "real"
    if dtype == pl.Date:
        return "date"
    if isinstance(dtype, pl.Datetime):
        return "datetime"
    if isinstance(dtype, pl.String | pl.Categorical | pl.Enum | pl.Null):
        return "text"
    raise ReleaseError(f"column {name!r} holds {dtype}, which is not supported in a release", hint="convert it to text")


def reordered(frame: pl.DataFrame, secret: Secret) -> pl.DataFrame:
    """Put records into a random order that does not depend on the order they had.

    They are sorted by their released values first, so that not even the secret reveals anything about the original
    order.
    """
    sorted_places = np.argsort(_row_ranks(frame), kind="stable")
    order = pl.Series(sorted_places[secret.permutation("order of records", frame.height)], dtype=pl.get_index_type())
    del sorted_places
    # column by column, so that an interruption need not wait for all
    return pl.DataFrame([column.gather(order) for column in frame.get_columns()])


def _row_ranks(frame: pl.DataFrame) -> Counts:
    """Rank records by all their cells, the first columns first; equal records have the same rank."""
    columns = (encode(column, Attribute(column.name, Kind.CATEGORICAL)) for column in frame.get_columns())
    return ranks_of(columns, frame.height)


def write_data(frame: pl.DataFrame, target: Path | IO[bytes], ending: str) -> None:
    """Write the data as Parquet or CSV, by the ending; the same cells always give the same bytes.

    Row groups have one size; otherwise they would follow the chunks of the frame in memory. There are no
    statistics: they repeat what the cells show, and an audit would have to believe them.
    """
    try:
        if ending == ".parquet":
            frame.write_parquet(
                target, compression="zstd", compression_level=3, statistics=False, row_group_size=ROW_GROUP
            )
        else:
            _guarded(frame).write_csv(target, quote_style="non_numeric")
    except (pl.exceptions.PolarsError, OSError) as error:
        # the number of the system's error is only in the message
        number = re.search(r"os error (\d+)", str(error))
        raise OSError(int(number[1]) if number else errno.EIO, "writing failed") from None


def _guarded(frame: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before every text that a spreadsheet would run as a formula."""
    text = pl.col(pl.String)
    guarded = frame.with_columns(pl.when(text.str.contains(_FORMULA)).then("'" + text).otherwise(text).name.keep())
    guarded.columns = [_guard(name) for name in frame.columns]
    return guarded


def _guard(name: str) -> str:
    return "'" + name if pl.Series([name]).str.contains(_FORMULA).item() else name


def read_data(path: Path, columns: Mapping[str, ColumnFacts]) -> pl.DataFrame:
    """Read the data back; raise :class:`ReleaseError` naming the column that is not as described."""
    if path.suffix == ".parquet":
        _check_size(path)
        try:
            frame = pl.read_parquet(path, glob=False, hive_partitioning=False)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            raise ReleaseError(f"{path.name} is not a Parquet file, or is damaged") from None
    else:
        frame = _read_guarded(path, columns)
    _check_columns(frame, columns, path.name)
    return frame


def layout_of_data(path: Path) -> Layout:
    """Read what a Parquet file of a release announces; raise :class:`ReleaseError` where it contradicts itself."""
    try:
        return layout_of(path)
    except MicrofileError:
        raise ReleaseError(f"{path.name} is not a Parquet file, or is damaged") from None


def _check_size(path: Path) -> None:
    """Refuse a Parquet file that announces more than could be read, before reading it."""
    layout = layout_of_data(path)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if layout.memory > memory * MOST_MEMORY:
        raise ReleaseError(
            f"{path.name} announces {layout.rows:,} records, for which {layout.memory / 2**30:,.0f} GiB of memory are "
            f"needed; this machine has {memory / 2**30:,.0f}",
            hint="it may have been made to exhaust memory; if not, open it on a larger machine",
        )


def _read_guarded(path: Path, columns: Mapping[str, ColumnFacts]) -> pl.DataFrame:
    from sfumato.microfile import read_delimited

    try:
        frame, _ = read_delimited(
            path,
            encoding="utf-8",
            delimiter=",",
            decimal=".",
            text=[_guard(name) for name, facts in columns.items() if facts.type not in ("integer", "real")],
        )
    except MicrofileError as error:
        raise ReleaseError(f"{path.name}: {error.message}") from None
    names = {_guard(name): name for name in columns}
    frame = frame.rename({written: names.get(written, written) for written in frame.columns})
    return pl.DataFrame([_typed(frame.get_column(name), columns.get(name), path.name) for name in frame.columns])


def _typed(column: pl.Series, facts: ColumnFacts | None, file: str) -> pl.Series:
    """Give a column whose type was inferred its declared type."""
    column_type = "text" if facts is None else facts.type
    if facts is None or column_type == "text":
        text = column.cast(pl.String)
        return text.str.slice(1).zip_with(text.str.contains(_GUARDED).fill_null(value=False), text)
    try:
        if column.dtype.is_numeric():
            return column.cast(dtype_of(facts), strict=True)
        text = column.cast(pl.String)
        if column_type in ("integer", "real", "decimal"):
            return text.cast(dtype_of(facts), strict=True)
        if column_type == "date":
            return text.str.to_date("%Y-%m-%d")
        if column_type == "datetime":
            return text.str.to_datetime(time_unit="us")
        return text.replace_strict(["true", "false"], [True, False], return_dtype=pl.Boolean)
    except pl.exceptions.PolarsError:
        raise ReleaseError(f"{file}: column {column.name!r} holds cells that are not of type {column_type}") from None


def _check_columns(frame: pl.DataFrame, columns: Mapping[str, ColumnFacts], file: str) -> None:
    if list(frame.columns) != list(columns):
        gone = [name for name in columns if name not in frame.columns]
        new = [name for name in frame.columns if name not in columns]
        difference = (
            f"lacks column {gone[0]!r}"
            if gone
            else f"has column {new[0]!r} too"
            if new
            else "has its columns reordered"
        )
        raise ReleaseError(f"{file} {difference}")
    # a frame makes its schema each time it is asked for it
    schema = frame.schema
    for name, facts in columns.items():
        _check_name(name)
        if schema[name] != dtype_of(facts):
            raise ReleaseError(f"{file}: column {name!r} holds {schema[name]}, not {facts.type}")


def column_facts(frame: pl.DataFrame) -> dict[str, ColumnFacts]:
    """Describe and digest each column."""
    digests = side_by_side(_digest, frame.get_columns())
    return {
        name: ColumnFacts(type=_type_of(dtype, name), scale=getattr(dtype, "scale", None), sha256=digest)
        for (name, dtype), digest in zip(frame.schema.items(), digests, strict=True)
    }


def _digest(column: pl.Series) -> str:
    """Digest the cells of a column in their order, the same on every machine."""
    digest = hashlib.sha256()
    digest.update(np.packbits(column.is_null().to_numpy()).tobytes())
    if column.dtype.is_decimal():
        # it may have more digits than a machine number
        column = column.cast(pl.String)
    if column.dtype == pl.String:
        cells = column.fill_null("")
        lengths = cells.str.len_bytes().cast(pl.Int64).to_numpy()
        digest.update(np.ascontiguousarray(lengths, dtype="<i8").tobytes())
        for piece in cells.to_frame().iter_slices(1 << 18):
            digest.update(piece.to_series().str.join("").item().encode())
    elif column.dtype == pl.Float64:
        digest.update((column.fill_null(0.0).to_numpy() + 0.0).astype("<f8").tobytes())
    else:
        digest.update(column.to_physical().cast(pl.Int64).fill_null(0).to_numpy().astype("<i8").tobytes())
    return digest.hexdigest()
