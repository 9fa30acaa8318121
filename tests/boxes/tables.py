"""Small random microfiles of mixed kinds, and what a box must keep, taken literally."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
from hypothesis import strategies as st

import sfumato as sf
from sfumato.microfile.hierarchy import Hierarchy

PLACES = {f"t{town}": (f"r{town // 2}", "*") for town in range(6)}
GRADES = ["low", "middle", "high", "top"]
QUASI = ("age", "income", "grade", "town", "job", "born")


def microfile(seed: int, records: int, *, lacking: float = 0.0, kinds=QUASI) -> sf.Microfile:
    """Make a file whose quasi attributes are of the given kinds; some share of their values is missing."""
    rng = np.random.default_rng(seed)
    days = rng.integers(0, 20_000, records).tolist()
    columns = {
        # ties, and a heap at 40
        "age": np.where(rng.random(records) < 0.3, 40, rng.integers(18, 80, records)),
        "income": np.exp(rng.normal(10, 1, records)),
        "grade": rng.choice(GRADES, records, p=[0.5, 0.3, 0.15, 0.05]),
        "town": rng.choice(list(PLACES), records),
        "job": rng.choice(["a", "b, c", "{d}", "e"], records),
        "born": [datetime.date(1950, 1, 1) + datetime.timedelta(days=day) for day in days],
    }
    frame = pl.DataFrame({name: columns[name] for name in kinds})
    gone = rng.random((len(kinds), records)) < lacking
    gone[:, :2] = False
    frame = frame.with_columns(
        pl.when(pl.Series(gone[row])).then(None).otherwise(pl.col(name)).alias(name) for row, name in enumerate(kinds)
    )
    frame = frame.with_columns(
        number=np.arange(records),
        ill=pl.Series(rng.choice(["x", "y", "z"], records)),
        debt=pl.Series(rng.integers(0, 6, records)),
        home=pl.Series(np.arange(records) // 2),
        weight=pl.Series(rng.uniform(0, 5, records) + (np.arange(records) == 0)),
    )
    return sf.Microfile(frame, kinds={"grade": GRADES} if "grade" in kinds else {})


def hierarchies(kinds) -> dict[str, Hierarchy]:
    return {"town": Hierarchy.from_mapping(PLACES)} if "town" in kinds else {}


files = st.builds(
    microfile,
    st.integers(0, 10_000),
    st.integers(10, 300),
    lacking=st.sampled_from([0.0, 0.0, 0.1, 0.4]),
    kinds=st.lists(st.sampled_from(QUASI), min_size=1, max_size=4, unique=True).map(tuple),
)


def quasi_of(file: sf.Microfile) -> list[str]:
    return [name for name in file.names if name in QUASI]


def blocks(release: sf.Release) -> list[list[int]]:
    """The places of the records that look alike."""
    columns = [column for name in release.promise.quasi for column in release.codebook.columns()[name]]
    table = pl.DataFrame([release.microfile.series(column) for column in columns]).with_row_index("place")
    return table.group_by(columns, maintain_order=True).agg("place").get_column("place").to_list()


def outside(file: sf.Microfile, release: sf.Release, kept=None) -> list[str]:
    """The attributes of which some original value lies outside its box."""
    kept = np.arange(file.records) if kept is None else kept
    found = []
    for name in release.promise.quasi:
        original, form = file.series(name).gather(kept), release.codebook.attributes[name].form
        if form.form == "interval":
            low, high = (release.microfile.series(column) for column in form.columns(name))
            inside = ((low <= original) & (original <= high)).fill_null(True)
            fits = bool(inside.all()) and bool((low.is_null() == high.is_null()).all())
            missing = low.is_null()
        else:
            labels = release.microfile.series(name).to_list()
            pairs = zip(original.cast(pl.String).to_list(), labels, strict=True)
            fits = all(label is None or value is None or value in form.members[label] for value, label in pairs)
            missing = release.microfile.series(name).is_null()
        # what was missing stays missing; what was not may be lost where records were merged
        if not fits or bool((original.is_null() & ~missing).any()):
            found.append(name)
    return found
