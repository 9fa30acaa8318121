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
        starts, found, counts = tabulate(blocks, codes, 6, 5)
        table = np.zeros_like(expected)
        rows = np.repeat(np.arange(6), np.diff(starts))
        table[rows, found] = counts
        np.testing.assert_array_equal(table, expected)
        for row in range(6):
            assert (np.diff(found[starts[row] : starts[row + 1]]) > 0).all()


@given(st.data(), st.integers(1, 5), st.integers(1, 8))
def test_ordered_distances_are_sums_of_cumulative_differences(data, rows, values):
    table = data.draw(arrays(np.int64, (rows, values), elements=st.integers(0, 4)))
    overall = table.sum(axis=0)
    starts = np.concatenate([[0], np.cumsum((table > 0).sum(axis=1))])
    row, code = np.nonzero(table)
    found = ordered_distances(starts, code.astype(np.int32), table[row, code], overall)
    for place in range(rows):
        if table[place].sum() == 0:
            assert found[place] == 0
            continue
        shares = table[place] / table[place].sum() - overall / overall.sum()
        np.testing.assert_allclose(found[place], np.abs(np.cumsum(shares)).sum(), atol=1e-12)
