"""What the steward keeps beside a release, and adds to later: one file a subject, named after the seal."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from sfumato.errors import ReleaseError
from sfumato.release.certificate import Certificate, read_json, to_json
from sfumato.release.folder import beside, move_private, refused, write_private

Subject = Literal["attack"]


def subject_file(folder: Path, seal: str, subject: Subject) -> Path:
    """Return where, in a folder of private records, what is kept of a subject lies."""
    return folder / f"{seal[:16]}.{subject}.json"


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
