from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.fuzzy_clustering import come_nearer, fill_table, find_labels, sum_up
from sfumato.kernels.fuzzy_memberships import FuzzySets, Records
from tests.fuzzy.plain import plain_distances, plain_memberships


def example(seed, n, attributes, sets, fuzzifier, *, normed):
    """Make records of which the first is at the first centre, all in units of their spread, and weights."""
    rng = np.random.default_rng(seed)
    numbers, weights = rng.normal(size=(n, attributes)), rng.uniform(0.0, 2.0, n)
    centres = rng.normal(size=(sets, attributes))
    centres[0] = numbers[0]
    factors = np.triu(rng.normal(size=(sets if normed else 0, attributes, attributes)))
    records = Records(
        numbers.ravel(), attributes, 1, np.arange(attributes), np.zeros(attributes), np.ones(attributes), weights, 1
    )
    norms = np.swapaxes(factors, 1, 2) @ factors if normed else None
    return numbers, weights, norms, records, FuzzySets(centres, factors, fuzzifier)


CASES = {
    "seed": st.integers(0, 999),
    "n": st.sampled_from([1, 5, 127, 128, 129, 400]),
    "attributes": st.integers(1, 4),
    "sets": st.integers(1, 4),
    "fuzzifier": st.sampled_from([1.3, 2.0, 3.0]),
    "normed": st.booleans(),
}


@given(**CASES)
def test_sums_are_those_of_the_table(seed, n, attributes, sets, fuzzifier, normed):
    numbers, weights, norms, records, of = example(seed, n, attributes, sets, fuzzifier, normed=normed)
    moments = np.empty((sets, 1 + attributes))
    scatters = np.empty((sets, attributes, attributes))
    objective = sum_up(records, of, 0, n, moments, scatters)
    distances = plain_distances(numbers, of.centres, norms)
    powers = weights[:, None] * plain_memberships(distances, fuzzifier) ** fuzzifier
    offsets = numbers[:, None, :] - of.centres
    assert objective == pytest.approx((powers * distances).sum(), rel=1e-9, abs=1e-100)
    np.testing.assert_allclose(moments[:, 0], powers.sum(axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(moments[:, 1:], powers.T @ numbers, rtol=1e-9, atol=1e-9)
    expected = np.triu(np.einsum("ni,nia,nib->iab", powers, offsets, offsets))
    np.testing.assert_allclose(scatters, expected, rtol=1e-9, atol=1e-9)


@given(**CASES)
def test_tables_are_plain(seed, n, attributes, sets, fuzzifier, normed):
    numbers, _, norms, records, of = example(seed, n, attributes, sets, fuzzifier, normed=normed)
    distances = plain_distances(numbers, of.centres, norms)
    table, labels, nearest = np.empty((n, sets)), np.empty(n, dtype=np.int32), np.full(n, np.inf)
    fill_table(records, of, 0, n, True, table)
    np.testing.assert_allclose(table, plain_memberships(distances, fuzzifier), rtol=1e-7, atol=1e-12)
    fill_table(records, of, 0, n, False, table)
    np.testing.assert_allclose(table**2, distances, rtol=1e-9, atol=1e-12)
    find_labels(records, of, 0, n, labels)
    np.testing.assert_allclose(distances[np.arange(n), labels], distances.min(axis=1), rtol=1e-9)
    come_nearer(records, of, 0, n, nearest)
    np.testing.assert_allclose(nearest, distances.min(axis=1), rtol=1e-9, atol=1e-12)


def test_attributes_are_chosen_moved_and_scaled():
    numbers = np.asfortranarray(np.random.default_rng(0).normal(size=(200, 3)))
    records = Records(
        numbers.ravel(order="K"), 1, 200, np.array([2, 0]), np.array([1.0, 2.0]), np.array([3.0, 0.5]), np.ones(1), 0
    )
    table = np.full((200, 1), -1.0)
    fill_table(records, FuzzySets(np.zeros((1, 2)), np.empty((0, 2, 2)), 2.0), 50, 200, False, table)
    moved = (numbers[:, [2, 0]] - [1.0, 2.0]) * [3.0, 0.5]
    np.testing.assert_allclose(table[50:, 0], np.hypot(*moved[50:].T))
    np.testing.assert_array_equal(table[:50], -1.0)
