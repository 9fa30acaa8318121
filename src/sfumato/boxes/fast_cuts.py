"""Fast cuts of millions of plain numbers into boxes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.boxes.box_runs import Subdivision, Summary
from sfumato.threads import batches_of, side_by_side

ROOM = 8192
"""A leaf has about this number of records, few enough to fit into a core's cache."""
SAMPLED = 64
"""This number of records of each leaf is in the sample from which the tree grows."""
END = 0.0005
"""The share of the sample beyond which a value is at an end of its attribute."""


def halved(
    coordinates: Reals,
    costs: Reals,
    members: Counts,
    k: int,
    *,
    threads: int | None,
    at_the_ends: Callable[[Counts], Subdivision] | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> Subdivision:
    """Cut some records into boxes of at least k; one of 2 k or more could not be cut in this way.

    Parameters
    ----------
    coordinates, costs
        Attributes by records.
    members
        The records, at least k.
    k
        The fewest records of a box.
    threads, progress
        The number of threads, and what is called with the share done.
    at_the_ends
        Cuts the few records at the ends of attributes, which make boxes wide but are in no sample; default: they are
        cut like all others.
    """
    from sfumato.kernels.boxes.fast_halving import EVEN, halve
    from sfumato.kernels.boxes.sample_tree import find_leaves, grow_tree, sort_rows

    size = members.size
    depth = (-(-size // max(ROOM, EVEN * k)) - 1).bit_length()
    sample = members[:: max(1, size // (SAMPLED << depth))]
    points = np.concatenate([np.take(coordinates, sample, axis=1), np.take(costs, sample, axis=1)])
    attributes, bounds = grow_tree(points, depth)
    share = END if at_the_ends and END * size >= k else 0.0
    ends = (
        np.quantile(points[: len(coordinates)], [share, 1.0 - share], axis=1) if share else _endless(len(coordinates))
    )
    batches = batches_of(size, least=8 * ROOM)
    leaves = np.empty(size, dtype=np.int32)
    counts = np.zeros((len(batches), (1 << depth) + 1), dtype=np.int64)

    def find(batch: int) -> None:
        first, last = batches[batch]
        find_leaves(coordinates, members, first, last, attributes, bounds, ends[0], ends[1], leaves, counts[batch])

    side_by_side(find, range(len(batches)), threads)
    nexts = np.cumsum(counts.T.ravel()).reshape(counts.T.shape) - counts.T
    rows, records = np.empty((size, len(coordinates))), np.empty(size, dtype=np.int64)
    # single precision is enough for what widths cost, and new memory is dear
    weights = np.empty(rows.shape, dtype=np.float32)
    typical_costs = points[len(coordinates) :].mean(axis=1)
    typical_costs[typical_costs <= 0] = 1.0

    def sort(batch: int) -> None:
        positions = np.ascontiguousarray(nexts[:, batch])
        sort_rows(
            coordinates, costs, members, *batches[batch], leaves, typical_costs, positions, rows, weights, records
        )

    side_by_side(sort, range(len(batches)), threads)
    inner = int(nexts[-1, 0])
    if not k <= inner <= size - k:
        # too few to be cut by themselves
        inner = size
    starts = _no_smaller(np.append(nexts[:-1, 0], inner), k)
    order = np.empty_like(records)

    def cut(batch: tuple[int, int] | None) -> tuple[Counts, Reals, Reals, Reals]:
        if batch is not None:
            return halve(rows, weights, typical_costs, records, starts, *batch, k, order)
        assert at_the_ends is not None
        outer = at_the_ends(records[inner:])
        order[inner:] = outer.records
        summary = outer.summary(coordinates, costs, 1)
        return outer.ends + inner, summary.lo, summary.hi, summary.totals

    # what takes longest comes first
    outer_jobs = [None] if at_the_ends and inner < size else []
    results = side_by_side(cut, [*outer_jobs, *batches_of(starts.size - 1)], threads, progress)
    results = [*results[len(outer_jobs) :], *results[: len(outer_jobs)]]
    box_ends, lo, hi, totals = (np.concatenate(positions, axis=-1) for positions in zip(*results, strict=True))
    return Subdivision(order, box_ends, Summary(lo, hi, totals))


def _endless(attributes: int) -> Reals:
    """Return ends beyond which there is nothing."""
    return np.repeat([[-np.inf], [np.inf]], attributes, axis=1)


def _no_smaller(starts: Counts, k: int) -> Counts:
    """Join leaves that have fewer than k records with their neighbours."""
    joined = [0]
    size = int(starts[-1])
    for start in starts[1:-1].tolist():
        if start - joined[-1] >= k and size - start >= k:
            joined.append(start)
    return np.array([*joined, size])
