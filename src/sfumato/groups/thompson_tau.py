"""The modified Thompson tau technique: which values of a signal are outliers (TC16, steps 1 to 4).

The value farthest from the centre is removed if it is farther than tau spreads; then centre and spread are computed
again (ERRATA 004-11, 004-12), until no value is that far or two values are left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.groups.outlier_techniques import TECHNIQUES, Technique, detect_with
from sfumato.quiet_repr import quiet

NORMAL_QUARTILES = 1.349
"""The distance between the quartiles of a normal distribution, in deviations."""
NORMAL_DISTANCES = math.sqrt(math.pi / 2)
"""The deviation of a normal distribution, in mean distances from the centre."""
ROUNDING = 1e-12
"""The share of the largest value by which a distance may exceed the threshold, for rounding errors."""
FEWEST = 3
"""With fewer values there are no outliers: two values are always equally far from their centre."""


@runtime_checkable
class Labelled(Protocol):
    """A signal with names of its places."""

    @property
    def labels(self) -> tuple[str, ...]:
        """One name per place."""

    @property
    def values(self) -> Reals:
        """One number per place."""


class TauStep(NamedTuple):
    """One test of the remaining values."""

    m: int
    """The number of remaining values."""
    centre: float
    """Their median or mean."""
    spread: float
    """Their usual distance from the centre."""
    threshold: float
    """The farthest value is an outlier if its distance from the centre exceeds this."""


@quiet
@dataclass(frozen=True)
class Outliers:
    """The places of a signal that stand out. It is a proposal: a steward may know better."""

    indices: tuple[int, ...]
    """The indices of the places, from 0, ascending."""
    labels: tuple[str, ...]
    """Their names; their indices where the signal has no names."""
    order: tuple[int, ...]
    """The places in the order of their removal, then those of other techniques in ascending order."""
    steps: tuple[TauStep, ...]
    """The tests of the modified Thompson tau technique; the last one found nothing."""

    def __contains__(self, place: object) -> bool:
        return place in self.indices

    def __len__(self) -> int:
        return len(self.indices)


@lru_cache(maxsize=4096)
def tau(m: int, alpha: float) -> float:
    """Return how many spreads a value may be away from the centre.

    Parameters
    ----------
    m
        The number of values, at least three.
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
    # the last digits of the quantile differ between machines
    critical = float(f"{student.isf(alpha / 2.0, m - 2):.12g}")
    # TC16 (6); critical^2 could overflow
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
    """Find the outliers of a signal.

    Parameters
    ----------
    signal
        A signal, or one number per place.
    alpha
        The significance level; a larger one finds more places.
    robust
        Whether centre and spread are the median and the interquartile range over 1.349, which outliers hardly
        change, or the mean and the deviation.
    floor
        The spread to use where the quartiles coincide because the middle half of the values are equal. Otherwise
        every other value would be an outlier, however near (ERRATA 004-13). Default: the mean distance of all values
        from their median, times sqrt(pi / 2), which is the deviation of normal values. It is computed once, before any
        removal, because a spread that shrinks with each removal would again find them all. A single peak on a flat
        signal is always found, as are several equal ones. 0 is the technique as printed.
    technique
        "tau" is the modified Thompson tau technique. Several outliers together can mask each other: once they are a
        quarter of the places, they widen the quartiles. The other techniques withstand that: "median" uses the median
        distance from the median, "deviates" tests generalised extreme Studentized deviates, "gap" looks for a gap as
        wide as all the rest. "any" is what any of the four finds; masks and verdicts are judged by it.

    Examples
    --------
    >>> result = outliers([19, 12, 153, 71, 13, 79, 7, 33, 16, 270, 812, 135, 241, 14, 60, 4337], robust=False)
    >>> result.indices, result.order
    ((10, 15), (15, 10))
    >>> outliers([0] * 30 + [1, 2, 3, 50]).indices
    (33,)
    >>> several = [5, 5, 5, 5, 90, 100, 110, 120, 5, 5]
    >>> outliers(several).indices, outliers(several, technique="any").indices
    ((), (4, 5, 6, 7))
    """
    check_alpha(alpha)
    if floor is not None and not (math.isfinite(floor) and floor >= 0):
        raise SettingError(f"floor must be a non-negative number (given: {floor})", setting="floor")
    values = read_values(signal.values if isinstance(signal, Labelled) else signal)
    names = signal.labels if isinstance(signal, Labelled) else tuple(map(str, range(values.size)))
    if technique != "any" and technique not in TECHNIQUES:
        raise SettingError(
            f"technique must be {', '.join(TECHNIQUES)} or any (given: {technique!r})", setting="technique"
        )
    removals = list(_removals(values, alpha, robust, floor)) if technique in ("tau", "any") else []
    order = tuple(place for _, place in removals if place is not None)
    for robust_technique in TECHNIQUES[1:]:
        if technique in (robust_technique, "any"):
            detected = detect_with(robust_technique, values, alpha=alpha)
            order += tuple(place for place in detected if place not in order)
    indices = tuple(sorted(order))
    steps = tuple(step for step, _ in removals)
    return Outliers(indices, tuple(names[index] for index in indices), order, steps)


def stands_out(values: Reals, places: Sequence[int], *, alpha: float, robust: bool) -> bool:
    """Say whether any of some places has the value of an outlier; stops at the first one."""
    looked_for = {float(values[place]) for place in places}
    removals = _removals(values, alpha, robust, None)
    return any(place is not None and float(values[place]) in looked_for for _, place in removals)


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
    """Return the ranks, from 0, of the two of m sorted values whose mean is the median; twice the same if m is odd."""
    return (m - 1) // 2, m // 2


def lower_ranks(m: int) -> tuple[int, int]:
    """Return the ranks of the two of m sorted values whose mean is the lower quartile."""
    return middle_ranks((m + 1) // 2)


def upper_ranks(m: int) -> tuple[int, int]:
    """Return the ranks of the two of m sorted values whose mean is the upper quartile."""
    low, high = lower_ranks(m)
    return m - 1 - high, m - 1 - low


def read_values(values: ArrayLike) -> Reals:
    """Return one finite number per place."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise SettingError("a signal is one number per place; the given values are not numbers") from None
    if numbers.ndim != 1 or numbers.size == 0:
        raise SettingError(f"a signal is one number per place (given: an array of shape {numbers.shape})")
    if not np.isfinite(numbers).all():
        index = int(np.flatnonzero(~np.isfinite(numbers))[0])
        raise SettingError(f"a signal must be finite; the value at index {index} (from 0) is not")
    return numbers


def check_alpha(alpha: float) -> None:
    """Refuse a significance level that is not between 0 and 1."""
    if not 0.0 < alpha < 1.0:
        raise SettingError(
            f"alpha must be between 0 and 1 (given: {alpha})", hint="usual levels are 0.01 and 0.05", setting="alpha"
        )


def _removals(values: Reals, alpha: float, robust: bool, floor: float | None) -> Iterator[tuple[TauStep, int | None]]:
    """Remove the farthest value as long as it is too far; since it is the lowest or highest, a sorted range remains.

    Yields each test and the place that it removed.
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    slack = ROUNDING * float(np.abs(ascending).max())
    if floor is None:
        median = quartiles(ascending)[1]
        floor = NORMAL_DISTANCES * float(np.abs(ascending - median).mean())
    first, last = 0, ascending.size
    while last - first >= FEWEST:
        remaining = ascending[first:last]
        if robust:
            low, centre, high = quartiles(remaining)
            spread = (high - low) / NORMAL_QUARTILES if high - low > slack else floor
        else:
            centre, spread = float(remaining.mean()), float(remaining.std(ddof=1))
        threshold = tau(remaining.size, alpha) * spread
        step = TauStep(remaining.size, centre, spread, threshold)
        above, below = float(remaining[-1]) - centre, centre - float(remaining[0])
        if max(above, below) <= threshold + slack:
            yield step, None
            return
        # of two equally far values the higher one is removed, of equal values the first place
        if above >= below - slack:
            last -= 1
            yield step, _first_of_equals(order, ascending, first, last)
        else:
            first += 1
            yield step, int(order[first - 1])


def _first_of_equals(order: np.typing.NDArray[np.intp], ascending: Reals, first: int, last: int) -> int:
    """Remove and return the first place that has the highest remaining value."""
    start = max(int(np.searchsorted(ascending, ascending[last], side="left")), first)
    removed = int(order[start])
    order[start:last] = order[start + 1 : last + 1]
    return removed


def _middle(ascending: Reals, low: int, high: int) -> float:
    return float(ascending[low] + ascending[high]) / 2
