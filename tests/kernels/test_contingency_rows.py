from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.kernels.contingency_rows import ordered_distances, tabulate_dense, tabulate_sparse


@given(st.data(), st.integers(1, 60))
def test_dense_and_sparse_tabulate_alike(data, records):
    blocks = data.draw(arrays(np.int32, records, elements=st.integers(0, 5)))
    codes = data.draw(arrays(np.int32, records, elements=st.integers(-1, 4)))
    expected = np.zeros((6, 5), dtype=np.int64)
    for block, code in zip(blocks, codes, strict=True):
        if code >= 0:
            expected[block, code] += 1
    for tabulate in (tabulate_dense, tabulate_sparse):
        starts, entry_codes, counts = tabulate(blocks, codes, 6, 5)
        table = np.zeros_like(expected)
        rows = np.repeat(np.arange(6), np.diff(starts))
        table[rows, entry_codes] = counts
        np.testing.assert_array_equal(table, expected)
        for row in range(6):
            assert (np.diff(entry_codes[starts[row] : starts[row + 1]]) > 0).all()


@given(st.data(), st.integers(1, 5), st.integers(1, 8))
def test_ordered_distances_are_sums_of_cumulative_differences(data, rows, values):
    table = data.draw(arrays(np.int64, (rows, values), elements=st.integers(0, 4)))
    overall = table.sum(axis=0)
    starts = np.concatenate([[0], np.cumsum((table > 0).sum(axis=1))])
    row, code = np.nonzero(table)
    distances = ordered_distances(starts, code.astype(np.int32), table[row, code], overall)
    for index in range(rows):
        if table[index].sum() == 0:
            assert distances[index] == 0
            continue
        shares = table[index] / table[index].sum() - overall / overall.sum()
        np.testing.assert_allclose(distances[index], np.abs(np.cumsum(shares)).sum(), atol=1e-12)
