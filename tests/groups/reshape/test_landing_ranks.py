"""Hidden places land at drawn ranks, and the total and the bounds are kept."""

from __future__ import annotations

import numpy as np

from sfumato.groups.reshape.initial_solution import initial_counts
from sfumato.groups.reshape.landing_ranks import with_drawn_ranks
from sfumato.groups.reshaping_problem import Reshaping

HOUSES = [24, 13, 153, 31, 16, 5, 70, 14, 205, 42, 16, 33, 13, 179, 18, 23, 78, 40, 60, 12]


def landed(seed: int, task: Reshaping) -> np.ndarray:
    counts = initial_counts(task)
    assert counts is not None
    return with_drawn_ranks(task, counts, np.random.default_rng(seed), task.hides)


def test_ranks_differ_from_secret_to_secret() -> None:
    task = Reshaping(HOUSES, hidden=(8,), panel=True)
    ranks = []
    for seed in range(12):
        counts = landed(seed, task)
        assert counts.sum() == task.total
        assert task.hides(counts)
        ranks.append(int((counts > counts[8]).sum()))
    # never among the highest third, and not always the same
    assert min(ranks) >= 6
    assert len(set(ranks)) >= 4


def test_low_places_land_among_others_too() -> None:
    counts = np.array([60, 55, 62, 58, 57, 61, 59, 63, 56, 2, 60, 58])
    task = Reshaping(counts, hidden=(9,), capacities=np.full(12, 80), panel=True)
    after = landed(3, task)
    assert task.hides(after)
    assert (after < after[9]).sum() >= 3
    assert (after <= 80).all()


def test_counts_stay_where_nothing_drawn_hides() -> None:
    task = Reshaping(HOUSES, hidden=(8,), panel=True)
    counts = initial_counts(task)
    assert counts is not None
    after = with_drawn_ranks(task, counts, np.random.default_rng(0), lambda _: False)
    assert after.tolist() == counts.tolist()
