from __future__ import annotations

import numpy as np
import pytest

from sfumato.kernels.quadratic_max import largest_form, number_rows
from sfumato.statistics.pair_range import power_of_two
from sfumato.statistics.quadratic_bound import Form, Rectangles, moments_of


def random_pair(rng: np.random.Generator, n: int, *, half: float = 0.5) -> Rectangles:
    centres, halves = rng.normal(size=(2, n)), rng.gamma(1.0, half, (2, n))
    boxes = np.stack([centres[0] - halves[0], centres[0] + halves[0], centres[1] - halves[1], centres[1] + halves[1]])
    return Rectangles(boxes, rng.dirichlet(np.ones(n)), n)


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0), (-0.3, -0.4), (0.7, 0), (-2, 0), (0.2, -1), (-0.49, -0.49)])
def test_the_kernel_finds_the_largest_value_in_each_box(alpha, beta):
    rng = np.random.default_rng(1)
    pair = random_pair(rng, 60)
    a, b = 0.3, -0.2
    sums = largest_form(pair.boxes, pair.shares, a, b, alpha, beta)
    grid = np.linspace(0, 1, 201)
    x = pair.boxes[0, :, None, None] + grid[:, None] * (pair.boxes[1] - pair.boxes[0])[:, None, None] - a
    y = pair.boxes[2, :, None, None] + grid * (pair.boxes[3] - pair.boxes[2])[:, None, None] - b
    best = (alpha * x**2 + x * y + beta * y**2).max(axis=(1, 2))
    assert alpha * sums[2] + sums[3] + beta * sums[4] >= pair.shares @ best - 1e-12
    assert alpha * sums[2] + sums[3] + beta * sums[4] == pytest.approx(float(pair.shares @ best), abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_holds_from_any_start_and_meets_the_climb(seed):
    rng = np.random.default_rng(seed)
    pair = random_pair(rng, 3000, half=0.3)
    alpha, beta = [(0.0, 0.0), (-0.3, -0.3), (0.5, 0.0), (-0.8, 0.0), (0.1, 0.1), (-0.2, -1.0)][seed]
    form = Form(pair, alpha, beta)
    best = form.climb(pair.middles, tolerance=1e-4)
    bound = form.bound(best, goal=form.of(best), tolerance=1e-4)
    assert form.of(best) <= bound <= form.of(best) + 1e-4
    poor = Form(pair, alpha, beta)
    poor.add_cut(3.0, -2.0, tolerance=1.0)
    assert poor.bound(best, goal=np.inf, tolerance=1e-4) >= form.of(best)
    for _ in range(50):
        place = rng.random((2, 3000))
        x = pair.boxes[0] + place[0] * (pair.boxes[1] - pair.boxes[0])
        y = pair.boxes[2] + place[1] * (pair.boxes[3] - pair.boxes[2])
        assert form.of(moments_of(x, y, pair.shares)) <= bound


def test_equal_rows_get_equal_numbers():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (500, 4)).astype(float)
    numbers, distinct = number_rows(rows)
    _, inverse = np.unique(rows, axis=0, return_inverse=True)
    assert distinct == inverse.max() + 1
    assert len({(a, b) for a, b in zip(numbers.tolist(), inverse.tolist(), strict=True)}) == distinct


def test_powers_of_two_divide_exactly():
    assert power_of_two(3.0) == 4.0
    assert power_of_two(1e-9) == 2.0**-30
    assert power_of_two(0.0) == 1.0
