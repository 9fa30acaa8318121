"""Types of columns come back: in memory as they were, from a file as far as its format holds them."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sfumato as sf

RECORDS = 60
SIZES = ["s", "m", "l"]


def people() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": pl.Series([None] * 6 + rng.integers(20, 60, RECORDS - 6).tolist(), dtype=pl.Int64),
            "size": pl.Series(np.array(SIZES)[rng.integers(0, 3, RECORDS)]).cast(pl.Enum(SIZES)),
            "flag": pl.Series([None, True, False] * 20),
            "count": pl.Series([None, 2**60 + 1, 2] * 20, dtype=pl.Int64),
            "cost": pl.Series(
                [Decimal("12345678901234567890.10"), None, Decimal("2.25")] * 20, dtype=pl.Decimal(38, 2)
            ),
        }
    )


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_types_come_back_from_a_file(tmp_path, format):
    frame = people()
    sf.Boxes(quasi=["age"], k=5).protect(frame).write(tmp_path / "out", format=format)
    opened = sf.open_release(tmp_path / "out")
    assert opened.audit().holds
    for name in ("size", "flag", "count", "cost"):
        assert opened.table.schema[name] == frame.schema[name]
        assert opened.table[name].sort().equals(frame[name].sort())
    # and once more, from what was opened
    opened.write(tmp_path / "again", format=format)
    assert sf.open_release(tmp_path / "again").table.schema == opened.table.schema


def test_types_of_pandas_come_back_in_memory():
    frame = people().to_pandas()
    frame["size"] = pd.Categorical(people()["size"].cast(pl.String).to_list(), categories=SIZES, ordered=True)
    frame["flag"] = pd.array(people()["flag"].to_list(), dtype="boolean")
    frame["count"] = pd.array(people()["count"].to_list(), dtype="Int64")
    frame["age"] = pd.array(people()["age"].to_list(), dtype="Int64")
    table = sf.Boxes(quasi=["age"], k=5).protect(frame).table
    for name in ("size", "flag", "count"):
        assert table[name].dtype == frame[name].dtype
        assert table[name].equals(frame[name])
    for name in ("age.lo", "age.hi"):
        assert str(table[name].dtype) == "Int64"
        assert table[name].isna().sum() == 6


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_decimals_keep_a_hierarchical_promise(tmp_path, format):
    cost = pl.Series([Decimal("1.10"), Decimal("1.20"), Decimal("9.00")] * 4, dtype=pl.Decimal(10, 2))
    tree = sf.Hierarchy.from_mapping({"1.10": ("low", "*"), "1.20": ("low", "*"), "9.00": ("high", "*")})
    promise = sf.Promise(quasi="q", sensitive="cost", k=6, t=0.2, distances={"cost": "hierarchical"})
    table = pl.DataFrame({"q": ["a"] * 6 + ["b"] * 6, "cost": cost})
    sf.Release(table, promise=promise, hierarchies={"cost": tree}).write(tmp_path / "out", format=format)
    audit = sf.open_release(tmp_path / "out").audit()
    assert audit.holds
    assert audit.measured["attributes"]["cost"]["unknown_to_hierarchy"] == 0


def test_the_same_digits_are_needed_of_the_same_decimal():
    from sfumato.release.data_file import column_facts

    one, other = (
        column_facts(pl.DataFrame({"x": pl.Series(digits, dtype=pl.Decimal(38, 2))}))["x"]
        for digits in ([Decimal("1.10"), None], [Decimal("1.11"), None])
    )
    assert (one.type, one.scale) == ("decimal", 2)
    assert one.sha256 != other.sha256
