"""Swaps of records against brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.kernels.swap_lists import NONE, cost_between, improve, mend, nearest_free
from tests.groups.exchanges import small_exchange, small_file, whole

seeds = st.integers(0, 2**20)


def check_lists(exchange, swaps, sizes):
    """No record twice, everyone on its own side."""
    for rows, size in zip(swaps, sizes, strict=True):
        records = rows[:size].ravel()
        assert len(set(records.tolist())) == records.size
        assert (rows[:size, 0] < exchange.leaving).all()
        assert (rows[:size, 1] >= exchange.leaving).all()


def drawn(exchange, rng, lists=6, longest=9):
    """Lists in which records may occur twice."""
    ones = rng.integers(0, exchange.leaving, (lists, longest))
    others = rng.integers(exchange.leaving, exchange.records.size, (lists, longest))
    return np.stack([ones, others], axis=2), rng.integers(0, longest + 1, lists)


@given(seeds)
@settings(max_examples=30)
def test_costs_are_those_of_the_metric(seed):
    influence, exchange = small_file(seed)[0], small_exchange(seed)
    for one in range(0, exchange.leaving, 3):
        for other in range(exchange.leaving, exchange.records.size, 3):
            cost = whole(influence, exchange, one, other)
            assert cost_between(exchange.pool, one, other, np.inf) == pytest.approx(cost)
            assert cost_between(exchange.pool, one, other, cost - 0.1) == np.inf


@given(seeds, st.floats(0, 1), st.integers(40, 200))
@settings(max_examples=40)
def test_nearest_free_records_are_those_of_brute_force(seed, share, records):
    influence, exchange = small_file(seed, records=records)[0], small_exchange(seed, records=records)
    pool = exchange.pool
    taken = np.random.default_rng(seed).random(exchange.records.size) < share
    ranges = range(pool.starts.size - 1)
    for record in range(exchange.records.size):
        leaves = record < exchange.leaving
        for home in ranges[exchange.shrinking :] if leaves else ranges[: exchange.shrinking]:
            free = [other for other in range(*pool.starts[home : home + 2]) if not taken[other]]
            costs = [whole(influence, exchange, record, other) for other in free]
            found = nearest_free(pool, record, home, taken)
            if found == NONE:
                assert np.isinf(costs).all()
            else:
                assert found in free
                assert whole(influence, exchange, record, found) == pytest.approx(min(costs))


@given(seeds)
@settings(max_examples=40)
def test_mending_replaces_only_records_that_occur_twice(seed):
    exchange, rng = small_exchange(seed), np.random.default_rng(seed)
    before, sizes_before = drawn(exchange, rng)
    swaps, sizes = before.copy(), sizes_before.copy()
    taken = np.zeros(exchange.records.size, dtype=np.bool_)
    mend(exchange.pool, swaps, sizes, rng.random(swaps.shape), taken)
    check_lists(exchange, swaps, sizes)
    assert not taken.any()
    homes = exchange.pool.homes
    for number in range(len(sizes)):
        if sizes[number] == sizes_before[number]:
            assert (homes[swaps[number, : sizes[number]]] == homes[before[number, : sizes[number]]]).all()
        rows = before[number, : sizes_before[number]]
        if len(set(rows.ravel().tolist())) == rows.size:
            assert sizes[number] == sizes_before[number]
            assert (swaps[number, : sizes[number]] == rows).all()


def test_a_swap_is_left_out_when_its_place_has_nobody_left():
    exchange = small_exchange(0)
    there = int(exchange.pool.starts[1])
    others = exchange.leaving + np.arange(there + 3)
    swaps = np.stack([np.zeros(there + 3, dtype=np.int64), others], axis=1)[None]
    sizes = np.array([there + 3])
    mend(exchange.pool, swaps, sizes, np.full(swaps.shape, 0.5), np.zeros(exchange.records.size, dtype=np.bool_))
    # a place occurs in the first column as often as it has vital records, and no more
    assert sizes.tolist() == [there]
    assert sorted(swaps[0, :there, 0]) == list(range(there))


@given(seeds, st.floats(0, 1))
@settings(max_examples=40)
def test_improving_never_costs_more_and_takes_the_nearest(seed, share):
    influence, exchange = small_file(seed)[0], small_exchange(seed)
    rng = np.random.default_rng(seed)
    swaps, sizes = drawn(exchange, rng)
    taken = np.zeros(exchange.records.size, dtype=np.bool_)
    mend(exchange.pool, swaps, sizes, rng.random(swaps.shape), taken)
    before, sizes_before = swaps.copy(), sizes.copy()
    come, costs = rng.random(swaps.shape[:2]) < share, np.zeros(swaps.shape[:2])
    improve(exchange.pool, swaps, sizes, come, costs, taken)
    check_lists(exchange, swaps, sizes)
    assert not taken.any()
    for number in range(len(sizes)):
        rows = _improved(influence, exchange, before[number, : sizes_before[number]].tolist(), come[number])
        assert costs[number, : sizes[number]] == pytest.approx(rows)
        assert (costs[number, sizes[number] :] == 0).all()


def _improved(influence, exchange, rows, come):
    """Return the costs after a plain local search; what may not be swapped is left out."""
    starts, homes = exchange.pool.starts, exchange.pool.homes
    for number, row in enumerate(rows):
        side = int(come[number])
        others = {record for other in rows[:number] + rows[number + 1 :] for record in other}
        home = homes[row[side]]
        free = [record for record in range(starts[home], starts[home + 1]) if record not in others]
        costs = [whole(influence, exchange, row[1 - side], record) for record in free]
        if min(costs) < np.inf:
            row[side] = free[int(np.argmin(costs))]
    costs = [whole(influence, exchange, *row) for row in rows]
    return [cost for cost in costs if cost < np.inf]
