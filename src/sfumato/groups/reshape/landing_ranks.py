"""The ranks at which hidden places land: drawn among the ordinary ones, so that knowing the method does not help.

The fewest people are moved if hidden places end exactly where they just do not stand out, often equal to a place that
took what they lost. That point would be as good a clue as the top.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from sfumato.array_types import Counts
from sfumato.errors import UnattainableError
from sfumato.groups.integer_rounding import largest_remainders
from sfumato.groups.reshaping_problem import Reshaping

TRIES = 100
"""How often new counts are drawn before the given ones are used."""
DEEPEST = 2 / 3
"""A hidden place gets at most this share of the ordinary places beyond it, and less from try to try."""
SPREAD = (0.5, 1.5)
"""Gains of places are multiplied by a number drawn between these, so that they do not end level."""


def with_drawn_ranks(task: Reshaping, counts: Counts, rng: Generator, hides: Callable[[Counts], bool]) -> Counts:
    """Draw the ranks of hidden places, from where they are to well within the others, and the gains of the others.

    Parameters
    ----------
    task
        The signal and the places.
    counts
        Counts that hide the places.
    rng
        The source of randomness.
    hides
        Says whether drawn counts hide them too.

    Returns
    -------
    Counts
        The given ones if no drawn counts hide the places.
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
    least, greatest = task.bounds
    drawn = counts.copy()
    for place, high in zip(task.hidden, task.high.tolist(), strict=True):
        if counts[place] == task.counts[place]:
            continue
        sign = 1.0 if high else -1.0
        # from the farthest one on the side where the hidden place was
        beyond = (sign * ordinary)[::-1] if high else sign * ordinary
        n_beyond = int((beyond > sign * signal[place]).sum())
        rank = int(rng.integers(n_beyond, max(n_beyond, int(deepest * beyond.size)) + 1))
        ends = [beyond[min(max(number, 0), beyond.size - 1)] for number in (rank - 1, rank)]
        target = signal.copy()
        target[place] = sign * min(rng.uniform(ends[1], ends[0]), sign * signal[place])
        drawn[place] = np.clip(np.rint(task.counts_of(target)[place]), least[place], greatest[place])
    other_places = task.others
    change = counts[other_places] - task.counts[other_places]
    sign = 1 if change.sum() >= 0 else -1
    gaining = other_places[sign * change > 0]
    gains = sign * (counts[gaining] - task.counts[gaining])
    total = int(gains.sum()) + sign * int((counts - drawn).sum())
    if total < 0:
        return None
    room = greatest[gaining] - task.counts[gaining] if sign > 0 else task.counts[gaining] - least[gaining]
    try:
        new = largest_remainders(gains * rng.uniform(*SPREAD, gaining.size), total, upper=room)
    except UnattainableError:
        return None
    drawn[gaining] = task.counts[gaining] + sign * new
    return drawn
