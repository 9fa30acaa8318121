"""What a file system stores beside the content of a release's files, and no digest covers."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

_NOT_KEPT = (errno.ENOTSUP, errno.EOPNOTSUPP)
"""Errors of a file system without extended attributes."""


def attachments(folder: Path) -> Iterator[str]:
    """Say which files of a release have other names too, or carry extended attributes that somebody gave them.

    Neither the names nor the content of attributes are shown. Those of the system (``security.``, ``system.``,
    ``trusted.``) are left out: it sets them on its own.
    """
    for path in (folder, *sorted(folder.iterdir())):
        subject = "the folder" if path == folder else path.name
        status = path.lstat()
        if stat.S_ISREG(status.st_mode) and (n_names := status.st_nlink - 1):
            yield (
                f"{subject} has {n_names:,} other name{'s' * (n_names > 1)} in this file system (hard links), under "
                "which it can be changed; release a copy of it"
            )
        if n_attributes := _extended_attributes(path):
            yield (
                f"{subject} carries {n_attributes:,} extended attribute{'s' * (n_attributes > 1)} (user.*), which no "
                "digest covers; copy it without them"
            )


def _extended_attributes(path: Path) -> int:
    """Count the extended attributes that users set; only Linux is asked."""
    if sys.platform != "linux":
        return 0
    try:
        return sum(name.startswith("user.") for name in os.listxattr(path, follow_symlinks=False))
    except OSError as error:
        if error.errno in _NOT_KEPT:
            return 0
        raise
