"""A row index, and metadata of frames, can name every person; nothing of either leaves."""

import io
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.datasets import health_survey

RECORDS = 200
NUMBERS = [f"PATIENT-{number:06d}" for number in np.random.default_rng(1).choice(10**6, RECORDS, replace=False)]
AREAS = np.repeat([*"ABCDEF"], 34)[:RECORDS]
WORK = np.where(np.arange(RECORDS) % 34 < np.where(AREAS == "C", 25, 3), "army", "shop")
ARMY = sf.Group(vital={"work": ["army"]}, parameter="area")
PROTECTIONS = {
    "boxes": sf.Boxes(quasi=["age", "hours"], k=5),
    "boxes, records left out": sf.Boxes(quasi=["age", "job"], k=5, suppress=0.3, missing="own"),
    "boxes, households": sf.Boxes(quasi=["age"], k=3, household="home", keep_household=True),
    "fuzzy partition": sf.FuzzyPartition(quasi=["age", "hours"], k=5),
    "fuzzy partition, records left out": sf.FuzzyPartition(quasi=["age", "hours"], k=8, sets=4, suppress=0.5),
    "group mask": sf.GroupMask(group=ARMY, hide=["C"], influential=["age"], identifiers=["home"]),
}
INDEXES = {
    "unnamed": pd.Index(NUMBERS),
    "named": pd.Index(NUMBERS, name="PATIENT"),
    "several levels": pd.MultiIndex.from_arrays([NUMBERS, range(RECORDS)], names=["PATIENT", "visit"]),
    "whole numbers": pd.Index([int(number[8:]) for number in NUMBERS]),
    "moments": pd.DatetimeIndex(np.datetime64("2020-01-01") + np.arange(RECORDS) * np.timedelta64(7, "h")),
}


def people() -> pl.DataFrame:
    frame = health_survey(RECORDS).frame.with_columns(
        area=pl.Series(AREAS),
        work=pl.Series(WORK),
        home=pl.Series(np.arange(RECORDS) // 2),
        job=pl.Series([None if number % 40 == 0 else "abc"[number % 3] for number in range(RECORDS)]),
    )
    return frame.select("age", "hours", "area", "work", "home", "job")


def told_of(frame: pd.DataFrame, table: pd.DataFrame) -> int:
    """Count the records whose entry in the index stands in what the table's own writers write, in its place."""
    text = io.StringIO()
    table.to_csv(text)
    table.to_json(text, orient="split")
    written = text.getvalue() + pickle.dumps(table).decode("latin-1") + repr(table.attrs)
    entries = frame.index.astype(str) if frame.index.nlevels == 1 else frame.index.get_level_values(0)
    plain = {str(number) for number in range(len(table))}
    return sum(str(entry) in written for entry in entries if str(entry) not in plain)


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("protection", PROTECTIONS)
def test_a_row_index_does_not_leave(protection, index):
    frame = people().to_pandas().set_index(INDEXES[index])
    table = PROTECTIONS[protection].protect(frame).table
    assert isinstance(table, pd.DataFrame)
    assert table.index.equals(pd.RangeIndex(len(table)))
    assert list(table.index.names) == [None]
    assert frame.index.equals(INDEXES[index])


def test_what_a_writer_of_pandas_tells(figure):
    # of who was left out positions would tell, which an index of 0, 1, 3, ... keeps
    shares = []
    for settings in PROTECTIONS.values():
        frame = people().to_pandas().set_index(INDEXES["named"])
        shares.append(told_of(frame, settings.protect(frame).table) / RECORDS)
    bare = people().to_pandas()
    baseline = told_of(bare.set_index(INDEXES["named"]), bare) / RECORDS
    figure(
        "row index: patient numbers in to_csv of release.table (share)", now=max(shares), baseline=baseline, before=1
    )
    assert max(shares) == baseline == 0


def test_no_gap_shows_who_was_left_out():
    settings = PROTECTIONS["boxes, records left out"]
    table = settings.protect(people().to_pandas()).table
    assert len(table) < RECORDS
    assert table.index.equals(pd.RangeIndex(len(table)))


@pytest.mark.parametrize("protection", PROTECTIONS)
def test_metadata_of_frames_does_not_leave(protection):
    frame = people().to_pandas()
    frame.attrs["source"] = "PATIENT list of Dr. Jekyll"
    frame.columns.name = "PATIENT"
    table = PROTECTIONS[protection].protect(frame).table
    assert table.attrs == {}
    assert table.columns.name is None
    assert frame.attrs
    fields = [field.with_metadata({"of": "PATIENT"}) for field in people().to_arrow().schema]
    arrow = people().to_arrow().cast(pa.schema(fields, metadata={"pandas": '{"index_columns": ["PATIENT"]}'}))
    told = PROTECTIONS[protection].protect(arrow).table
    assert isinstance(told, pa.Table)
    assert told.schema.metadata is None
    assert all(field.metadata is None for field in told.schema)


@pytest.mark.parametrize("change", ["nothing", "take", "select", "filter", "renamed", "rearranged", "with_columns"])
def test_every_microfile_is_without_an_index(change):
    file = sf.Microfile(people().to_pandas().set_index(INDEXES["several levels"]))
    some = np.array([5, 3, 190])
    changed = {
        "nothing": lambda: file,
        "take": lambda: file.take(some),
        "select": lambda: file.select(["age"]),
        "filter": lambda: file.filter(np.arange(RECORDS) % 2 == 1),
        "renamed": lambda: file.renamed({"age": "years"}),
        "rearranged": lambda: file.rearranged(["age"], np.arange(RECORDS)[::-1].copy()),
        "with_columns": lambda: file.with_columns({"age": np.arange(float(RECORDS))}),
    }[change]()
    assert changed.frame.index.equals(pd.RangeIndex(changed.records))
    first = "years" if change == "renamed" else "age"
    expected = {
        "take": people()["age"].to_numpy()[some],
        "filter": people()["age"].to_numpy()[1::2],
        "rearranged": people()["age"].to_numpy()[::-1],
        "with_columns": np.arange(RECORDS),
    }.get(change, people()["age"].to_numpy())
    assert changed.frame[first].tolist() == expected.tolist()
