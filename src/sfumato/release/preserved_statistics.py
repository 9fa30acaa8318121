"""The statistics that a release was shaped to preserve, estimated from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sfumato.errors import SfumatoError
from sfumato.progress import Progress, silent, within
from sfumato.release.release import Release
from sfumato.statistics import Estimate, Regression


@dataclass(frozen=True)
class PreservedNumber:
    """One number of a statistic."""

    statistic: str
    """The statistic."""
    coefficient: str | None
    """Which coefficient of a regression."""
    estimate: Estimate
    """Its estimate."""
    accuracy: float | None = None
    """Target accuracy, if given."""

    @property
    def name(self) -> str:
        """The statistic, with the coefficient."""
        return self.statistic if self.coefficient is None else f"{self.statistic}: {self.coefficient}"


@dataclass(frozen=True)
class PreservedStatistic:
    """A statistic that was to be preserved."""

    statistic: str
    """The statistic."""
    estimate: Estimate | Regression | None
    """Its estimate from the release."""
    refusal: str = ""
    """Why it could not be estimated."""
    accuracy: float | None = None
    """Target accuracy, if given."""

    @property
    def numbers(self) -> tuple[PreservedNumber, ...]:
        """Every number that it consists of."""
        if isinstance(self.estimate, Regression):
            return tuple(
                PreservedNumber(self.statistic, name, estimate, self.accuracy)
                for name, estimate in self.estimate.items()
            )
        return () if self.estimate is None else (PreservedNumber(self.statistic, None, self.estimate, self.accuracy),)


def preserved_by(release: Release, *, progress: Progress = silent) -> tuple[PreservedStatistic, ...]:
    """Estimate every statistic that the settings of the release preserve.

    Parameters
    ----------
    release
        The release, whose weight is used if it has one.
    progress
        Called while working.
    """
    setting = release.settings.get("preserve")
    requests = [entry for entry in setting if isinstance(entry, Mapping)] if isinstance(setting, list) else []
    preserved = []
    for position, request in enumerate(requests):
        text, accuracy = str(request.get("statistic")), request.get("accuracy")
        target = float(accuracy) if isinstance(accuracy, int | float) and accuracy > 0 else None
        progress(text, position / len(requests))
        step = within(progress, position / len(requests), (position + 1) / len(requests))
        try:
            estimate = release.estimate(text, weight=release.promise.weight, progress=step)
            preserved.append(PreservedStatistic(text, estimate, accuracy=target))
        except SfumatoError as error:
            preserved.append(PreservedStatistic(text, None, error.message))
    return tuple(preserved)
