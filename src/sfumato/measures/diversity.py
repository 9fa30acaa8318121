"""l-diversity: distinct, entropy and recursive."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.elementary_functions import exponentials, logarithms
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.contingency import Contingency


def distinct_diversity(contingency: Contingency) -> BlockMeasure:
    """Return how many different sensitive values each block has.

    A block whose values are all unknown discloses none and passes every l.
    """
    values = np.diff(contingency.starts).astype(np.float64)
    return BlockMeasure("distinct l", _passing_empty(values), contingency.sizes, safer="higher")


def known_diversity(contingency: Contingency) -> BlockMeasure:
    """Return how many different known sensitive values each block has, also where missing counts as one more."""
    values = contingency.sums((contingency.codes < contingency.known).astype(np.float64))
    return BlockMeasure("distinct l of known values", _passing_empty(values), contingency.sizes, safer="higher")


def entropy_diversity(contingency: Contingency) -> BlockMeasure:
    """Return exp of the entropy of each block's sensitive values: how many equally frequent ones it equals."""
    shares = contingency.shares
    entropy = -contingency.sums(shares * logarithms(shares))
    values = np.where(np.diff(contingency.starts) > 0, exponentials(entropy), 0.0)
    return BlockMeasure("entropy l", _passing_empty(values), contingency.sizes, safer="higher")


def recursive_diversity(contingency: Contingency, l: int) -> BlockMeasure:  # noqa: E741  # the field's own letter
    """Return the smallest c of recursive (c, l)-diversity that each block just fails.

    With counts r_1 >= r_2 >= ..., a block is recursively (c, l)-diverse where
    r_1 < c (r_l + r_{l+1} + ...), that is for every c above r_1 / (r_l + ...).
    """
    rows = contingency.rows
    order = np.lexsort((-contingency.counts, rows))
    counts = contingency.counts[order].astype(np.float64)
    rank = np.arange(rows.size) - contingency.starts[rows]
    tail = contingency.sums(np.where(rank >= l - 1, counts, 0.0))
    first = contingency.largest(counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(first > 0, first / tail, 0.0)
    return BlockMeasure(f"c of recursive ({l})", ratio, contingency.sizes, safer="lower", strict=True)


def _passing_empty(values: Reals) -> Reals:
    return np.where(values > 0, values, np.inf)
