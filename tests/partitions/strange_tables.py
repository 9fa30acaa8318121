"""Random tables and settings that a fuzzy partition must take, or refuse in its own words."""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.errors import SfumatoError, SfumatoWarning

Column = Callable[[np.random.Generator, int], pl.Series]


def _with_some(values: pl.Series, other: Any, rng: np.random.Generator) -> pl.Series:
    return values.scatter(rng.choice(len(values), max(1, len(values) // 10), replace=False), other)


COLUMNS: dict[str, Column] = {
    "normal": lambda rng, n: pl.Series(rng.normal(50, 10, n)),
    "whole": lambda rng, n: pl.Series(rng.integers(0, 90, n)),
    "few": lambda rng, n: pl.Series(rng.integers(0, 2, n)),
    "constant": lambda _, n: pl.Series(np.full(n, 7.0)),
    "nearly constant": lambda rng, n: pl.Series(1.0 + 1e-15 * rng.integers(0, 3, n)),
    "nan": lambda rng, n: _with_some(pl.Series(rng.normal(0, 1, n)), float("nan"), rng),
    "null": lambda rng, n: _with_some(pl.Series(rng.normal(0, 1, n)), None, rng),
    "infinite": lambda rng, n: _with_some(pl.Series(rng.normal(0, 1, n)), float("inf"), rng),
    "minus infinite": lambda rng, n: _with_some(pl.Series(rng.normal(0, 1, n)), -float("inf"), rng),
    "outlier": lambda rng, n: _with_some(pl.Series(rng.normal(0, 1, n)), 1e12, rng),
    "huge": lambda rng, n: pl.Series(1e300 * rng.normal(0, 1, n)),
    "too huge": lambda rng, n: pl.Series(rng.choice([-1.7e308, 0.0, 1.7e308], n)),
    "tiny": lambda rng, n: pl.Series(1e-300 * rng.normal(0, 1, n)),
    "subnormal": lambda rng, n: pl.Series(5e-324 * rng.integers(0, 9, n)),
    "far away": lambda rng, n: pl.Series(1e15 + rng.integers(0, 9, n).astype(float)),
    "large whole": lambda rng, n: pl.Series(2**60 + rng.integers(0, 9, n)),
    "duration": lambda rng, n: pl.Series([dt.timedelta(minutes=int(m)) for m in rng.integers(0, 900, n)]),
    "date": lambda rng, n: pl.Series(
        [dt.date(1950, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 9000, n)]
    ),
    "time": lambda rng, n: pl.Series([dt.time(int(h)) for h in rng.integers(0, 24, n)]),
    "decimal": lambda rng, n: pl.Series(rng.integers(0, 9000, n)).cast(pl.Decimal(12, 2)),
    "boolean": lambda rng, n: pl.Series(rng.random(n) < 0.5),
    "text": lambda rng, n: pl.Series(rng.choice(["a", "b"], n)),
    "single": lambda rng, n: pl.Series(rng.normal(0, 1, n).astype(np.float32)),
    "blank": lambda _, n: pl.Series([None] * n, dtype=pl.Float64),
}


def foreign(seed: int) -> str | None:
    """Protect a random table with random settings; say what was raised or warned that is not our own."""
    rng = np.random.default_rng(seed)
    records = int(rng.choice([1, 3, 12, 60, 200]))
    kinds = [str(kind) for kind in rng.choice(list(COLUMNS), int(rng.integers(1, 4)), replace=False)]
    table = pl.DataFrame({f"x{place}": COLUMNS[kind](rng, records) for place, kind in enumerate(kinds)})
    method = str(rng.choice(["fuzzy-c-means", "gustafson-kessel", "k-means", "sets"]))
    given: dict[str, Any] = {
        "method": method,
        "sets": int(rng.choice([2, 3, 6])),
        "shown": str(rng.choice(["words", "grades"])),
        "levels": int(rng.choice([1, 4, 50])),
        "k": 2,
        "scale": str(rng.choice(["deviation", "range", "none"])),
        "suppress": float(rng.choice([0.0, 0.3])),
    }
    if method in ("fuzzy-c-means", "gustafson-kessel"):
        given["fuzzifier"] = float(rng.choice([1.05, 2.0, 10.0]))
    if rng.random() < 0.2:
        given["weight"] = "w"
        table = table.with_columns(w=pl.Series(rng.choice([0.0, 1.0, 1e9], records)))
    quasi = [name for name in table.columns if name != "w"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SfumatoWarning)
        try:
            release = sf.FuzzyPartition(quasi=quasi, seed=seed, threads=1, **given).protect(table)
            if not release.audit().holds:
                return f"{kinds} {given}: the release does not hold"
        except SfumatoError:
            return None
        except Exception as error:
            return f"{kinds} {given} {records}: {type(error).__name__}: {error}"
    return None
