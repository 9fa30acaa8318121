"""What the steward keeps beside a release, and adds to later: one file a subject, named after the seal."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from sfumato.errors import ReleaseError
from sfumato.release.certificate import Certificate, read_json, to_json
from sfumato.release.folder import beside, move_private, refused, write_private

Subject = Literal["attack"]
RECORD = re.compile(r"[0-9a-f]{16}\.json")
"""The name of a release's record, after its seal."""


def subject_file(folder: Path, seal: str, subject: Subject) -> Path:
    """Return where, in a folder of private records, what is kept of a subject lies."""
    return folder / f"{seal[:16]}.{subject}.json"


def record_to_repeat(path: Path) -> dict[str, Any]:
    """Read the private record of a release that is to be made again.

    Parameters
    ----------
    path
        The record, or a folder in which one lies.
    """
    if path.is_dir():
        records = sorted(one for one in path.iterdir() if RECORD.fullmatch(one.name))
        if len(records) != 1:
            raise ReleaseError(
                f"{path} holds {len(records)} records of releases, not one",
                hint="give the record itself: it is named after the first 16 digits of its release's seal",
            )
        path = records[0]
    record = read_json(path)
    if not isinstance(record.get("secret"), str):
        raise ReleaseError(f"{path.name} holds no secret, so that its release cannot be made again")
    return record


def keep(folder: Path, certificate: Certificate, subject: Subject, content: Mapping[str, Any]) -> Path:
    """Write what the steward keeps of a subject, in one step, readable by its owner only; what was kept is replaced.

    Parameters
    ----------
    folder
        The release.
    certificate
        That of the release.
    subject
        What it is about.
    content
        What JSON can hold.
    """
    place = subject_file(beside(folder, ".private"), certificate.seal, subject)
    # moved from beside the folder of records, which may not be there yet
    written = place.parent.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        write_private(written, to_json({**content, "seal": certificate.seal}))
        move_private(written, place)
    except OSError as error:
        raise refused(place, error) from None
    finally:
        written.unlink(missing_ok=True)
    return place


def kept(path: Path, certificate: Certificate | None, subject: Subject) -> dict[str, Any] | None:
    """Read what the steward kept of a subject; None if there is nothing.

    Parameters
    ----------
    path
        The record of the release, or the folder of records in which it lies.
    certificate
        That of the release, if it can be read.
    subject
        What it is about.
    """
    if certificate is None:
        return None
    found = subject_file(path if path.is_dir() else path.parent, certificate.seal, subject)
    if not found.exists():
        return None
    content = read_json(found)
    if content.get("seal") != certificate.seal:
        raise ReleaseError(f"{found.name} is not of this release: it has another seal", hint="remove it")
    return content
