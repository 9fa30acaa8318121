"""Progress of long work: a callback that the command line, the web and tests each provide."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, float], None]
"""Called with what is being done and the share done, from 0 to 1."""


def silent(task: str, share: float) -> None:
    """Show nothing."""


def within(progress: Progress, start: float, end: float, *, of: str = "") -> Progress:
    """Return the callback of a part of the work, which is reported as ``start`` to ``end`` of the whole.

    Parameters
    ----------
    progress
        The callback of the whole.
    start, end
        Shares of the whole.
    of
        What the part belongs to, reported before its task.
    """
    return lambda task, share: progress(f"{of}: {task}" if of else task, start + share * (end - start))


@contextmanager
def whole(progress: Progress) -> Iterator[Progress]:
    """Provide a callback for the parts of a job, so that the whole goes from 0 to 1 and never back.

    Each part reports its own share, starting at 0. The number of parts is not known in advance, so each gets half of
    what remains; the last one is done when the job is.

    >>> with whole(lambda task, share: print(task, share)) as report:
    ...     report("cutting", 0.5)
    ...     report("cutting", 1.0)
    ...     report("measuring", 0.0)
    cutting 0.25
    cutting 0.5
    measuring 0.5
    measuring 1.0
    """
    state = {"start": 0.0, "last": 0.0, "reached": 0.0}
    latest = ""

    def report(task: str, share: float) -> None:
        nonlocal latest
        if share < state["last"]:
            state["start"] = state["reached"]
        state["last"], latest = share, task
        overall = state["start"] + min(max(share, 0.0), 1.0) * (1.0 - state["start"]) / 2.0
        state["reached"] = max(state["reached"], overall)
        progress(task, state["reached"])

    yield report
    if latest:
        progress(latest, 1.0)
