from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

import sfumato as sf
from tests.generated_cases import recount
from tests.generated_cases.cases import run
from tests.generated_cases.tables import Column, Table

BATCH = 10


@pytest.mark.parametrize("first", range(0, 300, BATCH))
def test_random_releases_recounted_from_their_files(first):
    outcomes = [run(seed) for seed in range(first, first + BATCH)]
    failures = {outcome.seed: outcome.failures for outcome in outcomes if outcome.failures}
    assert not failures, f"python -m tests.generated_cases {BATCH} --first {first}"
    # cases that are all refused would show nothing
    assert sum(not outcome.refusal for outcome in outcomes) >= 2


@pytest.fixture
def written(tmp_path):
    ages = [20 + number % 30 for number in range(60)]
    jobs = [["a", "b", "c"][number % 3] for number in range(60)]
    pays = [100.5 + number for number in range(60)]
    table = Table(
        {
            "tag": Column("tag", list(range(60)), pl.Int64(), True),
            "age": Column("integers", ages, pl.Int64(), True),
            "job": Column("categories", jobs, pl.String(), False),
            "pay": Column("reals", pays, pl.Float64(), True),
        },
        60,
    )
    boxes = sf.Boxes(quasi=["age"], sensitive=["job"], k=3, l=2, t=0.5)
    boxes.protect(table.frame()).write(tmp_path / "out")
    return recount.read(tmp_path / "out"), table


def kinds_found(written, table, **limits):
    settings = limits or {"k": 3, "l": 2, "t": 0.5}
    found = [*recount.promise(written, table, ["age"], ["job"], settings, [])]
    found += [*recount.inside(written, table, ["age"]), *recount.exact(written, table, ["age"])]
    return set(Counter(failure.kind for failure in found))


def test_a_recount_of_a_good_release_finds_nothing(written):
    assert kinds_found(*written) == set()


def test_a_recount_sees_a_record_outside_its_box(written):
    files, table = written
    table.columns["age"].values[7] = 99
    assert kinds_found(files, table) == {"outside"}


def test_a_recount_sees_a_box_of_its_own(written):
    files, table = written
    files.cells["age.hi"][0] += 1
    assert "k" in kinds_found(files, table)


def test_a_recount_sees_equal_sensitive_values(written):
    files, table = written
    low = files.cells["age.lo"][0]
    for row, edge in enumerate(files.cells["age.lo"]):
        if edge == low:
            files.cells["job"][row] = "a"
    assert {"l", "changed"} <= kinds_found(files, table)


def test_a_recount_sees_a_distant_block(written):
    files, table = written
    for row in range(60):
        files.cells["job"][row] = "a" if files.cells["age.lo"][row] == files.cells["age.lo"][0] else "bc"[row % 2]
    assert "t" in kinds_found(files, table, k=3, t=0.5)


def test_a_recount_sees_lost_and_doubled_records(written):
    files, table = written
    files.cells["tag"][0] = files.cells["tag"][1]
    assert "records" in kinds_found(files, table)


def test_a_recount_sees_a_range_without_the_truth(written):
    files, table = written
    truth = 100.5 + 29.5
    assert not list(recount.statistic(files, table, "mean(pay)", "", None, truth, truth))
    beside = recount.statistic(files, table, "mean(pay)", "", None, truth + 0.01, truth + 1)
    assert [failure.kind for failure in beside] == ["range"]
