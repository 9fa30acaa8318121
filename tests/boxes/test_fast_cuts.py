"""Boxes cut in a hurry."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.boxes import cut_engine as cutting
from sfumato.boxes.constraints import limits_with
from sfumato.boxes.fast_cuts import halved
from sfumato.kernels.boxes.box_cost import Space
from sfumato.progress import silent


def plain(places, costs) -> Space:
    rows = len(places)
    return Space(
        places,
        costs,
        np.zeros(rows, dtype=np.int32),
        np.zeros(rows),
        np.zeros((rows, 1, 1), dtype=np.int32),
        np.zeros((rows, 1, 1)),
    )


@settings(max_examples=60)
@given(
    seed=st.integers(0, 9999),
    records=st.integers(2, 20_000),
    k=st.sampled_from([2, 3, 5, 17, 70, 300]),
    attributes=st.integers(1, 5),
    decimals=st.integers(0, 3),
    threads=st.integers(1, 3),
)
def test_halving(seed, records, k, attributes, decimals, threads):
    rng = np.random.default_rng(seed)
    k = min(k, records)
    places = rng.normal(size=(attributes, 2 * records)).round(decimals)
    costs = rng.uniform(0.0, 2.0, places.shape)
    members = rng.permutation(2 * records)[:records]
    boxes = halved(places, costs, members, k, threads=threads)
    np.testing.assert_array_equal(np.sort(boxes.records), np.sort(members))
    assert boxes.ends[-1] == records
    assert boxes.sizes.min() >= k
    plainly = boxes.summary(places, costs)
    for found, expected in ((boxes.cached_summary.lo, plainly.lo), (boxes.cached_summary.hi, plainly.hi)):
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(boxes.cached_summary.totals, plainly.totals, rtol=1e-6)
    same = halved(places, costs, members, k, threads=1)
    np.testing.assert_array_equal(boxes.records, same.records)
    np.testing.assert_array_equal(boxes.ends, same.ends)


@pytest.mark.parametrize("k", [2, 5, 50, 300])
def test_hurried_boxes_of_continuous_values_are_hardly_larger_than_k(k):
    rng = np.random.default_rng(0)
    places = rng.normal(size=(4, 60_000))
    boxes = halved(places, np.ones_like(places), np.arange(60_000), k, threads=None)
    assert boxes.sizes.mean() <= 1.03 * k
    assert boxes.sizes.max() < 2 * k


@pytest.mark.parametrize("tail", [0.0, 2.0])
def test_hurried_boxes_cost_little_more_than_careful_ones(monkeypatch, tail):
    """Also where few records far out make boxes wide."""
    rng = np.random.default_rng(0)
    places = np.linalg.cholesky(np.full((3, 3), 0.5) + 0.5 * np.eye(3)) @ rng.normal(size=(3, 150_000))
    if tail:
        places = np.exp(tail * places)
    space, limits = plain(places, np.abs(places - places.mean(axis=1, keepdims=True)) + 0.1), limits_with(5, [])

    def cost(quick):
        monkeypatch.setattr(cutting, "QUICK", quick)
        boxes = cutting.subdivide(space, limits, [np.arange(150_000)], 1, threads=None, progress=silent)
        if boxes.cached_summary:
            plainly = boxes.summary(space.points, space.costs)
            np.testing.assert_array_equal(boxes.cached_summary.hi, plainly.hi)
        return boxes.costs(space, 1).sum()

    assert cost(0) <= 1.15 * cost(10**9)


def test_what_cannot_be_halved_is_cut_with_care(monkeypatch):
    """Nine of ten records share all values; strata stay apart."""
    rng = np.random.default_rng(0)
    places = np.where(rng.random((3, 30_000)) < 0.9, 0.0, rng.normal(size=(3, 30_000)))
    monkeypatch.setattr(cutting, "QUICK", 0)
    strata = np.split(rng.permutation(30_000), [7, 9_000])
    limits, space = limits_with(5, []), plain(places, np.ones_like(places))
    boxes = cutting.subdivide(space, limits, strata, 1, threads=2, progress=silent)
    np.testing.assert_array_equal(np.sort(boxes.records), np.arange(30_000))
    assert boxes.sizes.min() >= 5
    home = np.empty(30_000, dtype=int)
    for number, members in enumerate(strata):
        home[members] = number
    parts = np.split(boxes.records, boxes.ends[:-1])
    assert all(np.ptp(home[part]) == 0 for part in parts)
    # a box of many records is one in which all are alike, or nearly so
    assert all(np.unique(places[:, part], axis=1).shape[1] < 10 for part in parts if part.size >= 10)


def test_halving_nothing_but_duplicates():
    places = np.ones((2, 5_000))
    boxes = halved(places, places, np.arange(5_000), 5, threads=None)
    assert boxes.ends.tolist() == [5_000]


@pytest.mark.parametrize("scale", [2.0**-200, 2.0**200])
def test_halving_at_any_scale(scale):
    """What widths cost is kept in single precision, but in units of the usual."""
    rng = np.random.default_rng(0)
    places, costs = rng.normal(size=(2, 30_000)), rng.uniform(0.5, 2.0, (2, 30_000))
    scaled = halved(places * scale, costs / scale, np.arange(30_000), 5, threads=None)
    boxes = halved(places, costs, np.arange(30_000), 5, threads=None)
    np.testing.assert_array_equal(scaled.records, boxes.records)
    np.testing.assert_allclose(scaled.cached_summary.totals * scale, boxes.cached_summary.totals, rtol=1e-6)
