"""Whether two files have comparable attributes."""

from __future__ import annotations

import polars as pl
import pytest

from sfumato.errors import MicrofileError, SettingError
from sfumato.harmonising import agree, differences
from sfumato.microfile import Microfile


def test_files_with_the_same_kinds_and_codes_agree():
    first = pl.DataFrame({"age": [1, 50], "sex": ["f", "m"], "place": [1, 2]})
    second = pl.DataFrame({"age": [20.0, 60.0], "sex": ["m", "f"], "place": ["a", "b"]})
    assert agree(first, second, ["age", "sex"]) == agree(first, second, "age") == ()


def test_different_units_are_noticed_even_if_ranges_overlap():
    first = pl.DataFrame({"pay": [0, 2000, 3000, 4000, 90_000]})
    second = pl.DataFrame({"pay": [0, 200_000, 300_000, 400_000, 900_000]})
    (difference,) = agree(first, second)
    assert "middle halves do not overlap" in str(difference)
    assert not difference.grave


def test_codes_may_be_written_as_numbers_or_as_text():
    first = Microfile(pl.DataFrame({"sex": [1, 2]}), kinds={"sex": "categorical"})
    assert agree(first, pl.DataFrame({"sex": ["1", "2"]})) == ()


def test_differences_are_described_by_counts_without_values():
    first = Microfile(
        pl.DataFrame({"age": [1, 2, 3], "sex": ["f", "m", "m"], "hours": [1, 2, 3], "pay": [1, 2, 3], "a": [1, 1, 1]}),
        kinds={"hours": "categorical"},
    )
    second = pl.DataFrame(
        {"sex": ["male", "female", "female"], "hours": [1, 2, 3], "pay": [100, 200, 300], "a": [None] * 3},
        schema_overrides={"a": pl.Int64},
    )
    with pytest.raises(MicrofileError) as refused:
        agree(first, second, called=("the file", "the third party's"))
    message = refused.value.message
    assert "'age' is missing in the third party's" in message
    assert "'hours' is categorical in the file and numeric in the third party's" in message
    assert "'pay' has numbers that do not overlap" in message
    assert "'a' has only missing values in the third party's" in message
    assert "'sex' has 2 of 2 codes in the file (3 records) that do not occur in the third party's" in message
    assert "male" not in message
    assert "rename, map, scale or drop" in refused.value.hint


def test_rare_codes_of_one_file_are_accepted():
    first = pl.DataFrame({"way": ["car"] * 99 + ["ferry"]})
    second = pl.DataFrame({"way": ["car"] * 10})
    (difference,) = agree(first, second)
    assert not difference.grave
    assert str(difference) == "'way' has 1 of 2 codes in the first file (1 record) that do not occur in the second file"
    with pytest.raises(MicrofileError, match="do not agree"):
        agree(first, second, strangers=0.005)


def test_reversed_orders_are_refused():
    frame = pl.DataFrame({"size": ["s", "m", "l"]})
    up = Microfile(frame, kinds={"size": ["s", "m", "l"]})
    down = Microfile(frame, kinds={"size": ["l", "m", "s"]})
    longer = Microfile(frame, kinds={"size": ["s", "m", "l", "xl"]})
    assert agree(up, longer) == ()
    assert [difference.words for difference in differences(up, down)] == ["has its categories in a different order"]


def test_long_lists_of_differences_are_shortened():
    first = pl.DataFrame({f"a{number}": [1] for number in range(9)})
    with pytest.raises(MicrofileError, match="and 4 more"):
        agree(first, pl.DataFrame({"b": [1]}))


def test_a_share_above_one_is_refused():
    with pytest.raises(SettingError, match="strangers must be between 0 and 1"):
        differences(pl.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), strangers=2)
