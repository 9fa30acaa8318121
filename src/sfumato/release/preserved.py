"""The statistics that a release was shaped to preserve, and what it tells of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.errors import SfumatoError
from sfumato.progress import Progress, silent, within
from sfumato.release.release import Release
from sfumato.statistics.estimate import Estimate, Regression


@dataclass(frozen=True)
class Part:
    """One number of a statistic."""

    statistic: str
    coefficient: str | None
    """Which of a regression's."""
    estimate: Estimate
    accuracy: float | None = None
    """The uncertainty that would have been welcome, if that was said."""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.statistic if self.coefficient is None else f"{self.statistic}: {self.coefficient}"


@dataclass(frozen=True)
class Told:
    """A statistic that was to be preserved."""

    statistic: str
    found: Estimate | Regression | None
    """What the release tells of it."""
    refusal: str = ""
    """Why it tells nothing."""
    accuracy: float | None = None
    """The uncertainty that would have been welcome, if that was said."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """Every number that it consists of."""
        if isinstance(self.found, Regression):
            return tuple(Part(self.statistic, name, one, self.accuracy) for name, one in self.found.items())
        return () if self.found is None else (Part(self.statistic, None, self.found, self.accuracy),)


def preserved_by(release: Release, *, progress: Progress = silent) -> tuple[Told, ...]:
    """Estimate every statistic that was to be preserved, as the settings of the release say.

    Parameters
    ----------
    release
        The release, whose weight is used if it has one.
    progress
        Told how far the work is.
    """
    given = release.settings.get("preserve")
    wanted = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    found = []
    for place, one in enumerate(wanted):
        text, accuracy = str(one.get("statistic")), one.get("accuracy")
        welcome = float(accuracy) if isinstance(accuracy, int | float) and accuracy > 0 else None
        progress(text, place / len(wanted))
        part = within(progress, place / len(wanted), (place + 1) / len(wanted))
        try:
            estimate = release.estimate(text, weight=release.promise.weight, progress=part)
            found.append(Told(text, estimate, accuracy=welcome))
        except SfumatoError as error:
            found.append(Told(text, None, error.message))
    return tuple(found)
