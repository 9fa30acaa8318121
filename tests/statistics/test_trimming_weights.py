from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog, minimize

from sfumato.errors import SettingError
from sfumato.statistics.trimming_weights import (
    calibrated_crisp_weights,
    calibrated_weights,
    crisp_weights,
    fuzzy_weights,
    overall_uncertainty,
    threshold,
)

# golden: g = n c, A, lambda, fuzzy weights, crisp weights, crisp overall uncertainty
GOLDEN = {
    "four": (
        [2.0, 4.0, 6.0, 20.0],
        4.0,
        3 + 7**0.5,
        [0.6889822365046137, 0.3110177634953864, 0, 0],
        [0.5, 0.5, 0, 0],
        5.82842712474619,
    ),
    "rare": ([0.0, 10.0], 1.0, 1.0, [1.0, 0.0], [1.0, 0.0], 1.0),
    "equal": ([3.0] * 4, 2.0, 4.0, [0.25] * 4, [0.25] * 4, 4.0),
}


@pytest.mark.parametrize("case", GOLDEN.values(), ids=GOLDEN.keys())
def test_worked_examples(case):
    g, error, level, fuzzy, crisp, overall = case
    ones = np.ones(len(g))
    assert threshold(g, ones, error) == pytest.approx(level, rel=1e-14)
    np.testing.assert_allclose(fuzzy_weights(g, ones, error), fuzzy, rtol=1e-13)
    # ERRATA 000-5: the least overall uncertainty is lambda
    assert overall_uncertainty(g, ones, error, fuzzy) == pytest.approx(level, rel=1e-14)
    np.testing.assert_allclose(crisp_weights(g, ones, error), crisp, rtol=1e-14)
    assert overall_uncertainty(g, ones, error, crisp) == pytest.approx(overall, rel=1e-14)


def test_dismissal_weights_anew_what_is_kept():
    # XK13 as printed keeps 6 of the 8 equal records
    weights = crisp_weights([1.0, 10.0, 40.0], [8, 1, 1], 3.0)
    assert weights.tolist() == [1 / 8, 0, 0]
    assert overall_uncertainty([1.0, 10.0, 40.0], [8, 1, 1], 3.0, weights) == pytest.approx(2.060660171779821)
    singly = crisp_weights([1.0] * 8 + [10.0, 40.0], np.ones(10), 3.0)
    assert singly.tolist() == [1 / 8] * 8 + [0, 0]


def test_without_sampling_error_the_least_uncertainty_gets_all():
    for weigh in (crisp_weights, fuzzy_weights):
        assert weigh([3.0, 1.0, 2.0, 1.0], [5, 1, 5, 3], 0.0).tolist() == [0, 0.25, 0, 0.25]
    assert threshold([3.0, 1.0], [1, 1], 0.0) == 1.0
    # boxes without records say nothing
    assert fuzzy_weights([3.0, 1.0], [2, 0], 1.0).tolist() == [0.5, 0.0]
    assert crisp_weights([3.0, 1.0], [2, 0], 1.0).tolist() == [0.5, 0.0]


boxes = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        arrays(float, n, elements=st.floats(0, 1e3)),
        arrays(float, n, elements=st.floats(0.1, 1e3)),
        st.floats(1e-3, 1e5),
    )
)


@given(boxes)
def test_fuzzy_weights_are_optimal(problem):
    g, counts, error = problem
    weights, level = fuzzy_weights(g, counts, error), threshold(g, counts, error)
    assert counts @ weights == pytest.approx(1)
    assert counts @ np.maximum(level - g, 0) ** 2 == pytest.approx(error**2, rel=1e-6)
    fuzzy = overall_uncertainty(g, counts, error, weights)
    assert fuzzy == pytest.approx(level, rel=1e-9)
    crisp = crisp_weights(g, counts, error)
    assert counts @ crisp == pytest.approx(1)
    every = np.full(g.size, 1 / counts.sum())
    assert fuzzy <= overall_uncertainty(g, counts, error, crisp) * (1 + 1e-12)
    # no other dismissal is better
    dismissals = [np.where(g <= most, 1 / counts[g <= most].sum(), 0) for most in g]
    best = min(overall_uncertainty(g, counts, error, other) for other in [every, *dismissals])
    assert overall_uncertainty(g, counts, error, crisp) == pytest.approx(best, rel=1e-9)
    # a box counts as the records in it
    split = fuzzy_weights(np.repeat(g, 2), np.repeat(counts / 2, 2), error)
    np.testing.assert_allclose(split[::2], weights, rtol=1e-6, atol=1e-12)


def _solved(objective, gradient, shares, moments, wanted):
    """Minimise over masses of boxes that sum to one and have the moments, by a general solver; None if it fails."""
    rows, wanted = np.vstack([np.ones(shares.size), moments]), np.append(1.0, wanted)
    scale = abs(rows).max(axis=1)
    found = minimize(
        objective,
        shares,
        jac=gradient,
        bounds=[(0, 1)] * shares.size,
        constraints={
            "type": "eq",
            "fun": lambda p: (rows @ p - wanted) / scale,
            "jac": lambda p: rows / scale[:, None],
        },
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    good = found.success and abs((rows @ found.x - wanted) / scale).max() < 1e-9
    return found.fun if good else None


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_no_solver_finds_better_weights(kept):
    rng = np.random.default_rng(kept)
    compared = 0
    for _ in range(40):
        size = int(rng.integers(kept + 2, 31))
        g, counts, x = rng.gamma(1, 2, size), rng.integers(1, 20, size).astype(float), rng.normal(3, 2, size)
        error = float(np.exp(rng.uniform(-2, 4)))
        moments = np.stack([x, x**2, g * x])[:kept].reshape(kept, size)
        found = calibrated_weights(g, counts, error, moments)
        shares = counts / counts.sum()
        assert found.calibrated
        assert counts @ found.values == pytest.approx(1)
        assert (found.values >= 0).all()
        np.testing.assert_allclose(moments @ (counts * found.values), moments @ shares, rtol=1e-9)
        assert found.uncertainty <= overall_uncertainty(g, counts, error, shares / counts) * (1 + 1e-12)
        if not kept:
            np.testing.assert_allclose(found.values, fuzzy_weights(g, counts, error), rtol=1e-9, atol=1e-15)

        def overall(p, g=g, counts=counts, error=error):
            return g @ p + error * np.sqrt(p**2 @ (1 / counts))

        def slope(p, g=g, counts=counts, error=error):
            return g + error * p / counts / np.sqrt(p**2 @ (1 / counts))

        best = _solved(overall, slope, shares, moments, moments @ shares)
        if best is not None:
            compared += 1
            assert found.uncertainty == pytest.approx(best, rel=1e-6)
    assert compared > 30


def test_no_solver_finds_weights_nearer_to_equal():
    rng = np.random.default_rng(5)
    compared = taken_back = 0
    for _ in range(40):
        size = int(rng.integers(6, 31))
        x, counts = rng.normal(0, 1, size), rng.integers(1, 9, size).astype(float)
        g, error = x**2 + rng.gamma(1, 0.3, size), float(np.exp(rng.uniform(-1, 3)))
        moments = np.stack([x, x**2])
        found = calibrated_crisp_weights(g, counts, error, moments)
        wanted = moments @ (counts / counts.sum())
        np.testing.assert_allclose(moments @ (counts * found.values), wanted, rtol=1e-9, atol=1e-9)
        # the boxes that the dismissal keeps, and others up to the last one of any use
        kept = crisp_weights(g, counts, error) > 0
        last = g[found.values > 0].max()
        if last > g[kept].max():
            taken_back += 1
            kept = g <= last
            assert _infeasible(moments[:, g < last], wanted)
        held, equal = counts[kept], 1 / counts[kept].sum()

        def distance(p, held=held, equal=equal):
            return float(held @ (p / held - equal) ** 2)

        best = _solved(distance, None, held * equal, moments[:, kept], wanted)
        if best is not None:
            compared += 1
            assert distance((counts * found.values)[kept]) == pytest.approx(best, rel=1e-5, abs=1e-8)
    assert compared > 20
    assert taken_back > 3


def _infeasible(moments, wanted):
    rows = np.vstack([np.ones(moments.shape[1]), moments])
    return linprog(np.zeros(rows.shape[1]), A_eq=rows, b_eq=np.append(1.0, wanted)).status == 2


def _runs(seed):
    """Cut a sorted Gaussian sample into boxes of 10 records."""
    values = np.sort(np.random.default_rng(seed).normal(size=5000)).reshape(-1, 10)
    middles, halves = (values[:, -1] + values[:, 0]) / 2, (values[:, -1] - values[:, 0]) / 2
    centred = middles - middles.mean()
    # |dV/dx| N = 2 |x - E|, and V is drawn with the error sqrt(mean ((x - E)^2 - V)^2)
    g = 2 * abs(centred) * halves
    error = float((centred**2 - middles.var()).std())
    return middles, g, np.full(middles.size, 10.0), error, np.stack([middles, middles**2])


def _variance(middles, shares):
    return float(shares @ (middles - shares @ middles) ** 2)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_weighting_by_uncertainty_is_biased_and_calibration_is_not(seed):
    middles, g, counts, error, moments = _runs(seed)
    assert 0.95 < middles.var() < 1.05
    # ERRATA 001-13: about 0.42 and 0.467 for a variance of 0.99
    assert 0.38 < _variance(middles, counts * fuzzy_weights(g, counts, error)) < 0.5
    assert 0.43 < _variance(middles, counts * crisp_weights(g, counts, error)) < 0.55
    uniform = overall_uncertainty(g, counts, error, np.full(g.size, 1 / 5000))
    claimed = threshold(g, counts, error)
    assert claimed < 0.03 < uniform
    fuzzy, crisp = calibrated_weights(g, counts, error, moments), calibrated_crisp_weights(g, counts, error, moments)
    for found in (fuzzy, crisp):
        assert found.calibrated
        assert _variance(middles, counts * found.values) == pytest.approx(middles.var(), rel=1e-10)
    assert claimed < fuzzy.uncertainty < crisp.uncertainty < uniform
    assert fuzzy.uncertainty < 0.72 * uniform


def test_calibration_of_rare_boxes_pays():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=20_000), [60.0, -60.0]])
    # the same place is held by a wide box and by narrow ones
    g = abs(x) * rng.choice([0.01, 10.0], x.size, p=[0.9, 0.1])
    moments = np.stack([x, x**2])
    found = calibrated_weights(g, np.ones(x.size), 1.0, moments)
    assert found.calibrated
    assert found.uncertainty < 0.1 * overall_uncertainty(g, np.ones(x.size), 1.0, np.full(x.size, 1 / x.size))


def test_moments_that_depend_on_each_other_count_once():
    middles, g, counts, error, moments = _runs(3)
    found = calibrated_weights(g, counts, error, moments)
    more = np.vstack([moments, np.zeros((1, g.size)), np.full((1, g.size), 7.3), 3 * moments[:1] - moments[1:] + 5])
    again = calibrated_weights(g, counts, error, more * np.array([[1e6], [1e-6], [1], [1], [1e3]]))
    np.testing.assert_allclose(again.values, found.values, rtol=1e-6, atol=1e-12)
    constant = calibrated_weights(g, counts, error, np.full((1, g.size), 7.3))
    np.testing.assert_allclose(constant.values, fuzzy_weights(g, counts, error), rtol=1e-9, atol=1e-15)
    crisp = calibrated_crisp_weights(g, counts, error, np.full((1, g.size), 7.3))
    np.testing.assert_allclose(crisp.values, crisp_weights(g, counts, error))
    # years are far from zero
    years = calibrated_weights(g, counts, error, np.stack([middles + 2000, (middles + 2000) ** 2]))
    np.testing.assert_allclose(years.values, found.values, rtol=1e-4, atol=1e-8)


def test_calibration_without_choice_or_error():
    alone = calibrated_weights([2.0], [4], 1.0, [[3.0]])
    assert alone.values.tolist() == [0.25]
    assert alone.uncertainty == 2.5
    # as many boxes as moments and one: only equal weights keep them
    fixed = calibrated_weights([1.0, 2.0, 9.0], [1, 1, 1], 1.0, [[0.0, 1.0, 5.0], [0.0, 1.0, 25.0]])
    np.testing.assert_allclose(fixed.values, 1 / 3)
    same = calibrated_weights([2.0] * 4, [1] * 4, 0.0, [[1.0, 2.0, 3.0, 4.0]])
    np.testing.assert_allclose(same.values, 0.25)
    # without an error the linear programme's solution: the mean 0 comes from the two inner boxes
    sure = calibrated_weights([5.0, 1.0, 1.0, 5.0], [1] * 4, 0.0, [[-3.0, -1.0, 1.0, 3.0]])
    np.testing.assert_allclose(sure.values, [0, 0.5, 0.5, 0], atol=1e-9)
    # dismissal alone leaves the first box; the mean 2 needs the next two
    crisp = calibrated_crisp_weights([0.0, 5.0, 6.0, 7.0], [1] * 4, 0.1, [[0.0, 1.0, 3.0, 4.0]])
    assert crisp_weights([0.0, 5.0, 6.0, 7.0], [1] * 4, 0.1).tolist() == [1, 0, 0, 0]
    np.testing.assert_allclose(crisp.values, np.array([1, 2, 4, 0]) / 7)


@pytest.mark.parametrize("heavy", [False, True])
def test_many_boxes_of_many_attributes(heavy):
    rng = np.random.default_rng(8)
    x = rng.lognormal(3, 1.5, (2, 10_000)) if heavy else rng.normal(size=(2, 10_000))
    x -= x.mean(axis=1, keepdims=True)
    counts = rng.integers(1, 30, x.shape[1]).astype(float)
    g = (abs(x) * rng.gamma(0.5, 1, x.shape)).sum(axis=0)
    moments = np.stack([x[0], x[1], x[0] ** 2, x[1] ** 2, x[0] * x[1]])
    equal = counts / counts.sum()
    size = np.sqrt((moments - (moments @ equal)[:, None]) ** 2 @ equal)
    for error in (0.0, g.mean(), 100 * g.mean()):
        uniform = overall_uncertainty(g, counts, error, np.full(g.size, 1 / counts.sum()))
        for weigh in (calibrated_weights, calibrated_crisp_weights):
            found = weigh(g, counts, error, moments)
            assert found.calibrated
            assert (abs(moments @ (counts * found.values - equal)) / size).max() < 1e-9
            assert found.uncertainty < uniform


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"uncertainties": [1.0, -1.0]}, "uncertainties has 1 negative entry"),
        ({"uncertainties": [1.0, np.nan]}, "uncertainties has 1 missing or infinite entry"),
        ({"uncertainties": [1.0, "x"]}, "uncertainties does not hold numbers"),
        ({"uncertainties": [1.0]}, r"uncertainties has the shape \(1,\), counts has \(2,\)"),
        ({"uncertainties": [], "counts": []}, "no box holds a record"),
        ({"counts": [0, 0]}, "no box holds a record"),
        ({"counts": [1, np.inf]}, "counts has 1 missing or infinite entry"),
        ({"error": -1.0}, "error = -1.0"),
        ({"error": np.nan}, "error = nan"),
        ({"moments": [1.0, 2.0]}, r"moments has the shape \(2,\), there are 2 boxes"),
        ({"moments": [[1.0, 2.0, 3.0]]}, r"moments has the shape \(1, 3\)"),
        ({"moments": [[1.0, np.nan]]}, "moments has 1 missing or infinite entry"),
    ],
)
def test_bad_settings_are_refused(given, message):
    arguments = {"uncertainties": [1.0, 2.0], "counts": [1, 1], "error": 1.0, "moments": [[-1.0, 2.0]]} | given
    with pytest.raises(SettingError, match=message):
        calibrated_weights(**arguments)
    with pytest.raises(SettingError, match=message):
        calibrated_crisp_weights(**arguments)
    del arguments["moments"]
    if "moments" not in given:
        for weigh in (crisp_weights, fuzzy_weights, threshold):
            with pytest.raises(SettingError, match=message):
                weigh(**arguments)
