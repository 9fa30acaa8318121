from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.errors import MicrofileError
from sfumato.microfile.foreign import read_apart
from tests.microfile.mutated import intact, mutated, outcome


@pytest.mark.parametrize("first", range(0, 150, 50))
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_mutated_files_are_read_or_refused(tmp_path, form, first):
    ends = {outcome(form, seed, tmp_path) for seed in range(first, first + 50)}
    assert "read" in ends
    assert len(ends) > 1


@pytest.mark.parametrize("first", range(0, 40, 10))
@pytest.mark.parametrize("form", ["sav", "dta"])
def test_mutated_files_of_other_packages_are_read_or_refused(tmp_path, form, first):
    ends = {outcome(form, seed, tmp_path) for seed in range(first, first + 10)}
    assert len(ends) > 1


@pytest.mark.parametrize(("form", "seed"), [("sav", 364), ("sav", 586), ("sav", 722)])
def test_a_file_that_crashes_its_reader(tmp_path, form, seed):
    path = tmp_path / f"crash.{form}"
    path.write_bytes(mutated(form, seed))
    with pytest.raises(MicrofileError, match="is damaged"):
        sf.read(path)


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
    with pytest.raises(MicrofileError, match="was given up after"):
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
