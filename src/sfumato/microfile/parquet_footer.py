"""The structure of a Parquet file: its footer and the headers of its pages.

They are read without a Parquet library, before one is trusted with the file. The numbers of fields are those of
``parquet.thrift``, in Thrift's compact protocol.
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sfumato.errors import MicrofileError

MAGIC = b"PAR1"
DEEPEST = 16
"""The deepest nesting of structures in a footer."""
VALUE = 16
"""The most bytes that a cell needs in memory, in addition to the text that it points to."""

Fields = dict[int, Any]


@dataclass(frozen=True)
class ParquetPage:
    """A page of values, or of a dictionary."""

    start: int
    """The position of its header."""
    body: int
    """The position of its compressed values."""
    end: int
    header: Fields
    shape: bytes
    """The fields and types of its header in the order in which they were written."""


@dataclass(frozen=True)
class Content:
    """The footer and page headers of a Parquet file."""

    footer: Fields
    shape: bytes
    """The fields and types of the footer in the order in which they were written."""
    start: int
    """The position of the footer."""
    pages: tuple[tuple[ParquetPage, ...], ...]
    """The pages of each column in each group of rows, in the order of the footer."""


@dataclass(frozen=True)
class Layout:
    """The sizes that a Parquet file declares."""

    rows: int
    """The number of records in the footer."""
    memory: int
    """The bytes that the records need in memory, according to footer and pages."""
    largest: int
    """The most bytes that the pages of one column in one row group take when decompressed."""


def layout_of(path: Path) -> Layout:
    """Read the sizes in the footer and page headers of a Parquet file, but none of its values.

    Raise :class:`MicrofileError` if they contradict each other, or describe something that a table of plain columns
    does not have, such as lists.
    """
    with path.open("rb") as file, content_of(file) as (_, content):
        groups = content.footer.get(4, [])
        # a dictionary is expanded, so that text needs memory by its pages only once
        unpacked = [
            sum(page.header[2] + (VALUE * page.header[7][1] if 7 in page.header else 0) for page in pages)
            for pages in content.pages
        ]
        cells = sum(VALUE * int(group[3]) * len(group[1]) for group in groups)
        return Layout(content.footer[3], cells + sum(unpacked), max(unpacked, default=0))


def has_marks(path: Path) -> bool:
    """Whether a file begins and ends as Parquet files do."""
    with path.open("rb") as file:
        begins = file.read(len(MAGIC)) == MAGIC
        file.seek(-min(len(MAGIC), path.stat().st_size), os.SEEK_END)
        return begins and file.read() == MAGIC


@contextmanager
def content_of(file: IO[bytes]) -> Iterator[tuple[mmap.mmap, Content]]:
    """Read the footer and page headers of a Parquet file; also return its bytes.

    Raises
    ------
    MicrofileError
        If the file is damaged or not a Parquet file, also if that is found while its content is used.
    """
    try:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data, _content(data)
    except (IndexError, KeyError, TypeError, ValueError, AttributeError, struct.error, RecursionError):
        # a damaged footer may hold anything anywhere
        raise MicrofileError("the file is not a Parquet file, or is damaged") from None


def _content(data: mmap.mmap) -> Content:
    end = len(data) - 8
    (length,) = struct.unpack("<I", data[end : end + 4])
    start = end - length
    if data[:4] != MAGIC or data[end + 4 :] != MAGIC or start < 4:
        raise ValueError("not a Parquet file")
    reader = Reader(data, start, end)
    footer = reader.structure()
    if reader.position != end:
        raise ValueError("bytes after the footer")
    rows, groups = int(footer[3]), footer.get(4, [])
    if rows < 0 or sum(int(group[3]) for group in groups) != rows:
        raise ValueError("groups of rows do not add up")
    pages = tuple(_pages(data, chunk[3], group[3], start) for group in groups for chunk in group[1])
    return Content(footer, bytes(reader.shape), start, pages)


def _pages(data: mmap.mmap, meta: Fields, rows: int, end: int) -> tuple[ParquetPage, ...]:
    """Read the headers of a column's pages."""
    position = min(meta[9], meta.get(11, meta[9]))
    stop = position + meta[7]
    if not 4 <= position <= stop <= end or len(meta[3]) != 1:
        raise ValueError("pages beyond the file")
    pages, values = [], 0
    while position < stop:
        reader = Reader(data, position, stop)
        header = reader.structure()
        if header[3] < 0 or header[2] < 0:
            raise ValueError("a page of a negative size")
        pages.append(ParquetPage(position, reader.position, reader.position + header[3], header, bytes(reader.shape)))
        position = pages[-1].end
        if not _fits(header):
            raise ValueError("more values than a page can hold")
        if 7 not in header:
            values += (header.get(5) or header[8])[1]
    if position != stop or values != rows or rows != meta[5]:
        raise ValueError("pages do not add up")
    return tuple(pages)


def _fits(header: Fields) -> bool:
    """Whether a page can hold what its header says."""
    if 7 in header:
        # an entry of a dictionary takes at least one byte
        return bool(0 <= header[7][1] <= header[2])
    if 5 in header:
        return bool(header[5][1] >= 0)
    values, missing, rows, levels = header[8][1], header[8][2], header[8][3], (header[8][5], header[8][6])
    return bool(0 <= missing <= values == rows and min(levels) >= 0 and sum(levels) <= min(header[2], header[3]))


class Reader:
    """Reads structures of Thrift's compact protocol as ``{number of the field: value}``.

    Numbers and fields are accepted only in their shortest form: longer ones could carry hidden content.
    """

    def __init__(self, data: mmap.mmap, position: int, end: int) -> None:
        self.data, self.position, self.end = data, position, end
        self.depth = 0
        self.shape = bytearray()

    def structure(self) -> Fields:
        """Read a structure up to its end."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError("nested too deeply")
        fields: Fields = {}
        number = 0
        while head := self._byte():
            self.shape.append(head)
            before, number = number, number + (head >> 4) if head >> 4 else self._signed()
            if number in fields or (head < 16 and 0 < number - before < 16):
                raise ValueError("a field occurs twice, or its number is not in its shortest form")
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        self.depth -= 1
        return fields

    def _value(self, kind: int) -> Any:
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return self._take(8)
        if kind == 8:
            return self._take(self._whole())
        if kind == 9:
            return self._list()
        if kind == 12:
            return self.structure()
        raise ValueError("an unknown type")

    def _list(self) -> list[Any]:
        head = self._byte()
        self.shape.append(head)
        count = head >> 4 if head >> 4 < 15 else self._whole()
        if count > self.end - self.position or head >> 4 == 15 > count:
            raise ValueError("a list longer than the file, or its length is not in its shortest form")
        return [self._value(head & 15) for _ in range(count)]

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, count: int) -> bytes:
        if count < 0 or self.position + count > self.end:
            raise ValueError("ends too early")
        self.position += count
        return self.data[self.position - count : self.position]

    def _whole(self) -> int:
        number, shift = 0, 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                if shift > 7 and not byte:
                    raise ValueError("a number is written with leading zeros")
                return number
            if shift > 63:
                raise ValueError("a number is too long")

    def _signed(self) -> int:
        number = self._whole()
        return (number >> 1) ^ -(number & 1)
