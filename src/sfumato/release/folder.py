"""Replacing a folder in one step: after a crash there is the old one or the new one."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sfumato.errors import ReleaseError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def new_folder(target: Path, *, force: bool, mark: str) -> Iterator[Path]:
    """Fill a folder beside the target and put it in the target's place when all is written.

    Parameters
    ----------
    target
        Where the folder shall be.
    force
        Whether a folder that is there may be replaced.
    mark
        The file that a folder must hold to be replaced, so that no other folder is ever lost.
    """
    target = Path(os.path.abspath(target))
    _check_target(target, force=force, mark=mark)
    try:
        _remove_leftovers(target)
        work = target.parent / f"{_prefix(target)}{secrets.token_hex(4)}"
        work.mkdir(mode=0o755)
        hold = _lock(work)
    except OSError as error:
        raise _refused(target, error) from None
    try:
        yield work
        _sync(work)
        if target.exists() and any(target.iterdir()):
            _exchange(work, target)
        else:
            work.rename(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise _refused(target, error) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(hold)


def write_private(path: Path, content: str) -> None:
    """Write a file that only its owner can read, in one step."""
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.parent.chmod(0o700)
        work = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(work, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            work.replace(path)
        finally:
            work.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise _refused(path, error) from None


def _prefix(target: Path) -> str:
    return f".{target.name}.partial-"


def _check_target(target: Path, *, force: bool, mark: str) -> None:
    if not target.parent.is_dir():
        raise ReleaseError(f"there is no folder {target.parent}", hint="make it first")
    if not target.exists():
        return
    if not target.is_dir() or target.is_symlink():
        raise ReleaseError(f"{target} exists and is not a folder", hint="choose another name")
    try:
        if not any(target.iterdir()):
            return
    except OSError as error:
        raise _refused(target, error) from None
    if not (target / mark).is_file():
        raise ReleaseError(f"{target} holds other files than a release", hint="choose a new folder")
    if not force:
        raise ReleaseError(f"{target} holds a release already", hint="replace it with force=True (--force)")


def _refused(target: Path, error: OSError) -> ReleaseError:
    hints = {
        errno.ENOSPC: "free some space; nothing was changed",
        errno.EDQUOT: "your quota is used up; nothing was changed",
        errno.EFBIG: "files may not be that large here; nothing was changed",
        errno.EACCES: "choose a folder that you may write to",
        errno.EPERM: "choose a folder that you may write to",
        errno.EROFS: "the disk may only be read; choose another one",
    }
    return ReleaseError(
        f"{target} cannot be written: {os.strerror(error.errno) if error.errno else 'input/output error'}",
        hint=hints.get(error.errno or 0),
    )


def _lock(folder: Path) -> int:
    """Hold the folder as long as this process lives and has the returned descriptor open."""
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return descriptor


def _remove_leftovers(target: Path) -> None:
    """Remove what writers that were killed have left: folders that nobody holds."""
    for left in target.parent.glob(f"{_prefix(target)}*"):
        with suppress(BlockingIOError):
            hold = _lock(left)
            shutil.rmtree(left, ignore_errors=True)
            os.close(hold)


def _exchange(work: Path, target: Path) -> None:
    """Swap two folders in one step of the file system."""
    libc = ctypes.CDLL(None, use_errno=True)
    swapped = -1
    if hasattr(libc, "renameat2"):
        swapped = libc.renameat2(_AT_FDCWD, os.fsencode(work), _AT_FDCWD, os.fsencode(target), _RENAME_EXCHANGE)
    elif hasattr(libc, "renamex_np"):
        swapped = libc.renamex_np(os.fsencode(work), os.fsencode(target), _RENAME_EXCHANGE)
    if swapped != 0:
        raise ReleaseError(
            f"this system cannot replace {target} in one step", hint="write to a new folder and remove the old one"
        )


def _sync(folder: Path) -> None:
    """Make sure that everything is on the disk before the folder takes its place."""
    for file in folder.iterdir():
        with file.open("rb") as written:
            os.fsync(written.fileno())
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
