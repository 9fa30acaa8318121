"""Which blocks match when a missing value matches every value.

Two blocks match where every attribute is equal or missing in either. Blocks are sorted by which of
their attributes are missing; for two such patterns S and T the blocks match when they agree on the
attributes outside S and T, so one hash table a pair of patterns finds all matches without comparing
blocks with blocks.
"""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.kernels.compiled import compiled, compiled_within
from sfumato.kernels.keys import FOLD, MIX


@compiled_within
def _same(codes: Codes, one: int, other: int, ignored: Flags) -> bool:
    for attribute in range(codes.shape[1]):
        if not ignored[attribute] and codes[one, attribute] != codes[other, attribute]:
            return False
    return True


@compiled
def _slot(codes: Codes, block: int, ignored: Flags, stamp: int, heads: Codes, stamps: Counts) -> np.uint64:
    """Find where the block's projection lies in the table, or the free slot where it belongs."""
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


@compiled
def matching_sums(codes: Codes, order: Counts, starts: Counts, missing: Flags, amounts: Reals) -> Reals:
    """Sum the amounts of all blocks that match each block, itself included.

    Parameters
    ----------
    codes
        (IN) blocks by attributes, -1 where missing.
    order, starts
        (IN) the blocks sorted by pattern of missing attributes, and where each pattern starts.
    missing
        (IN) patterns by attributes: what is missing.
    amounts
        (IN) blocks by amounts.
    """
    slots = _slots_for(starts)
    heads = np.zeros(slots, dtype=np.int32)
    stamps = np.zeros(slots, dtype=np.int64)
    totals = np.zeros(amounts.shape, dtype=np.float64)
    sums = np.zeros(amounts.shape, dtype=np.float64)
    stamp = 0
    for theirs in range(missing.shape[0]):
        for ours in range(missing.shape[0]):
            stamp += 1
            ignored = missing[theirs] | missing[ours]
            for place in range(starts[theirs], starts[theirs + 1]):
                block = order[place]
                slot = _slot(codes, block, ignored, stamp, heads, stamps)
                if stamps[slot] != stamp:
                    stamps[slot] = stamp
                    heads[slot] = block
                    for amount in range(amounts.shape[1]):
                        totals[block, amount] = 0.0
                for amount in range(amounts.shape[1]):
                    totals[heads[slot], amount] += amounts[block, amount]
            for place in range(starts[ours], starts[ours + 1]):
                block = order[place]
                slot = _slot(codes, block, ignored, stamp, heads, stamps)
                for amount in range(amounts.shape[1] if stamps[slot] == stamp else 0):
                    sums[block, amount] += totals[heads[slot], amount]
    return sums


@compiled
def matching_pairs(codes: Codes, order: Counts, starts: Counts, missing: Flags, wanted: Flags, ends: Counts) -> Codes:
    """List the blocks that match each wanted block.

    ``ends`` (IN) holds where each block's list ends in the result (a block that is not wanted has an
    empty list), as :func:`matching_sums` of ones tells. Other parameters as there.
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
            for place in range(starts[theirs], starts[theirs + 1]):
                block = order[place]
                slot = _slot(codes, block, ignored, stamp, heads, stamps)
                following[block] = heads[slot] if stamps[slot] == stamp else -1
                stamps[slot] = stamp
                heads[slot] = block
            for place in range(starts[ours], starts[ours + 1]):
                block = order[place]
                if not wanted[block]:
                    continue
                slot = _slot(codes, block, ignored, stamp, heads, stamps)
                match = heads[slot] if stamps[slot] == stamp else -1
                while match >= 0:
                    cursor[block] -= 1
                    pairs[cursor[block]] = match
                    match = following[match]
    return pairs
