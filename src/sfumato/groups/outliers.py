"""The modified Thompson tau technique: which values of a signal do not go with the rest (TC16, steps 1 to 4).

The value farthest from the centre is removed if it is farther than tau spreads, then centre and spread are computed
anew (ERRATA 004-11, 004-12), until nothing is that far or two values are left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from sfumato.arrays import Reals
from sfumato.errors import SettingError
from sfumato.groups.techniques import TECHNIQUES, Technique, found_with
from sfumato.printing import quiet

NORMAL_QUARTILES = 1.349
"""How many deviations the quartiles of a normal distribution are apart."""
NORMAL_DISTANCES = math.sqrt(math.pi / 2)
"""How many mean distances from the centre the deviation of a normal distribution is."""
ROUNDING = 1e-12
"""By so much of the largest value a distance may exceed the threshold: it is what arithmetic may have added."""
FEWEST = 3
"""Two values are always equally far from their centre."""


@runtime_checkable
class Labelled(Protocol):
    """A signal that knows its places."""

    @property
    def labels(self) -> tuple[str, ...]:
        """One name a place."""

    @property
    def values(self) -> Reals:
        """One number a place."""


class Step(NamedTuple):
    """One look at the values that are left."""

    m: int
    """How many there are."""
    centre: float
    """Their median or mean."""
    spread: float
    """How far they usually are from it."""
    threshold: float
    """A value farther from the centre than this is an outlier, if it is the farthest."""


@quiet
@dataclass(frozen=True)
class Outliers:
    """Which places of a signal stand out. It is a proposal: a steward may know better."""

    indices: tuple[int, ...]
    """The places, from 0, ascending."""
    labels: tuple[str, ...]
    """Their names; their numbers where the signal had no names."""
    order: tuple[int, ...]
    """The places in the order of their removal; those of other techniques follow in their own order."""
    steps: tuple[Step, ...]
    """What each look of the modified Thompson tau technique saw; the last one found nothing."""

    def __contains__(self, place: object) -> bool:
        return place in self.indices

    def __len__(self) -> int:
        return len(self.indices)


@lru_cache(maxsize=4096)
def tau(m: int, alpha: float) -> float:
    """Return how many spreads a value of a signal may be away from the centre.

    Parameters
    ----------
    m
        How many values there are, at least three.
    alpha
        The significance level.

    Examples
    --------
    >>> round(tau(16, 0.01), 4)
    2.3347
    """
    from scipy.stats import t as student

    check_alpha(alpha)
    if m < FEWEST:
        raise SettingError(f"tau needs at least {FEWEST} values (given: {m})")
    # the last digits of the quantile differ from machine to machine
    critical = float(f"{student.isf(alpha / 2.0, m - 2):.12g}")
    # TC16 (6); critical^2 could be beyond all numbers
    ratio = 1.0 / math.sqrt(1.0 + (m - 2) / critical / critical) if math.isfinite(critical) else 1.0
    return ratio * (m - 1) / math.sqrt(m)


def outliers(
    signal: Labelled | ArrayLike,
    alpha: float = 0.01,
    robust: bool = True,
    *,
    floor: float | None = None,
    technique: Technique | Literal["any"] = "tau",
) -> Outliers:
    """Find the values that do not go with the rest of a signal.

    Parameters
    ----------
    signal
        A signal, or one number a place.
    alpha
        The significance level; the larger, the more places are found.
    robust
        Whether centre and spread are the median and the quartiles' distance over 1.349, which outliers hardly
        change, or the mean and the deviation.
    floor
        The spread to take where the quartiles coincide, which is so if the middle half of the values are equal.
        Every other value would then be an outlier, however near
        (ERRATA 004-13). Default: the mean distance of all values from their median, times sqrt(pi / 2), which is the
        deviation if they are normal. It is taken once, before anything is removed, for a spread that shrinks with each
        removal would again find them all. A single peak on a flat signal is always found, as are several that are
        alike. 0 is the technique as printed.
    technique
        "tau" is the modified Thompson tau technique, which several outliers together can deceive: once they are a
        quarter of the places, they widen the quartiles. The others withstand that: "median" measures by the median
        distance, "deviates" tests generalised extreme Studentized deviates, "gap" looks for a gap as wide as all the
        rest. "any" is what any of the four finds: masks and verdicts are judged by it.

    Examples
    --------
    >>> found = outliers([19, 12, 153, 71, 13, 79, 7, 33, 16, 270, 812, 135, 241, 14, 60, 4337], robust=False)
    >>> found.indices, found.order
    ((10, 15), (15, 10))
    >>> outliers([0] * 30 + [1, 2, 3, 50]).indices
    (33,)
    >>> several = [5, 5, 5, 5, 90, 100, 110, 120, 5, 5]
    >>> outliers(several).indices, outliers(several, technique="any").indices
    ((), (4, 5, 6, 7))
    """
    check_alpha(alpha)
    if floor is not None and not (math.isfinite(floor) and floor >= 0):
        raise SettingError(f"floor must be a number from 0 on (given: {floor})")
    values = read_values(signal.values if isinstance(signal, Labelled) else signal)
    names = signal.labels if isinstance(signal, Labelled) else tuple(map(str, range(values.size)))
    if technique != "any" and technique not in TECHNIQUES:
        raise SettingError(f"technique must be {', '.join(TECHNIQUES)} or any (given: {technique!r})")
    removals = list(_removals(values, alpha, robust, floor)) if technique in ("tau", "any") else []
    order = tuple(place for _, place in removals if place is not None)
    for other in TECHNIQUES[1:]:
        if technique in (other, "any"):
            order += tuple(place for place in found_with(other, values, alpha=alpha) if place not in order)
    indices = tuple(sorted(order))
    steps = tuple(step for step, _ in removals)
    return Outliers(indices, tuple(names[index] for index in indices), order, steps)


def stands_out(values: Reals, places: Sequence[int], *, alpha: float, robust: bool) -> bool:
    """Tell whether any of some places has the value of an outlier; looks no farther than to the first that has."""
    theirs = {float(values[place]) for place in places}
    removals = _removals(values, alpha, robust, None)
    return any(place is not None and float(values[place]) in theirs for _, place in removals)


def quartiles(ascending: Reals) -> tuple[float, float, float]:
    """Return lower quartile, median and upper quartile of sorted values: TC16 (7), (8).

    The quartiles are the medians of the halves; an odd middle belongs to both.

    >>> quartiles(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    (2.0, 3.0, 4.0)
    """
    size = ascending.size
    low, middle, high = lower_ranks(size), middle_ranks(size), upper_ranks(size)
    return _middle(ascending, *low), _middle(ascending, *middle), _middle(ascending, *high)


def middle_ranks(m: int) -> tuple[int, int]:
    """Return between which two of m sorted values the median lies, from 0; twice the same where it is one of them."""
    return (m - 1) // 2, m // 2


def lower_ranks(m: int) -> tuple[int, int]:
    """Return between which two of m sorted values the lower quartile lies."""
    return middle_ranks((m + 1) // 2)


def upper_ranks(m: int) -> tuple[int, int]:
    """Return between which two of m sorted values the upper quartile lies."""
    low, high = lower_ranks(m)
    return m - 1 - high, m - 1 - low


def read_values(values: ArrayLike) -> Reals:
    """Return one finite number a place."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise SettingError("a signal is one number a place; what was given is not made of numbers") from None
    if numbers.ndim != 1 or numbers.size == 0:
        raise SettingError(f"a signal is one number a place (given: an array of shape {numbers.shape})")
    if not np.isfinite(numbers).all():
        place = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise SettingError(f"a signal must be finite; place {place} (from 0) is not")
    return numbers


def check_alpha(alpha: float) -> None:
    """Refuse what is no significance level."""
    if not 0.0 < alpha < 1.0:
        raise SettingError(f"alpha must lie between 0 and 1 (given: {alpha})", hint="usual ones are 0.01 and 0.05")


def _removals(values: Reals, alpha: float, robust: bool, floor: float | None) -> Iterator[tuple[Step, int | None]]:
    """Remove the farthest value as long as it is too far; since it is the lowest or highest, a sorted range is left.

    Yields what each look saw and the place that it removed.
    """
    places = np.argsort(values, kind="stable")
    ascending = values[places]
    slack = ROUNDING * float(np.abs(ascending).max())
    if floor is None:
        median = quartiles(ascending)[1]
        floor = NORMAL_DISTANCES * float(np.abs(ascending - median).mean())
    first, last = 0, ascending.size
    while last - first >= FEWEST:
        left = ascending[first:last]
        if robust:
            low, centre, high = quartiles(left)
            spread = (high - low) / NORMAL_QUARTILES if high - low > slack else floor
        else:
            centre, spread = float(left.mean()), float(left.std(ddof=1))
        threshold = tau(left.size, alpha) * spread
        step = Step(left.size, centre, spread, threshold)
        above, below = float(left[-1]) - centre, centre - float(left[0])
        if max(above, below) <= threshold + slack:
            yield step, None
            return
        # of two equally far the higher one, of equal values the first place
        if above >= below - slack:
            last -= 1
            yield step, _first_of_equals(places, ascending, first, last)
        else:
            first += 1
            yield step, int(places[first - 1])


def _first_of_equals(places: np.typing.NDArray[np.intp], ascending: Reals, first: int, last: int) -> int:
    """Take out the first place that has the highest value left."""
    start = max(int(np.searchsorted(ascending, ascending[last], side="left")), first)
    place = int(places[start])
    places[start:last] = places[start + 1 : last + 1]
    return place


def _middle(ascending: Reals, low: int, high: int) -> float:
    return float(ascending[low] + ascending[high]) / 2
