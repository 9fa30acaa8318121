"""A release read once and measured: its files, its audit and its preserved statistics."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sfumato.errors import ReleaseError
from sfumato.measures import Compliance, Detail, Guessing, detail_of, guessing
from sfumato.progress import Progress, silent, within
from sfumato.release.audit import audit_files
from sfumato.release.audit_result import Audit
from sfumato.release.certificate import Certificate
from sfumato.release.codebook import Codebook
from sfumato.release.fuzzy_measures import fuzzy_forms
from sfumato.release.opened_release import OpenedRelease, open_files, require_release
from sfumato.release.preserved_statistics import PreservedNumber, PreservedStatistic, preserved_by
from sfumato.release.public_settings import PublicSettings
from sfumato.release.release import Release
from sfumato.release.release_reader import release_of


@dataclass(frozen=True)
class ReleaseEvidence:
    """A release as far as its files could be read and measured."""

    name: str
    """The name of the release."""
    audit: Audit
    """The audit."""
    certificate: Certificate | None
    """The certificate."""
    codebook: Codebook | None
    """The codebook."""
    release: Release | None
    """None where the files do not belong together, so that nothing can be computed from them."""
    preserved: tuple[PreservedStatistic, ...]
    """The preserved statistics."""

    @cached_property
    def detail(self) -> Detail | None:
        """How much detail of each record is lost, if blocks were measured and the files belong together."""
        if self.compliance is None or self.release is None:
            return None
        forms = self.release.codebook.forms()
        return detail_of(self.release.microfile, quasi=self.compliance.promise.quasi, forms=forms)

    @cached_property
    def guesses(self) -> dict[str, Guessing]:
        """How often each sensitive attribute is guessed correctly from its block."""
        attributes = {} if self.compliance is None else self.compliance.safety.attributes
        return {name: guessing(attribute.contingency) for name, attribute in attributes.items()}

    @property
    def known(self) -> list[str]:
        """What others may know about a person; fuzzy sets of several attributes count as each of them."""
        quasi = () if self.certificate is None else self.certificate.promise.quasi
        sets = {} if self.codebook is None else fuzzy_forms(self.codebook)
        return [
            name
            for quasi_name in quasi
            for name in (sets[quasi_name].attributes(quasi_name) if quasi_name in sets else (quasi_name,))
        ]

    @property
    def compliance(self) -> Compliance | None:
        """Its blocks measured against the promise, if there is one that can be measured."""
        return self.audit.compliance

    @cached_property
    def settings(self) -> PublicSettings:
        """How it was protected, as far as the certificate says; settings that are not well-formed are ignored."""
        return PublicSettings.of({} if self.certificate is None else self.certificate.settings)

    @property
    def preserved_numbers(self) -> list[PreservedNumber]:
        """Every number of the statistics that were to be preserved."""
        return [number for statistic in self.preserved for number in statistic.numbers]

    @property
    def exchanged(self) -> list[str]:
        """The attributes whose values may have been swapped between records."""
        return [] if self.settings.exchanged is None else list(self.settings.exchanged.attributes)


def evidence_of(folder: Path, *, progress: Progress = silent) -> ReleaseEvidence:
    """Read and measure a release.

    Parameters
    ----------
    folder
        The release. A broken one is used as far as it can be read.
    progress
        Called while measuring.

    Raises
    ------
    ReleaseError
        If the folder is not a release at all.
    """
    require_release(folder)
    progress("reading", 0.0)
    opened = open_files(folder)
    progress("auditing", 0.1)
    audit = audit_files(opened)
    progress("opening", 0.3)
    release = _release(opened, folder) if audit.measured else None
    return ReleaseEvidence(
        name=Path(os.path.abspath(folder)).name,
        audit=audit,
        certificate=opened.certificate,
        codebook=opened.codebook,
        release=release,
        preserved=() if release is None else preserved_by(release, progress=within(progress, 0.4, 0.8)),
    )


def _release(opened: OpenedRelease, folder: Path) -> Release | None:
    try:
        return release_of(opened, folder)
    except ReleaseError:
        # the findings say what is wrong
        return None
