"""The files of a release, as read from its folder, and whether they belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import JsonValue, ValidationError

from sfumato.errors import ReleaseError, SettingError, SfumatoError
from sfumato.fork_guard import begin_work
from sfumato.microfile import Microfile
from sfumato.quiet_repr import quiet
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
from sfumato.release.data_file import column_facts, read_data
from sfumato.release.file_system_metadata import attachments
from sfumato.release.finding import Finding, Subject
from sfumato.release.hidden_content_check import odd_cells, odd_content, same_bytes
from sfumato.release.public_settings import public_settings
from sfumato.settings import Settings


def parse_as(model: type[Settings], path: Path, content: Mapping[str, JsonValue]) -> Any:
    """Check a JSON object of a release against its schema."""
    format_name = content.get("format")
    if model is Certificate and format_name in EARLIER:
        raise ReleaseError(
            f"{path.name} has the earlier format {format_name}, which this version does not read",
            hint="release the file again with this version, or use the version that wrote it",
        )
    try:
        return model.model_validate(content)
    except ValidationError as error:
        key_path = ".".join(str(key) for key in error.errors()[0]["loc"])
        raise ReleaseError(f"{path.name} does not fit its schema at {key_path!r}") from None
    except SfumatoError as error:
        raise ReleaseError(f"{path.name} does not fit its schema: {error.message}") from None


def certificate_of(folder: Path) -> Certificate:
    """Read the certificate of a release; whether it is true is for the audit to decide."""
    path = folder / CERTIFICATE
    certificate: Certificate = parse_as(Certificate, path, read_json(path))
    return certificate


def require_release(folder: Path) -> None:
    """Refuse a folder that is not a release at all."""
    hint = "give the folder that a release was written to"
    try:
        if not folder.is_dir():
            state = "is a file" if folder.exists() else "does not exist"
            raise ReleaseError(f"{folder} {state}; expected the folder of a release", hint=hint)
        names = {path.name for path in folder.iterdir()}
    except OSError:
        raise ReleaseError(f"{folder} cannot be read", hint=hint) from None
    if not names & FILES:
        raise ReleaseError(f"{folder} is not a release: it has no {CERTIFICATE}")


@quiet
@dataclass
class OpenedRelease:
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


def open_files(folder: Path, *, compare: bool = True) -> OpenedRelease:
    """Read a release's files and check that they belong together.

    If the release is replaced meanwhile, it is read again.

    Parameters
    ----------
    folder
        The release.
    compare
        Whether the cells are written again, to find out whether the data file holds anything else, and whether the
        file system is asked what it stores beside the files' content.
    """
    begin_work()
    while True:
        before = _identity(folder)
        opened = _open_files(folder, compare=compare)
        if compare:
            _look_around(opened)
        if before == _identity(folder):
            return opened


def _look_around(opened: OpenedRelease) -> None:
    """Find what the file system stores beside the content of the files."""
    try:
        opened.findings += [Finding("folder", message) for message in attachments(opened.folder)]
    except OSError:
        opened.findings.append(Finding("folder", "cannot be read"))


def _identity(folder: Path) -> tuple[int, int, int] | None:
    """Distinguish a folder from the one that replaces it, which may get the same inode number."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_ino, status.st_ctime_ns, status.st_mtime_ns


def _open_files(folder: Path, *, compare: bool) -> OpenedRelease:
    opened = OpenedRelease([], folder=folder)
    findings = opened.findings
    try:
        for path in sorted(folder.iterdir()):
            if path.is_symlink():
                findings.append(Finding("folder", f"{path.name} is a link, not a file"))
        content = read_json(folder / CERTIFICATE)
        certificate: Certificate = parse_as(Certificate, folder / CERTIFICATE, content)
        opened.certificate = certificate
        if seal_of(content) != certificate.seal:
            findings.append(Finding("certificate", "was edited: its seal does not fit its content"))
        findings += _hidden("certificate", folder / CERTIFICATE, certificate)
    except ReleaseError as error:
        findings.append(Finding("certificate", error.message))
        return opened
    except OSError:
        findings.append(Finding("folder", "cannot be read"))
        return opened
    try:
        codebook: Codebook = parse_as(Codebook, folder / CODEBOOK, read_json(folder / CODEBOOK))
        opened.codebook = codebook
        findings += _hidden("codebook", folder / CODEBOOK, codebook)
        if to_json(public_settings(certificate.settings, codebook)) != to_json(certificate.settings):
            raise SettingError("settings are not in canonical form: they may hide something")
        if digest_of(folder / CODEBOOK) != certificate.codebook:
            findings.append(Finding("codebook", "was edited: its digest is not the certificate's"))
    except SettingError as error:
        findings.append(Finding("certificate", error.message))
        # settings of another form must not mislead what follows
        opened.certificate = certificate.model_copy(update={"settings": {}})
    except ReleaseError as error:
        findings.append(Finding("codebook", error.message))
    try:
        opened.frame = _open_data(folder / certificate.data.file, certificate, opened)
        expected = {CERTIFICATE, CODEBOOK, certificate.data.file}
        unexpected = sorted(path.name for path in folder.iterdir() if path.name not in expected)
    except OSError:
        findings.append(Finding("data", f"{certificate.data.file} cannot be read"))
        return opened
    findings += [Finding("folder", f"holds {name}, which does not belong to the release") for name in unexpected]
    if not findings and opened.frame is not None and compare:
        _compare_bytes(opened, certificate, opened.frame)
    return opened


def _hidden(about: Subject, path: Path, content: Settings) -> list[Finding]:
    """Find whether a JSON file holds anything beyond its content, such as blanks or unusual numerals."""
    if path.read_text(encoding="utf-8") == to_json(content.model_dump(mode="json")):
        return []
    return [Finding(about, f"{path.name} is not in canonical form: it may hide something")]


def _open_data(path: Path, certificate: Certificate, opened: OpenedRelease) -> pl.DataFrame | None:
    facts, findings = certificate.data, opened.findings
    if not path.is_file():
        findings.append(Finding("data", f"{path.name} is missing"))
        return None
    changed = digest_of(path) != facts.sha256
    if changed:
        findings.append(Finding("data", f"{path.name} was changed: its digest is not the certificate's"))
    try:
        frame = read_data(path, facts.columns)
    except ReleaseError as error:
        findings.append(Finding("data", error.message))
        return None
    if frame.height != facts.records:
        findings.append(Finding("data", f"has {frame.height:,} records, the certificate states {facts.records:,}"))
    else:
        for name, now in column_facts(frame).items():
            if now.sha256 != facts.columns[name].sha256:
                findings.append(Finding("data", f"column {name!r} has cells that were changed"))
            elif now != facts.columns[name]:
                findings.append(Finding("certificate", f"describes column {name!r} incorrectly"))
    if not changed:
        findings += [Finding("data", message) for message in odd_cells(frame)]
    return frame


def table_of(frame: pl.DataFrame, codebook: Codebook) -> Microfile:
    """Return the data of a release as a microfile."""
    columns = set(frame.columns)
    kinds = {name: kind for name, kind in codebook.kinds().items() if name in columns}
    return Microfile(frame, kinds=kinds)


def _compare_bytes(opened: OpenedRelease, certificate: Certificate, frame: pl.DataFrame) -> None:
    """Find whether the data file holds anything besides its cells."""
    facts = certificate.data
    path = opened.folder / facts.file
    if same_bytes(path, frame, facts.sha256):
        return
    written_with, running = certificate.software.get("polars", ""), public_version(pl.__version__)
    if written_with == running or path.suffix != ".parquet":
        opened.findings.append(
            Finding("data", f"{path.name} differs from a file written from its cells: it holds something else")
        )
        return
    additions = list(odd_content(path, frame, written_with))
    opened.findings += [Finding("data", message) for message in additions]
    if additions:
        opened.notes.append(
            f"{path.name} claims to be written with Polars {written_with}, and this is {running}; if that version has "
            "another file layout, audit the release with it, or have it written again by this version"
        )
    else:
        opened.notes.append(
            f"{path.name} was written with Polars {written_with}, and this is {running}: its footer and its "
            "decompressed pages are those of its cells; the name of the build and the compression of pages could not "
            "be compared"
        )
