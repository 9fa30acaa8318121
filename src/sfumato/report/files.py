"""Writing one file in one step: after an interruption there is the old file or the new one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sfumato.errors import SettingError

EVERYBODY, OWNER = 0o666, 0o600
"""Who may read a file; the first as far as the user's mask allows."""


def check_file(path: str | Path, *, what: str, formats: Sequence[str], beside: Path | None = None) -> Path:
    """Refuse a file that cannot be written, before any work is done.

    Parameters
    ----------
    path
        The file.
    what
        What it will be, as ``"picture"``.
    formats
        What its name may end with.
    beside
        A release, which must not get a file more.
    """
    path = Path(path)
    if path.suffix.lower() not in formats:
        raise SettingError(f"{what} {path.name!r} ends with none of {', '.join(formats)}")
    try:
        folder = path.resolve().parent
        possible = folder.is_dir() and not path.is_dir()
        inside = beside is not None and beside.resolve() in (folder, *folder.parents)
    except OSError:
        possible = inside = False
    if not possible:
        raise SettingError(f"{what} {path} cannot be written there", hint="name a file in a folder that exists")
    if inside:
        raise SettingError(f"{what} {path} lies in the release", hint="a release holds its own files and no other")
    return path


def write_file(path: Path, content: bytes, *, what: str, mode: int = EVERYBODY) -> Path:
    """Write a file beside its place and move it there.

    Parameters
    ----------
    path, content
        The file.
    what
        What it is.
    mode
        Who may read it: ``EVERYBODY`` or ``OWNER``.
    """
    work = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(work, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        work.replace(path)
    except OSError as error:
        raise SettingError(f"{what} {path} cannot be written: {os.strerror(error.errno or 0)}") from None
    finally:
        with suppress(OSError):
            work.unlink(missing_ok=True)
    return path
