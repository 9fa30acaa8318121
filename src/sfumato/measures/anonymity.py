"""k-anonymity and (alpha, k)-anonymity."""

from __future__ import annotations

import numpy as np

from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.blocks import Blocks, crowd_sums, homes_of
from sfumato.measures.contingency import Contingency, tabulate
from sfumato.microfile import Encoded


def anonymity(blocks: Blocks, *, wildcards: bool) -> BlockMeasure:
    """Return how many records look like those of each block: QADM14 Definition 1."""
    alike = blocks.sizes.astype(np.float64)
    if wildcards:
        alike = crowd_sums(blocks, [alike])[0]
    return BlockMeasure("k", alike, blocks.sizes, safer="higher")


def household_anonymity(blocks: Blocks, household: Encoded, *, wildcards: bool) -> BlockMeasure:
    """Return how many different households each block has.

    Ten records of one household hide nobody from their neighbours. A record without a household is a household
    of its own. With wildcards a household in several blocks of a crowd counts once.
    """
    homes = homes_of(household)
    counted = tabulate(blocks, Encoded(homes, np.arange(int(homes.max()) + 1)), wildcards=wildcards)
    return BlockMeasure("households", np.diff(counted.starts).astype(np.float64), blocks.sizes, safer="higher")


def predominance(contingency: Contingency) -> BlockMeasure:
    """Return the share of each block's most frequent sensitive value: alpha of (alpha, k)-anonymity.

    It is also the posterior belief of an observer who knows nothing but the release.
    """
    return BlockMeasure("alpha", contingency.largest(contingency.shares), contingency.sizes, safer="lower")
