from __future__ import annotations

import math
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from sfumato.errors import SettingError
from sfumato.fuzzy import (
    AnyShape,
    Crisp,
    Falling,
    Gaussian,
    PiShaped,
    Rising,
    SShaped,
    Trapezoidal,
    Triangular,
    ZShaped,
)

SHAPES = [
    Triangular(corners=(20, 30, 40)),
    Trapezoidal(corners=(0, 0, 20, 30)),
    PiShaped(corners=(7, 15, 22, 27)),
    Falling(corners=(33, 37)),
    Rising(corners=(38, 42)),
    ZShaped(corners=(33, 37)),
    SShaped(corners=(38, 42)),
    Gaussian(centre=40, deviation=2.5),
    Crisp(start=36, stop=41),
]


@pytest.mark.parametrize(
    ("shape", "numbers", "grades"),
    [
        (Triangular(corners=(20, 30, 40)), [10, 20, 25, 30, 37.5, 40, 50], [0, 0, 0.5, 1, 0.25, 0, 0]),
        (Trapezoidal(corners=(33, 37, 38, 42)), [33, 34, 37, 38, 39, 42], [0, 0.25, 1, 1, 0.75, 0]),
        (Falling(corners=(33, 37)), [-1e9, 33, 34, 37, 50], [1, 1, 0.75, 0, 0]),
        (Rising(corners=(38, 42)), [0, 38, 39, 42, 1e9], [0, 0, 0.25, 1, 1]),
        (
            PiShaped(corners=(0, 4, 6, 10)),
            [0, 1, 2, 3, 5, 7, 8, 9, 10],
            [0, 0.125, 0.5, 0.875, 1, 0.875, 0.5, 0.125, 0],
        ),
        (ZShaped(corners=(0, 4)), [-1, 0, 1, 2, 3, 4, 5], [1, 1, 0.875, 0.5, 0.125, 0, 0]),
        (SShaped(corners=(0, 4)), [-1, 0, 1, 2, 3, 4, 5], [0, 0, 0.125, 0.5, 0.875, 1, 1]),
        (Crisp(start=36, stop=41), [35.9, 36, 40.9, 41], [0, 1, 1, 0]),
        (Crisp(stop=36), [-math.inf, 35, 36], [1, 1, 0]),
        (Crisp(), [-math.inf, math.inf], [1, 1]),
    ],
)
def test_grades_by_hand(shape, numbers, grades):
    assert shape.grades(numbers).tolist() == grades


def test_a_bell():
    bell = Gaussian(centre=40, deviation=2.5)
    assert bell.grades([40, 42.5]).tolist() == [1, math.exp(-0.5)]
    assert bell.grades(40 + 2.5 * math.sqrt(2 * math.log(2))) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("shape", "number"),
    [
        (Trapezoidal(corners=(1, 1, 8, 10)), 1),
        (Trapezoidal(corners=(5, 6, 6, 6)), 6),
        (PiShaped(corners=(0, 0, 29.9, 40.3)), 0),
        (Triangular(corners=(5, 5, 9)), 5),
        (Triangular(corners=(5, 5, 5)), 5),
        (Falling(corners=(5, 5)), 5),
        (SShaped(corners=(5, 5)), 5),
    ],
)
def test_the_plateau_wins_where_corners_coincide(shape, number):
    # ERRATA 004-14
    assert shape.grades(number) == 1


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.shape)
def test_missing_numbers_belong_to_nothing(shape):
    found = shape.grades([[math.nan, 39.0], [-math.inf, math.inf]])
    assert found.shape == (2, 2)
    assert found[0, 0] == 0
    assert np.isfinite(found).all()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.shape)
@given(numbers=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_grades_lie_between_0_and_1(shape, numbers):
    grades = shape.grades(numbers)
    assert ((grades >= 0) & (grades <= 1)).all()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.shape)
def test_a_recipe_can_write_them(shape):
    written = shape.model_dump(exclude_none=True)
    assert TypeAdapter(AnyShape).validate_python(written) == shape


def test_toml():
    text = 'values.young = {shape = "trapezoidal", corners = [0, 0, 20, 30]}'
    given_shape = tomllib.loads(text)["values"]["young"]
    assert TypeAdapter(AnyShape).validate_python(given_shape) == SHAPES[1]


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (SHAPES[0], "rising from 20 to 30, fully at 30, falling from 30 to 40"),
        (SHAPES[1], "fully from 0 to 20, falling from 20 to 30"),
        (SHAPES[2], "rising smoothly from 7 to 15, fully from 15 to 22, falling smoothly from 22 to 27"),
        (SHAPES[3], "fully up to 33, falling from 33 to 37"),
        (SHAPES[4], "rising from 38 to 42, fully from 42 on"),
        (SHAPES[5], "fully up to 33, falling smoothly from 33 to 37"),
        (SHAPES[6], "rising smoothly from 38 to 42, fully from 42 on"),
        (SHAPES[7], "fully at 40, less the farther away, half at about 37.06 and 42.94"),
        (SHAPES[8], "from 36 and below 41"),
        (Crisp(), "every number"),
    ],
)
def test_words(shape, words):
    assert shape.words() == words


def test_what_is_refused():
    with pytest.raises(SettingError, match=r"setting 'corners': corners must not descend \(given: 0, 30, 20, 40\)"):
        Trapezoidal(corners=(0, 30, 20, 40))
    with pytest.raises(SettingError, match="setting 'corners"):
        Triangular(corners=(0, 30))
    with pytest.raises(SettingError, match="finite number"):
        Falling(corners=(0, math.inf))
    with pytest.raises(SettingError, match="setting 'deviation'"):
        Gaussian(centre=0, deviation=0)
    with pytest.raises(SettingError, match=r"stop must be above start \(given: 5 and 5\)"):
        Crisp(start=5, stop=5)
    with pytest.raises(SettingError, match="unknown setting 'peak'"):
        Triangular(corners=(0, 1, 2), peak=1)
