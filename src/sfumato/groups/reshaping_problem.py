"""The reshaping problem: a signal, the places to hide in it, and what must stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Counts, Flags, Reals
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.integer_rounding import largest_remainders
from sfumato.groups.outlier_panel import detections, revealed_by_rank
from sfumato.groups.thompson_tau import check_alpha, outliers, quartiles, read_values, stands_out

FEWEST_PLACES = 3
"""Among fewer places nothing can stand out, so nothing can be hidden."""


@dataclass(frozen=True)
class Reshaping:
    """Counts to reshape so that hidden places no longer stand out; places are indices from 0.

    The signal may be the counts themselves, their shares of the universe's sizes, or these less a subordinate
    concentration. It is reshaped in its own domain; the result is always counts, with the same total.

    Examples
    --------
    >>> task = Reshaping([3, 4, 5, 4, 90], hidden=[4])
    >>> task.flagged(task.counts)
    (4,)
    >>> task.flagged([20, 21, 22, 21, 22])
    ()
    """

    counts: Counts
    """The number of members at each place."""
    hidden: tuple[int, ...]
    """The places that must not stand out."""
    fixed: tuple[int, ...] = ()
    """Places that stay as they are."""
    capacities: Counts | None = None
    """The largest possible number of members at each place; default: the universe there if given, else any number."""
    alpha: float = 0.01
    """Significance level of the outliers."""
    robust: bool = True
    """Whether outliers are judged by median and quartiles."""
    sizes: Reals | None = None
    """The size of the universe at each place, for a concentration or difference."""
    subordinate: Reals | None = None
    """What is subtracted from the concentration, for a difference."""
    labels: tuple[str | None, ...] = ()
    """The names of the places for messages; places without a name are only counted there."""
    panel: bool = False
    """Whether places are hidden from the whole panel of techniques and from ranks, or only from TC16's technique."""
    ranked: tuple[int, ...] | None = None
    """The places that ranks must not reveal; default: the hidden ones. Fewer where others are hidden only because they
    came to stand out."""
    person: float | None = None
    """What one person amounts to in the counts; default: one."""
    original: Reals | None = None
    """The signal in which hidden places were high or low; default: that of the counts."""

    def __post_init__(self) -> None:
        counts = _read_counts(self.counts)
        check_alpha(self.alpha)
        if counts.size < FEWEST_PLACES:
            raise SettingError(f"a signal to reshape needs at least {FEWEST_PLACES} places (given: {counts.size})")
        hidden, fixed = (_read_places(places, counts.size) for places in (self.hidden, self.fixed))
        if not hidden:
            raise SettingError("name at least one place to hide")
        if both := set(hidden) & set(fixed):
            raise SettingError(f"a place cannot be both hidden and fixed (given: {min(both)})")
        if self.labels and len(self.labels) != counts.size:
            raise SettingError(f"{counts.size} places need as many labels (given: {len(self.labels)})")
        if self.subordinate is not None and self.sizes is None:
            raise SettingError("a difference needs the universe's sizes too", hint="give sizes")
        read: dict[str, object] = {"counts": counts, "hidden": hidden, "fixed": fixed}
        for name in ("sizes", "subordinate"):
            value = getattr(self, name)
            read[name] = None if value is None else _fitting(read_values(value), counts, name)
        sizes = read["sizes"]
        if isinstance(sizes, np.ndarray) and (sizes <= 0).any():
            raise SettingError("a concentration needs people of the universe at every place")
        if self.capacities is not None:
            read["capacities"] = _fitting(_read_counts(self.capacities), counts, "capacities")
        for name, value in read.items():
            object.__setattr__(self, name, value)
        if (self.greatest < counts).any():
            place = self.name(int(np.flatnonzero(self.greatest < counts)[0]))
            raise SettingError(f"more people are at {place} than its capacity or universe")

    @property
    def total(self) -> int:
        """The number of people."""
        return int(self.counts.sum())

    @cached_property
    def values(self) -> Reals:
        """The signal."""
        return self.signal_of(self.counts)

    @cached_property
    def weights(self) -> Reals:
        """The number of people per unit of the signal at each place."""
        return np.ones(self.counts.size) if self.sizes is None else self.sizes

    @cached_property
    def greatest(self) -> Counts:
        """The largest possible count of each place, at most the total."""
        greatest = np.full(self.counts.size, self.total, dtype=np.int64)
        if self.sizes is not None:
            greatest = np.minimum(greatest, np.floor(self.sizes + 1e-9).astype(np.int64))
        return greatest if self.capacities is None else np.minimum(greatest, self.capacities)

    @cached_property
    def bounds(self) -> tuple[Counts, Counts]:
        """The least and the largest count of each place; equal where it is fixed."""
        least, greatest = np.zeros_like(self.counts), self.greatest.copy()
        fixed = list(self.fixed)
        least[fixed] = greatest[fixed] = self.counts[fixed]
        return least, greatest

    @cached_property
    def others(self) -> Counts:
        """The places that are neither hidden nor fixed."""
        return np.setdiff1d(np.arange(self.counts.size), (*self.hidden, *self.fixed)).astype(np.int64)

    @cached_property
    def high(self) -> Flags:
        """The hidden places above the median, which have to come down."""
        return self.values[list(self.hidden)] >= quartiles(np.sort(self.values))[1]

    @cached_property
    def unit(self) -> float:
        """What one person amounts to in the signal."""
        person = 1.0 if self.person is None else self.person
        return person if self.sizes is None else person / float(np.median(self.sizes))

    @cached_property
    def unknown(self) -> tuple[int, ...]:
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
        """Return integer counts near a signal's, with the same total and within the bounds."""
        least, greatest = self.bounds
        return largest_remainders(self.counts_of(signal), self.total, lower=least, upper=greatest)

    def flagged(self, counts: ArrayLike) -> tuple[int, ...]:
        """Return which hidden places stand out in counts: all whose value is that of an outlier.

        Which of equal values is removed first is arbitrary, so a place is not hidden by one with an equal value.
        """
        signal = self.signal_of(counts)
        if self.panel:
            panel = detections(signal, alpha=self.alpha, robust=self.robust, unit=self.unit)
            detected = {place for detection in panel for place in detection.places} | {*self._revealed_by_rank(signal)}
            return tuple(place for place in self.hidden if place in detected)
        values = signal[list(outliers(signal, self.alpha, self.robust).indices)]
        return tuple(place for place in self.hidden if (values == signal[place]).any())

    def hides(self, counts: ArrayLike) -> bool:
        """Say whether no hidden place stands out in counts; like `flagged`, but faster."""
        signal = self.signal_of(counts)
        if stands_out(signal, self.hidden, alpha=self.alpha, robust=self.robust):
            return False
        if not self.panel:
            return True
        panel = detections(signal, alpha=self.alpha, robust=self.robust, unit=self.unit)
        hidden = {*self.hidden}
        return not self._revealed_by_rank(signal) and all(hidden.isdisjoint(detection.places) for detection in panel)

    def _revealed_by_rank(self, signal: Reals) -> tuple[int, ...]:
        places = self.hidden if self.ranked is None else self.ranked
        original = self.values if self.original is None else self.original
        return revealed_by_rank(signal, original, places, self.unknown, alpha=self.alpha)

    def moved(self, counts: ArrayLike) -> int:
        """Return how many people have to move to attain counts."""
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
            described = ", ".join(self.name(place) for place in still[:8]) + (", ..." if len(still) > 8 else "")
        else:
            described = f"{len(still):,} hidden place{'s' * (len(still) > 1)}"
        return UnattainableError(
            f"{described} cannot be hidden by {how} at alpha {self.alpha}", hint=hint, setting="hide"
        )


def _read_counts(counts: ArrayLike) -> Counts:
    """Return non-negative integers."""
    numbers = read_values(counts)
    if (numbers < 0).any() or (numbers != np.floor(numbers)).any():
        raise SettingError("counts of people must be non-negative integers")
    return numbers.astype(np.int64)


def _read_places(places: Sequence[int], size: int) -> tuple[int, ...]:
    """Return distinct places, ascending; refuse those that do not exist."""
    indices = sorted({int(place) for place in places})
    if indices and not (indices[0] >= 0 and indices[-1] < size):
        wrong = indices[0] if indices[0] < 0 else indices[-1]
        raise SettingError(f"place {wrong} does not exist; places are 0 to {size - 1}")
    return tuple(indices)


def _fitting(values: Reals | Counts, counts: Counts, name: str) -> Reals | Counts:
    if values.size != counts.size:
        raise SettingError(f"{name} must have one number per place (given: {values.size} for {counts.size} places)")
    return values
