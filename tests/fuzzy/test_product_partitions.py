from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError
from sfumato.fuzzy import as_partition, product


def test_only_the_product_keeps_a_partition():
    # ERRATA 002-12
    half = [0.5, 0.5]
    pairs = list(itertools.product(half, half))
    assert sum(min(pair) for pair in pairs) == 2
    assert sum(max(0, sum(pair) - 1) for pair in pairs) == 0
    assert product([[half], [half]]).tolist() == [[0.25] * 4]
    with pytest.raises(SettingError, match="records whose memberships do not sum to 1: 1; the largest difference is 1"):
        as_partition([[min(pair) for pair in pairs]])


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 10), st.integers(0, 2**32 - 1))
def test_products_sum_to_1_and_the_last_sets_change_fastest(widths, records, seed):
    generator = np.random.default_rng(seed)
    partitions = [generator.dirichlet(np.ones(width), records) for width in widths]
    found = product(partitions)
    assert np.allclose(found.sum(axis=1), 1)
    for column, sets in enumerate(itertools.product(*map(range, widths))):
        expected = np.prod([p[:, place] for p, place in zip(partitions, sets, strict=True)], axis=0)
        assert np.allclose(found[:, column], expected)


def test_what_is_refused():
    with pytest.raises(SettingError, match="at least one partition"):
        product([])
    with pytest.raises(SettingError, match=r"have the same records \(given: 1 and 2 records\)"):
        product([[[1.0]], [[1.0], [1.0]]])
    with pytest.raises(SettingError, match="memberships must be between 0 and 1; outside: 2"):
        product([[[1.5, np.nan]]])
    with pytest.raises(SettingError, match="belong to no set of the partition: 1") as caught:
        product([[[0.0, 0.0]]])
    assert "missing=" in caught.value.hint
    with pytest.raises(SettingError, match="table of records by sets"):
        as_partition([1.0])
