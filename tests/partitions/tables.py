"""Files to be partitioned."""

from __future__ import annotations

import numpy as np
import polars as pl

METHODS = ("fuzzy-c-means", "gustafson-kessel", "k-means", "sets")


def people(seed: int, records: int, *, gaps: bool = False) -> pl.DataFrame:
    """Make people with an age, hours and an illness; with gaps, some values are missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(15, 90, records).astype(float)
    hours = np.clip(rng.normal(35, 12, records) - 0.2 * (age - 50), 0, 80).round()
    if gaps:
        age[rng.random(records) < 0.1] = np.nan
        hours[rng.random(records) < 0.1] = np.nan
    return pl.DataFrame({"age": age, "hours": hours, "ill": rng.choice(["x", "y", "z"], records)}, nan_to_null=True)
