"""What all protections share: common settings, the stage of a recipe at which they run, and the way to a release."""

from __future__ import annotations

from abc import abstractmethod
from enum import IntEnum
from typing import Any, ClassVar

from pydantic import Field

from sfumato.logs import logged
from sfumato.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent, whole
from sfumato.randomness import Secret
from sfumato.release import Release, concerns_of, warn_of
from sfumato.roles import Names
from sfumato.settings import Settings


class Stage(IntEnum):
    """When a protection runs in a recipe: lower stages first."""

    GROUPS = 1
    """It hides groups and leaves attributes in their form, so other protections can follow it."""
    PEOPLE = 2
    """It protects single people and has a k; nothing can follow it."""


class Protection(Settings):
    """The frame of a protection: what every method can set, and how it is run.

    A method adds its own settings, makes the release in :meth:`_make_release` and is entered in
    :mod:`sfumato.protection_registry`.
    """

    log_name: ClassVar[str]
    """What the log calls it."""
    stage: ClassVar[Stage]
    """When it runs in a recipe."""

    identifiers: Names = ()
    """Attributes that name a person; they are never released."""
    weight: str | None = None
    """The number of people in the population that a record stands for."""
    seed: int | None = Field(default=None, ge=0, lt=2**31)
    """For demonstrations: the seed from which all random numbers are derived. Anybody who knows or guesses it can
    repeat the draws. Default: a secret drawn by the operating system and kept in the confidential record."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """The number of threads; the result does not depend on it. Default: the number of cores."""

    def protect(
        self, microfile: Microfile | Any, *, progress: Progress = silent, secret: Secret | str | None = None
    ) -> Release:
        """Protect a microfile and return the release.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        progress
            Called while the release is made.
        secret
            The secret from which all random numbers are derived: the ``secret`` of another release, or its text in the
            confidential record, which makes that release again. Default: a new secret. A ``seed`` takes precedence.

        Raises
        ------
        UnattainableError
            If the protection cannot be attained; it says what limits it and what would be attainable.

        Warns
        -----
        SfumatoWarning
            If an attribute that is released unchanged seems to name people or reveals a quasi attribute, or if the
            method has a concern of its own.
        """
        people = as_microfile(microfile)
        with logged(self.log_name) as note, whole(progress) as overall:
            release = self._make_release(people, overall, Secret.chosen(self.seed, secret))
            left_out = release.steward.left_out
            note(records=people.records, **({} if left_out is None else {"left_out": left_out}))
        warn_of([*self._disclosing_attributes(release, people), *self.concerns(release)])
        return release

    @abstractmethod
    def _make_release(self, people: Microfile, progress: Progress, secret: Secret) -> Release:
        """Check the microfile, protect it, measure the result and return the release."""

    def _disclosing_attributes(self, release: Release, people: Microfile) -> list[str]:
        """Say which attributes, released unchanged, seem to name people."""
        return concerns_of(release.microfile, release.codebook, people, (), (self.weight,))

    def concerns(self, release: Release) -> list[str]:
        """Return what a steward should reconsider about a release made with these settings, one sentence each."""
        return []
