"""What rules cannot see, and sets that are wide enough."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.datasets import acs_variables
from sfumato.errors import SettingError
from sfumato.fuzzy import (
    CategoricalVariable,
    Crisp,
    Falling,
    Gaussian,
    LinguisticVariable,
    PiShaped,
    Rising,
    Trapezoidal,
    Triangular,
    blind_spots,
    uncovered,
    widened,
)

PUBLISHED = {variable.attribute: variable for variable in acs_variables(alpha=None)}


def between(variable, alpha=0.5):
    return [(one.low, one.high) for one in uncovered(variable, alpha=alpha) if math.isfinite(one.high - one.low)]


@pytest.mark.parametrize(
    ("name", "numbers", "unseen"),
    [
        # ERRATA 004-15
        ("age", range(18, 46), [25, 30, 35, 40]),
        ("education", range(1, 12), []),
        ("hours", range(101), [36, 37, 43, 44, 45]),
        ("departure", range(1, 1440), []),
        ("travel_minutes", range(1, 120), [38, 39]),
        ("weeks", range(1, 7), []),
        ("income", range(0, 200_001, 100), []),
    ],
)
def test_blind_spots_of_published_variables_and_none_when_widened(name, numbers, unseen):
    variable = PUBLISHED[name]
    assert variable.blind_spots(numbers).tolist() == unseen
    (found,) = blind_spots(pl.DataFrame({name: numbers}), [variable])
    assert (found.records, found.missing) == (len(unseen), 0)
    assert sum(one.records for one in found.ranges) == len(unseen)
    assert all(any(one.low < number < one.high for one in found.ranges) for number in unseen)
    wide = widened(variable)
    assert wide.blind_spots(numbers).tolist() == []
    assert between(wide) == []
    if not unseen:
        assert wide == variable


def test_ranges_come_from_the_sets_alone():
    assert between(PUBLISHED["travel_minutes"]) == [(37.5, 40)]
    (found,) = blind_spots(pl.DataFrame({"travel_minutes": [38, 38, 39, 20, None]}), [PUBLISHED["travel_minutes"]])
    assert (found.records, found.missing, found.share) == (3, 1, 0.75)
    assert str(found) == (
        "'travel_minutes': 3 records (75.0%) that no rule with this attribute can match; no word has a grade "
        "of 0.5 or more between 37.5 and 40"
    )


def test_numbers_beyond_all_sets_are_told_where_there_are_any():
    variable = LinguisticVariable(attribute="x", values={"a": Trapezoidal(corners=(0, 2, 3, 5))})
    assert [str(one) for one in uncovered(variable)] == ["below 1", "above 4"]
    (found,) = blind_spots(pl.DataFrame({"x": [2, 9, 10]}), [variable])
    assert [(str(one), one.records) for one in found.ranges] == [("above 4", 2)]
    assert widened(variable) == variable


def test_categories_without_a_word_are_counted():
    # TC16's transport: other ways, and work at home
    frame = pl.DataFrame({"transport": ["car", "other", "worked at home", "other", None]})
    (found,) = blind_spots(frame, [PUBLISHED["transport"]])
    assert (found.records, found.categories, found.missing) == (3, 2, 1)
    assert str(found).endswith("no word has a grade of 0.5 or more for 2 categories")
    wide = widened(PUBLISHED["transport"])
    assert wide.names == ("car", "public", "walked", "other")
    assert str(blind_spots(frame, [wide])[0]) == "'transport': every value has a word"
    assert widened(wide) == wide
    taken = CategoricalVariable(attribute="x", values={"other": "a"})
    assert widened(taken).rest == "any other"


def test_words_for_missing_values_see_them():
    variable = LinguisticVariable(attribute="x", values={"a": Falling(corners=(0, 1))}, missing="unknown")
    (found,) = blind_spots(pl.DataFrame({"x": [0, None]}), [variable])
    assert (found.records, found.missing) == (0, 0)


def test_plateaus_and_shoulders_stay():
    values = {"low": Falling(corners=(0, 2)), "mid": Triangular(corners=(9, 10, 11)), "high": Rising(corners=(20, 24))}
    wide = widened(LinguisticVariable(attribute="x", values=values))
    low, mid, high = wide.values.values()
    assert low.corners[0] == 0
    assert mid.corners[1] == 10
    assert high.corners[1] == 24
    assert between(wide) == []
    # both reach it near the middle of the gap
    assert low.cut(0.5)[1] == pytest.approx(5.25, abs=0.3)
    assert mid.cut(0.5)[0] == pytest.approx(5.25, abs=0.3)


def test_intervals_meet_in_a_readable_number():
    values = {"a": Crisp(start=0, stop=20), "b": Crisp(start=31, stop=40)}
    wide = widened(LinguisticVariable(attribute="x", values=values)).values
    assert (wide["a"].stop, wide["b"].start) == (26, 26)
    assert (wide["a"].start, wide["b"].stop) == (0, 40)


SHAPES = st.one_of(
    *(
        st.lists(st.floats(-100, 100, width=16), min_size=count, max_size=count).map(
            lambda corners, of=of: of(corners=tuple(sorted(corners)))
        )
        for of, count in ((Triangular, 3), (Trapezoidal, 4), (PiShaped, 4), (Falling, 2), (Rising, 2))
    ),
    st.builds(Gaussian, centre=st.floats(-100, 100, width=16), deviation=st.floats(0.125, 20)),
    st.builds(lambda start, width: Crisp(start=start, stop=start + width), st.integers(-100, 100), st.integers(1, 20)),
)
GRID = np.linspace(-150, 150, 3001)


@given(SHAPES, st.floats(0.05, 1))
def test_a_cut_is_where_grades_reach_alpha(shape, alpha):
    low, high = shape.cut(alpha)
    numbers = GRID
    grades = shape.grades(numbers)
    assert (grades[(numbers > low + 1e-6) & (numbers < high - 1e-6)] >= alpha - 1e-9).all()
    assert (grades[(numbers < low - 1e-6) | (numbers > high + 1e-6)] < alpha + 1e-9).all()


@given(st.lists(SHAPES, min_size=1, max_size=5), st.floats(0.05, 0.95))
def test_between_widened_sets_nothing_is_unseen(shapes, alpha):
    variable = LinguisticVariable(attribute="x", values={str(number): one for number, one in enumerate(shapes)})
    wide = widened(variable, alpha=alpha)
    lows, highs = zip(*(shape.cut(alpha) for shape in wide.values.values()), strict=True)
    numbers = GRID
    inside = numbers[(numbers > min(lows) + 1e-6) & (numbers < max(highs) - 1e-6)]
    assert wide.blind_spots(inside, alpha=alpha).size == 0
    # nothing gets less than it had
    before, after = variable.grades(GRID), wide.grades(GRID)
    assert (after >= before - 1e-9).all()


@pytest.mark.parametrize("alpha", [0, -1, 1.5, math.nan])
def test_alpha_is_checked(alpha):
    for check in (lambda: uncovered(PUBLISHED["age"], alpha=alpha), lambda: widened(PUBLISHED["age"], alpha=alpha)):
        with pytest.raises(SettingError, match="alpha must be above 0"):
            check()
    with pytest.raises(SettingError, match="alpha must be above 0"):
        blind_spots(pl.DataFrame({"age": [1]}), [], alpha=alpha)


def test_sets_cannot_be_widened_to_meet_fully():
    with pytest.raises(SettingError, match="below 1"):
        widened(PUBLISHED["age"], alpha=1)
