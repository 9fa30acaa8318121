from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sfumato.kernels import wildcard_match as matching
from sfumato.kernels.wildcard_match import matching_pairs
from sfumato.measures import contingency
from sfumato.measures.blocks import Patterns, group, matching_sums
from sfumato.microfile.encoded_column import Encoded


def match(codes, first, second):
    return all(a == b or a < 0 or b < 0 for a, b in zip(codes[first], codes[second], strict=True))


@given(st.data(), st.integers(1, 25), st.integers(1, 4))
def test_matches_are_those_of_comparing_every_pair(data, blocks, attributes):
    codes = data.draw(arrays(np.int32, (blocks, attributes), elements=st.integers(-1, 2)))
    codes = np.unique(codes, axis=0)
    amounts = np.arange(1.0, codes.shape[0] + 1)[:, None]
    patterns = Patterns.of(codes)
    shape = (codes, patterns.order, patterns.starts, patterns.missing)
    expected = [[j for j in range(len(codes)) if match(codes, i, j)] for i in range(len(codes))]
    sums = matching_sums(codes, amounts)
    np.testing.assert_allclose(sums[:, 0], [amounts[matches, 0].sum() for matches in expected])
    selected = data.draw(arrays(np.bool_, len(codes)))
    degrees = np.array([len(matches) if use else 0 for matches, use in zip(expected, selected, strict=True)])
    ends = np.cumsum(degrees)
    pairs = matching_pairs(*shape, selected, ends)
    for block, matches in enumerate(expected):
        listed = sorted(pairs[ends[block] - degrees[block] : ends[block]].tolist())
        assert listed == (matches if selected[block] else [])


@given(st.data(), st.integers(2, 25), st.integers(1, 4), st.integers(1, 20))
def test_crowds_by_pairs_and_by_sums_are_the_same(data, records, attributes, values):
    codes = data.draw(arrays(np.int32, (records, attributes), elements=st.integers(-1, 1)))
    blocks = group([Encoded(np.ascontiguousarray(column), np.arange(2)) for column in codes.T])
    sensitive = Encoded(data.draw(arrays(np.int32, records, elements=st.integers(-1, values - 1))), np.arange(values))
    tables = []
    for pairs in (0, 10**9):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(contingency, "PAIRS_PER_CELL", pairs)
            tables.append(contingency.tabulate(blocks, sensitive, wildcards=True))
    for name in ("starts", "codes", "counts", "overall"):
        np.testing.assert_array_equal(getattr(tables[0], name), getattr(tables[1], name))


def test_rows_are_merged_in_proportion_to_the_blocks(monkeypatch):
    merged = []

    def counting(codes, amounts, attribute):
        merged.append(len(codes))
        return kernel(codes, amounts, attribute)

    kernel = matching.merge_rows
    monkeypatch.setattr(matching, "merge_rows", counting)
    rng = np.random.default_rng(0)
    work = []
    for blocks in (4_000, 16_000):
        codes = rng.integers(0, 4, (blocks, 8)).astype(np.int32)
        codes = np.unique(np.where(rng.random(codes.shape) < 0.25, np.int32(-1), codes), axis=0)
        merged.clear()
        matching_sums(codes, np.ones((len(codes), 1)))
        work.append(sum(merged) / len(codes))
    # comparing patterns with patterns would read every block up to 2 * 256 times
    assert work[1] < 1.1 * work[0]
    assert max(work) < 160


def test_work_is_bounded_by_the_patterns_that_occur(monkeypatch):
    """Sixteen attributes could lack values in 65,536 ways; only four of them occur."""
    merged, sought = [], []

    def merging(codes, amounts, attribute):
        merged.append(len(codes))
        return merge_rows(codes, amounts, attribute)

    def seeking(codes, blocks, rows, totals, table, missing, sums):
        sought.append(len(blocks) * len(missing))
        return add_matches(codes, blocks, rows, totals, table, missing, sums)

    merge_rows, add_matches = matching.merge_rows, matching.add_matches
    monkeypatch.setattr(matching, "merge_rows", merging)
    monkeypatch.setattr(matching, "add_matches", seeking)
    rng = np.random.default_rng(0)
    patterns = np.zeros((4, 16), dtype=bool)
    patterns[1, :3] = patterns[2, 5:7] = patterns[3, [0, 6, 15]] = True
    codes = rng.integers(0, 3, (5_000, 16)).astype(np.int32)
    codes = np.unique(np.where(patterns[rng.integers(0, 4, 5_000)], np.int32(-1), codes), axis=0)
    matching_sums(codes, np.ones((len(codes), 1)))
    # a table of every attribute that is left out on the way to a pattern
    assert sum(merged) <= (1 + patterns.sum()) * len(codes)
    # a block asks once for each pattern
    assert sum(sought) <= len(patterns) * len(codes)
