"""Active duty in census microdata, hidden by every method: people moved, distortion, outliers left, as a table."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

import sfumato as sf
from benchmarks.tables import DATA
from benchmarks.timing import Row
from sfumato.errors import UnattainableError

CATEGORIES = ("SEX", "RAC1P", "MAR", "CIT", "COW")
NUMBERS = ("AGEP", "SCHL", "WKHP", "PINCP")
METHODS = (
    ("least", "exact"),
    ("wavelet", "exact"),
    ("moments", "exact"),
    ("decoy", "exact"),
    ("least", "greedy"),
    ("least", "memetic"),
)


@dataclass(frozen=True)
class Task:
    """A file, and the places over which its active duty is distributed."""

    what: str
    folder: str
    files: str
    parameter: tuple[str, ...]
    own_states: bool = False
    """Whether places of work outside the file's states are left out."""


TASKS = (
    Task("Hawaii 2018, place of work", "pums_hi", "*_hi_2018.parquet", ("POWSP", "POWPUMA")),
    Task("Hawaii 2018, residence", "pums_hi", "*_hi_2018.parquet", ("PUMA",)),
    Task("Hawaii 2015, residence", "pums_hi", "*_hi_2015.parquet", ("PUMA",)),
    Task("twelve states, place of work", "pums_2018_states", "*.parquet", ("POWSP", "POWPUMA"), own_states=True),
    Task("twelve states, residence", "pums_2018_states", "*.parquet", ("ST", "PUMA")),
)


def run() -> Iterator[Row]:
    if missing := sorted({task.folder for task in TASKS if not (DATA / task.folder).exists()}):
        print(f"    {' and '.join(missing)} not in {DATA}: not done; set SFUMATO_DATA")
        return
    headings = (
        "places stand out",
        "reshape",
        "swap",
        "moved",
        "at least",
        "records changed",
        "distortion",
        "stand out after",
        "s",
    )
    gone = hidden = 0
    for task in TASKS:
        people, group = _people(task), sf.Group(vital={"MIL": [1]}, parameter=task.parameter)
        signal = group.quantity(people)
        shown = signal.outliers()
        print(
            f"\n{task.what}: {people.records:,} records, {int(signal.values.sum())} on active duty, "
            f"{len(signal)} places\n"
        )
        print(f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}", flush=True)
        for reshape, swap in METHODS:
            told, places, still = _masked(people, group, reshape, swap)
            gone, hidden = gone + places - still, hidden + places
            print(f"| {len(shown.indices)} | {reshape} | {swap} | {told} |", flush=True)
    yield Row("hidden places that stand out no more", gone, "all of them", hidden, "1", gone == hidden, unit="")


def _people(task: Task) -> sf.Microfile:
    columns = ("MIL", "ST", *CATEGORIES, *NUMBERS, *task.parameter)
    files = sorted((DATA / task.folder).glob(task.files))
    frame = pl.concat([pl.read_parquet(file).select(*dict.fromkeys(columns)) for file in files])
    if task.own_states:
        frame = frame.filter(pl.col("POWSP").is_in(frame["ST"].unique().implode()))
    if "ST" not in task.parameter:
        # the state where people live would show whose place of work was exchanged, and such a mask is refused
        frame = frame.drop("ST")
    return sf.Microfile(frame, kinds=dict.fromkeys(CATEGORIES, "categorical"))


def _masked(people: sf.Microfile, group: sf.Group, reshape: str, swap: str) -> tuple[str, int, int]:
    how = {"reshape": reshape, "swap": swap} | ({"level": 1} if reshape == "wavelet" else {})
    settings = sf.GroupMask(group=group, hide="outliers", influential=(*CATEGORIES, *NUMBERS), **how)
    start = time.perf_counter()
    try:
        record = settings.protect(people).private["groups"][0]
    except UnattainableError as error:
        return f"refused: {error.message} | | | | |", 0, 0
    taken = time.perf_counter() - start
    after = record["outliers"]["after"]
    still = sum(place in record["hidden"] for place in after)
    at_least = "" if record["at_least"] is None else f"{record['at_least']}{' (proven)' if record['proven'] else ''}"
    cells = (record["moved"], at_least, record["changed_records"], f"{record['cost']:.2f}", len(after), f"{taken:.1f}")
    return " | ".join(map(str, cells)), len(record["hidden"]), still
