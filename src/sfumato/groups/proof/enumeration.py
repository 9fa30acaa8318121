"""Enumeration of all signals with a given number of people moved, where these are few enough."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sfumato.array_types import Counts
from sfumato.groups.reshaping_problem import Reshaping


def neighbours(task: Reshaping, moved: int) -> Iterator[Counts]:
    """Yield all counts with the same total, within the bounds, for which exactly this many people are moved.

    Examples
    --------
    >>> task = Reshaping([2, 0, 7], hidden=[2], capacities=[9, 1, 9])
    >>> [counts.tolist() for counts in neighbours(task, 2)]
    [[0, 0, 9], [0, 1, 8], [3, 1, 5], [4, 0, 5]]
    """
    least, greatest = task.bounds
    losses, gains = task.counts - least, greatest - task.counts
    # what the places from each index on can give and take
    can_lose, can_gain = (np.append(np.cumsum(room[::-1])[::-1], 0).tolist() for room in (losses, gains))
    change = np.zeros_like(task.counts)

    def changes(place: int, to_lose: int, to_gain: int) -> Iterator[Counts]:
        if to_lose > can_lose[place] or to_gain > can_gain[place]:
            return
        if place == change.size:
            yield task.counts + change
            return
        for people in range(-min(to_lose, int(losses[place])), min(to_gain, int(gains[place])) + 1):
            change[place] = people
            yield from changes(place + 1, to_lose + min(people, 0), to_gain - max(people, 0))
        change[place] = 0

    return changes(0, moved, moved)
