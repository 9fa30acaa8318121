"""Operators of evolutionary algorithms: selection, crossover, mutation, survival."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.evolutionary_operators import (
    linear_scaling,
    reset_randomly,
    roulette,
    survivors,
    swap_two,
    tail_crossover,
    tournament,
    uniform_crossover,
)

FITNESS = np.array([0.1, 0.7, 0.3, 0.9, 0.5])
fitnesses = st.lists(st.floats(0, 100, allow_subnormal=False), min_size=2, max_size=30).map(np.array)
gene_lists = st.lists(st.integers(0, 9), max_size=8).map(lambda genes: np.array(genes, dtype=np.int64))


@given(fitnesses, st.floats(1.1, 3.0))
def test_scaling_keeps_mean_and_order_and_is_never_negative(fitness, multiple):
    scaled = linear_scaling(fitness, multiple=multiple)
    assert scaled.mean() == pytest.approx(fitness.mean(), rel=1e-6, abs=1e-9)
    assert scaled.min() >= 0
    assert (np.diff(scaled[np.argsort(fitness)]) >= -1e-9).all()


@given(fitnesses)
def test_the_fittest_gets_twice_the_mean_unless_the_least_fit_gets_nothing(fitness):
    if np.ptp(fitness) > 1e-3:
        scaled = linear_scaling(fitness)
        assert scaled.max() == pytest.approx(2 * fitness.mean()) or scaled.min() == pytest.approx(0.0, abs=1e-9)
        assert scaled.max() <= 2 * fitness.mean() * (1 + 1e-9)


def test_scaling_leaves_equal_fitness_unchanged():
    assert linear_scaling(np.full(3, 0.4)).tolist() == [0.4, 0.4, 0.4]


def test_the_fittest_wins_every_large_tournament():
    # each individual takes part at least once, except with probability 5 * 0.8 ** 400
    assert (tournament(FITNESS, 20, size=400, rng=np.random.default_rng(0)) == 3).all()


def test_a_tournament_of_one_is_a_uniform_draw():
    wins = np.bincount(tournament(FITNESS, 50_000, size=1, rng=np.random.default_rng(0)), minlength=5)
    assert wins / 50_000 == pytest.approx(0.2, abs=0.01)


def test_frequencies_of_tournament_winners():
    wins = np.bincount(tournament(FITNESS, 100_000, size=2, rng=np.random.default_rng(1)), minlength=5)
    # of two drawn with replacement, the individual of rank r (0 is the least fit) wins with probability (2 r + 1) / 25
    ranks = FITNESS.argsort().argsort()
    assert wins / 100_000 == pytest.approx((2 * ranks + 1) / 25, abs=0.006)


def test_scaling_does_not_change_tournaments():
    fitness = np.random.default_rng(2).random(50)
    unscaled = tournament(fitness, 500, size=5, rng=np.random.default_rng(3))
    assert (unscaled == tournament(linear_scaling(fitness), 500, size=5, rng=np.random.default_rng(3))).all()


def test_roulette_draws_in_proportion_to_weights():
    draws = np.bincount(roulette(FITNESS, 100_000, rng=np.random.default_rng(0)), minlength=5)
    assert draws / 100_000 == pytest.approx(FITNESS / FITNESS.sum(), abs=0.006)


def test_roulette_with_zero_weights_draws_uniformly():
    draws = np.bincount(roulette(np.zeros(4), 40_000, rng=np.random.default_rng(0)), minlength=4)
    assert draws / 40_000 == pytest.approx(0.25, abs=0.01)


@given(st.integers(0, 2**32), st.integers(1, 12), st.floats(0, 1))
def test_uniform_crossover_passes_on_both_genes_at_every_position(seed, length, chance):
    rng = np.random.default_rng(seed)
    mothers, fathers = rng.integers(0, 5, (2, 4, length))
    first, second = uniform_crossover(mothers, fathers, chance=chance, rng=rng)
    assert (np.sort([first, second], axis=0) == np.sort([mothers, fathers], axis=0)).all()


@pytest.mark.parametrize("chance", [0.0, 0.3, 1.0])
def test_uniform_crossover_exchanges_the_expected_share(chance):
    mothers, fathers = np.zeros((100, 200)), np.ones((100, 200))
    first, _ = uniform_crossover(mothers, fathers, chance=chance, rng=np.random.default_rng(0))
    assert first.mean() == pytest.approx(chance, abs=0.01)


@given(gene_lists, gene_lists, st.integers(0, 2**32))
def test_tails_are_exchanged_at_independent_cuts(mother, father, seed):
    first, second = tail_crossover(mother, father, rng=np.random.default_rng(seed))
    possible = {
        ((*mother[:cut], *father[father_cut:]), (*father[:father_cut], *mother[cut:]))
        for cut in range(len(mother) + 1)
        for father_cut in range(len(father) + 1)
    }
    assert (tuple(first), tuple(second)) in possible


def test_every_pair_of_cuts_occurs():
    mother, father = np.array([0, 1]), np.array([10, 11, 12])
    rng = np.random.default_rng(0)
    children = {tuple(tail_crossover(mother, father, rng=rng)[0].tolist()) for _ in range(1000)}
    assert children == {(*mother[:i].tolist(), *father[j:].tolist()) for i in range(3) for j in range(4)}


def test_tail_crossover_keeps_rows_intact():
    mother, father = np.arange(8).reshape(4, 2), np.arange(100, 106).reshape(3, 2)
    first, second = tail_crossover(mother, father, rng=np.random.default_rng(5))
    assert sorted(map(tuple, [*first, *second])) == sorted(map(tuple, [*mother, *father]))


@given(st.integers(0, 2**32), st.integers(0, 20), st.floats(0, 1))
def test_genes_are_reset_within_their_bounds(seed, length, chance):
    rng = np.random.default_rng(seed)
    low = rng.integers(-5, 5, length)
    high = low + rng.integers(1, 6, length)
    genes = rng.integers(low, high)
    reset_randomly(genes, low, high, chance=chance, rng=rng)
    assert ((low <= genes) & (genes < high)).all()


def test_the_expected_share_of_genes_is_reset_uniformly():
    genes = np.full((100, 1000), 7)
    reset_randomly(genes, 0, 4, chance=0.2, rng=np.random.default_rng(0))
    shares = np.bincount(genes.ravel(), minlength=8) / genes.size
    assert shares == pytest.approx([0.05, 0.05, 0.05, 0.05, 0, 0, 0, 0.8], abs=0.005)


def test_a_view_of_an_array_is_reset_in_place():
    table = np.zeros((50, 2), dtype=np.int64)
    reset_randomly(table[:, 1], 1, 9, chance=1.0, rng=np.random.default_rng(0))
    assert (table[:, 0] == 0).all()
    assert (table[:, 1] > 0).all()


@given(st.integers(0, 2**32), st.integers(0, 10))
def test_exactly_two_genes_are_exchanged(seed, length):
    table = np.stack([np.arange(length), np.arange(length)], axis=1)
    swap_two(table[:, 0], chance=1.0, rng=np.random.default_rng(seed))
    assert sorted(table[:, 0]) == list(range(length))
    assert (table[:, 0] != table[:, 1]).sum() == (2 if length > 1 else 0)


def test_the_expected_share_of_lists_is_mutated():
    rng = np.random.default_rng(0)
    n_changed = 0
    for _ in range(5000):
        genes = np.arange(4)
        swap_two(genes, chance=0.1, rng=rng)
        n_changed += int((genes != np.arange(4)).any())
    assert n_changed / 5000 == pytest.approx(0.1, abs=0.015)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=20), st.data())
def test_the_fittest_survive_and_ties_keep_their_order(fitness, data):
    count = data.draw(st.integers(1, len(fitness)))
    surviving = survivors(np.array(fitness, dtype=float), count)
    expected = sorted(range(len(fitness)), key=lambda index: (-fitness[index], index))[:count]
    assert surviving.tolist() == expected
