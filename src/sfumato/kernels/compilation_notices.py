"""Watchers that are notified when kernels are compiled, which makes a first run slower.

This module loads no compiler, so that a command can watch before anything is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Watcher: TypeAlias = Callable[[int], None]
"""Called with the number of kernels compiled so far, whenever another one is begun."""

_watchers: list[Watcher] = []
_n_compiled = 0


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Call ``watcher`` whenever a kernel is compiled in the block."""
    _watchers.append(watcher)
    try:
        yield
    finally:
        _watchers.remove(watcher)


def notify() -> None:
    """Notify all watchers that another kernel is being compiled."""
    global _n_compiled
    for watcher in _watchers:
        watcher(_n_compiled)
    _n_compiled += 1
