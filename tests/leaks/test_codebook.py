"""A codebook must not list which values occur: it describes labels for all values that an attribute could have.

The attack reads every text of ``codebook.json`` and counts the distinct quasi values of the original among
them. Somebody with only the released table reads the values that stand there as they are, each of at least k records.
"""

from __future__ import annotations

import datetime
import json

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.boxes.new_record_placement import place
from sfumato.errors import SettingError
from sfumato.representations import Sets


def texts(content):
    """Every text of a JSON document, keys included."""
    if isinstance(content, dict):
        return {text for pair in content.items() for part in pair for text in texts(part)}
    if isinstance(content, list):
        return {text for part in content for text in texts(part)}
    return {str(content)}


def read_from_codebook(release, people, name, folder):
    """How many distinct values of the original stand in the codebook, and how many in the released table."""
    values = {str(value) for value in people.series(name).drop_nulls().unique().to_list()}
    release.write(folder)
    told = texts(json.loads((folder / "codebook.json").read_text()))
    labels = set(release.microfile.series(name).drop_nulls().cast(pl.String).to_list())
    return len(values & told), len(values & labels)


@pytest.fixture(scope="module")
def adult(real_data):
    weights = sf.read(real_data("adult/adult_train.csv.gz")).series("fnlwgt")
    frame = pl.DataFrame(
        {
            "number": weights,
            "code": weights.cast(pl.String).str.zfill(7),
            "date": pl.Series([datetime.date(1900, 1, 1) + datetime.timedelta(days=n % 36_500) for n in weights]),
        }
    )
    return sf.Microfile(frame, kinds={"code": "categorical"})


# before: every value that occurs stood in the codebook
@pytest.mark.parametrize(
    ("name", "hierarchy", "before"),
    [
        ("number", lambda _: sf.Hierarchy.intervals([1000, 10_000, 100_000]), 21_648),
        ("number", lambda people: sf.Hierarchy.automatic(people, "number"), 21_648),
        ("code", lambda _: sf.Hierarchy.prefixes(7), 21_648),
        ("date", lambda _: sf.Hierarchy.dates(), 16_715),
    ],
    ids=["intervals", "automatic numbers", "prefixes", "dates"],
)
@pytest.mark.parametrize("edges", ["snapped", "tiling"])
def test_nodes_of_adult_are_described_without_their_values(
    adult, name, hierarchy, before, edges, figure, tmp_path, request
):
    boxes = sf.Boxes(quasi=[name], k=10, hierarchies={name: hierarchy(adult)}, edges=edges)
    found, shown = read_from_codebook(boxes.protect(adult.select([name])), adult, name, tmp_path / "out")
    figure(f"values read from the codebook: {request.node.callspec.id}", now=found, baseline=shown, before=before)
    assert found == shown
    # the attack finds values where they are listed
    every = tuple(str(value) for value in adult.series(name).unique().to_list())
    assert len(texts(Sets(members={"*": every}).model_dump(mode="json")) & set(every)) == before


def test_learned_categories_are_listed_only_where_k_records_have_them(real_data, figure, tmp_path):
    people = sf.read(real_data("adult/adult_train.csv.gz")).select(["native-country", "age"])
    counts = people.series("native-country").drop_nulls().value_counts()
    rare = set(counts.filter(pl.col("count") < 20).get_column("native-country").to_list())
    assert len(rare) >= 5
    tree = sf.Hierarchy.automatic(people, "native-country", least=20)
    release = sf.Boxes(quasi=["native-country", "age"], k=20, hierarchies={"native-country": tree}).protect(people)
    release.write(tmp_path / "out")
    told = texts(json.loads((tmp_path / "out" / "codebook.json").read_text()))
    words = {word for text in told for word in text.strip("{}").split(", ")}
    # before: every category was listed, and named by a label
    figure("rare categories read from the codebook (automatic)", now=len(rare & words), baseline=0, before=len(rare))
    assert not rare & words
    assert {"United-States", "Mexico"} <= words
    with pytest.raises(SettingError, match=r"lists .* categories that fewer than k = 50 records have"):
        sf.Boxes(quasi=["native-country"], k=50, hierarchies={"native-country": tree}).protect(people)


DECLARED = {f"{first}{last}": (f"{first}*", "**") for first in "ABC" for last in "0123456789"}


@pytest.mark.parametrize("edges", ["snapped", "tiling"])
def test_declared_values_are_listed_whether_they_occur_or_not(edges, figure, tmp_path):
    rng = np.random.default_rng(3)
    occur = [code for code in DECLARED if code[1] not in "13579"]
    people = sf.Microfile(pl.DataFrame({"code": rng.choice(occur, 400), "age": rng.integers(20, 60, 400)}))
    boxes = sf.Boxes(quasi=["code", "age"], k=8, hierarchies={"code": sf.Hierarchy.from_mapping(DECLARED)}, edges=edges)
    release = boxes.protect(people)
    members = release.codebook.attributes["code"].form.members
    several = [set(its) for its in members.values() if len(its) > 1]
    assert several
    # somebody who sees a list should not learn which of its values occur
    listed = set().union(*several)
    absent = sum(code not in occur for code in listed)
    before = {"snapped": 15, "tiling": 0}[edges]
    figure(f"values listed that do not occur (declared, {edges})", now=absent, baseline=len(listed) / 2, before=before)
    assert absent >= len(listed) / 3
    if edges == "snapped":
        for label, its in members.items():
            behind = {code for code, path in DECLARED.items() if label in (code, *path)}
            assert set(its) == behind
    else:
        # every declared value belongs to a cell of its own, so that newcomers can be placed
        newcomers = pl.DataFrame({"code": list(DECLARED), "age": [40] * len(DECLARED)})
        assert place(release, newcomers).records == len(DECLARED)


def test_ordinal_ranges_list_the_declared_categories_between():
    grades = list("ABCDEFGH")
    people = pl.DataFrame({"grade": ["A", "C", "F", "H"] * 30})
    release = sf.Boxes(quasi=["grade"], k=60).protect(sf.Microfile(people, kinds={"grade": grades}))
    for label, its in release.codebook.attributes["grade"].form.members.items():
        first, _, last = label.partition(" to ")
        assert list(its) == grades[grades.index(first) : grades.index(last or first) + 1]
