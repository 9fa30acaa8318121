"""Linkage of large files: containment in boxes beside a table of all pairs, nearest records beside scipy's tree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from scipy.spatial import cKDTree

from benchmarks.timing import Row, in_turns
from sfumato.array_types import Counts, Reals
from sfumato.attacks.linkage import Linkage
from sfumato.boxes import Boxes
from sfumato.release import Release

RECORDS = 300_000
FEWER = 1_000
"""Outside records whose pairs plain numpy looks at; its time is taken times as many more as there are."""
QUASI = ("age", "hours", "income")


def run() -> Iterator[Row]:
    people = _people(RECORDS, seed=1)
    release = Boxes(quasi=QUASI, k=10).protect(people)
    yield from _containment(release, people)
    yield from _nearest(people, _people(RECORDS, seed=2))


def _people(records: int, *, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    age, hours = rng.gamma(9.0, 5.0, records), rng.normal(38.0, 9.0, records)
    return pl.DataFrame(
        {"age": age, "hours": hours, "income": np.exp(0.01 * age + 0.02 * hours + rng.normal(9, 0.5, records))}
    )


def _containment(release: Release, people: pl.DataFrame) -> Iterator[Row]:
    table = release.microfile.frame
    ends = [np.column_stack([table[f"{name}.{end}"].to_numpy() for name in QUASI]) for end in ("lo", "hi")]
    boxes, sizes = np.unique(np.hstack(ends), axis=0, return_counts=True)
    points = people.select(QUASI).to_numpy()
    settings = Linkage(methods=("containment",), truth="order")
    found = settings.attack(release, people)["containment"]
    ours, theirs = in_turns(
        lambda: settings.attack(release, people), lambda: _plainly(points[:FEWER], boxes, sizes), rounds=3
    )
    theirs *= RECORDS / FEWER
    same = np.array_equal(found.sizes[:FEWER], _plainly(points[:FEWER], boxes, sizes))
    print(
        f"    {len(boxes):,} boxes; counts the same: {same}; numpy: {FEWER:,} outside records timed, "
        "the rest in proportion"
    )
    print(f"    fewest candidates {found.fewest}, right links expected by lot {found.expected:.3%}")
    what = f"containment of {RECORDS:,} outside records in boxes of {RECORDS:,}"
    yield Row(what, ours, "numpy, all pairs", theirs, "0.05", same and ours <= 0.05 * theirs)


def _plainly(points: Reals, boxes: Reals, sizes: Counts) -> Counts:
    """Count by all pairs."""
    held = np.ones((len(points), len(boxes)), dtype=np.bool_)
    for a in range(points.shape[1]):
        held &= (boxes[:, a] <= points[:, a, None]) & (points[:, a, None] <= boxes[:, points.shape[1] + a])
    return held @ sizes


def _nearest(people: pl.DataFrame, others: pl.DataFrame) -> Iterator[Row]:
    """Find nearest records of a bare table, in the same distance as scipy: a sum of differences by their spans.

    We also count all that are as near, and could take intervals, categories and missing values.
    """
    both = pl.concat([people, others])
    span = (both.max() - both.min()).to_numpy()
    settings = Linkage(methods=("nearest",))

    def peer() -> Counts:
        scaled = [frame.to_numpy() / span for frame in (people, others)]
        found: Counts = cKDTree(scaled[0]).query(scaled[1], p=1, workers=-1)[1]
        return found

    # two can be as near as that costs count as equal
    found = settings.attack(people, others, own=peer())["nearest"]
    print(f"    one nearest for {found.unique:.4%}; scipy's is among them for {found.covered:.4%}")
    ours, theirs = in_turns(lambda: settings.attack(people, others), peer, rounds=3)
    what = f"nearest of {RECORDS:,} records to {RECORDS:,} outside ones"
    yield Row(what, ours, "scipy's cKDTree, on all cores", theirs, "5", found.covered == 1.0 and ours <= 5 * theirs)
