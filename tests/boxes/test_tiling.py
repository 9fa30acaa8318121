from __future__ import annotations

import tracemalloc

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.boxes.axes import as_rows, axes_of
from sfumato.boxes.box_runs import Subdivision
from sfumato.boxes.missingness_strata import Strata
from sfumato.boxes.tiling import cells_of
from sfumato.kernels.boxes.boxes_to_tiles import roundest
from tests.boxes.tables import GRADES, files, hierarchies, microfile, quasi_of

JOBS = ["a", "b, c", "{d}", "e"]


def cells(release):
    """The distinct boxes, as one row each."""
    columns = [column for name in release.promise.quasi for column in release.codebook.columns()[name]]
    return pl.DataFrame([release.microfile.series(column) for column in columns]).unique(maintain_order=True)


def points(rng, release, table, count):
    """Random points of the space: numbers between the outermost edges, categories that occur."""
    found = {}
    for name in release.promise.quasi:
        form = release.codebook.attributes[name].form
        if form.form == "interval":
            low, high = (table[column].to_physical().drop_nulls().cast(float) for column in form.columns(name))
            values = rng.uniform(low.min(), high.max(), count)
            found[name] = np.floor(values) if table[f"{name}.lo"].dtype == pl.Date else values
        else:
            found[name] = rng.choice(sorted({value for its in form.members.values() for value in its}), count)
    return found


def holding(release, table, place):
    """How many cells of each stratum hold a point, the lower ends included."""
    held = {}
    for row in table.iter_rows(named=True):
        missing, inside = [], True
        for name, value in place.items():
            form = release.codebook.attributes[name].form
            first = row[form.columns(name)[0]]
            missing.append(first is None)
            if first is None:
                continue
            if form.form == "interval":
                low, high = (pl.Series([row[column]]).to_physical()[0] for column in form.columns(name))
                inside &= low <= value < high
            else:
                inside &= value in form.members[first]
        held[tuple(missing)] = held.get(tuple(missing), 0) + inside
    return held


@settings(max_examples=40)
@given(file=files, k=st.integers(2, 8), seed=st.integers(0, 99))
def test_every_point_lies_in_one_cell(file, k, seed):
    quasi = quasi_of(file)
    try:
        release = sf.Boxes(quasi=quasi, k=k, edges="tiling", hierarchies=hierarchies(quasi)).protect(file)
    except sf.errors.UnattainableError:
        return
    table = cells(release)
    drawn = points(np.random.default_rng(seed), release, table, 12)
    for at in range(12):
        held = holding(release, table, {name: its[at] for name, its in drawn.items()})
        assert set(held.values()) == {1}


@settings(max_examples=30)
@given(file=files, k=st.integers(2, 8))
def test_every_record_lies_in_its_own_cell(file, k):
    quasi = [name for name in quasi_of(file) if name in ("age", "income")]
    if not quasi:
        return
    try:
        release = sf.Boxes(quasi=quasi, k=k, edges="tiling").protect(file)
    except sf.errors.UnattainableError:
        return
    for name in quasi:
        values = file.numbers(name)
        low, high = (release.microfile.numbers(f"{name}.{end}") for end in ("lo", "hi"))
        inside = (low <= values) & (values < high)
        assert inside[~np.isnan(low)].all()
        assert release.microfile.series(f"{name}.lo").dtype == release.microfile.series(f"{name}.hi").dtype


def test_whole_numbers_are_cut_at_whole_numbers():
    file = pl.DataFrame({"x": [0, 1, 2, 3, 4, 5, 6, 7, 8, 10] * 6})
    release = sf.Boxes(quasi="x", k=5, edges="tiling").protect(file)
    assert release.table.schema == {"x.lo": pl.Int64, "x.hi": pl.Int64}
    assert release.table["x.lo"].min() == 0
    assert release.table["x.hi"].max() > 10


def test_categories_that_a_file_lacks_belong_to_some_cell():
    file = microfile(0, 60, kinds=("job", "grade"))
    release = sf.Boxes(quasi=["job", "grade"], k=10, edges="tiling").protect(file)
    table = cells(release)
    for job in JOBS:
        for grade in GRADES:
            assert set(holding(release, table, {"job": job, "grade": grade}).values()) == {1}


@pytest.mark.parametrize(
    ("below", "above", "cut"),
    [
        (3, 4, 4),
        (17.2, 18.9, 18),
        (64, 66, 65),
        (-0.5, 0.7, 0),
        (123.4, 987.1, 500),
        (-7.3, -6.9, -7),
        (0.12, 0.13, 0.13),
    ],
)
def test_cuts_have_few_digits(below, above, cut):
    assert roundest(below, above) == pytest.approx(cut)


@given(st.floats(-1e9, 1e9), st.floats(1e-9, 1e9))
def test_a_cut_lies_above_the_left_side_and_not_above_the_right(below, width):
    above = below + width
    if above > below:
        assert below < roundest(below, above) <= above


def test_many_records_that_tie_are_tiled_with_care(monkeypatch):
    """A hurry would not keep the order of the cuts, from which cells are made."""
    monkeypatch.setattr("sfumato.boxes.cut_engine.QUICK", 1000)
    rng = np.random.default_rng(1)
    file = pl.DataFrame({"age": rng.integers(0, 95, 6000), "z": rng.normal(size=6000)})
    file = file.with_columns(age=pl.when(pl.col("z") > 1.5).then(None).otherwise("age"))
    release = sf.Boxes(quasi=["age", "z"], k=10, edges="tiling").protect(file)
    table = cells(release)
    assert len(table) > 300
    for place in ({"age": 40.3, "z": 0.1}, {"age": 3.0, "z": -1.0}, {"age": 90.2, "z": 0.7}):
        assert set(holding(release, table, place).values()) == {1}


@pytest.mark.parametrize("parted", [False, True])
def test_memory_does_not_grow_with_boxes_times_categories(parted):
    """20,000 boxes and 20,000 categories are 50 MB of bits; neither sets that all share nor many small ones are."""
    n_boxes, n_categories = 20_000, 20_000
    rng = np.random.default_rng(0)
    names = np.array([f"v{place:05}" for place in range(n_categories)])
    numbers = np.arange(5 * n_boxes) // 5
    codes = numbers % n_categories if parted else rng.permutation(np.arange(5 * n_boxes) % n_categories)
    file = sf.Microfile(pl.DataFrame({"code": names[codes], "x": np.zeros(5 * n_boxes) if parted else numbers}))
    axes = axes_of(file, ["code", "x"], {}, tiling=True)
    places = as_rows([axis.coordinates for axis in axes])
    boxes = Subdivision(np.arange(5 * n_boxes), np.arange(5, 5 * n_boxes + 1, 5))
    ends = boxes.summary(places, np.ones_like(places), 1)
    tracemalloc.start()
    cells = cells_of(axes, Strata.of(axes), boxes, ends)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    sets, of = cells.sets["code"]
    assert len(sets) == (n_boxes if parted else 1)
    assert np.bincount(sets.categories, minlength=n_categories).tolist() == [1] * n_categories
    assert sets.categories.nbytes + sets.ends.nbytes + of.nbytes < 2**20
    assert peak < 30 * 2**20
