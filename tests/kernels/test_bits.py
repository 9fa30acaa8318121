from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.kernels.bits import set_bits


@given(st.lists(st.lists(st.integers(0, 149), min_size=1, max_size=9), min_size=1, max_size=6))
def test_bits_are_those_of_the_places(rows):
    bits = np.zeros((len(rows), 3), dtype=np.uint64)
    starts = np.cumsum([0, *(len(row) for row in rows[:-1])]).astype(np.int64)
    set_bits(bits, starts, np.array([place for row in rows for place in row], dtype=np.int64))
    for row, word in zip(rows, bits, strict=True):
        flags = np.unpackbits(word.view(np.uint8), bitorder="little")
        assert set(np.flatnonzero(flags).tolist()) == set(row)
