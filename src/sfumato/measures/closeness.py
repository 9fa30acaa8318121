"""t-closeness: the distance between the distribution of sensitive values in each block and in the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sfumato.array_types import Codes, Reals
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.contingency import Contingency

CELLS_AT_ONCE = 1 << 22


def equal_closeness(contingency: Contingency) -> BlockMeasure:
    """Return the earth mover's distance where all values are equally far apart: half the L1 distance."""
    overall = contingency.table_shares
    entry_shares = overall[contingency.codes]
    # values that a block lacks add their whole share: 1 - sum of the shares of those it has
    distance = 0.5 * (
        contingency.sums(np.abs(contingency.shares - entry_shares)) + 1.0 - contingency.sums(entry_shares)
    )
    return _verdict(contingency, distance)


def ordered_closeness(contingency: Contingency) -> BlockMeasure:
    """Return the earth mover's distance along the order of the values: QADM14 Definition 4.

    One value alone is at distance 0 (ERRATA 002-14). Missing values have no place in the order: the
    distance is that of the known ones, or the difference of the missing shares if that is larger.
    """
    from sfumato.kernels.contingency_rows import ordered_distances

    values = contingency.known
    distance = ordered_distances(
        contingency.starts, contingency.codes, contingency.counts, contingency.overall[:values]
    )
    # D = 1/(m-1) sum_i |sum_{j<=i} (p_j - w_j)|
    distance /= max(values - 1, 1)
    if contingency.overall.size > values:
        missing = np.zeros(distance.size)
        unknown = contingency.codes == values
        missing[contingency.rows[unknown]] = contingency.shares[unknown]
        distance = np.maximum(distance, np.abs(missing - contingency.table_shares[-1]))
    return _verdict(contingency, distance)


def hierarchical_closeness(contingency: Contingency, tree: Sequence[Codes]) -> BlockMeasure:
    """Return the earth mover's distance where values are as far apart as their lowest common ancestor.

    Parameters
    ----------
    contingency
        The counts.
    tree
        The node of each value at every level, from the values themselves to the root, which missing
        values join directly.
    """
    missing = contingency.overall.size - contingency.known
    height = len(tree) - 1
    distance = np.zeros(contingency.sizes.size)
    for rows, extra in _dense_extras(contingency):
        for level in range(1, height + 1):
            children, parents = _edges(tree, level)
            joined, unjoined = extra[:, : children.size], extra[:, children.size :]
            if level == height and missing:
                # a missing value is a child of the root
                joined, unjoined, parents = extra, extra[:, :0], np.append(parents, 0)
            width = int(parents.max()) + 1
            surplus, deficit = (
                _summed(np.maximum(joined, 0), parents, width),
                _summed(np.maximum(-joined, 0), parents, width),
            )
            distance[rows] += (level / height) * np.minimum(surplus, deficit).sum(axis=1)
            extra = np.hstack([_summed(joined, parents, width), unjoined])
    return _verdict(contingency, distance)


def _dense_extras(contingency: Contingency) -> Iterator[tuple[slice, Reals]]:
    """Yield, some blocks at a time, by how much each value's share exceeds the table's."""
    width = contingency.overall.size
    step = max(1, CELLS_AT_ONCE // width)
    shares = contingency.shares
    for first in range(0, contingency.sizes.size, step):
        rows = slice(first, min(first + step, contingency.sizes.size))
        entries = slice(contingency.starts[rows.start], contingency.starts[rows.stop])
        extra = np.zeros((rows.stop - rows.start, width))
        extra[contingency.rows[entries] - first, contingency.codes[entries]] = shares[entries]
        yield rows, extra - contingency.table_shares


def _edges(tree: Sequence[Codes], level: int) -> tuple[Codes, Codes]:
    """Return the nodes of the level below, and the parent of each."""
    children, first = np.unique(tree[level - 1], return_index=True)
    return children, tree[level][first]


def _summed(extra: Reals, parents: Codes, width: int) -> Reals:
    summed = np.zeros((extra.shape[0], width))
    for child, parent in enumerate(parents.tolist()):
        summed[:, parent] += extra[:, child]
    return summed


def _verdict(contingency: Contingency, distance: Reals) -> BlockMeasure:
    # a block whose values are all unknown reveals nothing about them
    known_distance = np.where(contingency.totals > 0, np.maximum(distance, 0.0), 0.0)
    return BlockMeasure("t", known_distance, contingency.sizes, safer="lower")
