from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.kernels.matching import matching_pairs, matching_sums
from sfumato.measures.blocks import Patterns


def match(codes, one, other):
    return all(a == b or a < 0 or b < 0 for a, b in zip(codes[one], codes[other], strict=True))


@given(st.data(), st.integers(1, 25), st.integers(1, 4))
def test_matches_are_those_of_comparing_every_pair(data, blocks, attributes):
    codes = data.draw(arrays(np.int32, (blocks, attributes), elements=st.integers(-1, 2)))
    codes = np.unique(codes, axis=0)
    amounts = np.arange(1.0, codes.shape[0] + 1)[:, None]
    patterns = Patterns.of(codes)
    shape = (codes, patterns.order, patterns.starts, patterns.missing)
    expected = [[j for j in range(len(codes)) if match(codes, i, j)] for i in range(len(codes))]
    sums = matching_sums(*shape, amounts)
    np.testing.assert_allclose(sums[:, 0], [amounts[found, 0].sum() for found in expected])
    wanted = data.draw(arrays(np.bool_, len(codes)))
    degrees = np.array([len(found) if use else 0 for found, use in zip(expected, wanted, strict=True)])
    ends = np.cumsum(degrees)
    pairs = matching_pairs(*shape, wanted, ends)
    for block, found in enumerate(expected):
        listed = sorted(pairs[ends[block] - degrees[block] : ends[block]].tolist())
        assert listed == (found if wanted[block] else [])
