from __future__ import annotations

import subprocess
import sys

import polars as pl
import pyarrow.parquet
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError
from sfumato.microfile.isolated_reader import read_apart
from sfumato.microfile.parquet_footer import layout_of
from tests.microfile.mutated import intact, mutated, outcome


@pytest.mark.parametrize("first", range(0, 150, 50))
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_mutated_files_are_read_or_refused(tmp_path, form, first):
    ends = {outcome(form, seed, tmp_path) for seed in range(first, first + 50)}
    assert "read" in ends
    assert len(ends) > 1


@pytest.mark.parametrize("first", range(0, 40, 10))
@pytest.mark.parametrize("form", ["sav", "dta", "sas7bdat"])
def test_mutated_files_of_other_packages_are_read_or_refused(tmp_path, form, first):
    ends = {outcome(form, seed, tmp_path) for seed in range(first, first + 10)}
    assert len(ends) > 1


@pytest.mark.parametrize(("form", "seed"), [("sav", 364), ("sav", 586), ("sav", 722)])
def test_a_file_that_crashes_its_reader(tmp_path, form, seed):
    path = tmp_path / f"crash.{form}"
    path.write_bytes(mutated(form, seed))
    with pytest.raises(MicrofileError, match="is damaged"):
        sf.read(path)


@pytest.mark.parametrize("read", ["sf.read({path!r})", "read_data(pathlib.Path({path!r}), {{}})"])
def test_a_false_count_in_a_page_header_does_not_abort(tmp_path, read):
    """Polars asks for memory by the count, and the process ends where it gets none: so another process tries."""
    path = tmp_path / "crash.parquet"
    path.write_bytes(mutated("parquet", 1084))
    source = "import pathlib, sfumato as sf\nfrom sfumato.release.data_file import read_data\n" + read.format(
        path=str(path)
    )
    ended = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert ended.returncode == 1, ended.stderr[-500:]
    assert "crash.parquet" in ended.stderr
    assert "or is damaged" in ended.stderr


def test_every_false_count_is_noticed_before_the_pages_are_read(tmp_path):
    """Headers that are added up: each of their counts and sizes, made larger by one, contradicts another."""
    good = intact("parquet")[0]
    path = tmp_path / "people.parquet"
    path.write_bytes(good)
    announced = layout_of(path)
    assert announced.rows == 60
    assert announced.largest < len(good)
    counts = [place for place in range(4, len(good) - 8) if good[place : place + 2] == b"\x15\x78"]
    assert len(counts) > 4
    noticed = 0
    for place in counts:
        # 60 and 61 as signed numbers of Thrift
        path.write_bytes(good[: place + 1] + b"\x7a" + good[place + 2 :])
        try:
            layout_of(path)
        except MicrofileError:
            noticed += 1
    assert noticed == len(counts)


def test_a_nested_column_is_read_in_another_process(tmp_path):
    path = tmp_path / "nested.parquet"
    pl.DataFrame({"age": [30, 40, 50], "visits": [[1, 2], [3], []]}).write_parquet(path)
    with pytest.raises(MicrofileError, match="the file is not"):
        layout_of(path)
    assert read_apart(path, encoding=None).frame["visits"].to_list() == [[1, 2], [3], []]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd", "gzip"])
def test_files_of_another_writer_are_plain(tmp_path, version, compression):
    path = tmp_path / "people.parquet"
    table = pl.DataFrame({"age": [30, None, 50] * 500, "word": ["a", "b", None] * 500, "half": [0.5, 1.5, 2.5] * 500})
    pyarrow.parquet.write_table(
        table.to_arrow(),
        path,
        data_page_version=version,
        compression=compression,
        row_group_size=400,
        data_page_size=100,
        write_page_index=True,
        use_dictionary=["word"],
        column_encoding={"age": "DELTA_BINARY_PACKED", "half": "BYTE_STREAM_SPLIT"},
    )
    announced = layout_of(path)
    assert announced.rows == 1500
    assert sf.read(path).records == 1500


@pytest.mark.parametrize(("form", "seed"), [("sav", 155), ("dta", 1008)])
def test_a_file_that_asks_for_memory_without_end(tmp_path, form, seed):
    path = tmp_path / f"greedy.{form}"
    path.write_bytes(mutated(form, seed))
    with pytest.raises(MicrofileError, match=r"needs more than 1\.0 GiB of memory|is damaged"):
        sf.read(path)


def test_reading_is_given_up(tmp_path):
    path = tmp_path / "slow.sav"
    path.write_bytes(intact("sav")[0])
    assert read_apart(path, encoding=None).frame.height == 60
    # less than starting a process takes
    with pytest.raises(MicrofileError, match="was stopped after"):
        read_apart(path, encoding=None, seconds=0.002)


def test_a_reader_that_cannot_be_started(tmp_path, monkeypatch):
    path = tmp_path / "people.sav"
    path.write_bytes(b"")
    stub = tmp_path / "python"
    stub.write_text("#!/bin/sh\nexit 1\n")
    stub.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(stub))
    with pytest.raises(MicrofileError, match="could not be started"):
        read_apart(path, encoding=None)
