from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.kernels.household_agreement import shared_attributes
from sfumato.measures.household_disclosure import sharing_of


@given(st.data(), st.integers(1, 30), st.integers(1, 5), st.integers(1, 3), st.integers(0, 4))
def test_shared_attributes_are_those_without_a_difference(data, records, attributes, enough, households):
    homes = data.draw(arrays(np.int32, records, elements=st.integers(0, 6)))
    codes = data.draw(arrays(np.int32, (attributes, records), elements=st.integers(-1, 1)))
    order = np.argsort(homes, kind="stable").astype(np.int64)
    rows = np.arange(attributes, dtype=np.int64)
    plain = [sharing_of(homes, row, row < 0) for row in codes]
    expected = sum(comparison.differing == 0 and comparison.households >= households for comparison in plain)
    n_shared, _ = shared_attributes(order, homes, codes, rows, enough, households)
    assert n_shared == min(expected, enough)


@pytest.mark.parametrize("attributes", [50, 200])
def test_attributes_that_differ_cost_few_cells(attributes):
    rng = np.random.default_rng(0)
    homes = (np.arange(4000) // 4).astype(np.int32)
    codes = rng.integers(0, 5, (attributes, 4000)).astype(np.int32)
    rows = np.arange(attributes, dtype=np.int64)
    n_shared, cells = shared_attributes(np.arange(4000), homes, codes, rows, 2, 20)
    assert n_shared == 0
    assert cells < 10 * attributes
