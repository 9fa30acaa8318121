"""Logging under the name ``sfumato``: what was done, to how many records and for how long; never a value."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOGGER = logging.getLogger("sfumato")
LOGGER.addHandler(logging.NullHandler())


@contextmanager
def logged(task: str) -> Iterator[Callable[..., None]]:
    """Log a task when it is done, with the counts that it notes by name, or with the kind of its error.

    >>> with logged("reading") as note:
    ...     note(records=3)
    """
    counts: dict[str, int] = {}
    start = time.perf_counter()
    try:
        yield counts.update
    except Exception as error:
        LOGGER.info("%s: %s after %.3f s", task, type(error).__name__, time.perf_counter() - start)
        raise
    noted = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
    LOGGER.info("%s: %s in %.3f s", task, noted, time.perf_counter() - start)
