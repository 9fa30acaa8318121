"""Where hidden places land: at a drawn rank among the ordinary ones, so that whoever knows the method finds no trace.

The fewest people are moved if hidden places end exactly where a rule still holds, often equal to a place that took
what they lost. That point would be as good a clue as the top.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from sfumato.arrays import Counts
from sfumato.errors import UnattainableError
from sfumato.groups.rounding import largest_remainders
from sfumato.groups.task import Reshaping

TRIES = 100
"""How often new counts are drawn before those given stay."""
DEEPEST = 2 / 3
"""A hidden place is drawn to have at most this share of the ordinary places beyond it, and less from try to try."""
SPREAD = (0.5, 1.5)
"""What places gain is multiplied by a number drawn between these, so that they do not end level."""


def scattered(task: Reshaping, counts: Counts, rng: Generator, hides: Callable[[Counts], bool]) -> Counts:
    """Draw the ranks of hidden places from where they are to well within the others, and what others gain.

    Parameters
    ----------
    task
        The signal and the places.
    counts
        Counts that hide the places.
    rng
        Where chance comes from.
    hides
        Whether drawn counts hide them too.

    Returns
    -------
    Counts
        Those given if nothing drawn hides the places.
    """
    for attempt in range(TRIES):
        drawn = _drawn(task, counts, rng, DEEPEST * (1 - attempt / TRIES))
        if drawn is not None and hides(drawn):
            return drawn
    return counts


def _drawn(task: Reshaping, counts: Counts, rng: Generator, deepest: float) -> Counts | None:
    """Draw counts; None if the places that gain have no room for what hidden ones lose, or lose too little."""
    signal = task.signal_of(counts)
    ordinary = np.sort(signal[task.others])
    least, most = task.bounds
    drawn = counts.copy()
    for place, high in zip(task.hidden, task.high.tolist(), strict=True):
        if counts[place] == task.counts[place]:
            continue
        sign = 1.0 if high else -1.0
        # from the one farthest on the side where the hidden place was
        beyond = (sign * ordinary)[::-1] if high else sign * ordinary
        there = int((beyond > sign * signal[place]).sum())
        rank = int(rng.integers(there, max(there, int(deepest * beyond.size)) + 1))
        ends = [beyond[min(max(number, 0), beyond.size - 1)] for number in (rank - 1, rank)]
        wanted = signal.copy()
        wanted[place] = sign * min(rng.uniform(ends[1], ends[0]), sign * signal[place])
        drawn[place] = np.clip(np.rint(task.counts_of(wanted)[place]), least[place], most[place])
    others = task.others
    change = counts[others] - task.counts[others]
    sign = 1 if change.sum() >= 0 else -1
    gaining = others[sign * change > 0]
    gains = sign * (counts[gaining] - task.counts[gaining])
    total = int(gains.sum()) + sign * int((counts - drawn).sum())
    if total < 0:
        return None
    room = most[gaining] - task.counts[gaining] if sign > 0 else task.counts[gaining] - least[gaining]
    try:
        new = largest_remainders(gains * rng.uniform(*SPREAD, gaining.size), total, upper=room)
    except UnattainableError:
        return None
    drawn[gaining] = task.counts[gaining] + sign * new
    return drawn
