"""How often each sensitive value occurs in each block: the counts that most measures share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.measures.blocks import Blocks, Patterns, crowd_sums, matching_sums
from sfumato.microfile import DENSE_CELLS, Encoded
from sfumato.quiet_repr import quiet

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PAIRS_AT_ONCE = 1 << 25
VALUES_AT_ONCE = 16
PAIRS_PER_CELL = 8
"""If there are more matching pairs of blocks per cell of the table than this, its columns are summed one by one."""


@quiet
@dataclass(frozen=True)
class Contingency:
    """Counts of sensitive values, block by block, as compressed rows.

    Entries of block ``b`` are at ``starts[b]`` to ``starts[b + 1]``, their codes ascending. Where
    missing quasi values are wildcards, a block's entries are those of its crowd: of all blocks that
    match it.
    """

    starts: Counts
    """Where the entries of each block begin, and where the last ones end."""
    codes: Codes
    """Which value an entry counts."""
    counts: Counts
    """How often it occurs in the block."""
    sizes: Counts
    """The records of each block itself, over which violations are counted."""
    overall: Counts
    """How often each value occurs in the whole table; the last one is the missing value if it counts."""
    known: int
    """How many of the values are known ones."""

    @property
    def rows(self) -> Counts:
        """The block of each entry."""
        return np.repeat(np.arange(self.sizes.size), np.diff(self.starts))

    @property
    def totals(self) -> Counts:
        """The records whose values are counted, block by block."""
        cumulative = np.concatenate([[0], np.cumsum(self.counts)])
        return np.diff(cumulative[self.starts])

    @property
    def shares(self) -> Reals:
        """The share of each entry in its block."""
        return self.counts / np.repeat(self.totals, np.diff(self.starts))

    @property
    def table_shares(self) -> Reals:
        """The share of each value in the whole table."""
        return self.overall / max(int(self.overall.sum()), 1)

    def sums(self, amounts: Reals) -> Reals:
        """Sum an amount of each entry within its block; 0 for a block without entries."""
        return np.bincount(self.rows, weights=amounts, minlength=self.sizes.size).astype(np.float64, copy=False)

    def largest(self, amounts: Reals) -> Reals:
        """Return the largest amount within each block; 0 for a block without entries."""
        largest = np.zeros(self.sizes.size)
        filled = np.diff(self.starts) > 0
        if amounts.size:
            largest[filled] = np.maximum.reduceat(amounts, self.starts[:-1][filled])
        return largest


def tabulate(blocks: Blocks, sensitive: Encoded, *, wildcards: bool) -> Contingency:
    """Count an attribute's values in each block.

    A missing sensitive value counts as one more value; with ``wildcards`` it equals any value and is left
    out, and every block is counted together with all blocks that match it.
    """
    codes, n_known = sensitive.codes, int(sensitive.values.size)
    width = n_known
    if sensitive.has_missing and not wildcards:
        width = n_known + 1
        codes = np.where(codes < 0, np.int32(n_known), codes)
    starts, value_codes, counts = _count(blocks, codes, max(width, 1))
    overall = np.bincount(value_codes, weights=counts, minlength=width).astype(np.int64)
    if wildcards and blocks.has_missing:
        starts, value_codes, counts = _crowded(blocks, starts, value_codes, counts, width)
    return Contingency(starts, value_codes, counts, blocks.sizes, overall, n_known)


def _count(blocks: Blocks, codes: Codes, width: int) -> tuple[Counts, Codes, Counts]:
    from sfumato.kernels.contingency_rows import tabulate_dense, tabulate_sparse

    fits = len(blocks) * width <= max(DENSE_CELLS, 4 * codes.size)
    counted = tabulate_dense if fits else tabulate_sparse
    return counted(blocks.numbers, codes, len(blocks), width)


def _crowded(blocks: Blocks, starts: Counts, codes: Codes, counts: Counts, width: int) -> tuple[Counts, Codes, Counts]:
    """Add up the rows of the blocks that match each block."""
    from scipy import sparse

    counts_by_block = sparse.csr_array((counts, codes, starts), shape=(len(blocks), width))
    degrees = crowd_sums(blocks, [np.ones(len(blocks))])[0].astype(np.int64)
    if int(degrees.sum()) > PAIRS_PER_CELL * len(blocks) * width:
        # pairs of blocks grow with the square of the records, cells of the table only with them
        columns = [
            counts_by_block[:, first : first + VALUES_AT_ONCE].toarray() for first in range(0, width, VALUES_AT_ONCE)
        ]
        summed = [sparse.csr_array(matching_sums(blocks.codes, dense.astype(np.float64))) for dense in columns]
        together = sparse.hstack(summed, format="csr")
    else:
        together = sparse.vstack([matches @ counts_by_block for matches in _matches(blocks, degrees)], format="csr")
    together.sort_indices()
    return together.indptr.astype(np.int64), together.indices.astype(np.int32), together.data.astype(np.int64)


def _matches(blocks: Blocks, degrees: Counts) -> Iterator[csr_array]:
    """Yield, some blocks at a time, which blocks match them; ``degrees`` is how many do."""
    from scipy import sparse

    from sfumato.kernels.wildcard_match import matching_pairs

    patterns = Patterns.of(blocks.codes)
    chunk = np.cumsum(degrees) // PAIRS_AT_ONCE
    for number in np.unique(chunk):
        in_chunk: Flags = chunk == number
        ends = np.cumsum(np.where(in_chunk, degrees, 0))
        pairs = matching_pairs(blocks.codes, patterns.order, patterns.starts, patterns.missing, in_chunk, ends)
        starts = np.concatenate([[0], ends[in_chunk]])
        yield sparse.csr_array(
            (np.ones(pairs.size, dtype=np.int64), pairs, starts), shape=(int(in_chunk.sum()), len(blocks))
        )
