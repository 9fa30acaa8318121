"""Which blocks match when a missing value matches every value.

Two blocks match where every attribute is equal or missing in either. Blocks are sorted by which of
their attributes are missing; for two such patterns S and T the blocks match when they agree on the
attributes outside S and T, so hash tables find all matches without comparing blocks with blocks.

For sums, all blocks are merged that are alike once the attributes of S are missing everywhere. The matches of a block
of pattern S are then in at most one row for each pattern that the merged rows have. Rows are merged attribute by
attribute, and become fewer each time.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.kernels.argument_types import CodeTable, FlagTable, RealTable
from sfumato.kernels.compiled import compiled, compiled_inside, compiled_within, interpreted_while_small
from sfumato.kernels.factorize import FOLD, MIX


@compiled_within
def _same(codes: Codes, first: int, second: int, ignored: Flags) -> bool:
    for attribute in range(codes.shape[1]):
        if not ignored[attribute] and codes[first, attribute] != codes[second, attribute]:
            return False
    return True


@compiled_inside
def _slot(codes: CodeTable, block: int, ignored: Flags, stamp: int, heads: Codes, stamps: Counts) -> np.uint64:
    """Find the slot of the block's projection in the table, or the free slot where it belongs."""
    mixed = np.uint64(0)
    for attribute in range(codes.shape[1]):
        if not ignored[attribute]:
            mixed = (mixed ^ np.uint64(codes[block, attribute] + 1)) * MIX
            mixed ^= mixed >> FOLD
    bits = np.uint64(heads.size - 1)
    slot = mixed & bits
    while stamps[slot] == stamp and not _same(codes, heads[slot], block, ignored):
        slot = (slot + np.uint64(1)) & bits
    return slot


@compiled_within
def _slots_for(starts: Counts) -> int:
    largest = 1
    for pattern in range(starts.size - 1):
        largest = max(largest, starts[pattern + 1] - starts[pattern])
    slots = 16
    while slots < 2 * largest:
        slots *= 2
    return slots


@compiled_within
def _digit(attribute: int, code: int) -> np.uint64:
    mixed = (np.uint64(code + 2) ^ (np.uint64(attribute + 1) << FOLD)) * MIX
    mixed ^= mixed >> FOLD
    return mixed * MIX


@interpreted_while_small
@compiled
def merge_rows(codes: CodeTable, amounts: RealTable, attribute: int) -> tuple[Codes, Reals, Codes]:
    """Make an attribute missing everywhere, and add up the amounts of rows that are alike then.

    Returns the rows in the order of their first appearance, their amounts, and a hash table of them, in which a free
    slot is -1. A negative ``attribute`` changes nothing, so that only the table is made.
    """
    slots = 16
    while slots < 2 * codes.shape[0]:
        slots *= 2
    bits = np.uint64(slots - 1)
    table = np.full(slots, -1, dtype=np.int32)
    merged = np.empty_like(codes)
    sums = np.zeros(amounts.shape, dtype=np.float64)
    rows = 0
    for row in range(codes.shape[0]):
        mixed = np.uint64(0)
        for column in range(codes.shape[1]):
            merged[rows, column] = -1 if column == attribute else codes[row, column]
            mixed += _digit(column, merged[rows, column])
        slot = mixed & bits
        while table[slot] >= 0 and not _equal(merged, table[slot], rows):
            slot = (slot + np.uint64(1)) & bits
        if table[slot] < 0:
            table[slot] = rows
            rows += 1
        for amount in range(amounts.shape[1]):
            sums[table[slot], amount] += amounts[row, amount]
    return merged[:rows].copy(), sums[:rows].copy(), table


@compiled_within
def _equal(codes: Codes, first: int, second: int) -> bool:
    same = True
    for column in range(codes.shape[1]):
        same = same and codes[first, column] == codes[second, column]
    return same


@interpreted_while_small
@compiled
def add_matches(
    codes: CodeTable,
    blocks: Counts,
    merged: CodeTable,
    amounts: RealTable,
    table: Codes,
    missing: FlagTable,
    sums: RealTable,
) -> None:
    """Add to the sums (IN, OUT) of some blocks the amounts of all rows that match them.

    Parameters
    ----------
    codes, blocks
        (IN) blocks by attributes, -1 where missing, and which of them: all lack the same attributes.
    merged, amounts, table
        (IN) rows in which these attributes are missing everywhere, as :func:`merge_rows` returns them.
    missing
        (IN) the patterns of missing attributes that rows have: each block is looked up once for each.
    """
    bits = np.uint64(table.size - 1)
    projection = np.empty(codes.shape[1], dtype=np.int32)
    for block in blocks:
        for pattern in range(missing.shape[0]):
            mixed = np.uint64(0)
            for column in range(codes.shape[1]):
                projection[column] = -1 if missing[pattern, column] else codes[block, column]
                mixed += _digit(column, projection[column])
            slot = mixed & bits
            while table[slot] >= 0:
                row = table[slot]
                same = True
                for column in range(codes.shape[1]):
                    if merged[row, column] != projection[column]:
                        same = False
                        break
                if same:
                    for amount in range(amounts.shape[1]):
                        sums[block, amount] += amounts[row, amount]
                    break
                slot = (slot + np.uint64(1)) & bits


@interpreted_while_small
@compiled
def matching_pairs(
    codes: CodeTable, order: Counts, starts: Counts, missing: FlagTable, selected: Flags, ends: Counts
) -> Codes:
    """List the blocks that match each selected block.

    ``ends`` (IN) holds where each block's list ends in the result (a block that is not ``selected`` (IN)
    has an empty list): cumulative numbers of matches; ``order`` and ``starts`` (IN) the
    blocks sorted by pattern of missing attributes, and where each starts; ``missing`` (IN) these patterns.
    """
    slots = _slots_for(starts)
    heads = np.zeros(slots, dtype=np.int32)
    stamps = np.zeros(slots, dtype=np.int64)
    following = np.full(codes.shape[0], -1, dtype=np.int32)
    cursor = ends.copy()
    pairs = np.empty(ends[-1] if ends.size else 0, dtype=np.int32)
    stamp = 0
    for theirs in range(missing.shape[0]):
        for ours in range(missing.shape[0]):
            stamp += 1
            ignored = missing[theirs] | missing[ours]
            for position in range(starts[theirs], starts[theirs + 1]):
                block = order[position]
                slot = _slot(codes, block, ignored, stamp, heads, stamps)
                following[block] = heads[slot] if stamps[slot] == stamp else -1
                stamps[slot] = stamp
                heads[slot] = block
            for position in range(starts[ours], starts[ours + 1]):
                block = order[position]
                if not selected[block]:
                    continue
                slot = _slot(codes, block, ignored, stamp, heads, stamps)
                match = heads[slot] if stamps[slot] == stamp else -1
                while match >= 0:
                    cursor[block] -= 1
                    pairs[cursor[block]] = match
                    match = following[match]
    return pairs
