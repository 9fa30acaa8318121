from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError
from sfumato.fuzzy import PiShaped, Trapezoidal, Triangular, as_partition, crisp, ruspini, ruspini_from

ends = st.lists(st.integers(-1000, 1000), min_size=4, max_size=12, unique=True).map(sorted)


def test_the_ages_of_quiros_and_others():
    age = ruspini("age", [33, (37, 38), 42])
    assert age.names == ("up to 33", "about 37 to 38", "42 and more")
    assert isinstance(age.values["about 37 to 38"], Trapezoidal)
    assert age.grades([39, 38, 53, 28, 37, 34, 42]).tolist() == [
        [0, 0.75, 0.25],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 0],
        [0, 1, 0],
        [0.75, 0.25, 0],
        [0, 0, 1],
    ]


def test_peaks_are_triangles_and_smooth_ones_bend():
    assert isinstance(ruspini("x", [1, 2, 3]).values["about 2"], Triangular)
    assert isinstance(ruspini("x", [1, 2, 3], smooth=True).values["about 2"], PiShaped)


@given(ends, st.booleans(), st.lists(st.floats(-2000, 2000), max_size=20))
def test_partitions_sum_to_1_everywhere(points, smooth, numbers):
    plateaus = list(zip(points[::2], points[1::2], strict=False))
    variable = ruspini("x", plateaus, smooth=smooth)
    assert variable.ruspini_gap(within=(-3000, 3000)) is None
    assert np.allclose(variable.grades([*numbers, *points]).sum(axis=1), 1)


@given(ends, st.lists(st.floats(-2000, 2000), max_size=20))
def test_crisp_ones_have_each_number_once(cuts, numbers):
    variable = crisp("x", cuts)
    assert variable.ruspini_gap(within=(-3000, 3000)) is None
    grades = variable.grades([*numbers, *cuts])
    assert set(np.unique(grades)) <= {0.0, 1.0}
    assert (grades.sum(axis=1) == 1).all()


@given(st.lists(st.integers(0, 90), min_size=30, max_size=200), st.integers(2, 4))
def test_quantiles_lie_on_a_grid(numbers, sets):
    try:
        variable = ruspini_from("age", numbers, sets=sets)
    except SettingError as error:
        assert "coincide" in str(error)  # noqa: PT017  # either way is right
        return
    assert len(variable.names) == sets
    assert variable.ruspini_gap() is None
    as_partition(variable.grades(numbers))


def test_names_and_missing():
    variable = crisp("age", [36, 41], names=["young", "middle", "old"], missing="unknown")
    assert variable.names == ("young", "middle", "old", "unknown")
    assert crisp("age", [36]).names == ("below 36", "from 36")
    found = ruspini_from("age", [20, 30, 40, None], sets=2, missing="unknown")
    assert found.grades([np.nan])[0].tolist() == [0, 0, 1]


def test_what_is_refused():
    with pytest.raises(SettingError, match="points of 'age' must ascend, with gaps between them; 40 is followed by 40"):
        ruspini("age", [(30, 40), (40, 50)])
    with pytest.raises(SettingError, match=r"needs at least two points \(given: 1\)"):
        ruspini("age", [30])
    with pytest.raises(SettingError, match="a number, or the two ascending ends of a plateau"):
        ruspini("age", [(30, 20), 40])
    with pytest.raises(SettingError, match=r"the 2 sets of 'age' need 2 different names \(given: 3\)"):
        ruspini("age", [30, 40], names=["a", "b", "c"])
    with pytest.raises(SettingError, match="need 2 different names"):
        ruspini("age", [30, 40], names=["a", "a"])
    with pytest.raises(SettingError, match="cuts of 'age' must be one or more ascending numbers"):
        crisp("age", [41, 36])
    with pytest.raises(SettingError, match="3 quantiles of 'age' coincide"):
        ruspini_from("age", [77] * 9)
    with pytest.raises(SettingError, match=r"at least two sets \(given: 1\)"):
        ruspini_from("age", [1, 2], sets=1)
    with pytest.raises(SettingError, match="'age' has no numbers"):
        ruspini_from("age", [np.nan])


def test_points_that_cannot_be_told_apart_are_refused_without_a_value():
    with pytest.raises(SettingError, match="3 quantiles of 'x' are equal to 12 digits") as refused:
        ruspini_from("x", [10**17 + 16 * number for number in range(100)])
    assert "1e+17" not in str(refused.value)
