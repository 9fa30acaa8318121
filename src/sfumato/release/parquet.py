"""The bytes of a Parquet file: what its footer announces, and whether anything lies between what it describes.

Read without any library for Parquet, before one is trusted with the file. The numbers of fields are those of
``parquet.thrift``, written in Thrift's compact protocol.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import ReleaseError

MAGIC = b"PAR1"
DEEPEST = 16
"""Structures of a footer are not nested deeper than this."""
VALUE = 16
"""Bytes that a cell needs in memory at most, beside the text that it points to."""

Fields = dict[int, Any]


@dataclass(frozen=True)
class Chunk:
    """The values of one column in one group of rows."""

    column: str
    rows: int
    dictionary: int | None
    """How many entries its dictionary has."""


@dataclass(frozen=True)
class Layout:
    """What the bytes of a Parquet file are."""

    rows: int
    """How many records the footer announces."""
    memory: int
    """How many bytes the records need in memory by what footer and pages announce."""
    chunks: tuple[Chunk, ...]
    """In the order of the file."""
    oddities: tuple[str, ...]
    """What a file of a release does not have."""


def layout_of(path: Path) -> Layout:
    """Read what footer and page headers of a Parquet file say; raise :class:`ReleaseError` if it is none."""
    try:
        with _bytes_of(path) as data:
            return _layout(data)
    except (IndexError, KeyError, TypeError, ValueError, AttributeError, struct.error, RecursionError):
        # a damaged footer may hold anything in the place of anything
        raise ReleaseError(f"{path.name} is not a Parquet file, or is damaged") from None


@contextmanager
def _bytes_of(path: Path) -> Iterator[mmap.mmap]:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data


def _layout(data: mmap.mmap) -> Layout:
    end = len(data) - 8
    (length,) = struct.unpack("<I", data[end : end + 4])
    start = end - length
    if data[:4] != MAGIC or data[end + 4 :] != MAGIC or start < 4:
        raise ValueError("no Parquet file")
    reader = Reader(data, start, end)
    footer = reader.structure()
    odd: list[str] = [] if reader.place == end else ["bytes after its footer"]
    odd += _odd_footer(footer)
    rows, groups = int(footer[3]), footer.get(4, [])
    if rows < 0 or sum(int(group[3]) for group in groups) != rows:
        raise ValueError("groups of rows do not add up")
    place, memory, chunks = 4, 0, []
    for group in groups:
        for chunk in group[1]:
            found, size, place, strange = _chunk(data, chunk, group[3], place, start)
            odd += strange
            # a dictionary is expanded, so that text needs memory by its pages only once
            memory += size + VALUE * int(group[3])
            chunks.append(found)
    for group in groups:
        for chunk in group[1]:
            if 4 in chunk:
                place = _page_places(data, chunk, place, start, odd)
    if place != start:
        odd.append("bytes before its footer")
    return Layout(rows, memory, tuple(chunks), tuple(dict.fromkeys(odd)))


def _odd_footer(footer: Fields) -> Iterator[str]:
    names = [entry[1].decode() for entry in footer.get(5, [])]
    if set(names) - {"ARROW:schema"} or len(names) > 1:
        yield "metadata of its own"
    if not footer.get(6, b"").startswith(b"Polars") or len(footer.get(6, b"")) > 120:
        yield "an unknown creator"
    if set(footer) - {1, 2, 3, 4, 5, 6, 7}:
        yield "unknown fields"
    if any(set(one) - {1, 2, 3, 4, 5, 6, 7, 8, 10} for one in footer[2]):
        yield "unknown fields of its schema"
    if any(set(group) - {1, 2, 3, 5, 6, 7} for group in footer.get(4, [])):
        yield "unknown fields of a group of rows"


def _chunk(data: mmap.mmap, chunk: Fields, rows: int, place: int, end: int) -> tuple[Chunk, int, int, list[str]]:
    """Walk through the pages of a column's values; return what they announce, and where they end."""
    meta = chunk[3]
    odd = (
        ["unknown fields of a column"] if set(chunk) - {2, 3, 4, 5} or set(meta) - {1, 2, 3, 4, 5, 6, 7, 9, 11} else []
    )
    first = min(meta[9], meta.get(11, meta[9]))
    if first != place:
        odd.append("bytes between its pages")
    place, stop = first, first + meta[7]
    if not 4 <= first <= stop <= end or len(meta[3]) != 1:
        raise ValueError("pages beyond the file")
    values, size, entries, encodings = 0, 0, None, set()
    while place < stop:
        reader = Reader(data, place, stop)
        page = reader.structure()
        if page[3] < 0 or page[2] < 0:
            raise ValueError("a page of a negative size")
        place, size = reader.place + page[3], size + page[2]
        if set(page) - {1, 2, 3, 5, 7, 8}:
            odd.append("unknown fields of a page")
        if 7 in page:
            entries = int(page[7][1])
            size += VALUE * entries
            continue
        its = page.get(5) or page[8]
        values += its[1]
        encodings.add(its[2] if 5 in page else its[4])
        if set(its) - ({1, 2, 3, 4} if 5 in page else {1, 2, 3, 4, 5, 6, 7}):
            odd.append("statistics of a page")
    if place != stop or values != rows or rows != meta[5]:
        raise ValueError("pages do not add up")
    if entries is not None and encodings - {2, 8}:
        odd.append("a dictionary beside plain values")
    place = _behind(data, meta, place, end)
    return Chunk(meta[3][0].decode(), int(rows), entries), size, place, odd


def _behind(data: mmap.mmap, meta: Fields, place: int, end: int) -> int:
    """Return where the description of a chunk ends that Polars repeats behind its pages, if it stands there."""
    reader = Reader(data, place, end)
    try:
        repeated = reader.structure() == meta
    except (ValueError, IndexError):
        # another writer puts something else there
        return place
    return reader.place if repeated else place


def _page_places(data: mmap.mmap, chunk: Fields, place: int, end: int, odd: list[str]) -> int:
    """Read where the pages of a chunk are said to begin; return where that ends."""
    reader = Reader(data, chunk[4], end)
    index = reader.structure()
    if chunk[4] != place or reader.place != place + chunk[5]:
        odd.append("bytes before its footer")
    if set(index) - {1} or any(set(one) - {1, 2, 3} for one in index[1]):
        odd.append("unknown fields of an index")
    return reader.place


class Reader:
    """Reads structures of Thrift's compact protocol as ``{number of the field: value}``."""

    def __init__(self, data: mmap.mmap, place: int, end: int) -> None:
        self.data, self.place, self.end = data, place, end
        self.depth = 0

    def structure(self) -> Fields:
        """Read a structure up to its end."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError("nested too deeply")
        fields: Fields = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            if number in fields:
                raise ValueError("a field stands twice")
            kind = head & 15
            fields[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        self.depth -= 1
        return fields

    def _value(self, kind: int) -> Any:
        if kind in (1, 2):
            return self._byte() == 1
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
        count = head >> 4 if head >> 4 < 15 else self._whole()
        if count > self.end - self.place:
            raise ValueError("a list longer than the file")
        return [self._value(head & 15) for _ in range(count)]

    def _byte(self) -> int:
        return self._take(1)[0]

    def _take(self, count: int) -> bytes:
        if count < 0 or self.place + count > self.end:
            raise ValueError("ends too early")
        self.place += count
        return self.data[self.place - count : self.place]

    def _whole(self) -> int:
        number, shift = 0, 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number
            if shift > 63:
                raise ValueError("a number is too long")

    def _signed(self) -> int:
        number = self._whole()
        return (number >> 1) ^ -(number & 1)
