from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.placing import place
from sfumato.datasets import health_survey
from sfumato.errors import MicrofileError, ReleaseError

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


def test_what_lies_outside_is_counted(release):
    newcomers = health_survey(50).with_columns({"age": pl.Series([1000] * 3 + [30] * 47)})
    with pytest.raises(MicrofileError, match=r"3 records lie outside"):
        place(release, newcomers)


def test_boxes_that_do_not_tile_take_no_one():
    release = sf.Boxes(quasi=["age"], k=10).protect(health_survey(200))
    with pytest.raises(ReleaseError, match=r"do not cover the space"):
        place(release, health_survey(10))
