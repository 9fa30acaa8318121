from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from sfumato.statistics import range_of, regression_range
from sfumato.statistics.quadratic_bound import Rectangles, Zonotopes

NAMES = ("y", "a", "b", "c")


def problem(rng: np.random.Generator, *, predictors: int, records: int, half: float, shared: float = 0.5):
    """Make boxes of an outcome and of predictors that correlate."""
    common = rng.normal(size=records)
    values = shared * common + rng.normal(size=(predictors, records))
    outcome = rng.normal(size=predictors) @ values + rng.normal(size=records)
    halves = rng.gamma(1.0, half, (predictors + 1, records)) * (rng.random((predictors + 1, records)) < 0.8)
    centres = np.vstack([outcome, values]) * 10.0 ** rng.integers(-2, 3, (predictors + 1, 1)) + rng.normal()
    halves = halves * np.std(centres, axis=1, keepdims=True)
    return centres - halves, centres + halves


def fits(data: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Fit many data sets (data sets, attributes, records) by least squares on scaled predictors."""
    root = np.sqrt(weights)
    found = []
    for one in data:
        spread = one[1:].std(axis=1, keepdims=True)
        mean = one[1:].mean(axis=1, keepdims=True)
        design = np.vstack([np.ones(one.shape[1]), (one[1:] - mean) / spread]).T
        fit = np.linalg.lstsq(design * root[:, None], one[0] * root, rcond=None)[0]
        slopes = fit[1:] / spread[:, 0]
        found.append([fit[0] - slopes @ mean[:, 0], *slopes])
    return np.array(found)


@pytest.mark.parametrize(
    ("predictors", "half", "least"), [(2, 0.02, 0.9), (2, 0.1, 0.6), (2, 0.4, 0.1), (3, 0.01, 0.9), (3, 0.03, 0.6)]
)
def test_no_consistent_data_have_coefficients_outside(predictors, half, least):
    rng = np.random.default_rng(predictors)
    proved = 0
    for _ in range(25):
        records = int(rng.integers(6, 30))
        lo, hi = problem(rng, predictors=predictors, records=records, half=half)
        weights = rng.gamma(2.0, 1.0, records)
        names = NAMES[: predictors + 1]
        text = f"regress(y ~ {' + '.join(names[1:])})"
        found = range_of(text, dict(zip(names, lo, strict=True)), dict(zip(names, hi, strict=True)), weights)
        assert list(found) == ["(intercept)", *names[1:]]
        middles = 0.5 * (lo + hi)
        slopes = np.array([found[name].value for name in names[1:]])
        residuals = middles[0] - found["(intercept)"].value - slopes @ middles[1:]
        corners = [rng.integers(0, 2, (60, *lo.shape)), rng.random((20, *lo.shape))]
        # corners along which single coefficients grow are the ones that reach the ends
        for _ in range(60):
            turn = rng.normal(size=predictors) @ (middles[1:] - middles[1:].mean(axis=1, keepdims=True))
            rise = np.vstack([turn, rng.normal(size=(predictors, 1)) * residuals - slopes[:, None] * turn])
            corners.append((rise > 0)[None])
        places = np.concatenate([np.asarray(part, dtype=float) for part in corners])
        reached = fits(np.clip(lo + places * (hi - lo), lo, hi), weights)
        for target, estimate in enumerate(found.values()):
            low, high = estimate.attained
            assert estimate.lower <= low <= estimate.value <= high <= estimate.upper
            if estimate.guaranteed:
                proved += 1
                rounding = 1e-9 * abs(reached[:, target]).max()
                assert reached[:, target].min() >= estimate.lower - rounding
                assert reached[:, target].max() <= estimate.upper + rounding
    assert proved >= least * 25 * (predictors + 1)


@pytest.mark.parametrize(("shared", "half", "limit"), [(0.0, 0.05, 1.1), (0.7, 0.05, 1.1), (0.7, 0.2, 1.4)])
def test_slopes_on_two_predictors_are_proved_and_close(shared, half, limit):
    rng = np.random.default_rng(1)
    lo, hi = problem(rng, predictors=2, records=3000, half=half, shared=shared)
    found = range_of("regress(y ~ a + b)", dict(zip("yab", lo, strict=True)), dict(zip("yab", hi, strict=True)))
    assert found.guaranteed
    for name in "ab":
        low, high = found[name].attained
        assert 1 <= found[name].width / (high - low) <= limit


def test_the_kernel_finds_the_largest_product_in_each_zonotope():
    rng = np.random.default_rng(0)
    middle, half = rng.normal(size=(3, 40)), rng.gamma(1.0, 0.5, (3, 40))
    half[1, :10] = 0.0
    shares = rng.dirichlet(np.ones(40))
    places = np.stack(np.meshgrid(*[np.linspace(-1, 1, 21)] * 3), axis=-1).reshape(-1, 3, 1)
    for factors in (rng.normal(size=(2, 3)), np.array([[1.0, 0.0, -0.4], [0.0, 1.0, 0.7]])):
        shapes = Zonotopes(middle, half, factors, shares, 40)
        for alpha, beta in ((0.0, 0.0), (-0.4, 0.0), (0.3, -0.2)):
            sums = shapes.largest(0.2, -0.3, alpha, beta)
            first, second = np.einsum("fv,pvn->fpn", factors, middle + places * half)
            first, second = first - 0.2, second + 0.3
            best = (alpha * first**2 + first * second + beta * second**2).max(axis=0)
            value = alpha * sums[2] + sums[3] + beta * sums[4]
            assert value >= best @ shares - 1e-12
            assert value == pytest.approx(float(best @ shares), rel=0.02, abs=0.02)
            low, high = shapes.ends(np.array([0.6, -0.8]))
            means = np.array([0.6, -0.8]) @ factors @ (middle + places * half) @ shares
            assert low <= means.min() + 1e-12
            assert means.max() <= high + 1e-12


def test_a_box_is_a_zonotope():
    rng = np.random.default_rng(3)
    middle, half, shares = rng.normal(size=(2, 30)), rng.gamma(1.0, 0.3, (2, 30)), np.full(30, 1 / 30)
    pair = Rectangles(
        np.stack([middle[0] - half[0], middle[0] + half[0], middle[1] - half[1], middle[1] + half[1]]), shares, 30
    )
    same = Zonotopes(middle, half, np.eye(2), shares, 30)
    for alpha, beta in ((0.0, 0.0), (-0.4, -0.4), (0.5, 0.0), (-1.0, 0.0)):
        np.testing.assert_allclose(same.largest(0.1, 0.2, alpha, beta), pair.largest(0.1, 0.2, alpha, beta), atol=1e-12)
    assert same.linear == pytest.approx(pair.linear)
    assert same.size == pytest.approx(pair.size)


def test_a_part_of_the_proof_holds_for_all_data_that_belong_to_it(monkeypatch):
    """The slope of one predictor on the other is divided into parts; each part bounds the slopes of its data."""
    here, parts = threading.local(), []

    def partial_bound(plane, number, reached, sign, *more):
        here.way = (plane, number, sign)
        return kept_bound(plane, number, reached, sign, *more)

    def divide(bound, edges, **more):
        parts.append((*here.way, bound, edges[0], edges[-1]))
        return kept_divide(bound, edges, **more)

    kept_bound, kept_divide = regression_range._partial_bound, regression_range.divide
    monkeypatch.setattr(regression_range, "_partial_bound", partial_bound)
    monkeypatch.setattr(regression_range, "divide", divide)
    rng = np.random.default_rng(4)
    checked = 0
    for _ in range(40):
        lo, hi = problem(rng, predictors=2, records=4, half=0.45)
        range_of("regress(y ~ a + b)", dict(zip("yab", lo, strict=True)), dict(zip("yab", hi, strict=True)))
    corners = np.array(list(itertools.product([-1.0, 1.0], repeat=12))).reshape(-1, 3, 4)
    for plane, number, sign, bound, low, high in parts:
        data = plane.middle + corners * plane.half
        data = data - (data * plane.shares).sum(axis=2, keepdims=True) / plane.shares.sum()
        y, x, u = (data[:, row] for row in (0, number, 3 - number))
        d = (plane.shares * x * u).sum(axis=1) / (plane.shares * u * u).sum(axis=1)
        rest = x - d[:, None] * u
        slopes = sign * (plane.shares * rest * y).sum(axis=1) / (plane.shares * rest * rest).sum(axis=1)
        for first, last in np.sort(rng.uniform(low, high, (20, 2)), axis=1):
            inside = (first <= d) & (d <= last)
            if inside.any() and np.isfinite(top := bound(first, last)):
                checked += 1
                assert slopes[inside].max() <= top
    assert checked > 1000
