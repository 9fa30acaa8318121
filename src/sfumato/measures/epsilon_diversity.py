"""How many values at least some distance apart each block has of an attribute: l-diversity as in XK13."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Reals
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.blocks import Blocks


def separation(blocks: Blocks, numbers: Reals, epsilon: float) -> BlockMeasure:
    """Return how many values at least ``epsilon`` apart each block has, counted on the records themselves.

    XK13 takes a width of l epsilon for l values; that is neither needed nor enough, see ERRATA 001-10. A block
    whose values are all missing reveals none and passes.
    """
    from sfumato.kernels.boxes.limit_check import apart

    present = ~np.isnan(numbers)
    order = np.lexsort((numbers, blocks.numbers))
    order = order[present[order]]
    counts = np.bincount(blocks.numbers[present], minlength=len(blocks))
    ends = np.cumsum(counts)
    values = np.full(len(blocks), np.inf)
    for block in np.flatnonzero(counts):
        values[block] = apart(numbers[order[ends[block] - counts[block] : ends[block]]], epsilon)
    return BlockMeasure("values apart", values, blocks.sizes, safer="higher")
