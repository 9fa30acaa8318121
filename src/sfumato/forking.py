"""Refusing to hang: processes that were forked after sfumato had worked.

The threads of polars, numba and OpenMP do not live on in a forked process, but the locks that they held do, so that
work there waits for ever.
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
    """Note that threads are about to start; refuse where they could not."""
    if _state["stranded"]:
        raise SfumatoError(
            "this process was forked from one in which sfumato had worked already; it would wait for ever for threads "
            "that were not forked with it",
            hint='start workers by multiprocessing.get_context("spawn") or "forkserver", or fork before the first use',
        )
    _state["worked"] = True
