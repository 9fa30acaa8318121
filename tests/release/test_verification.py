"""What is written is measured and read back first; digests and household numbers hold what they are for."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes import box_release, box_search
from sfumato.boxes.box_runs import Subdivision
from sfumato.datasets import health_survey
from sfumato.errors import ReleaseError, SfumatoError
from sfumato.randomness import Secret
from sfumato.release import release_writer as writing
from sfumato.release.data_file import column_facts, write_data
from sfumato.release.released_households import renumbered

TABLE = pl.DataFrame({"job": ["a", "a", "b", "b"], "pay": [1.5, None, 0.0, 2.0]})


def released() -> sf.Release:
    return sf.Release(TABLE, promise=sf.Promise(quasi="job", k=2))


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_what_is_written_is_read_back_before_it_takes_its_place(tmp_path, monkeypatch, format):
    def damaged(frame, path, ending):
        write_data(frame.with_columns(pay=pl.col("pay").fill_null(7.0)), path, ending)

    released().write(tmp_path / "out", format=format)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    monkeypatch.setattr(writing, "write_data", damaged)
    with pytest.raises(ReleaseError, match="column 'pay' has cells that were changed"):
        released().write(tmp_path / "out", format=format, force=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert len(list((tmp_path / "out.private").iterdir())) == 1


def test_boxes_that_a_fault_made_too_small_do_not_leave(monkeypatch):
    cut = box_search.subdivide

    def faulty(*given, **options):
        boxes = cut(*given, **options)
        return Subdivision(boxes.records, np.sort(np.append(boxes.ends, boxes.ends[0] - 1)))

    monkeypatch.setattr(box_search, "subdivide", faulty)
    with pytest.raises(SfumatoError, match="k"):
        sf.Boxes(quasi=["age", "hours"], k=5, passes=0, seed=1).protect(health_survey(200))


def test_members_of_a_household_whom_a_fault_puts_into_different_boxes_do_not_leave(monkeypatch):
    make = box_release._table

    def faulty(*arguments):
        table = make(*arguments)
        lower = table.series("rent.lo").to_numpy().copy()
        lower[0] -= 1
        return table.with_columns({"rent.lo": pl.Series(lower)})

    people = pl.DataFrame({"home": np.arange(60) // 2, "rent": np.arange(60) // 2 * 10, "age": np.arange(60) % 37})
    boxes = sf.Boxes(quasi=["rent", "age"], household="home", keep_household=True, k=3, seed=1)
    assert "rent" in boxes.protect(people).promise.shared
    monkeypatch.setattr(box_release, "_table", faulty)
    with pytest.raises(SfumatoError, match="different boxes of what they share"):
        boxes.protect(people)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pl.Series("x", [0, None, 3]), pl.Series("x", [0, 0, 3])),
        (pl.Series("x", [0.0, None]), pl.Series("x", [0.0, 0.0])),
        (pl.Series("x", [True, None]), pl.Series("x", [True, False])),
        (pl.Series("x", ["a", None]), pl.Series("x", ["a", ""])),
        (pl.Series("x", ["ab", "c"]), pl.Series("x", ["a", "bc"])),
        (pl.Series("x", [datetime.date(1970, 1, 1)]), pl.Series("x", [None], dtype=pl.Date)),
    ],
)
def test_a_digest_tells_missing_cells_from_those_that_are_zero(one, other):
    digests = [column_facts(its.to_frame())["x"].sha256 for its in (one, other)]
    assert digests[0] != digests[1]


def test_household_numbers_follow_neither_what_is_released_nor_the_file():
    homes = np.repeat(np.arange(60), 2)
    table = sf.Microfile(pl.DataFrame({"home": homes, "age": np.arange(120)}), kinds={"home": "categorical"})
    numbers = np.array(
        [
            renumbered(table, "home", secret=Secret(bytes([one] * 16))).series("home").to_numpy()[::2]
            for one in range(40)
        ]
    )
    assert all(sorted(its) == list(range(1, 61)) for its in numbers.tolist())
    # each household has about all numbers in turn: a mean of 40 is 30.5 with a deviation of 2.7
    assert np.abs(numbers.mean(axis=0) - 30.5).max() < 5 * 2.74
    assert len({tuple(its) for its in numbers.tolist()}) == 40
    orders = np.corrcoef(numbers)[np.triu_indices(40, 1)]
    assert np.abs(orders).mean() < 0.2


def test_the_record_of_a_replaced_release_is_removed(tmp_path):
    first = released().write(tmp_path / "out")
    (old,) = (tmp_path / "out.private").iterdir()
    attack = old.with_name(f"{old.stem}.attack.json")
    attack.write_text("{}")
    other = old.with_name(f"{'0' * 16}.json")
    other.write_text("{}")
    # of another promise, for four records may get the same order by chance
    again = sf.Release(TABLE, promise=sf.Promise(quasi="job", k=1))
    again.write(first, force=True)
    left = {path.name for path in (tmp_path / "out.private").iterdir()}
    # of a release that was moved away nothing is removed
    assert other.name in left
    assert not {old.name, attack.name} & left
    assert len(left) == 2
    again.write(first, force=True)
    assert {path.name for path in (tmp_path / "out.private").iterdir()} == left
