"""The fewest people moved, against all integer signals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.errors import UnattainableError
from sfumato.groups.proof.known_order_search import OrderedSearch, is_ordered
from sfumato.groups.proof.moment_search import MomentSearch
from sfumato.groups.proof.quantile_search import QuantileSearch
from sfumato.groups.reshape.minimal_moves import MinimalMoves, move_fewest, reshape_least
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.progress import silent
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


def attained(task) -> MinimalMoves | None:
    try:
        found = move_fewest(task)
    except UnattainableError:
        return None
    assert found.counts.sum() == task.total
    assert ((task.bounds[0] <= found.counts) & (found.counts <= task.bounds[1])).all()
    assert task.flagged(found.counts) == ()
    assert found.moved == task.moved(found.counts) >= found.at_least
    return found


def random_task(rng, **settings) -> Reshaping:
    """Draw a task in which a hidden place stands out."""
    while True:
        size = int(rng.integers(4, 7))
        counts = rng.multinomial(rng.integers(6, 14), rng.dirichlet(np.full(size, 0.4)))
        hidden = rng.choice(size, rng.integers(1, 3), replace=False)
        task = Reshaping(counts, hidden, alpha=float(rng.choice([0.01, 0.05, 0.2, 0.5])), **settings)
        if task.flagged(task.counts):
            return task


def random_variant(rng, variant: str) -> Reshaping:
    """Draw a task with fixed places, capacities, shares or differences in which a hidden place stands out."""
    while True:
        task = random_task(rng, robust="mean" not in variant)
        size, more = task.counts.size, {}
        if "fixed" in variant:
            more["fixed"] = rng.choice(task.others, max(task.others.size - 2, 0), replace=False)
        if "capacities" in variant:
            more["capacities"] = task.counts + rng.integers(0, 6, size)
        if "shares" in variant or "differences" in variant:
            more["sizes"] = (task.counts + rng.integers(1, 12, size)).astype(float)
        if "differences" in variant:
            more["subordinate"] = rng.integers(0, 5, size) / more["sizes"]
        task = Reshaping(task.counts, task.hidden, alpha=task.alpha, robust=task.robust, **more)
        if task.flagged(task.counts):
            return task


VARIANTS = ["plain", "fixed", "capacities", "fixed capacities", "shares", "fixed shares", "differences"]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("variant", [*VARIANTS, *(f"mean {variant}" for variant in VARIANTS)])
def test_no_signal_is_nearer_which_is_proven(seed, variant):
    task = random_variant(np.random.default_rng(seed), variant)
    found = attained(task)
    assert (None if found is None else found.moved) == fewest(task)
    assert found is None or found.proven


@pytest.mark.parametrize("seed", range(10, 14))
@pytest.mark.parametrize("variant", [*VARIANTS, "mean plain", "mean fixed capacities"])
@pytest.mark.parametrize("nodes", [1, 2000])
def test_searches_bound_what_all_signals_move(seed, variant, nodes):
    task = random_variant(np.random.default_rng(seed), variant)
    best = fewest(task)
    kinds = [QuantileSearch if task.robust else MomentSearch]
    if task.robust and is_ordered(task, task.total):
        kinds.append(OrderedSearch)
    for kind in kinds:
        search = kind(task, None, nodes=nodes, progress=silent)
        at_least = search.run()
        assert at_least <= (np.inf if best is None else best)
        if search.best is not None:
            assert task.flagged(search.best) == ()
            assert task.moved(search.best) >= best
        # with median and quartiles of counts the bounds meet
        if task.robust and task.sizes is None and nodes > 1:
            assert at_least == (np.inf if best is None else best)


def test_the_quantity_signal():
    task = Reshaping(QUANTITY, [15])
    # the paper's recipe moves 3822
    found = attained(task)
    assert (found.moved, found.at_least) == (2553, 2553)
    found = attained(Reshaping(QUANTITY, [15], robust=False))
    assert (found.moved, found.at_least) == (2248, 2248)


@settings(max_examples=12)
@given(st.lists(st.integers(0, 40), min_size=7, max_size=12), st.integers(60, 500), st.booleans())
def test_invariants(counts, peak, robust):
    counts[0] = peak
    counts[3] = peak // 2
    task = Reshaping(counts, [0, 3], fixed=[1], robust=robust)
    with pytest.MonkeyPatch.context() as patch:
        # what holds does so however early a search ends
        patch.setattr("sfumato.groups.reshape.minimal_moves.MOST_NODES", 200)
        assume(attained(task) is not None)


@pytest.mark.parametrize("robust", [True, False])
def test_many_places_and_people(robust):
    rng = np.random.default_rng(0)
    counts = np.rint(rng.lognormal(3, 1.3, 60)).astype(int)
    hidden = rng.choice(60, 5, replace=False)
    counts[hidden] = rng.integers(500, 3000, 5)
    found = attained(Reshaping(counts, hidden, robust=robust))
    assert found.proven
    assert found.moved < counts[hidden].sum()


def test_a_search_that_ends_early_says_how_few_it_could_be(monkeypatch):
    monkeypatch.setattr("sfumato.groups.reshape.minimal_moves.MOST_NODES", 30)
    found = attained(Reshaping(QUANTITY, [10, 15]))
    assert 1 <= found.at_least < found.moved
    assert not found.proven


def test_progress_is_told_and_stops_at_all():
    told = []
    reshape_least(Reshaping(QUANTITY, [15]), progress=lambda what, share: told.append((what, share)))
    shares = [share for _, share in told]
    assert {what for what, _ in told} == {"reshaping"}
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0


def test_what_does_not_stand_out_stays():
    task = Reshaping(QUANTITY, [0])
    assert reshape_least(task).tolist() == QUANTITY
    assert (move_fewest(task).moved, move_fewest(task).proven) == (0, True)


def test_what_cannot_be_done_says_so():
    labels = tuple("abcdefghijklmnop")
    with pytest.raises(UnattainableError, match="'p' cannot be hidden by moving people at alpha") as error:
        reshape_least(Reshaping(QUANTITY, [15], fixed=range(15), labels=labels))
    assert "all other places are fixed or full" in str(error.value)
