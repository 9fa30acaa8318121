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
    """Check that no record occurs twice and each is on its side."""
    for rows, size in zip(swaps, sizes, strict=True):
        records = rows[:size].ravel()
        assert len(set(records.tolist())) == records.size
        assert (rows[:size, 0] < exchange.leaving).all()
        assert (rows[:size, 1] >= exchange.leaving).all()


def drawn(exchange, rng, lists=6, longest=9):
    """Lists in which records may occur twice."""
    leaving = rng.integers(0, exchange.leaving, (lists, longest))
    coming = rng.integers(exchange.leaving, exchange.records.size, (lists, longest))
    return np.stack([leaving, coming], axis=2), rng.integers(0, longest + 1, lists)


@given(seeds)
@settings(max_examples=30)
def test_costs_are_those_of_the_metric(seed):
    influence, exchange = small_file(seed)[0], small_exchange(seed)
    for leaving in range(0, exchange.leaving, 3):
        for coming in range(exchange.leaving, exchange.records.size, 3):
            cost = whole(influence, exchange, leaving, coming)
            assert cost_between(exchange.pool, leaving, coming, np.inf) == pytest.approx(cost)
            assert cost_between(exchange.pool, leaving, coming, cost - 0.1) == np.inf


@given(seeds, st.floats(0, 1), st.integers(40, 200))
@settings(max_examples=40)
def test_nearest_free_records_are_those_of_brute_force(seed, share, records):
    influence, exchange = small_file(seed, records=records)[0], small_exchange(seed, records=records)
    pool = exchange.pool
    used = np.random.default_rng(seed).random(exchange.records.size) < share
    ranges = range(pool.starts.size - 1)
    for record in range(exchange.records.size):
        leaves = record < exchange.leaving
        for home in ranges[exchange.shrinking :] if leaves else ranges[: exchange.shrinking]:
            free = [candidate for candidate in range(*pool.starts[home : home + 2]) if not used[candidate]]
            costs = [whole(influence, exchange, record, candidate) for candidate in free]
            nearest = nearest_free(pool, record, home, used)
            if nearest == NONE:
                assert np.isinf(costs).all()
            else:
                assert nearest in free
                assert whole(influence, exchange, record, nearest) == pytest.approx(min(costs))


@given(seeds)
@settings(max_examples=40)
def test_mending_replaces_only_records_that_occur_twice(seed):
    exchange, rng = small_exchange(seed), np.random.default_rng(seed)
    before, sizes_before = drawn(exchange, rng)
    swaps, sizes = before.copy(), sizes_before.copy()
    used = np.zeros(exchange.records.size, dtype=np.bool_)
    mend(exchange.pool, swaps, sizes, rng.random(swaps.shape), used)
    check_lists(exchange, swaps, sizes)
    assert not used.any()
    homes = exchange.pool.homes
    for number in range(len(sizes)):
        if sizes[number] == sizes_before[number]:
            assert (homes[swaps[number, : sizes[number]]] == homes[before[number, : sizes[number]]]).all()
        rows = before[number, : sizes_before[number]]
        if len(set(rows.ravel().tolist())) == rows.size:
            assert sizes[number] == sizes_before[number]
            assert (swaps[number, : sizes[number]] == rows).all()


def test_a_swap_is_dropped_when_its_place_has_no_record_left():
    exchange = small_exchange(0)
    n_vital = int(exchange.pool.starts[1])
    coming = exchange.leaving + np.arange(n_vital + 3)
    swaps = np.stack([np.zeros(n_vital + 3, dtype=np.int64), coming], axis=1)[None]
    sizes = np.array([n_vital + 3])
    mend(exchange.pool, swaps, sizes, np.full(swaps.shape, 0.5), np.zeros(exchange.records.size, dtype=np.bool_))
    # a place occurs in the first column as often as it has vital records, and no more
    assert sizes.tolist() == [n_vital]
    assert sorted(swaps[0, :n_vital, 0]) == list(range(n_vital))


@given(seeds, st.floats(0, 1))
@settings(max_examples=40)
def test_improving_never_costs_more_and_takes_the_nearest(seed, share):
    influence, exchange = small_file(seed)[0], small_exchange(seed)
    rng = np.random.default_rng(seed)
    swaps, sizes = drawn(exchange, rng)
    used = np.zeros(exchange.records.size, dtype=np.bool_)
    mend(exchange.pool, swaps, sizes, rng.random(swaps.shape), used)
    before, sizes_before = swaps.copy(), sizes.copy()
    come, costs = rng.random(swaps.shape[:2]) < share, np.zeros(swaps.shape[:2])
    improve(exchange.pool, swaps, sizes, come, costs, used)
    check_lists(exchange, swaps, sizes)
    assert not used.any()
    for number in range(len(sizes)):
        rows = _improved(influence, exchange, before[number, : sizes_before[number]].tolist(), come[number])
        assert costs[number, : sizes[number]] == pytest.approx(rows)
        assert (costs[number, sizes[number] :] == 0).all()


def _improved(influence, exchange, rows, come):
    """Return the costs after a plain local search; what may not be swapped is left out."""
    starts, homes = exchange.pool.starts, exchange.pool.homes
    for number, row in enumerate(rows):
        side = int(come[number])
        used = {record for swap in rows[:number] + rows[number + 1 :] for record in swap}
        home = homes[row[side]]
        free = [record for record in range(starts[home], starts[home + 1]) if record not in used]
        costs = [whole(influence, exchange, row[1 - side], record) for record in free]
        if min(costs) < np.inf:
            row[side] = free[int(np.argmin(costs))]
    costs = [whole(influence, exchange, *row) for row in rows]
    return [cost for cost in costs if cost < np.inf]
