"""Replaces a folder in one step: after a crash there is either the old one or the new one."""

from __future__ import annotations

import ctypes
import errno
import glob
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from sfumato.errors import ReleaseError

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextmanager
def new_folder(target: Path, *, force: bool, check: Callable[[Path], None], keep: bool = True) -> Iterator[Path]:
    """Fill a folder beside the target and put it in the target's place when everything is written.

    Parameters
    ----------
    target
        The target folder, as an absolute path.
    force
        Whether an existing folder may be replaced.
    check
        Raises :class:`ReleaseError` for a folder that must never be replaced.
    keep
        Whether the folder is put in the target's place in the end; otherwise this only shows that it could be.
    """
    check_target(target, force=force, check=check)
    try:
        with _held(target.parent, wait=True):
            _remove_leftovers(target)
            work = target.parent / f"{_prefix(target)}{secrets.token_hex(4)}"
            work.mkdir(mode=0o755)
            hold = _hold(work, wait=False)
    except OSError as error:
        raise refused(target, error) from None
    try:
        yield work
        if not keep:
            return
        _sync(work)
        with _held(target.parent, wait=True):
            # somebody may have written there in the meantime
            check_target(target, force=force, check=check)
            if _filled(target):
                _exchange(work, target)
            else:
                work.rename(target)
            _confirm(target)
    except OSError as error:
        raise refused(target, error) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(hold)


def _confirm(target: Path) -> None:
    """Flush the name of a folder that was put in place to the disk."""
    try:
        _sync_folder(target.parent)
    except OSError as error:
        raise ReleaseError(
            f"{target} was written, but the system does not confirm that it is on the disk: "
            f"{os.strerror(error.errno or errno.EIO)}",
            hint="the release is in its place; audit it before you rely on it, and check the disk",
        ) from None


def named(folder: Path) -> Path:
    """Return a folder as it was given, if that ends with a name and not with dots.

    >>> named(Path("out")), named(Path(".")) == Path.cwd()
    (PosixPath('out'), True)
    """
    return folder if folder.name.strip(".") else Path(os.path.abspath(folder))


def beside(folder: Path, ending: str) -> Path:
    """Return the path beside a folder that has its name with an ending, written as the folder is.

    >>> beside(Path("out"), ".html")
    PosixPath('out.html')
    """
    named_folder = named(folder)
    return named_folder.with_name(f"{named_folder.name}{ending}")


def move_private(written: Path, target: Path) -> None:
    """Move a file to where only its owner can read it, in one step."""
    if target.parent.is_symlink():
        raise ReleaseError(
            f"{target.parent} is a link", hint="remove it: confidential records are stored beside the release"
        )
    try:
        target.parent.mkdir(mode=0o700, exist_ok=True)
        target.parent.chmod(0o700)
        written.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise refused(target, error) from None


def remove_private(path: Path) -> None:
    """Remove a confidential record whose release was not written, and its folder if nothing else is in it."""
    path.unlink(missing_ok=True)
    with suppress(OSError):
        path.parent.rmdir()


def forget(records: Path, seal: str) -> None:
    """Remove the confidential records of a release that was replaced: they could only serve to undo it."""
    record = records
    try:
        for record in sorted(records.glob(f"{seal[:16]}.*json")):
            record.unlink()
    except OSError as error:
        raise ReleaseError(
            f"the release was written, but the confidential record of the one that it replaced cannot be removed: "
            f"{os.strerror(error.errno or errno.EIO)}",
            hint=f"remove {record}",
        ) from None


def write_private(path: Path, content: str) -> None:
    """Write a new file that only its owner can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def refused(target: Path, error: OSError) -> ReleaseError:
    """Say why the system refuses to write."""
    hints = {
        errno.ENOSPC: "free some space; nothing was changed",
        errno.EDQUOT: "your quota is used up; nothing was changed",
        errno.EFBIG: "files may not be that large here; nothing was changed",
        errno.EIO: "the disk may be full or damaged; nothing was changed",
        errno.EACCES: "choose a folder that you may write to",
        errno.EPERM: "choose a folder that you may write to",
        errno.EROFS: "the disk may only be read; choose another one",
    }
    number = error.errno or errno.EIO
    return ReleaseError(f"{target} cannot be written: {os.strerror(number)}", hint=hints.get(number))


def _prefix(target: Path) -> str:
    return f".{target.name}.partial-"


def _filled(target: Path) -> bool:
    return target.is_dir() and any(target.iterdir())


def check_target(target: Path, *, force: bool, check: Callable[[Path], None]) -> None:
    """Refuse a target that cannot become the folder; parameters are as for :func:`new_folder`."""
    if find_spec("fcntl") is None:
        raise ReleaseError(
            f"writing releases is not supported on {sys.platform}: it lacks folder locks and atomic exchange",
            hint="write them on Linux or macOS; they can be read, audited and estimated from here",
        )
    try:
        if not target.parent.is_dir():
            raise ReleaseError(f"folder {target.parent} does not exist", hint="create it first")
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise ReleaseError(f"{target} exists and is not a folder", hint="choose another name")
        if not _filled(target):
            return
        check(target)
    except OSError as error:
        raise refused(target, error) from None
    if not force:
        raise ReleaseError(f"{target} already holds a release", hint="replace it with force=True (--force)")


def _hold(folder: Path, *, wait: bool) -> int:
    """Hold a folder as long as this process lives and has the returned descriptor open."""
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


@contextmanager
def _held(folder: Path, *, wait: bool) -> Iterator[None]:
    descriptor = _hold(folder, wait=wait)
    try:
        yield
    finally:
        os.close(descriptor)


def _remove_leftovers(target: Path) -> None:
    """Remove what killed writers have left: folders that nobody holds."""
    for leftover in target.parent.glob(f"{glob.escape(_prefix(target))}*"):
        with suppress(BlockingIOError), _held(leftover, wait=False):
            shutil.rmtree(leftover, ignore_errors=True)


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
