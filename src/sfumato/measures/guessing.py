"""Guessing a sensitive value from a release: how often that is right, and how near it comes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Reals
from sfumato.kernels.algebra import dot
from sfumato.measures.blocks import Blocks
from sfumato.measures.contingency import Contingency
from sfumato.measures.verdict import BlockMeasure


@dataclass(frozen=True)
class Guessing:
    """How often a sensitive value is guessed rightly."""

    blind: float
    """The share of right guesses if everybody is taken for one with the table's commonest value."""
    by_block: BlockMeasure
    """The same of each block's records, taken for such with their block's commonest value."""

    @property
    def informed(self) -> float:
        """The share of right guesses if each person is taken for one with their block's commonest value."""
        return dot(self.by_block.values, self.by_block.sizes) / float(self.by_block.sizes.sum())

    @property
    def surest(self) -> float:
        """The share of right guesses in the block that gives most away."""
        return self.by_block.worst

    @property
    def certain(self) -> int:
        """The records in blocks of one value, of which it is certain."""
        return int(self.by_block.sizes[self.by_block.values >= 1].sum())


def guessing(contingency: Contingency) -> Guessing:
    """Measure how often an observer guesses a sensitive value who knows the block of a person.

    A missing value is never guessed rightly. Where missing quasi values are wildcards, the commonest value is that of
    all who match, and missing sensitive values are left out, as everywhere.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.measures import measure
    >>> table = pl.DataFrame({"age": [30, 30, 30, 40, 40], "ill": ["a", "a", "b", "b", "b"]})
    >>> found = guessing(measure(table, quasi="age", sensitive="ill").attributes["ill"].contingency)
    >>> found.blind, found.informed, found.surest, found.certain
    (0.6, 0.8, 1.0, 2)
    """
    told = contingency.codes < contingency.known
    largest = contingency.largest(np.where(told, contingency.shares, 0.0))
    commonest = contingency.table_shares[: contingency.known]
    return Guessing(
        blind=float(commonest.max()) if commonest.size else 0.0,
        by_block=BlockMeasure("guessed rightly", largest, contingency.sizes, safer="lower"),
    )


@dataclass(frozen=True)
class Miss:
    """By how much a number is missed that is guessed, as the root of the mean square."""

    blind: float
    """If everybody is taken for the table's mean: its standard deviation."""
    informed: float
    """If each person is taken for the mean of their block."""


def miss_of(blocks: Blocks, values: Reals) -> Miss:
    """Measure how near the mean of a person's block comes to their number; missing ones are left out.

    Examples
    --------
    >>> from sfumato.measures.blocks import group_codes
    >>> blocks = Blocks(*group_codes([np.array([0, 0, 1, 1], dtype=np.int32)], [2]), columns=())
    >>> miss_of(blocks, np.array([1.0, 3.0, 11.0, 13.0]))
    Miss(blind=5.0990195135927845, informed=1.0)
    """
    known = ~np.isnan(values)
    if not known.any():
        return Miss(0.0, 0.0)
    # around the mean, lest large numbers of small differences lose their digits
    around = np.where(known, values - values[known].mean(), 0.0)
    counts = blocks.totals(known.astype(np.float64))
    means = np.divide(blocks.totals(around), counts, out=np.zeros_like(counts), where=counts > 0)
    left = (around - means[blocks.numbers])[known]
    return Miss(float(np.sqrt(np.mean(around[known] ** 2))), float(np.sqrt(np.mean(left**2))))
