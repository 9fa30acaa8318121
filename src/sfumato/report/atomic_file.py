"""Atomic writing of a file: an interruption leaves the old file or the new one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sfumato.errors import SettingError

EVERYBODY, OWNER = 0o666, 0o600
"""The permissions of a file; the first is subject to the user's umask."""


def check_file(path: str | Path, *, what: str, formats: Sequence[str], beside: Path | None = None) -> Path:
    """Refuse a file that cannot be written, before any work is done.

    Parameters
    ----------
    path
        The file.
    what
        What it is called in messages, such as ``"picture"``.
    formats
        The allowed endings of its name.
    beside
        A release, in which no other file may be written.
    """
    path = Path(path)
    if path.suffix.lower() not in formats:
        raise SettingError(f"unsupported file type of {what} {path.name!r}; supported: {', '.join(formats)}")
    try:
        folder = path.resolve().parent
        possible = folder.is_dir() and not path.is_dir()
        inside = beside is not None and beside.resolve() in (folder, *folder.parents)
    except OSError:
        possible = inside = False
    if not possible:
        raise SettingError(f"{what} {path} cannot be written", hint="name a file in a folder that exists")
    if inside:
        raise SettingError(
            f"{what} {path} is inside the release", hint="choose a file outside: a release contains only its own files"
        )
    return path


def write_file(path: Path, content: bytes, *, what: str, mode: int = EVERYBODY) -> Path:
    """Write a temporary file and rename it.

    Parameters
    ----------
    path, content
        The file.
    what
        What it is called in messages.
    mode
        The permissions: ``EVERYBODY`` or ``OWNER``.
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
