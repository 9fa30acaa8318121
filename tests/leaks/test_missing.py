"""Several codes for "missing", left in a release, tell apart records that are measured as alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf

CODES = (-7, -8, -9)
RECORDS = 1200


def people() -> pl.DataFrame:
    rng = np.random.default_rng(5)
    region = rng.integers(1, 5, RECORDS)
    region[:30] = rng.permutation([-7] * 20 + [-8] * 9 + [-9])
    income = rng.integers(1, 4, RECORDS)
    # why an income is missing goes with age, so that the codes tell more than that it is missing
    age = rng.integers(20, 80, RECORDS)
    lacking = rng.random(RECORDS) < 0.3
    income[lacking] = np.where(age[lacking] < 40, -7, np.where(age[lacking] < 60, -8, -9))
    return pl.DataFrame({"age": age, "region": region, "income": income})


def visible(frame: pl.DataFrame, quasi: list[str], sensitive: str) -> tuple[int, int, float]:
    """Count k, l and t (equal distance) from cells as they stand, with nothing but polars."""
    sizes = frame.group_by(quasi).agg(pl.len().alias("size"), pl.col(sensitive).n_unique().alias("l"))
    cells = frame.group_by([*quasi, sensitive]).len().join(sizes, on=quasi, nulls_equal=True)
    overall = frame.group_by(sensitive).agg((pl.len() / frame.height).alias("share"))
    blocks = (
        sizes.select(quasi).join(overall, how="cross").join(cells, on=[*quasi, sensitive], how="left", nulls_equal=True)
    )
    blocks = blocks.with_columns((pl.col("len") / pl.col("size")).fill_null(0.0) - pl.col("share"))
    t = blocks.group_by(quasi).agg(pl.col("len").abs().sum() / 2)["len"].max()
    return sizes["size"].min(), sizes["l"].min(), t


def read(folder) -> pl.DataFrame:
    data = next(folder.glob("data.*"))
    return pl.read_csv(data) if data.suffix == ".csv" else pl.read_parquet(data)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_codes_of_a_quasi_attribute_do_not_split_its_blocks(tmp_path, format, figure):
    microfile = sf.Microfile(people(), kinds={"region": "categorical", "income": "categorical"}, missing=CODES)
    promise = sf.Promise(quasi="region", sensitive="income", k=10)
    release = sf.Release(microfile.select(["region", "income"]), promise=promise)
    audit = sf.open_release(release.write(tmp_path / "out", format=format)).audit()
    k, l, t = visible(read(tmp_path / "out"), ["region"], "income")  # noqa: E741  # the field's own letter
    assert audit.holds
    assert (audit.k, audit.l) == (k, l) == (30, 4)
    assert audit.t == pytest.approx(t, abs=1e-9)
    figure(f"missing codes: 1/k of the smallest visible block ({format})", now=1 / k, baseline=1 / audit.k, before=1.0)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_codes_of_a_sensitive_attribute_do_not_break_t(tmp_path, format, figure):
    microfile = sf.Microfile(people(), kinds={"income": "categorical"}, missing=CODES)
    boxes = sf.Boxes(quasi=["age"], sensitive=["income"], k=50, t=0.15, identifiers=["region"])
    boxes.protect(microfile).write(tmp_path / "out", format=format)
    audit = sf.open_release(tmp_path / "out").audit()
    k, l, t = visible(read(tmp_path / "out"), ["age.lo", "age.hi"], "income")  # noqa: E741  # the field's own letter
    assert audit.holds
    assert (audit.k, audit.l) == (k, l)
    assert audit.t == pytest.approx(t, abs=1e-9)
    assert t <= 0.15
    figure(f"missing codes: t seen by a plain count ({format})", now=t, baseline=0.15, before=0.319)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_the_table_in_memory_shows_one_missing_value(library):
    frame = people()
    given = {"polars": frame, "pandas": frame.to_pandas(), "pyarrow": frame.to_arrow()}[library]
    release = sf.Release(sf.Microfile(given, missing=CODES), promise=sf.Promise(quasi=(), k=1))
    assert isinstance(release.table, type(given))
    shown = pl.DataFrame(release.table) if not isinstance(release.table, pa.Table) else pl.from_arrow(release.table)
    assert not any(shown[name].is_in(CODES).any() for name in shown.columns)
    for name in shown.columns:
        assert shown[name].null_count() == int(frame[name].is_in(CODES).sum())
        assert shown[name].dtype == pl.Int64
    assert "missing" not in str(release.codebook.model_dump())


def test_whole_numbers_keep_all_their_digits_beside_a_missing_code():
    big = 2**60 + 1
    frame = pd.DataFrame({"n": [big, -9, big], "flag": [True, False, True], "size": pd.Categorical(["s", "-9", "l"])})
    table = sf.Release(sf.Microfile(frame, missing=[-9]), promise=sf.Promise(quasi=(), k=1)).table
    assert str(table["n"].dtype) == "Int64"
    assert table["n"].tolist() == [big, pd.NA, big]
    assert table["flag"].dtype == frame["flag"].dtype
    assert table["size"].isna().tolist() == [False, True, False]
    assert isinstance(table["size"].dtype, pd.CategoricalDtype)


def test_group_masks_and_fuzzy_sets_release_one_missing_value(tmp_path):
    frame = people()
    microfile = sf.Microfile(frame, missing=CODES)
    partition = sf.FuzzyPartition(quasi=["age"], sensitive=["income"], sets=2, k=5, levels=2, identifiers=["region"])
    partition.protect(microfile).write(tmp_path / "fuzzy")
    mask = sf.GroupMask(
        group=sf.Group(vital={"income": [3]}, parameter="age"), target={"21": 5}, influential=["region"]
    )
    mask.protect(microfile).write(tmp_path / "mask")
    for name in ("fuzzy", "mask"):
        written = read(tmp_path / name)
        assert written["income"].null_count() == int(frame["income"].is_in(CODES).sum())
        assert not written["income"].is_in(CODES).any()


def test_codes_of_categories_that_were_read_from_a_file(tmp_path):
    """Text of a file is held in categories of its own."""
    (tmp_path / "people.csv").write_text("q,s\n" + "a,?\na,x\nb,\nb,unknown\n" * 5)
    microfile = sf.read(tmp_path / "people.csv", missing=["?", "unknown"])
    assert isinstance(microfile.series("s").dtype, pl.Categorical)
    release = sf.Release(microfile, promise=sf.Promise(quasi="q", sensitive="s", k=10))
    release.write(tmp_path / "out")
    assert release.table["s"].null_count() == read(tmp_path / "out")["s"].null_count() == 15
