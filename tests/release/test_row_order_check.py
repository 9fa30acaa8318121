"""That shuffled records are hardly ever taken for arranged ones, and arranged ones are."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.measures.compliance import check_promise
from sfumato.release.row_order_check import _chances, arranged, arrangement

CELLS = [(0, 0, 0, 0, 1, 1, 1), (0, 0, 1, 1, 2, 2, 2), (0, 0, 0, 0, 0, 0, 1), (0, 1, 2, 3, 4, 5, 6), (0, 0, 0, 1, 2, 3)]


@pytest.mark.parametrize("cells", CELLS)
def test_no_bound_is_below_the_true_chance(cells):
    """Over all arrangements: those with a bound of at most p are at most the share p."""
    arrangements = sorted({*itertools.permutations(cells)})
    bounds = [list(_chances(np.array(one))) for one in arrangements]
    for test in range(4):
        kinds = {its[test][0] for its in bounds}
        assert len(kinds) == 1
        found = Counter(round(math.exp(min(its[test][1], 0.0)), 12) for its in bounds)
        share = 0.0
        for bound in sorted(found):
            share += found[bound] / len(arrangements)
            assert share <= bound + 1e-9


def test_shuffled_columns_are_not_suspected():
    rng = np.random.default_rng(0)
    for _ in range(300):
        records, values = int(rng.integers(2, 400)), int(rng.integers(1, 60))
        shares = rng.dirichlet(np.ones(values))
        columns = {str(one): np.sort(rng.choice(values, records, p=shares)) for one in range(4)}
        order = rng.permutation(records)
        assert not arranged({name: codes[order] for name, codes in columns.items()})


def test_blocks_that_are_numbered_as_they_appear_are_not_suspected():
    """So many combinations are possible that blocks are numbered in the order of the file."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 1000, (2000, 3)).repeat(3, axis=0)[rng.permutation(6000)]
    file = sf.Microfile(pl.DataFrame(values, schema=["x", "y", "z"]))
    safety = sf.measure(file, quasi=["x", "y", "z"])
    assert arranged({"numbers": safety.blocks.numbers})
    kept = check_promise(file, sf.Promise(quasi=("x", "y", "z"), k=3))
    assert list(arrangement(file, kept)) == []
    in_order = file.take(np.argsort(safety.blocks.numbers, kind="stable"))
    assert list(arrangement(in_order, check_promise(in_order, sf.Promise(quasi=("x", "y", "z"), k=3))))


@pytest.mark.parametrize("records", [40, 1000])
def test_arranged_columns_are_found(records):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 10, records)
    assert arranged({"shuffled": codes, "sorted": np.sort(codes)}).keys() == {"sorted"}
    # a few records that are elsewhere hide nothing
    almost = np.sort(codes)
    almost[[3, records // 2]] = almost[[records // 2, 3]]
    assert arranged({"almost": almost})
    numbers = rng.permutation(10)
    assert arranged({"together": numbers[np.sort(codes)]})


def test_equal_cells_that_stand_together_are_found():
    codes = np.zeros(1000, dtype=np.int64)
    codes[430:440] = 1
    assert arranged({"rare": codes})
    # no order is in it, only that equal cells stand together
    blocks = np.repeat(np.random.default_rng(0).permutation(100), 2)
    assert arranged({"blocks": blocks}) == {"blocks": "grouped by value"}


def test_nothing_is_said_of_columns_without_an_order():
    assert not arranged({"constant": np.zeros(100, dtype=np.int64), "empty": np.zeros(0, dtype=np.int64)})
