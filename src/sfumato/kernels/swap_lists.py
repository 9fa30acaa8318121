"""Swaps of two records: the nearest record of a place, and lists of swaps in which no record occurs twice.

The records that may take part stand in a pool, place by place, so that a place is a range: first those that may leave
theirs, then those that may come in exchange.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.kernels.compiled import compiled, compiled_inside
from sfumato.kernels.signatures import CodeCube, CodeTable, CountCube, CountTable, FlagTable, RealCube, RealTable

LEAVING, COMING = 0, 1
"""The two records of a swap."""
NONE = -1


class Pool(NamedTuple):
    """The records that may take part in swaps."""

    ordinal: RealTable
    """Records by attributes, NaN where missing."""
    omegas: Reals
    nominal: CodeTable
    """Records by attributes."""
    gammas: Reals
    kept: Codes
    """Only records with the same code may be swapped."""
    homes: Counts
    """The range that each record stands in."""
    starts: Counts
    """Where each range begins, and the end."""
    near: CodeCube
    """Records that may leave by ranges of those that may come by ranks: the nearest ones, NONE beyond the last."""


@compiled
def cost_between(pool: Pool, one: int, other: int, enough: float) -> float:
    """Return the influential metric between two records; infinite once it exceeds what is enough."""
    if pool.kept[one] != pool.kept[other]:
        return np.inf
    total = 0.0
    for attribute in range(pool.gammas.size):
        if pool.nominal[one, attribute] != pool.nominal[other, attribute]:
            total += pool.gammas[attribute]
    for attribute in range(pool.omegas.size):
        if total > enough:
            return np.inf
        here, there = pool.ordinal[one, attribute], pool.ordinal[other, attribute]
        if np.isnan(here) or np.isnan(there):
            apart = 0.0 if np.isnan(here) and np.isnan(there) else 1.0
        else:
            size = abs(here) + abs(there)
            apart = (here - there) / size if size > 0.0 else 0.0
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
            for other in range(pool.starts[home], pool.starts[home + 1]):
                cost = cost_between(pool, record, other, costs[ranks - 1])
                rank = ranks
                while rank > 0 and cost < costs[rank - 1]:
                    if rank < ranks:
                        costs[rank], listed[rank] = costs[rank - 1], listed[rank - 1]
                    rank -= 1
                if rank < ranks:
                    costs[rank], listed[rank] = cost, other


@compiled_inside
def _scan(pool: Pool, record: int, home: int, taken: Flags) -> int:
    """Return the nearest record of a range that is not taken, the first of equals; NONE if there is none."""
    best, least = NONE, np.inf
    for other in range(pool.starts[home], pool.starts[home + 1]):
        if not taken[other]:
            cost = cost_between(pool, record, other, least)
            if cost < least:
                best, least = other, cost
    return best


@compiled
def nearest_free(pool: Pool, record: int, home: int, taken: Flags) -> int:
    """Return the nearest record of a range that is not taken, the first of equals; NONE if there is none."""
    number = home - (pool.starts.size - 1 - pool.near.shape[1])
    if number < 0:
        return _scan(pool, record, home, taken)
    for rank in range(pool.near.shape[2]):
        other = pool.near[record, number, rank]
        if other == NONE or not taken[other]:
            return other
    # all that are listed are taken
    return _scan(pool, record, home, taken)


@compiled_inside
def _free_from(pool: Pool, record: int, share: float, taken: Flags) -> int:
    """Return a record of the same range that is not taken, the first from a point on; NONE if there is none."""
    first, last = pool.starts[pool.homes[record]], pool.starts[pool.homes[record] + 1]
    point = int(share * (last - first))
    for step in range(last - first):
        other = first + (point + step) % (last - first)
        if not taken[other]:
            return other
    return NONE


@compiled
def mend(pool: Pool, swaps: CountCube, sizes: Counts, shares: RealCube, taken: Flags) -> None:
    """Let no record occur twice in a list of swaps: another one of its place steps in, else the swap is left out.

    Parameters
    ----------
    pool
        (IN) the records.
    swaps
        (IN, OUT) lists by swaps by two: records of the pool.
    sizes
        (IN, OUT) how many swaps each list has.
    shares
        (IN) as the swaps: random numbers from 0 to 1, which say who steps in.
    taken
        (SCRATCH) one flag a record, all of them down before and after.
    """
    for number in range(sizes.size):
        kept = 0
        rows = swaps[number]
        for row in range(sizes[number]):
            one, other = rows[row, LEAVING], rows[row, COMING]
            if taken[one]:
                one = _free_from(pool, one, shares[number, row, LEAVING], taken)
            if taken[other]:
                other = _free_from(pool, other, shares[number, row, COMING], taken)
            if one != NONE and other != NONE:
                taken[one] = taken[other] = True
                rows[kept, LEAVING], rows[kept, COMING] = one, other
                kept += 1
        sizes[number] = kept
        _put_down(rows, kept, taken)


@compiled_inside
def _put_down(rows: CountTable, size: int, taken: Flags) -> None:
    for row in range(size):
        taken[rows[row, LEAVING]] = taken[rows[row, COMING]] = False


@compiled
def improve(pool: Pool, swaps: CountCube, sizes: Counts, come: FlagTable, costs: RealTable, taken: Flags) -> None:
    """Let one record of each swap give way to the nearest one of its place that no other swap has taken.

    Swaps of records that may not be swapped are left out, if nobody else can step in.

    Parameters
    ----------
    pool
        (IN) the records.
    swaps, sizes
        (IN, OUT) as in :func:`mend`; no record occurs twice.
    come
        (IN) lists by swaps: whether it is the one that comes who gives way.
    costs
        (OUT) lists by swaps: what each costs.
    taken
        (SCRATCH) one flag a record, all of them down before and after.
    """
    for number in range(sizes.size):
        rows = swaps[number]
        for row in range(sizes[number]):
            taken[rows[row, LEAVING]] = taken[rows[row, COMING]] = True
        for row in range(sizes[number]):
            changed = COMING if come[number, row] else LEAVING
            old = rows[row, changed]
            taken[old] = False
            new = nearest_free(pool, rows[row, 1 - changed], pool.homes[old], taken)
            if new == NONE:
                new = old
            taken[new] = True
            rows[row, changed] = new
        _put_down(rows, sizes[number], taken)
        kept = 0
        for row in range(sizes[number]):
            cost = cost_between(pool, rows[row, LEAVING], rows[row, COMING], np.inf)
            if cost < np.inf:
                rows[kept, LEAVING], rows[kept, COMING] = rows[row, LEAVING], rows[row, COMING]
                costs[number, kept] = cost
                kept += 1
        sizes[number] = kept
