from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from sfumato.errors import SettingError
from sfumato.statistics import Estimate, Regression, range_of

STATISTICS = ("mean(x)", "var(x)", "std(x)", "cov(x, y)", "corr(x, y)", "regress(y ~ x)")


def boxed(n: int, *, correlation: float, half: float, seed: int = 0, records_a_box: int = 1):
    """Make boxes of normal data with half-widths of a given mean, in deviations."""
    rng = np.random.default_rng(seed)
    boxes = n // records_a_box
    x = rng.normal(size=boxes)
    y = correlation * x + np.sqrt(1 - correlation**2) * rng.normal(size=boxes)
    lo, hi = {}, {}
    for name, values in (("x", x), ("y", y)):
        halves = rng.gamma(2.0, half / 2, boxes)
        centres = values + rng.uniform(-1, 1, boxes) * halves
        lo[name], hi[name] = np.tile(centres - halves, records_a_box), np.tile(centres + halves, records_a_box)
    return lo, hi


def tightness(found: Estimate) -> float:
    return found.width / (found.attained[1] - found.attained[0])


@pytest.mark.parametrize("correlation", [-0.9, -0.5, 0.0, 0.5, 0.9])
@pytest.mark.parametrize("half", [0.05, 0.2])
@pytest.mark.parametrize("records_a_box", [1, 10])
def test_guaranteed_ranges_are_hardly_wider_than_attained_ones(correlation, half, records_a_box):
    lo, hi = boxed(10_000, correlation=correlation, half=half, records_a_box=records_a_box)
    limits = {"mean(x)": 1.0001, "var(x)": 1.001, "std(x)": 1.001, "cov(x, y)": 1.01, "corr(x, y)": 1.03}
    for text, limit in limits.items():
        found = range_of(text, lo, hi)
        assert found.guaranteed
        assert 1 <= tightness(found) <= limit, text
    assert tightness(range_of("regress(y ~ x)", lo, hi)["x"]) <= 1.01


@pytest.mark.parametrize("half", [0.5, 1.0, 2.0])
def test_wide_boxes_too(half):
    lo, hi = boxed(5_000, correlation=0.5, half=half)
    for text in ("var(x)", "cov(x, y)", "corr(x, y)"):
        assert tightness(range_of(text, lo, hi)) <= 1.03, text


@pytest.mark.parametrize("text", STATISTICS)
def test_values_are_what_numpy_computes(text):
    lo, hi = boxed(500, correlation=0.3, half=0.2)
    weights = np.random.default_rng(3).gamma(2.0, 1.0, 500)
    found = range_of(text, lo, hi, weights)
    x, y = ((lo[name] + hi[name]) / 2 for name in "xy")
    covariances = np.cov(x, y, aweights=weights, ddof=0)
    fit = np.polynomial.polynomial.polyfit(x, y, 1, w=np.sqrt(weights))
    expected = {
        "mean(x)": np.average(x, weights=weights),
        "var(x)": covariances[0, 0],
        "std(x)": np.sqrt(covariances[0, 0]),
        "cov(x, y)": covariances[0, 1],
        "corr(x, y)": covariances[0, 1] / np.sqrt(covariances[0, 0] * covariances[1, 1]),
        "regress(y ~ x)": {"(intercept)": fit[0], "x": fit[1]},
    }
    assert found.value == pytest.approx(expected[text], rel=1e-10)


@pytest.mark.parametrize("text", STATISTICS)
def test_whole_weights_are_repeated_records(text):
    lo, hi = boxed(200, correlation=0.3, half=0.3, seed=5)
    weights = np.random.default_rng(3).integers(1, 4, 200)
    weighted = range_of(text, lo, hi, weights)
    repeated = range_of(text, *({name: np.repeat(ends[name], weights) for name in ends} for ends in (lo, hi)))
    for name in ("value", "lower", "upper"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("text", STATISTICS)
def test_order_scale_and_shift_do_not_matter(text):
    lo, hi = boxed(300, correlation=-0.4, half=0.2, seed=7)
    one = range_of(text, lo, hi)
    order = np.random.default_rng(0).permutation(300)
    other = range_of(text, *({name: 1e4 + 1e3 * ends[name][order] for name in "xy"} for ends in (lo, hi)))
    factors = {"mean(x)": 1e3, "var(x)": 1e6, "std(x)": 1e3, "cov(x, y)": 1e6, "corr(x, y)": 1.0}
    if text in factors:
        shift = 1e4 if text == "mean(x)" else 0.0
        for name in ("value", "lower", "upper"):
            assert getattr(other, name) == pytest.approx(factors[text] * getattr(one, name) + shift, rel=1e-3)
    else:
        assert other["x"].lower == pytest.approx(one["x"].lower, rel=1e-3)


def test_sampling_errors_are_those_of_drawing_again():
    rng = np.random.default_rng(0)
    texts = ("mean(x)", "var(x)", "std(x)", "cov(x, y)", "corr(x, y)", "regress(y ~ x)")
    drawn = {text: [] for text in texts}
    told = {}
    for _ in range(300):
        x = rng.gamma(3.0, 1.0, 400)
        data = {"x": x, "y": x + rng.normal(size=400) * (1 + 0.2 * x)}
        for text in texts:
            found = range_of(text, data, data)
            found = found["x"] if isinstance(found, Regression) else found
            drawn[text].append(found.value)
            told.setdefault(text, []).append(found.sampling_error)
    for text in texts:
        assert np.std(drawn[text]) == pytest.approx(np.mean(told[text]), rel=0.15), text


def test_weighted_sampling_errors_are_linearised():
    rng = np.random.default_rng(0)
    x, weights = rng.normal(size=200), rng.gamma(1.0, 1.0, 200)
    y = x + rng.normal(size=200) * weights
    data = {"x": x, "y": y}
    share = weights / weights.sum()
    dx, dy = x - share @ x, y - share @ y
    slope = share @ (dx * dy) / (share @ dx**2)
    influences = {
        "mean(x)": dx,
        "var(x)": dx**2 - share @ dx**2,
        "cov(x, y)": dx * dy - share @ (dx * dy),
        "regress(y ~ x)": dx * (dy - slope * dx) / (share @ dx**2),
    }
    for text, influence in influences.items():
        found = range_of(text, data, data, weights)
        error = found["x"].sampling_error if isinstance(found, Regression) else found.sampling_error
        assert error == pytest.approx(np.sqrt(share**2 @ influence**2), rel=1e-9), text


def test_an_exact_attribute_adds_no_width():
    lo, hi = boxed(1000, correlation=0.5, half=0.2)
    hi = {**hi, "y": lo["y"]}
    found = range_of("cov(x, y)", lo, hi)
    assert found.contributions["y"] == 0.0
    # with y exact the covariance is linear in x, and so are regressions on y
    for linear in (found, *range_of("regress(x ~ y)", lo, hi).values()):
        assert linear.linear == pytest.approx(linear.attained, rel=1e-12)
        assert tightness(linear) == pytest.approx(1.0, abs=1e-9)
    assert range_of("cov(x, y)", {"x": [5, 5], "y": [0, 2]}, {"x": [5, 5], "y": [1, 3]}).width < 1e-12


def test_records_without_weight_change_nothing():
    lo, hi = boxed(50, correlation=0.4, half=0.1)
    weights = np.r_[np.zeros(1), np.ones(49)]
    far_lo, far_hi = ({name: np.r_[1e60, ends[name][1:]] for name in "xy"} for ends in (lo, hi))
    for text in STATISTICS:
        found = range_of(text, far_lo, far_hi, weights)
        same = range_of(text, *({name: ends[name][1:] for name in "xy"} for ends in (lo, hi)))
        assert found.upper == pytest.approx(same.upper, rel=1e-9)
        assert found.records == 50


def test_an_exact_mean_that_cancels_is_allowed_for_in_the_intercept():
    x, half = np.array([0.0, 8, -8, 4, -8, 4]), 1e-12 * (np.arange(6) == 1)
    y = np.array([-5000000001.2, 999999999.6, 1000000000.7, 1000000000.0, 999999999.6, 1000000001.3])
    found = range_of("regress(y ~ x)", {"x": x - half, "y": y}, {"x": x + half, "y": y})["(intercept)"]
    # the mean of x is 0, so this is the mean of y, by hand
    assert found.lower <= sum(map(Fraction, y.tolist())) / 6 <= found.upper


def test_numbers_far_from_zero_and_dependent_predictors_keep_their_digits():
    far = {"x": [1e16, 1e16 + 2], "y": [0.0, 1.0]}
    assert range_of("var(x)", far, far).value == 1.0
    assert range_of("cov(x, y)", far, far).value == 0.5
    assert range_of("var(x)", far, {"x": [1e16, 1e16 + 4]}).attained == (1.0, 4.0)
    year = np.arange(1990.0, 2021.0)
    data = {"y": np.sin(year), "a": year, "b": year**2, "c": year**3}
    shifted = np.polynomial.polynomial.Polynomial.fit(year, data["y"], 3).convert().coef
    assert range_of("regress(y ~ a + b + c)", data, data).value["c"] == pytest.approx(shifted[3], rel=1e-6)


def test_data_that_hardly_vary_are_not_taken_for_a_correlation():
    # all boxes of x share a point, where a correlation is undefined
    y = [0, 0.04, 1, 1, 0.1]
    found = range_of("corr(x, y)", {"x": [0, 0, 0.2, 0.2, 0], "y": y}, {"x": [0.2, 0.2, 0.4, 0.4, 0.2], "y": y})
    assert found.attained[0] > 0.3
    assert (found.lower, found.upper) == (-1.0, 1.0)


def test_a_regression_is_a_mapping_of_estimates():
    lo, hi = boxed(2000, correlation=0.5, half=0.05)
    lo, hi = ({**ends, "z": ends["x"] ** 3} for ends in (lo, hi))
    found = range_of("regress(y ~ x + z)", lo, hi)
    assert list(found) == ["(intercept)", "x", "z"]
    assert len(found) == 3
    assert found.value["z"] == found["z"].value
    assert found["z"].statistic == "regress(y ~ x + z): z"
    assert (found.records, found.left_out, found.weight) == (2000, 0, None)
    assert hash(found) == hash(found)
    for name in ("lower", "upper", "attained", "linear", "sampling_error"):
        assert getattr(found, name)["x"] == getattr(found["x"], name)
    assert found.guaranteed == all(one.guaranteed for one in found.values())
    assert json.loads(json.dumps(found.summary()))["coefficients"]["x"]["value"] == found["x"].value
    assert str(found).count("\n") == 2


def test_what_is_not_proved_is_infinite_and_null():
    # the predictor can be constant
    found = range_of("regress(y ~ x)", {"x": [0, 0.5], "y": [0, 1]}, {"x": [1, 1.5], "y": [0.1, 2]})["x"]
    assert not found.guaranteed
    assert (found.lower, found.upper) == (-np.inf, np.inf)
    assert found.summary()["lower"] is None
    assert "no guaranteed range" in str(found)


def test_printed_ranges_are_rounded_outwards():
    lo, hi = {"x": [1.0, 2.0, 3.123456]}, {"x": [1.5, 2.5, 3.999999]}
    found = range_of("mean(x)", lo, hi)
    assert str(found) == "mean(x) = 2.3539, guaranteed range [2.0411, 2.6667]"
    assert float(found.formatted[1][1:7]) <= found.lower
    assert str(range_of("mean(x)", lo, lo)) == "mean(x) = 2.041152, exact"
    assert range_of("mean(x)", {"x": [0, 0]}, {"x": [0, 0]}).formatted == ("0", "exact")
    wide = range_of("mean(x)", {"x": [-1e7, 0]}, {"x": [1e7, 3e7 + 1]})
    assert wide.formatted == ("7,500,000", "[-5,010,000, 20,010,000]")


def test_arrays_of_other_libraries_are_taken():
    lo, hi = {"x": pl.Series([0, 1, 2])}, {"x": pl.Series([1, 1, 5]).to_pandas()}
    found = range_of("mean(x)", lo, hi, weights=[1, 1, 2])
    assert found.attained == (1.25, 3.0)
    for convert in (lambda frame: frame, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow):
        assert range_of("mean(x)", convert(pl.DataFrame(lo)), convert(pl.DataFrame(hi))).attained == (1.0, 7 / 3)
    frozen = np.array([1.0, 2.0, 3.0])
    frozen.flags.writeable = False
    assert range_of("mean(x)", {"x": frozen}, {"x": frozen}).value == 2.0


@pytest.mark.parametrize(
    ("text", "lo", "hi", "weights", "message"),
    [
        ("mean(x)", {"x": [1, 5]}, {"x": [2, 4]}, None, "'x': lo is above hi in 1 record"),
        ("mean(`{x}{}`)", {"{x}{}": [1, 5]}, {"{x}{}": [2, 4]}, None, "'{x}{}': lo is above hi in 1 record"),
        ("mean(x)", {"x": [1, np.nan]}, {"x": [2, 4]}, None, "'x': no bound \\(NaN\\) in 1 record"),
        ("mean(x)", {"x": [1, 1]}, {"x": [2, np.inf]}, None, "'x': a bound is infinite or beyond"),
        ("mean(x)", {"x": [1, -1e200]}, {"x": [2, 4]}, None, "infinite or beyond 1e\\+70"),
        ("mean(x)", {"x": [1, 5, 6]}, {"x": [2, 6]}, None, "lo\\['x'\\] has 3 records, hi\\['x'\\] has 2"),
        ("cov(x, y)", {"x": [1, 2], "y": [1]}, {"x": [1, 2], "y": [1]}, None, "lo\\['y'\\] has 1"),
        ("mean(x)", {"x": [1]}, {"x": [2]}, None, "a statistic needs at least two records, not 1"),
        ("mean(x)", {"x": []}, {"x": []}, None, "a statistic needs at least two records, not 0"),
        ("mean(x)", {"x": ["a", "b"]}, {"x": [2, 3]}, None, "lo\\['x'\\] does not hold numbers"),
        ("mean(x)", {"x": ["1", "2"]}, {"x": [2, 3]}, None, "lo\\['x'\\] does not hold numbers"),
        ("mean(x)", {"x": np.array(["NaT"], "M8[D]")}, {"x": [2]}, None, "lo\\['x'\\] does not hold numbers"),
        ("mean(x)", {"x": [10**400, 2]}, {"x": [2, 3]}, None, "lo\\['x'\\] does not hold numbers"),
        ("mean(x)", {"x": np.ma.array([1.0, 2.0], mask=[0, 1])}, {"x": [2, 3]}, None, "no bound \\(NaN\\) in 1 record"),
        ("mean(x)", None, None, None, "lo is a NoneType, which does not map names to arrays"),
        ("mean(x)", {"x": [1, 2]}, [1, 2], None, "hi is a list, which does not map names to arrays"),
        ("mean(x)", {"x": [1, 2]}, {"x": [1, 2]}, [1e-80, 1e-80], "too large or too small"),
        ("mean(x)", {"x": [[1, 2]]}, {"x": [[2, 3]]}, None, "lo\\['x'\\] has 2 dimensions"),
        ("mean(x)", {"x": [1, 2]}, {}, None, "hi has no bounds of 'x'"),
        ("mean(x)", {}, {"x": [1, 2]}, None, "lo has no bounds of 'x'"),
        ("mean(z)", {"x": [1, 2]}, {"x": [1, 2]}, None, "unknown attribute 'z'"),
        ("mean(x)", {"x": [1, 2]}, {"x": [1, 2]}, [1], "weights has length 1, the bounds have length 2"),
        ("mean(x)", {"x": [1, 2]}, {"x": [1, 2]}, [1, -1], "weights: negative in 1 record"),
        ("mean(x)", {"x": [1, 2]}, {"x": [1, 2]}, [0, 0], "weights: all are zero"),
        ("mean(x)", {"x": [1, 2]}, {"x": [1, 2]}, [1, np.nan], "weights: missing in 1 record"),
        ("mean(x)", {"x": [1, 2]}, {"x": [1, 2]}, [1, np.inf], "weights: infinite or above 1e\\+70 in 1 record"),
        ("mean(x)", {"x": [1, 2]}, {"x": [1, 2]}, [6e69, 6e69], "too large or too small to be added up"),
        ("corr(x, y)", {"x": [5, 5], "y": [1, 2]}, {"x": [5, 5], "y": [2, 2]}, None, "undefined: 'x' is constant"),
        ("corr(x, y)", {"x": [1.1] * 3, "y": [1, 2, 3]}, {"x": [1.1] * 3, "y": [1, 2, 3]}, None, "'x' is constant"),
        ("regress(y ~ x)", {"x": [5, 5], "y": [1, 2]}, {"x": [6, 6], "y": [2, 2]}, None, "'x' is constant"),
        (
            "regress(y ~ x + z)",
            {"x": [1, 2, 4, 0], "z": [2, 4, 8, 0], "y": [1, 2, 5, 3]},
            {"x": [1, 2, 4, 0], "z": [2, 4, 8, 0], "y": [1, 2, 5, 3]},
            None,
            "singular: a predictor depends linearly",
        ),
    ],
)
def test_bad_input_is_refused_by_name(text, lo, hi, weights, message):
    with pytest.raises(SettingError, match=message):
        range_of(text, lo, hi, weights)


def test_a_correlation_that_can_be_anything_says_so():
    found = range_of("corr(x, y)", {"x": [0, 0, 0], "y": [0, 0, 0]}, {"x": [9, 9, 8], "y": [9, 8, 9]})
    assert (found.lower, found.upper) == (-1.0, 1.0)
    assert found.guaranteed
