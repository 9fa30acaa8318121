"""Nearest pairs, against the metric itself on all pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.groups.swap.candidate_index import CandidateIndex, units_of
from sfumato.groups.swap.swap_cost import Influence
from sfumato.kernels.nearest_record_tree import LEAF, MIXED, Attributes, nest
from sfumato.kernels.nearest_swaps import CLOSED, UNREACHED, least_distance, measure


def mixed_influence(rng, size):
    ordinal = rng.normal(size=(rng.integers(0, 4), size)).round(rng.integers(0, 3))
    ordinal[rng.random(ordinal.shape) < 0.1] = np.nan
    nominal = rng.integers(-1, rng.integers(1, 5), (rng.integers(0, 4), size)).astype(np.int32)
    swap_classes = rng.integers(0, rng.integers(1, 3), size).astype(np.int32)
    return Influence(ordinal, rng.uniform(0, 2, len(ordinal)), nominal, rng.uniform(0, 2, len(nominal)), swap_classes)


def attributes_of(influence):
    codes = np.vstack([influence.nominal, influence.swap_classes]).astype(np.int32)
    return Attributes(influence.ordinal, influence.omegas, codes, np.append(influence.gammas, np.inf))


@given(st.integers(0, 2**32 - 1), st.integers(1, 500), st.integers(1, 9))
def test_cheapest_are_those_of_comparing_every_pair(seed, size, count):
    rng = np.random.default_rng(seed)
    influence = mixed_influence(rng, size + 20)
    vital, candidates = np.arange(20), 20 + np.flatnonzero(rng.random(size) < 0.9)
    if not candidates.size:
        return
    scale, _ = units_of(influence, 20)
    prices = rng.integers(0, int(scale * max(influence.largest, 1e-9)) + 2, size + 20)
    prices[rng.random(prices.size) < 0.2] = CLOSED
    # some ask for anything, some for a bargain
    limits = np.where(rng.random(20) < 0.5, UNREACHED, 0)
    pairs = CandidateIndex(influence, candidates, rng.integers(0, 3, size + 20).astype(np.int32), scale, 2).cheapest(
        vital, limits, prices, count
    )
    distances = influence.between(vital[:, None], candidates[None, :])
    for record in vital:
        mine = pairs.leaving == record
        coming = pairs.coming[mine]
        assert np.unique(coming).size == coming.size
        expected = influence.between(np.full(coming.size, record), coming)
        # the metric to 1e-12, and what rounding to units makes of it
        np.testing.assert_allclose((pairs.costs[mine] - 1) / scale, expected, rtol=1e-12, atol=0.6 / scale)
        allowed = np.isfinite(distances[record]) & (prices[candidates] != CLOSED)
        paid = np.floor(distances[record][allowed] * scale + 0.5) + 1 - prices[candidates][allowed]
        best = np.sort(paid[paid < limits[record]])[:count]
        reached = pairs.costs[mine] - prices[coming]
        assert (np.diff(reached) >= 0).all()
        # one unit where the last digit of a sum decides
        assert abs(best.size - reached.size) <= ((paid >= limits[record] - 1) & (paid <= limits[record])).sum()
        together = min(best.size, reached.size)
        np.testing.assert_allclose(reached[:together], best[:together], rtol=0, atol=1.1)


@given(st.integers(0, 2**32 - 1), st.integers(1, 300))
def test_distances_are_the_metric_and_no_box_is_nearer_than_its_bound(seed, size):
    rng = np.random.default_rng(seed)
    influence = mixed_influence(rng, size + 1)
    attributes = attributes_of(influence)
    order = np.arange(1, size + 1)
    price_groups = rng.integers(0, rng.integers(1, 4), size + 1).astype(np.int32)
    boxes = nest(attributes, price_groups, order)
    assert sorted(order.tolist()) == list(range(1, size + 1))
    nested = Attributes(
        attributes.ordinal.take(order, axis=1),
        attributes.omegas,
        attributes.codes.take(order, axis=1),
        attributes.gammas,
    )
    distances = np.empty(size)
    numbers, codes = attributes.ordinal[:, 0].copy(), attributes.codes[:, 0].copy()
    measure(numbers, codes, nested, 0, size, distances)
    np.testing.assert_allclose(distances, influence.between(np.zeros(size, dtype=int), order), rtol=1e-12)
    for box, (start, stop) in enumerate(zip(boxes.starts, boxes.stops, strict=True)):
        least = least_distance(numbers, codes, nested, boxes, box)
        assert least <= distances[start:stop].min() * (1 + 1e-14)
        assert stop > start
        if boxes.halves[box] < 0:
            assert stop - start <= LEAF
        else:
            half = boxes.halves[box]
            assert (boxes.starts[half], boxes.stops[half + 1]) == (start, stop)
            assert boxes.stops[half] == boxes.starts[half + 1]
        alike = (nested.codes[:, start:stop] == nested.codes[:, start : start + 1]).all(axis=1)
        np.testing.assert_array_equal(boxes.codes[box], np.where(alike, nested.codes[:, start], MIXED))
