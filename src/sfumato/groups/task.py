"""What a reshaping is given: a signal, the places to hide in it, and what must stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sfumato.arrays import Counts, Flags, Reals
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.outliers import check_alpha, outliers, quartiles, read_values, stands_out
from sfumato.groups.panel import LARGEST, LEVELS, crowding, looks_of, on_top
from sfumato.groups.rounding import largest_remainders

FEWEST_PLACES = 3
"""Among fewer places nothing can stand out, and nothing can hide."""


@dataclass(frozen=True)
class Reshaping:
    """Counts to reshape so that hidden places stand out no more; places are numbers from 0.

    The signal may be the counts themselves, their shares of the universe's sizes, or these less a subordinate
    concentration. It is reshaped in its own domain; what is asked for are always counts, with the same total.

    Examples
    --------
    >>> task = Reshaping([3, 4, 5, 4, 90], hidden=[4])
    >>> task.flagged(task.counts)
    (4,)
    >>> task.flagged([20, 21, 22, 21, 22])
    ()
    """

    counts: Counts
    """How many of the group are at each place."""
    hidden: tuple[int, ...]
    """The places that shall not stand out."""
    fixed: tuple[int, ...] = ()
    """Places that stay as they are."""
    capacities: Counts | None = None
    """How many can be at each place at most; default: the universe there if given, else any number."""
    alpha: float = 0.01
    """Significance level of the outliers."""
    robust: bool = True
    """Whether outliers are judged by median and quartiles."""
    sizes: Reals | None = None
    """The universe at each place, of a concentration or difference."""
    subordinate: Reals | None = None
    """What is subtracted from the concentration, of a difference."""
    labels: tuple[str | None, ...] = ()
    """The places' names, for messages; places without a name are only counted there."""
    panel: bool = False
    """Whether places are hidden from the whole panel of techniques and from who looks at ranks, or from TC16's only."""
    ranked: tuple[int, ...] | None = None
    """The places that ranks must not give away; default: the hidden ones. Fewer, where others are hidden only because
    they came to stand out."""
    person: float | None = None
    """What one person is in the counts; default: one."""
    original: Reals | None = None
    """The signal in which hidden places were high or low; default: that of the counts."""

    def __post_init__(self) -> None:
        counts = _read_counts(self.counts)
        check_alpha(self.alpha)
        if counts.size < FEWEST_PLACES:
            raise SettingError(f"a signal to reshape needs at least {FEWEST_PLACES} places (given: {counts.size})")
        hidden, fixed = (_read_places(places, counts.size) for places in (self.hidden, self.fixed))
        if not hidden:
            raise SettingError("there is no place to hide")
        if both := set(hidden) & set(fixed):
            raise SettingError(f"a place cannot be both hidden and fixed (given: {min(both)})")
        if self.labels and len(self.labels) != counts.size:
            raise SettingError(f"{counts.size} places need as many labels (given: {len(self.labels)})")
        if self.subordinate is not None and self.sizes is None:
            raise SettingError("a difference needs the universe's sizes too", hint="give sizes")
        read: dict[str, object] = {"counts": counts, "hidden": hidden, "fixed": fixed}
        for name in ("sizes", "subordinate"):
            given = getattr(self, name)
            read[name] = None if given is None else _fitting(read_values(given), counts, name)
        sizes = read["sizes"]
        if isinstance(sizes, np.ndarray) and (sizes <= 0).any():
            raise SettingError("a concentration needs people of the universe at every place")
        if self.capacities is not None:
            read["capacities"] = _fitting(_read_counts(self.capacities), counts, "capacities")
        for name, value in read.items():
            object.__setattr__(self, name, value)
        if (self.most < counts).any():
            place = self.name(int(np.flatnonzero(self.most < counts)[0]))
            raise SettingError(f"more people are at {place} than its capacity or universe")

    @property
    def total(self) -> int:
        """How many people there are."""
        return int(self.counts.sum())

    @cached_property
    def values(self) -> Reals:
        """The signal."""
        return self.signal_of(self.counts)

    @cached_property
    def weights(self) -> Reals:
        """How many people a unit of the signal is at each place."""
        return np.ones(self.counts.size) if self.sizes is None else self.sizes

    @cached_property
    def most(self) -> Counts:
        """How many people can be at each place, all of them at most."""
        most = np.full(self.counts.size, self.total, dtype=np.int64)
        if self.sizes is not None:
            most = np.minimum(most, np.floor(self.sizes + 1e-9).astype(np.int64))
        return most if self.capacities is None else np.minimum(most, self.capacities)

    @cached_property
    def bounds(self) -> tuple[Counts, Counts]:
        """The least and the largest count of each place; equal where it is fixed."""
        least, most = np.zeros_like(self.counts), self.most.copy()
        fixed = list(self.fixed)
        least[fixed] = most[fixed] = self.counts[fixed]
        return least, most

    @cached_property
    def others(self) -> Counts:
        """The places that are neither hidden nor fixed."""
        return np.setdiff1d(np.arange(self.counts.size), (*self.hidden, *self.fixed)).astype(np.int64)

    @cached_property
    def high(self) -> Flags:
        """Which of the hidden places are above the median, and have to come down."""
        return self.values[list(self.hidden)] >= quartiles(np.sort(self.values))[1]

    @cached_property
    def unit(self) -> float:
        """What one person is in the signal."""
        person = 1.0 if self.person is None else self.person
        return person if self.sizes is None else person / float(np.median(self.sizes))

    @cached_property
    def asked(self) -> tuple[int, ...]:
        """The places that are not fixed, and so not known to everybody."""
        return tuple(place for place in range(self.counts.size) if place not in self.fixed)

    def signal_of(self, counts: ArrayLike) -> Reals:
        """Return the signal of counts."""
        signal = np.asarray(counts, dtype=np.float64) / self.weights
        return signal if self.subordinate is None else signal - self.subordinate

    def counts_of(self, signal: Reals) -> Reals:
        """Return the counts of a signal, which need not be integers."""
        return (signal if self.subordinate is None else signal + self.subordinate) * self.weights

    def rounded(self, signal: Reals) -> Counts:
        """Return integer counts near a signal's, with the total kept and within the bounds."""
        least, most = self.bounds
        return largest_remainders(self.counts_of(signal), self.total, lower=least, upper=most)

    def flagged(self, counts: ArrayLike) -> tuple[int, ...]:
        """Return which hidden places stand out in counts: all whose value is that of an outlier.

        Which of equal values is removed first is a matter of taste, so that an equal one is no cover.
        """
        signal = self.signal_of(counts)
        if self.panel:
            looks = looks_of(signal, alpha=self.alpha, robust=self.robust, unit=self.unit)
            found = {place for look in looks for place in look.found} | {*self._on_top(signal)}
            return tuple(place for place in self.hidden if place in found)
        values = signal[list(outliers(signal, self.alpha, self.robust).indices)]
        return tuple(place for place in self.hidden if (values == signal[place]).any())

    def hides(self, counts: ArrayLike) -> bool:
        """Tell whether no hidden place stands out in counts; as `flagged`, but sooner."""
        signal = self.signal_of(counts)
        if stands_out(signal, self.hidden, alpha=self.alpha, robust=self.robust):
            return False
        if not self.panel:
            return True
        looks = looks_of(signal, alpha=self.alpha, robust=self.robust, unit=self.unit)
        hidden = {*self.hidden}
        return not self._on_top(signal) and all(hidden.isdisjoint(look.found) for look in looks)

    @cached_property
    def _sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ranked places that were above the median, and below."""
        places = self.hidden if self.ranked is None else self.ranked
        values = self.values if self.original is None else self.original
        median = quartiles(np.sort(values))[1]
        high = tuple(place for place in places if values[place] >= median)
        return high, tuple(place for place in places if place not in high)

    def given_away(self, counts: ArrayLike) -> tuple[int, ...]:
        """Return the hidden places that their ranks in counts give away, whatever techniques find."""
        return self._on_top(self.signal_of(counts))

    def _on_top(self, signal: Reals) -> tuple[int, ...]:
        level = min(self.alpha * LEVELS[-1], max(LARGEST, self.alpha))
        high, low = self._sides
        found: tuple[int, ...] = ()
        for values, places in ((signal, high), (-signal, low)):
            seen, chance = on_top(values, places, self.asked)
            if chance <= level:
                found += seen
            else:
                found += crowding(values, places, self.asked)
        return found

    def moved(self, counts: ArrayLike) -> int:
        """Return how many people have to move for counts to become others."""
        return int(np.maximum(np.asarray(counts) - self.counts, 0).sum())

    def name(self, place: int) -> str:
        """Name a place in a message."""
        if not self.labels:
            return f"place {place} (from 0)"
        label = self.labels[place]
        return "a place" if label is None else repr(label)

    def unattainable(self, counts: ArrayLike | None, how: str, hint: str) -> UnattainableError:
        """Say which place cannot be hidden, and what would help."""
        still = self.hidden if counts is None else self.flagged(counts) or self.hidden
        if all(self.labels[place] is not None for place in still if self.labels):
            told = ", ".join(self.name(place) for place in still[:8]) + (", ..." if len(still) > 8 else "")
        else:
            told = f"{len(still):,} hidden place{'s' * (len(still) > 1)}"
        return UnattainableError(f"{told} cannot be hidden by {how} at alpha {self.alpha}", hint=hint)


def _read_counts(counts: ArrayLike) -> Counts:
    """Return non-negative integers."""
    numbers = read_values(counts)
    if (numbers < 0).any() or (numbers != np.floor(numbers)).any():
        raise SettingError("counts of people must be integers from 0 on")
    return numbers.astype(np.int64)


def _read_places(places: Sequence[int], size: int) -> tuple[int, ...]:
    """Return places that exist, ascending and once each."""
    known = sorted({int(place) for place in places})
    if known and not (known[0] >= 0 and known[-1] < size):
        wrong = known[0] if known[0] < 0 else known[-1]
        raise SettingError(f"there is no place {wrong}; places are 0 to {size - 1}")
    return tuple(known)


def _fitting(values: Reals | Counts, counts: Counts, name: str) -> Reals | Counts:
    if values.size != counts.size:
        raise SettingError(f"{name} must have one number a place (given: {values.size} for {counts.size} places)")
    return values
