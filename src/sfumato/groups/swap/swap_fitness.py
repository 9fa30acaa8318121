"""The fitness of a list of swaps: little distortion, a signal within restrictions, few swaps."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy import Shape
from sfumato.kernels.elementary_functions import exponentials


@dataclass(frozen=True)
class PlaceRestriction:
    """A fuzzy restriction on one value of the signal.

    Examples
    --------
    >>> from sfumato.fuzzy.shapes import ZShaped
    >>> few = PlaceRestriction(1, ZShaped(corners=(2, 12)))
    >>> few.grades(np.array([[20, 2], [10, 7], [5, 12]])).tolist()
    [1.0, 0.5, 0.0]
    """

    place: int
    """The index of the place, from 0."""
    shape: Shape
    """The membership of each number of vital records there."""

    def grades(self, signals: Counts | Reals) -> Reals:
        """Return the degree to which each signal satisfies the restriction.

        Parameters
        ----------
        signals
            Signals by places.
        """
        return self.shape.grades(signals[:, self.place])


SignalRestriction: TypeAlias = Callable[[Counts | Reals], float]
"""The degree, from 0 to 1, to which a whole signal is acceptable; equal signals must get equal grades."""
Restriction: TypeAlias = PlaceRestriction | SignalRestriction


def distortion_term(costs: Reals, greatest: float) -> Reals:
    """Return one without distortion, less with more of it; negative if a cost exceeds the greatest one."""
    # TC16 (27): (C_max - C) / C_max
    return (greatest - costs) / greatest if greatest > 0 else np.ones(costs.shape)


def size_term(sizes: Counts, centre: float, slope: float) -> Reals:
    """Return nearly one for few swaps, a half at the centre, and nearly zero for many."""
    # TC16 (28), last factor: 1 / (1 + exp((Q - 25) / 2))
    return np.asarray(1.0 / (1.0 + exponentials((sizes - centre) / slope)))


@dataclass(frozen=True)
class Fitness:
    """The fitness of lists of swaps.

    Examples
    --------
    TC16 (28), for a cost of 53 by 20 swaps:

    >>> from sfumato.fuzzy.shapes import ZShaped
    >>> few = ZShaped(corners=(2, 12))
    >>> fitness = Fitness((PlaceRestriction(0, few), PlaceRestriction(1, few)), greatest=299.0)
    >>> fitness.of(np.array([53.0]), np.array([20]), np.array([[2, 2]])).round(4)
    array([0.7603])
    """

    restrictions: Sequence[Restriction]
    greatest: float
    """The greatest possible cost. TC16 takes 13 * 23 although more than 23 swaps are possible: see ERRATA 004-8."""
    centre: float = 25.0
    """The number of swaps at which half of the fitness is lost."""
    slope: float = 2.0
    """The number of additional swaps that reduces the odds of fitness by a factor e."""
    _cache: dict[bytes, float] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Grades of whole signals, because the same ones recur."""

    def of(self, costs: Reals, sizes: Counts, signals: Counts | Reals) -> Reals:
        """Return the fitness of lists of swaps, TC16 (26).

        Parameters
        ----------
        costs
            The total influential metric of each list.
        sizes
            The number of swaps of each list.
        signals
            Lists by places: the signal that each leads to.
        """
        # TC16 (26): f(U) = Upsilon(U) Phi(U) Psi(U)
        quality = distortion_term(costs, self.greatest)
        return quality * self.grades(signals) * size_term(sizes, self.centre, self.slope)

    def grades(self, signals: Counts | Reals) -> Reals:
        """Return the grade of each signal: the product over all restrictions."""
        grades = np.ones(len(signals))
        wholes = [restriction for restriction in self.restrictions if not isinstance(restriction, PlaceRestriction)]
        for restriction in self.restrictions:
            if isinstance(restriction, PlaceRestriction):
                grades *= restriction.grades(signals)
        return grades * [self._of_whole(signal, wholes) for signal in signals] if wholes else grades

    def _of_whole(self, signal: Counts | Reals, restrictions: Sequence[SignalRestriction]) -> float:
        key = signal.tobytes()
        if key not in self._cache:
            # a copy, because a function could retain it
            grades = [float(restriction(signal.copy())) for restriction in restrictions]
            if not all(0.0 <= grade <= 1.0 for grade in grades):
                raise SettingError("restrictions: a function of the signal must return a number from 0 to 1")
            self._cache[key] = math.prod(grades)
        return self._cache[key]
