from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given

import sfumato as sf
from sfumato.measures.blocks import blocks_of, crowd_sums
from tests.measures.tables import crowds, frame, rows


@given(rows)
def test_blocks_are_the_group_by(records):
    blocks = blocks_of(sf.Microfile(frame(records)), ["p", "q"])
    assert blocks.sizes.sum() == len(records)
    assert len(blocks) == len({record[:2] for record in records})
    for one, a in enumerate(records):
        for other, b in enumerate(records):
            assert (blocks.numbers[one] == blocks.numbers[other]) == (a[:2] == b[:2])


@given(rows)
def test_crowds_are_those_of_comparing_all_records(records):
    blocks = blocks_of(sf.Microfile(frame(records)), ["p", "q"])
    sums = crowd_sums(blocks, [blocks.sizes.astype(np.float64)])[0]
    assert sums[blocks.numbers].tolist() == [len(crowd) for crowd in crowds(records, wildcards=True)]


def test_wildcards_in_many_attributes():
    columns = {f"c{i}": [1, 1, 2] for i in range(70)}
    columns["c69"] = [1, None, 2]
    safety = sf.measure(pl.DataFrame(columns), quasi=list(columns), missing="wildcard")
    assert safety.k.values[safety.blocks.numbers].tolist() == [2, 2, 1]


def test_keys_of_more_than_62_bits():
    rng = np.random.default_rng(1)
    columns = {f"c{i}": rng.integers(0, 3000, 4000) for i in range(8)}
    table = pl.DataFrame(columns)
    table = pl.concat([table, table.head(10)])
    blocks = blocks_of(sf.Microfile(table), list(columns))
    assert len(blocks) == table.unique().height
    assert (blocks.sizes == 2).sum() == 10
