"""The checks of an audit: each is given the opened release and yields findings and notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from sfumato.measures import Promise
from sfumato.microfile import Microfile
from sfumato.release.audit_notes import unmeasured
from sfumato.release.audit_result import Audit
from sfumato.release.certificate import Certificate, to_json
from sfumato.release.codebook import Codebook
from sfumato.release.finding import Finding
from sfumato.release.independent_recount import contradictions
from sfumato.release.label_checks import mislabelled
from sfumato.release.opened_release import OpenedRelease
from sfumato.release.public_settings import misstated
from sfumato.release.publisher_text import misstatements
from sfumato.release.row_order_check import arrangement


@dataclass(frozen=True)
class Note:
    """Something that the reader of an audit has to judge."""

    message: str
    """What it is, without a full stop."""


@dataclass(frozen=True)
class Measurement:
    """Something that a check measured, to be reported with the other measures."""

    name: str
    """Its key among the measures."""
    facts: Mapping[str, Any]
    """What was measured, as JSON takes it."""


CheckResult = Finding | Note | Measurement


@dataclass(frozen=True)
class AuditSubject:
    """What a check is given: a release whose files could all be read, and what was found so far."""

    opened: OpenedRelease
    """Its files."""
    certificate: Certificate
    """Its certificate."""
    codebook: Codebook
    """Its codebook."""
    table: Microfile
    """Its data as a microfile, whose columns are encoded once for all checks."""
    frame: pl.DataFrame
    """Its raw cells."""
    audit: Audit
    """The table measured against the promise, with the findings of the checks before."""

    @property
    def promise(self) -> Promise:
        """What is promised."""
        return self.certificate.promise

    @property
    def files_intact(self) -> bool:
        """Whether the files belong together, so that comparing their content makes sense."""
        return not self.opened.findings


class AuditCheck(Protocol):
    """A check that an audit runs; those of other packages need a confidential record or an outside file."""

    def __call__(self, subject: AuditSubject) -> Iterator[CheckResult]:
        """Yield what is wrong, what a reader has to judge, and what was measured."""


def publisher_text(subject: AuditSubject) -> Iterator[CheckResult]:
    """Find titles, labels and explanations that misrepresent the data."""
    for message in misstatements(subject.codebook, subject.table):
        yield Finding("codebook", message)


def labels(subject: AuditSubject) -> Iterator[CheckResult]:
    """Find labels of sets that are not those of their categories."""
    if subject.files_intact:
        for message in mislabelled(subject.codebook, subject.certificate.settings):
            yield Finding("codebook", message)


def settings(subject: AuditSubject) -> Iterator[CheckResult]:
    """Find public settings that contradict the data; only where nothing else is wrong, which would explain them."""
    if subject.audit.holds:
        for message in misstated(subject.certificate.settings, subject.promise, subject.codebook, subject.frame):
            yield Finding("certificate", message)


def certified_measures(subject: AuditSubject) -> Iterator[CheckResult]:
    """Find measures in the certificate that differ from those of the data."""
    if subject.audit.measured:
        yield from _differences(subject.certificate.measured, subject.audit.measured)


def raw_cells(subject: AuditSubject) -> Iterator[CheckResult]:
    """Find measures that a plain group-by of the raw cells contradicts."""
    if subject.audit.compliance is not None:
        columns = subject.codebook.columns()
        keys = [column for name in subject.promise.quasi for column in columns[name]]
        for message in contradictions(subject.frame, subject.audit.measured, keys):
            yield Finding("data", message)


def row_order(subject: AuditSubject) -> Iterator[CheckResult]:
    """Find an order of records that is not random."""
    if subject.files_intact and subject.certificate.settings.get("order") != "kept":
        for message in arrangement(subject.table, subject.audit.compliance):
            yield Finding("data", message)


def unmeasured_content(subject: AuditSubject) -> Iterator[CheckResult]:
    """Note what no measure covers."""
    for message in unmeasured(
        subject.table, subject.codebook, subject.promise, subject.certificate.settings, subject.audit.measured
    ):
        yield Note(message)


CHECKS: tuple[AuditCheck, ...] = (
    publisher_text,
    labels,
    settings,
    certified_measures,
    raw_cells,
    row_order,
    unmeasured_content,
)
"""What every audit of a written release checks, in this order, after the promise."""


def _differences(stated: Mapping[str, Any], measured: Mapping[str, Any], path: str = "") -> Iterator[Finding]:
    """Find where the certificate differs from what was measured."""
    if extra := len(stated.keys() - measured.keys()):
        yield Finding("certificate", f"has {extra:,} entries in {path.rstrip('.') or 'measured'} that are not measures")
    for key, fact in measured.items():
        name = f"{path}{key}"
        if key not in stated:
            yield Finding("certificate", f"lacks {name}")
        elif isinstance(stated[key], dict) and isinstance(fact, dict):
            yield from _differences(stated[key], fact, f"{name}.")
        # as text, so that 1, 1.0 and true differ; measures are rounded, so that machines agree on every digit
        elif to_json(stated[key]) != to_json(fact):
            number = isinstance(stated[key], int | float)
            message = f"states {name} = {stated[key]}" if number else f"misstates {name}"
            yield Finding("certificate", f"{message}, the data has {fact}")
