"""The panel: what several techniques find in a signal at several levels, and what ranks alone give away.

A mask hides places from the whole panel, and a verdict is that of the technique that finds most. TC16's technique is
one of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sfumato.arrays import Reals
from sfumato.groups.outliers import outliers
from sfumato.groups.techniques import TECHNIQUES, Technique, found_with

LEVELS = (1.0, 5.0)
"""Multiples of the level at which techniques look. TC16's looks at the level itself only: at five times as much it
finds something in most signals of chance."""
DEALS = 1000
"""How often a signal is dealt to other places, to know which correlation chance gives."""
CROWDED = 3.0
"""Wherever the highest places are cut off, the odds that one of them is hidden are at most so many times those of any
place: whoever names the highest ones is hardly right more often than who guesses."""
LUCKY = 1.25
"""Of as many highest places as are hidden, at most so many times those are hidden that chance would bring about."""
LARGEST = 0.5
"""No level is above this."""


@dataclass(frozen=True)
class Look:
    """What one technique finds at one level."""

    technique: Technique
    alpha: float
    found: tuple[int, ...]
    """Places, ascending; all that have the value of one that is found."""

    @property
    def name(self) -> str:
        """The technique and its level in words."""
        return self.technique if self.technique == "gap" else f"{self.technique} at {self.alpha:g}"


def looks_of(
    values: Reals, *, alpha: float, robust: bool, unit: float | None = None, levels: Sequence[float] = LEVELS
) -> Iterator[Look]:
    """Yield what each technique finds at each level, TC16's first.

    Parameters
    ----------
    values
        One number a place.
    alpha, robust
        The level, and whether TC16's technique measures from the median.
    unit
        What one person is in the signal; see :func:`~sfumato.groups.techniques.unit_of`.
    levels
        Multiples of the level.
    """
    found = outliers(values, alpha, robust).indices
    like = np.isin(values, values[list(found)])
    yield Look("tau", alpha, tuple(np.flatnonzero(like).tolist()))
    for technique in TECHNIQUES[1:]:
        for level in levels if technique != "gap" else levels[:1]:
            at = min(alpha * level, max(LARGEST, alpha))
            yield Look(technique, at, found_with(technique, values, alpha=at, unit=unit))


def found_by_any(
    values: Reals, *, alpha: float, robust: bool, unit: float | None = None, levels: Sequence[float] = (1.0,)
) -> tuple[int, ...]:
    """Return the places that any technique finds, ascending; see :func:`looks_of`."""
    looks = looks_of(values, alpha=alpha, robust=robust, unit=unit, levels=levels)
    return tuple(sorted({place for look in looks for place in look.found}))


def on_top(values: Reals, places: Sequence[int], asked: Sequence[int]) -> tuple[tuple[int, ...], float]:
    """Return which of some places are among as many highest ones, and how likely so many would be by chance.

    Parameters
    ----------
    values
        One number a place.
    places
        Those looked for, of the asked ones.
    asked
        All places that can be told apart, some of which may be known to everybody and left out.

    Examples
    --------
    >>> on_top(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [8, 9], range(10))[0]
    (8, 9)
    >>> round(on_top(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [8, 9], range(10))[1], 4)
    0.0222
    """
    size, some = len(asked), len(places)
    if not 0 < 2 * some <= size:
        return (), 1.0
    found, hits = _among_highest(values, places, asked)
    return found, _chance(size, some, math.floor(hits + 1e-9))


def _among_highest(values: Reals, places: Sequence[int], asked: Sequence[int]) -> tuple[tuple[int, ...], float]:
    """Return which of some places can be among as many highest ones, and how many are expected to be."""
    size, some = len(asked), len(places)
    among = values[list(asked)]
    cut = float(np.partition(among, size - some)[size - some])
    theirs = values[list(places)]
    tied, room = int((among == cut).sum()), some - int((among > cut).sum())
    # of equal places an observer takes any
    hits = int((theirs > cut).sum()) + int((theirs == cut).sum()) * room / tied
    return tuple(place for place, value in zip(places, theirs.tolist(), strict=True) if value >= cut), hits


def crowding(values: Reals, places: Sequence[int], asked: Sequence[int]) -> tuple[int, ...]:
    """Return which of some places are so high that naming the highest ones finds them far more often than chance.

    Wherever one cuts, the odds that one of the highest places is looked for may be at most three times those of any
    place; and of as many highest places as are looked for, at most a quarter more may be right than by chance. One
    place among twenty so has at least seven others above it.

    Parameters
    ----------
    values, places, asked
        As for :func:`on_top`.

    Examples
    --------
    >>> crowding(np.array([5.0, 5, 5, 5, 60, 80, 80, 5, 5, 5]), [4], range(10))
    (4,)
    >>> crowding(np.array([5.0, 9, 5, 5, 6, 80, 80, 5, 5, 5]), [4], range(10))
    ()
    """
    size, some = len(asked), len(places)
    if not places or some == size:
        return ()
    highest, hits = _among_highest(values, places, asked)
    if hits > LUCKY * some * some / size + 1e-9:
        return highest
    theirs = values[list(places)]
    ascending, own = np.sort(values[list(asked)]), np.sort(theirs)
    for cut in np.unique(theirs).tolist():
        above = ascending.size - int(np.searchsorted(ascending, cut, side="left"))
        right = own.size - int(np.searchsorted(own, cut, side="left"))
        if right * (size - some) > CROWDED * some * (above - right):
            return tuple(place for place, value in zip(places, theirs.tolist(), strict=True) if value >= cut)
    return ()


@lru_cache(maxsize=4096)
def _chance(size: int, some: int, hits: int) -> float:
    """Return how likely at least so many of some places are among as many drawn ones."""
    ways = sum(math.comb(some, right) * math.comb(size - some, some - right) for right in range(hits, some + 1))
    return ways / math.comb(size, some)


def chance_correlation(true: Reals, seen: Reals, places: Sequence[int], alpha: float) -> float:
    """Return the correlation of two signals that chance exceeds only at a level.

    Chance means that what some places have is dealt to places drawn at random, which get what these had. So agreement
    at all other places counts for nothing, and if places are well hidden the correlation is as often above as below.

    Parameters
    ----------
    true, seen
        The signal of the original, and the one that is looked at.
    places
        Those that shall not be found.
    alpha
        The level.

    Returns
    -------
    float
        1 if there are so few ways to deal that nothing is beyond chance.
    """
    some = np.array(places, dtype=np.int64)
    if not some.size or math.comb(true.size, some.size) * alpha < 1:
        return 1.0
    rng = np.random.default_rng(0)
    dealt = np.empty(DEALS)
    for deal in range(DEALS):
        order = np.arange(true.size)
        for one, other in zip(some.tolist(), rng.choice(true.size, some.size, replace=False).tolist(), strict=True):
            order[[one, other]] = order[[other, one]]
        dealt[deal] = correlation(true[order], seen)
    return float(np.quantile(dealt, 1.0 - alpha, method="higher"))


def correlation(one: Reals, other: Reals) -> float:
    """Return the correlation of two signals, by sums in a fixed order; 0 if one of them is constant."""
    first, second = one - one.mean(), other - other.mean()
    size = math.sqrt(float((first * first).sum()) * float((second * second).sum()))
    return float((first * second).sum()) / size if size > 0 else 0.0
