from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile import Kind
from sfumato.microfile.encoded_column import is_one_of
from sfumato.microfile.microfile import GLANCE

FRAME = pl.DataFrame(
    {
        "text": ["b", "a", None, "b", ""],
        "real": [1.5, 2.0, float("nan"), None, -0.0],
        "whole": [5, None, 7, 7, 99],
        "flag": [True, False, None, True, True],
        "day": pl.Series(["2020-01-01", "2021-01-01", None, None, None]).str.to_date(),
    }
)


@pytest.mark.parametrize("convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow, pl.DataFrame.lazy])
def test_frames_of_every_library_are_encoded_alike(convert):
    people = sf.Microfile(convert(FRAME), missing={"whole": ["99"]})
    assert people.encoded("text").codes.tolist() == [1, 0, -1, 1, -1]
    assert people.encoded("real").codes.tolist() == [1, 2, -1, -1, 0]
    assert people.encoded("whole").codes.tolist() == [0, -1, 1, 1, -1]
    assert people.encoded("flag").codes.tolist() == [1, 0, -1, 1, 1]
    assert people.encoded("day").codes.tolist() == [0, 1, -1, -1, -1]
    np.testing.assert_array_equal(people.numbers("whole"), [5, np.nan, 7, 7, np.nan])


INDEXED = FRAME.to_pandas().set_index(pd.Index([7, 5, 3, 1, 0]))


@pytest.mark.parametrize("frame", [FRAME, FRAME.to_pandas(), INDEXED, FRAME.to_arrow()])
def test_the_same_kind_of_frame_goes_out(frame):
    people = sf.Microfile(frame)
    changed = people.with_columns({"text": pl.Series(["x", "y", None, "x", "z"])}).filter([True] * 3 + [False] * 2)
    assert type(changed.frame) is type(frame)
    assert changed.names == people.names
    assert changed.series("text").to_list() == ["x", "y", None]


def test_without_pyarrow_the_extra_for_pandas_is_named():
    # in a process of its own: who has loaded pyarrow keeps it
    code = """
import sys
from importlib.machinery import PathFinder

class WithoutPyarrow(PathFinder):
    @classmethod
    def find_spec(cls, name, *where):
        return None if name == "pyarrow" else PathFinder.find_spec(name, *where)

sys.meta_path[sys.meta_path.index(PathFinder)] = WithoutPyarrow
import pandas as pd
import sfumato as sf

frame = pd.DataFrame({"age": [1.5, 2.5], "sex": ["f", None]})
print(sf.Microfile(frame[["age"]]).series("age").to_list())
sf.Microfile(frame)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[1.5, 2.5]\n"
    assert done.stderr.endswith(
        "texts and categories of pandas (column 'sex') need the package pyarrow\nHint: pip install 'sfumato[pandas]'\n"
    )


@pytest.mark.parametrize("missing", [0, [0], "0", {"x": 0}])
def test_zero_can_be_a_missing_code(missing):
    assert sf.Microfile(pl.DataFrame({"x": [0, 1]}), missing=missing).encoded("x").codes.tolist() == [-1, 0]


@pytest.mark.parametrize("column", [["a", "", "99", "é", "Z"], [1.5, 99.0, -0.0, 7.0], [99, 3, 10**6], [True, False]])
def test_many_values_are_compared_with_missing_codes_as_one_is(column):
    codes = ("99", 7, "?", "Z", "true", "1e999")
    encoded = sf.Microfile(pl.DataFrame({"x": column}), missing=codes).encoded("x")
    every = sf.Microfile(pl.DataFrame({"x": column})).encoded("x").values.tolist()
    assert encoded.values.tolist() == [value for value in every if not is_one_of(value, codes)]


def test_text_is_ordered_as_python_orders_it():
    names = ["é", "Z", "a", "\U0001f600", "\uffff", "ab", "A"]
    assert sf.Microfile(pl.DataFrame({"x": names})).encoded("x").values.tolist() == sorted(names)


def test_a_column_is_blank_if_no_value_is_known_however_late_one_comes():
    late = ["?"] * (2 * GLANCE) + ["a"]
    people = sf.Microfile(pl.DataFrame({"late": late, "never": ["?", ""] * GLANCE + [None]}), missing="?")
    assert not people.is_blank("late")
    assert people.is_blank("never")


def test_numbers_beyond_any_table_are_ranked_by_sorting():
    people = sf.Microfile(pl.DataFrame({"x": [10**15, -(10**15), 0, 10**15]}))
    assert people.encoded("x").codes.tolist() == [2, 0, 1, 2]
    assert people.encoded("x").values.tolist() == [-(10**15), 0, 10**15]


def test_ordered_categories_are_ordinal():
    levels = pd.Categorical(["hi", "lo"], categories=["lo", "mid", "hi"], ordered=True)
    people = sf.Microfile(pd.DataFrame({"level": levels}))
    assert people.attribute("level").kind is Kind.ORDINAL
    assert people.encoded("level").values.tolist() == ["lo", "hi"]
    enum = sf.Microfile(pl.DataFrame({"level": pl.Series(["hi", "lo"], dtype=pl.Enum(["lo", "hi"]))}))
    assert enum.attribute("level").kind is Kind.ORDINAL
    assert enum.encoded("level").codes.tolist() == [1, 0]


def test_an_order_can_be_declared():
    people = sf.Microfile(pl.DataFrame({"level": ["hi", "lo", "?"]}), kinds={"level": ["lo", "hi"]}, missing=["?"])
    assert people.encoded("level").codes.tolist() == [1, 0, -1]
    with pytest.raises(MicrofileError, match="'level' holds 1 categories that its declared order"):
        sf.Microfile(pl.DataFrame({"level": ["hi", "secret"]}), kinds={"level": ["lo", "hi"]}).encoded("level")


def test_numbers_can_be_categories_of_their_library():
    people = sf.Microfile(pd.DataFrame({"x": pd.Categorical([3, 1, 2])}))
    assert people.attribute("x").kind is Kind.CATEGORICAL


@pytest.mark.parametrize("order", [[], ["a", "b", "a"], 5])
def test_an_order_lists_each_category_once(order):
    with pytest.raises(SettingError, match="the order of column 'x' must list"):
        sf.Microfile(pl.DataFrame({"x": ["a"]}), kinds={"x": order})


@pytest.mark.parametrize("dtype", [pl.Decimal(38, 1), pl.UInt64, pl.Int128, pl.Int8])
def test_numbers_of_every_type_stay_apart(dtype):
    low, high = (1, 2) if dtype == pl.Int8 else (10**17, 10**17 + 1)
    people = sf.Microfile(pl.DataFrame({"x": pl.Series([high, low, None], dtype=dtype)}))
    assert people.encoded("x").codes.tolist() == [1, 0, -1]


def test_numbers_with_a_label_each_are_categories():
    labels = {"sex": {1: "male", 2: "female"}, "age": {99: "refused"}}
    people = sf.Microfile(pl.DataFrame({"sex": [1, 2], "age": [33, 99]}), labels=labels)
    assert people.attribute("sex").kind is Kind.CATEGORICAL
    assert people.attribute("age").kind is Kind.NUMERIC


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=30))
def test_codes_point_at_their_values(numbers):
    encoded = sf.Microfile(pl.DataFrame({"x": pl.Series(numbers, dtype=pl.Float64)})).encoded("x")
    assert (encoded.values[1:] > encoded.values[:-1]).all()
    for number, code in zip(numbers, encoded.codes, strict=True):
        assert (number is None) == (code < 0)
        if number is not None:
            assert encoded.values[code] == number


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame(), "no columns"),
        (pl.DataFrame({"x": []}), "no records"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "columns 1 and 2 have the same name"),
        (pd.DataFrame([[1]], columns=[0]), "column names must be text"),
        (pl.DataFrame({"x": [1.0, float("inf")]}), "'x' holds 1 infinite"),
        ([1, 2], "expected a data frame, got list"),
        (pa.table([[1], [2]], names=["a", "a"]), "columns 1 and 2 have the same name"),
        (pd.DataFrame({"x": [1, "SECRET", 2.5]}), "'x' holds values of several types"),
        (pl.LazyFrame({"x": ["SECRET"]}).with_columns(pl.col("x").cast(pl.Int64)), "cannot be collected"),
    ],
)
def test_what_is_no_microfile(frame, message):
    with pytest.raises(MicrofileError, match=message) as caught:
        sf.Microfile(frame)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_nested_columns_are_refused_when_used():
    with pytest.raises(MicrofileError, match="'x' holds List"):
        sf.Microfile(pa.table({"x": [[1], [2]]})).encoded("x")


def test_unknown_columns_are_named_with_the_nearest():
    people = sf.Microfile(FRAME)
    with pytest.raises(MicrofileError, match="did you mean 'whole'"):
        people.encoded("hole")
    with pytest.raises(SettingError, match="kinds: unknown column 'txt'"):
        sf.Microfile(FRAME, kinds={"txt": "numeric"})
    with pytest.raises(SettingError, match="kind 'number' of column 'real' is not known"):
        sf.Microfile(FRAME, kinds={"real": "number"})
    with pytest.raises(MicrofileError, match="'text' is declared numeric but holds text"):
        sf.Microfile(FRAME, kinds={"text": "numeric"})
    with pytest.raises(MicrofileError, match="'text' is categorical, not numeric"):
        people.numbers("text")


def test_a_guessed_kind_is_that_of_the_records_at_hand():
    frame = pl.DataFrame({"size": [1, 2, 9, 7], "age": [30, 31, 32, 33]})
    file = sf.Microfile(frame, missing={"size": [9]}, labels={"size": {1: "small", 2: "large"}})
    # a declared missing code needs no label, a value does
    assert (file.attribute("size").kind, file.attribute("size").guessed) == ("numeric", True)
    some = file.filter([True, True, True, False]).with_kinds_guessed_again()
    assert some.attribute("size").kind == "categorical"
    assert some.attribute("age") == file.attribute("age")
    assert file.with_kinds_guessed_again() is file
    declared = sf.Microfile(frame, kinds={"size": "numeric"}, labels={"size": {1: "small", 2: "large"}})
    assert declared.filter([True, True, False, False]).with_kinds_guessed_again().attribute("size").kind == "numeric"
    # whoever derives a file from another one keeps what was declared, and guesses the rest
    assert some.with_columns({"age": frame["age"][:3]}).attribute("size").guessed
    assert not declared.with_columns({"age": frame["age"]}).attribute("size").guessed


@pytest.mark.parametrize(
    ("dtype", "tick"),
    [
        (pl.Date, 2**31 - 1),
        (pl.Date, -(2**31)),
        (pl.Date, 2_932_897),
        (pl.Datetime("us"), 2**62),
        (pl.Datetime("ms"), -(2**62)),
        (pl.Datetime("ms", "Europe/Paris"), 2**62),
    ],
)
def test_dates_of_years_that_cannot_be_used_are_counted(dtype, tick):
    ticks = pl.Series("born", [tick, None, 0, tick, 300], dtype=pl.Int64)
    column = ticks.cast(pl.Int32).cast(dtype) if dtype == pl.Date else ticks.cast(dtype)
    message = "column 'born' holds 2 dates outside the years 1 to 9999"
    for table in (column.to_frame(), column.to_frame().to_arrow()):
        with pytest.raises(MicrofileError, match=message) as caught:
            sf.Microfile(table)
        assert caught.value.column == "born"


def test_the_first_and_the_last_date_can_be_used():
    days = pl.Series("day", [-719_162, 2_932_896], dtype=pl.Int32).cast(pl.Date)
    file = sf.Microfile(pl.DataFrame([days, days.cast(pl.Datetime("us")).alias("time")]))
    assert file.encoded("day").values.astype(str).tolist() == ["0001-01-01", "9999-12-31"]
    assert file.encoded("time").codes.tolist() == [0, 1]


def test_a_fixed_time_zone_is_not_supported(tmp_path):
    times = pa.table({"at": pa.array([0, 1, 2], pa.timestamp("us", tz="+05:30"))})
    with pytest.raises(MicrofileError, match="column 'at' of times has a time zone that is not supported"):
        sf.Microfile(times)
    pq.write_table(times, tmp_path / "times.parquet")
    with pytest.raises(MicrofileError, match=r"times.parquet: a column of times has a time zone that is not supported"):
        sf.read(tmp_path / "times.parquet")
