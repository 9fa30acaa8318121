"""Reading delimited text in blocks, so that at most one block is held as text.

Each block is scanned once as bytes, which checks its shape and finds the types that each column can have;
then it is parsed with those types, with categories going straight into a dictionary. Where a later block
needs a wider type than the first one, reading starts over with the wider type.
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

from sfumato.array_types import Bytes
from sfumato.errors import MicrofileError
from sfumato.microfile.frames import check_distinct
from sfumato.microfile.memory_limit import check_fits
from sfumato.microfile.text_dialect import Dialect, damaged, find_dialect, mostly_utf8, rows
from sfumato.microfile.type_inference import NOT_AVAILABLE
from sfumato.progress import Progress, silent

BLOCK = 32 << 20
ROOM = 6
"""Reading a block takes this multiple of its size, in addition to what is retained."""
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

    Integers and reals become numbers; everything else, and every column in ``text``, becomes categories.
    """
    check_fits(ROOM * min(block, path.stat().st_size))
    from sfumato.kernels.delimited_scan import TEXT

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
            # the first letter that is not ASCII may come after the sample
            if encoding is not None or dialect.encoding != "utf-8" or not sample.isascii():
                raise MicrofileError(
                    f"the file is not encoded in {dialect.encoding}",
                    hint="set the encoding, such as latin-1, cp1252 or utf-16",
                    setting="encoding",
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
        raise MicrofileError("the gzipped file is cut off or damaged", hint="download it again") from None


def _text_blocks(path: Path, dialect: Dialect, block: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the blocks of the file as UTF-8, each with whether it is the last."""
    decoder = codecs.getincrementaldecoder(dialect.encoding)()
    is_utf8 = dialect.encoding.startswith("utf-8") and not dialect.returns and not dialect.blanks
    done, letters, ends_with_delimiter = 0, False, False
    with _open(path) as file:
        raw = _take(file, block)
        while True:
            following = _take(file, block)
            if is_utf8 and raw.isascii():
                # a letter that started in the previous block would not continue with ASCII
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
    """Encode text as UTF-8, with newlines and without spaces after delimiters."""
    if dialect.returns:
        text = text.replace("\r", "\n")
    if dialect.blanks:
        if '"' in text:
            raise MicrofileError(
                "the file has a space after every delimiter, and quotes", hint="save it again without these spaces"
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
            "the header has a carriage return without a newline",
            hint="save the file again with one kind of line ending",
        ) from None
    if not names:
        raise MicrofileError("the file has no readable header line")
    names = [name.strip() or f"unnamed_{position}" for position, name in enumerate(names, start=1)]
    check_distinct(names)

    def records() -> Iterator[tuple[bytes, bool]]:
        yield first[end:], last
        yield from blocks

    return names, records()


def _line_end(text: bytes) -> int:
    """Return the end of the first line that does not end inside quotes; 0 if there is none."""
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
    from sfumato.kernels.delimited_scan import ABSENT, scan_records

    categories = pl.Categorical(pl.Categories.random())
    frames: list[pl.DataFrame] = []
    schema: dict[str, pl.DataType] | None = None
    quotes = np.zeros(2, dtype=np.int64)
    carried, n_records, done, widened = b"", 0, 0, False
    total = max(path.stat().st_size, 1)
    for block, last in blocks:
        data = carried + block
        used, n_scanned, ragged, fields = scan_records(
            np.frombuffer(data, dtype=np.uint8),
            ord(dialect.delimiter),
            ord(dialect.decimal),
            _absent_words(),
            forms,
            quotes,
            last,
        )
        if ragged >= 0:
            _refuse_ragged(n_records + ragged, fields, len(names))
        if quotes[0] and quotes[1] >= 0:
            raise MicrofileError(
                f"record {n_records + int(quotes[1]) + 1:,} has a quote inside a field that is not quoted",
                hint="save the file again with quotes inside fields doubled and these fields quoted",
            )
        block_schema = _schema(names, forms, categories)
        # once a type widens, the rest is only scanned, so that reading starts over only once
        widened = widened or (schema is not None and block_schema != schema)
        if n_scanned and not widened:
            schema = block_schema
            gaps = bool((forms & ABSENT).any())
            frames.append(_parse_block(data[:used], dialect, schema, n_scanned, quoted=quotes[1] < 0, gaps=gaps))
        carried = data[used:]
        n_records += n_scanned
        done += len(block)
        if frames and not last:
            memory_per_byte = sum(frame.estimated_size() for frame in frames) / done
            check_fits(max(total - done, 0) * memory_per_byte + ROOM * len(block))
        progress(f"reading {path.name}", min(done / total, 1.0))
    if widened:
        raise _WidenedError
    progress(f"reading {path.name}", 1.0)
    if not n_records:
        raise MicrofileError("the file has a header but no records")
    return pl.concat(frames, rechunk=False)


def _absent_words() -> Bytes:
    """Return the texts that mean a missing number, as rows padded with zeros."""
    width = max(len(word) for word in NOT_AVAILABLE) + 1
    return np.array([list(word.encode().ljust(width, b"\0")) for word in NOT_AVAILABLE], dtype=np.uint8)


def _schema(names: list[str], forms: Bytes, categories: pl.DataType) -> dict[str, pl.DataType]:
    from sfumato.kernels.delimited_scan import ABSENT, INTEGER, LONG, REAL, TEXT

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
            # polars removes a byte order mark wherever a block begins with one
            BOM + data if data.startswith(BOM) else data,
            has_header=False,
            schema=schema,
            separator=dialect.delimiter,
            decimal_comma=dialect.decimal == ",",
            quote_char='"' if quoted else None,
            # every field was scanned: only texts that mean a missing value can fail to parse as numbers
            ignore_errors=gaps,
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        # its message would show a record's value
        raise MicrofileError("the records of the file cannot be parsed", hint="save it again as plain CSV") from None
    if frame.height != records:
        raise MicrofileError(
            f"the records of the file cannot be parsed: {records:,} were counted but {frame.height:,} parsed",
            hint="save it again with quotes inside quoted fields doubled",
        )
    return frame


def _refuse_ragged(record: int, fields: int, n_columns: int) -> None:
    from sfumato.kernels.delimited_scan import RAGGED_QUOTE, RAGGED_TAIL

    if fields == RAGGED_QUOTE:
        raise MicrofileError(f"record {record + 1:,} opens a quote that is never closed")
    if fields == RAGGED_TAIL:
        raise MicrofileError(
            f"record {record + 1:,} has text after a closing quote",
            hint="save the file again with quotes inside quoted fields doubled",
        )
    blank = "is blank" if fields == 0 else f"has {fields} fields, the header {n_columns}"
    raise MicrofileError(
        f"record {record + 1:,} {blank}",
        hint="the file may be cut off, use another delimiter, or have an unquoted delimiter inside a field",
    )
