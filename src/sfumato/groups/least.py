"""The signal nearest to the original, by people moved, in which hidden places do not stand out."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from sfumato.arrays import Counts
from sfumato.groups.critical import CriticalSearch
from sfumato.groups.deviation import DeviationSearch
from sfumato.groups.filling import filled
from sfumato.groups.neighbours import neighbours
from sfumato.groups.ordered import OrderedSearch, is_ordered
from sfumato.groups.task import Reshaping
from sfumato.progress import Progress, silent

MOST_NODES = 10_000
"""How many nodes a search looks at,"""
PANEL_NODES = 3_000
"""and how many if the panel has the last word, so that TC16's technique alone decides little."""
WORK = 1_000_000
"""It looks at fewer if they times the places are more than this."""
MOST_NEIGHBOURS = 5_000
"""How many signals are looked at one by one where a search has left a gap."""
MOST_MOVED = 20
"""Signals with as many people moved are too many to be looked at one by one."""


@dataclass(frozen=True)
class Least:
    """Counts in which no hidden place stands out, and what is known of how few people can be moved."""

    counts: Counts
    """One a place."""
    moved: int
    """How many people are moved."""
    at_least: int
    """How many have to be moved in any case, to hide from TC16's technique alone; this is proven."""

    @property
    def proven(self) -> bool:
        """Whether no other counts move fewer people."""
        return self.moved == self.at_least


def reshape_least(task: Reshaping, *, progress: Progress = silent) -> Counts:
    """Move as few people as possible so that no hidden place is an outlier; see :func:`least`.

    Parameters
    ----------
    task
        The signal and the places.
    progress
        Called while signals are compared.

    Examples
    --------
    >>> task = Reshaping([3, 5, 4, 6, 5, 90], hidden=[5])
    >>> reshape_least(task).tolist()
    [3, 5, 4, 41, 5, 55]
    """
    return least(task, progress=progress).counts


def least(task: Reshaping, *, again: int = 1, progress: Progress = silent) -> Least:
    """Move as few people as possible so that no hidden place is an outlier, and tell how few it can be.

    A good start (:mod:`sfumato.groups.filling`) is improved by branch and bound, which leaves out only what is proven
    to cost as much. With ``robust=True`` it goes over what the technique removes, by linear programs, if places may
    exchange their new counts (:mod:`sfumato.groups.ordered`), and over median, quartiles and ends of the sorted signal
    if places are fixed, capacities in the way or the signal is one of shares (:mod:`sfumato.groups.critical`). With
    ``robust=False`` it goes over the ends and the sum of what is not removed (:mod:`sfumato.groups.deviation`), which
    leaves a gap where something is removed; of shares it is then only known that somebody has to move. A gap is closed
    if so few signals lie in it that each can be looked at. Searches end after a number of nodes, not of seconds.

    All this is about TC16's technique. If a task asks for the whole panel, and it still finds a hidden place, more
    people are moved until it does not; how few that could be is not proven, only how few TC16's technique needs.

    Parameters
    ----------
    task
        The signal and the places.
    again
        By how much less is looked at; for a task that is solved several times with other places.
    progress
        Called while signals are compared.

    Raises
    ------
    UnattainableError
        If no such signal was found.

    Examples
    --------
    >>> found = least(Reshaping([3, 5, 4, 6, 5, 90], hidden=[5]))
    >>> found.moved, found.at_least, found.proven
    (35, 35, True)
    """
    if task.hides(task.counts):
        return Least(task.counts.copy(), 0, 0)
    fewest, most = task.bounds
    # one place alone has nobody to exchange with
    if (most > fewest).sum() < 2:
        raise task.unattainable(None, "moving people", _why(task))
    best: Counts | None
    alone = replace(task, panel=False)
    if task.panel and alone.hides(task.counts):
        # TC16's technique sees nothing to begin with, and others do
        best, at_least = task.counts, 0.0
    else:
        nodes = PANEL_NODES if task.panel else MOST_NODES
        best, at_least = _searched(alone, filled(alone), nodes // again, progress)
        best, at_least = _closed(alone, best, at_least)
    if best is not None and not task.hides(best):
        best = filled(task)
    if best is None:
        raise task.unattainable(best, "moving people", _why(task))
    moved = task.moved(best)
    return Least(best, moved, int(min(at_least, moved)))


def _searched(task: Reshaping, best: Counts | None, nodes: int, progress: Progress) -> tuple[Counts | None, float]:
    """Search by branch and bound; return the best counts known, and how many people have to be moved at least."""
    # hidden places stand out, so that somebody has to move
    if not task.robust and task.sizes is not None:
        return best, 1
    nodes = min(nodes, WORK // task.counts.size)
    search = _search_for(task, best)(task, best, nodes=nodes, progress=progress)
    bound = search.run()
    return search.best, max(bound, 1)


def _search_for(
    task: Reshaping, best: Counts | None
) -> type[OrderedSearch] | type[CriticalSearch] | type[DeviationSearch]:
    """Return the quickest search that suits a task."""
    if not task.robust:
        return DeviationSearch
    return OrderedSearch if is_ordered(task, task.total if best is None else task.moved(best)) else CriticalSearch


def _closed(task: Reshaping, best: Counts | None, at_least: float) -> tuple[Counts | None, float]:
    """Look at signals one by one, the nearest first, as far as they are few."""
    left = MOST_NEIGHBOURS
    most = task.total + 1 if best is None else task.moved(best)
    while at_least < min(most, MOST_MOVED):
        near = list(itertools.islice(neighbours(task, int(at_least)), left + 1))
        if len(near) > left:
            break
        left -= len(near)
        for counts in near:
            if task.hides(counts):
                return counts, at_least
        at_least += 1
    return best, at_least


def _why(task: Reshaping) -> str:
    """Say what is in the way."""
    least, most = task.bounds
    movable = int((most - least)[task.others].sum())
    if movable == 0:
        return "all other places are fixed or full; fix fewer places or raise capacities"
    return "fix fewer places, raise capacities, hide fewer places or take a smaller alpha"
