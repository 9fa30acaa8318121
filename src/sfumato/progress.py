"""How long work tells how far it is: a callback that command line, web and tests each bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def whole(progress: Progress) -> Iterator[Progress]:
    """Give what the parts of a job call, one after the other, so that the whole goes from 0 to 1 and never back.

    Each part tells its own share from 0 on. How many parts there will be is not known before, so that each gets half
    of what is left; the last one is done when the job is.

    >>> with whole(lambda task, share: print(task, share)) as told:
    ...     told("cutting", 0.5)
    ...     told("cutting", 1.0)
    ...     told("measuring", 0.0)
    cutting 0.25
    cutting 0.5
    measuring 0.5
    measuring 1.0
    """
    state = {"start": 0.0, "last": 0.0, "reached": 0.0}
    latest = ""

    def tell(task: str, share: float) -> None:
        nonlocal latest
        if share < state["last"]:
            state["start"] = state["reached"]
        state["last"], latest = share, task
        own = state["start"] + min(max(share, 0.0), 1.0) * (1.0 - state["start"]) / 2.0
        state["reached"] = max(state["reached"], own)
        progress(task, state["reached"])

    yield tell
    if latest:
        progress(latest, 1.0)
