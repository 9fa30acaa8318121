from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.algebra import (
    dot,
    eigen,
    inverse,
    least_squares,
    orthogonal,
    product,
    pseudo_inverse,
    singular,
    solve,
)
from sfumato.kernels.lane_sums import LANES, STRIDE, fold, sum_of, sum_of_products

SIZES = st.integers(1, 9)
SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape) * 10.0 ** np.random.default_rng(seed).integers(-3, 4)


@given(seed=SEEDS, rows=SIZES, inner=st.integers(0, 400), columns=st.integers(1, 50))
def test_products_are_those_of_numpy(seed, rows, inner, columns):
    first, second = drawn(seed, rows, inner), drawn(seed + 1, inner, columns)
    room = 1e-13 * (np.abs(first) @ np.abs(second) + 1e-300)
    assert (abs(product(first, second) - first @ second) <= room).all()
    assert (abs(product(first, second[:, 0]) - first @ second[:, 0]) <= room[:, 0]).all()
    assert (abs(product(first[0], second) - first[0] @ second) <= room[0]).all()
    assert abs(dot(first[0], second[:, 0]) - first[0] @ second[:, 0]) <= room[0, 0]


def test_a_product_takes_any_layout_and_refuses_what_does_not_fit():
    matrix = drawn(1, 5, 300)
    assert np.array_equal(product(matrix, matrix.T), product(np.asfortranarray(matrix), matrix.T.copy()))
    with pytest.raises(ValueError, match="do not fit"):
        product(matrix, matrix)
    with pytest.raises(ValueError, match="do not fit"):
        product(matrix[0], matrix[1])


@given(seed=SEEDS, size=st.integers(0, 5 * STRIDE))
def test_sums_in_lanes_add_numbers_in_the_stated_order(seed, size):
    numbers, lanes = drawn(seed, size), np.zeros(LANES)
    partial = np.zeros(LANES)
    n_in_lanes = size // STRIDE * STRIDE
    for first, second, third, fourth in numbers[:n_in_lanes].reshape(-1, 4, LANES):
        partial = partial + ((first + second) + (third + fourth))
    partial = partial[:16] + partial[16:]
    partial = partial[:8] + partial[8:]
    total = ((partial[0] + partial[4]) + (partial[2] + partial[6])) + (
        (partial[1] + partial[5]) + (partial[3] + partial[7])
    )
    rest = 0.0
    for number in numbers[n_in_lanes:].tolist():
        rest += number
    assert sum_of(numbers, lanes) == (total if n_in_lanes else 0.0) + rest
    assert not lanes.any()
    assert sum_of_products(numbers, np.ones(size), lanes) == sum_of(numbers, lanes)


def test_lanes_are_empty_after_they_are_folded():
    lanes = np.arange(float(LANES))
    assert fold(lanes) == LANES * (LANES - 1) / 2
    assert not lanes.any()


@given(seed=SEEDS, size=SIZES, lacking=st.integers(0, 3))
def test_eigenvalues_are_those_of_numpy(seed, size, lacking):
    half = drawn(seed, size, max(size - lacking, 1))
    matrix = half @ half.T
    values, vectors = eigen(matrix)
    scale = abs(matrix).max()
    assert np.allclose(values, np.linalg.eigvalsh(matrix), atol=1e-12 * scale)
    assert np.allclose(vectors * values @ vectors.T, matrix, atol=1e-12 * scale)
    assert np.allclose(vectors.T @ vectors, np.eye(size), atol=1e-12)
    largest = vectors[np.argmax(abs(vectors), axis=0), np.arange(size)]
    assert (largest > 0).all()


@given(seed=SEEDS, rows=st.integers(1, 40), columns=SIZES, lacking=st.booleans())
def test_singular_values_are_those_of_numpy(seed, rows, columns, lacking):
    matrix = drawn(seed, rows, columns)
    if lacking:
        matrix[:, -1] = matrix[:, 0]
    lengths, stretched, directions = singular(matrix)
    scale = abs(matrix).max()
    expected = np.linalg.svd(matrix, compute_uv=False)
    assert np.allclose(lengths[: expected.size], expected, atol=1e-12 * scale)
    assert np.allclose(lengths[expected.size :], 0.0, atol=1e-12 * scale)
    assert np.allclose(stretched @ directions.T, matrix, atol=1e-12 * scale)


@given(seed=SEEDS, rows=SIZES, longer=st.integers(0, 300))
def test_orthogonal_rows_make_the_given_ones(seed, rows, longer):
    given_rows = drawn(seed, rows, rows + longer)
    directions, triangle = orthogonal(given_rows)
    assert np.allclose(directions @ directions.T, np.eye(rows), atol=1e-12)
    assert np.allclose(triangle.T @ directions, given_rows, atol=1e-12 * abs(given_rows).max())
    assert np.array_equal(np.triu(triangle), triangle)


@given(seed=SEEDS, columns=st.integers(2, 6), lacking=st.booleans())
def test_least_squares_are_those_of_numpy(seed, columns, lacking):
    design, targets = drawn(seed, 60, columns), drawn(seed + 1, 60, 3)
    if lacking:
        design[:, -1] = 2.0 * design[:, 0]
    expected = np.linalg.lstsq(design, targets, rcond=None)[0]
    assert np.allclose(least_squares(design, targets), expected, atol=1e-9 * abs(expected).max())


@given(seed=SEEDS, size=SIZES)
def test_equations_are_solved(seed, size):
    matrix, side = drawn(seed, size, size) + np.eye(size), drawn(seed + 1, size)
    if np.linalg.cond(matrix) < 1e6:
        assert np.allclose(matrix @ solve(matrix, side), side, atol=1e-9 * abs(side).max())
        assert np.allclose(inverse(matrix) @ matrix, np.eye(size), atol=1e-9)
        assert np.allclose(
            pseudo_inverse(matrix), np.linalg.pinv(matrix), atol=1e-9 * abs(np.linalg.pinv(matrix)).max()
        )


def test_what_is_singular_or_not_finite_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0])
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        eigen([[np.nan]])
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        singular([[np.inf]])
