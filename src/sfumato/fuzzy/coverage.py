"""Blind spots: records that no word of a variable holds of by at least alpha, so that no rule can see them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import SettingError
from sfumato.fuzzy.categories import AnyVariable, CategoricalVariable
from sfumato.fuzzy.shapes import Crisp, Shape, written
from sfumato.fuzzy.variables import LinguisticVariable, check_alpha
from sfumato.microfile.hierarchy import readable
from sfumato.microfile.microfile import Microfile, as_microfile

ALPHA = 0.5
"""TC16 cuts products of grades here."""


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A range that no set covers; its ends come from the sets, not from records."""

    low: float
    """Where the set below falls under alpha; infinite if there is none."""
    high: float
    """Where the set above reaches alpha; infinite if there is none."""
    records: int = 0
    """How many records lie there."""

    def __str__(self) -> str:
        if math.isinf(self.low) or math.isinf(self.high):
            end, where = (self.high, "below") if math.isinf(self.low) else (self.low, "above")
            return f"{where} {_told(end)}"
        return f"between {_told(self.low)} and {_told(self.high)}"


@dataclass(frozen=True, slots=True)
class BlindSpots:
    """What a variable cannot see of a file."""

    attribute: str
    """The attribute that the variable speaks of."""
    alpha: float
    """How far a word must hold at least."""
    records: int
    """How many records have a value that no word holds of."""
    share: float
    """Which share of those that have a value they are."""
    missing: int
    """How many have no value, where missing values have no word."""
    ranges: tuple[Uncovered, ...] = ()
    """For numbers: the ranges in which these records lie."""
    categories: int = 0
    """For categories: how many have no word."""

    def __str__(self) -> str:
        if not self.records:
            return f"{self.attribute!r}: every value is seen"
        where = f"of {self.categories:,} categories" if self.categories else ", ".join(map(str, self.ranges))
        return (
            f"{self.attribute!r}: {self.records:,} records ({self.share:.1%}) are seen by no rule that asks for it; no "
            f"word holds by at least {self.alpha:g} {where or 'where sets meet'}"
        )


def blind_spots(microfile: Any, variables: Sequence[AnyVariable], *, alpha: float = ALPHA) -> tuple[BlindSpots, ...]:
    """Return what each variable cannot see of a file.

    A rule's membership is a product of grades, so that it is at least alpha only where every factor is: ERRATA 004-15.

    Parameters
    ----------
    microfile
        A microfile, or a frame that becomes one.
    variables
        What is said about its attributes.
    alpha
        Below it, grades count nothing.

    Examples
    --------
    >>> import polars as pl
    >>> bells = {"low": {"shape": "gaussian", "centre": 27.5, "deviation": 2},
    ...          "high": {"shape": "gaussian", "centre": 32.5, "deviation": 2}}
    >>> age = LinguisticVariable(attribute="age", values=bells)
    >>> print(*map(str, blind_spots(pl.DataFrame({"age": [27, 28, 30, 32]}), [age])[0].ranges))
    between 29.85 and 30.15
    """
    check_alpha(alpha)
    people = as_microfile(microfile)
    return tuple(_unseen(people, variable, alpha) for variable in variables)


def uncovered(variable: LinguisticVariable, *, alpha: float = ALPHA) -> tuple[Uncovered, ...]:
    """Return the ranges of numbers that no set covers by at least alpha, also those below and above all sets."""
    check_alpha(alpha)
    cuts = sorted(shape.cut(alpha) for shape in variable.values.values())
    found, reached = [], -math.inf
    for low, high in cuts:
        if _apart(reached, low):
            found.append(Uncovered(reached, low))
        reached = max(reached, high)
    return tuple(found) if math.isinf(reached) else (*found, Uncovered(reached, math.inf))


def widened(variable: AnyVariable, *, alpha: float = ALPHA) -> AnyVariable:
    """Return the variable with sets so wide that no gap is left between them.

    In each gap a readable number near its middle is chosen. The sets on both sides get longer slopes, just so
    long that both reach alpha there; plateaus and centres stay. A bell grows on both sides, an interval gets another
    end. Numbers below and above all sets stay outside: they are out of the variable's range. Categories without a word
    get one, "other".

    Parameters
    ----------
    variable
        The variable.
    alpha
        The grade to be reached, below 1.
    """
    check_alpha(alpha)
    if isinstance(variable, CategoricalVariable):
        return (
            variable if variable.rest is not None else variable.model_copy(update={"rest": other_word(variable.names)})
        )
    if alpha == 1:
        raise SettingError("alpha must lie below 1 for sets to be widened", hint="draw the sets so that they overlap")
    ends = _meetings(variable, alpha)
    values = {
        word: shape if word not in ends else _reaching(shape, alpha, *ends[word])
        for word, shape in variable.values.items()
    }
    return LinguisticVariable(attribute=variable.attribute, values=values, missing=variable.missing)


def _unseen(people: Microfile, variable: AnyVariable, alpha: float) -> BlindSpots:
    codes, table = variable.coded(people)
    counts = np.bincount(codes, minlength=len(table))
    # the last one is that of missing values
    known, missing = counts[:-1], int(counts[-1])
    blind = table[:-1].max(axis=1, initial=0.0) < alpha
    records = int(known[blind].sum())
    ranges: tuple[Uncovered, ...] = ()
    if isinstance(variable, LinguisticVariable) and records:
        values = people.encoded(variable.attribute).values[blind]
        numbers = (values.astype(np.int64) if values.dtype.kind in "mM" else values).astype(np.float64)
        every = uncovered(variable, alpha=alpha)
        own = np.searchsorted([one.high for one in every], numbers)
        # one more for numbers at which sets meet, but for rounding
        there = np.bincount(own, weights=known[blind], minlength=len(every) + 1)
        ranges = tuple(Uncovered(one.low, one.high, int(n)) for one, n in zip(every, there, strict=False) if n)
    return BlindSpots(
        variable.attribute,
        alpha,
        records,
        records / max(1, int(known.sum())),
        missing if variable.missing is None else 0,
        ranges,
        int(blind.sum()) if isinstance(variable, CategoricalVariable) else 0,
    )


def _meetings(variable: LinguisticVariable, alpha: float) -> dict[str, tuple[float | None, float | None]]:
    """Return, for each word whose set is to be widened, down to where and up to where."""
    cuts = sorted((shape.cut(alpha), word) for word, shape in variable.values.items())
    ends: dict[str, tuple[float | None, float | None]] = {}
    (_, reached), below = cuts[0]
    for (low, high), word in cuts[1:]:
        if _apart(reached, low):
            step = readable((low - reached) / 20)
            meeting = float(f"{round((low + reached) / 2 / step) * step:.12g}")
            ends[below] = (ends.get(below, (None, None))[0], meeting)
            ends[word] = (meeting, None)
        if high > reached:
            reached, below = high, word
    return ends


def _reaching(shape: Shape, alpha: float, low: float | None, high: float | None) -> Shape:
    """Widen a shape until it really reaches alpha at its new ends, whatever rounding does to the slopes."""
    numbers = [end for end in (low, high) if end is not None]
    slack = 0.0
    while True:
        found = shape.widened(alpha * (1 + slack), low=low, high=high)
        # an interval does not have its upper end, where the next set begins
        if isinstance(found, Crisp) or bool((found.grades(numbers) >= alpha).all()):
            return found
        slack = max(2 * slack, 1e-12)


def other_word(taken: Sequence[str]) -> str:
    """Return a word for all that has none."""
    word = "other"
    while word in taken:
        word = f"any {word}"
    return word


def _apart(reached: float, low: float) -> bool:
    """Whether something lies between two sets; what rounding leaves is nothing."""
    return low - reached > 1e-9 * max(1.0, abs(low)) if math.isfinite(low) else False


def _told(number: float) -> str:
    return written(float(f"{number:.4g}"))
