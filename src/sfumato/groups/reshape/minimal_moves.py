"""The signal with the fewest people moved in which hidden places do not stand out."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from sfumato.array_types import Counts
from sfumato.groups.proof.enumeration import neighbours
from sfumato.groups.proof.known_order_search import OrderedSearch, is_ordered
from sfumato.groups.proof.moment_search import MomentSearch
from sfumato.groups.proof.quantile_search import QuantileSearch
from sfumato.groups.reshape.initial_solution import initial_counts
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.progress import Progress, silent

MOST_NODES = 10_000
"""The number of nodes that a search examines,"""
PANEL_NODES = 3_000
"""and the number if the panel has the last word, so that TC16's technique alone decides little."""
WORK = 1_000_000
"""It examines fewer if nodes times places exceed this."""
MOST_NEIGHBOURS = 5_000
"""The number of signals examined one by one where a search has left a gap."""
MOST_MOVED = 20
"""With this many people moved, there are too many signals to examine one by one."""


@dataclass(frozen=True)
class MinimalMoves:
    """Counts in which no hidden place stands out, with a lower bound of the people that have to move."""

    counts: Counts
    """One per place."""
    moved: int
    """The number of people moved."""
    at_least: int
    """The proven number that has to be moved in any case, to hide from TC16's technique alone."""

    @property
    def proven(self) -> bool:
        """Whether no other counts move fewer people."""
        return self.moved == self.at_least


def reshape_least(task: Reshaping, *, progress: Progress = silent) -> Counts:
    """Move as few people as possible so that no hidden place is an outlier; see :func:`move_fewest`.

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
    return move_fewest(task, progress=progress).counts


def move_fewest(task: Reshaping, *, effort_divisor: int = 1, progress: Progress = silent) -> MinimalMoves:
    """Move as few people as possible so that no hidden place is an outlier, and prove a lower bound.

    An initial solution (:mod:`sfumato.groups.reshape.initial_solution`) is improved by branch and bound, which discards
    only what provably costs as much. With ``robust=True`` it branches over what the technique removes, by linear
    programs, if places may swap their new counts (:mod:`sfumato.groups.proof.known_order_search`), and over median,
    quartiles and ends of the sorted signal if places are fixed, capacities bind or the signal consists of shares
    (:mod:`sfumato.groups.proof.quantile_search`). With ``robust=False`` it branches over the ends and the sum of what
    is not removed (:mod:`sfumato.groups.proof.moment_search`), which leaves a gap where something is removed; for
    shares the bound is then only that somebody has to move. A gap is closed by enumeration if it contains few signals.
    Searches end after a number of nodes, not of seconds.

    The proof is about TC16's technique. If the task asks for the whole panel, and it still detects a hidden place, more
    people are moved until it does not; the lower bound remains that of TC16's technique.

    Parameters
    ----------
    task
        The signal and the places.
    effort_divisor
        Divides the number of nodes, for a task that is solved several times with other places.
    progress
        Called while signals are compared.

    Raises
    ------
    UnattainableError
        If no such signal is found.

    Examples
    --------
    >>> found = move_fewest(Reshaping([3, 5, 4, 6, 5, 90], hidden=[5]))
    >>> found.moved, found.at_least, found.proven
    (35, 35, True)
    """
    if task.hides(task.counts):
        return MinimalMoves(task.counts.copy(), 0, 0)
    fewest, greatest = task.bounds
    # a single place has nobody to swap with
    if (greatest > fewest).sum() < 2:
        raise task.unattainable(None, "moving people", _obstacle(task))
    best: Counts | None
    alone = replace(task, panel=False)
    if task.panel and alone.hides(task.counts):
        # TC16's technique detects nothing to begin with, but others do
        best, at_least = task.counts, 0.0
    else:
        nodes = PANEL_NODES if task.panel else MOST_NODES
        best, at_least = _searched(alone, initial_counts(alone), nodes // effort_divisor, progress)
        best, at_least = _closed(alone, best, at_least)
    if best is not None and not task.hides(best):
        best = initial_counts(task)
    if best is None:
        raise task.unattainable(best, "moving people", _obstacle(task))
    moved = task.moved(best)
    return MinimalMoves(best, moved, int(min(at_least, moved)))


def _searched(task: Reshaping, best: Counts | None, nodes: int, progress: Progress) -> tuple[Counts | None, float]:
    """Search by branch and bound; return the best counts and the lower bound of people moved."""
    # hidden places stand out, so somebody has to move
    if not task.robust and task.sizes is not None:
        return best, 1
    nodes = min(nodes, WORK // task.counts.size)
    search = _search_for(task, best)(task, best, nodes=nodes, progress=progress)
    bound = search.run()
    return search.best, max(bound, 1)


def _search_for(
    task: Reshaping, best: Counts | None
) -> type[OrderedSearch] | type[QuantileSearch] | type[MomentSearch]:
    """Return the fastest search that suits a task."""
    if not task.robust:
        return MomentSearch
    return OrderedSearch if is_ordered(task, task.total if best is None else task.moved(best)) else QuantileSearch


def _closed(task: Reshaping, best: Counts | None, at_least: float) -> tuple[Counts | None, float]:
    """RemovalState at signals one by one, the nearest first, as far as they are few."""
    n_open = MOST_NEIGHBOURS
    greatest = task.total + 1 if best is None else task.moved(best)
    while at_least < min(greatest, MOST_MOVED):
        near = list(itertools.islice(neighbours(task, int(at_least)), n_open + 1))
        if len(near) > n_open:
            break
        n_open -= len(near)
        for counts in near:
            if task.hides(counts):
                return counts, at_least
        at_least += 1
    return best, at_least


def _obstacle(task: Reshaping) -> str:
    """Say what prevents a solution and what would help."""
    least, greatest = task.bounds
    movable = int((greatest - least)[task.others].sum())
    if movable == 0:
        return "all other places are fixed or full; fix fewer places or raise capacities"
    return "fix fewer places, raise capacities, hide fewer places or take a smaller alpha"
