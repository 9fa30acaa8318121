from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import SettingError
from sfumato.statistics.parser import parse

# a worked example of five records, three attributes and weights
RECORDS = np.array([[1, 2, 5], [2, 1, 3], [4, 5, 2], [7, 4, 9], [11, 8, 6]], dtype=float).T
WEIGHTS = np.array([0.1, 0.3, 0.2, 0.15, 0.25])
EQUAL = np.full(5, 0.2)

GOLDEN = {
    "equal": {
        "mean(i)": [[0.2, 0.2, 0.2, 0.2, 0.2]],
        "var(i)": [[-1.6, -1.2, -0.4, 0.8, 2.4]],
        "std(i)": [
            [-0.2201927530252721, -0.1651445647689541, -0.05504818825631803, 0.11009637651263605, 0.3302891295379082]
        ],
        "cov(i, j)": [[-0.4, -0.6, 0.2, 0.0, 0.8], [-0.8, -0.6, -0.2, 0.4, 1.2]],
        "corr(i, j)": [
            [
                0.00953413946917715,
                -0.026559388521279235,
                0.036093527990456384,
                -0.027240398483363307,
                0.008172119545009007,
            ],
            [
                -0.029964438331699653,
                0.022473328748774713,
                -0.052437767080474366,
                0.04494665749754946,
                0.014982219165849847,
            ],
        ],
    },
    "weighted": {
        "mean(i)": [[0.1, 0.3, 0.2, 0.15, 0.25]],
        "var(i)": [[-0.86, -1.98, -0.52, 0.51, 2.85]],
        "std(i)": [
            [-0.11488131230623194, -0.26449418414690606, -0.06946311906888442, 0.06812728985602128, 0.3807113256660012]
        ],
        "cov(i, j)": [[-0.21, -0.93, 0.18, -0.015, 0.975], [-0.43, -0.99, -0.26, 0.255, 1.425]],
        "corr(i, j)": [
            [
                0.007373599271573961,
                -0.027206038691669453,
                0.03483390000709078,
                -0.018179736135087516,
                0.0031782755480922486,
            ],
            [
                -0.016125236040049153,
                0.019057097138239876,
                -0.04837570812014744,
                0.027119715158264467,
                0.018324131863692226,
            ],
        ],
    },
}

# by record: the derivatives of both slopes by both predictors, of both slopes by the outcome, of the intercept
BY_PREDICTOR = [
    [[0.2639889196675894, -0.2800554016620491], [-0.3274238227146806, 0.4197229916897497]],
    [[-0.2729916897506918, 0.47188365650969416], [0.3455678670360101, -0.6605817174515218]],
    [[0.1422437673130187, -0.22562326869805993], [-0.1466759002770074, 0.21188365650969387]],
    [[-0.024930747922437227, 0.033240997229916296], [-0.0036011080332415714, 0.06620498614958534]],
    [[-0.10831024930747912, 0.0005540166204986262], [0.13213296398891938, -0.0372299168975069]],
]
BY_OUTCOME = [
    [-0.10526315789473673, 0.07368421052631562],
    [0.07894736842105249, -0.20526315789473665],
    [-0.1842105263157892, 0.2789473684210522],
    [0.15789473684210506, -0.21052631578947337],
    [0.05263157894736841, 0.06315789473684212],
]
INTERCEPT_BY_PREDICTOR = [
    [-0.4155124653739609, 0.19927977839335131],
    [-0.7383656509695278, 1.1555401662049838],
    [-0.024515235457063994, 0.1268975069252084],
    [-0.22409972299168934, -0.00576177285318652],
    [0.32354570637119084, -0.27069252077562234],
]
INTERCEPT_BY_OUTCOME = [
    0.4315789473684212,
    0.6263157894736842,
    0.0052631578947371915,
    0.2526315789473682,
    -0.31578947368421056,
]

ALL = ("mean(x)", "var(x)", "std(x)", "cov(x, y)", "corr(x, y)", "regress(x ~ y)", "regress(x ~ y + z)")


@pytest.mark.parametrize("weighted", ["equal", "weighted"])
@pytest.mark.parametrize("text", list(GOLDEN["equal"]))
def test_the_worked_example_of_derivatives(text, weighted):
    statistic = parse(text)
    weights = EQUAL if weighted == "equal" else WEIGHTS
    found = statistic.gradient(RECORDS[: len(statistic.attributes)], weights)
    np.testing.assert_allclose(found, [GOLDEN[weighted][text]], rtol=0, atol=1e-12)


def test_the_worked_example_of_a_regression():
    statistic = parse("regress(y ~ a + b)")
    values = RECORDS[[2, 0, 1]]
    slopes = [1.0789473684210513, -1.2052631578947348]
    np.testing.assert_allclose(statistic.values(values, EQUAL), [4.426315789473683, *slopes], rtol=0, atol=1e-12)
    found = statistic.gradient(values, EQUAL)
    np.testing.assert_allclose(found[1:, 1:].transpose(2, 1, 0), BY_PREDICTOR, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[1:, 0].T, BY_OUTCOME, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[0, 1:].T, INTERCEPT_BY_PREDICTOR, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[0, 0], INTERCEPT_BY_OUTCOME, rtol=0, atol=1e-12)


@pytest.mark.parametrize("text", ALL)
@pytest.mark.parametrize("seed", range(5))
def test_derivatives_are_the_limits_of_differences(text, seed):
    statistic, rng = parse(text), np.random.default_rng(seed)
    values = rng.normal(size=(len(statistic.attributes), 9)) * rng.choice([0.1, 1, 30])
    weights = rng.dirichlet(np.ones(9)) if seed % 2 else np.full(9, 1 / 9)
    found = statistic.gradient(values, weights)
    step = 1e-6 * abs(values).max()
    for attribute, record in np.ndindex(values.shape):
        up, down = values.copy(), values.copy()
        up[attribute, record] += step
        down[attribute, record] -= step
        slope = (statistic.values(up, weights) - statistic.values(down, weights)) / (2 * step)
        np.testing.assert_allclose(found[:, attribute, record], slope, rtol=1e-5, atol=1e-7 * abs(found).max())


@pytest.mark.parametrize("text", ALL)
def test_influences_are_what_one_more_record_moves(text):
    statistic, rng = parse(text), np.random.default_rng(1)
    values, weights = rng.normal(size=(len(statistic.attributes), 8)), rng.dirichlet(np.ones(8))
    found = statistic.influences(values, weights)
    np.testing.assert_allclose(found @ weights, 0, atol=1e-12)
    for record in range(8):
        more = weights * (1 - 1e-6)
        more[record] += 1e-6
        moved = (statistic.values(values, more) - statistic.values(values, weights)) / 1e-6
        np.testing.assert_allclose(found[:, record], moved, rtol=1e-4, atol=1e-4)


def test_what_is_undefined_says_so():
    constant = np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 4.0]])
    thirds = np.full(3, 1 / 3)
    assert np.isnan(parse("corr(x, y)").values(constant, thirds)).all()
    with pytest.raises(SettingError, match="'b' is constant"):
        parse("regress(y ~ b)").values(constant[::-1], thirds)
    with pytest.raises(SettingError, match="depends linearly on the others"):
        parse("regress(y ~ a + b)").values(np.array([[1.0, 5.0, 2.0], [1, 2, 4], [3, 5, 9]]), thirds)


def test_a_constant_has_no_covariance_whatever_the_weights():
    rng = np.random.default_rng(3)
    left = 0
    for size in range(3, 60):
        weights = rng.random(size)
        weights /= weights.sum()
        values = np.stack([np.full(size, rng.normal()), rng.normal(size=size)])
        means = values @ weights
        left += abs((values[0] - means[0] - ((values[0] - means[0]) @ weights)).sum()) > 0
        assert parse("cov(x, y)").values(values, weights).tolist() == [0.0]
        assert parse("var(x)").values(values[:1], weights).tolist() == [0.0]
        assert parse("mean(x)").values(values[:1], weights).tolist() == [values[0, 0]]
    # centring twice alone leaves something
    assert left > 0
