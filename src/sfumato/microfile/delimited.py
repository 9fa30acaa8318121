"""Reading delimited text in blocks, so that no more than one block of it is ever held as text.

Each block is walked once as bytes, which checks its shape and finds what each column can be; then it
is parsed with those types, categories going straight into a dictionary. Where a later block shows
that a column is not what the first block made it, reading starts over with the wider type.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import polars as pl

from sfumato.arrays import Bytes
from sfumato.errors import MicrofileError
from sfumato.microfile.dialect import Dialect, find_dialect, find_encoding
from sfumato.microfile.microfile import check_distinct
from sfumato.progress import Progress, silent

BLOCK = 32 << 20
SAMPLE = 1 << 20


class _WidenedError(Exception):
    """A column turned out to be of a wider type than assumed."""


def read_delimited(
    path: Path,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    text: Collection[str] = (),
    block: int = BLOCK,
    progress: Progress = silent,
) -> tuple[pl.DataFrame, Dialect]:
    """Read a delimited text file, gzipped or not.

    Integers and reals become numbers, everything else categories, and so does every column in ``text``.
    """
    from sfumato.kernels.delimited import TEXT

    with _open(path) as file:
        sample = _take(file, SAMPLE)
    if not sample.strip():
        raise MicrofileError("the file is empty")
    dialect = find_dialect(
        sample, complete=len(sample) < SAMPLE, encoding=encoding, delimiter=delimiter, decimal=decimal
    )
    forms: Bytes | None = None
    while True:
        try:
            names, records = _header(path, dialect, block)
            if forms is None:
                forms = np.array([TEXT * (name in text) for name in names], dtype=np.uint8)
            return _parse(path, dialect, names, records, forms, progress), dialect
        except _WidenedError:
            continue
        except UnicodeDecodeError as error:
            if encoding is not None or dialect.encoding == "cp1252":
                raise MicrofileError(
                    f"the file is not written in {dialect.encoding}: byte {error.start:,} of a block does not fit",
                    hint="give the right encoding, such as latin-1, cp1252 or utf-16",
                ) from None
            dialect = Dialect(find_encoding(b"\xff", complete=True), dialect.delimiter, dialect.decimal)


def _open(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if zipped else path.open("rb")


def _take(file: BinaryIO, size: int) -> bytes:
    try:
        return file.read(size)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise MicrofileError("the gzipped file is cut off or damaged", hint="fetch it again") from None


def _text_blocks(path: Path, dialect: Dialect, block: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the file as UTF-8 with plain newlines, each block with whether it is the last one."""
    decoder = codecs.getincrementaldecoder(dialect.encoding)()
    plain = dialect.encoding in ("utf-8", "utf-8-sig")
    with _open(path) as file:
        raw = _take(file, block)
        while True:
            following = _take(file, block)
            last = not following
            text = decoder.decode(raw, final=last)
            ascii_or_utf8 = raw if plain and not text.startswith("\ufeff") and raw.isascii() else text.encode()
            yield ascii_or_utf8, last
            if last:
                return
            raw = following


def _header(path: Path, dialect: Dialect, block: int) -> tuple[list[str], Iterator[tuple[bytes, bool]]]:
    """Split off the header; return the names and the blocks of records."""
    blocks = _text_blocks(path, dialect, block)
    first, last = next(blocks)
    lines = io.StringIO(first.decode(), newline="")
    rows = csv.reader(lines, delimiter=dialect.delimiter)
    try:
        names = next(rows)
        while not names:
            names = next(rows)
    except (StopIteration, csv.Error):
        raise MicrofileError("the file has no header line that can be read") from None
    names = [name.strip() or f"unnamed_{place}" for place, name in enumerate(names, start=1)]
    check_distinct(names)
    rest = first.decode()[lines.tell() :].encode() if not first.isascii() else first[lines.tell() :]

    def records() -> Iterator[tuple[bytes, bool]]:
        yield rest, last
        yield from blocks

    return names, records()


def _parse(
    path: Path,
    dialect: Dialect,
    names: list[str],
    blocks: Iterator[tuple[bytes, bool]],
    forms: Bytes,
    progress: Progress,
) -> pl.DataFrame:
    from sfumato.kernels.delimited import scan_records

    categories = pl.Categorical(pl.Categories.random())
    frames: list[pl.DataFrame] = []
    schema: dict[str, pl.DataType] | None = None
    carried, records, done = b"", 0, 0
    total = max(path.stat().st_size, 1)
    for block, last in blocks:
        data = carried + block
        used, found, ragged, fields = scan_records(
            np.frombuffer(data, dtype=np.uint8), ord(dialect.delimiter), ord(dialect.decimal), len(names), forms, last
        )
        if ragged >= 0:
            _refuse_ragged(records + ragged, fields, len(names))
        wanted = _schema(names, forms, categories)
        if schema is not None and wanted != schema:
            raise _WidenedError
        schema = wanted
        if found:
            frames.append(_parse_block(data[:used], dialect, schema, found))
        carried = data[used:]
        records += found
        done += len(block)
        progress(f"reading {path.name}", min(done / total, 1.0))
    progress(f"reading {path.name}", 1.0)
    if not records:
        raise MicrofileError("the file has a header but no records")
    return pl.concat(frames, rechunk=True)


def _schema(names: list[str], forms: Bytes, categories: pl.DataType) -> dict[str, pl.DataType]:
    from sfumato.kernels.delimited import REAL, TEXT

    def dtype(form: int) -> pl.DataType:
        if form & TEXT:
            return categories
        return pl.Float64() if form & REAL else pl.Int64()

    return {name: dtype(int(form)) for name, form in zip(names, forms, strict=True)}


def _parse_block(data: bytes, dialect: Dialect, schema: dict[str, pl.DataType], records: int) -> pl.DataFrame:
    try:
        frame = pl.read_csv(
            data,
            has_header=False,
            schema=schema,
            separator=dialect.delimiter,
            decimal_comma=dialect.decimal == ",",
            truncate_ragged_lines=False,
        )
    except pl.exceptions.PolarsError:
        # its message would show a record's value
        raise MicrofileError(
            "the file's quoting is broken: a quote opens or closes inside a field",
            hint="write it again with every quote inside a quoted field doubled",
        ) from None
    if frame.height != records:
        raise MicrofileError(
            f"the file's quoting is broken: {records:,} records were counted but {frame.height:,} parsed",
            hint="write it again with every quote inside a quoted field doubled",
        )
    return frame


def _refuse_ragged(record: int, fields: int, wanted: int) -> None:
    if fields < 0:
        raise MicrofileError(f"record {record + 1:,} opens a quote that is never closed")
    blank = "is blank" if fields == 0 else f"has {fields} fields, the header {wanted}"
    raise MicrofileError(
        f"record {record + 1:,} {blank}",
        hint="the file may be cut off, have another delimiter, or an unquoted delimiter inside a field",
    )
