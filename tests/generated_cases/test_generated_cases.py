from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

import sfumato as sf
from tests.generated_cases import arithmetic, files, places, recount
from tests.generated_cases.cases import TooLong, counted_calls, run
from tests.generated_cases.tables import Column, Table

BATCH = 20


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
    return files.read(tmp_path / "out"), table


def kinds_found(written, table, **limits):
    settings = limits or {"k": 3, "l": 2, "t": 0.5}
    found = [*recount.promise(written, table, ["age"], ["job"], settings, [])]
    found += [*recount.inside(written, table, ["age"]), *recount.exact(written, table, ["age"])]
    found += recount.edges(written, table, ["age"], settings["k"])
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
    assert not list(arithmetic.statistic(files, table, "mean(pay)", "", None, truth, truth))
    beside = arithmetic.statistic(files, table, "mean(pay)", "", None, truth + 0.01, truth + 1)
    assert [failure.kind for failure in beside] == ["range"]


def test_a_recount_sees_a_range_that_ends_before_the_truth(written):
    files, table = written
    found = arithmetic.statistic(files, table, "mean(pay)", "", None, 129.0, 130.0 - 1e-13)
    assert [failure.kind for failure in found] == ["range"]


def test_a_recount_sees_what_a_certificate_says_too_much(written):
    files, table = written
    files.certificate["measured"]["attributes"]["job"]["t"] += 0.01
    assert kinds_found(files, table) == {"certificate"}


def test_a_recount_sees_an_edge_that_is_a_rare_value(written):
    files, table = written
    row = max(range(60), key=lambda row: files.cells["age.hi"][row])
    table.columns["age"].values[files.tags[row]] = files.cells["age.hi"][row]
    assert kinds_found(files, table) == {"edge"}


def test_a_recount_sees_boxes_that_overlap():
    def written(*boxes):
        cells = {"age.lo": [low for low, _ in boxes], "age.hi": [high for _, high in boxes], "tag": [0, 1, 2]}
        return files.Written(cells, {"age": {"form": {"form": "interval"}}}, {})

    assert not list(recount.tiling(written((0, 5), (5, 9), (0, 5)), ["age"]))
    overlapping = recount.tiling(written((0, 5), (5, 9), (4, 9)), ["age"])
    assert [failure.kind for failure in overlapping] == ["overlap"]


def test_a_recount_sees_records_placed_into_another_box(written):
    files, table = written
    again = pl.DataFrame({name: files.cells[name] for name in ("tag", "age.lo", "age.hi")})
    assert not list(recount.placed(files, table, ["age"], again))
    moved = again.with_columns(pl.col("age.lo").reverse(), pl.col("age.hi").reverse())
    assert [failure.kind for failure in recount.placed(files, table, ["age"], moved)] == ["place"]


@pytest.mark.parametrize(("after", "kinds"), [([7, 8, 10, 9, 11], []), ([5, 5, 25, 5, 5], ["stands out"])])
def test_a_recount_sees_a_place_that_stands_out(after, kinds):
    labels = ["a", "b", "c", "d", "e"]
    people = [
        (label, "m" if number < members else "o")
        for label, members in zip(labels, [5, 5, 25, 5, 5], strict=True)
        for number in range(30)
    ]
    where, who = map(list, zip(*people, strict=True))
    table = Table(
        {
            "place": Column("categories", where, pl.String(), False),
            "who": Column("categories", who, pl.String(), False),
        },
        len(people),
    )
    new = [label for label, members in zip(labels, after, strict=True) for _ in range(members)]
    rest = iter(label for label, members in zip(labels, after, strict=True) for _ in range(30 - members))
    members = iter(new)
    cells = {"tag": list(range(len(people))), "place": [next(members if one == "m" else rest) for one in who]}
    found = places.hidden(
        files.Written(cells, {}, {}), table, members="m", named=["c"], share=False, alpha=0.01, told=[]
    )
    assert [failure.kind for failure in found] == kinds


def test_work_is_counted_and_stopped():
    people = pl.DataFrame({"age": [20 + number % 30 for number in range(60)]})
    with counted_calls(), pytest.raises(TooLong), counted_calls(100):
        sf.Boxes(quasi="age", k=3).protect(people)


def test_a_recount_sees_a_value_in_a_message(written):
    _, table = written
    assert recount.values_in("points must ascend; 1.2e+02 is followed by 123.5", table) == {"123.5"}
    assert not recount.values_in("3 quantiles of 'pay' coincide", table)
