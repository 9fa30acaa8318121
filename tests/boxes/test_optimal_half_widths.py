from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from sfumato.boxes.optimal_half_widths import asymptotic_uncertainty, optimal_half_widths, uncertainties
from sfumato.errors import SettingError

THREE = [4.0, 2.0, 1.0]
# golden: a, density, k, l, epsilon, half-widths, sum a_i Delta_i
GOLDEN = {
    "k-two": ([1.0, 4.0], 25.0, 4, 0, None, [0.4, 0.1], 0.8),
    "k-three": (THREE, 1000.0, 8, 0, None, [0.05, 0.1, 0.2], 0.6),
    "l-t=0": (THREE, 1000.0, 8, 2, [0.01, 0.02, 0.01], [0.05, 0.1, 0.2], 0.6),
    "l-t=1": (THREE, 1000.0, 8, 2, [0.1, 0.02, 0.01], [0.1, 0.05 * 2**0.5, 0.1 * 2**0.5], 0.682842712474619),
    "l-t=n": (THREE, 100_000.0, 8, 2, [0.1, 0.02, 0.01], [0.1, 0.02, 0.01], 0.45),
}


@pytest.mark.parametrize("case", GOLDEN.values(), ids=GOLDEN.keys())
def test_worked_examples(case):
    a, density, k, l, epsilon, widths, blur = case  # noqa: E741  # XK13's l
    found = optimal_half_widths(a, density, k=k, l=l, epsilon=epsilon)
    np.testing.assert_allclose(found, widths, rtol=1e-12)
    assert uncertainties(a, found) == pytest.approx(blur, rel=1e-12)


def test_the_least_box_is_not_taken_if_it_holds_too_few():
    # the trap of XK13's t = n: 0.16 records would be expected in (0.1, 0.02, 0.01)
    found = optimal_half_widths(THREE, 1000.0, k=8, l=2, epsilon=[0.1, 0.02, 0.01])
    assert 1000.0 * np.prod([0.2, 0.04, 0.02]) == pytest.approx(0.16)
    assert 1000.0 * np.prod(2 * found) == pytest.approx(8, rel=1e-12)


def test_attributes_that_cost_nothing_take_the_volume_first():
    # prod Delta = 0.02
    limits = {"k": 8, "l": 2, "epsilon": [0.1, 0.05]}
    np.testing.assert_allclose(optimal_half_widths([0.0, 1.0], 100.0, **limits), [0.4, 0.05])
    found = optimal_half_widths([0.0, 1.0], 100.0, **limits, caps=[0.2, 1.0])
    np.testing.assert_allclose(found, [0.2, 0.1])
    # without l they are at their caps, even if nothing else costs
    np.testing.assert_allclose(optimal_half_widths([0.0, 1.0], 100.0, k=8, caps=[4.0, 9.0]), [4.0, 0.005])
    np.testing.assert_allclose(optimal_half_widths([0.0, 0.0], 100.0, k=8, caps=[4.0, 8.0]), [0.1, 0.2])
    np.testing.assert_allclose(optimal_half_widths([0.0, 0.0], 100.0, **limits), [0.2, 0.1])


def test_caps_stop_what_cannot_hold_k():
    for density in (1e-3, 0.0):
        assert optimal_half_widths(THREE, density, k=8, caps=[1.0, 2.0, 3.0]).tolist() == [1.0, 2.0, 3.0]
    found = optimal_half_widths(THREE, 1000.0, k=8, caps=[1.0, 2.0, 0.1])
    np.testing.assert_allclose(found, [0.05 * 2**0.5, 0.1 * 2**0.5, 0.1])


def _solved(a, volume, low, high):
    """Solve the geometric programme: min sum a_i exp(u_i) with sum u_i >= log V."""
    start = np.clip(low + (high - low) * (np.log(volume) - low.sum()) / (high - low).sum(), low, high)
    found = minimize(
        lambda u: a @ np.exp(u),
        start,
        jac=lambda u: a * np.exp(u),
        bounds=list(zip(low, high, strict=True)),
        constraints={"type": "ineq", "fun": lambda u: u.sum() - np.log(volume), "jac": np.ones_like},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
    )
    return a @ np.exp(found.x), found.x.sum() >= np.log(volume) - 1e-9


def test_no_solver_finds_better_boxes():
    rng = np.random.default_rng(1)
    near = 0
    for _ in range(300):
        n = int(rng.integers(1, 7))
        a, low = np.exp(rng.normal(0, 1.5, n)), np.exp(rng.normal(-3, 1, n))
        a[rng.random(n) < 0.1] = 0.0
        high = low * np.exp(rng.uniform(0.1, 5, n))
        volume = np.exp(rng.uniform(np.log(low).sum(), np.log(high).sum()))
        density = rng.uniform(1, 100)
        k = volume * 2**n * density
        widths = optimal_half_widths(a, density, k=k, l=3, epsilon=low * 2 / 3, caps=high)
        assert np.prod(widths) == pytest.approx(volume, rel=1e-10)
        assert (widths >= low * (1 - 1e-12)).all()
        assert (widths <= high).all()
        best, feasible = _solved(a, volume, np.log(low), np.log(high))
        ours = float(uncertainties(a, widths))
        if feasible:
            assert ours <= best * (1 + 1e-7)
            near += ours >= best * (1 - 1e-7) - 1e-12
    # the solver itself sometimes stops early
    assert near > 270


def _problems(draw, n, points):
    size = st.floats(1e-6, 1e6)
    a = draw(arrays(float, (n, points), elements=st.one_of(st.just(0.0), size)))
    low = draw(arrays(float, n, elements=st.one_of(st.just(0.0), size)))
    high = np.maximum(low, draw(arrays(float, n, elements=size)))
    density = draw(arrays(float, points, elements=st.floats(1e-9, 1e9)))
    return a, low, high, density


problems = st.composite(lambda draw: _problems(draw, draw(st.integers(1, 5)), draw(st.integers(1, 4))))()


@given(problems, st.floats(1, 100))
def test_boxes_hold_k_within_their_limits_and_are_optimal(problem, k):
    a, low, high, density = problem
    widths = optimal_half_widths(a, density, k=k, l=2, epsilon=low, caps=high)
    assert (widths >= low[:, None]).all()
    assert (widths <= high[:, None]).all()
    held = np.log(density) + np.log(2 * widths).sum(axis=0)
    more, fewer = (widths == low[:, None]).all(axis=0), (widths == high[:, None]).all(axis=0)
    assert ((abs(held - np.log(k)) < 1e-9) | (more & (held > np.log(k))) | (fewer & (held < np.log(k)))).all()
    # Kuhn and Tucker: a_i Delta_i is the same c wherever no limit binds, above c only at the least width, below at caps
    cost = a * widths
    inside = (widths > low[:, None]) & (widths < high[:, None])
    for point in range(cost.shape[1]):
        c = cost[inside[:, point], point]
        if c.size:
            np.testing.assert_allclose(c, c[0], rtol=1e-9)
            assert (cost[widths[:, point] < high, point] >= c[0] * (1 - 1e-9)).all()
            assert (cost[widths[:, point] > low, point] <= c[0] * (1 + 1e-9)).all()


@given(problems, st.floats(1, 100), st.floats(1e-3, 1e3))
def test_points_are_alone_and_units_do_not_matter(problem, k, unit):
    a, low, high, density = problem
    limits = {"k": k, "l": 2}
    widths = optimal_half_widths(a, density, **limits, epsilon=low, caps=high)
    single = optimal_half_widths(a[:, 0], density[0], **limits, epsilon=low, caps=high)
    np.testing.assert_allclose(single, widths[:, 0], rtol=1e-12)
    units = np.ones(len(a))
    units[0] = unit
    scaled = optimal_half_widths(a / units[:, None], density / unit, **limits, epsilon=low * units, caps=high * units)
    np.testing.assert_allclose(scaled, widths * units[:, None], rtol=1e-9)


def test_extreme_numbers_do_not_overflow():
    a = np.full((60, 2), 1e-200)
    widths = optimal_half_widths(a, [1e250, 1e-250], k=5)
    np.testing.assert_allclose(
        widths, np.broadcast_to(0.5 * np.exp((np.log(5) - np.log([1e250, 1e-250])) / 60), (60, 2))
    )
    with pytest.raises(SettingError, match=r"not finite[^H]*Hint: give caps"):
        optimal_half_widths([1.0], 0.0, k=5)


def test_the_uncertainty_is_the_mean_over_the_points():
    rng = np.random.default_rng(2)
    a, density = rng.uniform(1, 5, (3, 50)), rng.uniform(10, 1000, 50)
    # XF13: n/N sum c(x), c = (k / rho prod a)^(1/n) / 2
    c = 0.5 * np.cbrt(7 / density * a.prod(axis=0))
    assert asymptotic_uncertainty(a, density, k=7) == pytest.approx(3 * c.mean())
    assert asymptotic_uncertainty([1.0, 4.0], 25.0, k=4) == pytest.approx(0.8)
    assert asymptotic_uncertainty(a, density, k=7, caps=[0.01, 9.0, 9.0]) > 3 * c.mean()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"sensitivities": [1.0, -1.0]}, "sensitivities: 1 are negative"),
        ({"sensitivities": [1.0, np.nan]}, r"sensitivities: 1 are missing \(NaN\)"),
        ({"sensitivities": [1.0, np.inf]}, "sensitivities: 1 are infinite"),
        ({"sensitivities": [1.0, "x"]}, "sensitivities does not hold numbers"),
        ({"sensitivities": 1.0}, r"sensitivities has the shape \(\)"),
        ({"sensitivities": []}, r"sensitivities has the shape \(0,\)"),
        ({"density": -1.0}, "density: 1 are negative"),
        ({"density": [1.0, 2.0]}, r"density has the shape \(2,\), there are 1 points"),
        ({"k": 0}, "k = 0"),
        ({"k": np.nan}, "k = nan"),
        ({"l": -1}, "l = -1"),
        ({"l": 2}, "l = 2 without epsilon"),
        ({"l": 2, "epsilon": [1.0]}, r"epsilon has the shape \(1,\)"),
        ({"l": 2, "epsilon": [np.inf, 1.0]}, "epsilon: 1 are infinite"),
        ({"l": 2, "epsilon": [1.0, 1.0], "caps": [0.5, 2.0]}, r"caps: some are below l epsilon / 2"),
        ({"caps": [0.0, 1.0]}, "caps: some are 0"),
        ({"caps": [np.nan, 1.0]}, r"caps: 1 are missing"),
        ({"sensitivities": [0.0, 1.0]}, r"sensitivities are 0[^H]*Hint: give caps"),
        ({"sensitivities": [0.0, 1.0], "l": 2, "epsilon": [1.0, 0.0]}, "sensitivities are 0"),
        ({"sensitivities": [0.0, 1.0], "caps": [np.inf, 1.0]}, "sensitivities are 0"),
    ],
)
def test_bad_settings_are_refused(given, message):
    arguments = {"sensitivities": [1.0, 2.0], "density": 10.0, "k": 5} | given
    with pytest.raises(SettingError, match=message):
        optimal_half_widths(**arguments)


def test_bad_shapes_are_refused():
    with pytest.raises(SettingError, match=r"half_widths has the shape \(3,\)"):
        uncertainties([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(SettingError, match=r"sensitivities has the shape \(\)"):
        uncertainties(1.0, 2.0)
    with pytest.raises(SettingError, match="no points"):
        asymptotic_uncertainty(np.ones((2, 0)), 2.0, k=3)
