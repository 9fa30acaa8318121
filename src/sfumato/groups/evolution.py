"""How a search by evolution goes about it, and what it found: swaps, and how it got there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator, model_validator

from sfumato.arrays import Counts, Reals
from sfumato.settings import Settings


class Memetic(Settings):
    """How swaps are evolved. The defaults are those of TC16."""

    population: int = Field(default=100, ge=2)
    """How many individuals a generation has."""
    offspring: int = Field(default=40, ge=1)
    """How many children are born in each."""
    generations: int = Field(default=1000, ge=1)
    """How many generations."""
    selection: Literal["tournament", "roulette"] = "tournament"
    """How parents are chosen; roulette: in proportion to fitness, linearly scaled. TC16 scales it for tournaments too,
    which depend on the order alone."""
    tournament: int = Field(default=5, ge=1)
    """Of how many the fittest becomes a parent."""
    crossover: float = Field(default=1.0, ge=0, le=1)
    """How likely two parents exchange their tails."""
    mutation: tuple[float, float, float, float] = (0.001, 0.001, 0.001, 0.001)
    """How likely two leaving records of a child are exchanged, two coming ones, each leaving one is replaced by another
    of its place, each coming one; one number stands for all four."""
    converged: float = Field(default=0.03, ge=0)
    """When the deviation of fitness falls below it, mutation is boosted."""
    boost: float = Field(default=10.0, ge=1)
    """How many times as likely mutations then are."""
    memetic: float = Field(default=0.75, ge=0, le=1)
    """How likely it is that, of a swap, the coming record gives way to the nearest one; else the leaving one does."""
    centre: float = Field(default=25.0, gt=0)
    """With so many swaps, half of the fitness is lost; it should exceed the number of swaps needed."""
    slope: float = Field(default=2.0, gt=0)
    """How many more swaps make it e times worse."""
    longest: int | None = Field(default=None, ge=1)
    """The most swaps that an individual has; default: the centre and five slopes, if there are so many records."""
    seconds: float | None = Field(default=None, gt=0)
    """No generation begins later; default: no limit. What is found then depends on the machine."""

    @field_validator("mutation", mode="before")
    @classmethod
    def _all_four(cls, given: object) -> object:
        return (given,) * 4 if isinstance(given, int | float) else given

    @model_validator(mode="after")
    def _check(self) -> Memetic:
        if not all(0 <= chance <= 1 for chance in self.mutation):
            raise ValueError("mutation: chances lie between 0 and 1")
        if self.selection == "roulette" and "tournament" in self.model_fields_set:
            raise ValueError("tournament: this has no effect with selection = 'roulette'; leave it out")
        return self


@dataclass(frozen=True)
class Individual:
    """A list of swaps: pairs of records that take each other's place."""

    leaving: Counts
    """The vital record of each swap."""
    coming: Counts
    """The candidate that it is exchanged with."""
    costs: Reals
    """The influential metric of each swap."""
    signal: Counts
    """How many vital records each place has afterwards."""
    fitness: float

    @property
    def cost(self) -> float:
        """The influential metric of all swaps."""
        return float(self.costs.sum())


@dataclass(frozen=True)
class History:
    """The fitness of each generation, the first one included."""

    best: Reals
    mean: Reals
    deviation: Reals


@dataclass(frozen=True)
class Evolution:
    """What a search by evolution found."""

    best: Individual
    before: Counts
    """How many vital records each place had."""
    history: History
    population: tuple[Individual, ...]
    """The last generation, the best first."""


@dataclass(frozen=True)
class Validity:
    """How many of the last generation solve the task."""

    valid: int
    individuals: int
    cheapest: Individual | None
    """The valid ones' least cost; None if none is valid."""
    mean_cost: float | None
    """What valid ones cost on average."""


def validity(evolution: Evolution, predicate: Callable[[Counts], bool]) -> Validity:
    """Tell how many of the last generation solve the task, and the cheapest of them.

    Fitness trades distortion for restrictions that are kept only to a degree, so that the fittest need not be valid.

    Parameters
    ----------
    evolution
        What was found.
    predicate
        Whether a signal solves the task: such as that no hidden place is an outlier.
    """
    valid = [swaps for swaps in evolution.population if predicate(swaps.signal.copy())]
    cheapest = min(valid, key=lambda swaps: swaps.cost, default=None)
    mean = sum(swaps.cost for swaps in valid) / len(valid) if valid else None
    return Validity(len(valid), len(evolution.population), cheapest, mean)
