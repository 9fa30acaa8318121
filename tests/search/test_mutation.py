"""Mutations change what they may, as often as they should."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search.mutation import reset_randomly, swap_two


@given(st.integers(0, 2**32), st.integers(0, 20), st.floats(0, 1))
def test_genes_are_reset_within_their_bounds(seed, length, chance):
    rng = np.random.default_rng(seed)
    low = rng.integers(-5, 5, length)
    high = low + rng.integers(1, 6, length)
    genes = rng.integers(low, high)
    reset_randomly(genes, low, high, chance=chance, rng=rng)
    assert ((low <= genes) & (genes < high)).all()


def test_each_value_is_as_likely_and_so_many_are_reset():
    genes = np.full((100, 1000), 7)
    reset_randomly(genes, 0, 4, chance=0.2, rng=np.random.default_rng(0))
    shares = np.bincount(genes.ravel(), minlength=8) / genes.size
    assert shares == pytest.approx([0.05, 0.05, 0.05, 0.05, 0, 0, 0, 0.8], abs=0.005)


def test_a_part_of_an_array_is_reset_in_place():
    table = np.zeros((50, 2), dtype=np.int64)
    reset_randomly(table[:, 1], 1, 9, chance=1.0, rng=np.random.default_rng(0))
    assert (table[:, 0] == 0).all()
    assert (table[:, 1] > 0).all()


@given(st.integers(0, 2**32), st.integers(0, 10))
def test_exactly_two_genes_take_each_others_place(seed, length):
    table = np.stack([np.arange(length), np.arange(length)], axis=1)
    swap_two(table[:, 0], chance=1.0, rng=np.random.default_rng(seed))
    assert sorted(table[:, 0]) == list(range(length))
    assert (table[:, 0] != table[:, 1]).sum() == (2 if length > 1 else 0)


def test_lists_are_mutated_as_often_as_asked_for():
    rng = np.random.default_rng(0)
    changed = 0
    for _ in range(5000):
        genes = np.arange(4)
        swap_two(genes, chance=0.1, rng=rng)
        changed += int((genes != np.arange(4)).any())
    assert changed / 5000 == pytest.approx(0.1, abs=0.015)
