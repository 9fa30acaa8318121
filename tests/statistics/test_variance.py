from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.statistics import range_of, variance_range
from sfumato.statistics.interval_sample import Sample
from sfumato.statistics.mean import mean_range
from sfumato.statistics.variance_range import spread_of


def sample(lo, hi, weights=None) -> Sample:
    return Sample({"x": lo}, {"x": hi}, ["x"], weights)


def test_the_worked_example():
    found = range_of("var(x)", {"x": [0, 1, 2.5, 6]}, {"x": [1, 3, 3, 9]})
    assert found.attained == (3.1875, 12.296875)
    assert found.linear == (2.30078125, 11.41015625)
    assert 3.1875 - 1e-9 < found.lower <= 3.1875
    # the rigorous form of the linear range reaches 12.30078125
    assert 12.296875 <= found.upper < 12.296875 + 1e-9
    # the paper's own range is none
    assert found.linear[1] < found.attained[1]


@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.integers(0, 6), st.integers(1, 4)).map(lambda t: (t[0], t[0] + t[1], t[2])),
        min_size=2,
        max_size=8,
    )
)
def test_both_ends_against_all_vertices_and_a_fine_grid(intervals):
    lo, hi, weights = (np.array(part, dtype=float) for part in zip(*intervals, strict=True))
    found = spread_of(sample(lo, hi, weights), "x")
    vertices = np.array(list(itertools.product(*zip(lo, hi, strict=True))))
    means = vertices @ weights / weights.sum()
    variances = (vertices - means[:, None]) ** 2 @ weights / weights.sum()
    gap = (weights * (hi - lo)).max() / weights.sum()
    assert variances.max() - 1e-9 <= found.upper <= variances.max() + gap**2 + 1e-9
    assert found.attained[1] <= variances.max() + 1e-9
    # the least spread data lie at one m or at the nearest ends
    grid = np.linspace(lo.min(), hi.max(), 2001)
    least = ((np.clip(grid[:, None], lo, hi) - grid[:, None]) ** 2 @ weights).min() / weights.sum()
    assert found.lower <= least + 1e-12
    assert found.lower == pytest.approx(least, abs=1e-3)
    assert found.attained[0] == pytest.approx(found.lower, abs=1e-9)


@pytest.mark.parametrize("order", ["random", "sorted", "periodic"])
@pytest.mark.parametrize("weighted", [False, True])
def test_many_records_as_few(order, weighted, monkeypatch):
    rng = np.random.default_rng(1)
    n = 120_000
    centres = rng.gamma(2.0, 3.0, n)
    if order == "sorted":
        centres.sort()
    if order == "periodic":
        # what a subsample takes is far from the rest
        centres[:: n // variance_range.SUBSAMPLE] += 500.0
    halves = rng.gamma(1.0, 0.3, n)
    weights = rng.gamma(2.0, 1.0, n) if weighted else None
    quick = spread_of(sample(centres - halves, centres + halves, weights), "x")
    monkeypatch.setattr(variance_range, "SUBSAMPLE", n)
    whole = spread_of(sample(centres - halves, centres + halves, weights), "x")
    assert quick.lower == pytest.approx(whole.lower, rel=1e-9)
    assert quick.upper == pytest.approx(whole.upper, rel=1e-9)
    assert quick.attained == pytest.approx(whole.attained, rel=1e-9)
    assert quick.upper - quick.attained[1] < 1e-8 * quick.upper


def test_widths_that_a_subsample_does_not_see_count(monkeypatch):
    """Every record that a subsample takes is exact, and the others are wide."""
    n = 4 * variance_range.SUBSAMPLE
    rng = np.random.default_rng(0)
    taken = np.arange(n) % (n // variance_range.SUBSAMPLE) == 0
    lo = rng.normal(np.where(taken, 0.0, 3.0), 1.0)
    hi = lo + np.where(taken, 0.0, 10.0)
    quick = spread_of(sample(lo, hi), "x")
    monkeypatch.setattr(variance_range, "SUBSAMPLE", n)
    whole = spread_of(sample(lo, hi), "x")
    assert (quick.lower, quick.upper) == pytest.approx((whole.lower, whole.upper), rel=1e-9)


def test_the_gap_is_the_square_of_a_width_over_n():
    rng = np.random.default_rng(2)
    for n in (3, 30, 300):
        lo = rng.normal(size=n)
        hi = lo + rng.gamma(1.0, 1.0, n)
        found = spread_of(sample(lo, hi), "x")
        assert found.upper - found.attained[1] <= ((hi - lo).max() / n) ** 2 + 1e-9


def test_the_mean_is_exact_and_far_from_zero_too():
    lo, hi = np.array([1e9, 1e9 + 1, 1e9 + 2]), np.array([1e9 + 1, 1e9 + 4, 1e9 + 4])
    low, high = mean_range(sample(lo, hi, [1.0, 1.0, 2.0]), "x")
    assert low <= 1e9 + 1.25 <= low + 1e-5
    assert high - 1e-5 <= 1e9 + 3.25 <= high


def test_exact_values_have_a_range_without_width():
    values = {"x": np.random.default_rng(0).normal(size=1000) * 1e4, "y": np.random.default_rng(1).normal(size=1000)}
    for text in ("mean(x)", "var(x)", "std(x)", "cov(x, y)", "corr(x, y)"):
        found = range_of(text, values, values)
        assert found.lower == found.upper == found.value
        assert found.attained == found.linear == (found.value, found.value)
        assert found.guaranteed
    assert range_of("std(x)", values, values).value == pytest.approx(values["x"].std(), rel=1e-12)
