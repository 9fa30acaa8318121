"""Exact swaps: against worked examples and an independent linear program, and their own proof."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.errors import UnattainableError
from sfumato.groups.swap.greedy_swaps import swap_greedily
from sfumato.groups.swap.optimal_swaps import swap_exactly
from sfumato.groups.swap.swap_cost import Influence
from tests.groups.problems import all_pairs, check_swaps, influence_of, least_cost, problem


def toy(golden):
    records = np.array(golden["records"]).T
    places = np.array(golden["region"], dtype=np.int32)
    vital = np.array(golden["vital"], dtype=bool)
    return influence_of(records), places, vital, ~vital, np.array(golden["delta"])


SWAP_TOY = {
    "records": [[0, 0, 0, 0, 0], [1, 1, 0, 0, 1], [1, 0, 0, 0, 0], [0, 0, 1, 1, 0]],
    "region": [0, 0, 1, 1],
    "vital": [1, 1, 0, 0],
    "delta": [-2, 2],
}
TRANSSHIP_TOY = {
    "records": [[0, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 1]],
    "region": [0, 1, 2, 2],
    "vital": [1, 0, 0, 1],
    "delta": [-1, 1, 0],
}


def test_cheapest_pairs_first_are_not_cheapest_together():
    given_toy = toy(SWAP_TOY)
    assert swap_greedily(*given_toy).cost == 6
    swaps = swap_exactly(*given_toy)
    assert swaps.cost == 4
    assert sorted(zip(swaps.leaving.tolist(), swaps.coming.tolist(), strict=True)) == [(0, 3), (1, 2)]


def test_a_third_place_may_make_it_cheaper():
    given_toy = toy(TRANSSHIP_TOY)
    assert swap_greedily(*given_toy).cost == 3
    swaps = swap_exactly(*given_toy)
    assert (swaps.cost, swaps.leaving.size) == (0, 2)
    # without the vital record of the third place, there is the direct way only
    influence, places, vital, candidates, delta = given_toy
    vital = vital & (np.arange(4) != 3)
    assert swap_exactly(influence, places, vital, candidates & (np.arange(4) != 3), delta).cost == 3


def check_proof(swaps, influence, places, vital, candidates, delta):
    ones, others, costs = all_pairs(influence, places, vital, candidates)
    worth = swaps.place_prices
    prices = swaps.record_prices
    assert (prices >= 0).all()
    slack = costs + prices[ones] + prices[others] - (worth[places[others]] - worth[places[ones]])
    assert slack.min(initial=0) >= -1e-9
    assert (worth * delta).sum() - prices.sum() == pytest.approx(swaps.cost, abs=1e-9)
    assert swaps.bound <= swaps.cost + 1e-12
    assert swaps.gap < 1e-9
    assert swaps.optimal


def test_as_cheap_as_a_linear_program_over_all_pairs():
    reached = refused = shortcuts = 0
    for seed in range(400):
        made = problem(seed)
        if made is None:
            continue
        expected = least_cost(*made)
        if expected is None:
            for method in (swap_exactly, swap_greedily):
                with pytest.raises(UnattainableError, match="short"):
                    method(*made)
            refused += 1
            continue
        swaps, greedy = swap_exactly(*made, threads=1), swap_greedily(*made, threads=1)
        check_swaps(swaps, *made)
        check_swaps(greedy, *made)
        check_proof(swaps, *made)
        assert swaps.cost == pytest.approx(expected, abs=1e-9), seed
        assert swaps.cost <= greedy.cost + 1e-9
        assert not greedy.optimal
        reached += 1
        shortcuts += swaps.leaving.size > made[-1][made[-1] > 0].sum()
    # the cases are of all kinds
    assert reached >= 300
    assert refused >= 20
    assert shortcuts >= 20


@settings(max_examples=40)
@given(st.integers(10_000, 20_000))
def test_larger_cases_of_several_boxes(seed):
    made = problem(seed, most=400, classes=1)
    if made is None:
        return
    swaps = swap_exactly(*made)
    check_swaps(swaps, *made)
    check_proof(swaps, *made)


def test_the_same_for_any_number_of_threads():
    rng = np.random.default_rng(1)
    size = 3_000
    influence = influence_of(rng.integers(0, 3, (4, size)))
    places = rng.integers(0, 9, size).astype(np.int32)
    vital = rng.random(size) < 0.3
    delta = np.array([-40, -30, -20, 10, 20, 30, 30, 0, 0])
    found = [swap_exactly(influence, places, vital, ~vital, delta, threads=threads) for threads in (1, 2, 3)]
    for other in found[1:]:
        np.testing.assert_array_equal(found[0].leaving, other.leaving)
        np.testing.assert_array_equal(found[0].coming, other.coming)
        np.testing.assert_array_equal(found[0].record_prices, other.record_prices)


def test_of_equally_dear_swaps_the_fewest():
    size = 600
    places = np.repeat(np.arange(6, dtype=np.int32), 100)
    vital = np.arange(size) % 2 == 0
    delta = np.array([-30, 0, 30, 0, -5, 5])
    swaps = swap_exactly(influence_of(np.zeros((1, size))), places, vital, ~vital, delta)
    assert (swaps.cost, swaps.leaving.size) == (0, 35)


def test_nothing_to_do():
    made = toy(SWAP_TOY)
    swaps = swap_exactly(*made[:4], np.zeros(2, dtype=np.int64))
    assert (swaps.leaving.size, swaps.cost, swaps.gap, swaps.optimal) == (0, 0.0, 0.0, True)
    assert swap_greedily(*made[:4], np.zeros(2, dtype=np.int64)).leaving.size == 0


def test_no_influential_attribute_at_all():
    none = Influence(
        np.zeros((0, 4)), np.ones(0), np.zeros((0, 4), dtype=np.int32), np.ones(0), np.zeros(4, dtype=np.int32)
    )
    made = toy(SWAP_TOY)
    swaps = swap_exactly(none, *made[1:])
    check_swaps(swaps, none, *made[1:])
    assert swaps.cost == 0


def test_progress_ends_at_one():
    told = []
    for method in (swap_exactly, swap_greedily):
        method(*toy(SWAP_TOY), progress=lambda task, share: told.append((task, share)))
        assert told[-1] == ("swapping", 1.0)
        assert all(0 <= share <= 1 for _, share in told)


def test_a_place_without_enough_vital_records():
    influence, places, vital, candidates, _ = toy(SWAP_TOY)
    with pytest.raises(UnattainableError, match="place east must give 3 vital records, but 2 may leave it: 1 short"):
        swap_exactly(influence, places, vital, candidates, np.array([-3, 3]), labels=["east", "west"])


def test_a_place_without_enough_others():
    influence, places, vital, candidates, _ = toy(SWAP_TOY)
    few = candidates & (np.arange(4) != 3)
    with pytest.raises(UnattainableError, match=r"place 1 must get 2 .* but 1 of these may leave it: 1 short"):
        swap_exactly(influence, places, vital, few, np.array([-2, 2]))


def test_changes_that_do_not_balance():
    made = toy(SWAP_TOY)
    with pytest.raises(UnattainableError, match=r"would change by \+1"):
        swap_exactly(*made[:4], np.array([-1, 2]))


def test_what_must_not_change_may_forbid_it():
    golden = np.array(SWAP_TOY["records"]).T
    places, vital = np.array([0, 0, 1, 1], dtype=np.int32), np.array([True, True, False, False])
    influence = influence_of(golden, kept=[0, 1, 0, 0])
    for method in (swap_exactly, swap_greedily):
        with pytest.raises(UnattainableError, match="place a must give 2 vital records: 1 short of records"):
            method(influence, places, vital, ~vital, np.array([-2, 2]), labels="ab")


def test_greedy_that_runs_into_a_dead_end_goes_back():
    # records 0 and 2 are alike, but place 1 takes one vital record only, and record 1 may go nowhere else
    ordinal = np.array([[1.0, 9.0, 1.0, 9.0, 3.0]])
    kept = np.array([0, 1, 0, 1, 0], dtype=np.int32)
    influence = Influence(ordinal, np.ones(1), np.zeros((0, 5), dtype=np.int32), np.ones(0), kept)
    places = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    vital = np.array([True, True, False, False, False])
    delta = np.array([-2, 1, 1])
    greedy = swap_greedily(influence, places, vital, ~vital, delta)
    check_swaps(greedy, influence, places, vital, ~vital, delta)
    assert greedy.cost == pytest.approx(0.25)


def test_greedy_takes_the_cheapest_pair_that_helps_each_time():
    compared = 0
    for seed in range(60):
        made = problem(seed, classes=1)
        if made is None:
            continue
        _, places, vital, candidates, delta = made
        # so that no two pairs cost the same
        ordinal = np.random.default_rng(seed).lognormal(size=(2, places.size))
        none = np.zeros((0, places.size), dtype=np.int32)
        influence = Influence(ordinal, np.ones(2), none, np.ones(0), np.zeros(places.size, dtype=np.int32))
        ones, others, costs = all_pairs(influence, places, vital, candidates)
        expected, left, free = [], delta.copy(), np.ones(places.size, dtype=bool)
        while left.any():
            helps = (left[places[ones]] < 0) & (left[places[others]] > 0) & free[ones] & free[others]
            best = np.flatnonzero(helps)[costs[helps].argmin()]
            expected.append(costs[best])
            free[[ones[best], others[best]]] = False
            left[places[ones[best]]] += 1
            left[places[others[best]]] -= 1
        np.testing.assert_array_equal(swap_greedily(influence, *made[1:]).costs, expected)
        compared += len(expected) > 1
    assert compared > 20


def test_worked_examples_are_those_of_the_papers(pytestconfig):
    path = pytestconfig.rootpath.parent / "shared" / "papers" / "golden.json"
    if not path.exists():
        pytest.skip(f"the worked examples of the papers are not in {path.parent}")
    golden = json.loads(path.read_text())["p004"]
    for ours, theirs in ((SWAP_TOY, "swap_toy"), (TRANSSHIP_TOY, "swap_transship_toy")):
        assert all(golden[theirs][key] == value for key, value in ours.items())
