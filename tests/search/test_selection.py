"""Who becomes a parent."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.search.scaling import linear_scaling
from sfumato.search.selection import roulette, tournament

FITNESS = np.array([0.1, 0.7, 0.3, 0.9, 0.5])


def test_everybody_in_a_tournament_loses_to_the_fittest():
    # each is drawn at least once but for a chance of 5 * 0.8 ** 400
    assert (tournament(FITNESS, 20, size=400, rng=np.random.default_rng(0)) == 3).all()


def test_a_tournament_of_one_is_a_draw():
    found = np.bincount(tournament(FITNESS, 50_000, size=1, rng=np.random.default_rng(0)), minlength=5)
    assert found / 50_000 == pytest.approx(0.2, abs=0.01)


def test_winners_follow_the_law_of_tournaments():
    found = np.bincount(tournament(FITNESS, 100_000, size=2, rng=np.random.default_rng(1)), minlength=5)
    # of two drawn with replacement, the one of rank r (0 the least) wins with (2 r + 1) / 25
    ranks = FITNESS.argsort().argsort()
    assert found / 100_000 == pytest.approx((2 * ranks + 1) / 25, abs=0.006)


def test_scaling_changes_no_tournament():
    fitness = np.random.default_rng(2).random(50)
    plain = tournament(fitness, 500, size=5, rng=np.random.default_rng(3))
    assert (plain == tournament(linear_scaling(fitness), 500, size=5, rng=np.random.default_rng(3))).all()


def test_roulette_draws_in_proportion():
    found = np.bincount(roulette(FITNESS, 100_000, rng=np.random.default_rng(0)), minlength=5)
    assert found / 100_000 == pytest.approx(FITNESS / FITNESS.sum(), abs=0.006)


def test_roulette_without_weights_draws_anybody():
    found = np.bincount(roulette(np.zeros(4), 40_000, rng=np.random.default_rng(0)), minlength=4)
    assert found / 40_000 == pytest.approx(0.25, abs=0.01)
