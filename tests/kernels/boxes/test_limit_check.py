"""The limits of boxes against the measures that report them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.boxes.constraints import BoxRule, codes_in, limits_with, own_codes
from sfumato.kernels.boxes import limit_check as kinds
from sfumato.kernels.boxes.limit_check import apart, keeps_limits
from sfumato.measures import measure
from sfumato.measures.blocks import Blocks
from sfumato.microfile.hierarchy import Hierarchy

TREE = Hierarchy.from_mapping({"a": ("ab", "*"), "b": ("ab", "*"), "c": ("cd", "*"), "d": ("cd", "*"), "e": ("e", "*")})
DEEP = Hierarchy.from_mapping({v: (f"{v}1", "abc" if v in "abc" else "de", "*") for v in "abcde"})
tables = st.lists(st.tuples(st.sampled_from("abcde") | st.none(), st.integers(0, 3)), min_size=4, max_size=60)


def worst(safety, rule, limit):
    """What the measure says of each block, as whether it keeps the limit."""
    of = safety.attributes["s"]
    measured = {
        kinds.DISTINCT: lambda: of.l,
        kinds.ENTROPY: lambda: of.entropy_l,
        kinds.RECURSIVE: lambda: of.recursive_c(2),
        kinds.EQUAL: lambda: of.t,
        kinds.ORDERED: lambda: of.t,
        kinds.NESTED: lambda: of.t,
    }[rule]()
    return measured, ~measured.breaking(limit)


@pytest.mark.parametrize("hierarchy", [TREE, DEEP])
@pytest.mark.parametrize(
    "rule", [kinds.DISTINCT, kinds.ENTROPY, kinds.RECURSIVE, kinds.EQUAL, kinds.ORDERED, kinds.NESTED]
)
@settings(max_examples=40)
@given(rows=tables, share=st.floats(0, 1))
def test_the_kernel_judges_as_the_measures_do(rule, hierarchy, rows, share):
    if all(value is None for value, _ in rows):
        return
    frame = pl.DataFrame(rows, schema={"s": pl.String, "block": pl.Int64}, orient="row")
    file = sf.Microfile(frame, kinds={"s": "ordinal"} if rule == kinds.ORDERED else {})
    _, numbers = np.unique(file.numbers("block"), return_inverse=True)
    blocks = Blocks(numbers.astype(np.int32), np.bincount(numbers), ())
    distance = {kinds.ORDERED: "ordered", kinds.NESTED: "hierarchical"}.get(rule, "equal")
    safety = measure(
        file,
        quasi="block",
        sensitive="s",
        distances={"s": distance},
        hierarchies={"s": hierarchy} if distance == "hierarchical" else {},
        blocks=blocks,
    )
    of, _ = worst(safety, rule, 1.0)
    finite = of.values[np.isfinite(of.values)]
    if finite.size == 0:
        return
    # a limit that some block just keeps, or one between those of the blocks
    limit = float(finite[int(share * (finite.size - 1))]) if share < 0.5 else float(np.quantile(finite, share)) + 1e-6
    _, keeps = worst(safety, rule, limit)
    encoded = file.encoded("s")
    made = BoxRule(
        "t",
        "s",
        rule,
        2.0 if rule == kinds.RECURSIVE else limit,
        limit,
        own_codes(encoded),
        encoded.values.size,
        tree=tuple(hierarchy.joining_tree(encoded)) if rule == kinds.NESTED else (),
    )
    limits, counts = limits_with(1, [made]), np.zeros(codes_in([made]) + 1, dtype=np.int64)
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(blocks.sizes)
    judged = [
        keeps_limits(limits, order, end - size, end, counts) for end, size in zip(ends, blocks.sizes, strict=True)
    ]
    assert judged == keeps.tolist()
    assert not counts.any()


def test_fewer_than_k_records_never_keep_a_limit():
    limits = limits_with(3, [])
    counts = np.zeros(1, dtype=np.int64)
    assert [keeps_limits(limits, np.arange(4), 0, size, counts) for size in (2, 3, 4)] == [False, True, True]


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.sampled_from([0.5, 1.0, 2.0, 3.5, 7.0]))
def test_values_apart_are_as_many_as_possible(values, epsilon):
    numbers = np.sort(np.array(values, dtype=float))
    # the longest chain by looking at all pairs
    longest: dict[float, int] = {}
    for value in numbers.tolist():
        longest[value] = 1 + max(
            (length for earlier, length in longest.items() if value - earlier >= epsilon), default=0
        )
    assert apart(numbers, epsilon) == max(longest.values())


def test_values_a_tenth_apart_count_in_spite_of_binary_dust():
    assert apart(np.array([30.1, 30.2, 30.3]), 0.1) == 3


def test_closeness_is_measured_from_the_retained_records():
    codes = np.array([0, 0, 1, 1, 1, 1], dtype=np.int32)
    rule = BoxRule("t", "s", kinds.EQUAL, 0.0, codes=codes, n_values=2)
    retained = np.array([True, True, True, True, False, False])
    counts = np.zeros(8, dtype=np.int64)
    assert keeps_limits(limits_with(1, [rule], retained), np.arange(4), 0, 4, counts)
    assert not keeps_limits(limits_with(1, [rule]), np.arange(4), 0, 4, counts)
