"""Whether two files are told alike."""

from __future__ import annotations

import polars as pl
import pytest

from sfumato.errors import MicrofileError, SettingError
from sfumato.harmonising import agree, differences
from sfumato.microfile import Microfile


def test_files_that_are_told_alike_agree():
    one = pl.DataFrame({"age": [1, 50], "sex": ["f", "m"], "place": [1, 2]})
    other = pl.DataFrame({"age": [20.0, 60.0], "sex": ["m", "f"], "place": ["a", "b"]})
    assert agree(one, other, ["age", "sex"]) == agree(one, other, "age") == ()


def test_other_units_are_noticed_where_ranges_overlap():
    one = pl.DataFrame({"pay": [0, 2000, 3000, 4000, 90_000]})
    other = pl.DataFrame({"pay": [0, 200_000, 300_000, 400_000, 900_000]})
    (found,) = agree(one, other)
    assert "middle halves do not overlap" in str(found)
    assert not found.grave


def test_codes_may_be_written_as_numbers_or_as_text():
    one = Microfile(pl.DataFrame({"sex": [1, 2]}), kinds={"sex": "categorical"})
    assert agree(one, pl.DataFrame({"sex": ["1", "2"]})) == ()


def test_all_that_differs_is_told_by_counts_alone():
    one = Microfile(
        pl.DataFrame({"age": [1, 2, 3], "sex": ["f", "m", "m"], "hours": [1, 2, 3], "pay": [1, 2, 3], "a": [1, 1, 1]}),
        kinds={"hours": "categorical"},
    )
    other = pl.DataFrame(
        {"sex": ["male", "female", "female"], "hours": [1, 2, 3], "pay": [100, 200, 300], "a": [None] * 3},
        schema_overrides={"a": pl.Int64},
    )
    with pytest.raises(MicrofileError) as told:
        agree(one, other, called=("the file", "the third party's"))
    message = told.value.message
    assert "'age' is missing in the third party's" in message
    assert "'hours' is categorical in the file and numeric in the third party's" in message
    assert "'pay' has numbers that do not overlap" in message
    assert "'a' has only missing values in the third party's" in message
    assert "'sex' has 2 of 2 codes in the file (3 records) that do not occur in the third party's" in message
    assert "male" not in message
    assert "rename, map, scale or drop" in told.value.hint


def test_rare_codes_that_only_one_file_has_are_no_error():
    one = pl.DataFrame({"way": ["car"] * 99 + ["ferry"]})
    other = pl.DataFrame({"way": ["car"] * 10})
    (found,) = agree(one, other)
    assert not found.grave
    assert str(found) == "'way' has 1 of 2 codes in the first file (1 records) that do not occur in the second file"
    with pytest.raises(MicrofileError, match="do not agree"):
        agree(one, other, strangers=0.005)


def test_orders_must_not_be_turned_round():
    frame = pl.DataFrame({"size": ["s", "m", "l"]})
    up = Microfile(frame, kinds={"size": ["s", "m", "l"]})
    down = Microfile(frame, kinds={"size": ["l", "m", "s"]})
    longer = Microfile(frame, kinds={"size": ["s", "m", "l", "xl"]})
    assert agree(up, longer) == ()
    assert [one.words for one in differences(up, down)] == ["has its categories in a different order"]


def test_many_differences_are_summed_up():
    one = pl.DataFrame({f"a{number}": [1] for number in range(9)})
    with pytest.raises(MicrofileError, match="and 4 more"):
        agree(one, pl.DataFrame({"b": [1]}))


def test_shares_are_checked():
    with pytest.raises(SettingError, match="strangers must be between 0 and 1"):
        differences(pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), strangers=2)
