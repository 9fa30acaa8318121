"""Swaps of two records: the nearest record of a place, and lists of swaps in which no record occurs twice.

The pool holds the records that may be swapped, place by place, so that each place is a range: first the records that
may leave their place, then those that may come in exchange.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.kernels.argument_types import CodeCube, CodeTable, CountCube, CountTable, FlagTable, RealCube, RealTable
from sfumato.kernels.compiled import compiled, compiled_inside

LEAVING, COMING = 0, 1
"""The two records of a swap."""
NONE = -1


class Pool(NamedTuple):
    """The records that may be swapped."""

    ordinal: RealTable
    """Records by attributes, NaN where missing."""
    omegas: Reals
    nominal: CodeTable
    """Records by attributes."""
    gammas: Reals
    swap_classes: Codes
    """Only records with the same code may be swapped."""
    homes: Counts
    """The range of each record."""
    starts: Counts
    """Where each range begins, and the end."""
    near: CodeCube
    """Records that may leave by ranges of those that may come by ranks: the nearest ones, NONE beyond the last."""


@compiled
def cost_between(pool: Pool, record: int, partner: int, enough: float) -> float:
    """Return the influential metric between two records; infinite once it exceeds ``enough``."""
    if pool.swap_classes[record] != pool.swap_classes[partner]:
        return np.inf
    total = 0.0
    for attribute in range(pool.gammas.size):
        if pool.nominal[record, attribute] != pool.nominal[partner, attribute]:
            total += pool.gammas[attribute]
    for attribute in range(pool.omegas.size):
        if total > enough:
            return np.inf
        value, partner_value = pool.ordinal[record, attribute], pool.ordinal[partner, attribute]
        if np.isnan(value) or np.isnan(partner_value):
            apart = 0.0 if np.isnan(value) and np.isnan(partner_value) else 1.0
        else:
            size = abs(value) + abs(partner_value)
            apart = (value - partner_value) / size if size > 0.0 else 0.0
        total += pool.omegas[attribute] * apart * apart
    return total if total <= enough else np.inf


@compiled
def list_nearest(pool: Pool, first: int, last: int) -> None:
    """List the nearest records of each place for the records from ``first`` to ``last``: fills ``pool.near`` (OUT)."""
    ranks = pool.near.shape[2]
    costs = np.empty(ranks)
    leaving_ranges = pool.starts.size - 1 - pool.near.shape[1]
    for record in range(first, last):
        for number in range(pool.near.shape[1]):
            listed = pool.near[record, number]
            listed[:] = NONE
            costs[:] = np.inf
            home = leaving_ranges + number
            for candidate in range(pool.starts[home], pool.starts[home + 1]):
                cost = cost_between(pool, record, candidate, costs[ranks - 1])
                rank = ranks
                while rank > 0 and cost < costs[rank - 1]:
                    if rank < ranks:
                        costs[rank], listed[rank] = costs[rank - 1], listed[rank - 1]
                    rank -= 1
                if rank < ranks:
                    costs[rank], listed[rank] = cost, candidate


@compiled_inside
def _scan(pool: Pool, record: int, home: int, used: Flags) -> int:
    """Return the nearest record of a range that is not used, the first of equals; NONE without one."""
    best, least = NONE, np.inf
    for candidate in range(pool.starts[home], pool.starts[home + 1]):
        if not used[candidate]:
            cost = cost_between(pool, record, candidate, least)
            if cost < least:
                best, least = candidate, cost
    return best


@compiled
def nearest_free(pool: Pool, record: int, home: int, used: Flags) -> int:
    """Return the nearest record of a range that is not used, the first of equals; NONE without one."""
    number = home - (pool.starts.size - 1 - pool.near.shape[1])
    if number < 0:
        return _scan(pool, record, home, used)
    for rank in range(pool.near.shape[2]):
        candidate = pool.near[record, number, rank]
        if candidate == NONE or not used[candidate]:
            return candidate
    # all listed records are used
    return _scan(pool, record, home, used)


@compiled_inside
def _free_from(pool: Pool, record: int, share: float, used: Flags) -> int:
    """Return a record of the same range that is not used, the first from a point on; NONE without one."""
    first, last = pool.starts[pool.homes[record]], pool.starts[pool.homes[record] + 1]
    point = int(share * (last - first))
    for step in range(last - first):
        candidate = first + (point + step) % (last - first)
        if not used[candidate]:
            return candidate
    return NONE


@compiled
def mend(pool: Pool, swaps: CountCube, sizes: Counts, shares: RealCube, used: Flags) -> None:
    """Let no record occur twice in a list of swaps: another one of its place replaces it, else the swap is dropped.

    Parameters
    ----------
    pool
        (IN) the records.
    swaps
        (IN, OUT) lists by swaps by two: records of the pool.
    sizes
        (IN, OUT) how many swaps each list has.
    shares
        (IN) as the swaps: random numbers from 0 to 1, which choose the replacements.
    used
        (SCRATCH) one flag per record, all false before and after.
    """
    for number in range(sizes.size):
        n_kept = 0
        rows = swaps[number]
        for row in range(sizes[number]):
            leaving, coming = rows[row, LEAVING], rows[row, COMING]
            if used[leaving]:
                leaving = _free_from(pool, leaving, shares[number, row, LEAVING], used)
            if used[coming]:
                coming = _free_from(pool, coming, shares[number, row, COMING], used)
            if leaving != NONE and coming != NONE:
                used[leaving] = used[coming] = True
                rows[n_kept, LEAVING], rows[n_kept, COMING] = leaving, coming
                n_kept += 1
        sizes[number] = n_kept
        _put_down(rows, n_kept, used)


@compiled_inside
def _put_down(rows: CountTable, size: int, used: Flags) -> None:
    for row in range(size):
        used[rows[row, LEAVING]] = used[rows[row, COMING]] = False


@compiled
def improve(pool: Pool, swaps: CountCube, sizes: Counts, come: FlagTable, costs: RealTable, used: Flags) -> None:
    """Replace one record of each swap by the nearest one of its place that no other swap uses.

    Swaps of records that may not be swapped are dropped if no other record can replace one.

    Parameters
    ----------
    pool
        (IN) the records.
    swaps, sizes
        (IN, OUT) as in :func:`mend`; no record occurs twice.
    come
        (IN) lists by swaps: whether the coming record is the one to replace.
    costs
        (OUT) lists by swaps: what each costs.
    used
        (SCRATCH) one flag per record, all false before and after.
    """
    for number in range(sizes.size):
        rows = swaps[number]
        for row in range(sizes[number]):
            used[rows[row, LEAVING]] = used[rows[row, COMING]] = True
        for row in range(sizes[number]):
            changed = COMING if come[number, row] else LEAVING
            old = rows[row, changed]
            used[old] = False
            new = nearest_free(pool, rows[row, 1 - changed], pool.homes[old], used)
            if new == NONE:
                new = old
            used[new] = True
            rows[row, changed] = new
        _put_down(rows, sizes[number], used)
        n_kept = 0
        for row in range(sizes[number]):
            cost = cost_between(pool, rows[row, LEAVING], rows[row, COMING], np.inf)
            if cost < np.inf:
                rows[n_kept, LEAVING], rows[n_kept, COMING] = rows[row, LEAVING], rows[row, COMING]
                costs[number, n_kept] = cost
                n_kept += 1
        sizes[number] = n_kept
