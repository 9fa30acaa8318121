"""Steps that make a file like another, and what is wrong with them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import MicrofileError, SettingError
from sfumato.harmonising import Harmonise, harmonise
from sfumato.harmonising.value_steps import Hhmm
from sfumato.microfile import Kind, Microfile

FRAME = pl.DataFrame(
    {
        "age": [17, 25, 40, None],
        "sex": [1, 2, 2, 1],
        "state": [15, 15, 38, 38],
        "area": [100, 300, None, 300],
        "left": [730, 0, 2359, None],
        "cents": [100, 250, -50, None],
        "work": ["army", "shop", "", "army"],
    }
)


def column(frame, steps, name):
    return harmonise(frame, steps).microfile.series(name).to_list()


def test_steps_run_in_their_order_and_tell_what_they_removed():
    steps = [
        {"keep": {"sex": [2], "age": {"least": 18}}},
        {"rename": {"age": "years"}},
        {"keep": "years < 30"},
    ]
    harmonised = harmonise(FRAME, steps)
    assert [(done.step, done.before, done.after, done.removed) for done in harmonised.steps] == [
        ("keep sex, age", 4, 2, 2),
        ("rename age", 2, 2, 0),
        ("keep years", 2, 1, 1),
    ]
    assert [str(done) for done in harmonised.steps][:2] == ["keep sex, age: 2 of 4 records removed", "rename age"]
    assert harmonised.microfile.series("years").to_list() == [25]


def test_names_can_be_exchanged():
    harmonised = harmonise(FRAME, [{"rename": {"age": "sex", "sex": "age"}}]).microfile
    assert harmonised.series("age").to_list() == [1, 2, 2, 1]
    assert harmonised.names[:2] == ["sex", "age"]
    assert harmonised.attribute("sex").name == "sex"


def test_a_renamed_attribute_keeps_what_is_known_about_it():
    people = Microfile(FRAME, kinds={"sex": [2, 1]}, missing={"sex": [2]}, titles={"sex": "What"})
    harmonised = harmonise(people, [{"rename": {"sex": "gender"}}]).microfile.attribute("gender")
    assert (harmonised.kind, harmonised.order, harmonised.missing, harmonised.title) == (
        Kind.ORDINAL,
        (2, 1),
        (2,),
        "What",
    )


@pytest.mark.parametrize("convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_joined_attributes_are_replaced_and_missing_where_one_is(convert):
    harmonised = harmonise(convert(FRAME), [{"join": ["state", "area"], "into": "place"}]).microfile
    assert [None if value is None else str(value) for value in harmonised.series("place").to_list()] == [
        "15/100",
        "15/300",
        None,
        "38/300",
    ]
    assert harmonised.attribute("place").kind is Kind.CATEGORICAL
    assert "state" not in harmonised.names
    assert type(harmonised.frame) is type(convert(FRAME))


def test_the_joined_attribute_may_take_the_name_of_a_part():
    harmonised = harmonise(FRAME, [{"join": ["state", "sex"], "into": "sex", "between": "-"}]).microfile
    assert harmonised.series("sex").to_list() == ["15-1", "15-2", "38-2", "38-1"]
    assert harmonised.names == ["age", "sex", "area", "left", "cents", "work"]


@pytest.mark.parametrize(
    ("step", "name", "expected"),
    [
        ({"map": "sex", "to": {"1": "male", "2": "female"}}, "sex", ["male", "female", "female", "male"]),
        ({"map": "sex", "to": {1: 10, 2.0: 20}}, "sex", [10, 20, 20, 10]),
        ({"map": "sex", "to": {1: "male"}, "others": "missing"}, "sex", ["male", None, None, "male"]),
        ({"map": "sex", "to": {1: "male"}, "others": "stay"}, "sex", ["male", "2", "2", "male"]),
        ({"map": "sex", "to": {1: 3}, "others": "stay"}, "sex", [3, 2, 2, 3]),
        ({"map": "sex", "to": {1: ""}, "others": "stay"}, "sex", [None, 2, 2, None]),
        ({"map": "sex", "to": {1: 1}, "others": {"become": 0}}, "sex", [1, 0, 0, 1]),
        # those who lack a value do not get one
        ({"map": "work", "to": {"army": 1}, "others": {"become": 0}}, "work", [1, 0, None, 1]),
        ({"map": "work", "to": {"army": "yes", "shop": "yes"}}, "work", ["yes", "yes", None, "yes"]),
        ({"hhmm": "left"}, "left", [450, 0, 1439, None]),
        ({"scale": ["cents"], "times": 0.01}, "cents", [1, 2.5, -0.5, None]),
        ({"scale": "cents", "plus": 50}, "cents", [150, 300, 0, None]),
        ({"kinds": {"sex": "categorical"}}, "sex", [1, 2, 2, 1]),
    ],
)
def test_values(step, name, expected):
    assert column(FRAME, [step], name) == expected


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        ({"map": "sex", "to": {1: "male", 2: "female"}}, Kind.CATEGORICAL),
        ({"map": "sex", "to": {1: 5, 2: 6}}, Kind.NUMERIC),
        ({"kinds": {"sex": "categorical"}}, Kind.CATEGORICAL),
        ({"kinds": {"sex": [2, 1]}}, Kind.ORDINAL),
    ],
)
def test_kinds(step, kind):
    assert harmonise(FRAME, [step]).microfile.attribute("sex").kind is kind


def test_codes_that_stay_codes_do_not_become_numbers():
    people = Microfile(FRAME, kinds={"sex": "categorical"})
    harmonised = harmonise(people, [{"map": "sex", "to": {1: 3}, "others": "stay"}]).microfile
    assert harmonised.attribute("sex").kind is Kind.CATEGORICAL


def test_declared_codes_of_missing_values_are_missing_for_steps():
    people = Microfile(FRAME, missing={"left": [0]})
    assert column(people, [{"hhmm": "left"}], "left") == [450, None, 1439, None]
    assert column(people, [{"kinds": {"left": "categorical"}}, {"hhmm": "left"}], "left") == [450, None, 1439, None]


def test_times_and_numbers_may_be_text():
    frame = pl.DataFrame({"left": ["0730", "7:05", "", "0005"], "hours": ["40", "037.5", None, "8"]})
    assert column(frame, [{"hhmm": "left"}], "left") == [450, 425, None, 5]
    assert column(frame, [{"kinds": {"hours": "numeric"}}], "hours") == [40, 37.5, None, 8]


@given(st.integers(0, 23), st.integers(0, 59))
def test_every_time_becomes_its_minutes(hours, minutes):
    frame = pl.DataFrame({"t": [f"{hours}:{minutes:02}"], "u": [100 * hours + minutes]})
    harmonised = harmonise(frame, [{"hhmm": ["t", "u"]}]).microfile
    assert harmonised.numbers("t").tolist() == harmonised.numbers("u").tolist() == [60 * hours + minutes]


def test_codes_of_intervals_become_their_middles():
    runs = [{"code": 1, "start": 0, "width": 30}, {"code": 3, "start": 60, "width": 10}]
    step = {"intervals": "code", "runs": runs, "last": 4}
    assert column(pl.DataFrame({"code": [1, 2, 3, 4, None]}), [step], "code") == [15, 45, 65, 75, None]
    assert column(pl.DataFrame({"code": ["001", "004"]}), [step], "code") == [15, 75]
    with pytest.raises(
        MicrofileError, match=r"harmonise\[0\]: 'code' has codes outside all runs: 3 of them, in 4 records"
    ):
        harmonise(pl.DataFrame({"code": [0.0, 5.0, 5.0, 4.0, 1.5]}), [step])


def test_attributes_are_dropped_and_chosen():
    assert harmonise(FRAME, [{"drop": ["age", "work"]}]).microfile.names == ["sex", "state", "area", "left", "cents"]
    assert harmonise(FRAME, [{"select": ["work", "age"]}]).microfile.names == ["work", "age"]
    with pytest.raises(SettingError, match="no attribute would remain"):
        harmonise(FRAME, [{"drop": FRAME.columns}])


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{}], r"setting 'harmonise\[0\]': a step needs a verb; available: rename, join, map"),
        ([{"renam": {"a": "b"}}], "did you mean 'rename'"),
        (["rename"], "a step is a table with one of these: rename"),
        ({"rename": {"a": "b"}}, "give a list of steps"),
        ([{"rename": {"age": "x"}, "drop": "sex"}], "not both rename and drop; write two steps"),
        ([{"join": ["state", "area"], "inot": "place"}], "join has no setting 'inot'; did you mean 'into'"),
        ([{"join": ["state", "area"]}], r"setting 'harmonise\[0\].into' is missing"),
        ([{"join": ["state"], "into": "x"}], r"'harmonise\[0\].join'"),
        ([{"join": ["state", "state"], "into": "x"}], "lists an attribute twice"),
        ([{"hhmm": ["left", "left"]}], "lists an attribute twice"),
        ([{"rename": {"age": ""}}], "at least 1 character"),
        ([{"keep": {"age": {"lest": 1}}}], "keep.age.lest'\nHint: did you mean 'least'"),
        ([{"intervals": "sex", "runs": [{"cod": 1}], "last": 2}], r"runs\[0\].cod'\nHint: did you mean 'code'"),
        ([{"rename": {"age": "x", "sex": "x"}}], "two attributes would be called 'x'"),
        ([{"rename": {"age": "sex"}}], r"harmonise\[0\]: rename: column 'sex' already exists"),
        ([{"join": ["state", "area"], "into": "sex"}], "into: column 'sex' already exists"),
        ([{"drop": "age"}, {"drop": "aeg"}], r"harmonise\[1\]: drop: unknown column 'aeg'"),
        ([{"map": "sx", "to": {1: 2}}], "map: unknown column 'sx'\nHint: did you mean 'sex'"),
        ([{"map": "sex", "to": {}}], "'harmonise\\[0\\].to'"),
        ([{"map": "sex", "to": {1: 2, "1": 3}}], "lists a value twice"),
        ([{"map": "sex", "to": {"m": 1}, "others": "stay"}], "none of the listed values occurs in 'sex'"),
        ([{"map": "sex", "to": {1: 2}, "others": "stay"}], "new values of 'sex' already occur with another meaning"),
        ([{"map": "sex", "to": {1: 2}, "others": "skip"}], "others"),
        ([{"map": "sex", "to": {1: 2}, "others": {"becme": 2}}], "becme"),
        ([{"keep": {"age": {"least": 100}}}], "keep: none of the 4 records remain"),
        ([{"keep": {"aeg": [1]}}], "keep: unknown column 'aeg'"),
        ([{"keep": "age >"}], "is not a condition"),
        ([{"scale": "age"}], "scale needs times, plus or both"),
        ([{"scale": "age", "times": 0}], "times must not be 0"),
        ([{"kinds": {"sex": "numbers"}}], "kind 'numbers' of column 'sex' is not known"),
        ([{"intervals": "sex", "runs": [{"code": 5, "start": 0, "width": 1}], "last": 4}], "must increase, up to last"),
    ],
)
def test_what_is_wrong_with_steps(steps, message):
    with pytest.raises(SettingError, match=message):
        harmonise(FRAME, steps)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([{"map": "sex", "to": {1: "m"}}], "'sex' has values that are not listed: 1 of them, in 2 records"),
        (
            [{"hhmm": "age"}, {"hhmm": "cents"}],
            r"harmonise\[1\]: 'cents' has values that are not times: 1 of them, in 1 record",
        ),
        ([{"scale": "work", "times": 2}], "column 'work' is categorical, not numeric"),
        ([{"scale": "cents", "times": 1e308}], "3 numbers of 'cents' become too large"),
        ([{"kinds": {"work": "numeric"}}], "'work' has values that are not numbers: 2 of them, in 3 records"),
        ([{"kinds": {"work": ["army", "navy"]}}], "holds 1 categories that its declared order does not list"),
    ],
)
def test_what_is_wrong_with_values_is_counted_and_not_shown(steps, message):
    with pytest.raises(MicrofileError, match=message) as refused:
        harmonise(FRAME, steps)
    assert "shop" not in str(refused.value)
    assert "250" not in str(refused.value)


def test_values_that_are_written_alike_when_joined_are_refused():
    frame = pl.DataFrame({"a": ["1", "1/2"], "b": ["2/3", "3"]})
    with pytest.raises(MicrofileError, match="combinations of values would look the same when joined by '/'"):
        harmonise(frame, [{"join": ["a", "b"], "into": "c"}])
    assert column(frame, [{"join": ["a", "b"], "into": "c", "between": "+"}], "c") == ["1+2/3", "1/2+3"]


def test_three_attributes_are_joined_as_people_would():
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.integers(0, 7, 500) for name in "abc"})
    expected = [f"{a}.{b}.{c}" for a, b, c in frame.iter_rows()]
    assert column(frame, [{"join": ["a", "b", "c"], "into": "all", "between": "."}], "all") == expected


def test_steps_are_settings_that_can_be_written_and_read_back():
    written = Harmonise(
        harmonise=[{"hhmm": "left"}, {"keep": {"age": {"least": 18}}}, {"map": "sex", "to": {"1": "m", "2": "f"}}]
    )
    assert isinstance(written.harmonise[0], Hhmm)
    again = Harmonise(**written.model_dump(exclude_none=True))
    assert again == written
    steps = [step.model_dump(exclude_none=True) for step in again.harmonise]
    assert harmonise(FRAME, steps).steps == harmonise(FRAME, again.harmonise).steps
    assert harmonise(FRAME, steps).microfile.records == 2
    schema = Harmonise.model_json_schema()
    assert "rename" in str(schema)
