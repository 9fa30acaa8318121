"""What a report is made of: the files of a release, read once, and what is measured on them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.errors import ReleaseError
from sfumato.fuzzy.released import sets_of
from sfumato.measures.detail import Detail, detail_of
from sfumato.measures.guessing import Guessing, guessing
from sfumato.measures.kept import Kept
from sfumato.progress import Progress, silent, within
from sfumato.release.audit import Audit, Opened, audit_files, open_files, require_release
from sfumato.release.certificate import Certificate
from sfumato.release.codebook import Codebook
from sfumato.release.fuzziness import fuzzy_forms
from sfumato.release.preserved import Part, Told, preserved_by
from sfumato.release.release import Release, release_of


@dataclass(frozen=True)
class Evidence:
    """A release as far as its files could be read and measured."""

    name: str
    audit: Audit
    certificate: Certificate | None
    codebook: Codebook | None
    release: Release | None
    """None where the files do not belong together, so that nothing should be computed from them."""
    told: tuple[Told, ...]

    @cached_property
    def detail(self) -> Detail | None:
        """How much detail of each record is gone, if blocks were measured and belong to the rest."""
        if self.kept is None or self.release is None:
            return None
        forms = self.release.codebook.forms()
        return detail_of(self.release.microfile, quasi=self.kept.promise.quasi, forms=forms)

    @cached_property
    def guesses(self) -> dict[str, Guessing]:
        """How often each sensitive attribute is guessed rightly from its block."""
        attributes = {} if self.kept is None else self.kept.safety.attributes
        return {name: guessing(its.contingency) for name, its in attributes.items()}

    @property
    def known(self) -> list[str]:
        """What others may know of a person; fuzzy sets of several attributes stand for each of them."""
        quasi = () if self.certificate is None else self.certificate.promise.quasi
        sets = {} if self.codebook is None else fuzzy_forms(self.codebook)
        return [name for one in quasi for name in (sets_of(sets[one]).attributes if one in sets else (one,))]

    @property
    def kept(self) -> Kept | None:
        """Its blocks measured against the promise, if there is one that can be measured."""
        return self.audit.kept

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
    progress("reading", 0.0)
    opened = open_files(folder)
    progress("auditing", 0.1)
    audit = audit_files(opened)
    progress("opening", 0.3)
    release = _release(opened, folder) if audit.measured else None
    return Evidence(
        name=Path(os.path.abspath(folder)).name,
        audit=audit,
        certificate=opened.certificate,
        codebook=opened.codebook,
        release=release,
        told=() if release is None else preserved_by(release, progress=within(progress, 0.4, 0.8)),
    )


def _release(opened: Opened, folder: Path) -> Release | None:
    try:
        return release_of(opened, folder)
    except ReleaseError:
        # what is wrong stands among the findings
        return None
