"""Swaps by evolution with local search, for goals that no linear program can express: TC16's memetic algorithm.

An individual is a list of swaps. TC16 writes it as a matrix of four columns, of which the first and third, the places,
follow from the records in the second and fourth; that a place occurs at most q_i times in the first column follows
from no record occurring twice.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.evolutionary_operators import (
    linear_scaling,
    reset_randomly,
    roulette,
    survivors,
    swap_two,
    tail_crossover,
    tournament,
)
from sfumato.groups.swap.memetic_settings import Evolution, FitnessHistory, Individual, Memetic
from sfumato.groups.swap.swap_cost import Influence
from sfumato.groups.swap.swap_fitness import Fitness, PlaceRestriction, Restriction
from sfumato.groups.swap.swap_pool import SwapParticipants, gather_participants
from sfumato.kernels.swap_lists import COMING, LEAVING, improve, mend
from sfumato.progress import Progress, silent

TAIL = 5.0
"""This many slopes above the centre of the size penalty, less than a hundredth of the fitness is left."""


@dataclass(frozen=True)
class Population:
    """Lists of swaps, padded to the same length."""

    swaps: Counts
    """Lists by swaps by two: records of the pool that leave and come."""
    sizes: Counts
    """The number of swaps of each list."""
    costs: Reals
    """Lists by swaps: the cost of each, 0 beyond the end."""
    signals: Counts
    """Lists by places."""
    fitness: Reals

    def __getitem__(self, chosen: Counts) -> Population:
        """Return some of them, in this order."""
        return Population(
            self.swaps[chosen], self.sizes[chosen], self.costs[chosen], self.signals[chosen], self.fitness[chosen]
        )

    def __add__(self, added: Population) -> Population:
        """Return both together."""
        return Population(
            np.concatenate([self.swaps, added.swaps]),
            np.concatenate([self.sizes, added.sizes]),
            np.concatenate([self.costs, added.costs]),
            np.concatenate([self.signals, added.signals]),
            np.concatenate([self.fitness, added.fitness]),
        )


@dataclass(frozen=True)
class EvolutionTask:
    """The state and settings of an evolution."""

    participants: SwapParticipants
    fitness: Fitness
    settings: Memetic
    longest: int
    """The most swaps of an individual."""
    rng: np.random.Generator
    in_use: Flags
    """Scratch space for kernels."""


def evolve_swaps(
    influence: Influence,
    places: Codes,
    vital: Flags,
    candidates: Flags,
    *,
    shrinking: Collection[int],
    growing: Collection[int],
    restrictions: Sequence[Restriction],
    rng: np.random.Generator,
    settings: Memetic | None = None,
    threads: int | None = None,
    progress: Progress = silent,
) -> Evolution:
    """Evolve swaps of vital records with candidates that distort little and satisfy restrictions on the signal.

    Parameters
    ----------
    influence
        What swaps cost.
    places
        The place of each record, -1 if it has none.
    vital, candidates
        The members of the group, and the other records that may be swapped.
    shrinking, growing
        The places that are to have fewer vital records, and those that may have more.
    restrictions
        Restrictions on the signal: membership functions of single values, or functions of the whole signal.
    rng
        The source of randomness.
    settings
        The settings of the search; default: those of TC16.
    threads
        The number of threads; the result does not depend on it.
    progress
        Called with the share of generations done.
    """
    settings = settings or Memetic()
    if not restrictions:
        raise SettingError(
            "restrictions: give at least one", hint="without any restriction, no swap at all would be best"
        )
    participants = gather_participants(
        influence, places, vital, candidates, shrinking=shrinking, growing=growing, threads=threads
    )
    for restriction in restrictions:
        if isinstance(restriction, PlaceRestriction) and not 0 <= restriction.place < participants.quantity.size:
            raise SettingError(
                f"restrictions: place {restriction.place} does not exist",
                hint=f"place indices are below {participants.quantity.size}",
            )
    longest = _longest(participants, settings)
    # TC16 bounds the cost by 23 swaps, more of which would make fitness negative: see ERRATA 004-8
    fitness = Fitness(restrictions, influence.largest * longest, settings.centre, settings.slope)
    in_use = np.zeros(participants.records.size, dtype=np.bool_)
    return _evolve(EvolutionTask(participants, fitness, settings, longest, rng, in_use), progress)


def _longest(participants: SwapParticipants, settings: Memetic) -> int:
    longest = settings.longest or math.ceil(settings.centre + TAIL * settings.slope)
    return min(longest, participants.leaving, participants.records.size - participants.leaving)


def _evolve(task: EvolutionTask, progress: Progress) -> Evolution:
    settings, began = task.settings, time.monotonic()
    population = first_generation(task)
    population = population[survivors(population.fitness, settings.population)]
    history = [_fitness_summary(population)]
    for generation in range(settings.generations):
        if settings.seconds is not None and time.monotonic() - began > settings.seconds:
            break
        everybody = population + next_children(task, population)
        population = everybody[survivors(everybody.fitness, settings.population)]
        history.append(_fitness_summary(population))
        progress("evolving swaps", (generation + 1) / settings.generations)
    individuals = tuple(_read(task.participants, population, number) for number in range(settings.population))
    return Evolution(individuals[0], task.participants.quantity, FitnessHistory(*np.array(history).T), individuals)


def _fitness_summary(population: Population) -> tuple[float, float, float]:
    fitness = population.fitness
    return float(fitness.max()), float(fitness.mean()), float(fitness.std())


def first_generation(task: EvolutionTask) -> Population:
    """Draw lists of different lengths: shrinking places in proportion to their vital records, growing ones to all."""
    participants, rng = task.participants, task.rng
    sizes = rng.integers(1, task.longest + 1, task.settings.population)
    swaps = np.zeros((sizes.size, task.longest, 2), dtype=np.int64)
    # each vital record is equally likely, so places are drawn in proportion to their number
    swaps[..., LEAVING] = rng.integers(0, participants.leaving, swaps.shape[:2])
    weights = participants.sizes[participants.places[participants.shrinking :]]
    homes = participants.shrinking + rng.choice(weights.size, swaps.shape[:2], p=weights / weights.sum())
    swaps[..., COMING] = rng.integers(participants.pool.starts[homes], participants.pool.starts[homes + 1])
    return settle(task, swaps, sizes)


def next_children(task: EvolutionTask, population: Population) -> Population:
    """Return the children of fit parents: tails swapped, a little mutated, improved by local search."""
    settings, rng = task.settings, task.rng
    # lambda pairs would have twice as many children as live on: see ERRATA 004-19
    pairs = (settings.offspring + 1) // 2
    if settings.selection == "tournament":
        parents = tournament(population.fitness, 2 * pairs, size=settings.tournament, rng=rng)
    else:
        parents = roulette(linear_scaling(population.fitness), 2 * pairs, rng=rng)
    boost = settings.boost if population.fitness.std() < settings.converged else 1.0
    swaps = np.zeros((settings.offspring, task.longest, 2), dtype=np.int64)
    sizes = np.zeros(settings.offspring, dtype=np.int64)
    lists = [population.swaps[number, : population.sizes[number]] for number in parents]
    for pair in range(pairs):
        children = lists[2 * pair].copy(), lists[2 * pair + 1].copy()
        if rng.random() < settings.crossover:
            children = tail_crossover(*children, rng=rng)
        for number, child in enumerate(children[: settings.offspring - 2 * pair], 2 * pair):
            # lists that are too long are cut off
            sizes[number] = min(len(child), task.longest)
            swaps[number, : sizes[number]] = child[: task.longest]
            mutate(task, swaps[number, : sizes[number]], boost)
    return settle(task, swaps, sizes)


def mutate(task: EvolutionTask, swaps: Counts, boost: float = 1.0) -> None:
    """Mutate a list of swaps in place, in TC16's four ways; a record may then occur twice."""
    pool, rng = task.participants.pool, task.rng
    chances = [min(1.0, boost * chance) for chance in task.settings.mutation]
    for column, chance in zip((LEAVING, COMING), chances[:2], strict=True):
        swap_two(swaps[:, column], chance=chance, rng=rng)
    for column, chance in zip((LEAVING, COMING), chances[2:], strict=True):
        homes = pool.homes[swaps[:, column]]
        reset_randomly(swaps[:, column], pool.starts[homes], pool.starts[homes + 1], chance=chance, rng=rng)


def settle(task: EvolutionTask, swaps: Counts, sizes: Counts) -> Population:
    """Remove duplicate records, improve each swap by local search, and compute the fitness.

    Parameters
    ----------
    task
        The evolution.
    swaps, sizes
        (IN, OUT) padded lists of swaps, and the number of swaps of each.
    """
    pool, rng = task.participants.pool, task.rng
    mend(pool, swaps, sizes, rng.random(swaps.shape), task.in_use)
    costs = np.zeros(swaps.shape[:2])
    come = rng.random(swaps.shape[:2]) <= task.settings.memetic
    # TC16's step 4 would search for ever, and its step 3 may take a record twice: see ERRATA 004-19
    improve(pool, swaps, sizes, come, costs, task.in_use)
    signals = task.participants.signals(swaps, sizes)
    return Population(swaps, sizes, costs, signals, task.fitness.of(costs.sum(axis=1), sizes, signals))


def _read(participants: SwapParticipants, population: Population, number: int) -> Individual:
    size = population.sizes[number]
    records = participants.records[population.swaps[number, :size]]
    return Individual(
        records[:, LEAVING],
        records[:, COMING],
        population.costs[number, :size].copy(),
        population.signals[number].copy(),
        float(population.fitness[number]),
    )
