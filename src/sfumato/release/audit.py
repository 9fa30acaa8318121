"""The audit: whether a release satisfies its promise. It measures the files and does not trust what they state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from sfumato.errors import SfumatoError
from sfumato.measures import (
    INVERSION_WIDTH,
    Q_ANONYMITY,
    FuzzyFacts,
    LabelFacts,
    Measured,
    Promise,
    check_promise,
    explain,
    named_categories,
    promised_criteria,
    summarize,
)
from sfumato.microfile import Microfile
from sfumato.release.audit_checks import CHECKS, AuditCheck, AuditSubject, CheckResult, Note
from sfumato.release.audit_result import Audit
from sfumato.release.broken_limit_reasons import broken_limit_message
from sfumato.release.codebook import Codebook
from sfumato.release.finding import Finding
from sfumato.release.fuzzy_measures import doubled_attributes, fuzzy_forms, fuzzy_measured
from sfumato.release.opened_release import OpenedRelease, open_files, require_release
from sfumato.release.publisher_text import numbers_with_names
from sfumato.roles import values_alike


def audit_table(table: Microfile, promise: Promise, codebook: Codebook) -> Audit:
    """Measure a table against a promise."""
    findings = list(_misfits(table, codebook))
    if findings:
        return Audit(tuple(findings))
    if not promise.quasi:
        return Audit((), {"records": table.records})
    findings += _sensitive_labels(promise, codebook)
    for name in promise.sensitive:
        if name in table.attributes and (alike := values_alike(table, name, codebook.attributes[name].labels)):
            message = f"{name!r} has {alike:,} values that look like another one, or have its label: l counts each"
            findings.append(Finding("data", message))
        if promise.t is not None and numbers_with_names(table, codebook, name):
            message = f"{name!r} is numeric, and each of its values has a label: t would measure distances of codes"
            findings.append(Finding("codebook", f"{message}; declare it ordinal or categorical"))
    columns, fuzzy = codebook.columns(), fuzzy_forms(codebook)
    try:
        keys = [column for name in promise.quasi for column in columns[name]]
        compliance = check_promise(
            table, promise, keys=keys, hierarchies=codebook.hierarchies(), forms=codebook.forms()
        )
        reasons = explain(
            compliance, table, columns=columns, hierarchies=codebook.hierarchies(), forms=codebook.forms()
        )
        measured = summarize(compliance.safety, promise)
        forms = {name: codebook.attributes[name].form for name in promise.quasi if name not in promise.shared}
        if sets := {name: form for name, form in forms.items() if form.labelled}:
            measured["sets"] = cast(LabelFacts, asdict(named_categories(table, keys, sets, k=promise.k)))
        if fuzzy or promise.q is not None:
            measured["fuzzy"] = fuzzy_measured(table, fuzzy, promise)
    except KeyError as error:
        return Audit((*findings, Finding("promise", f"the data has no attribute {error.args[0]!r}")))
    except SfumatoError as error:
        return Audit((*findings, Finding("promise", f"cannot be measured: {error.message}")))
    findings += [Finding("promise", broken_limit_message(reason)) for reason in reasons]
    intersection = compliance.safety.intersection
    if intersection is not None and intersection.contradicted:
        shared = ", ".join(map(repr, promise.shared))
        message = f"{intersection.contradicted:,} households have members who cannot have {shared} in common"
        findings.append(Finding("data", message))
    if "fuzzy" in measured:
        findings += _fuzzy_findings(promise, codebook, measured["fuzzy"])
    return Audit(tuple(findings), measured, tuple(reasons), compliance)


def _sensitive_labels(promise: Promise, codebook: Codebook) -> Iterator[Finding]:
    """Find limits on sensitive values that are not released as they are: overlapping labels count as different."""
    limits = [criterion.setting for criterion, _ in promised_criteria(promise) if criterion.needs_sensitive]
    for name in promise.sensitive:
        entry = codebook.attributes.get(name)
        if limits and entry is not None and not entry.form.exact:
            yield Finding(
                "promise",
                f"{name!r} is sensitive and released as {entry.form.form}: {' and '.join(limits)} would count "
                "overlapping labels as different values; release it as it is, or promise no limit on it",
            )


def _fuzzy_findings(promise: Promise, codebook: Codebook, fuzzy: FuzzyFacts) -> Iterator[Finding]:
    """Find whether Q is satisfied, and whether inverting words or grades recovers values."""
    measured_q = fuzzy.get("q")
    if promise.q is not None and measured_q is None:
        yield Finding("promise", "q: there are too many combinations of fuzzy sets to measure it")
    elif not Q_ANONYMITY.satisfied(promise, measured_q):
        yield Finding("promise", f"q: promised {promise.q}, measured {measured_q} at level {promise.level:g}")
    for name in doubled_attributes(codebook):
        message = f"{name!r} is released as fuzzy sets and also in another attribute: together they may recover it"
        yield Finding("data", message)
    for name, inversion in fuzzy["inversion"].items():
        narrowest, extent = inversion["narrowest"], inversion["extent"]
        if not INVERSION_WIDTH.satisfied(promise, narrowest, extent):
            yield Finding(
                "promise",
                f"width: inverting the words or grades of a record, with all other attributes known, leaves on average "
                f"{narrowest:.3g} of the extent {extent:.3g} of {name!r}, but a share of at least "
                f"{INVERSION_WIDTH.required(promise):g} is required; release fewer levels or sets, or words",
            )


def _misfits(table: Microfile, codebook: Codebook) -> Iterator[Finding]:
    """Find where the data is not what the codebook describes."""
    described = [column for columns in codebook.columns().values() for column in columns]
    if len(set(described)) != len(described):
        yield Finding("codebook", "describes a column twice")
    for name in described:
        if name not in table.attributes:
            yield Finding("codebook", f"describes column {name!r}, which the data lacks")
    for name in table.names:
        if name not in described:
            yield Finding("codebook", f"does not describe column {name!r}")
    for name, entry in codebook.attributes.items():
        if any(column not in table.attributes for column in entry.form.columns(name)):
            continue
        yield from (Finding(misfit.about, misfit.message) for misfit in entry.form.misfits(table, name))


def audit_folder(folder: Path, *, checks: Sequence[AuditCheck] = ()) -> Audit:
    """Measure a written release again: digests, form, and the promise from the data.

    Parameters
    ----------
    folder
        The release.
    checks
        Further checks, which run after those of every audit.
    """
    require_release(folder)
    return audit_files(open_files(folder), checks=checks)


def audit_files(opened: OpenedRelease, *, checks: Sequence[AuditCheck] = ()) -> Audit:
    """Measure what was read from a release's files, and run all checks on it.

    Parameters
    ----------
    opened
        The files. If some could not be read, that is the only finding.
    checks
        Further checks, which run after those of every audit.
    """
    try:
        table = opened.table
    except SfumatoError as error:
        return Audit((*opened.findings, Finding("data", error.message)))
    if opened.certificate is None or opened.codebook is None or table is None or opened.frame is None:
        return Audit(tuple(opened.findings))
    audit = audit_table(table, opened.certificate.promise, opened.codebook)
    audit = replace(audit, findings=(*opened.findings, *audit.findings), notes=tuple(opened.notes), of_files=True)
    for check in (*CHECKS, *checks):
        subject = AuditSubject(opened, opened.certificate, opened.codebook, table, opened.frame, audit)
        audit = _with_results(audit, check(subject))
    return audit


def _with_results(audit: Audit, results: Iterable[CheckResult]) -> Audit:
    findings, notes, measured = list(audit.findings), list(audit.notes), dict(audit.measured)
    for result in results:
        if isinstance(result, Finding):
            findings.append(result)
        elif isinstance(result, Note):
            notes.append(result.message)
        else:
            measured[result.name] = result.facts
    return replace(audit, findings=tuple(findings), notes=tuple(notes), measured=cast(Measured, measured))
