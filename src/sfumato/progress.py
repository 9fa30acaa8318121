"""How long work tells how far it is: a callback that command line, web and tests each bring."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, float], None]
"""Called with what is being done and the share done, from 0 to 1."""


def silent(task: str, share: float) -> None:
    """Show nothing."""


def within(progress: Progress, start: float, end: float, *, of: str = "") -> Progress:
    """Return what a part of the work calls: its own share is that from ``start`` to ``end`` of the whole.

    Parameters
    ----------
    progress
        What the whole calls.
    start, end
        Shares of the whole.
    of
        What the part is of, told in front.
    """
    return lambda task, share: progress(f"{of}: {task}" if of else task, start + share * (end - start))
