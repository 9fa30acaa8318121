"""The type of a column can list categories that no released record has: those of people who were left out."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from tests.leaks.conftest import Figure

RECORDS = 300
ILLNESSES = ["gout", "RARE-porphyria", "flu", "RARE-leprosy", "none"]
COMMON = ["gout", "flu", "none"]
AREAS = np.repeat([*"ABCDEF"], RECORDS // 6)
WORK = np.where(np.arange(RECORDS) % 50 < np.where(AREAS == "C", 30, 5), "army", "shop")
PROTECTIONS = {
    "boxes": sf.Boxes(quasi=["age", "way"], sensitive="ill", k=10, suppress=0.05, seed=1),
    "fuzzy partition": sf.FuzzyPartition(quasi=["age", "pay"], sensitive="ill", k=5, seed=1),
    "group mask": sf.GroupMask(group=sf.Group(vital={"work": ["army"]}, parameter="area"), hide=["C"], seed=1),
}


def people(rare: bool) -> pl.DataFrame:
    """Make people; a lone one, who cannot be released in boxes, has a rare illness."""
    random = np.random.default_rng(0)
    ages, ill = random.integers(20, 80, RECORDS), random.choice(COMMON, RECORDS).astype(object)
    if rare:
        ages[0], ill[0] = 150, "RARE-porphyria"
    return pl.DataFrame(
        {
            "age": ages,
            "pay": random.normal(1000, 200, RECORDS).round(),
            "way": random.choice(["car", "bus", "walk"], RECORDS),
            "area": AREAS,
            "work": WORK,
            "ill": pl.Series(ill.tolist(), dtype=pl.Enum(ILLNESSES)),
        }
    )


def as_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    texts = frame["ill"].cast(pl.String).to_list()
    return frame.drop("ill").to_pandas().assign(ill=pd.Categorical(texts, categories=ILLNESSES))


def as_arrow(frame: pl.DataFrame) -> pa.Table:
    codes = frame["ill"].to_physical().to_list()
    halves = [codes[:100], codes[100:]]
    chunks = [pa.DictionaryArray.from_arrays(pa.array(half, pa.int8()), pa.array(ILLNESSES)) for half in halves]
    return frame.drop("ill").to_arrow().append_column("ill", pa.chunked_array(chunks))


def as_categorical(frame: pl.DataFrame) -> pl.DataFrame:
    texts = [*ILLNESSES, *frame["ill"].cast(pl.String)]
    return frame.with_columns(pl.Series("ill", texts, dtype=pl.Categorical(pl.Categories.random()))[len(ILLNESSES) :])


KINDS = {
    "pandas category": as_pandas,
    "polars Enum": lambda frame: frame,
    "polars Categorical": as_categorical,
    "pyarrow dictionary": as_arrow,
}


def listed(table: Any) -> list[str]:
    """Return the categories that the type of the illness lists, in their order."""
    if isinstance(table, pd.DataFrame):
        return table["ill"].dtype.categories.tolist()
    if isinstance(table, pa.Table):
        return list(dict.fromkeys(name for chunk in table["ill"].chunks for name in chunk.dictionary.to_pylist()))
    categories = table.schema["ill"].categories
    return (categories if isinstance(categories, pl.Series) else categories.to_series()).to_list()


def cells(table: Any) -> list[str | None]:
    if isinstance(table, pd.DataFrame):
        return table["ill"].tolist()
    return table["ill"].to_pylist() if isinstance(table, pa.Table) else table["ill"].to_list()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("protection", PROTECTIONS)
def test_categories_that_no_released_record_has_do_not_leave(protection, kind, figure: Figure):
    frame = KINDS[kind](people(rare=protection == "boxes"))
    before = sum(name.startswith("RARE") for name in listed(frame))
    assert before == 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        release = PROTECTIONS[protection].protect(frame)
    table = release.table
    assert type(table) is type(frame)
    assert {*cells(table)} == {*COMMON}
    now = sum(name.startswith("RARE") for name in listed(table))
    figure(f"types name categories of nobody: {kind}, {protection}", now=now, baseline=0, before=before)
    assert now == 0
    assert b"RARE" not in pickle.dumps(table)
    assert "RARE" not in str(release.microfile.attribute("ill").order)
    if kind != "polars Categorical":
        # the others keep their order
        assert listed(table) == COMMON
    # and the file that came in is as it was
    assert sum(name.startswith("RARE") for name in listed(frame)) == before


def test_categories_that_all_occur_are_kept_as_they_are():
    frame = people(rare=False).with_columns(pl.col("ill").cast(pl.Enum(COMMON)))
    table = sf.Release(frame, promise=sf.Promise(quasi=["work"], k=2)).table
    assert table is frame


def test_missing_cells_of_dictionaries_stay_missing():
    column = pa.DictionaryArray.from_arrays(pa.array([4, None, 0, 4], pa.int8()), pa.array(ILLNESSES), ordered=True)
    frame = pa.table({"ill": column, "work": ["a"] * 4})
    for given in (frame, frame.to_pandas(types_mapper=pd.ArrowDtype)):
        table = sf.Release(given, promise=sf.Promise(quasi=["work"], k=2)).table
        released = table["ill"] if isinstance(table, pa.Table) else pa.array(table["ill"].array)
        assert released.to_pylist() == ["none", None, "gout", "none"]
        whole = released.combine_chunks() if isinstance(released, pa.ChunkedArray) else released
        assert whole.dictionary.to_pylist() == ["gout", "none"]
        assert released.type == column.type
