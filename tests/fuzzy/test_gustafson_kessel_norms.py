from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from sfumato.fuzzy.gustafson_kessel_norms import bounded, norms_of


@given(
    values=st.lists(st.floats(1e-24, 100.0), min_size=2, max_size=6),
    condition=st.sampled_from([1.0, 2.0, 50.0, 1e6]),
)
def test_clipped_eigenvalues_are_the_best(values, condition):
    values = np.sort(values)
    found = bounded(values[None], condition)[0]
    assert found[-1] <= found[0] * condition * (1 + 1e-12) or (found == values).all()

    def cost(clipped):
        return float((values / clipped + np.log(clipped)).sum())

    def at(logarithm):
        return cost(np.clip(values, np.exp(logarithm), np.exp(logarithm) * condition))

    if values[-1] > values[0] * condition:
        logarithms = np.linspace(np.log(values[-1] / condition) - 5, np.log(values[-1]) + 1, 200)
        nearest = logarithms[np.argmin([at(one) for one in logarithms])]
        best = minimize_scalar(at, bounds=(nearest - 0.5, nearest + 0.5), method="bounded").fun
        assert cost(found) <= best + 1e-9


@given(seed=st.integers(0, 999), condition=st.sampled_from([1.0, 3.0, 1e6]))
def test_no_other_norm_within_bounds_is_better(seed, condition):
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(3, 3)) * [1.0, 0.1, 10.0]
    scatter = half @ half.T
    best = norms_of(scatter[None], np.array([5.0]), np.ones(1), ridge=0.0, max_condition=condition)
    norm = best.factors[0].T @ best.factors[0]
    np.testing.assert_allclose(np.linalg.det(norm), 1.0)
    for _ in range(50):
        turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        values = np.exp(rng.uniform(0.0, np.log(condition), 3)) if condition > 1.0 else np.ones(3)
        other = (turned * (values / np.prod(values) ** (1 / 3))) @ turned.T
        assert np.trace(norm @ scatter) <= np.trace(other @ scatter) * (1 + 1e-9)
