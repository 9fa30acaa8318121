"""Work on several threads, with results that do not depend on how many there are."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

BATCHES = 32
"""A range is done in up to so many parts."""

Given = TypeVar("Given")
Found = TypeVar("Found")


def batches_of(size: int, *, least: int = 1) -> list[tuple[int, int]]:
    """Return about equal parts of a range, of at least so many; they do not depend on the number of threads.

    >>> batches_of(10, least=4)
    [(0, 5), (5, 10)]
    """
    parts = max(1, min(BATCHES, size // least))
    return list(itertools.pairwise(size * part // parts for part in range(parts + 1))) if size else []


def side_by_side(
    function: Callable[[Given], Found],
    given: Sequence[Given],
    threads: int | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Found]:
    """Call a function on several threads; the results come in the order of what was given."""
    if len(given) == 1:
        # starting threads would take longer than many a small task
        alone = [function(given[0])]
        progress(1.0)
        return alone
    pool = ThreadPoolExecutor(threads or os.cpu_count())
    found = []
    try:
        waiting: Iterable[Found] = pool.map(function, given)
        for number, one in enumerate(waiting):
            found.append(one)
            progress((number + 1) / len(given))
    except BaseException as error:
        # what has not begun shall not begin; who interrupts does not wait for what has
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        raise
    pool.shutdown()
    return found
