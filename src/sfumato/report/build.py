"""The report of a release: one page for the steward who publishes it and the officer who has to approve it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.groups import group_findings
from sfumato.progress import Progress, silent
from sfumato.release import Finding, ReleaseEvidence, beside, evidence_of, read_private, require_release
from sfumato.report.atomic_file import EVERYBODY, OWNER, check_file, write_file
from sfumato.report.html_page import render
from sfumato.report.page_model import Edition, Page
from sfumato.report.sections import confidential_sections, public_sections
from sfumato.views import (
    AttackRecord,
    StewardRecord,
    attack_card,
    attack_finding,
    finding_lines,
    promise_card,
    read_attack_records,
    read_record,
    risk_card,
    statistics_card,
    statistics_table,
)


def page_of(
    evidence: ReleaseEvidence, *, record: StewardRecord | None = None, attacks: Sequence[AttackRecord] = ()
) -> Page:
    """Return the content of a report.

    Parameters
    ----------
    evidence
        The release.
    record
        The confidential record, for the confidential edition.
    attacks
        The stored results of attacks on the release, the worst first, for the confidential edition.
    """
    confidential = () if record is None else confidential_sections(record, attacks)
    return Page(
        release=evidence.name,
        edition="private" if record else "public",
        holds=evidence.audit.holds,
        verdict=evidence.audit.verdict,
        findings=tuple(finding_lines(evidence.audit)),
        cards=(
            promise_card(evidence),
            risk_card(evidence),
            statistics_card(evidence),
            *((attack_card(attacks),) if attacks else ()),
        ),
        statistics=statistics_table(evidence),
        sections=(*confidential, *public_sections(evidence)),
    )


def _with_groups(evidence: ReleaseEvidence, record: Mapping[str, Any]) -> ReleaseEvidence:
    """Count the groups of a confidential record again, as an observer of the release would."""
    if evidence.release is None:
        return evidence
    return _with_findings(evidence, group_findings(record, evidence.release.microfile, evidence.release.codebook))


def _with_findings(evidence: ReleaseEvidence, messages: Iterable[str]) -> ReleaseEvidence:
    """Add findings about hidden groups to the audit."""
    findings = (*evidence.audit.findings, *(Finding("group", message) for message in messages))
    return replace(evidence, audit=replace(evidence.audit, findings=findings))


def report_path(folder: Path, out: Path | None, *, edition: Edition) -> Path:
    """Return the path of a report; refuse one that cannot be written, or is inside the release.

    Parameters
    ----------
    folder
        The release.
    out
        The file; default: beside the release.
    edition
        The two editions have different names, so that they are not confused.
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
) -> tuple[Path, ReleaseEvidence]:
    """Write the report of a release as one HTML file; return its path and what it is based on.

    The public edition is computed from the release alone. An interruption leaves the old file or the new one.

    Parameters
    ----------
    folder
        The release; for a damaged one the report says what is wrong.
    out
        The file; default: beside the release, ``<release>.html``, and ``<release>.private.html`` for the
        confidential edition, which only its owner can read.
    private
        The confidential record: ``<release>.private``, or a file in it.
    progress
        Called while measuring and drawing.

    Raises
    ------
    ReleaseError
        If the folder is not a release, or the record belongs to another release.
    """
    folder = Path(folder)
    edition: Edition = "public" if private is None else "private"
    require_release(folder)
    path = report_path(folder, None if out is None else Path(out), edition=edition)
    evidence = evidence_of(folder, progress=progress)
    record = None
    attacks: tuple[AttackRecord, ...] = ()
    if private is not None:
        stored = read_private(Path(private), evidence.certificate)
        record = read_record(stored, evidence)
        evidence = _with_groups(evidence, stored)
        attacks = read_attack_records(Path(private), evidence)
        if attacks and attacks[0].discloses and record.groups:
            evidence = _with_findings(evidence, [attack_finding(attacks[0])])
    page = page_of(evidence, record=record, attacks=attacks)
    progress("drawing", 0.8)
    content = render(page).encode()
    return write_file(path, content, what="report", mode=EVERYBODY if record is None else OWNER), evidence
