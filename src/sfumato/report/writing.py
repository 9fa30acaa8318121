"""The report of a release: one page for the steward, who answers for it, and the officer, who has to be convinced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.groups.record import group_findings
from sfumato.progress import Progress, silent
from sfumato.release.audit import Finding, require_release
from sfumato.release.certificate import read_private
from sfumato.release.folder import beside
from sfumato.report.attacks import Attacked, attacked_card
from sfumato.report.distributions import blocks_section, risk_section
from sfumato.report.evidence import Evidence, evidence_of
from sfumato.report.files import EVERYBODY, OWNER, check_file, write_file
from sfumato.report.intruders import attacks_section
from sfumato.report.page import Edition, Page, counted
from sfumato.report.promised import limits_section, promise_card, risk_card, verdict_of
from sfumato.report.protected import (
    boxes_section,
    codebook_section,
    protection_section,
    software_section,
    words_section,
)
from sfumato.report.rendering import render
from sfumato.report.steward import Record, private_sections, read_attacked, read_record
from sfumato.report.told import statistics_card, statistics_section, statistics_table
from sfumato.report.tradeoff import tradeoff_section


def page_of(evidence: Evidence, *, record: Record | None = None, attacked: Attacked | None = None) -> Page:
    """Return what a report shows.

    Parameters
    ----------
    evidence
        The release.
    record
        The steward's record, for the private edition.
    attacked
        What the steward kept of an attack on the release, for the private edition.
    """
    sections = (
        *(private_sections(record, attacked) if record else ()),
        limits_section(evidence),
        protection_section(evidence),
        boxes_section(evidence),
        blocks_section(evidence),
        risk_section(evidence),
        statistics_section(evidence),
        tradeoff_section(evidence),
        attacks_section(evidence),
        codebook_section(evidence),
        software_section(evidence),
        words_section(),
    )
    return Page(
        release=evidence.name,
        edition="private" if record else "public",
        holds=evidence.audit.holds,
        verdict=verdict_of(evidence),
        findings=tuple(f"{finding.about}: {finding.message}" for finding in evidence.audit.findings),
        cards=(
            promise_card(evidence),
            risk_card(evidence),
            statistics_card(evidence),
            *((attacked_card(attacked),) if attacked else ()),
        ),
        statistics=statistics_table(evidence),
        sections=tuple(section for section in sections if section is not None),
    )


def _with_groups(evidence: Evidence, record: Mapping[str, Any]) -> Evidence:
    """Count the groups of a steward's record anew, as an observer of the release would."""
    if evidence.release is None:
        return evidence
    return _with_findings(evidence, group_findings(record, evidence.release.microfile, evidence.release.codebook))


def _with_findings(evidence: Evidence, wrong: Iterable[str]) -> Evidence:
    """Add to the audit what is wrong with hidden groups."""
    findings = (*evidence.audit.findings, *(Finding("group", message) for message in wrong))
    return replace(evidence, audit=replace(evidence.audit, findings=findings))


def report_path(folder: Path, out: Path | None, *, edition: Edition) -> Path:
    """Return where a report is written, refusing what cannot be, or lies in the release.

    Parameters
    ----------
    folder
        The release.
    out
        Where to; default: beside the release.
    edition
        The private edition is never mistaken for the public one.
    """
    ending = ".html" if edition == "public" else ".private.html"
    path = beside(folder, ending) if out is None else out
    return check_file(path, what="report", formats=(".html",), beside=folder)


def write_report(
    folder: str | Path,
    out: str | Path | None = None,
    *,
    private: str | Path | None = None,
    progress: Progress = silent,
) -> tuple[Path, Evidence]:
    """Write the report of a release as one HTML file; return where it lies, and what it is made of.

    Everything is computed from the release alone, except for the private edition. After an interruption there is the
    old file or the new one.

    Parameters
    ----------
    folder
        The release; of a broken one the report says what is wrong.
    out
        The file; default: beside the release, ``<release>.html``, and ``<release>.private.html`` for the private
        edition, which only its owner can read.
    private
        The steward's record: ``<release>.private``, or a file in it.
    progress
        Called while measuring and drawing.

    Raises
    ------
    ReleaseError
        If the folder is no release, or the record is not that of this release.
    """
    folder = Path(folder)
    edition: Edition = "public" if private is None else "private"
    require_release(folder)
    path = report_path(folder, None if out is None else Path(out), edition=edition)
    evidence = evidence_of(folder, progress=progress)
    record = attacked = None
    if private is not None:
        own = read_private(Path(private), evidence.certificate)
        record = read_record(own, evidence)
        evidence = _with_groups(evidence, own)
        attacked = read_attacked(Path(private), evidence)
        if attacked is not None and attacked.places and record.groups:
            told = f"attacks find {counted(len(attacked.places), 'place')} at which a hidden group stands out"
            evidence = _with_findings(evidence, [told])
    page = page_of(evidence, record=record, attacked=attacked)
    progress("drawing", 0.8)
    content = render(page).encode()
    return write_file(path, content, what="report", mode=EVERYBODY if record is None else OWNER), evidence
