"""Available memory, so that a file that does not fit is refused before it is read."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

from sfumato.errors import MicrofileError

CGROUPS = Path("/sys/fs/cgroup")
UNLIMITED = 1 << 60
"""A control group without a limit reports a number of this size, or the word max."""
RESERVED = 1 << 30
"""The address space that compiling kernels and starting threads reserve, used or not."""


def available_memory(root: Path = Path("/")) -> int | None:
    """Return how many more bytes this process may allocate, or None if the system does not report it.

    That is the minimum over the machine, each control group of the process, and the limits of the process itself
    (``ulimit -v``). ``root`` is the root of the system files.
    """
    limits = [*_of_machine(root), *_of_groups(root), *_of_process(root)]
    return max(min(limits), 0) if limits else None


def check_fits(needed: float, *, task: str = "reading the file", available: int | None = None) -> None:
    """Refuse work that needs more memory than there is."""
    available = available_memory() if available is None else available
    if available is not None and needed > available:
        raise MicrofileError(
            f"{task} needs at least {with_unit(needed)} of memory, but only {with_unit(available)} are free",
            hint="remove columns or records that are not needed, or use a machine with more memory",
        )


def with_unit(size: float) -> str:
    """Write a number of bytes with a unit.

    >>> with_unit(3 * 1024**3), with_unit(10 * 1024**2)
    ('3.0 GiB', '10 MiB')
    """
    return f"{size / 1024**3:.1f} GiB" if size >= 1024**3 else f"{max(size / 1024**2, 0):.0f} MiB"


def _of_machine(root: Path) -> list[int]:
    facts = _table(root / "proc/meminfo")
    return [facts["MemAvailable:"] * 1024] if "MemAvailable:" in facts else []


def _of_groups(root: Path) -> list[int]:
    """Return what the control groups (version 1 or 2) leave; pages that only cache files can be reclaimed."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except OSError:
        return []
    remaining = []
    groups = root / CGROUPS.relative_to("/")
    for line in lines:
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            base, names = groups, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            base, names = groups / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        inner = base / path.lstrip("/")
        for folder in (inner, *inner.parents):
            limit, used = _number(folder / names[0]), _number(folder / names[1])
            if limit is not None and used is not None and limit < UNLIMITED:
                remaining.append(limit - used + _table(folder / "memory.stat").get(names[2], 0))
            if folder == base:
                break
    return remaining


def _of_process(root: Path) -> list[int]:
    try:
        pages = [int(word) for word in (root / "proc/self/statm").read_text().split()]
    except (OSError, ValueError):
        return []
    size = os.sysconf("SC_PAGE_SIZE")
    reserved = 0 if "numba" in sys.modules else RESERVED
    limits = ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5]))
    soft = [(resource.getrlimit(limit)[0], used) for limit, used in limits]
    return [limit - used * size - reserved for limit, used in soft if limit != resource.RLIM_INFINITY]


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None


def _table(path: Path) -> dict[str, int]:
    try:
        lines = [line.split() for line in path.read_text().splitlines()]
    except OSError:
        return {}
    return {words[0]: int(words[1]) for words in lines if len(words) > 1 and words[1].isdigit()}
