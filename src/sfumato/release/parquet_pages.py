"""Whether a Parquet file holds anything that another one of the same cells does not.

Versions of Polars may compress pages differently, so that sizes and offsets in the file differ. All else must be the
same: the footer, the header of every page, and every page as it is decompressed.
"""

from __future__ import annotations

import io
import mmap
import re
import struct
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import IO, Any

import polars as pl

from sfumato.errors import MicrofileError
from sfumato.microfile import MAGIC, Content, Fields, ParquetPage, Reader, content_of

CREATOR = r"Polars \(python\) version {version} \(build [0-9a-f]{{40}}\)"
FRAME = b"\x28\xb5\x2f\xfd"
"""The first bytes of a Zstandard frame."""
ZSTANDARD = 6
RLE, RESERVED = 1, 3


def additions(file: IO[bytes], rewritten: IO[bytes], version: str) -> Iterator[str]:
    """Say what a Parquet file has that a file written here from its cells does not have.

    Parameters
    ----------
    file
        The file in question.
    rewritten
        The cells of this file as this version of Polars writes them.
    version
        The version of Polars that the file claims to be written with.
    """
    try:
        with content_of(file) as (data, content), content_of(rewritten) as (rewritten_data, rewritten_content):
            yield from _additions(data, content, rewritten_data, rewritten_content, version)
    except MicrofileError:
        yield "a footer or pages that contradict each other"


def _additions(
    data: mmap.mmap, content: Content, rewritten_data: mmap.mmap, rewritten: Content, version: str
) -> Iterator[str]:
    creator, _ = (side.footer.pop(6, b"") for side in (content, rewritten))
    if not re.fullmatch(CREATOR.format(version=re.escape(version)).encode(), creator):
        yield f"another creator than Polars {version}"
    if content.shape != rewritten.shape or _without_places(data, content) != _without_places(rewritten_data, rewritten):
        yield "bytes between its pages, or a footer that is not that of its cells"
    pages, rewritten_pages = (tuple(chain.from_iterable(side.pages)) for side in (content, rewritten))
    if len(pages) != len(rewritten_pages):
        yield "other pages than its cells"
    elif any(
        _differ(data, page, rewritten_data, rewritten_page)
        for page, rewritten_page in zip(pages, rewritten_pages, strict=True)
    ):
        yield "pages that are not those of its cells"


def _differ(data: mmap.mmap, page: ParquetPage, rewritten_data: mmap.mmap, rewritten: ParquetPage) -> bool:
    """Whether two pages differ in anything but how they are compressed."""
    if page.shape != rewritten.shape or _without(page.header, 3) != _without(rewritten.header, 3):
        return True
    body, rewritten_body = data[page.body : page.end], rewritten_data[rewritten.body : rewritten.end]
    if body == rewritten_body:
        return False
    # the header of a frame is determined by the size of its content
    if _frame_header(body) != _frame_header(rewritten_body):
        return True
    return _decompressed(body, page.header[2]) != _decompressed(rewritten_body, rewritten.header[2])


def _without(fields: Fields, number: int) -> Fields:
    return {key: value for key, value in fields.items() if key != number}


def _without_places(data: mmap.mmap, content: Content) -> list[Any]:
    """Return what a footer says apart from offsets and sizes, and what is between the pages.

    Each offset and size is given as its excess over the real one: zero, if the writer means the same as we do.
    """
    remaining: list[Any] = [_without(content.footer, 4)]
    pages, offset = iter(content.pages), len(MAGIC)
    groups = content.footer.get(4, [])
    for group in groups:
        group_fields = {key: value for key, value in group.items() if key != 1}
        _less(
            group_fields,
            {5: offset, 2: sum(chunk[3][6] for chunk in group[1]), 6: sum(chunk[3][7] for chunk in group[1])},
        )
        remaining.append(group_fields)
        for chunk in group[1]:
            chunk_pages = next(pages)
            remaining.append(chunk_pages[0].start - offset)
            remaining.append(_chunk_without_places(chunk, chunk_pages))
            offset, repeated = _behind(data, chunk[3], chunk_pages[-1].end, content.start)
            remaining.append(repeated)
    for chunk, chunk_pages in zip((chunk for group in groups for chunk in group[1]), content.pages, strict=True):
        if 4 in chunk:
            index, shape, after = _index_without_places(data, chunk[4], content.start, chunk_pages)
            remaining += [chunk[4] - offset, chunk[5] - (after - chunk[4]), index, shape]
            offset = after
    return [*remaining, content.start - offset]


def _chunk_without_places(chunk: Fields, pages: Sequence[ParquetPage]) -> Fields:
    meta = dict(chunk[3])
    values = next(page for page in pages if 7 not in page.header)
    end = meta[9] + meta[7]
    _less(
        meta,
        {
            6: sum(page.body - page.start + page.header[2] for page in pages),
            7: pages[-1].end - pages[0].start,
            9: values.start,
            11: pages[0].start,
        },
    )
    rest = {**chunk, 3: meta}
    _less(rest, {2: end})
    return {key: value for key, value in rest.items() if key not in (4, 5)}


def _index_without_places(
    data: mmap.mmap, offset: int, end: int, pages: Sequence[ParquetPage]
) -> tuple[Fields, bytes, int]:
    """Read where the pages of a chunk begin according to its index; also return its fields and types, and its end."""
    reader = Reader(data, offset, end)
    index = reader.structure()
    for entry, page in zip(index[1], (page for page in pages if 7 not in page.header), strict=True):
        _less(entry, {1: page.start, 2: page.end - page.start})
    return index, bytes(reader.shape), reader.position


def _behind(data: mmap.mmap, meta: Fields, offset: int, end: int) -> tuple[int, bytes]:
    """Skip the description of a chunk that Polars repeats behind its pages; also return its fields and types."""
    reader = Reader(data, offset, end)
    try:
        repeated = reader.structure() == meta
    except (ValueError, IndexError):
        # there is something else, and the next offset shows how much
        return offset, b""
    return (reader.position, bytes(reader.shape)) if repeated else (offset, b"")


def _less(fields: Fields, amounts: Fields) -> None:
    for number, amount in amounts.items():
        if number in fields:
            fields[number] -= amount


def _frame_header(body: bytes) -> bytes:
    """Return the header of a compressed page, which must be one frame of Zstandard with nothing before or behind it."""
    if body[:4] != FRAME:
        raise ValueError("no frame of Zstandard")
    flags = body[4]
    if flags & 0b00011111:
        raise ValueError("a dictionary, a checksum or unused bits")
    single, size = bool(flags & 32), (1 if flags & 32 else 0, 2, 4, 8)[flags >> 6]
    start = offset = 5 + (not single) + size
    last = False
    while not last:
        head = int.from_bytes(body[offset : offset + 3], "little")
        last, kind, length = bool(head & 1), head >> 1 & 3, head >> 3
        if kind == RESERVED or offset + 3 > len(body) or (not length and offset > start):
            raise ValueError("a reserved, truncated or empty block")
        offset += 3 + (1 if kind == RLE else length)
    if offset != len(body):
        raise ValueError("bytes behind a frame")
    return body[:start]


def _decompressed(body: bytes, size: int) -> bytes:
    """Decompress a page: Polars reads it as the only value of a Parquet file made around it."""
    header = _written({1: 0, 2: size, 3: len(body), 5: {1: 1, 2: 0, 3: 3, 4: 3}})
    length = len(header) + len(body)
    meta = {1: 7, 2: [0], 3: [b"page"], 4: ZSTANDARD, 5: 1, 6: len(header) + size, 7: length, 9: len(MAGIC)}
    schema = [{4: b"root", 5: 1}, {1: 7, 2: size, 3: 0, 4: b"page"}]
    footer = _written({1: 1, 2: schema, 3: 1, 4: [{1: [{2: 0, 3: meta}], 2: length, 3: 1}]})
    file = io.BytesIO(b"".join((MAGIC, header, body, footer, struct.pack("<I", len(footer)), MAGIC)))
    try:
        return bytes(pl.read_parquet(file).item())
    except pl.exceptions.PolarsError:
        raise ValueError("a page that cannot be decompressed") from None


def _written(value: Any) -> bytes:
    """Write numbers, bytes, lists and structures in Thrift's compact protocol; fields by number, none 16 apart."""
    if isinstance(value, int):
        return _whole(value << 1)
    if isinstance(value, bytes):
        return _whole(len(value)) + value
    if isinstance(value, list):
        return bytes([len(value) << 4 | _kind(value[0])]) + b"".join(map(_written, value))
    fields, before = b"", 0
    for number, field in value.items():
        fields += bytes([number - before << 4 | _kind(field)]) + _written(field)
        before = number
    return fields + b"\0"


def _kind(value: Any) -> int:
    # readers take whole numbers of any size for those of 64 bits
    return {int: 6, bytes: 8, list: 9, dict: 12}[type(value)]


def _whole(number: int) -> bytes:
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])
