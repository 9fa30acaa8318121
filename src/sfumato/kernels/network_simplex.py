"""Minimum-cost flow by the network simplex method, on a network that may grow between solutions.

A basis is a tree, kept strongly feasible: from every node some flow could still be sent to the root, which excludes
cycling (Cunningham 1976). Labels are such that an arc of the tree costs its end's label less its start's. Arcs
are scanned a block at a time, and the best of a block enters.

Most nodes are at home: each is the only node below an arc of its own, which costs nothing. Such nodes are
left out of the lists of children: they have the label of their home, and whole branches are relabelled often.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.array_types import Codes, Counts, Flags
from sfumato.kernels.compiled import compiled, compiled_within

EMPTY, TREE, FULL = 0, 1, 2
"""The state of an arc: without flow, in the tree, or full."""
NONE = -1
BOUNDLESS = 2**62


class Arcs(NamedTuple):
    """Arcs with their flows."""

    starts: Counts
    ends: Counts
    costs: Counts
    narrow: Flags
    """Which take one unit at most; the others take any number."""
    flows: Counts
    states: Codes


class Tree(NamedTuple):
    """A tree of nodes; the root's parent is NONE."""

    parents: Counts
    arcs: Counts
    """The arc between each node and its parent."""
    children: Counts
    """Each node's first child."""
    nexts: Counts
    befores: Counts
    """Its siblings."""
    depths: Counts
    labels: Counts
    homes: Counts
    """The arc by which each node can be at home, NONE for places and the root."""
    judges: Counts
    """The node whose label is valid for each node: its home while it is there, else itself."""


@compiled_within
def hang(tree: Tree, arcs: Arcs, node: int, parent: int, arc: int) -> None:
    """Make a node, with all below it, a child of another (IN, OUT); depths and labels are left as they are."""
    tree.parents[node], tree.arcs[node] = parent, arc
    following = tree.children[parent]
    tree.nexts[node], tree.befores[node] = following, NONE
    if following != NONE:
        tree.befores[following] = node
    tree.children[parent] = node
    arcs.states[arc] = TREE


@compiled_within
def _cut(tree: Tree, node: int) -> None:
    """Take a node out of its parent's children (IN, OUT)."""
    before, following = tree.befores[node], tree.nexts[node]
    if before == NONE:
        tree.children[tree.parents[node]] = following
    else:
        tree.nexts[before] = following
    if following != NONE:
        tree.befores[following] = before


@compiled_within
def label_below(tree: Tree, arcs: Arcs, top: int) -> None:
    """Set depths and labels (OUT) of a node and all below it from its parent's; put nodes at home that can be."""
    node = top
    while True:
        parent, arc = tree.parents[node], tree.arcs[node]
        tree.depths[node] = tree.depths[parent] + 1
        cost = arcs.costs[arc]
        tree.labels[node] = tree.labels[parent] + (cost if arcs.ends[arc] == node else -cost)
        if tree.children[node] != NONE:
            node = tree.children[node]
            continue
        while True:
            following, parent = tree.nexts[node], tree.parents[node]
            if tree.children[node] == NONE and tree.arcs[node] == tree.homes[node]:
                _cut(tree, node)
                tree.judges[node] = parent
            if node == top:
                return
            if following != NONE:
                node = following
                break
            node = parent


@compiled_within
def _call_out(tree: Tree, arcs: Arcs, node: int) -> None:
    """Put a node that is at home into the lists of children (IN, OUT)."""
    home = tree.judges[node]
    if home != node:
        hang(tree, arcs, node, home, tree.homes[node])
        tree.judges[node] = node
        tree.depths[node], tree.labels[node] = tree.depths[home] + 1, tree.labels[home]


@compiled
def minimize(arcs: Arcs, tree: Tree, first: int) -> int:
    """Move flow (IN, OUT) until its cost is minimal; arcs before ``first`` (IN) never enter the tree again.

    Returns how many arcs have entered.
    """
    count = arcs.starts.size - first
    block = max(20, int(np.sqrt(count)))
    pivots, cursor, idle = 0, 0, 0
    while idle < count:
        best, entering = 0, NONE
        for _ in range(min(block, count)):
            arc = first + cursor
            cursor = cursor + 1 if cursor + 1 < count else 0
            state = arcs.states[arc]
            if state != TREE:
                paid, worth = tree.labels[tree.judges[arcs.starts[arc]]], tree.labels[tree.judges[arcs.ends[arc]]]
                reduced = arcs.costs[arc] + paid - worth
                reduced = -reduced if state == FULL else reduced
                if reduced < best:
                    best, entering = reduced, arc
        if entering == NONE:
            idle += block
            continue
        idle = 0
        pivots += 1
        _pivot(arcs, tree, entering)
    return pivots


@compiled_within
def _pivot(arcs: Arcs, tree: Tree, entering: int) -> None:
    """Send as much flow (IN, OUT) as possible around the cycle that an arc closes; the last blocking arc leaves."""
    forward = arcs.states[entering] == EMPTY
    source = arcs.starts[entering] if forward else arcs.ends[entering]
    target = arcs.ends[entering] if forward else arcs.starts[entering]
    _call_out(tree, arcs, source)
    _call_out(tree, arcs, target)
    join = _join(tree, source, target)
    amount = 1 if arcs.narrow[entering] else BOUNDLESS
    leaving, below_source = NONE, False
    node = source
    while node != join:
        room = _room(arcs, tree.arcs[node], arcs.ends[tree.arcs[node]] == node)
        if room < amount:
            amount, leaving, below_source = room, node, True
        node = tree.parents[node]
    node = target
    while node != join:
        room = _room(arcs, tree.arcs[node], arcs.starts[tree.arcs[node]] == node)
        if room <= amount:
            amount, leaving, below_source = room, node, False
        node = tree.parents[node]
    if amount:
        arcs.flows[entering] += amount if forward else -amount
        _send(arcs, tree, source, join, amount, False)
        _send(arcs, tree, target, join, amount, True)
    if leaving == NONE:
        arcs.states[entering] = FULL if forward else EMPTY
        return
    out = tree.arcs[leaving]
    arcs.states[out] = EMPTY if arcs.flows[out] == 0 else FULL
    inner, outer = (source, target) if below_source else (target, source)
    _turn(arcs, tree, inner, outer, entering, leaving)


@compiled_within
def _join(tree: Tree, first: int, second: int) -> int:
    """Return the lowest common ancestor of two nodes."""
    while first != second:
        if tree.depths[first] >= tree.depths[second]:
            first = tree.parents[first]
        else:
            second = tree.parents[second]
    return first


@compiled_within
def _room(arcs: Arcs, arc: int, forward: bool) -> int:
    """Return how much more an arc can take, or how much less."""
    if not forward:
        return arcs.flows[arc]
    return 1 - arcs.flows[arc] if arcs.narrow[arc] else BOUNDLESS


@compiled_within
def _send(arcs: Arcs, tree: Tree, node: int, join: int, amount: int, upwards: bool) -> None:
    """Send flow (IN, OUT) between a node and one above it."""
    while node != join:
        arc = tree.arcs[node]
        arcs.flows[arc] += amount if (arcs.starts[arc] == node) == upwards else -amount
        node = tree.parents[node]


@compiled_within
def _turn(arcs: Arcs, tree: Tree, inner: int, outer: int, entering: int, leaving: int) -> None:
    """Hang what is below the leaving arc on the other end of the entering one (IN, OUT)."""
    node, parent, arc = inner, outer, entering
    while True:
        above, arc_above = tree.parents[node], tree.arcs[node]
        _cut(tree, node)
        hang(tree, arcs, node, parent, arc)
        if node == leaving:
            break
        node, parent, arc = above, node, arc_above
    label_below(tree, arcs, inner)


@compiled
def settle(arcs: Arcs, labels: Counts, first: int) -> None:
    """Lower labels (IN, OUT) until no arc from ``first`` (IN) on could take or give up flow at a profit."""
    lowered = True
    while lowered:
        lowered = False
        for arc in range(first, arcs.starts.size):
            start, end, cost = arcs.starts[arc], arcs.ends[arc], arcs.costs[arc]
            if not (arcs.narrow[arc] and arcs.flows[arc] == 1) and labels[end] > labels[start] + cost:
                labels[end] = labels[start] + cost
                lowered = True
            if arcs.flows[arc] > 0 and labels[start] > labels[end] - cost:
                labels[start] = labels[end] - cost
                lowered = True


@compiled
def branches(tree: Tree, root: int) -> Counts:
    """Return the root's child to whose branch each node belongs, unless it is at home; for the root, the root."""
    branch_of = np.full(tree.parents.size, root)
    child = tree.children[root]
    while child != NONE:
        node = child
        while True:
            branch_of[node] = child
            if tree.children[node] != NONE:
                node = tree.children[node]
                continue
            while node != child and tree.nexts[node] == NONE:
                node = tree.parents[node]
            if node == child:
                break
            node = tree.nexts[node]
        child = tree.nexts[child]
    return branch_of
