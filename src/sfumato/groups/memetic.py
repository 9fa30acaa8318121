"""Swaps found by evolution with local search, for goals that no linear program states: TC16's memetic algorithm.

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

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.groups.evolution import Evolution, History, Individual, Memetic
from sfumato.groups.fitness import Fitness, PlaceRestriction, Restriction
from sfumato.groups.influence import Influence
from sfumato.groups.pool import Exchange, make_exchange
from sfumato.kernels.swapping import COMING, LEAVING, improve, mend
from sfumato.progress import Progress, silent
from sfumato.search.crossover import tail_crossover
from sfumato.search.mutation import reset_randomly, swap_two
from sfumato.search.scaling import linear_scaling
from sfumato.search.selection import roulette, tournament
from sfumato.search.survival import survivors

TAIL = 5.0
"""Beyond so many slopes above the centre of the size penalty, less than a hundredth of the fitness is left."""


@dataclass(frozen=True)
class Population:
    """Lists of swaps, padded to the same length."""

    swaps: Counts
    """Lists by swaps by two: records of the pool that leave and come."""
    sizes: Counts
    """How many swaps each list has."""
    costs: Reals
    """Lists by swaps: what each costs, 0 beyond the end."""
    signals: Counts
    """Lists by places."""
    fitness: Reals

    def __getitem__(self, chosen: Counts) -> Population:
        """Return some of them, in this order."""
        return Population(
            self.swaps[chosen], self.sizes[chosen], self.costs[chosen], self.signals[chosen], self.fitness[chosen]
        )

    def __add__(self, other: Population) -> Population:
        """Return both together."""
        return Population(
            np.concatenate([self.swaps, other.swaps]),
            np.concatenate([self.sizes, other.sizes]),
            np.concatenate([self.costs, other.costs]),
            np.concatenate([self.signals, other.signals]),
            np.concatenate([self.fitness, other.fitness]),
        )


@dataclass(frozen=True)
class Task:
    """What evolves, and how."""

    exchange: Exchange
    fitness: Fitness
    settings: Memetic
    longest: int
    """The most swaps that an individual has."""
    rng: np.random.Generator
    taken: Flags
    """Scratch for kernels."""


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
    """Evolve swaps of vital records with candidates, of little distortion, that lead to a signal as it is wanted.

    Parameters
    ----------
    influence
        What swaps cost.
    places
        The place of each record, -1 if it has none.
    vital, candidates
        Who belongs to the group, and who of the others may be exchanged.
    shrinking, growing
        The places that are to have fewer vital records, and those that may have more.
    restrictions
        What is wanted of the signal: membership functions on values of it, or functions of the whole.
    rng
        The source of randomness.
    settings
        How swaps are evolved; default: as in TC16.
    threads
        How many threads; the result does not depend on it.
    progress
        Told the share of generations done.
    """
    settings = settings or Memetic()
    if not restrictions:
        raise SettingError("restrictions: give at least one", hint="without any, to swap nobody is best")
    exchange = make_exchange(
        influence, places, vital, candidates, shrinking=shrinking, growing=growing, threads=threads
    )
    for restriction in restrictions:
        if isinstance(restriction, PlaceRestriction) and not 0 <= restriction.place < exchange.quantity.size:
            raise SettingError(
                f"restrictions: there is no place {restriction.place}",
                hint=f"places have numbers below {exchange.quantity.size}",
            )
    longest = _longest(exchange, settings)
    # TC16 bounds the cost by 23 swaps, more of which would make fitness negative: see ERRATA 004-8
    fitness = Fitness(restrictions, influence.most * longest, settings.centre, settings.slope)
    taken = np.zeros(exchange.records.size, dtype=np.bool_)
    return _evolve(Task(exchange, fitness, settings, longest, rng, taken), progress)


def _longest(exchange: Exchange, settings: Memetic) -> int:
    most = settings.longest or math.ceil(settings.centre + TAIL * settings.slope)
    return min(most, exchange.leaving, exchange.records.size - exchange.leaving)


def _evolve(task: Task, progress: Progress) -> Evolution:
    settings, began = task.settings, time.monotonic()
    population = first_generation(task)
    population = population[survivors(population.fitness, settings.population)]
    told = [_told(population)]
    for generation in range(settings.generations):
        if settings.seconds is not None and time.monotonic() - began > settings.seconds:
            break
        everybody = population + next_children(task, population)
        population = everybody[survivors(everybody.fitness, settings.population)]
        told.append(_told(population))
        progress("evolving swaps", (generation + 1) / settings.generations)
    individuals = tuple(_read(task.exchange, population, number) for number in range(settings.population))
    return Evolution(individuals[0], task.exchange.quantity, History(*np.array(told).T), individuals)


def _told(population: Population) -> tuple[float, float, float]:
    fitness = population.fitness
    return float(fitness.max()), float(fitness.mean()), float(fitness.std())


def first_generation(task: Task) -> Population:
    """Draw lists of different lengths; vital places in proportion to their vital records, others to all of theirs."""
    exchange, rng = task.exchange, task.rng
    sizes = rng.integers(1, task.longest + 1, task.settings.population)
    swaps = np.zeros((sizes.size, task.longest, 2), dtype=np.int64)
    # each vital record as likely, so that places are drawn in proportion to how many they have
    swaps[..., LEAVING] = rng.integers(0, exchange.leaving, swaps.shape[:2])
    weights = exchange.sizes[exchange.places[exchange.shrinking :]]
    homes = exchange.shrinking + rng.choice(weights.size, swaps.shape[:2], p=weights / weights.sum())
    swaps[..., COMING] = rng.integers(exchange.pool.starts[homes], exchange.pool.starts[homes + 1])
    return settle(task, swaps, sizes)


def next_children(task: Task, population: Population) -> Population:
    """Return the children of fit parents: tails exchanged, a little mutated, improved by local search."""
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
            # what is too long is cut off
            sizes[number] = min(len(child), task.longest)
            swaps[number, : sizes[number]] = child[: task.longest]
            mutate(task, swaps[number, : sizes[number]], boost)
    return settle(task, swaps, sizes)


def mutate(task: Task, swaps: Counts, boost: float = 1.0) -> None:
    """Mutate a list of swaps in place, in TC16's four ways; a record may then occur twice."""
    pool, rng = task.exchange.pool, task.rng
    chances = [min(1.0, boost * chance) for chance in task.settings.mutation]
    for column, chance in zip((LEAVING, COMING), chances[:2], strict=True):
        swap_two(swaps[:, column], chance=chance, rng=rng)
    for column, chance in zip((LEAVING, COMING), chances[2:], strict=True):
        homes = pool.homes[swaps[:, column]]
        reset_randomly(swaps[:, column], pool.starts[homes], pool.starts[homes + 1], chance=chance, rng=rng)


def settle(task: Task, swaps: Counts, sizes: Counts) -> Population:
    """Let no record occur twice, improve each swap by local search, and judge the lists.

    Parameters
    ----------
    task
        What evolves.
    swaps, sizes
        (IN, OUT) padded lists of swaps, and how many each has.
    """
    pool, rng = task.exchange.pool, task.rng
    mend(pool, swaps, sizes, rng.random(swaps.shape), task.taken)
    costs = np.zeros(swaps.shape[:2])
    come = rng.random(swaps.shape[:2]) <= task.settings.memetic
    # TC16's step 4 would search for ever, and its step 3 may take a record twice: see ERRATA 004-19
    improve(pool, swaps, sizes, come, costs, task.taken)
    signals = task.exchange.signals(swaps, sizes)
    return Population(swaps, sizes, costs, signals, task.fitness.of(costs.sum(axis=1), sizes, signals))


def _read(exchange: Exchange, population: Population, number: int) -> Individual:
    size = population.sizes[number]
    records = exchange.records[population.swaps[number, :size]]
    return Individual(
        records[:, LEAVING],
        records[:, COMING],
        population.costs[number, :size].copy(),
        population.signals[number].copy(),
        float(population.fitness[number]),
    )
