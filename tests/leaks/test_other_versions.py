"""Forged data files that are said to be written with another version of Polars, whose bytes nobody here can repeat."""

from __future__ import annotations

import base64
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import sfumato as sf
from sfumato.release import audit_folder
from tests.leaks.parquet_forging import BINARY, INT, LIST, STRUCT, File, written
from tests.leaks.test_resealed import NAME, OF_CSV, data_of, folder, read, reseal

__all__ = ["folder"]
SECRET = NAME.encode()
OTHER = re.sub(r"[0-9]", "0", pl.__version__)
"""A version of as many characters as this one."""


def gap(file: File) -> None:
    file.between = SECRET


def gap_before_footer(file: File) -> None:
    file.before_footer = SECRET


def behind_a_frame(file: File) -> None:
    """Decompressors skip frames of this kind."""
    page = file.column("note")[-1]
    page.payload += struct.pack("<II", 0x184D2A50, len(SECRET)) + SECRET


def before_a_frame(file: File) -> None:
    page = file.column("note")[-1]
    page.payload = struct.pack("<II", 0x184D2A50, len(SECRET)) + SECRET + page.payload


def behind_values(file: File) -> None:
    """Readers stop where the last value ends."""
    page = file.column("size")[-1]
    page.content += SECRET


def key_value(file: File) -> None:
    file.footer[5][1][1].append({1: [BINARY, b"who"], 2: [BINARY, SECRET]})


def schema_metadata(file: File) -> None:
    value = file.footer[5][1][1][0][2]
    value[1] = base64.b64encode(base64.b64decode(value[1]) + SECRET)


def statistics(file: File) -> None:
    """Of a column of numbers, whose extremes nobody compares with cells."""
    for chunk, _ in file.chunks:
        if chunk[3][1][3][1][1] == [b"pay"]:
            lowest, highest = SECRET[:8], SECRET[-8:]
            chunk[3][1][12] = [STRUCT, {5: [BINARY, highest], 6: [BINARY, lowest]}]


def page_statistics(file: File) -> None:
    file.column("pay")[-1].header[5][1][5] = [STRUCT, {5: [BINARY, SECRET[:8]], 6: [BINARY, SECRET[-8:]]}]


def unused_entry(file: File) -> None:
    page = file.column("note")[0]
    page.content += struct.pack("<I", len(SECRET)) + SECRET
    page.header[7][1][1][1] += 1


def order_of_a_dictionary(file: File) -> None:
    """n entries can be put in n! orders, each of which says something."""
    dictionary, values = file.column("region")
    entries = [struct.pack("<I", 5) + one for one in (b"south", b"north")]
    first = dictionary.content.startswith(entries[0])
    dictionary.content = b"".join(entries[::-1] if first else entries)
    content = bytearray(values.content)
    # the definition levels, the width of an index, the head of its only run, and 40 indices of one bit
    assert len(content) == 6 + 1 + 1 + 5
    content[-5:] = bytes(byte ^ 255 for byte in content[-5:])
    values.content = bytes(content)


def overlong_number(file: File) -> None:
    page = file.column("pay")[-1]
    kind, size = written(STRUCT, {1: page.header[1]})[:-1], written(INT, page.header[2][1])
    usual = written(STRUCT, page.header | {3: [INT, len(page.payload)]})
    assert usual.startswith(kind + b"\x15" + size)
    long = size[:-1] + bytes([size[-1] | 128, 0])
    page.raw = kind + b"\x15" + long + usual[len(kind) + 1 + len(size) :]


def creator(file: File) -> None:
    file.footer[6][1] = file.footer[6][1][:-41] + SECRET.ljust(40, b".") + b")"


def unknown_field(file: File) -> None:
    file.footer[15] = [BINARY, SECRET]


def list_of_encodings(file: File) -> None:
    encodings = file.chunks[0][0][3][1][2]
    assert encodings[0] == LIST
    encodings[1][1] += list(SECRET)


FORGERIES: dict[str, Callable[[File], None]] = {
    "bytes between pages": gap,
    "bytes before the footer": gap_before_footer,
    "a frame to skip behind a page": behind_a_frame,
    "a frame to skip before a page": before_a_frame,
    "bytes behind the values of a page": behind_values,
    "metadata of its own": key_value,
    "metadata of the schema": schema_metadata,
    "statistics of a column": statistics,
    "statistics of a page": page_statistics,
    "an entry that no record uses": unused_entry,
    "the order of a dictionary": order_of_a_dictionary,
    "a number with leading zeros": overlong_number,
    "a creator": creator,
    "an unknown field": unknown_field,
    "a list of encodings": list_of_encodings,
}
BEFORE = {
    "a frame to skip behind a page",
    "a frame to skip before a page",
    "bytes behind the values of a page",
    "metadata of the schema",
    "the order of a dictionary",
    "a number with leading zeros",
    "a creator",
    "a list of encodings",
    "quoted numbers",
    "digits beyond those of a number",
}
"""Those that passed before pages were compared."""


def claim_other_version(folder: Path) -> None:
    """Put another version into certificate and footer."""
    path = data_of(folder)
    path.write_bytes(path.read_bytes().replace(f"version {pl.__version__} ".encode(), f"version {OTHER} ".encode()))
    content = json.loads((folder / "certificate.json").read_text())
    reseal(folder, software=content["software"] | {"polars": OTHER})


def noted(folder: Path) -> list[str]:
    return [note for note in audit_folder(folder).notes if "Polars" in note]


def test_intact_files_of_other_versions_hold(folder):
    claim_other_version(folder)
    assert audit_folder(folder).holds
    assert len(noted(folder)) == (data_of(folder).suffix == ".parquet")


@pytest.mark.parametrize("folder", ["parquet"], indirect=True)
def test_pages_may_be_compressed_in_another_way(folder):
    usual = data_of(folder).read_bytes()
    read(folder).write_parquet(data_of(folder), compression="zstd", compression_level=19, statistics=False)
    assert data_of(folder).read_bytes() != usual
    claim_other_version(folder)
    assert audit_folder(folder).holds
    (note,) = noted(folder)
    assert "compression of pages could not be compared" in note


@pytest.mark.parametrize("folder", ["parquet"], indirect=True)
def test_what_is_put_together_again_is_the_same_file(folder):
    before = data_of(folder).read_bytes()
    File.read(data_of(folder)).write(data_of(folder))
    assert data_of(folder).read_bytes() == before


@pytest.mark.parametrize("folder", ["parquet"], indirect=True)
@pytest.mark.parametrize("name", FORGERIES)
def test_another_version_is_no_excuse_for_parquet(folder, name, figure):
    path = data_of(folder)
    before = read(folder)
    file = File.read(path)
    FORGERIES[name](file)
    file.write(path)
    claim_other_version(folder)
    found = [one.message for one in audit_folder(folder).findings]
    what = f"said to be of another Polars, {name}: passes the audit"
    figure(what, now=not found, baseline=0, before=name in BEFORE)
    assert found
    assert not any(NAME in message for message in found)
    # its cells are the same, so that only a careful look finds it
    assert pl.read_parquet(path).equals(before)


def test_bits_that_fill_up_a_page_carry_nothing(tmp_path, figure):
    """The last eight indices of a page are filled up with some that no record has."""
    table = pl.DataFrame({"region": ["north"] * 41, "ill": [("flu", "gout", "none")[one % 3] for one in range(41)]})
    folder = sf.Release(table, promise=sf.Promise(quasi="region", k=41)).write(tmp_path / "out")
    path = data_of(folder)
    file = File.read(path)
    page = file.column("ill")[-1]
    page.content = page.content[:-1] + bytes([page.content[-1] ^ 0b01000000])
    file.write(path)
    claim_other_version(folder)
    assert pl.read_parquet(path).height == 41
    found = audit_folder(folder).findings
    what = "said to be of another Polars, bits that fill up a page: passes the audit"
    figure(what, now=not found, baseline=0, before=1)
    assert [one.message for one in found] == ["data.parquet has pages that are not those of its cells"]


@pytest.mark.parametrize("folder", ["parquet"], indirect=True)
def test_a_version_that_the_footer_does_not_name_is_refused(folder):
    read(folder).write_parquet(data_of(folder), compression="zstd", compression_level=19, statistics=False)
    content = json.loads((folder / "certificate.json").read_text())
    reseal(folder, software=content["software"] | {"polars": OTHER})
    assert any("another creator than Polars" in one.message for one in audit_folder(folder).findings)


@pytest.mark.parametrize("folder", ["csv"], indirect=True)
@pytest.mark.parametrize("name", [*OF_CSV, "digits beyond those of a number"])
def test_another_version_is_no_excuse_for_csv(folder, name, figure):
    if name in OF_CSV:
        OF_CSV[name](folder)
    else:
        path = data_of(folder)
        path.write_text(path.read_text().replace(",1.5,", ",1.50000000000000000000031415927,", 1))
    claim_other_version(folder)
    found = audit_folder(folder).findings
    figure(f"said to be of another Polars, {name}: passes the audit", now=not found, baseline=0, before=name in BEFORE)
    assert found
