"""Writes a release: data, certificate and codebook, all or nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import polars as pl
from pydantic import JsonValue

from sfumato.errors import ReleaseError, SettingError
from sfumato.fork_guard import begin_work
from sfumato.logs import logged
from sfumato.measures import Measured
from sfumato.progress import Progress, silent
from sfumato.randomness import Secret
from sfumato.release.atomic_folder import beside, forget, move_private, new_folder, remove_private, write_private
from sfumato.release.audit import audit_table
from sfumato.release.certificate import (
    CERTIFICATE,
    CODEBOOK,
    FILES,
    Certificate,
    DataFacts,
    digest_of,
    public_version,
    read_json,
    record_file,
    to_json,
)
from sfumato.release.data_file import column_facts, released_frame, reordered, write_data
from sfumato.release.label_checks import mislabelled
from sfumato.release.opened_release import open_files, table_of
from sfumato.release.public_settings import misstated, public_settings
from sfumato.version import __version__

if TYPE_CHECKING:
    from sfumato.release.release import Release

SEAL = re.compile("[0-9a-f]{64}")
Format = Literal["parquet", "csv"]
Order = Literal["shuffled", "kept"]


def write_release(
    release: Release,
    folder: str | Path,
    *,
    format: Format = "parquet",
    order: Order = "shuffled",
    force: bool = False,
    seed: int | None = None,
    progress: Progress = silent,
) -> Path:
    """Write a release; see :meth:`sfumato.Release.write`."""
    begin_work()
    folder = Path(os.path.abspath(folder))
    with logged("writing") as note:
        note(records=release.microfile.records)
        _check_choice("format", format, ("parquet", "csv"))
        _check_choice("order", order, ("shuffled", "kept"))
        secret = Secret.chosen(seed, release.secret)
        progress("ordering", 0.0)
        frame = released_frame(release.microfile)
        if order == "shuffled":
            frame = reordered(frame, secret)
        progress("measuring", 0.1)
        measured = _measured(release, frame)
        private = {**release.private, **release.secret.record(), "order": order, "format": format}
        private |= {} if seed is None else {"order_seed": seed}
        for name, content in (("settings", release.settings), ("private", private)):
            _check_json(name, content)
        settings = public_settings(_with_order(release.settings, order), release.codebook)
        if message := next(misstated(settings, release.promise, release.codebook, frame), None):
            raise SettingError(message)
        if message := next(mislabelled(release.codebook, settings), None):
            raise ReleaseError(f"the codebook {message}")
        with ExitStack() as undo, new_folder(folder, force=force, check=_refuse_strangers) as work:
            progress("writing", 0.3)
            certificate = _fill(work, release, frame, settings, measured, format)
            # frees the memory for what is read back
            del frame
            progress("verifying", 0.7)
            _verify(work)
            replaced = _seal_in(folder)
            record = record_file(beside(folder, ".private"), certificate.seal)
            if not record.exists():
                undo.push(lambda kind, *_: _remove_unused(record, folder, certificate) if kind else None)
            write_private(work / ".private", to_json({"seal": certificate.seal, **private}))
            move_private(work / ".private", record)
            progress("verifying", 1.0)
        if replaced is not None and replaced != certificate.seal:
            forget(beside(folder, ".private"), replaced)
        return folder


def _measured(release: Release, frame: pl.DataFrame) -> Measured:
    """Measure what is to be written, refusing it if it does not satisfy the promise."""
    # what is written is measured, not what it was made of
    audit = audit_table(table_of(frame, release.codebook), release.promise, release.codebook)
    if not audit.holds:
        raise ReleaseError(
            "the release does not satisfy its own promise and was not written: "
            + "; ".join(finding.message for finding in audit.findings),
            hint="protect it more strongly, or promise less",
        )
    return audit.measured


def _fill(
    work: Path,
    release: Release,
    frame: pl.DataFrame,
    settings: dict[str, JsonValue],
    measured: Measured,
    format: Format,
) -> Certificate:
    """Write data, codebook and certificate."""
    data = work / f"data.{format}"
    write_data(frame, data, data.suffix)
    (work / CODEBOOK).write_text(to_json(release.codebook.model_dump(mode="json")), encoding="utf-8")
    certificate = Certificate(
        software=_versions(),
        promise=release.promise,
        measured=cast(dict[str, JsonValue], measured),
        settings=settings,
        data=DataFacts(file=data.name, sha256=digest_of(data), records=frame.height, columns=column_facts(frame)),
        codebook=digest_of(work / CODEBOOK),
    ).sealed()
    (work / CERTIFICATE).write_text(to_json(certificate.model_dump(mode="json")), encoding="utf-8")
    return certificate


def check_folder(folder: str | Path, *, force: bool) -> Path:
    """Refuse a folder that a release cannot be written to, before any work is done."""
    path = Path(os.path.abspath(folder))
    with new_folder(path, force=force, check=_refuse_strangers, keep=False):
        # only creating something shows whether the system allows it
        return path


def _remove_unused(record: Path, folder: Path, certificate: Certificate) -> None:
    """Remove the confidential record of a release that was not put in place.

    After an interruption or a disk failure later than that, the record belongs to an existing release.
    """
    with suppress(ReleaseError):
        if read_json(folder / CERTIFICATE).get("seal") == certificate.seal:
            return
    remove_private(record)


def _check_choice(setting: str, choice: str, allowed: Sequence[str]) -> None:
    if choice not in allowed:
        raise ReleaseError(f"{setting} {choice!r} is unknown; allowed: {', '.join(allowed)}")


def _with_order(settings: Mapping[str, JsonValue], order: Order) -> dict[str, JsonValue]:
    """State in the settings that an order is kept: an audit expects a random one."""
    rest = {name: value for name, value in settings.items() if name != "order"}
    return {**rest, "order": order} if order == "kept" else rest


def _check_json(name: str, content: Mapping[str, Any]) -> None:
    try:
        to_json(content).encode()
    except (TypeError, ValueError):
        raise SettingError(
            f"{name} holds something that JSON cannot represent",
            hint="give texts, finite numbers, lists and dictionaries",
        ) from None


def _refuse_strangers(folder: Path) -> None:
    """Refuse to replace a folder that holds anything but a release."""
    strange = sorted(path.name for path in folder.iterdir() if path.name not in FILES or not path.is_file())
    if strange:
        raise ReleaseError(
            f"{folder} holds {strange[0]}, which does not belong to a release", hint="choose a new folder"
        )
    try:
        kind = str(read_json(folder / CERTIFICATE).get("format"))
    except ReleaseError as error:
        raise ReleaseError(f"{folder} is not a release: {error.message}", hint="choose a new folder") from None
    if not kind.startswith("sfumato-release-"):
        raise ReleaseError(f"{folder} is not a release of sfumato", hint="choose a new folder")


def _seal_in(folder: Path) -> str | None:
    """Return the seal of a release that is about to be replaced, if there is one."""
    if not (folder / CERTIFICATE).exists():
        return None
    seal = read_json(folder / CERTIFICATE).get("seal")
    return seal if isinstance(seal, str) and SEAL.fullmatch(seal) else None


def _verify(folder: Path) -> None:
    """Read back what was written: it must be, cell by cell, what was measured."""
    # just written: comparing its bytes would compare the writer with itself
    findings = open_files(folder, compare=False).findings
    if findings:
        raise ReleaseError(
            "what was written cannot be read back and was removed: "
            + "; ".join(f"{finding.about} {finding.message}" for finding in findings),
            hint="the disk may be damaged; write as Parquet",
        )


def _versions() -> dict[str, str]:
    # of the running code, which may differ from what is installed
    versions = {"sfumato": __version__, "numpy": np.__version__, "polars": pl.__version__}
    return {name: public_version(version) for name, version in versions.items()}
