"""What a search by evolution found: swaps, and how it got there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sfumato.arrays import Counts, Reals


@dataclass(frozen=True)
class Swaps:
    """Pairs of records that take each other's place."""

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

    best: Swaps
    before: Counts
    """How many vital records each place had."""
    history: History
    population: tuple[Swaps, ...]
    """The last generation, the best first."""


@dataclass(frozen=True)
class Validity:
    """How many of the last generation solve the task."""

    valid: int
    individuals: int
    cheapest: Swaps | None
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
