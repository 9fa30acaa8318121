"""What a report is made of: the files of a release, read once, and what is measured on them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import ReleaseError, SfumatoError
from sfumato.measures.kept import Kept, keeps
from sfumato.progress import Progress, silent
from sfumato.release.audit import Audit, Opened, audit_files, open_files, require_release, table_of
from sfumato.release.certificate import Certificate
from sfumato.release.codebook import Codebook
from sfumato.release.release import Release, release_of
from sfumato.statistics.estimate import Estimate, Regression


@dataclass(frozen=True)
class Part:
    """One number of a statistic."""

    statistic: str
    coefficient: str | None
    """Which of a regression's."""
    estimate: Estimate

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

    @property
    def parts(self) -> tuple[Part, ...]:
        """Every number that it consists of."""
        if isinstance(self.found, Regression):
            return tuple(Part(self.statistic, name, one) for name, one in self.found.items())
        return () if self.found is None else (Part(self.statistic, None, self.found),)


@dataclass(frozen=True)
class Evidence:
    """A release as far as its files could be read and measured."""

    name: str
    audit: Audit
    certificate: Certificate | None
    codebook: Codebook | None
    kept: Kept | None
    """Its blocks measured against the promise, if there is one that can be measured."""
    release: Release | None
    """None where the files do not belong together, so that nothing should be computed from them."""
    told: tuple[Told, ...]

    @property
    def settings(self) -> dict[str, Any]:
        """How it was protected, as far as the certificate says."""
        return {} if self.certificate is None else dict(self.certificate.settings)

    @property
    def parts(self) -> list[Part]:
        """Every number of the statistics that were to be preserved."""
        return [part for one in self.told for part in one.parts]

    @property
    def exchanged(self) -> list[str]:
        """The attributes whose values may have been exchanged between records."""
        names = self.setting("exchanged").get("attributes")
        return list(map(str, names)) if isinstance(names, list) else []

    def setting(self, name: str) -> Mapping[str, Any]:
        """Return a setting that is a table; empty where it is none."""
        found = self.settings.get(name)
        return found if isinstance(found, Mapping) else {}


def evidence_of(folder: Path, *, progress: Progress = silent) -> Evidence:
    """Read and measure a release.

    Parameters
    ----------
    folder
        The release. One that is broken is taken as far as it can be read.
    progress
        Called while measuring.

    Raises
    ------
    ReleaseError
        If the folder is no release at all.
    """
    require_release(folder)
    progress("auditing", 0.0)
    opened = open_files(folder)
    audit = audit_files(opened)
    progress("measuring", 0.3)
    release = _release(opened, folder) if audit.measured else None
    return Evidence(
        name=Path(os.path.abspath(folder)).name,
        audit=audit,
        certificate=opened.certificate,
        codebook=opened.codebook,
        kept=_kept(opened, audit),
        release=release,
        told=() if release is None else _told(release, progress),
    )


def _release(opened: Opened, folder: Path) -> Release | None:
    try:
        return release_of(opened, folder)
    except ReleaseError:
        # what is wrong stands among the findings
        return None


def _kept(opened: Opened, audit: Audit) -> Kept | None:
    """Measure the blocks again, for the audit keeps only their summary."""
    if not audit.measured or opened.certificate is None or opened.codebook is None or opened.frame is None:
        return None
    promise, columns = opened.certificate.promise, opened.codebook.columns()
    keys = [column for name in promise.quasi for column in columns[name]]
    if not keys:
        return None
    table, book = table_of(opened.frame, opened.codebook), opened.codebook
    return keeps(table, promise, keys=keys, hierarchies=book.hierarchies(), forms=book.forms())


def _told(release: Release, progress: Progress) -> tuple[Told, ...]:
    """Estimate every statistic that was to be preserved."""
    given = release.settings.get("preserve")
    wanted = [one.get("statistic") for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    found = []
    for place, statistic in enumerate(wanted):
        text = str(statistic)
        progress(text, 0.4 + 0.4 * place / len(wanted))
        try:
            found.append(Told(text, release.estimate(text, weight=release.promise.weight)))
        except SfumatoError as error:
            found.append(Told(text, None, error.message))
    return tuple(found)
