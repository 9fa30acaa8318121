"""Reading delimited text in blocks, so that no more than one block of it is ever held as text.

Each block is walked once as bytes, which checks its shape and finds what each column can be; then it
is parsed with those types, categories going straight into a dictionary. Where a later block shows
that a column is not what the first block made it, reading starts over with the wider type.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import zlib
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import polars as pl

from sfumato.arrays import Bytes
from sfumato.errors import MicrofileError
from sfumato.microfile.dialect import Dialect, damaged, find_dialect, mostly_utf8, rows
from sfumato.microfile.memory import check_fits
from sfumato.microfile.microfile import check_distinct
from sfumato.microfile.settling import NOT_AVAILABLE
from sfumato.progress import Progress, silent

BLOCK = 32 << 20
ROOM = 6
"""Reading a block takes so many times its size, beside what is kept of it."""
SAMPLE = 1 << 20
BOM = codecs.BOM_UTF8


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
    check_fits(ROOM * min(block, path.stat().st_size))
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
        except UnicodeError:
            # beyond the sample there may be the first letter that is not ASCII
            if encoding is not None or dialect.encoding != "utf-8" or not sample.isascii():
                raise MicrofileError(
                    f"the file is not written in {dialect.encoding}",
                    hint="give the right encoding, such as latin-1, cp1252 or utf-16",
                ) from None
            dialect = replace(dialect, encoding="cp1252")


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
    """Yield the file as UTF-8, each block with whether it is the last one."""
    decoder = codecs.getincrementaldecoder(dialect.encoding)()
    as_it_is = dialect.encoding.startswith("utf-8") and not dialect.returns and not dialect.blanks
    done, letters, ends_with_delimiter = 0, False, False
    with _open(path) as file:
        raw = _take(file, block)
        while True:
            following = _take(file, block)
            if as_it_is and raw.isascii():
                # a letter that the block before has begun would not begin with ASCII
                decoder.decode(b"", final=True)
                text = raw
            else:
                try:
                    decoded = decoder.decode(raw, final=not following)
                except UnicodeDecodeError as error:
                    if dialect.encoding == "utf-8" and (letters or mostly_utf8(raw)):
                        raise damaged(done + error.start) from None
                    raise
                letters = letters or not decoded.isascii()
                text = _plain(decoded, dialect, ends_with_delimiter)
                ends_with_delimiter = raw.endswith(dialect.delimiter.encode())
            yield text if done else text.removeprefix(BOM), not following
            if not following:
                return
            done += len(raw)
            raw = following


def _plain(text: str, dialect: Dialect, after_delimiter: bool) -> bytes:
    """Write text as UTF-8 with newlines and without blanks after delimiters."""
    if dialect.returns:
        text = text.replace("\r", "\n")
    if dialect.blanks:
        if '"' in text:
            raise MicrofileError(
                "the file has a blank after every delimiter, and quotes", hint="write it again without the blanks"
            )
        text = text.removeprefix(" ") if after_delimiter else text
        text = text.replace(f"{dialect.delimiter} ", dialect.delimiter)
    return text.encode()


def _header(path: Path, dialect: Dialect, block: int) -> tuple[list[str], Iterator[tuple[bytes, bool]]]:
    """Split off the header; return the names and the blocks of records."""
    blocks = _text_blocks(path, dialect, block)
    first, last = b"", False
    while not last and not _line_end(first):
        following, last = next(blocks)
        first = (first + following).lstrip(b"\r\n")
    end = _line_end(first) or len(first)
    line = first[:end].decode()
    try:
        names = rows([line.rstrip("\r\n")], dialect.delimiter)[0] if line.strip() else []
    except csv.Error:
        raise MicrofileError(
            "the header has a return without a newline", hint="write the file again with every line ended alike"
        ) from None
    if not names:
        raise MicrofileError("the file has no header line that can be read")
    names = [name.strip() or f"unnamed_{place}" for place, name in enumerate(names, start=1)]
    check_distinct(names)

    def records() -> Iterator[tuple[bytes, bool]]:
        yield first[end:], last
        yield from blocks

    return names, records()


def _line_end(text: bytes) -> int:
    """Return where the first line ends that does not end inside quotes; 0 if none does."""
    end = text.find(b"\n") + 1
    while end and text.count(b'"', 0, end) % 2:
        end = text.find(b"\n", end) + 1
    return end


def _parse(
    path: Path,
    dialect: Dialect,
    names: list[str],
    blocks: Iterator[tuple[bytes, bool]],
    forms: Bytes,
    progress: Progress,
) -> pl.DataFrame:
    from sfumato.kernels.delimited import ABSENT, scan_records

    categories = pl.Categorical(pl.Categories.random())
    frames: list[pl.DataFrame] = []
    schema: dict[str, pl.DataType] | None = None
    quotes = np.zeros(2, dtype=np.int64)
    carried, records, done, widened = b"", 0, 0, False
    total = max(path.stat().st_size, 1)
    for block, last in blocks:
        data = carried + block
        used, found, ragged, fields = scan_records(
            np.frombuffer(data, dtype=np.uint8),
            ord(dialect.delimiter),
            ord(dialect.decimal),
            _absent_words(),
            forms,
            quotes,
            last,
        )
        if ragged >= 0:
            _refuse_ragged(records + ragged, fields, len(names))
        if quotes[0] and quotes[1] >= 0:
            raise MicrofileError(
                f"record {records + int(quotes[1]) + 1:,} has a quote inside a field that is not quoted",
                hint="write the file again with every quote inside a field doubled and the field quoted",
            )
        wanted = _schema(names, forms, categories)
        # from where a type widens the rest is only scanned, so that reading starts over once
        widened = widened or (schema is not None and wanted != schema)
        if found and not widened:
            schema = wanted
            gaps = bool((forms & ABSENT).any())
            frames.append(_parse_block(data[:used], dialect, schema, found, quoted=quotes[1] < 0, gaps=gaps))
        carried = data[used:]
        records += found
        done += len(block)
        if frames and not last:
            a_byte = sum(frame.estimated_size() for frame in frames) / done
            check_fits(max(total - done, 0) * a_byte + ROOM * len(block))
        progress(f"reading {path.name}", min(done / total, 1.0))
    if widened:
        raise _WidenedError
    progress(f"reading {path.name}", 1.0)
    if not records:
        raise MicrofileError("the file has a header but no records")
    return pl.concat(frames, rechunk=False)


def _absent_words() -> Bytes:
    """Return the texts that mean a missing number, as rows that end with zeros."""
    width = max(len(word) for word in NOT_AVAILABLE) + 1
    return np.array([list(word.encode().ljust(width, b"\0")) for word in NOT_AVAILABLE], dtype=np.uint8)


def _schema(names: list[str], forms: Bytes, categories: pl.DataType) -> dict[str, pl.DataType]:
    from sfumato.kernels.delimited import ABSENT, INTEGER, LONG, REAL, TEXT

    def dtype(form: int) -> pl.DataType:
        if form & TEXT or (form & LONG and form & REAL):
            return categories
        if form & REAL:
            return pl.Float64()
        return categories if form & ABSENT and not form & INTEGER else pl.Int64()

    return {name: dtype(int(form)) for name, form in zip(names, forms, strict=True)}


def _parse_block(
    data: bytes, dialect: Dialect, schema: dict[str, pl.DataType], records: int, *, quoted: bool, gaps: bool
) -> pl.DataFrame:
    try:
        frame = pl.read_csv(
            # polars takes away a byte order mark wherever a block begins with one
            BOM + data if data.startswith(BOM) else data,
            has_header=False,
            schema=schema,
            separator=dialect.delimiter,
            decimal_comma=dialect.decimal == ",",
            quote_char='"' if quoted else None,
            # every field was scanned: what is no number in a column of numbers is a text that means missing
            ignore_errors=gaps,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        # its message would show a record's value
        raise MicrofileError("the file's records cannot be parsed", hint="write it again as plain CSV") from None
    if frame.height != records:
        raise MicrofileError(
            f"the file's records cannot be parsed: {records:,} were counted but {frame.height:,} found",
            hint="write it again with every quote inside a quoted field doubled",
        )
    return frame


def _refuse_ragged(record: int, fields: int, wanted: int) -> None:
    from sfumato.kernels.delimited import RAGGED_QUOTE, RAGGED_TAIL

    if fields == RAGGED_QUOTE:
        raise MicrofileError(f"record {record + 1:,} opens a quote that is never closed")
    if fields == RAGGED_TAIL:
        raise MicrofileError(
            f"record {record + 1:,} has text after a closing quote",
            hint="write the file again with every quote inside a quoted field doubled",
        )
    blank = "is blank" if fields == 0 else f"has {fields} fields, the header {wanted}"
    raise MicrofileError(
        f"record {record + 1:,} {blank}",
        hint="the file may be cut off, have another delimiter, or an unquoted delimiter inside a field",
    )
