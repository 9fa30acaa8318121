"""The settings and results of the memetic search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pydantic import Field, field_validator, model_validator

from sfumato.array_types import Counts, Reals
from sfumato.errors import SettingError
from sfumato.settings import Settings


class Memetic(Settings):
    """The settings of the memetic search for swaps. The defaults are those of TC16."""

    population: int = Field(default=100, ge=2)
    """The number of individuals in a generation."""
    offspring: int = Field(default=40, ge=1)
    """The number of children per generation."""
    generations: int = Field(default=1000, ge=1)
    """The number of generations."""
    selection: Literal["tournament", "roulette"] = "tournament"
    """How parents are chosen; "roulette" chooses in proportion to linearly scaled fitness. TC16 also scales it for
    tournaments, which depend on the order alone."""
    tournament: int = Field(default=5, ge=1)
    """The number of individuals in a tournament; the fittest becomes a parent."""
    crossover: float = Field(default=1.0, ge=0, le=1)
    """The probability that two parents swap their tails."""
    mutation: tuple[float, float, float, float] = (0.001, 0.001, 0.001, 0.001)
    """Four probabilities: that two leaving records of a child are swapped, that two coming ones are, that each
    leaving record is replaced by another of its place, and each coming one; a single number applies to all four."""
    converged: float = Field(default=0.03, ge=0)
    """Mutation is boosted when the deviation of fitness falls below this."""
    boost: float = Field(default=10.0, ge=1)
    """The factor by which boosted mutations are more likely."""
    memetic: float = Field(default=0.75, ge=0, le=1)
    """The probability that local search replaces the coming record of a swap by the nearest one, instead of the leaving
    one."""
    centre: float = Field(default=25.0, gt=0)
    """The number of swaps at which half of the fitness is lost; it should exceed the number of swaps needed."""
    slope: float = Field(default=2.0, gt=0)
    """The number of additional swaps that reduces the odds of fitness by a factor e."""
    longest: int | None = Field(default=None, ge=1)
    """The most swaps of an individual; default: the centre plus five slopes, limited by the records."""
    seconds: float | None = Field(default=None, gt=0)
    """No generation starts after this time; default: no limit. With a limit, results depend on the machine."""

    @field_validator("mutation", mode="before")
    @classmethod
    def _all_four(cls, value: object) -> object:
        return (value,) * 4 if isinstance(value, int | float) else value

    @model_validator(mode="after")
    def _check(self) -> Memetic:
        if not all(0 <= chance <= 1 for chance in self.mutation):
            raise SettingError("mutation: probabilities must be between 0 and 1", setting="mutation")
        if self.selection == "roulette" and "tournament" in self.model_fields_set:
            raise SettingError(
                "tournament: this has no effect with selection = 'roulette'; leave it out", setting="tournament"
            )
        return self


@dataclass(frozen=True)
class Individual:
    """A list of swaps: pairs of records that swap places."""

    leaving: Counts
    """The vital record of each swap."""
    coming: Counts
    """The candidate of each swap."""
    costs: Reals
    """The influential metric of each swap."""
    signal: Counts
    """The number of vital records of each place afterwards."""
    fitness: float

    @property
    def cost(self) -> float:
        """The sum of the influential metric over all swaps."""
        return float(self.costs.sum())


@dataclass(frozen=True)
class FitnessHistory:
    """The fitness of each generation, the first one included."""

    best: Reals
    mean: Reals
    deviation: Reals


@dataclass(frozen=True)
class Evolution:
    """The result of a memetic search."""

    best: Individual
    before: Counts
    """The number of vital records of each place before."""
    history: FitnessHistory
    population: tuple[Individual, ...]
    """The last generation, the best first."""


@dataclass(frozen=True)
class ValidIndividuals:
    """The individuals of the last generation that solve the task."""

    valid: int
    individuals: int
    cheapest: Individual | None
    """The valid individual of least cost; None if none is valid."""
    mean_cost: float | None
    """The mean cost of valid individuals."""


def validity(evolution: Evolution, predicate: Callable[[Counts], bool]) -> ValidIndividuals:
    """Count the individuals of the last generation that solve the task, and find the cheapest.

    Fitness trades distortion for restrictions that are satisfied only to a degree, so the fittest need not be valid.

    Parameters
    ----------
    evolution
        The result of the search.
    predicate
        Says whether a signal solves the task, for example that no hidden place is an outlier.
    """
    valid = [swaps for swaps in evolution.population if predicate(swaps.signal.copy())]
    cheapest = min(valid, key=lambda swaps: swaps.cost, default=None)
    mean = sum(swaps.cost for swaps in valid) / len(valid) if valid else None
    return ValidIndividuals(len(valid), len(evolution.population), cheapest, mean)
