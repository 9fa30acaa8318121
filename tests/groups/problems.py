"""Small swapping problems, and what they cost by an independent linear program over all pairs."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from sfumato.groups.swap.swap_cost import Influence


def influence_of(records, kept=None):
    """Take attributes x records as categories, each of which costs one."""
    codes = np.asarray(records, dtype=np.int32)
    kept = np.zeros(codes.shape[1], dtype=np.int32) if kept is None else np.asarray(kept, dtype=np.int32)
    return Influence(np.zeros((0, codes.shape[1])), np.ones(0), codes, np.ones(codes.shape[0]), kept)


def problem(seed, most=60, classes=3):
    """Make a problem with ties, missing values and records without a place; None if numbers alone forbid it."""
    rng = np.random.default_rng(seed)
    size, n_places = rng.integers(8, most), rng.integers(2, 7)
    places = rng.integers(-1, n_places, size).astype(np.int32)
    vital = rng.random(size) < rng.uniform(0.2, 0.6)
    candidates = rng.random(size) < 0.9
    ordinal = rng.integers(-2, 4, (rng.integers(0, 3), size)).astype(float)
    if seed % 3:
        ordinal += rng.random(ordinal.shape)
    ordinal[rng.random(ordinal.shape) < 0.1] = np.nan
    nominal = rng.integers(-1, 3, (rng.integers(0, 4), size)).astype(np.int32)
    kept = rng.integers(0, rng.integers(1, classes + 1), size).astype(np.int32)
    omegas, gammas = rng.uniform(0.5, 1.5, len(ordinal)), rng.integers(0, 3, len(nominal)).astype(float)
    influence = Influence(ordinal, omegas, nominal, gammas, kept)
    gives = np.bincount(places[vital & (places >= 0)], minlength=n_places)
    takes = np.bincount(places[candidates & ~vital & (places >= 0)], minlength=n_places)
    delta = rng.integers(-np.minimum(gives, 4), np.minimum(takes, 4) + 1)
    over = delta.sum()
    for place in rng.permutation(n_places):
        change = np.clip(-over, -gives[place] - delta[place], takes[place] - delta[place])
        delta[place] += change
        over += change
    return None if over else (influence, places, vital, candidates, delta)


def all_pairs(influence, places, vital, candidates):
    ones, others = np.meshgrid(
        np.flatnonzero(vital & (places >= 0)), np.flatnonzero(candidates & ~vital & (places >= 0)), indexing="ij"
    )
    ones, others = ones.ravel(), others.ravel()
    costs = influence.between(ones, others)
    allowed = (places[ones] != places[others]) & np.isfinite(costs)
    return ones[allowed], others[allowed], costs[allowed]


def least_cost(influence, places, vital, candidates, delta):
    """Return the cost by HiGHS, None if the changes cannot be reached."""
    ones, others, costs = all_pairs(influence, places, vital, candidates)
    if not costs.size:
        return None if delta.any() else 0.0
    pair = np.arange(costs.size)
    once = np.zeros((places.size, costs.size))
    once[ones, pair] = once[others, pair] = 1
    changes = np.zeros((delta.size, costs.size))
    np.add.at(changes, (places[others], pair), 1)
    np.add.at(changes, (places[ones], pair), -1)
    found = linprog(costs, once, np.ones(places.size), changes, delta, bounds=(0, 1))
    return found.fun if found.status == 0 else None


def check_swaps(swaps, influence, places, vital, candidates, delta):
    """Check that swaps are allowed and change places as wanted."""
    both = np.concatenate([swaps.leaving, swaps.coming])
    assert np.unique(both).size == both.size
    assert vital[swaps.leaving].all()
    assert (candidates & ~vital)[swaps.coming].all()
    assert (places[both] >= 0).all()
    assert (places[swaps.leaving] != places[swaps.coming]).all()
    assert (influence.swap_classes[swaps.leaving] == influence.swap_classes[swaps.coming]).all()
    np.testing.assert_array_equal(swaps.costs, influence.between(swaps.leaving, swaps.coming))
    after = places.copy()
    after[swaps.leaving], after[swaps.coming] = places[swaps.coming], places[swaps.leaving]
    counts = [np.bincount(codes[vital & (codes >= 0)], minlength=delta.size) for codes in (places, after)]
    np.testing.assert_array_equal(counts[1] - counts[0], delta)
