from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.kernels.factorize import append_digit, first_of_each, number_dense, number_sparse, rank_bounded

small = arrays(np.int64, st.integers(1, 40), elements=st.integers(-5, 30))


@given(small, st.data())
def test_rank_bounded_is_numpy_unique(values, data):
    valid = data.draw(arrays(np.bool_, values.size))
    codes, distinct_values = rank_bounded(values, valid, -5, 36)
    distinct, inverse = np.unique(values[valid], return_inverse=True)
    np.testing.assert_array_equal(distinct_values, distinct)
    np.testing.assert_array_equal(codes[valid], inverse)
    assert (codes[~valid] == -1).all()


@given(small)
def test_rank_bounded_without_a_mask(values):
    codes, distinct_values = rank_bounded(values, np.empty(0, dtype=np.bool_), -5, 36)
    np.testing.assert_array_equal(distinct_values[codes], values)


@given(arrays(np.int64, st.integers(1, 60), elements=st.integers(0, 25)))
def test_both_numberings_partition_alike(keys):
    dense, dense_sizes = number_dense(keys, 26)
    sparse, sparse_sizes = number_sparse(keys)
    distinct, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(dense, inverse)
    np.testing.assert_array_equal(dense_sizes, counts)
    # numbers of the sparse one follow first appearance
    order = np.argsort(np.argsort(first))
    np.testing.assert_array_equal(sparse, order[inverse])
    np.testing.assert_array_equal(sparse_sizes[order], counts)
    np.testing.assert_array_equal(keys[first_of_each(sparse, distinct.size)], distinct[np.argsort(first)])


def test_sparse_numbering_of_extreme_keys():
    keys = np.array([2**62, -(2**62), 0, 2**62, -1, -1], dtype=np.int64)
    numbers, sizes = number_sparse(keys)
    assert numbers.tolist() == [0, 1, 2, 0, 3, 3]
    assert sizes.tolist() == [2, 1, 1, 2]


def test_append_digit_builds_mixed_radix_keys():
    keys = np.zeros(3, dtype=np.int64)
    append_digit(keys, np.array([-1, 0, 4], dtype=np.int32), 6, 1)
    append_digit(keys, np.array([2, -1, 1], dtype=np.int32), 4, 1)
    assert keys.tolist() == [0 * 4 + 3, 1 * 4 + 0, 5 * 4 + 2]
