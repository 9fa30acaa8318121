"""The panel: what several techniques detect in a signal at several levels, and what ranks alone reveal.

A mask hides places from the whole panel, and a verdict is that of the technique that detects most. TC16's technique is
one of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sfumato.array_types import Reals
from sfumato.groups.outlier_techniques import TECHNIQUES, Technique, detect_with
from sfumato.groups.thompson_tau import outliers, quartiles

LEVELS = (1.0, 5.0)
"""Multiples of the level at which techniques are applied. TC16's is applied at the level itself only: at five times
the level it finds outliers in most random signals."""
N_DEALS = 1000
"""How often a signal is dealt to other places, to know which correlation chance gives."""
MAX_ODDS_RATIO = 3.0
"""Wherever the highest places are cut off, the odds that one of them is hidden are at most this many times those of
any place: naming the highest places is then hardly better than guessing."""
MAX_HIT_RATIO = 1.25
"""Among the highest places, as many as are hidden, at most this many times the number of hidden ones that chance
gives."""
LARGEST_ALPHA = 0.5
"""No level is above this."""


@dataclass(frozen=True)
class Detection:
    """The places that one technique detects at one level."""

    technique: Technique
    alpha: float
    places: tuple[int, ...]
    """Ascending; all places that have the value of a detected one."""

    @property
    def name(self) -> str:
        """The technique and its level in words."""
        return self.technique if self.technique == "gap" else f"{self.technique} at {self.alpha:g}"


def detections(
    values: Reals, *, alpha: float, robust: bool, unit: float | None = None, levels: Sequence[float] = LEVELS
) -> Iterator[Detection]:
    """Yield what each technique detects at each level, TC16's first.

    Parameters
    ----------
    values
        One number per place.
    alpha, robust
        The level, and whether TC16's technique measures from the median.
    unit
        What one person amounts to in the signal; see :func:`~sfumato.groups.outlier_techniques.unit_of`.
    levels
        Multiples of the level.
    """
    removed = outliers(values, alpha, robust).indices
    equals_removed = np.isin(values, values[list(removed)])
    yield Detection("tau", alpha, tuple(np.flatnonzero(equals_removed).tolist()))
    for technique in TECHNIQUES[1:]:
        for level in levels if technique != "gap" else levels[:1]:
            at = min(alpha * level, max(LARGEST_ALPHA, alpha))
            yield Detection(technique, at, detect_with(technique, values, alpha=at, unit=unit))


def detected_by_any(
    values: Reals, *, alpha: float, robust: bool, unit: float | None = None, levels: Sequence[float] = (1.0,)
) -> tuple[int, ...]:
    """Return the places that any technique detects, ascending; see :func:`detections`."""
    panel = detections(values, alpha=alpha, robust=robust, unit=unit, levels=levels)
    return tuple(sorted({place for detection in panel for place in detection.places}))


def among_highest(values: Reals, places: Sequence[int], unknown: Sequence[int]) -> tuple[tuple[int, ...], float]:
    """Return which of some places are among as many highest ones, and how likely at least that many are by chance.

    Parameters
    ----------
    values
        One number per place.
    places
        The places to find, all of them unknown.
    unknown
        All places that can be confused; those that everybody knows are left out.

    Examples
    --------
    >>> among_highest(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [8, 9], range(10))[0]
    (8, 9)
    >>> round(among_highest(np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 9, 10]), [8, 9], range(10))[1], 4)
    0.0222
    """
    n_unknown, n_places = len(unknown), len(places)
    if not 0 < 2 * n_places <= n_unknown:
        return (), 1.0
    highest, hits = _expected_hits(values, places, unknown)
    return highest, _chance(n_unknown, n_places, math.floor(hits + 1e-9))


def _expected_hits(values: Reals, places: Sequence[int], unknown: Sequence[int]) -> tuple[tuple[int, ...], float]:
    """Return which of some places can be among as many highest ones, and how many are expected to be."""
    n_unknown, n_places = len(unknown), len(places)
    compared = values[list(unknown)]
    cut = float(np.partition(compared, n_unknown - n_places)[n_unknown - n_places])
    of_places = values[list(places)]
    n_tied, n_open = int((compared == cut).sum()), n_places - int((compared > cut).sum())
    # an observer picks any of equal places
    hits = int((of_places > cut).sum()) + int((of_places == cut).sum()) * n_open / n_tied
    return tuple(place for place, value in zip(places, of_places.tolist(), strict=True) if value >= cut), hits


def crowded_at_top(values: Reals, places: Sequence[int], unknown: Sequence[int]) -> tuple[int, ...]:
    """Return which of some places are so high that naming the highest ones finds them far more often than chance.

    Wherever the highest places are cut off, the odds that one of them is to be found may be at most three times those
    of any place; and among as many highest places as are to be found, at most a quarter more may be hits than by
    chance. So one place among twenty has at least seven others above it.

    Parameters
    ----------
    values, places, unknown
        As for :func:`among_highest`.

    Examples
    --------
    >>> crowded_at_top(np.array([5.0, 5, 5, 5, 60, 80, 80, 5, 5, 5]), [4], range(10))
    (4,)
    >>> crowded_at_top(np.array([5.0, 9, 5, 5, 6, 80, 80, 5, 5, 5]), [4], range(10))
    ()
    """
    n_unknown, n_places = len(unknown), len(places)
    if not places or n_places == n_unknown:
        return ()
    highest, hits = _expected_hits(values, places, unknown)
    if hits > MAX_HIT_RATIO * n_places * n_places / n_unknown + 1e-9:
        return highest
    of_places = values[list(places)]
    ascending, ascending_places = np.sort(values[list(unknown)]), np.sort(of_places)
    for cut in np.unique(of_places).tolist():
        n_above = ascending.size - int(np.searchsorted(ascending, cut, side="left"))
        n_right = ascending_places.size - int(np.searchsorted(ascending_places, cut, side="left"))
        if n_right * (n_unknown - n_places) > MAX_ODDS_RATIO * n_places * (n_above - n_right):
            return tuple(place for place, value in zip(places, of_places.tolist(), strict=True) if value >= cut)
    return ()


def revealed_by_rank(
    values: Reals, original: Reals, places: Sequence[int], unknown: Sequence[int], *, alpha: float
) -> tuple[int, ...]:
    """Return which of some places are revealed by their ranks: high ones that are still high, or low ones still low.

    Parameters
    ----------
    values
        One number per place, as an observer sees it.
    original
        The signal in which the places were high or low.
    places, unknown
        As for :func:`among_highest`.
    alpha
        The level of the techniques; ranks are tested at the largest level at which these are applied.

    Examples
    --------
    >>> revealed_by_rank(np.arange(10.0), np.arange(10.0) ** 2, [9], range(10), alpha=0.01)
    (9,)
    """
    level = min(alpha * LEVELS[-1], max(LARGEST_ALPHA, alpha))
    median = quartiles(np.sort(original))[1]
    high = tuple(place for place in places if original[place] >= median)
    low = tuple(place for place in places if place not in high)
    revealed: tuple[int, ...] = ()
    for signal, side in ((values, high), (-values, low)):
        highest, chance = among_highest(signal, side, unknown)
        revealed += highest if chance <= level else crowded_at_top(signal, side, unknown)
    return revealed


@lru_cache(maxsize=4096)
def _chance(n_unknown: int, n_places: int, hits: int) -> float:
    """Return how likely at least this many of some places are among as many drawn ones."""
    ways = sum(
        math.comb(n_places, right) * math.comb(n_unknown - n_places, n_places - right)
        for right in range(hits, n_places + 1)
    )
    return ways / math.comb(n_unknown, n_places)


def chance_correlation(true: Reals, observed: Reals, places: Sequence[int], alpha: float) -> float:
    """Return the correlation of two signals that chance exceeds only at a level.

    Chance means that the values of some places are dealt to places drawn at random, in exchange for theirs. So
    agreement at all other places does not count, and if places are well hidden the correlation is above as often as
    below.

    Parameters
    ----------
    true, seen
        The signal of the original, and the observed one.
    places
        The places that must not be found.
    alpha
        The level.

    Returns
    -------
    float
        1 if there are so few ways to deal that nothing is beyond chance.
    """
    dealt_places = np.array(places, dtype=np.int64)
    if not dealt_places.size or math.comb(true.size, dealt_places.size) * alpha < 1:
        return 1.0
    rng = np.random.default_rng(0)
    correlations = np.empty(N_DEALS)
    for deal in range(N_DEALS):
        order = np.arange(true.size)
        drawn = rng.choice(true.size, dealt_places.size, replace=False)
        for place, partner in zip(dealt_places.tolist(), drawn.tolist(), strict=True):
            order[[place, partner]] = order[[partner, place]]
        correlations[deal] = correlation(true[order], observed)
    return float(np.quantile(correlations, 1.0 - alpha, method="higher"))


def correlation(first: Reals, second: Reals) -> float:
    """Return the correlation of two signals, by sums in a fixed order; 0 if one of them is constant."""
    deviations, compared = first - first.mean(), second - second.mean()
    size = math.sqrt(float((deviations * deviations).sum()) * float((compared * compared).sum()))
    return float((deviations * compared).sum()) / size if size > 0 else 0.0
