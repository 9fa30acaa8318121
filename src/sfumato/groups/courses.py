"""Courses of the modified Thompson tau technique, and between which values they leave each rank.

Whether hidden places stand out depends on few values of the sorted signal: median and quartiles of what is left at a
look, and the lowest and the highest. Where these lie between bounds, so do all others, each at its rank. A course is
told by how many low and high places are gone when the technique stops, and, where that is not enough, by its steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sfumato.arrays import Reals
from sfumato.groups.outliers import (
    FEWEST,
    NORMAL_DISTANCES,
    NORMAL_QUARTILES,
    lower_ranks,
    middle_ranks,
    tau,
    upper_ranks,
)


class Look(NamedTuple):
    """What the technique sees: all but the lowest and the highest places that are gone."""

    low: int
    high: int
    coincide: bool
    """Whether the quartiles coincide, so that the floor is the spread (ERRATA 004-13)."""


class Step(NamedTuple):
    """A look at which a place is removed."""

    look: Look
    highest: bool
    """Whether the highest goes, else the lowest."""


class Range(NamedTuple):
    """Between which values each rank lies, and hidden places at whatever rank."""

    least: Reals
    most: Reals
    hidden_least: float
    hidden_most: float


@dataclass(frozen=True)
class Limits:
    """What holds of every signal that is near enough to matter."""

    alpha: float
    least: Reals
    """The least value of each rank."""
    most: Reals
    total: float | None
    """What all values add up to, if that is known."""
    distances: float
    """What the distances from the median add up to at most."""
    step: float
    """By how much two values differ at least if they do; 0 if that is unknown."""
    tolerance: float
    """What arithmetic may have added."""


@dataclass(frozen=True)
class Course:
    """How the technique goes: how many are gone at least or in the end, and its first steps as far as they are told."""

    size: int
    low: int
    high: int
    last: Look | None = None
    """Its last look, which finds nothing; None if it is not told, and more may go."""
    steps: tuple[Step, ...] = ()

    @property
    def told(self) -> bool:
        """Whether every step is told."""
        return len(self.steps) == self.low + self.high

    @property
    def gone(self) -> tuple[int, int]:
        """How many low and high places are gone after the steps that are told."""
        high = sum(step.highest for step in self.steps)
        return len(self.steps) - high, high

    def longer(self) -> list[Course]:
        """Return all courses with one more step told."""
        low, high = self.gone
        ways = ([True] if high < self.high else []) + ([False] if low < self.low else [])
        return [
            Course(self.size, self.low, self.high, self.last, (*self.steps, Step(Look(low, high, coincide), highest)))
            for highest in ways
            for coincide in (False, True)
        ]

    @cached_property
    def critical(self) -> tuple[tuple[int, ...], ...]:
        """The ranks whose values matter; those that have one value are together."""
        wanted: list[set[int]] = []
        looks = [(step.look, True) for step in self.steps]
        if self.last is not None:
            looks.append((self.last, self.last.coincide))
        for look, ends in looks:
            wanted.extend(self._of_look(look, ends=ends))
        if self.low:
            wanted += [{self.low - 1}, {self.size // 2}]
        if self.high:
            wanted += [{self.size - self.high}, {(self.size - 1) // 2}]
        together: list[set[int]] = []
        for ranks in wanted:
            touched = [known for known in together if known & ranks]
            together = [known for known in together if not known & ranks] + [ranks.union(*touched)]
        return tuple(sorted(tuple(sorted(ranks)) for ranks in together))

    @cached_property
    def ranks(self) -> tuple[np.typing.NDArray[np.intp], np.typing.NDArray[np.intp]]:
        """The critical ranks one by one, and to which of the critical values each belongs."""
        pairs = [(rank, number) for number, ranks in enumerate(self.critical) for rank in ranks]
        both = np.array(pairs, dtype=np.intp).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def _of_look(self, look: Look, *, ends: bool) -> list[set[int]]:
        left = self.size - look.low - look.high
        first, last = look.low, self.size - look.high - 1
        found = [{first}, {last}] if ends and left else []
        if left < FEWEST:
            return found
        lower, middle, upper = (
            [rank + look.low for rank in ranks(left)] for ranks in (lower_ranks, middle_ranks, upper_ranks)
        )
        if look.coincide:
            return [*found, set(range(lower[0], upper[1] + 1))]
        return [*found, *({rank} for rank in (*lower, *middle, *upper))]

    def range(self, lowest: Reals, highest: Reals, limits: Limits) -> Range | None:
        """Return between which values each rank lies, if the critical values lie between bounds; None if none can."""
        ranks, numbers = self.ranks
        least, most = limits.least.copy(), limits.most.copy()
        np.maximum.at(least, ranks, lowest[numbers])
        np.minimum.at(most, ranks, highest[numbers])
        _sort(least, most)
        for step in self.steps:
            if not self._narrow_at_removal(step, least, most, limits):
                return None
            _sort(least, most)
        hidden = self._narrow_hidden(least, most, limits)
        if self.last is not None and not self._narrow_at_end(self.last, least, most, limits):
            return None
        _sort(least, most)
        if (least > most + limits.tolerance).any():
            return None
        return Range(least, most, *hidden)

    def _narrow_hidden(self, least: Reals, most: Reals, limits: Limits) -> tuple[float, float]:
        """Use that hidden places are never removed, and must not equal one that is."""
        lowest, highest, size = -np.inf, np.inf, self.size
        if self.low:
            # when the first low place goes, it is farther from the median than the highest that is left
            highest = float(2 * most[size // 2] - limits.least[0]) - limits.step
        if self.high:
            # when the first high place goes, it is as far from the median as the lowest that is left
            lowest = float(2 * least[(size - 1) // 2] - limits.most[-1])
        if self.last is not None:
            most[size - self.high - 1] = min(most[size - self.high - 1], highest)
            least[self.low] = max(least[self.low], lowest)
        if self.low:
            lowest = max(lowest, float(least[self.low - 1]) + limits.step)
        if self.high:
            highest = min(highest, float(most[size - self.high]) - limits.step)
        return lowest, highest

    def _spread(self, look: Look, least: Reals, most: Reals, limits: Limits) -> tuple[float, float] | None:
        """Return between which bounds tau spreads of a look lie; None if quartiles cannot be as they shall."""
        left = self.size - look.low - look.high
        factor = tau(left, limits.alpha)
        half = self.size // 2
        if look.coincide:
            apart = [float(least[-half:].sum() - most[:half].sum()), float(most[-half:].sum() - least[:half].sum())]
            apart[1] = min(apart[1], limits.distances)
            if limits.total is not None:
                middle = float(least[half]) if self.size % 2 else 0.0
                apart[1] = min(apart[1], limits.total - middle - 2 * float(least[:half].sum()))
            scale = factor * NORMAL_DISTANCES / self.size
            return scale * max(apart[0], 0.0), scale * apart[1]
        lower, upper = ([rank + look.low for rank in ranks(left)] for ranks in (lower_ranks, upper_ranks))
        widest = float(most[upper].mean() - least[lower].mean())
        if widest < limits.step / 2 - limits.tolerance:
            return None
        narrowest = max(float(least[upper].mean() - most[lower].mean()), limits.step / 2)
        return factor * narrowest / NORMAL_QUARTILES, factor * widest / NORMAL_QUARTILES

    def _narrow_at_removal(self, step: Step, least: Reals, most: Reals, limits: Limits) -> bool:
        look, size = step.look, self.size
        left = size - look.low - look.high
        spread = self._spread(look, least, most, limits) if left >= FEWEST else None
        if spread is None:
            return False
        first, last = look.low, size - look.high - 1
        middle = [rank + look.low for rank in middle_ranks(left)]
        lowest, highest = float(least[middle].mean()), float(most[middle].mean())
        if step.highest:
            least[last] = max(least[last], lowest + spread[0], 2 * lowest - most[first])
            least[first] = max(least[first], 2 * lowest - most[last])
        else:
            most[first] = min(most[first], highest - spread[0], 2 * highest - least[last] - limits.step)
            most[last] = min(most[last], 2 * highest - least[first] - limits.step)
        return True

    def _narrow_at_end(self, look: Look, least: Reals, most: Reals, limits: Limits) -> bool:
        left = self.size - look.low - look.high
        if left < FEWEST:
            return True
        spread = self._spread(look, least, most, limits)
        if spread is None:
            return False
        middle = [rank + look.low for rank in middle_ranks(left)]
        first, last = look.low, self.size - look.high - 1
        most[last] = min(most[last], float(most[middle].mean()) + spread[1])
        least[first] = max(least[first], float(least[middle].mean()) - spread[1])
        return True


def _sort(least: Reals, most: Reals) -> None:
    """Use that values ascend with their ranks."""
    np.maximum.accumulate(least, out=least)
    np.minimum.accumulate(most[::-1], out=most[::-1])
