"""Fitness of swaps, against the worked examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError
from sfumato.fuzzy.shapes import Rising, ZShaped
from sfumato.groups.swap.swap_fitness import Fitness, PlaceRestriction, size_term

FEW = ZShaped(corners=(2, 12))
HIDDEN = (PlaceRestriction(5, FEW), PlaceRestriction(29, FEW))


# golden: metric, q5, q29, Q, f
@pytest.mark.parametrize(
    ("cost", "fifth", "other", "swaps", "expected"),
    [
        (53, 2, 2, 20, 0.7603307281430572),
        (0, 7, 4.5, 25, 0.21875),
        (312, 2, 2, 24, -0.02706344918268933),
    ],
)
def test_worked_examples(cost, fifth, other, swaps, expected):
    signal = np.full((1, 62), 30.0)
    signal[0, [5, 29]] = fifth, other
    literal = Fitness(HIDDEN, greatest=299.0)
    assert literal.of(np.array([float(cost)]), np.array([swaps]), signal) == pytest.approx([expected], abs=1e-14)


@given(st.integers(1, 60), st.data())
def test_fitness_is_never_negative_when_the_greatest_cost_is_the_greatest(longest, data):
    # with C_max = 299, 24 swaps of records that differ everywhere are below zero: see ERRATA 004-8
    swaps = data.draw(st.integers(0, longest))
    cost = data.draw(st.floats(0, 13.0 * swaps))
    found = Fitness(HIDDEN, greatest=13.0 * longest).of(np.array([cost]), np.array([swaps]), np.zeros((1, 62)))
    assert 0.0 <= found[0] <= 1.0


def test_long_lists_have_no_fitness_and_no_overflow():
    assert size_term(np.array([0, 25, 100_000]), 25.0, 2.0) == pytest.approx([1.0, 0.5, 0.0], abs=1e-5)


def test_whole_signals_are_asked_for_once_each():
    asked = []

    def no_peak(signal):
        asked.append(signal.tolist())
        signal[:] = 0
        return 0.5 if asked[-1][0] > 3 else 1.0

    fitness = Fitness((no_peak, PlaceRestriction(1, Rising(corners=(0, 4)))), greatest=10.0)
    signals = np.array([[9, 1], [2, 4], [9, 1]])
    assert fitness.grades(signals).tolist() == [0.125, 1.0, 0.125]
    assert fitness.grades(signals[1:]).tolist() == [1.0, 0.125]
    assert asked == [[9, 1], [2, 4]]


@pytest.mark.parametrize("grade", [-0.1, 1.5, float("nan")])
def test_a_function_that_returns_no_grade_is_refused(grade):
    with pytest.raises(SettingError, match="must return a number from 0 to 1"):
        Fitness((lambda signal: grade,), greatest=1.0).grades(np.zeros((1, 2)))


def test_records_without_attributes_cost_nothing():
    assert Fitness(HIDDEN, greatest=0.0).of(np.zeros(1), np.array([25]), np.zeros((1, 62))) == pytest.approx([0.5])
