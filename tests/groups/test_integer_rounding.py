"""Whole people."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.integer_rounding import largest_remainders


@given(st.lists(st.floats(0, 1e4), min_size=1, max_size=20), st.integers(0, 5000))
def test_totals_and_quotas(values, total):
    counts = largest_remainders(values, total)
    assert counts.sum() == total
    assert (counts >= 0).all()
    if sum(values) > 1e-3:
        # every count is its exact share rounded down or up
        shares = np.array(values) * total / sum(values)
        assert (np.abs(counts - shares) < 1 + 1e-6).all()


@given(
    st.lists(st.tuples(st.floats(0, 50), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=12), st.data()
)
def test_bounds(places, data):
    values, lower, room = (np.array(part) for part in zip(*places, strict=True))
    upper = lower + room
    total = data.draw(st.integers(int(lower.sum()), int(upper.sum())))
    counts = largest_remainders(values, total, lower=lower, upper=upper)
    assert counts.sum() == total
    assert (lower <= counts).all()
    assert (counts <= upper).all()


def test_integers_with_the_total_stay():
    assert largest_remainders([3, 0, 7], 10).tolist() == [3, 0, 7]
    assert largest_remainders([2.9999999999, 0.0000000001, 7], 10).tolist() == [3, 0, 7]


def test_equal_remainders_go_to_the_first():
    assert largest_remainders([0.5, 0.5, 0.5, 0.5], 2).tolist() == [1, 1, 0, 0]
    assert largest_remainders([0, 0, 0], 4).tolist() == [2, 1, 1]
    assert largest_remainders([-3, 1, 1], 4).tolist() == [0, 2, 2]


def test_bad_input():
    with pytest.raises(UnattainableError, match="9 people cannot be placed: the places hold from 0 to 8"):
        largest_remainders([1, 2], 9, upper=[4, 4])
    with pytest.raises(SettingError, match="finite"):
        largest_remainders([1, np.nan], 2)
    with pytest.raises(SettingError, match="non-negative"):
        largest_remainders([1, 2], -1)
