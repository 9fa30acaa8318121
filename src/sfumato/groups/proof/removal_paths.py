"""Removal paths of the modified Thompson tau technique, and the range of each rank along them.

Whether hidden places stand out depends on few values of the sorted signal: the median, the quartiles, the lowest and
the highest of the remaining values at each test. Bounds on these give bounds on all others, rank by rank. A path is
specified by the number of low and high places removed when the technique stops and, where that is not enough, by its
steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sfumato.array_types import Reals
from sfumato.groups.thompson_tau import (
    FEWEST,
    NORMAL_DISTANCES,
    NORMAL_QUARTILES,
    lower_ranks,
    middle_ranks,
    tau,
    upper_ranks,
)


class RemovalState(NamedTuple):
    """What the technique tests: all but the removed lowest and highest places."""

    low: int
    high: int
    coincide: bool
    """Whether the quartiles coincide, so that the floor is the spread (ERRATA 004-13)."""


class RemovalStep(NamedTuple):
    """A test that removes a place."""

    state: RemovalState
    highest: bool
    """Whether the highest is removed, otherwise the lowest."""


class RankRange(NamedTuple):
    """The range of each rank's value, and of hidden places at any rank."""

    least: Reals
    greatest: Reals
    hidden_least: float
    hidden_most: float


@dataclass(frozen=True)
class SignalLimits:
    """What holds for every signal that is near enough to matter."""

    alpha: float
    least: Reals
    """The least value of each rank."""
    greatest: Reals
    total: float | None
    """The sum of all values, if it is known."""
    distances: float
    """The largest possible sum of distances from the median."""
    step: float
    """The least difference between two different values; 0 if unknown."""
    tolerance: float
    """The largest rounding error."""


@dataclass(frozen=True)
class RemovalPath:
    """The course of the technique: how many places are removed, at least or in the end, and its first steps."""

    size: int
    low: int
    high: int
    last: RemovalState | None = None
    """The last test, which finds nothing; None if it is not specified and more may be removed."""
    steps: tuple[RemovalStep, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every step is specified."""
        return len(self.steps) == self.low + self.high

    @property
    def gone(self) -> tuple[int, int]:
        """The number of low and high places removed by the specified steps."""
        high = sum(step.highest for step in self.steps)
        return len(self.steps) - high, high

    def extended(self) -> list[RemovalPath]:
        """Return all paths with one more step specified."""
        low, high = self.gone
        ways = ([True] if high < self.high else []) + ([False] if low < self.low else [])
        return [
            RemovalPath(
                self.size,
                self.low,
                self.high,
                self.last,
                (*self.steps, RemovalStep(RemovalState(low, high, coincide), highest)),
            )
            for highest in ways
            for coincide in (False, True)
        ]

    @cached_property
    def critical(self) -> tuple[tuple[int, ...], ...]:
        """The ranks whose values matter; those with one common value are grouped."""
        groups: list[set[int]] = []
        states = [(step.state, True) for step in self.steps]
        if self.last is not None:
            states.append((self.last, self.last.coincide))
        for state, ends in states:
            groups.extend(self._of_look(state, ends=ends))
        if self.low:
            groups += [{self.low - 1}, {self.size // 2}]
        if self.high:
            groups += [{self.size - self.high}, {(self.size - 1) // 2}]
        together: list[set[int]] = []
        for ranks in groups:
            touched = [joined for joined in together if joined & ranks]
            together = [joined for joined in together if not joined & ranks] + [ranks.union(*touched)]
        return tuple(sorted(tuple(sorted(ranks)) for ranks in together))

    @cached_property
    def ranks(self) -> tuple[np.typing.NDArray[np.intp], np.typing.NDArray[np.intp]]:
        """The critical ranks one by one, and the index of the critical value of each."""
        pairs = [(rank, number) for number, ranks in enumerate(self.critical) for rank in ranks]
        both = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def _of_look(self, state: RemovalState, *, ends: bool) -> list[set[int]]:
        n_left = self.size - state.low - state.high
        first, last = state.low, self.size - state.high - 1
        ranks_of_ends = [{first}, {last}] if ends and n_left else []
        if n_left < FEWEST:
            return ranks_of_ends
        lower, middle, upper = (
            [rank + state.low for rank in ranks(n_left)] for ranks in (lower_ranks, middle_ranks, upper_ranks)
        )
        if state.coincide:
            return [*ranks_of_ends, set(range(lower[0], upper[1] + 1))]
        return [*ranks_of_ends, *({rank} for rank in (*lower, *middle, *upper))]

    def range(self, lowest: Reals, highest: Reals, limits: SignalLimits) -> RankRange | None:
        """Return the range of each rank if the critical values are within bounds; None if no such signal exists."""
        ranks, numbers = self.ranks
        least, greatest = limits.least.copy(), limits.greatest.copy()
        np.maximum.at(least, ranks, lowest[numbers])
        np.minimum.at(greatest, ranks, highest[numbers])
        _sort(least, greatest)
        for step in self.steps:
            if not self._narrow_at_removal(step, least, greatest, limits):
                return None
            _sort(least, greatest)
        hidden = self._narrow_hidden(least, greatest, limits)
        if self.last is not None and not self._narrow_at_end(self.last, least, greatest, limits):
            return None
        _sort(least, greatest)
        if (least > greatest + limits.tolerance).any():
            return None
        return RankRange(least, greatest, *hidden)

    def _narrow_hidden(self, least: Reals, greatest: Reals, limits: SignalLimits) -> tuple[float, float]:
        """Use that hidden places are never removed, and must not equal a removed one."""
        lowest, highest, size = -np.inf, np.inf, self.size
        if self.low:
            # when the first low place is removed, it is farther from the median than the highest remaining one
            highest = float(2 * greatest[size // 2] - limits.least[0]) - limits.step
        if self.high:
            # when the first high place is removed, it is at least as far from the median as the lowest remaining one
            lowest = float(2 * least[(size - 1) // 2] - limits.greatest[-1])
        if self.last is not None:
            greatest[size - self.high - 1] = min(greatest[size - self.high - 1], highest)
            least[self.low] = max(least[self.low], lowest)
        if self.low:
            lowest = max(lowest, float(least[self.low - 1]) + limits.step)
        if self.high:
            highest = min(highest, float(greatest[size - self.high]) - limits.step)
        return lowest, highest

    def _spread(
        self, state: RemovalState, least: Reals, greatest: Reals, limits: SignalLimits
    ) -> tuple[float, float] | None:
        """Return bounds of tau spreads at a test; None if the quartiles cannot be as required."""
        n_left = self.size - state.low - state.high
        factor = tau(n_left, limits.alpha)
        half = self.size // 2
        if state.coincide:
            apart = [
                float(least[-half:].sum() - greatest[:half].sum()),
                float(greatest[-half:].sum() - least[:half].sum()),
            ]
            apart[1] = min(apart[1], limits.distances)
            if limits.total is not None:
                middle = float(least[half]) if self.size % 2 else 0.0
                apart[1] = min(apart[1], limits.total - middle - 2 * float(least[:half].sum()))
            scale = factor * NORMAL_DISTANCES / self.size
            return scale * max(apart[0], 0.0), scale * apart[1]
        lower, upper = ([rank + state.low for rank in ranks(n_left)] for ranks in (lower_ranks, upper_ranks))
        widest = float(greatest[upper].mean() - least[lower].mean())
        if widest < limits.step / 2 - limits.tolerance:
            return None
        narrowest = max(float(least[upper].mean() - greatest[lower].mean()), limits.step / 2)
        return factor * narrowest / NORMAL_QUARTILES, factor * widest / NORMAL_QUARTILES

    def _narrow_at_removal(self, step: RemovalStep, least: Reals, greatest: Reals, limits: SignalLimits) -> bool:
        state, size = step.state, self.size
        n_left = size - state.low - state.high
        spread = self._spread(state, least, greatest, limits) if n_left >= FEWEST else None
        if spread is None:
            return False
        first, last = state.low, size - state.high - 1
        middle = [rank + state.low for rank in middle_ranks(n_left)]
        lowest, highest = float(least[middle].mean()), float(greatest[middle].mean())
        if step.highest:
            least[last] = max(least[last], lowest + spread[0], 2 * lowest - greatest[first])
            least[first] = max(least[first], 2 * lowest - greatest[last])
        else:
            greatest[first] = min(greatest[first], highest - spread[0], 2 * highest - least[last] - limits.step)
            greatest[last] = min(greatest[last], 2 * highest - least[first] - limits.step)
        return True

    def _narrow_at_end(self, state: RemovalState, least: Reals, greatest: Reals, limits: SignalLimits) -> bool:
        n_left = self.size - state.low - state.high
        if n_left < FEWEST:
            return True
        spread = self._spread(state, least, greatest, limits)
        if spread is None:
            return False
        middle = [rank + state.low for rank in middle_ranks(n_left)]
        first, last = state.low, self.size - state.high - 1
        greatest[last] = min(greatest[last], float(greatest[middle].mean()) + spread[1])
        least[first] = max(least[first], float(least[middle].mean()) - spread[1])
        return True


def _sort(least: Reals, greatest: Reals) -> None:
    """Use that values ascend with their ranks."""
    np.maximum.accumulate(least, out=least)
    np.minimum.accumulate(greatest[::-1], out=greatest[::-1])
