"""What somebody sees who does not know the vital attributes, and takes records for members by others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sfumato.arrays import Flags, Reals
from sfumato.groups.group import Places
from sfumato.groups.regions import outliers_within
from sfumato.groups.signals import Signal
from sfumato.microfile.microfile import Microfile
from sfumato.progress import Progress


@dataclass(frozen=True)
class Sighting:
    """How far each record is taken for a member, and how the places that stand out are told by it.

    Where a record is does not matter for what it is taken for, so that a sighting stays what it is when records
    exchange their places.
    """

    name: str
    """Whose it is."""
    memberships: Reals
    """One a record; nought for those who are not taken for members."""
    alpha: float
    """The level by which a place stands out."""
    robust: bool
    """Whether it is measured from the median."""
    regions: tuple[str, ...] | None = None
    """The region of each place, if each is looked at by itself."""

    @property
    def claimed(self) -> Flags:
        """Who is taken for a member."""
        found: Flags = self.memberships > 0
        return found

    def signal(self, places: Places) -> Signal:
        """Return the sum of memberships at each place, TC16 (9)."""
        return Signal(places.labels, places.count(self.claimed, self.memberships), "quantity")

    def crisp(self, places: Places) -> Signal:
        """Return how many records of each place are taken for members, TC16 (17)."""
        return Signal(places.labels, places.count(self.claimed), "quantity")

    def shown(self, places: Places, hidden: Sequence[int], *, alpha: float | None = None) -> tuple[int, ...]:
        """Return which hidden places stand out; all that equal an outlier do, for an equal one is no cover."""
        signal = self.signal(places)
        found = outliers_within(signal, self.regions, alpha=alpha or self.alpha, robust=self.robust)
        values = {(self._region(place), float(signal.values[place])) for place in found}
        return tuple(place for place in hidden if (self._region(place), float(signal.values[place])) in values)

    def _region(self, place: int) -> str:
        return "" if self.regions is None else self.regions[place]


@runtime_checkable
class Onlooker(Protocol):
    """An attack that can be looked through: it tells what it takes records for."""

    @property
    def random(self) -> bool:
        """Whether each attempt sees something else."""

    def sighting(self, microfile: Microfile, *, attempt: int, progress: Progress) -> Sighting:
        """Return what it sees in a file.

        Parameters
        ----------
        microfile
            The file, with the vital attributes, at which it does not look.
        attempt
            Which of several tries it is: what is drawn at random is drawn anew in each.
        progress
            Told how far it is.
        """
