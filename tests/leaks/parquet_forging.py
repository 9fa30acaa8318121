"""Takes a Parquet file of Polars apart, and puts it together again with what a forger adds; places and sizes fit."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

MAGIC = b"PAR1"
INT, BINARY, LIST, STRUCT = 5, 8, 9, 12


@dataclass
class Thrift:
    """Reads and writes Thrift's compact protocol: ``{number: [type, value]}``, lists as ``[type, values]``."""

    data: bytes
    place: int = 0

    def number(self) -> int:
        found = shift = 0
        while True:
            byte = self.data[self.place]
            self.place += 1
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    def value(self, kind: int) -> Any:
        if kind in (4, 5, 6):
            coded = self.number()
            return (coded >> 1) ^ -(coded & 1)
        if kind == BINARY:
            length = self.number()
            self.place += length
            return self.data[self.place - length : self.place]
        if kind == LIST:
            head = self.data[self.place]
            self.place += 1
            count = self.number() if head >> 4 == 15 else head >> 4
            return [head & 15, [self.value(head & 15) for _ in range(count)]]
        assert kind == STRUCT
        return self.structure()

    def structure(self) -> dict[int, list[Any]]:
        fields: dict[int, list[Any]] = {}
        number = 0
        while head := self.data[self.place]:
            self.place += 1
            number += head >> 4
            fields[number] = [head & 15, None if head & 15 in (1, 2) else self.value(head & 15)]
        self.place += 1
        return fields


def coded(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def written(kind: int, value: Any) -> bytes:
    if kind in (1, 2):
        return b""
    if kind in (4, 5, 6):
        return coded(value << 1 if value >= 0 else ~(value << 1))
    if kind == BINARY:
        return coded(len(value)) + value
    if kind == LIST:
        its, values = value
        head = bytes([len(values) << 4 | its]) if len(values) < 15 else bytes([240 | its]) + coded(len(values))
        return head + b"".join(written(its, one) for one in values)
    found, before = b"", 0
    for number in sorted(value):
        of, its = value[number]
        found += bytes([number - before << 4 | of]) + written(of, its)
        before = number
    return found + b"\0"


@dataclass
class Page:
    header: dict[int, list[Any]]
    payload: bytes
    """Compressed."""
    raw: bytes | None = None
    """The header as it is written, where a forger writes it in another way."""

    @property
    def content(self) -> bytes:
        return pa.decompress(self.payload, self.header[2][1], codec="zstd", asbytes=True)

    @content.setter
    def content(self, content: bytes) -> None:
        self.payload = pa.compress(content, codec="zstd", asbytes=True)
        self.header[2][1] = len(content)

    def bytes(self) -> bytes:
        self.header[3][1] = len(self.payload)
        return self.raw or written(STRUCT, self.header)


@dataclass
class File:
    footer: dict[int, list[Any]]
    chunks: list[tuple[dict[int, list[Any]], list[Page]]] = field(default_factory=list)
    indexes: list[dict[int, list[Any]]] = field(default_factory=list)
    between: bytes = b""
    """What stands before the pages of the second column."""
    before_footer: bytes = b""

    @classmethod
    def read(cls, path: Path) -> File:
        data = path.read_bytes()
        (length,) = struct.unpack("<I", data[-8:-4])
        file = cls(Thrift(data, len(data) - 8 - length).structure())
        (group,) = file.footer[4][1][1]
        for chunk in group[1][1][1]:
            meta = chunk[3][1]
            place = meta[11][1] if 11 in meta else meta[9][1]
            end, pages = place + meta[7][1], []
            while place < end:
                reader = Thrift(data, place)
                header = reader.structure()
                place = reader.place + header[3][1]
                pages.append(Page(header, data[reader.place : place]))
            file.chunks.append((chunk, pages))
            file.indexes.append(Thrift(data, chunk[4][1]).structure())
        return file

    def column(self, name: str) -> list[Page]:
        return next(pages for chunk, pages in self.chunks if chunk[3][1][3][1][1] == [name.encode()])

    def write(self, path: Path) -> None:
        out = bytearray(MAGIC)
        (group,) = self.footer[4][1][1]
        begin = len(out)
        for number, (chunk, pages) in enumerate(self.chunks):
            out += self.between if number == 1 else b""
            meta = chunk[3][1]
            places = []
            for page in pages:
                places.append(len(out))
                out += page.bytes() + page.payload
            meta[6][1] = sum(len(page.bytes()) + page.header[2][1] for page in pages)
            meta[7][1] = len(out) - places[0]
            meta[9][1] = next(place for page, place in zip(pages, places, strict=True) if 7 not in page.header)
            if 11 in meta:
                meta[11][1] = places[0]
            chunk[2][1] = meta[9][1] + meta[7][1]
            pointed = [(page, place) for page, place in zip(pages, places, strict=True) if 7 not in page.header]
            for one, (page, place) in zip(self.indexes[number][1][1][1], pointed, strict=True):
                one[1][1], one[2][1] = place, len(page.bytes()) + len(page.payload)
            out += written(STRUCT, meta)
        for (chunk, _), index in zip(self.chunks, self.indexes, strict=True):
            chunk[4][1], chunk[5][1] = len(out), len(written(STRUCT, index))
            out += written(STRUCT, index)
        group[2][1] = sum(chunk[3][1][6][1] for chunk, _ in self.chunks)
        group[6][1] = sum(chunk[3][1][7][1] for chunk, _ in self.chunks)
        group[5][1] = begin
        footer = written(STRUCT, self.footer)
        path.write_bytes(bytes(out) + self.before_footer + footer + struct.pack("<I", len(footer)) + MAGIC)
