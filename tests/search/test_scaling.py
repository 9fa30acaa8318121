"""Linear scaling of fitness."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search.scaling import linear_scaling

fitnesses = st.lists(st.floats(0, 100, allow_subnormal=False), min_size=2, max_size=30).map(np.array)


@given(fitnesses, st.floats(1.1, 3.0))
def test_mean_and_order_stay_and_nobody_is_negative(fitness, multiple):
    scaled = linear_scaling(fitness, multiple=multiple)
    assert scaled.mean() == pytest.approx(fitness.mean(), rel=1e-6, abs=1e-9)
    assert scaled.min() >= 0
    assert (np.diff(scaled[np.argsort(fitness)]) >= -1e-9).all()


@given(fitnesses)
def test_the_fittest_gets_twice_the_mean_unless_the_least_fit_gets_nothing(fitness):
    if np.ptp(fitness) > 1e-3:
        scaled = linear_scaling(fitness)
        assert scaled.max() == pytest.approx(2 * fitness.mean()) or scaled.min() == pytest.approx(0.0, abs=1e-9)
        assert scaled.max() <= 2 * fitness.mean() * (1 + 1e-9)


def test_equal_ones_stay_as_they_are():
    assert linear_scaling(np.full(3, 0.4)).tolist() == [0.4, 0.4, 0.4]
