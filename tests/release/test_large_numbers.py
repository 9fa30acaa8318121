"""Whole numbers beyond what doubles hold, decimals and fine clocks, recounted exactly from the written files."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SfumatoError

EDGE = 2**53


def exact(series: pl.Series) -> list[Fraction | None]:
    """The numbers of a column, none of them rounded; of times the nanoseconds."""
    if isinstance(series.dtype, pl.Datetime):
        factor = {"ms": 10**6, "us": 10**3, "ns": 1}[series.dtype.time_unit]
        return [None if tick is None else Fraction(tick * factor) for tick in series.to_physical().to_list()]
    return [None if number is None else Fraction(number) for number in series.to_list()]


def column(kind: str, rng: np.random.Generator, records: int) -> pl.Series:
    spread = int(rng.choice([3, 50, 10_000, 10**9]))
    away = [int(one) for one in rng.integers(-spread, spread, records)]
    centre = {"near": EDGE, "above": EDGE * 37 + 11, "top": 2**63 - 2 * 10**9 - 7, "below": -EDGE * 5}
    match kind:
        case "ns" | "us" | "ms":
            moment = 1_700_000_000 * {"ns": 10**9, "us": 10**6, "ms": 10**3}[kind]
            return pl.Series("x", [moment + one for one in away]).cast(pl.Datetime(kind))
        case "wide":
            return pl.Series("x", [one * (2**62 // spread) for one in away], dtype=pl.Int64)
        case "unsigned":
            return pl.Series("x", [2**63 + spread + one for one in away], dtype=pl.UInt64)
        case "decimal":
            return pl.Series("x", [Decimal(one) / 100 for one in away], dtype=pl.Decimal(18, 2))
        case "long decimal":
            return pl.Series("x", [Decimal(EDGE * 37 + one) / 100 for one in away], dtype=pl.Decimal(30, 2))
    return pl.Series("x", [centre[kind] + one for one in away], dtype=pl.Int64)


KINDS = ("near", "above", "top", "below", "wide", "unsigned", "decimal", "long decimal", "ns", "us", "ms")


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 10_000),
    records=st.integers(6, 60),
    edges=st.sampled_from(["snapped", "tight", "tiling"]),
    snap=st.sampled_from([0.001, 0.04, 1.0]),
)
@example(kind="wide", seed=0, records=6, edges="snapped", snap=1.0)
def test_values_lie_in_their_boxes_and_no_snapped_edge_shows_one(kind, seed, records, edges, snap):
    values = column(kind, np.random.default_rng(seed), records)
    try:
        release = sf.Boxes(quasi="x", k=3, edges=edges, snap=snap, preserve=[]).protect(pl.DataFrame({"x": values}))
    except SfumatoError:
        # a tiling of numbers too far apart, or numbers so alike that nothing is left of them
        return
    # as it is written
    table = release_frame(release)
    held = exact(values)
    often = {one: held.count(one) for one in set(held)}
    ends = list(zip(exact(table["x.lo"]), exact(table["x.hi"]), strict=True))
    for value, (low, high) in zip(held, ends, strict=True):
        # decimals of few digits are what their doubles are written as
        slack = abs(value) / 2**52 if kind == "decimal" else 0
        assert low - slack <= value <= high + slack
        if edges == "snapped" and value in (low, high):
            assert often[value] >= 3 or (value == 0 and value == low)
    if edges == "tiling":
        disjoint = sorted(set(ends))
        assert all(one[1] <= other[0] for one, other in itertools.pairwise(disjoint))


def release_frame(release: sf.Release) -> pl.DataFrame:
    from sfumato.release.data_file import released_frame

    return released_frame(release.microfile)


STATISTICS = ("mean(x)", "var(x)", "std(x)", "cov(x, y)", "corr(x, y)", "regress(y ~ x)")


def truth(statistic: str, x: list[Fraction], y: list[Fraction]) -> dict[str, Fraction | float]:
    """The statistic in exact arithmetic; of a root, a double."""
    count = len(x)
    mean_x, mean_y = sum(x) / count, sum(y) / count
    var_x, var_y = (sum((one - mean) ** 2 for one in its) / count for its, mean in ((x, mean_x), (y, mean_y)))
    cov = sum((one - mean_x) * (other - mean_y) for one, other in zip(x, y, strict=True)) / count
    match statistic.split("(")[0]:
        case "mean":
            return {"": mean_x}
        case "var":
            return {"": var_x}
        case "std":
            return {"": math.sqrt(var_x)}
        case "cov":
            return {"": cov}
        case "corr":
            return {"": float(cov) / math.sqrt(float(var_x) * float(var_y))}
    return {"(intercept)": mean_y - cov / var_x * mean_x, "x": cov / var_x}


@settings(max_examples=80, deadline=None)
@given(
    kind=st.sampled_from(["near", "above", "top", "below", "wide", "decimal", "long decimal"]),
    seed=st.integers(0, 10_000),
    records=st.integers(6, 60),
    boxed=st.booleans(),
    statistic=st.sampled_from(STATISTICS),
)
def test_ranges_hold_the_exact_statistic(kind, seed, records, boxed, statistic):
    rng = np.random.default_rng(seed)
    values, other = column(kind, rng, records), pl.Series("y", rng.integers(0, 50, records))
    frame = pl.DataFrame([values, other])
    try:
        release = sf.Boxes(quasi="x" if boxed else "y", k=3, preserve=[]).protect(frame)
        found = release.estimate(statistic)
    except SfumatoError:
        return
    estimates = dict(found.items()) if statistic.startswith("regress") else {"": found}
    for name, sure in truth(statistic, exact(values), exact(other)).items():
        one = estimates[name]
        if not one.guaranteed:
            continue
        # a range without width is exact to the digits that are printed; the root of a fraction is a double itself
        size = abs(Fraction(sure))
        slack = size / 10**9 if one.width == 0 else size / 2**50
        slack = 0 if one.width > 0 and statistic.startswith(("mean", "var", "cov")) else slack
        assert Fraction(one.lower) - slack <= sure <= Fraction(one.upper) + slack


def test_the_mean_of_whole_numbers_beyond_doubles_has_a_range():
    table = pl.DataFrame({"x": [2**60 + 1, 2**60 + 3, 2**60 + 5], "s": ["a", "b", "a"]})
    found = sf.Release(table, promise=sf.Promise(quasi=(), k=1)).estimate("mean(x)")
    assert found.lower < 2**60 + 3 < found.upper
    small = sf.Release(table.with_columns(x=pl.Series([1, 2, 4])), promise=sf.Promise(quasi=(), k=1))
    assert small.estimate("mean(x)").width == 0


def test_codes_that_only_name_something_have_no_mean():
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"code": rng.choice([1, 2, 3, 4], 80), "age": rng.integers(20, 60, 80)})
    release = sf.Boxes(quasi=["code", "age"], k=5).protect(sf.Microfile(frame, kinds={"code": "categorical"}))
    with pytest.raises(SfumatoError, match="'code' is not numeric"):
        release.estimate("mean(code)")
    counted = sf.Hierarchy.intervals([2, 4])
    release = sf.Boxes(quasi=["code", "age"], k=5, hierarchies={"code": counted}).protect(frame)
    mean = frame["code"].mean()
    found = release.estimate("mean(code)")
    assert found.lower <= mean <= found.upper
