"""Sets of records as bits, 64 to a word."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiled import compiled_within

Words = NDArray[np.uint64]

PAIRS, FOURS, EIGHTS, ONES = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)
NONE, ONE, TWO, FOUR, TOP = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)


@compiled_within
def count_bits(word: np.uint64) -> int:
    """Return how many bits of a word are set; the compiler makes one instruction of it."""
    word = word - ((word >> ONE) & PAIRS)
    word = (word & FOURS) + ((word >> TWO) & FOURS)
    word = (word + (word >> FOUR)) & EIGHTS
    return np.int64((word * ONES) >> TOP)  # type: ignore[return-value]  # an int to the caller


@compiled_within
def lowest_bit(word: np.uint64) -> int:
    """Return the position of the lowest bit that is set; 64 if none is."""
    return count_bits((word & (~word + ONE)) - ONE)
