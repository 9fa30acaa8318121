"""Signals: one number per place, and what can be seen in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.groups.outlier_techniques import Technique
from sfumato.groups.thompson_tau import Outliers, outliers, read_values
from sfumato.notebook_tables import table
from sfumato.quiet_repr import quiet

SignalKind = Literal["quantity", "concentration", "difference"]


@quiet
@dataclass(frozen=True)
class Extremes:
    """The places where a signal is largest and smallest."""

    highest: tuple[int, ...]
    """The places of the largest value."""
    lowest: tuple[int, ...]
    """The places of the smallest value."""
    peaks: tuple[int, ...]
    """The places that are higher than both their neighbours, the first of a plateau. Ends have one neighbour."""


@quiet
@dataclass(frozen=True, eq=False)
class Signal:
    """One number per place: the number of a group's members, their share, or how much it exceeds another share.

    Examples
    --------
    >>> places = "north", "south", "west", "east", "isle", "hills"
    >>> signal = Signal(places, np.array([3.0, 4.0, 90.0, 2.0, 4.0, 1.0]), "quantity")
    >>> signal.outliers().labels
    ('west',)
    >>> signal.as_dict()["south"]
    4.0
    """

    labels: tuple[str, ...]
    """The names of the places, in the parameter's order."""
    values: Reals
    """One number per place."""
    kind: SignalKind
    """What the numbers are."""

    def __post_init__(self) -> None:
        if self.kind not in ("quantity", "concentration", "difference"):
            raise SettingError(f"a signal is a quantity, concentration or difference (given: {self.kind!r})")
        values = read_values(self.values).copy()
        if len(self.labels) != values.size:
            raise SettingError(f"a signal needs one label per value (given: {len(self.labels)} and {values.size})")
        if len(set(self.labels)) != len(self.labels):
            raise SettingError("a signal's labels must differ from each other")
        if self.kind == "quantity" and (values < 0).any():
            raise SettingError("a quantity cannot be negative")
        values.flags.writeable = False
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Signal):
            return NotImplemented
        same = self.kind == other.kind and self.labels == other.labels
        return same and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash((self.kind, self.labels, self.values.tobytes()))

    def as_dict(self) -> dict[str, float]:
        """Return the numbers by place."""
        return dict(zip(self.labels, self.values.tolist(), strict=True))

    def _repr_html_(self) -> str:
        return table(f"Signal of {len(self):,} places", ("place", self.kind), list(self.as_dict().items()))

    @property
    def mean(self) -> float:
        """The mean over places."""
        return float(self.values.mean())

    @property
    def deviation(self) -> float:
        """The sample standard deviation over places; 0 for a single place."""
        return float(self.values.std(ddof=1)) if len(self) > 1 else 0.0

    @property
    def extremes(self) -> Extremes:
        """Where the signal is largest and smallest, overall and among neighbours."""
        values = self.values
        highest, lowest = (np.flatnonzero(values == end).tolist() for end in (values.max(), values.min()))
        starts = np.flatnonzero(np.concatenate(([True], np.diff(values) != 0)))
        levels = np.concatenate(([-np.inf], values[starts], [-np.inf]))
        peaks = starts[(levels[1:-1] > levels[:-2]) & (levels[1:-1] > levels[2:])].tolist()
        # a flat signal has no peak
        return Extremes(tuple(highest), tuple(lowest), tuple(peaks) if starts.size > 1 else ())

    def outliers(
        self, alpha: float = 0.01, robust: bool = True, *, technique: Technique | Literal["any"] = "tau"
    ) -> Outliers:
        """Find the places that stand out; see :func:`~sfumato.groups.thompson_tau.outliers`."""
        return outliers(self, alpha, robust, technique=technique)

    def details(self, wavelet: str = "db2", level: int | None = None) -> tuple[Reals, ...]:
        """Return the signal's quick changes: one array with a number per place for each level, the finest first.

        The signal less all of them is its approximation at the last level.

        Parameters
        ----------
        wavelet
            The name of a wavelet of PyWavelets.
        level
            How often to halve the frequencies; default: as often as the signal's length allows.
        """
        from sfumato.groups.wavelet_transform import deepest_level, details_of

        return details_of(self.values, wavelet, deepest_level(len(self), wavelet) if level is None else level)

    def periodogram(self) -> tuple[Reals, Reals]:
        """Return frequencies, in cycles per place, and the part of the variance (over n) at each of them."""
        waves = np.abs(np.fft.rfft(self.values - self.mean)) ** 2 / len(self) ** 2
        # every frequency but 0, and but the highest if the number of places is even, represents a pair
        waves[1 : (len(self) + 1) // 2] *= 2.0
        return np.arange(waves.size) / len(self), waves
