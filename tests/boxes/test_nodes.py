"""Nodes that a codebook describes without listing values: whatever needs their values works from the description."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.release_columns import _labelled
from sfumato.measures import detail_of, intersect_households
from sfumato.measures.utility import utility_of
from sfumato.microfile.generalization_rules import Dates, Intervals, Prefixes
from sfumato.representations import Sets

RECORDS = 600


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "age": rng.integers(20, 40, RECORDS),
            "zip": [f"{code:05}" for code in rng.integers(0, 400, RECORDS)],
            "born": [
                datetime.date(1980, 1, 1) + datetime.timedelta(days=int(day)) for day in rng.integers(0, 3000, RECORDS)
            ],
            "ill": rng.choice(["a", "b"], RECORDS),
        }
    )
    return sf.Microfile(frame, kinds={"zip": "categorical"})


TREES = {
    "age": sf.Hierarchy.intervals([5, 20], origin=0),
    "zip": sf.Hierarchy.prefixes(5),
    "born": sf.Hierarchy.dates(),
}


@pytest.fixture(scope="module")
def release(people):
    return sf.Boxes(quasi=["age", "zip", "born"], k=5, hierarchies=TREES).protect(people)


def test_the_codebook_has_the_description_and_survives_writing(people, release, tmp_path):
    release.write(tmp_path / "out")
    again = sf.open_release(tmp_path / "out")
    assert again.codebook == release.codebook
    assert [again.codebook.attributes[name].form.nodes.kind for name in TREES] == ["intervals", "prefixes", "dates"]
    assert again.audit().holds


def test_every_record_lies_behind_its_label(people, release):
    for name in TREES:
        form = release.codebook.attributes[name].form
        values = people.series(name).to_list()
        behind = {label: set(places) for label, places in form.behind(values).items()}
        labels = release.microfile.series(name).to_list()
        assert all(place in behind[label] for place, label in enumerate(labels))
        # and not everything lies behind every label
        assert min(map(len, behind.values())) < RECORDS


def test_an_outside_file_finds_records_among_at_least_k(people, release):
    found = sf.Linkage(on=list(TREES), methods=["containment"]).attack(release, people, own=range(RECORDS))
    links = found.methods["containment"]
    assert links.among.all()
    assert 5 <= links.sizes.min() < links.sizes.max() <= RECORDS


def test_numbers_behind_intervals_have_guaranteed_ranges(people):
    tree = sf.Hierarchy.intervals([2, 10, 20])
    release = sf.Boxes(quasi=["age", "zip"], k=5, hierarchies={"age": tree, "zip": TREES["zip"]}).protect(people)
    labels = set(release.microfile.series("age").to_list())
    if "*" in labels:
        pytest.fail("the case needs boxes within intervals")
    found = release.estimate("mean(age)")
    assert found.guaranteed
    assert found.lower <= people.numbers("age").mean() <= found.upper
    assert found.upper - found.lower < 10


def test_lost_detail_is_a_share_of_widths_or_levels():
    table = pl.DataFrame({"x": ["[0, 5)", "[0, 10)", "7", "*"]})
    form = Sets(members={label: (label,) for label in table["x"]}, nodes=Intervals(widths=(5, 10)))
    assert detail_of(table, quasi=["x"], forms={"x": form}).attributes["x"].tolist() == [0.5, 1.0, 0.0, 1.0]
    table = pl.DataFrame({"x": ["021*", "02**", "0213", "****"]})
    form = Sets(members={label: (label,) for label in table["x"]}, nodes=Prefixes(length=4))
    assert detail_of(table, quasi=["x"], forms={"x": form}).attributes["x"].tolist() == [0.25, 0.5, 0.0, 1.0]


def test_the_steward_counts_the_values_behind_nodes():
    original = pl.DataFrame({"x": ["0211", "0212", "0221", "0300"]})
    table = pl.DataFrame({"x": ["02**", "02**", "02**", "0300"]})
    form = Sets(members={label: (label,) for label in ("02**", "0300")}, nodes=Prefixes(length=4))
    assert utility_of(original, table, quasi=["x"], forms={"x": form}).penalties["x"] == pytest.approx(3 * 0.75 / 4)


def test_nodes_are_laid_upon_each_other():
    table = sf.Microfile(
        pl.DataFrame({"home": [1, 1, 2, 2, 3, 3], "born": ["1980s", "1987", "1987", "1987-05", "1987", "1986"]})
    )
    members = {label: (label,) for label in ("1980s", "1986", "1987", "1987-05")}
    laid = intersect_households(table, ["born"], {"born": Sets(members=members, nodes=Dates())}, household="home")
    assert laid.contradicted == 1
    assert laid.sharpened >= 2
    numbers = laid.blocks.numbers.tolist()
    assert numbers[0] == numbers[1] != numbers[2] == numbers[3]


def test_sets_that_share_a_label_are_released_as_one():
    described = [("north", ("a", "b")), ("south", ("c",)), ("north", ("b", "d")), ("never", ("e",))]
    column = _labelled("x", described, np.array([0, 1, 2]), np.zeros(3, dtype=np.bool_))
    assert column.series[0].to_list() == ["north", "south", "north"]
    # what stands in no box does not leave
    assert column.form.members == {"north": ("a", "b", "d"), "south": ("c",)}


def test_equal_labels_under_different_parents_are_one_set():
    paths = {"a1": ("other", "A", "*"), "a2": ("x", "A", "*"), "b1": ("other", "B", "*"), "b2": ("y", "B", "*")}
    codes = ["a1"] * 6 + ["b1"] * 6 + ["a2"] * 3 + ["b2"] * 3
    people = pl.DataFrame({"code": codes + ["a1", "a3", "b1", "b3"] * 2})
    paths |= {"a3": ("other", "A", "*"), "b3": ("other", "B", "*")}
    release = sf.Boxes(quasi=["code"], k=6, hierarchies={"code": sf.Hierarchy.from_mapping(paths)}).protect(people)
    form = release.codebook.attributes["code"].form
    for label, its in form.members.items():
        assert set(its) == {value for value, path in paths.items() if label in (value, *path)}
    values = people["code"].to_list()
    behind = {label: {values[place] for place in places} for label, places in form.behind(values).items()}
    assert all(value in behind[label] for value, label in zip(values, release.table["code"].to_list(), strict=True))


def test_what_codes_mean_leaves_with_the_sets_that_they_are_behind():
    frame = pl.DataFrame({"way": [1] * 10 + [2] * 10 + [3] * 10})
    labels = {1: "walks", 2: "cycles", 3: "drives", 4: "flies"}
    people = sf.Microfile(frame, kinds={"way": "categorical"}, labels={"way": labels})
    release = sf.Boxes(quasi=["way"], k=10).protect(people)
    assert release.codebook.attributes["way"].labels == {"1": "walks", "2": "cycles", "3": "drives"}
    # a code that no released label stands for does not leave, be it that the file has it
    some = sf.Boxes(quasi=["way"], k=5).protect(people.filter(frame["way"].to_numpy() < 3))
    assert "3" not in some.codebook.attributes["way"].labels
