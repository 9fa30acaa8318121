"""The tables that benchmarks run on."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl

DATA = Path(os.environ.get("SFUMATO_DATA") or Path(__file__).parents[2] / "shared" / "data")
"""Real microdata, which is not part of the project."""
QUASI = ["age", "sex", "region", "school", "marital"]


def people(records: int, *, seed: int = 1) -> pl.DataFrame:
    """Make a table of whole numbers: five quasi attributes, a sixth key, a sensitive one and weights."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(17, 91, records),
            "sex": rng.integers(1, 3, records),
            "region": rng.integers(0, 10, records),
            "school": rng.integers(0, 5, records),
            "marital": rng.integers(1, 6, records),
            "job": rng.integers(0, 20, records),
            "illness": rng.integers(0, 20, records),
            "weight": rng.gamma(20.0, 1.0, records) + 0.01,
        }
    )


def with_gaps(table: pl.DataFrame, *, share: float, seed: int = 2) -> pl.DataFrame:
    """Make a share of the quasi values missing."""
    rng = np.random.default_rng(seed)
    gaps = {name: pl.Series(rng.random(table.height) < share) for name in QUASI}
    return table.with_columns(pl.when(gap).then(None).otherwise(pl.col(name)).alias(name) for name, gap in gaps.items())
