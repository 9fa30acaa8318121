"""Cutting and exchanging keep every record, and never what they must not do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.boxes import cut_engine as cutting
from sfumato.boxes.axes import QuasiAxis, space_of
from sfumato.boxes.constraints import BoxRule, codes_in, limits_with
from sfumato.kernels.boxes import limit_check as kinds
from sfumato.kernels.boxes.box_cost import cost_boxes, summarize_boxes
from sfumato.kernels.boxes.cut_search import make_work
from sfumato.kernels.boxes.swap_records import WORK, exchange_groups
from sfumato.progress import silent

TREE = (np.array([0, 0, 1, 1, 2, 2], dtype=np.int32), np.zeros(6, dtype=np.int32))


def axis(kind, coordinates) -> QuasiAxis:
    values = tuple(range(6)) if kind in ("tree", "set") else ()
    return QuasiAxis(
        kind, kind, coordinates, np.zeros(coordinates.size, dtype=bool), values, TREE if kind == "tree" else ()
    )


def space(rng, records, kinds_of=("numeric", "numeric", "tree", "set")):
    axes = [
        axis(
            kind, rng.integers(0, 6, records).astype(float) if kind != "numeric" else rng.normal(size=records).round(1)
        )
        for kind in kinds_of
    ]
    points = np.stack([made.coordinates for made in axes])
    return space_of(axes, points, rng.uniform(0.1, 2.0, points.shape))


def cost(space, records, ends) -> float:
    """Return what the boxes cost, by the definition."""
    total, first = 0.0, 0
    for last in ends:
        box = records[first:last]
        for row, kind in enumerate(space.kinds):
            values = space.points[row, box]
            width = values.max() - values.min()
            if kind == 2:
                distinct = len(set(values))
                width = distinct / 6 if distinct > 1 else 0.0
            elif kind == 1:
                nodes = set(TREE[0][values.astype(int)])
                width = 0.0 if width == 0 else 2 / 6 if len(nodes) == 1 else 1.0
            total += space.costs[row, box].sum() * width
        first = last
    return total


def cut(space, limits, records, quick=False, codes=8):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cutting, "QUICK", 0 if quick else records)
        boxes = cutting.subdivide(space, limits, [np.arange(records)], codes, threads=1, progress=silent)
    return boxes.records, boxes.ends


@settings(max_examples=30)
@given(seed=st.integers(0, 999), records=st.integers(10, 1500), k=st.integers(2, 12), quick=st.booleans())
def test_boxes_hold_every_record_once_and_k_each(seed, records, k, quick):
    rng = np.random.default_rng(seed)
    made = space(rng, records, ("numeric", "numeric") if quick else ("numeric", "tree", "set"))
    k = min(k, records)
    order, ends = cut(made, limits_with(k, []), records, quick)
    np.testing.assert_array_equal(np.sort(order), np.arange(records))
    assert ends[-1] == records
    assert np.diff(np.concatenate([[0], ends])).min() >= k


@settings(max_examples=20)
@given(seed=st.integers(0, 999), records=st.integers(20, 900))
def test_cuts_keep_limits(seed, records):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, records).astype(np.int32)
    codes[:3] = 0, 1, 2
    rule = BoxRule("l", "s", kinds.DISTINCT, 2, codes=codes, n_values=3)
    limits = limits_with(3, [rule])
    order, ends = cut(space(rng, records, ("numeric", "numeric")), limits, records, codes=codes_in([rule]) + 8)
    first = 0
    for last in ends:
        assert len(set(codes[order[first:last]])) >= 2
        first = last


def test_boxes_of_continuous_values_are_hardly_larger_than_k():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(3, 5000))
    axes = [axis("numeric", row) for row in points]
    _, ends = cut(space_of(axes, points, np.ones_like(points)), limits_with(5, []), 5000)
    assert 5000 / ends.size <= 1.05 * 5


def test_equal_values_are_never_separated():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, 200).astype(float)
    made = space_of([axis("numeric", values)], values[None], np.ones((1, 200)))
    order, ends = cut(made, limits_with(5, []), 200)
    assert ends.size == 4
    assert [set(values[members]) for members in np.split(order, ends[:-1])] == [{0.0}, {1.0}, {2.0}, {3.0}]


def test_nodes_are_no_larger_than_the_limit():
    rng = np.random.default_rng(2)
    made, limits = space(rng, 3000, ("numeric", "numeric")), limits_with(5, [])
    order = np.arange(3000)
    nodes = cutting._split(made, limits, make_work(made, limits, 8, 3000), order, [(0, 3000)], 600)
    assert max(last - first for first, last in nodes) <= 600
    assert [first for first, _ in nodes[1:]] == [last for _, last in nodes[:-1]]
    np.testing.assert_array_equal(np.sort(order), np.arange(3000))


@settings(max_examples=30)
@given(seed=st.integers(0, 999), boxes=st.integers(2, 12), k=st.integers(2, 6), limited=st.booleans())
def test_exchanges_without_heat_only_pay(seed, boxes, k, limited):
    rng = np.random.default_rng(seed)
    records = boxes * k
    made = space(rng, records)
    codes = (np.arange(records) % k % 2).astype(np.int32)
    rules = [BoxRule("l", "s", kinds.DISTINCT, 2, codes=codes, n_values=2)] if limited else []
    order, ends = np.arange(records), np.arange(k, records + 1, k)
    before = cost(made, order, ends)
    made_exchanges = exchange_groups(
        made, limits_with(k, rules), order, ends, np.arange(boxes), np.array([0, boxes]), records, 0.0, seed,
        np.zeros(16, dtype=np.int64), np.zeros(WORK, dtype=np.int64),
    )  # fmt: skip  # arrays of the search below those of the boxes
    after = cost(made, order, ends)
    assert after < before if made_exchanges else after == before
    np.testing.assert_array_equal(np.sort(order), np.arange(records))
    for members in np.split(order, ends[:-1]):
        assert not limited or len(set(codes[members])) == 2


def test_exchanges_with_heat_keep_records_and_limits():
    rng = np.random.default_rng(3)
    made = space(rng, 60)
    codes = (np.arange(60) % 2).astype(np.int32)
    limits = limits_with(5, [BoxRule("l", "s", kinds.DISTINCT, 2, codes=codes, n_values=2)])
    order, ends = np.arange(60), np.arange(5, 61, 5)
    counts = np.zeros(16, dtype=np.int64)
    assert (
        exchange_groups(
            made,
            limits,
            order,
            ends,
            np.arange(12),
            np.array([0, 6, 12]),
            60,
            5.0,
            1,
            counts,
            np.zeros(WORK, dtype=np.int64),
        )
        > 0
    )
    assert sorted(order[:30]) == list(range(30))
    assert sorted(order[30:]) == list(range(30, 60))
    assert all(len(set(codes[members])) == 2 for members in np.split(order, ends[:-1]))


@pytest.mark.parametrize("seed", range(5))
def test_what_boxes_cost(seed):
    rng = np.random.default_rng(seed)
    made = space(rng, 80)
    order, ends = rng.permutation(80), np.array([7, 30, 31, 80])
    costs = np.empty(4)
    cost_boxes(made, order, ends, 0, 4, 8, costs)
    assert costs.sum() == pytest.approx(cost(made, order, ends))
    lo, hi, totals = (np.empty((4, 4)) for _ in range(3))
    summarize_boxes(made.points, made.costs, order, ends, 0, 4, lo, hi, totals)
    for box, members in enumerate(np.split(order, ends[:-1])):
        np.testing.assert_array_equal(lo[:, box], made.points[:, members].min(axis=1))
        np.testing.assert_array_equal(hi[:, box], made.points[:, members].max(axis=1))
        np.testing.assert_allclose(totals[:, box], made.costs[:, members].sum(axis=1))
