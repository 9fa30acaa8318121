"""The signal nearest to the original, by people moved, in which hidden places do not stand out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from sfumato.arrays import Counts
from sfumato.groups.filling import filled
from sfumato.groups.ordered import Ordered, fewest_moved
from sfumato.groups.task import Reshaping

MOST_ORDERS = 400
"""So many orders of places are looked at all; where there are more, those next to the best one known."""
PROGRAMS = 1500
"""How many linear programs a search of all orders solves at most."""
ROUNDS = 3
"""How often the orders next to the best one known are searched."""
ROUND_PROGRAMS = 200
"""How many linear programs each of these solves at most."""


def reshape_least(task: Reshaping) -> Counts:
    """Move as few people as possible so that no hidden place is an outlier.

    With median and quartiles (``robust=True``) the order of the places is searched, and for each order the course that
    the technique takes (:mod:`sfumato.groups.ordered`). If no place is fixed, no capacity is in the way and the signal
    is a quantity, the hidden places and the others each keep their own order: two that changed it could exchange their
    new values and be no farther from the old ones. What is left are the ranks of the hidden places. Up to twenty places
    the result is the best there is if these ranks can be chosen in no more than 400 ways; with fixed places, capacities
    or concentrations if there are no more than 400 orders of all places, that is up to five. More than twenty places
    are searched alike, but programs are solved in fractions of people and rounded, which may cost a few people. Beyond
    400 orders only those near a good one are looked at. No hidden place stands out in any case; better results may
    exist. A search ends after 1,500 programs in any case, of which examples of 60 places needed half.

    With mean and deviation (``robust=False``) the deviation is not linear. Hidden places are moved to the middle as
    little as a number of ways to place the others' gain allows, and people are given back as long as nothing shows.
    That is good, not proven best.

    Parameters
    ----------
    task
        The signal and the places.

    Examples
    --------
    >>> task = Reshaping([3, 5, 4, 6, 5, 90], hidden=[5])
    >>> reshape_least(task).tolist()
    [3, 5, 4, 41, 5, 55]
    """
    if not task.flagged(task.counts):
        return task.counts.copy()
    best = filled(task)
    if task.robust:
        best = _searched(task, best)
    if best is None or task.flagged(best):
        raise task.unattainable(best, "moving people", _why(task))
    return best


def _searched(task: Reshaping, best: Counts | None) -> Counts | None:
    """Search the orders of places for fewer people moved."""
    if _n_orders(task) <= MOST_ORDERS:
        orders = (Ordered(task, places) for places in _all_orders(task))
        return fewest_moved(orders, best, programs=PROGRAMS)[0]
    seen: set[tuple[int, ...]] = set()
    for _ in range(ROUNDS):
        near = [places for places in _near_orders(task, best) if places not in seen]
        if not near:
            break
        seen.update(near)
        found, _ = fewest_moved((Ordered(task, places) for places in near), best, programs=ROUND_PROGRAMS)
        if found is None or (best is not None and task.moved(found) >= task.moved(best)):
            break
        best = found
    return best


def _plain(task: Reshaping) -> bool:
    """Say whether places may exchange their new values, but for being hidden or not."""
    return not task.fixed and task.sizes is None and bool((task.most == task.total).all())


def _n_orders(task: Reshaping) -> int:
    size = task.counts.size
    return math.comb(size, len(task.hidden)) if _plain(task) else math.factorial(size)


def _all_orders(task: Reshaping) -> Iterator[tuple[int, ...]]:
    """Yield all orders that the best counts can have."""
    size = task.counts.size
    if not _plain(task):
        yield from itertools.permutations(range(size))
        return
    ranked = np.argsort(task.values, kind="stable").tolist()
    for ranks in itertools.combinations(range(size), len(task.hidden)):
        hidden = iter([place for place in ranked if place in task.hidden])
        others = iter([place for place in ranked if place not in task.hidden])
        yield tuple(next(hidden if rank in ranks else others) for rank in range(size))


def _near_orders(task: Reshaping, best: Counts | None) -> Iterator[tuple[int, ...]]:
    """Yield the order of counts, hidden places last or first among equals, and those with one hidden place moved."""
    signal = task.values if best is None else task.signal_of(best)
    is_hidden = np.isin(np.arange(signal.size), task.hidden)
    for sign in (1, -1):
        ranked = np.lexsort((task.values, sign * is_hidden, signal)).tolist()
        yield tuple(ranked)
        for place in task.hidden:
            rank = ranked.index(place)
            without = [other for other in ranked if other != place]
            for moved in (rank - 2, rank - 1, rank + 1, rank + 2):
                if 0 <= moved < len(ranked):
                    yield (*without[:moved], place, *without[moved:])


def _why(task: Reshaping) -> str:
    """Say what is in the way."""
    least, most = task.bounds
    movable = int((most - least)[task.others].sum())
    if movable == 0:
        return "all other places are fixed or full; fix fewer places or raise capacities"
    return "fix fewer places, raise capacities, hide fewer places or take a smaller alpha"
