"""Attribute inference: how often a sensitive value is guessed correctly from a release, and how closely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.algebra import dot
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.blocks import Blocks
from sfumato.measures.contingency import Contingency


@dataclass(frozen=True)
class Guessing:
    """How often a sensitive value is guessed correctly."""

    blind: float
    """The share of correct guesses if the table's most frequent value is guessed for everybody."""
    by_block: BlockMeasure
    """The share in each block if the block's most frequent value is guessed."""

    @property
    def informed(self) -> float:
        """The share of correct guesses if the most frequent value of each person's block is guessed."""
        return dot(self.by_block.values, self.by_block.sizes) / float(self.by_block.sizes.sum())

    @property
    def surest(self) -> float:
        """The share of correct guesses in the block that reveals most."""
        return self.by_block.worst

    @property
    def certain(self) -> int:
        """The records in blocks with a single value, for which it is certain."""
        return int(self.by_block.sizes[self.by_block.values >= 1].sum())


def guessing(contingency: Contingency) -> Guessing:
    """Measure how often an observer who knows a person's block guesses the sensitive value.

    A missing value is never guessed correctly. Where missing quasi values are wildcards, the most frequent value is
    that of all matching records, and missing sensitive values are left out, as everywhere.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.measures import measure
    >>> table = pl.DataFrame({"age": [30, 30, 30, 40, 40], "ill": ["a", "a", "b", "b", "b"]})
    >>> found = guessing(measure(table, quasi="age", sensitive="ill").attributes["ill"].contingency)
    >>> found.blind, found.informed, found.surest, found.certain
    (0.6, 0.8, 1.0, 2)
    """
    is_known = contingency.codes < contingency.known
    largest = contingency.largest(np.where(is_known, contingency.shares, 0.0))
    commonest = contingency.table_shares[: contingency.known]
    return Guessing(
        blind=float(commonest.max()) if commonest.size else 0.0,
        by_block=BlockMeasure("guessed correctly", largest, contingency.sizes, safer="lower"),
    )


@dataclass(frozen=True)
class Miss:
    """By how much a guessed number is off, as the root mean square."""

    blind: float
    """If the table's mean is guessed for everybody: the standard deviation."""
    informed: float
    """If the mean of each person's block is guessed."""


def miss_of(blocks: Blocks, values: Reals) -> Miss:
    """Measure how close the mean of a person's block is to their number; missing values are left out.

    Examples
    --------
    >>> from sfumato.measures.blocks import group_codes
    >>> blocks = Blocks(*group_codes([np.array([0, 0, 1, 1], dtype=np.int32)], [2]), columns=())
    >>> miss_of(blocks, np.array([1.0, 3.0, 11.0, 13.0]))
    Miss(blind=5.0990195135927845, informed=1.0)
    """
    present = ~np.isnan(values)
    if not present.any():
        return Miss(0.0, 0.0)
    # centred first, so that large numbers with small differences do not lose digits
    around = np.where(present, values - values[present].mean(), 0.0)
    counts = blocks.totals(present.astype(np.float64))
    means = np.divide(blocks.totals(around), counts, out=np.zeros_like(counts), where=counts > 0)
    residuals = (around - means[blocks.numbers])[present]
    return Miss(float(np.sqrt(np.mean(around[present] ** 2))), float(np.sqrt(np.mean(residuals**2))))
