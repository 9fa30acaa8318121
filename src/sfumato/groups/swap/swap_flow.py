"""Swaps as a flow: every vital record goes to a place, its own or that of its swap partner.

A vital record sends one unit to its own place at no cost, or through a non-vital record to the place of that, at the
cost of their influential metric. A non-vital record lets one unit through. A place takes its required number. At first
all stay, and the surplus or lack of places goes through a root at a price that nothing else reaches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from sfumato.array_types import Codes, Counts
from sfumato.kernels.network_simplex import (
    BOUNDLESS,
    EMPTY,
    NONE,
    TREE,
    Arcs,
    Tree,
    branches,
    hang,
    label_below,
    minimize,
    settle,
)

Columns = TypeVar("Columns", Arcs, Tree)


@dataclass(frozen=True)
class FlowPrices:
    """Labels that prove that the flow is a cheapest one in its network."""

    of_places: Counts
    of_vital: Counts
    """One per record: the cost of a vital record leaving its place, besides the metric."""
    of_candidates: Counts
    """One per record: the worth of coming to its place through it."""


class SwapFlow:
    """A cheapest flow in a network to which pairs of records are added as they are found.

    Parameters
    ----------
    places
        One code per record.
    delta
        The required change of the number of vital records of each place.
    ceiling
        A price that no path between two places reaches.
    """

    def __init__(self, places: Codes, delta: Counts, ceiling: int) -> None:
        self._places, self._delta, self._ceiling = places, delta, ceiling
        self._root = delta.size
        self._nodes = np.full(places.size, NONE, dtype=np.int64)
        self._records = np.empty(0, dtype=np.int64)
        place_nodes, root = np.arange(delta.size), np.full(delta.size, self._root)
        growing = delta > 0
        self._arcs = Arcs(
            np.where(growing, root, place_nodes),
            np.where(growing, place_nodes, root),
            np.full(delta.size, ceiling),
            np.zeros(delta.size, dtype=np.bool_),
            np.abs(delta),
            np.zeros(delta.size, dtype=np.int32),
        )
        every = np.arange(delta.size + 1)
        none, zeros = np.full_like(every, NONE), np.zeros_like(every)
        lists = [none.copy() for _ in range(5)]
        self._tree = Tree(lists[0], lists[1], lists[2], lists[3], lists[4], zeros, zeros.copy(), none, every)
        for place in range(delta.size):
            hang(self._tree, self._arcs, place, self._root, place)
            label_below(self._tree, self._arcs, place)

    @property
    def attained(self) -> bool:
        """Whether every place has its required number."""
        return not self._arcs.flows[: self._delta.size].any()

    def add(self, leaving: Counts, coming: Counts, costs: Counts) -> None:
        """Add pairs of vital records and their candidates that are not in the network yet."""
        new_vital = np.unique(leaving[self._nodes[leaving] == NONE])
        new_others = np.unique(coming[self._nodes[coming] == NONE])
        new = np.concatenate([new_vital, new_others])
        first_node, first_arc = self._tree.parents.size, self._arcs.starts.size
        self._nodes[new] = first_node + np.arange(new.size)
        self._records = np.concatenate([self._records, new])
        homes, home_arcs = self._places[new].astype(np.int64), first_arc + np.arange(new.size)
        sizes = [new_vital.size, new_others.size, leaving.size]
        self._arcs = _joined(
            self._arcs,
            Arcs(
                np.concatenate([self._nodes[new], self._nodes[leaving]]),
                np.concatenate([homes, self._nodes[coming]]),
                np.concatenate([np.zeros(new.size, dtype=np.int64), costs]),
                np.repeat([False, True, False], sizes),
                # a vital record that was not in the network has stayed at its place
                np.repeat([1, 0, 0], sizes),
                np.repeat(np.array([TREE, TREE, EMPTY], dtype=np.int32), sizes),
            ),
        )
        none = np.full(new.size, NONE, dtype=np.int64)
        zeros = np.zeros(new.size, dtype=np.int64)
        self._tree = _joined(self._tree, Tree(homes, home_arcs, none, none, none, zeros, zeros, home_arcs, homes))

    def minimize(self) -> None:
        """Find the cheapest flow."""
        minimize(self._arcs, self._tree, self._delta.size)

    def swaps(self) -> tuple[Counts, Counts, Counts]:
        """Return which vital records swap with which others, and what each swap costs."""
        arcs = self._arcs
        used = np.flatnonzero((arcs.flows > 0) & (arcs.starts > self._root) & (arcs.ends > self._root))
        first = self._root + 1
        return self._records[arcs.starts[used] - first], self._records[arcs.ends[used] - first], arcs.costs[used]

    def prices(self) -> FlowPrices:
        """Return labels of all records, also of those that are not in the network."""
        labels = self._aligned()
        settle(self._arcs, labels, self._delta.size)
        of_places = labels[: self._delta.size]
        at_home = of_places[self._places]
        inside = self._nodes != NONE
        of_vital, of_candidates = at_home.copy(), at_home.copy()
        of_vital[inside] = labels[self._nodes[inside]]
        of_candidates[inside] = np.minimum(at_home[inside], of_vital[inside])
        return FlowPrices(of_places, of_vital, of_candidates)

    def _aligned(self) -> Counts:
        """Return labels in which branches of the tree that no flow connects are as near as prices usually are.

        Such branches may be shifted against each other. In the tree they differ by the ceiling, at which every pair of
        records would seem worth adding.
        """
        judges = self._tree.judges
        branch, labels = branches(self._tree, self._root)[judges], self._tree.labels[judges]
        idle = (self._arcs.flows[: self._delta.size] == 0)[np.minimum(branch, self._delta.size - 1)]
        idle[self._root] = False
        lowest = np.full(labels.size, BOUNDLESS)
        shrinking = np.flatnonzero(self._delta < 0)
        np.minimum.at(lowest, branch[shrinking], labels[shrinking])
        shrinks = (lowest < BOUNDLESS)[branch]
        base = 0 if self.attained else -self._ceiling
        shifted = idle & shrinks
        labels[shifted] += base - lowest[branch[shifted]]
        top = labels[shrinks].max() if self.attained and shrinks.any() else self._ceiling
        highest = np.full(labels.size, -BOUNDLESS)
        np.maximum.at(highest, branch, labels)
        rest = idle & ~shrinks
        labels[rest] += top - highest[branch[rest]]
        return labels


def _joined(first: Columns, second: Columns) -> Columns:
    pairs: Iterator[tuple[Any, Any]] = zip(first, second, strict=True)
    return type(first)(*(np.concatenate(pair) for pair in pairs))
