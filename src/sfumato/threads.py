"""Work on several threads, with results that do not depend on how many there are."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

BATCHES = 32
"""The largest number of parts that a range is divided into."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def batches_of(size: int, *, least: int = 1) -> list[tuple[int, int]]:
    """Divide a range into about equal parts of at least ``least``, whatever the number of threads.

    >>> batches_of(10, least=4)
    [(0, 5), (5, 10)]
    """
    n_batches = max(1, min(BATCHES, size // least))
    return list(itertools.pairwise(size * batch // n_batches for batch in range(n_batches + 1))) if size else []


def side_by_side(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    threads: int | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> list[Result]:
    """Call a function for each item, on several threads; the results are in the order of the items."""
    if len(items) == 1:
        # starting threads would take longer than many small tasks
        only = [function(items[0])]
        progress(1.0)
        return only
    pool = ThreadPoolExecutor(threads or os.cpu_count())
    results = []
    try:
        pending: Iterable[Result] = pool.map(function, items)
        for number, result in enumerate(pending):
            results.append(result)
            progress((number + 1) / len(items))
    except BaseException as error:
        # do not start the remaining tasks; an interruption does not wait for those that run
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt), cancel_futures=True)
        raise
    pool.shutdown()
    return results
