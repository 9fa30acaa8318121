"""The fewest people moved, against all integer signals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.errors import UnattainableError
from sfumato.groups.least import reshape_least
from sfumato.groups.task import Reshaping
from tests.groups.signals import QUANTITY


def all_signals(total, size):
    for bars in itertools.combinations(range(total + size - 1), size - 1):
        edges = np.array((-1, *bars, total + size - 1))
        yield np.diff(edges) - 1


def fewest(task) -> int | None:
    """Look at all counts with the total, those that move fewer people first."""
    least, most = task.bounds
    allowed = (one for one in all_signals(task.total, task.counts.size) if ((least <= one) & (one <= most)).all())
    ranked = sorted(allowed, key=task.moved)
    return next((task.moved(one) for one in ranked if not task.flagged(one)), None)


def attained(task) -> int | None:
    try:
        found = reshape_least(task)
    except UnattainableError:
        return None
    assert found.sum() == task.total
    assert ((task.bounds[0] <= found) & (found <= task.bounds[1])).all()
    assert task.flagged(found) == ()
    return task.moved(found)


def random_task(rng, **settings) -> Reshaping:
    """Draw a task in which a hidden place stands out."""
    while True:
        size = int(rng.integers(4, 7))
        counts = rng.multinomial(rng.integers(6, 14), rng.dirichlet(np.full(size, 0.4)))
        hidden = rng.choice(size, rng.integers(1, 3), replace=False)
        task = Reshaping(counts, hidden, alpha=float(rng.choice([0.01, 0.05, 0.2, 0.5])), **settings)
        if task.flagged(task.counts):
            return task


@pytest.mark.parametrize("seed", range(40))
def test_no_signal_is_nearer(seed):
    task = random_task(np.random.default_rng(seed))
    assert attained(task) == fewest(task)


@pytest.mark.parametrize("seed", range(12))
def test_no_signal_is_nearer_with_fixed_places_and_capacities(seed):
    rng = np.random.default_rng(seed + 1000)
    while True:
        task = random_task(rng)
        if task.counts.size <= 5 and task.others.size > 1:
            break
    fixed = task.others[:1].tolist()
    capacities = task.counts + rng.integers(0, 6, task.counts.size)
    task = Reshaping(task.counts, task.hidden, fixed=fixed, capacities=capacities, alpha=task.alpha)
    assert attained(task) == fewest(task)


def test_mean_and_deviation_are_near_the_best():
    rng = np.random.default_rng(7)
    tasks = [random_task(rng, robust=False) for _ in range(30)]
    pairs = [(attained(task), fewest(task)) for task in tasks]
    assert all((ours is None) == (best is None) for ours, best in pairs)
    known = [(ours, best) for ours, best in pairs if best is not None]
    assert all(ours >= best for ours, best in known)
    # not proven best, and now and then it is not
    assert sum(ours == best for ours, best in known) >= 0.7 * len(known)


def test_the_quantity_signal():
    task = Reshaping(QUANTITY, [15])
    assert task.moved(reshape_least(task)) == 2553
    # the paper's recipe moves 3822
    task = Reshaping(QUANTITY, [15], robust=False)
    assert task.moved(reshape_least(task)) <= 2291


@settings(max_examples=25)
@given(st.lists(st.integers(0, 40), min_size=7, max_size=12), st.integers(60, 500), st.booleans())
def test_invariants(counts, peak, robust):
    counts[0] = peak
    counts[3] = peak // 2
    task = Reshaping(counts, [0, 3], fixed=[1], robust=robust)
    assume(attained(task) is not None)


def test_many_places_and_people():
    rng = np.random.default_rng(0)
    counts = np.rint(rng.lognormal(3, 1.3, 60)).astype(int)
    hidden = rng.choice(60, 5, replace=False)
    counts[hidden] = rng.integers(500, 3000, 5)
    moved = attained(Reshaping(counts, hidden))
    assert moved is not None
    assert moved < counts[hidden].sum()


def test_what_does_not_stand_out_stays():
    task = Reshaping(QUANTITY, [0])
    assert reshape_least(task).tolist() == QUANTITY


def test_what_cannot_be_done_says_so():
    labels = tuple("abcdefghijklmnop")
    with pytest.raises(UnattainableError, match="'p' cannot be hidden by moving people at alpha") as error:
        reshape_least(Reshaping(QUANTITY, [15], fixed=range(15), labels=labels))
    assert "all other places are fixed or full" in str(error.value)
