"""The flow by itself: any costs, pairs that come in by and by, against a linear program."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from sfumato.groups.swap.swap_flow import SwapFlow

CEILING = 10**6


def least_units(places, delta, leaving, coming, costs):
    """Solve it by HiGHS, with what places lack or have too much at the ceiling's price, as in the flow."""
    pair, size = np.arange(costs.size), delta.size
    once = np.zeros((places.size, costs.size + 2 * size))
    once[leaving, pair] = once[coming, pair] = 1
    changes = np.zeros((size, costs.size + 2 * size))
    np.add.at(changes, (places[coming], pair), 1)
    np.add.at(changes, (places[leaving], pair), -1)
    changes[:, costs.size : costs.size + size] = np.eye(size)
    changes[:, costs.size + size :] = -np.eye(size)
    found = linprog(
        np.concatenate([costs, np.full(2 * size, CEILING)]),
        once,
        np.ones(places.size),
        changes,
        delta,
        bounds=(0, None),
    )
    return found.fun


@pytest.mark.parametrize("seed", range(60))
def test_cheapest_after_each_addition_and_prices_prove_it(seed):
    rng = np.random.default_rng(seed)
    n_places, size = rng.integers(2, 6), 60
    places = rng.integers(0, n_places, size).astype(np.int32)
    delta = rng.integers(-3, 4, n_places)
    delta[0] -= delta.sum()
    leaving, coming = np.divmod(rng.choice(900, rng.integers(10, 400), replace=False), 30)
    coming += 30
    elsewhere = places[leaving] != places[coming]
    leaving, coming = leaving[elsewhere], coming[elsewhere]
    # few different costs make many ties
    costs = rng.integers(0, rng.integers(2, 1000), leaving.size)
    flow = SwapFlow(places, delta, CEILING)
    for stop in (leaving.size // 3, leaving.size):
        start = 0 if stop < leaving.size else leaving.size // 3
        flow.add(leaving[start:stop], coming[start:stop], costs[start:stop])
        flow.minimize()
        prices = flow.prices()
        ones, others = leaving[:stop], coming[:stop]
        assert (prices.of_vital[ones] + costs[:stop] >= prices.of_candidates[others]).all()
        assert (prices.of_vital[:30] >= prices.of_places[places[:30]]).all()
        assert (prices.of_candidates[30:] <= prices.of_places[places[30:]]).all()
        expected = least_units(places, delta, ones, others, costs[:stop])
        used_leaving, used_coming, used_costs = flow.swaps()
        change = np.bincount(places[used_coming], minlength=n_places) - np.bincount(
            places[used_leaving], minlength=n_places
        )
        lacking = np.abs(delta - change).sum()
        assert flow.attained == (lacking == 0)
        assert used_costs.sum() + lacking * CEILING == pytest.approx(expected)
