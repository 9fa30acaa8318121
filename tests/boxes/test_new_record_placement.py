from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.boxes.new_record_placement import place
from sfumato.datasets import health_survey
from sfumato.errors import MicrofileError, ReleaseError, SfumatoError
from tests.boxes.tables import files, hierarchies, quasi_of

QUASI = ("age", "hours", "region", "education")


@pytest.fixture(scope="module")
def release():
    return sf.Boxes(quasi=QUASI, k=10, edges="tiling", preserve=["mean(age)"]).protect(health_survey(2000))


def columns(table):
    names = [name for name in table.names if name.split(".")[0] in QUASI]
    return pl.DataFrame([table.series(name) for name in names])


def test_records_of_the_file_are_placed_in_their_own_boxes(release):
    placed = place(release, health_survey(2000))
    assert columns(placed).equals(columns(release.microfile))


def test_new_records_lie_in_the_boxes_they_get(release):
    newcomers = health_survey(300, seed=9)
    placed = place(release, newcomers)
    age = newcomers.numbers("age")
    assert ((placed.numbers("age.lo") <= age) & (age <= placed.numbers("age.hi"))).all()
    members = release.codebook.attributes["region"].form.members
    regions = zip(placed.series("region").to_list(), newcomers.series("region").to_list(), strict=True)
    assert all(region in members[box] for box, region in regions)
    known = set(columns(release.microfile).rows())
    assert set(columns(placed).rows()) <= known


def test_records_outside_are_counted(release):
    newcomers = health_survey(50).with_columns({"age": pl.Series([1000] * 3 + [30] * 47)})
    with pytest.raises(MicrofileError, match=r"3 records are outside"):
        place(release, newcomers)


def test_boxes_that_do_not_tile_take_no_one():
    release = sf.Boxes(quasi=["age"], k=10).protect(health_survey(200))
    with pytest.raises(ReleaseError, match=r"do not cover the space"):
        place(release, health_survey(10))


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("again", [False, True])
def test_moments_are_placed_in_their_own_boxes_whatever_their_unit(unit, again, tmp_path):
    days = np.random.default_rng(0).integers(0, 20_000, 200)
    file = pl.DataFrame({"born": pl.Series(days).cast(pl.Int32).cast(pl.Date).cast(pl.Datetime(unit))})
    release = sf.Boxes(quasi="born", k=5, edges="tiling").protect(file)
    own = release.table
    if again:
        # a written release tells microseconds
        release = sf.open_release(release.write(tmp_path / "out", order="kept"))
    placed = place(release, file).frame
    assert placed.cast(pl.Datetime("us")).equals(own.cast(pl.Datetime("us")))


def test_large_whole_numbers_are_placed_in_their_own_boxes():
    file = pl.DataFrame({"x": 2**60 + np.random.default_rng(0).integers(0, 3000, 200)})
    release = sf.Boxes(quasi="x", k=5, edges="tiling").protect(file)
    assert place(release, file).frame.equals(release.table)


@settings(max_examples=40)
@given(file=files, k=st.integers(2, 8), nested=st.booleans())
def test_every_record_of_the_file_gets_its_own_box_unless_it_lost_a_value(file, k, nested):
    quasi = quasi_of(file)
    try:
        known = hierarchies(quasi) if nested else {}
        release = sf.Boxes(quasi=quasi, k=k, edges="tiling", hierarchies=known).protect(file)
    except SfumatoError:
        return
    names = [column for name in quasi for column in release.codebook.columns()[name]]
    own, placed = (
        pl.DataFrame([table.series(name) for name in names]) for table in (release.microfile, place(release, file))
    )
    lost = np.zeros(file.records, dtype=bool)
    for name in quasi:
        column = release.codebook.columns()[name][0]
        lost |= (release.microfile.series(column).is_null() & file.series(name).is_not_null()).to_numpy()
    assert placed.filter(~lost).equals(own.filter(~lost))


def test_cells_whose_nodes_share_a_label_stay_apart():
    paths = {f"{area}{number}": ("other", area, "*") for area in "ab" for number in range(4)}
    rng = np.random.default_rng(0)
    file = pl.DataFrame({"town": rng.choice(list(paths), 80), "age": rng.integers(20, 60, 80)})
    towns = sf.Hierarchy.from_mapping(paths)
    release = sf.Boxes(quasi=["town", "age"], k=20, edges="tiling", hierarchies={"town": towns}).protect(file)
    members = release.codebook.attributes["town"].form.members
    boxes = release.table.unique().rows(named=True)
    for one in boxes:
        for other in boxes:
            apart = one["age.hi"] <= other["age.lo"] or other["age.hi"] <= one["age.lo"]
            assert one == other or apart or not set(members[one["town"]]) & set(members[other["town"]])
