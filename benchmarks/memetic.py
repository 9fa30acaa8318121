"""Evolution of swaps at TC16's size, and its cost beside the least one for the same signal."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.timing import Row
from sfumato.array_types import Codes, Flags, Reals
from sfumato.fuzzy.shapes import ZShaped
from sfumato.groups.swap.memetic_search import evolve_swaps
from sfumato.groups.swap.memetic_settings import Evolution, Individual, Memetic, validity
from sfumato.groups.swap.swap_cost import Influence
from sfumato.groups.swap.swap_fitness import PlaceRestriction

RECORDS, PLACES = 90_000, 62
CATEGORIES = (2, 9, 5, 12, 4, 24, 10, 6, 40, 12, 8, 60, 20)
"""How many each attribute has."""
TYPES = 60
"""Kinds of people, whose attributes are alike."""
HIDDEN = {4: 14, 28: 13}
"""The vital records of the places to hide: 23 swaps would leave 2 at each, as many as TC16's C_max allows for."""
SECONDS = 60.0
RUNS = 3


def run() -> Iterator[Row]:
    influence, places, vital = _file()
    _evolve(influence, places, vital, 2, 0)  # compiles
    for seed in range(RUNS):
        began = time.perf_counter()
        found = _evolve(influence, places, vital, 1000, seed)
        taken = time.perf_counter() - began
        _tell(found)
        what = f"1,000 generations of swaps, {RECORDS:,} records, {len(CATEGORIES)} attributes, {PLACES} places"
        yield Row(what, taken, "at most", SECONDS, "1", taken <= SECONDS)
        least = least_cost(influence, places, vital, found.best)
        what = "cost of evolved swaps, beside the least of direct swaps to the same signal"
        yield Row(what, found.best.cost, "assignment", least, "1.1", found.best.cost <= 1.1 * least, unit="")


def _evolve(influence: Influence, places: Codes, vital: Flags, generations: int, seed: int) -> Evolution:
    return evolve_swaps(
        influence,
        places,
        vital,
        ~vital,
        shrinking=list(HIDDEN),
        growing=[place for place in range(PLACES) if place not in HIDDEN],
        restrictions=[PlaceRestriction(place, ZShaped(corners=(2, 12))) for place in HIDDEN],
        settings=Memetic(generations=generations),
        rng=np.random.default_rng(seed),
    )


def _tell(found: Evolution) -> None:
    hidden = list(HIDDEN)
    others = int(np.delete(found.before, hidden).max())
    # valid: hidden places no longer stand out
    judged = validity(found, lambda signal: bool((signal[hidden] <= others).all()))
    left = " and ".join(str(found.best.signal[place]) for place in hidden)
    best = f"{len(found.best.costs)} swaps cost {found.best.cost:g} and leave {left}, fitness {found.best.fitness:.4f}"
    print(f"    {best}; {judged.valid} of {judged.individuals} valid")


def _file() -> tuple[Influence, Codes, Flags]:
    rng = np.random.default_rng(1)
    places = rng.choice(PLACES, RECORDS, p=rng.dirichlet(np.full(PLACES, 2.0))).astype(np.int32)
    shares = 1.0 / np.arange(1, TYPES + 1)
    types = rng.choice(TYPES, RECORDS, p=shares / shares.sum())
    nominal = np.empty((len(CATEGORIES), RECORDS), dtype=np.int32)
    for attribute, count in enumerate(CATEGORIES):
        skewed = 1.0 / np.arange(1, count + 1) ** 1.5
        anything = rng.choice(count, RECORDS, p=skewed / skewed.sum())
        typical = rng.integers(0, count, TYPES)[types]
        nominal[attribute] = np.where(rng.random(RECORDS) < 0.6, typical, anything)
    vital = np.zeros(RECORDS, dtype=np.bool_)
    for place in range(PLACES):
        # a rare kind of people, as soldiers are
        there = np.flatnonzero((places == place) & (types >= TYPES // 2))
        vital[rng.choice(there, HIDDEN.get(place, int(rng.integers(0, 6))), replace=False)] = True
    kept = np.zeros(RECORDS, dtype=np.int32)
    return Influence(np.zeros((0, RECORDS)), np.ones(0), nominal, np.ones(len(CATEGORIES)), kept), places, vital


def least_cost(influence: Influence, places: Codes, vital: Flags, swaps: Individual) -> float:
    """Return the least cost of direct swaps that lead to the same signal, by an assignment.

    Who need not leave a place takes a seat of it that costs nothing, and who need not come is taken by a stand-in of
    its place; neither may serve other places. If so many come from a place, only those come into question who are among
    so many nearest to somebody who may leave.
    """
    staying, stand_ins = [], []
    leavers, comers = [], []
    for place, times in zip(*np.unique(places[swaps.leaving], return_counts=True), strict=True):
        leavers.append(np.flatnonzero(vital & (places == place)))
        staying.append(leavers[-1].size - times)
    ones = np.concatenate(leavers)
    for place, times in zip(*np.unique(places[swaps.coming], return_counts=True), strict=True):
        there = np.flatnonzero(~vital & (places == place))
        costs = influence.between(ones[:, None], there[None, :])
        near = np.unique(np.argsort(costs, axis=1, kind="stable")[:, :times])
        comers.append(there[near])
        stand_ins.append(near.size - times)
    others = np.concatenate(comers)
    costs = np.full((ones.size + sum(stand_ins), others.size + sum(staying)), 1e9)
    costs[: ones.size, : others.size] = influence.between(ones[:, None], others[None, :])
    _seat(costs[: ones.size, others.size :], leavers, staying)
    _seat(costs[ones.size :, : others.size].T, comers, stand_ins)
    rows, columns = linear_sum_assignment(costs)
    return float(costs[rows, columns].sum())


def _seat(costs: Reals, members: list[np.ndarray], seats: list[int]) -> None:
    """Let the members of each place take its own seats for nothing; ``costs`` (OUT) is members by seats."""
    first = seat = 0
    for those, count in zip(members, seats, strict=True):
        costs[first : first + those.size, seat : seat + count] = 0.0
        first, seat = first + those.size, seat + count
