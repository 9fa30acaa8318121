"""What two parents hand on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.search.crossover import tail_crossover, uniform_crossover

lists = st.lists(st.integers(0, 9), max_size=8).map(lambda genes: np.array(genes, dtype=np.int64))


@given(st.integers(0, 2**32), st.integers(1, 12), st.floats(0, 1))
def test_uniform_crossover_keeps_both_genes_of_each_place(seed, length, chance):
    rng = np.random.default_rng(seed)
    ones, others = rng.integers(0, 5, (2, 4, length))
    first, second = uniform_crossover(ones, others, chance=chance, rng=rng)
    assert (np.sort([first, second], axis=0) == np.sort([ones, others], axis=0)).all()


@pytest.mark.parametrize("chance", [0.0, 0.3, 1.0])
def test_uniform_crossover_exchanges_the_share_asked_for(chance):
    ones, others = np.zeros((100, 200)), np.ones((100, 200))
    first, _ = uniform_crossover(ones, others, chance=chance, rng=np.random.default_rng(0))
    assert first.mean() == pytest.approx(chance, abs=0.01)


@given(lists, lists, st.integers(0, 2**32))
def test_tails_are_exchanged_at_points_of_their_own(one, other, seed):
    first, second = tail_crossover(one, other, rng=np.random.default_rng(seed))
    possible = {
        ((*one[:here], *other[there:]), (*other[:there], *one[here:]))
        for here in range(len(one) + 1)
        for there in range(len(other) + 1)
    }
    assert (tuple(first), tuple(second)) in possible


def test_every_pair_of_points_occurs():
    one, other = np.array([0, 1]), np.array([10, 11, 12])
    rng = np.random.default_rng(0)
    seen = {tuple(tail_crossover(one, other, rng=rng)[0].tolist()) for _ in range(1000)}
    assert seen == {(*one[:here].tolist(), *other[there:].tolist()) for here in range(3) for there in range(4)}


def test_rows_are_handed_on_whole():
    one, other = np.arange(8).reshape(4, 2), np.arange(100, 106).reshape(3, 2)
    first, second = tail_crossover(one, other, rng=np.random.default_rng(5))
    assert sorted(map(tuple, [*first, *second])) == sorted(map(tuple, [*one, *other]))
