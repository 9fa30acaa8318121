from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError

ORIGINAL = sf.Microfile(
    pl.DataFrame({"age": [20, 30, 40, 60], "pay": [1.0, 2.0, 4.0, 8.0], "job": list("abcc"), "w": [1.0, 1.0, 2.0, 4.0]})
)


def test_nothing_is_lost_where_nothing_changed():
    lost = sf.utility_of(ORIGINAL, ORIGINAL, quasi=["age", "pay", "job"])
    assert lost.penalty == 0
    assert lost.suppressed == 0
    assert lost.discernibility == 4
    assert all(change.difference == 0 for change in {**lost.means, **lost.variances, **lost.correlations}.values())


def test_intervals_sets_and_suppression_cost():
    table = sf.Microfile(
        pl.DataFrame({"age.lo": [20, 20, 40], "age.hi": [40, 40, 60], "job": ["ab", "ab", "c"], "pay": [1.0, 2.0, 4.0]})
    )
    forms = {"age": sf.Interval(), "job": sf.Sets(members={"ab": ("a", "b"), "c": ("c",)})}
    lost = sf.utility_of(ORIGINAL, table, quasi=["age", "job"], forms=forms)
    assert lost.penalties["age"] == pytest.approx(0.75 * 0.5 + 0.25)
    assert lost.penalties["job"] == pytest.approx(0.75 * (2 / 3 + 2 / 3 + 0) / 3 + 0.25)
    assert lost.penalty == pytest.approx(np.mean(list(lost.penalties.values())))
    assert lost.suppressed == 1
    assert lost.discernibility == 2**2 + 1 + 4
    assert lost.average_block == 1.5
    assert (lost.means["age"].before, lost.means["age"].after) == (37.5, pytest.approx(110 / 3))


def test_statistics_are_weighted():
    lost = sf.utility_of(ORIGINAL, ORIGINAL, quasi=["age", "pay"], weight="w")
    weights = np.array([1, 1, 2, 4.0])
    age, pay = np.array([20, 30, 40, 60.0]), np.array([1, 2, 4, 8.0])
    covariance = np.cov(age, pay, aweights=weights, bias=True)
    assert lost.means["age"].before == pytest.approx(np.average(age, weights=weights))
    assert lost.variances["pay"].before == pytest.approx(covariance[1, 1])
    assert lost.correlations["age", "pay"].before == pytest.approx(
        covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    )


def test_missing_values_lose_nothing_new_and_keep_correlations_in_bounds():
    gaps = sf.Microfile(
        pl.DataFrame({"x": [5.0, None, 1.0, 2.0, None], "y": [7.0, 3.0, 0.0, 0.0, 3.0], "w": [1.0, 2.0, 0.5, 1.0, 1.0]})
    )
    lost = sf.utility_of(gaps, gaps, quasi=["x", "y"], weight="w")
    assert lost.penalty == 0
    assert -1 <= lost.correlations["x", "y"].before <= 1
    worse = sf.Microfile(pl.DataFrame({"x": [5.0, None, None, 2.0, None], "y": [7.0, 3.0, 0.0, 0.0, 3.0]}))
    assert sf.utility_of(gaps, worse, quasi=["x", "y"]).penalties == {"x": 0.2, "y": 0.0}


def test_a_set_never_costs_more_than_everything():
    table = sf.Microfile(pl.DataFrame({"job": ["all"] * 4}))
    forms = {"job": sf.Sets(members={"all": tuple("abcdefg")})}
    assert sf.utility_of(ORIGINAL, table, quasi=["job"], forms=forms).penalty == 1


def test_a_release_has_no_more_records_than_its_original():
    with pytest.raises(MicrofileError, match="the original only 2"):
        sf.utility_of(ORIGINAL.filter([True, True, False, False]), ORIGINAL, quasi=["age"])
