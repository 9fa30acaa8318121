"""What somebody sees who does not know the vital attributes, and takes records for members by others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sfumato.arrays import Flags, Reals
from sfumato.groups.group import Places
from sfumato.groups.panel import LEVELS
from sfumato.groups.regions import looks_within
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

    @property
    def unit(self) -> float:
        """What one person is in the signal: the mean membership of those who are taken for members."""
        claimed = self.memberships[self.claimed]
        return float(claimed.mean()) if claimed.size else 1.0

    def looks(
        self, signal: Signal, *, alpha: float | None = None, levels: Sequence[float] = LEVELS
    ) -> dict[str, tuple[int, ...]]:
        """Return which places each technique finds, by its name; all that equal an outlier, which is no cover."""
        return looks_within(
            signal, self.regions, alpha=alpha or self.alpha, robust=self.robust, unit=self.unit, levels=levels
        )

    def shown(self, places: Places, hidden: Sequence[int], *, alpha: float | None = None) -> tuple[int, ...]:
        """Return which hidden places any technique finds."""
        found = {place for its in self.looks(self.signal(places), alpha=alpha).values() for place in its}
        return tuple(place for place in hidden if place in found)


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
