"""Protection against deadlocks in processes that were forked after sfumato had been used.

The threads of polars, numba and OpenMP do not survive a fork, but the locks that they held do, so work in the forked
process would wait forever.
"""

from __future__ import annotations

import os

from sfumato.errors import SfumatoError

_state = {"worked": False, "stranded": False}


def _after_fork() -> None:
    _state["stranded"] = _state["worked"]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def begin_work() -> None:
    """Note that threads are about to start; refuse in a forked process, where they could not."""
    if _state["stranded"]:
        raise SfumatoError(
            "this process was forked from one that had already used sfumato; it would wait forever for threads that do "
            "not exist in it",
            hint='start workers with multiprocessing.get_context("spawn") or "forkserver", or fork before first use',
        )
    _state["worked"] = True
