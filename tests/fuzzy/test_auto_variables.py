"""Variables drawn from a file."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SettingError
from sfumato.fuzzy import CategoricalVariable, LinguisticVariable, automatic_variables, blind_spots

RNG = np.random.default_rng(1)


def test_everybody_in_a_census_is_seen():
    people = sf.datasets.census(5000)
    names = [name for name in people.names if name not in ("person", "household", "residence", "workplace")]
    found = automatic_variables(people, names, missing="unknown")
    assert [variable.attribute for variable in found] == names
    assert not any(one.records or one.missing for one in blind_spots(people, found))
    of = dict(zip(names, found, strict=True))
    assert of["age"].names == ("low", "middle", "high", "unknown")
    assert of["sex"].names == ("female", "male", "unknown")
    assert of["marital_status"].names[-2:] == ("other", "unknown")


@pytest.mark.parametrize(("sets", "names"), [(2, ["low", "high"]), (7, [f"{n} of 7" for n in range(1, 8)])])
def test_numbers_have_as_many_words_as_asked_for(sets, names):
    (found,) = automatic_variables(pl.DataFrame({"x": range(1000)}), ["x"], sets=sets)
    assert list(found.names) == names
    assert found.ruspini_gap() is None


def test_corners_are_no_records_own_values():
    numbers = RNG.normal(50_000, 20_000, 2000)
    (found,) = automatic_variables(pl.DataFrame({"x": numbers}), ["x"])
    corners = {corner for shape in found.values.values() for corner in shape.corners}
    assert not corners & set(numbers.tolist())
    assert all(corner % 500 == 0 for corner in corners)


def test_many_noughts_are_a_set_of_their_own():
    numbers = [0] * 60 + list(range(3, 43))
    (found,) = automatic_variables(pl.DataFrame({"x": numbers}), ["x"])
    assert found.names == ("none", "low", "middle", "high")
    grades = found.grades([0, 1, 3, 42])
    assert grades[:, 0].tolist() == [1, 0, 0, 0]
    assert grades[0].tolist() == [1, 0, 0, 0]
    assert grades[1:3, 1].tolist() == [1, 1]
    assert blind_spots(pl.DataFrame({"x": numbers}), [found])[0].records == 0


def test_noughts_among_debts_are_also_low_or_high():
    numbers = [0] * 60 + list(range(-20, 0)) + list(range(1, 21))
    (found,) = automatic_variables(pl.DataFrame({"x": numbers}), ["x"])
    assert found.names[0] == "none"
    assert blind_spots(pl.DataFrame({"x": numbers}), [found])[0].records == 0


def test_shares_begin_at_a_round_number():
    numbers = [0.0] * 60 + [0.037 + 0.01 * step for step in range(60)]
    (found,) = automatic_variables(pl.DataFrame({"x": numbers}), ["x"])
    assert found.values["low"].corners[0] == 0.01


def test_where_many_have_the_same_number_there_are_fewer_sets():
    (found,) = automatic_variables(pl.DataFrame({"x": [40] * 70 + list(range(10, 40))}), ["x"])
    assert found.names == ("low", "high")
    (one,) = automatic_variables(pl.DataFrame({"x": [40] * 990 + list(range(30, 40))}), ["x"])
    assert one.names == ("low", "high")
    assert blind_spots(pl.DataFrame({"x": range(30, 41)}), [one])[0].records == 0


def test_few_numbers_are_codes():
    (found,) = automatic_variables(pl.DataFrame({"sex": [1, 2, 2, 1]}), ["sex"])
    assert isinstance(found, CategoricalVariable)
    assert found.names == ("1", "2")


def test_rare_categories_share_a_word():
    frame = pl.DataFrame({"x": ["a"] * 90 + ["b"] * 9 + ["c"], "y": ["other"] * 99 + ["z"]})
    x, y = automatic_variables(frame, ["x", "y"])
    assert x.names == ("a", "b", "other")
    assert y.names == ("other", "any other")
    assert automatic_variables(frame, ["x"], most=1)[0].names == ("a", "other")
    assert automatic_variables(frame, ["x"], rare=0)[0].names == ("a", "b", "c")


@given(st.lists(st.integers(-50, 50) | st.just(0), min_size=20, max_size=60), st.integers(2, 6))
def test_whatever_the_numbers_are_everybody_is_seen(numbers, sets):
    frame = pl.DataFrame({"x": [*numbers, 1, 2]})
    (found,) = automatic_variables(frame, ["x"], sets=sets)
    assert blind_spots(frame, [found])[0].records == 0
    assert isinstance(found, LinguisticVariable | CategoricalVariable)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"attributes": ["agee"]}, "attributes: unknown column 'agee'"),
        ({"attributes": ["same"]}, "'same' has fewer than two different values"),
        ({"attributes": ["blank"]}, "'blank' has fewer than two different values"),
        ({"attributes": ["name"]}, "no category of 'name' has 2% of the records"),
        ({"attributes": ["age"], "sets": 1}, "sets = 1"),
        ({"attributes": ["age"], "rare": 1}, "rare = 1"),
    ],
)
def test_what_is_wrong(settings, message):
    frame = pl.DataFrame(
        {"age": range(100), "same": ["x"] * 100, "blank": [None] * 100, "name": [f"n{number}" for number in range(100)]}
    )
    with pytest.raises(SettingError, match=message) as told:
        automatic_variables(frame, **settings)
    assert "n42" not in str(told.value)
