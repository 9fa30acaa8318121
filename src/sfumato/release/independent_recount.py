"""What a plain count of a release's cells shows, using only the bits of each cell: no codes, no codebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from sfumato.array_types import Counts, Reals
from sfumato.measures import Measured

BLOCK, CELL, COUNT = "block", "cell", "count"


def contradictions(frame: pl.DataFrame, measured: Measured, keys: Sequence[str]) -> Iterator[str]:
    """Say where the measures differ from a plain count of the cells.

    Parameters
    ----------
    frame
        The cells as they were read from the file.
    measured
        What :func:`~sfumato.measures.summarize` returned for them.
    keys
        The columns of the quasi attributes.
    """
    quasi = pl.DataFrame([_bits(frame.get_column(name)) for name in keys])
    counted = quasi.group_by(keys).agg(pl.len().alias(COUNT)).with_row_index(BLOCK)
    sizes = counted[COUNT].to_numpy().astype(np.int64)
    if measured["blocks"] != sizes.size:
        yield f"has {sizes.size:,} different combinations of quasi cells, measured as {measured['blocks']:,} blocks"
    # with wildcards, records of several blocks look alike
    other_reading = measured["other_reading"] if measured["missing"] != "own" else None
    k = measured["k"] if other_reading is None else other_reading["k"]
    if k != sizes.min():
        yield f"has a combination of quasi cells that only {sizes.min():,} records share, measured as k = {k:,}"
    if measured["missing"] != "own":
        # missing sensitive values are left out of l and t then
        return
    blocks = quasi.join(counted, on=keys, how="left", nulls_equal=True, maintain_order="left")[BLOCK]
    for name, facts in measured["attributes"].items():
        raw = frame.get_column(name)
        cells = pl.DataFrame([blocks, _bits(raw).alias(CELL)]).group_by(BLOCK, CELL).agg(pl.len().alias(COUNT))
        l = int(cells.group_by(BLOCK).len()["len"].to_numpy().min())  # noqa: E741  # the field's own letter
        if facts["l"] != l:
            yield f"has a block with {l} different cells of {name!r}, measured as l = {facts['l']}"
        t = None
        if facts["distance"] == "equal":
            t = _equal(cells, sizes)
        elif facts["distance"] == "ordered" and raw.dtype.is_numeric():
            t = _ordered(blocks, raw, sizes)
        if t is not None and (facts["t"] is None or abs(facts["t"] - t) > 1e-9):
            yield f"has t = {t:.4g} of {name!r} by a plain count, measured as {facts['t'] or 0:.4g}"


def _bits(column: pl.Series) -> pl.Series:
    """Distinguish everything that has different bits: NaN from NaN, -0.0 from 0.0."""
    if column.dtype != pl.Float64:
        return column
    bits = pl.Series(column.name, column.fill_null(0.0).to_numpy().view(np.int64))
    return bits.set(column.is_null(), None) if column.null_count() else bits


def _equal(cells: pl.DataFrame, sizes: Counts) -> float:
    """Return the largest half L1 distance between the shares of a block's cells and of all cells."""
    overall = cells.group_by(CELL).agg((pl.col(COUNT).sum() / int(sizes.sum())).alias("all"))
    share = pl.col(COUNT) / pl.Series(sizes).gather(cells[BLOCK])
    joined = cells.with_columns(share.alias(COUNT)).join(overall, on=CELL, nulls_equal=True)
    # cells that a block lacks add their whole share
    apart = ((pl.col(COUNT) - pl.col("all")).abs().sum() + 1.0 - pl.col("all").sum()) / 2
    return float(joined.group_by(BLOCK).agg(apart.alias("t"))["t"].to_numpy().max())


def _ordered(blocks: pl.Series, raw: pl.Series, sizes: Counts) -> float:
    """Return the largest distance along the order of the known numbers, or of shares of missing ones if larger."""
    missing = raw.is_null().to_numpy()
    block = blocks.to_numpy().astype(np.int64)
    lacking = np.bincount(block[missing], minlength=sizes.size) / sizes
    ranks = raw.drop_nulls().rank("dense").to_numpy().astype(np.int64) - 1
    values = int(ranks.max(initial=0)) + 1
    apart = _cumulative_distances(block[~missing], ranks, sizes.size, values) / max(values - 1, 1)
    return float(np.maximum(apart, np.abs(lacking - missing.mean())).max())


def _cumulative_distances(block: Counts, ranks: Counts, blocks: int, values: int) -> Reals:
    """Sum, over all values, how far a block's cumulative share lies from that of all records."""
    if not ranks.size:
        return np.zeros(blocks)
    table_shares = np.cumsum(np.bincount(ranks, minlength=values)) / ranks.size
    sums = np.concatenate([[0.0], np.cumsum(table_shares)])
    pairs, counts = np.unique(block * values + ranks, return_counts=True)
    pair_blocks, rank = np.divmod(pairs, values)
    totals = np.bincount(block, minlength=blocks)
    starts = np.concatenate([[0], np.cumsum(totals)])
    share = (np.cumsum(counts) - starts[pair_blocks]) / totals[pair_blocks]
    first = np.concatenate([[True], pair_blocks[1:] != pair_blocks[:-1]])
    # a block's cumulative share is constant from each of pair_blocks values up to pair_blocks next one
    until = np.where(np.append(first[1:], True), values, np.append(rank[1:], values))
    crossing = np.clip(np.searchsorted(table_shares, share), rank, until)
    above = share * (crossing - rank) - (sums[crossing] - sums[rank])
    below = (sums[until] - sums[crossing]) - share * (until - crossing)
    distances = np.bincount(pair_blocks, weights=above + below, minlength=blocks)
    # before a block's first value pair_blocks share is 0
    distances[pair_blocks[first]] += sums[rank[first]]
    return np.asarray(distances, dtype=np.float64)
