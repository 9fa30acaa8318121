"""What the steward stores beside a release and adds later: files by subject, named after the seal."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue

from sfumato.errors import ReleaseError
from sfumato.randomness import Secret
from sfumato.release.atomic_folder import beside, move_private, refused, write_private
from sfumato.release.certificate import Certificate, read_json, to_json

Subject = Literal["attack"]
RECORD = re.compile(r"[0-9a-f]{16}\.json")
"""The name of a release's record, after its seal."""


def subject_file(folder: Path, seal: str, subject: Subject, name: str = "") -> Path:
    """Return a file of a subject in a folder of confidential records."""
    return folder / f"{seal[:16]}.{subject}{f'-{name}' * bool(name)}.json"


@dataclass(frozen=True)
class RepeatableRelease:
    """What a confidential record says about how its release can be made again."""

    seal: str
    """The seal of its certificate."""
    secret: Secret
    """What its random numbers were derived from."""
    format: str | None
    """The format of its data file."""


def release_to_repeat(path: Path) -> RepeatableRelease:
    """Read from the confidential record of a release how to make it again.

    Parameters
    ----------
    path
        The record, or a folder that contains one.
    """
    if path.is_dir():
        records = sorted(file for file in path.iterdir() if RECORD.fullmatch(file.name))
        if len(records) != 1:
            raise ReleaseError(
                f"{path} has {len(records)} records of releases, not one",
                hint="give the record itself: it is named after the first 16 digits of its release's seal",
            )
        path = records[0]
    record = read_json(path)
    if not isinstance(record.get("secret"), str):
        raise ReleaseError(f"{path.name} has no secret, so its release cannot be made again")
    format_name = record.get("format")
    return RepeatableRelease(
        seal=str(record.get("seal")),
        secret=Secret.from_record(record),
        format=None if format_name is None else str(format_name),
    )


def keep(
    folder: Path, certificate: Certificate, subject: Subject, content: Mapping[str, Any], *, name: str = ""
) -> Path:
    """Store what the steward keeps about a subject, in one step, readable by its owner only; an older file is replaced.

    Parameters
    ----------
    folder
        The release.
    certificate
        The certificate of the release.
    subject
        What it is about.
    content
        What JSON can hold.
    name
        What distinguishes it from other files on the same subject, as a part of a file name.
    """
    target = subject_file(beside(folder, ".private"), certificate.seal, subject, name)
    # moved from beside the folder of records, which may not exist yet
    written = target.parent.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        write_private(written, to_json({**content, "seal": certificate.seal}))
        move_private(written, target)
    except OSError as error:
        raise refused(target, error) from None
    finally:
        written.unlink(missing_ok=True)
    return target


def kept(path: Path, certificate: Certificate | None, subject: Subject) -> dict[str, dict[str, JsonValue]]:
    """Read what the steward stored about a subject, each file by its name.

    Parameters
    ----------
    path
        The record of the release, or the folder of records that contains it.
    certificate
        The certificate of the release, if it can be read.
    subject
        What it is about.
    """
    if certificate is None:
        return {}
    folder, files = path if path.is_dir() else path.parent, {}
    for file in sorted(folder.glob(subject_file(folder, certificate.seal, subject).stem + "*.json")):
        files[file.name] = read_json(file)
        if files[file.name].get("seal") != certificate.seal:
            raise ReleaseError(f"{file.name} does not belong to this release: it has another seal", hint="remove it")
    return files
