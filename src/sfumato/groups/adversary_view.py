"""An adversary's estimate of group membership, made from other attributes than the vital ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sfumato.array_types import Flags, Reals
from sfumato.groups.group import Places
from sfumato.groups.outlier_panel import LEVELS
from sfumato.groups.regional_signals import detected_within
from sfumato.groups.signals import Signal
from sfumato.microfile import Microfile
from sfumato.progress import Progress

VITAL_ATTRIBUTES = "the vital attributes"
"""The name of the view of somebody who sees the vital attributes themselves."""


@dataclass(frozen=True)
class AdversaryView:
    """The degree to which each record is taken for a member, and how outlying places are found by it.

    What a record is taken for does not depend on its place, so a view stays valid when records swap their places.
    """

    name: str
    """The name of the adversary."""
    memberships: Reals
    """One per record; 0 for those who are not taken for members."""
    alpha: float
    """The level at which a place stands out."""
    robust: bool
    """Whether distances are measured from the median."""
    regions: tuple[str, ...] | None = None
    """The region of each place, if each region is judged separately."""

    @property
    def claimed(self) -> Flags:
        """The records that are taken for members."""
        claimed: Flags = self.memberships > 0
        return claimed

    def signal(self, places: Places) -> Signal:
        """Return the sum of memberships at each place, TC16 (9)."""
        return Signal(places.labels, places.count(self.claimed, self.memberships), "quantity")

    def crisp_signal(self, places: Places) -> Signal:
        """Return the number of records at each place that are taken for members, TC16 (17)."""
        return Signal(places.labels, places.count(self.claimed), "quantity")

    @property
    def unit(self) -> float:
        """What one person amounts to in the signal: the mean membership of those who are taken for members."""
        claimed = self.memberships[self.claimed]
        return float(claimed.mean()) if claimed.size else 1.0

    def detected(
        self, signal: Signal, *, alpha: float | None = None, levels: Sequence[float] = LEVELS
    ) -> dict[str, tuple[int, ...]]:
        """Return the places that each technique detects, by its name, and all that equal an outlier."""
        return detected_within(
            signal, self.regions, alpha=alpha or self.alpha, robust=self.robust, unit=self.unit, levels=levels
        )

    def revealed(self, places: Places, hidden: Sequence[int], *, alpha: float | None = None) -> tuple[int, ...]:
        """Return which hidden places any technique detects."""
        by_technique = self.detected(self.signal(places), alpha=alpha)
        detected = {place for outliers in by_technique.values() for place in outliers}
        return tuple(place for place in hidden if place in detected)


@runtime_checkable
class Adversary(Protocol):
    """An attack that exposes its estimate of each record's membership."""

    @property
    def random(self) -> bool:
        """Whether each attempt gives another view."""

    def sighting(self, microfile: Microfile, *, attempt: int, progress: Progress) -> AdversaryView:
        """Return the attack's view of a file.

        Parameters
        ----------
        microfile
            The file, with the vital attributes, which the attack does not use.
        attempt
            The number of the attempt: what is drawn at random is drawn again in each.
        progress
            Called with the share of the work done.
        """
