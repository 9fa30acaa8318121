"""Blind spots: records for which every word of a variable has a grade below alpha, so that no rule sees them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import SettingError
from sfumato.fuzzy.category_variables import AnyVariable, CategoricalVariable
from sfumato.fuzzy.shapes import Crisp, Shape, written
from sfumato.fuzzy.variables import LinguisticVariable, check_alpha
from sfumato.microfile import Microfile, as_microfile, readable

ALPHA = 0.5
"""The threshold of TC16 for products of grades."""


@dataclass(frozen=True, slots=True)
class Uncovered:
    """A range that no set covers; its ends are properties of the sets, not of records."""

    low: float
    """Where the set below falls under alpha; infinite if no such set exists."""
    high: float
    """Where the set above reaches alpha; infinite if no such set exists."""
    records: int = 0
    """The number of records in it."""

    def __str__(self) -> str:
        if math.isinf(self.low) or math.isinf(self.high):
            end, where = (self.high, "below") if math.isinf(self.low) else (self.low, "above")
            return f"{where} {_rounded(end)}"
        return f"between {_rounded(self.low)} and {_rounded(self.high)}"


@dataclass(frozen=True, slots=True)
class BlindSpots:
    """The records of a file that a variable does not cover."""

    attribute: str
    """The attribute of the variable."""
    alpha: float
    """The smallest grade that counts."""
    records: int
    """The number of records whose value has no word."""
    share: float
    """Their share of the records that have a value."""
    missing: int
    """The number of records without a value, if missing values have no word."""
    ranges: tuple[Uncovered, ...] = ()
    """For numbers: the ranges of these records."""
    categories: int = 0
    """For categories: the number without a word."""

    def __str__(self) -> str:
        if not self.records:
            return f"{self.attribute!r}: every value has a word"
        where = f"for {self.categories:,} categories" if self.categories else ", ".join(map(str, self.ranges))
        counted = "1 record" if self.records == 1 else f"{self.records:,} records"
        return (
            f"{self.attribute!r}: {counted} ({self.share:.1%}) that no rule with this attribute can match; no word has "
            f"a grade of {self.alpha:g} or more {where or 'where sets meet'}"
        )


def blind_spots(microfile: Any, variables: Sequence[AnyVariable], *, alpha: float = ALPHA) -> tuple[BlindSpots, ...]:
    """Return the records of a file that each variable does not cover.

    The membership of a rule is a product of grades, so it is at least alpha only if every factor is: ERRATA 004-15.

    Parameters
    ----------
    microfile
        A microfile, or a frame that becomes one.
    variables
        The variables of its attributes.
    alpha
        Smaller grades do not count.

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
    """Return the ranges where all grades are below alpha, including those below and above all sets."""
    check_alpha(alpha)
    cuts = sorted(shape.cut(alpha) for shape in variable.values.values())
    gaps, reached = [], -math.inf
    for low, high in cuts:
        if _apart(reached, low):
            gaps.append(Uncovered(reached, low))
        reached = max(reached, high)
    return tuple(gaps) if math.isinf(reached) else (*gaps, Uncovered(reached, math.inf))


def widened(variable: AnyVariable, *, alpha: float = ALPHA) -> AnyVariable:
    """Return the variable with its sets widened until no gap remains between them.

    In each gap a readable number near its middle is chosen. The slopes of the sets on both sides are lengthened until
    both reach alpha there; plateaus and centres do not change. A bell grows on both sides; an interval gets a new end.
    Numbers below and above all sets stay uncovered: they are outside the variable's range. Categories without a word
    get the word "other".

    Parameters
    ----------
    variable
        The variable.
    alpha
        The grade to reach, below 1.
    """
    check_alpha(alpha)
    if isinstance(variable, CategoricalVariable):
        return (
            variable if variable.rest is not None else variable.model_copy(update={"rest": other_word(variable.names)})
        )
    if alpha == 1:
        raise SettingError(
            "alpha = 1: sets can only be widened to a grade below 1",
            hint="define sets that overlap",
            setting="alpha",
        )
    ends = _meetings(variable, alpha)
    values = {
        word: shape if word not in ends else _reaching(shape, alpha, *ends[word])
        for word, shape in variable.values.items()
    }
    return LinguisticVariable(attribute=variable.attribute, values=values, missing=variable.missing)


def _unseen(people: Microfile, variable: AnyVariable, alpha: float) -> BlindSpots:
    codes, table = variable.coded(people)
    counts = np.bincount(codes, minlength=len(table))
    # the last one counts missing values
    present, missing = counts[:-1], int(counts[-1])
    blind = table[:-1].max(axis=1, initial=0.0) < alpha
    records = int(present[blind].sum())
    ranges: tuple[Uncovered, ...] = ()
    if isinstance(variable, LinguisticVariable) and records:
        values = people.encoded(variable.attribute).values[blind]
        numbers = (values.astype(np.int64) if values.dtype.kind in "mM" else values).astype(np.float64)
        gaps = uncovered(variable, alpha=alpha)
        positions = np.searchsorted([gap.high for gap in gaps], numbers)
        # one more for numbers where sets meet except for rounding
        records_by_gap = np.bincount(positions, weights=present[blind], minlength=len(gaps) + 1)
        ranges = tuple(
            Uncovered(gap.low, gap.high, int(count)) for gap, count in zip(gaps, records_by_gap, strict=False) if count
        )
    return BlindSpots(
        variable.attribute,
        alpha,
        records,
        records / max(1, int(present.sum())),
        missing if variable.missing is None else 0,
        ranges,
        int(blind.sum()) if isinstance(variable, CategoricalVariable) else 0,
    )


def _meetings(variable: LinguisticVariable, alpha: float) -> dict[str, tuple[float | None, float | None]]:
    """Return the new lower and upper end of each word whose set is widened."""
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
    """Widen a shape until it reaches alpha at its new ends in spite of rounding."""
    numbers = [end for end in (low, high) if end is not None]
    slack = 0.0
    while True:
        wider = shape.widened(alpha * (1 + slack), low=low, high=high)
        # an interval does not contain its upper end, where the next set begins
        if isinstance(wider, Crisp) or bool((wider.grades(numbers) >= alpha).all()):
            return wider
        slack = max(2 * slack, 1e-12)


def other_word(words: Sequence[str]) -> str:
    """Return a new word for everything that has none."""
    word = "other"
    while word in words:
        word = f"any {word}"
    return word


def _apart(reached: float, low: float) -> bool:
    """Return whether there is a gap between two sets; a rounding error is not a gap."""
    return low - reached > 1e-9 * max(1.0, abs(low)) if math.isfinite(low) else False


def _rounded(number: float) -> str:
    return written(float(f"{number:.4g}"))
