"""The audit: whether a release keeps its promise. It believes the files, not what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl
from pydantic import ValidationError

from sfumato.errors import ReleaseError, SettingError, SfumatoError
from sfumato.forking import begin_work
from sfumato.fuzzy.inversion import LEAST_WIDTH
from sfumato.fuzzy.released import misfit
from sfumato.html import table as html_table
from sfumato.measures.kept import Kept, Why, explain, keeps
from sfumato.measures.named_categories import named_categories
from sfumato.measures.promise import Promise
from sfumato.measures.summary import summarize
from sfumato.microfile.forms import Fuzzy, Interval, Sets
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.roles import values_alike
from sfumato.printing import quiet
from sfumato.release.canonical import odd_cells, odd_content, same_bytes
from sfumato.release.certificate import (
    CERTIFICATE,
    CODEBOOK,
    EARLIER,
    FILES,
    Certificate,
    digest_of,
    public_version,
    read_json,
    seal_of,
    to_json,
)
from sfumato.release.codebook import Codebook
from sfumato.release.data import column_facts, read_data
from sfumato.release.fuzziness import doubled_attributes, fuzzy_forms, fuzzy_measured
from sfumato.release.public import misstated, public_settings
from sfumato.release.set_labels import mislabelled
from sfumato.release.visible import contradictions
from sfumato.release.wording import misstatements, words_of
from sfumato.settings import Settings

ROUNDING = 1e-3
"""Widths and extents are written with four digits."""

Subject = Literal["certificate", "codebook", "data", "promise", "folder", "private", "group", "linkage"]


@dataclass(frozen=True)
class Finding:
    """Something wrong that an audit found."""

    about: Subject
    """Where it was found."""
    message: str
    """What is wrong, in words that show no value."""


@dataclass(frozen=True)
class Audit:
    """What an audit found."""

    findings: tuple[Finding, ...]
    """All that is wrong; nothing if the release holds."""
    measured: dict[str, Any] = field(default_factory=dict)
    """All measures of the data; empty where they could not be taken."""
    reasons: tuple[Why, ...] = ()
    """For each limit that is broken, why."""
    kept: Kept | None = field(default=None, repr=False, compare=False)
    """The blocks measured against the promise, if there is one that can be measured."""
    notes: tuple[str, ...] = ()
    """What it could not check, and what nobody can: the publisher's own words."""

    @property
    def holds(self) -> bool:
        """Whether the release is intact and keeps its promise."""
        return not self.findings

    @property
    def k(self) -> int | None:
        """The records of the smallest block."""
        return self.measured.get("k")

    @property
    def l(self) -> float | None:  # noqa: E743  # the field's own letter
        """The distinct l of the worst sensitive attribute."""
        return self.measured.get("l")

    @property
    def t(self) -> float | None:
        """The t of the worst sensitive attribute."""
        return self.measured.get("t")

    @property
    def risk(self) -> dict[str, Any] | None:
        """The risk of re-identification."""
        return self.measured.get("risk")

    def _repr_html_(self) -> str:
        told = {name: self.measured.get(name) for name in ("records", "blocks", "k", "l", "t")}
        risk = self.risk or {}
        told |= {"re-identifications expected": risk.get("expected"), "highest risk of a record": risk.get("highest")}
        rows = [(name, value) for name, value in told.items() if value is not None]
        notes = [*(f"{finding.about}: {finding.message}" for finding in self.findings), *self.notes]
        title = "The release holds" if self.holds else "The release does not hold"
        return html_table(title, ("measure", "reached"), rows, notes=notes)


def audit_table(table: Microfile, promise: Promise, codebook: Codebook) -> Audit:
    """Measure a table against a promise."""
    findings = list(_misfits(table, codebook))
    if findings:
        return Audit(tuple(findings))
    if not promise.quasi:
        return Audit((), {"records": table.records})
    for name in promise.sensitive:
        if name in table.attributes and (alike := values_alike(table, name, codebook.attributes[name].labels)):
            message = f"{name!r} has {alike:,} values that look like another one, or have its label: l counts each"
            findings.append(Finding("data", message))
    columns, fuzzy = codebook.columns(), fuzzy_forms(codebook)
    try:
        keys = [column for name in promise.quasi for column in columns[name]]
        kept = keeps(table, promise, keys=keys, hierarchies=codebook.hierarchies(), forms=codebook.forms())
        reasons = explain(kept, table, columns=columns, hierarchies=codebook.hierarchies(), forms=codebook.forms())
        measured = summarize(kept.safety)
        forms = {name: codebook.attributes[name].form for name in promise.quasi if name not in promise.shared}
        if sets := {name: form for name, form in forms.items() if isinstance(form, Sets)}:
            measured["sets"] = asdict(named_categories(table, keys, sets, k=promise.k))
        if fuzzy or promise.q is not None:
            measured["fuzzy"] = fuzzy_measured(table, fuzzy, promise)
    except KeyError as error:
        return Audit((*findings, Finding("promise", f"the data has no attribute {error.args[0]!r}")))
    except SfumatoError as error:
        return Audit((*findings, Finding("promise", f"cannot be measured: {error.message}")))
    findings += [Finding("promise", str(reason)) for reason in reasons]
    if kept.safety.laid is not None and (wrong := kept.safety.laid.contradicted):
        shared = ", ".join(map(repr, promise.shared))
        findings.append(Finding("data", f"{wrong:,} households have members who cannot have {shared} in common"))
    if fuzzy or promise.q is not None:
        findings += _fuzzy_findings(promise, codebook, measured)
    return Audit(tuple(findings), measured, tuple(reasons), kept)


def _fuzzy_findings(promise: Promise, codebook: Codebook, measured: dict[str, Any]) -> Iterator[Finding]:
    """Find whether Q is kept, and whether inverting words or grades gives values back."""
    reached = measured["fuzzy"].get("q")
    if promise.q is not None and reached is None:
        yield Finding("promise", "q: there are too many combinations of fuzzy sets to measure it")
    elif promise.q is not None and reached < promise.q:
        yield Finding("promise", f"q: promised {promise.q}, reached {reached} at level {promise.level:g}")
    for name in doubled_attributes(codebook):
        yield Finding("data", f"{name!r} is released as fuzzy sets and once more, which together may give it back")
    # whatever was promised, values that are given back are not protected
    limit = max(promise.width or 0.0, LEAST_WIDTH)
    for name, its in measured["fuzzy"]["inversion"].items():
        if its["narrowest"] <= limit * its["extent"] * (1.0 - ROUNDING):
            yield Finding(
                "promise",
                f"width: inverting the words or grades of a record, all other attributes known, leaves "
                f"{its['narrowest']:.3g} on average of the extent {its['extent']:.3g} of {name!r}; at least {limit:g} "
                "of it are needed; release fewer levels or sets, or words",
            )


def _misfits(table: Microfile, codebook: Codebook) -> Iterator[Finding]:
    """Find where the data is not what the codebook says."""
    told = [column for its in codebook.columns().values() for column in its]
    if len(set(told)) != len(told):
        yield Finding("codebook", "describes a column twice")
    for name in told:
        if name not in table.attributes:
            yield Finding("codebook", f"describes column {name!r}, which the data lacks")
    for name in table.names:
        if name not in told:
            yield Finding("codebook", f"does not describe column {name!r}")
    for name, entry in codebook.attributes.items():
        columns = entry.form.columns(name)
        if any(column not in table.attributes for column in columns):
            continue
        if isinstance(entry.form, Interval):
            low, high = (table.series(column) for column in columns)
            if low.dtype != high.dtype or not (low.dtype.is_numeric() or low.dtype.is_temporal()):
                yield Finding("data", f"{name!r} is an interval, but its ends are no numbers, or of different types")
            elif wrong := int((low > high).sum()):
                yield Finding("data", f"{name!r} has {wrong:,} intervals whose lower end lies above the upper one")
        elif isinstance(entry.form, Sets):
            labels = {str(value) for value in table.encoded(name).values.tolist()}
            if unknown := len(labels - set(entry.form.members)):
                yield Finding("codebook", f"does not explain {unknown} labels of column {name!r}")
        elif isinstance(entry.form, Fuzzy) and (wrong_sets := misfit(table, name, entry.form)):
            yield Finding("codebook", wrong_sets)


def parse_as(model: type[Settings], path: Path, content: dict[str, Any]) -> Any:
    """Check a JSON object of a release against its form."""
    written = content.get("format")
    if model is Certificate and written in EARLIER:
        raise ReleaseError(
            f"{path.name} is of the earlier format {written}, which this version does not read",
            hint="release the file again with this version, or use the version that wrote it",
        )
    try:
        return model.model_validate(content)
    except ValidationError as error:
        where = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise ReleaseError(f"{path.name} is not of its form at {where!r}") from None
    except SfumatoError as error:
        raise ReleaseError(f"{path.name} is not of its form: {error.message}") from None


def certificate_of(folder: Path) -> Certificate:
    """Read the certificate of a release; whether it is true is for the audit to say."""
    path = folder / CERTIFICATE
    certificate: Certificate = parse_as(Certificate, path, read_json(path))
    return certificate


def require_release(folder: Path) -> None:
    """Refuse a folder that is no release at all."""
    hint = "give the folder that a release was written to"
    try:
        if not folder.is_dir():
            there = "is a file" if folder.exists() else "does not exist"
            raise ReleaseError(f"{folder} {there}, not the folder of a release", hint=hint)
        found = {path.name for path in folder.iterdir()}
    except OSError:
        raise ReleaseError(f"{folder} cannot be read", hint=hint) from None
    if not found & FILES:
        raise ReleaseError(f"{folder} is no release: it has no {CERTIFICATE}")


@quiet
@dataclass
class Opened:
    """The files of a release, as far as they could be read, and what is wrong with them."""

    findings: list[Finding]
    notes: list[str] = field(default_factory=list)
    certificate: Certificate | None = None
    codebook: Codebook | None = None
    frame: pl.DataFrame | None = None
    folder: Path = Path()

    @cached_property
    def table(self) -> Microfile | None:
        """The data as a microfile, whose columns are then encoded once for all that looks at them."""
        return None if self.frame is None or self.codebook is None else table_of(self.frame, self.codebook)


def open_files(folder: Path, *, compare: bool = True) -> Opened:
    """Read a release's files and check that they belong together.

    If the release is replaced meanwhile, it is read again.

    Parameters
    ----------
    folder
        The release.
    compare
        Whether the cells are written again, to find whether the data file holds anything else.
    """
    begin_work()
    while True:
        before = _identity(folder)
        opened = _open_files(folder, compare=compare)
        if before == _identity(folder):
            return opened


def _identity(folder: Path) -> tuple[int, int, int] | None:
    """Tell a folder from the one that takes its place, which may get its number."""
    try:
        found = folder.stat()
    except OSError:
        return None
    return found.st_ino, found.st_ctime_ns, found.st_mtime_ns


def _open_files(folder: Path, *, compare: bool) -> Opened:
    opened = Opened([], folder=folder)
    found = opened.findings
    try:
        for path in sorted(folder.iterdir()):
            if path.is_symlink():
                found.append(Finding("folder", f"{path.name} is a link, not a file"))
        content = read_json(folder / CERTIFICATE)
        certificate: Certificate = parse_as(Certificate, folder / CERTIFICATE, content)
        opened.certificate = certificate
        if seal_of(content) != certificate.seal:
            found.append(Finding("certificate", "was edited: its seal does not fit its content"))
        found += _hidden("certificate", folder / CERTIFICATE, certificate)
    except ReleaseError as error:
        found.append(Finding("certificate", error.message))
        return opened
    except OSError:
        found.append(Finding("folder", "cannot be read"))
        return opened
    try:
        codebook: Codebook = parse_as(Codebook, folder / CODEBOOK, read_json(folder / CODEBOOK))
        opened.codebook = codebook
        found += _hidden("codebook", folder / CODEBOOK, codebook)
        if to_json(public_settings(certificate.settings, codebook)) != to_json(certificate.settings):
            raise SettingError("settings are not written as they are: they may hide something")
        if digest_of(folder / CODEBOOK) != certificate.codebook:
            found.append(Finding("codebook", "was edited: its digest is not the certificate's"))
    except SettingError as error:
        found.append(Finding("certificate", error.message))
        # nobody shall stumble over settings of another form
        opened.certificate = certificate.model_copy(update={"settings": {}})
    except ReleaseError as error:
        found.append(Finding("codebook", error.message))
    try:
        opened.frame = _open_data(folder / certificate.data.file, certificate, opened)
        known = {CERTIFICATE, CODEBOOK, certificate.data.file}
        strange = sorted(path.name for path in folder.iterdir() if path.name not in known)
    except OSError:
        found.append(Finding("data", f"{certificate.data.file} cannot be read"))
        return opened
    found += [Finding("folder", f"holds {name}, which is no part of the release") for name in strange]
    if not found and opened.frame is not None and compare:
        _compare_bytes(opened, certificate, opened.frame)
    return opened


def _hidden(about: Subject, path: Path, content: Settings) -> list[Finding]:
    """Find whether a JSON file holds anything that its content does not show, as in blanks or in how numbers look."""
    if path.read_text(encoding="utf-8") == to_json(content.model_dump(mode="json")):
        return []
    return [Finding(about, f"{path.name} is not written as its content is: it may hide something")]


def _open_data(path: Path, certificate: Certificate, opened: Opened) -> pl.DataFrame | None:
    facts, found = certificate.data, opened.findings
    if not path.is_file():
        found.append(Finding("data", f"{path.name} is missing"))
        return None
    changed = digest_of(path) != facts.sha256
    if changed:
        found.append(Finding("data", f"{path.name} was changed: its digest is not the certificate's"))
    try:
        frame = read_data(path, facts.columns)
    except ReleaseError as error:
        found.append(Finding("data", error.message))
        return None
    if frame.height != facts.records:
        found.append(Finding("data", f"has {frame.height:,} records, the certificate says {facts.records:,}"))
    else:
        for name, now in column_facts(frame).items():
            if now.sha256 != facts.columns[name].sha256:
                found.append(Finding("data", f"column {name!r} has cells that were changed"))
            elif now != facts.columns[name]:
                found.append(Finding("certificate", f"describes column {name!r} otherwise than it is"))
    if not changed:
        found += [Finding("data", message) for message in odd_cells(frame)]
    return frame


def table_of(frame: pl.DataFrame, codebook: Codebook) -> Microfile:
    """Return the data of a release as a microfile."""
    kinds = {name: kind for name, kind in codebook.kinds().items() if name in frame.columns}
    return Microfile(frame, kinds=kinds)


def audit_folder(folder: Path) -> Audit:
    """Re-measure what is on disk: digests, form, and the promise from the data."""
    require_release(folder)
    return audit_files(open_files(folder))


def _compare_bytes(opened: Opened, certificate: Certificate, frame: pl.DataFrame) -> None:
    """Find whether the data file holds anything beside its cells."""
    facts = certificate.data
    path = opened.folder / facts.file
    if same_bytes(path, frame, facts.sha256):
        return
    made, here = certificate.software.get("polars", ""), public_version(pl.__version__)
    if made == here or path.suffix != ".parquet":
        opened.findings.append(
            Finding("data", f"{path.name} is not what its cells give when they are written: it holds something else")
        )
        return
    found = list(odd_content(path, frame, made))
    opened.findings += [Finding("data", message) for message in found]
    if found:
        opened.notes.append(
            f"{path.name} is said to be written with Polars {made}, and this is {here}; if that version lays files out "
            f"in another way, audit the release with it, or have it written again by this version"
        )
    else:
        opened.notes.append(
            f"{path.name} was written with Polars {made}, and this is {here}: its footer and its decompressed pages "
            "are those of its cells; the name of the build and how the pages are compressed could not be compared"
        )


def audit_files(opened: Opened) -> Audit:
    """Measure what was read from a release's files."""
    try:
        table = opened.table
    except SfumatoError as error:
        return Audit((*opened.findings, Finding("data", error.message)))
    if opened.certificate is None or opened.codebook is None or table is None or opened.frame is None:
        return Audit(tuple(opened.findings))
    promise, codebook = opened.certificate.promise, opened.codebook
    again = audit_table(table, promise, codebook)
    findings = [*opened.findings, *again.findings]
    findings += [Finding("codebook", message) for message in misstatements(codebook, table)]
    if not opened.findings:
        findings += [Finding("codebook", message) for message in mislabelled(codebook, opened.certificate.settings)]
    if not findings:
        told = misstated(opened.certificate.settings, promise, codebook, opened.frame)
        findings += [Finding("certificate", message) for message in told]
    if again.measured:
        findings += _differences(opened.certificate.measured, again.measured)
    if again.kept is not None:
        keys = [column for name in promise.quasi for column in codebook.columns()[name]]
        findings += [Finding("data", message) for message in contradictions(opened.frame, again.measured, keys)]
    notes = [*opened.notes]
    if words := words_of(codebook, opened.certificate.settings):
        notes.append(
            f"the codebook has {len(words):,} titles, labels and explanations, {sum(map(len, words)):,} characters in "
            "all: words of its publisher that no measure covers"
        )
    return replace(again, findings=tuple(findings), notes=tuple(notes))


def _differences(said: Mapping[str, Any], now: Mapping[str, Any], path: str = "") -> Iterator[Finding]:
    """Find where the certificate says something else than was measured."""
    if extra := len(said.keys() - now.keys()):
        yield Finding("certificate", f"has {extra:,} entries in {path.rstrip('.') or 'measured'} that are no measures")
    for key, measured in now.items():
        name = f"{path}{key}"
        if key not in said:
            yield Finding("certificate", f"lacks {name}")
        elif isinstance(said[key], dict) and isinstance(measured, dict):
            yield from _differences(said[key], measured, f"{name}.")
        # as text, so that 1, 1.0 and true differ; measures are rounded, so that machines agree on every digit
        elif to_json(said[key]) != to_json(measured):
            told = f"says {name} = {said[key]}" if isinstance(said[key], int | float) else f"says otherwise of {name}"
            yield Finding("certificate", f"{told}, the data has {measured}")
