from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import SettingError
from sfumato.statistics import Wanted, combined_sensitivities, parse, sensitivities

RNG = np.random.default_rng(0)
VALUES = {"x": RNG.normal(5.0, 2.0, 50), "y": RNG.normal(-3.0, 1.0, 50)}
WEIGHTS = RNG.gamma(2.0, 1.0, 50)


def test_sensitivities_are_n_times_derivatives():
    found = sensitivities("corr(x, y)", VALUES)
    points = np.stack([VALUES["x"], VALUES["y"]])
    expected = 50 * abs(parse("corr(x, y)").gradient(points, np.full(50, 1 / 50)))[0]
    np.testing.assert_allclose([found["x"], found["y"]], expected)
    shares = WEIGHTS / WEIGHTS.sum()
    weighted = sensitivities("corr(x, y)", VALUES, WEIGHTS)
    expected = abs(parse("corr(x, y)").gradient(points, shares))[0] / shares
    np.testing.assert_allclose([weighted["x"], weighted["y"]], expected)
    assert sensitivities("regress(y ~ x)", VALUES)["x"].shape == (2, 50)
    assert sensitivities("mean(x)", VALUES, [0.0] + [1.0] * 49)["x"].tolist() == [0.0] + [1.0] * 49


def test_several_statistics_are_combined_by_importance_and_accuracy():
    wanted = [
        Wanted(statistic="mean(x)", importance=3.0, accuracy=0.5),
        Wanted(statistic="cov(x, y)", importance=1.0, accuracy=0.2),
    ]
    found = combined_sensitivities(wanted, VALUES)
    mean, cov = sensitivities("mean(x)", VALUES), sensitivities("cov(x, y)", VALUES)
    # p / Delta_0 of each
    np.testing.assert_allclose(found["x"], 0.75 / 0.5 * mean["x"] + 0.25 / 0.2 * cov["x"])
    np.testing.assert_allclose(found["y"], 0.25 / 0.2 * cov["y"])


def test_the_accuracy_that_is_wanted_is_never_zero_or_negative():
    centred = {"x": VALUES["x"] - VALUES["x"].mean(), "y": VALUES["y"]}
    spread = centred["x"].std()
    # a tenth of |C|, of a mean of zero a hundredth of the deviation
    np.testing.assert_allclose(combined_sensitivities(["mean(x)"], centred)["x"], 1 / (0.01 * spread))
    np.testing.assert_allclose(combined_sensitivities(["mean(y)"], centred)["y"], 1 / abs(0.1 * VALUES["y"].mean()))
    constant = {"x": np.zeros(50), "y": VALUES["y"]}
    assert np.isfinite(combined_sensitivities(["mean(x)", "var(x)", "std(x)", "cov(x, y)"], constant)["x"]).all()
    assert np.isfinite(combined_sensitivities(["regress(y ~ x)"], VALUES)["x"]).all()


def test_bad_wishes_are_refused():
    with pytest.raises(SettingError, match=r"'importance'.*greater than 0"):
        Wanted(statistic="mean(x)", importance=0)
    with pytest.raises(SettingError, match=r"'accuracy'.*greater than 0"):
        Wanted(statistic="mean(x)", accuracy=-1)
    with pytest.raises(SettingError, match="undefined: 'x' is constant"):
        sensitivities("corr(x, y)", {"x": [1.0, 1.0], "y": [1.0, 2.0]})
    with pytest.raises(SettingError, match="unknown attribute 'z'"):
        combined_sensitivities(["mean(z)"], VALUES)
