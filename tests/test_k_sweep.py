from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.comparison import Refusal
from sfumato.datasets import health_survey
from sfumato.errors import SettingError, UnattainableError
from sfumato.k_sweep import Price, check_others, other_k
from sfumato.measures import detail_of, information_loss
from sfumato.recipe import Recipe
from tests.recipes import group_recipe

BOXES = sf.Boxes(quasi=["age", "sex", "hours"], sensitive="illness", k=10, l=3, preserve=["mean(age)"], seed=0)


@pytest.fixture(scope="module")
def people():
    return health_survey(600)


def test_each_k_is_measured_as_its_own_release(people):
    found = other_k(BOXES, people, [5, 40])
    assert [(one.k, one.released) for one in found] == [(5, False), (10, True), (40, False)]
    for one in found:
        release = BOXES.changed(k=one.k).protect(people)
        forms = {name: entry.form for name, entry in release.codebook.attributes.items()}
        audit = release.audit()
        assert (one.result.k, one.result.rate) == (audit.k, audit.risk["rate"])
        assert one.result.detail == detail_of(release.microfile, quasi=BOXES.quasi, forms=forms).mean
        loss = information_loss(people, release.microfile, quasi=["age", "hours"], forms=forms).mean
        assert one.result.loss == loss
        assert one.result.widths == {"mean(age)": release.estimate("mean(age)").width}
    prices = [one.result for one in found]
    assert sorted(prices, key=lambda its: -its.rate) == sorted(prices, key=lambda its: its.detail) == prices


def test_a_k_that_cannot_be_kept_is_told(people):
    found = {one.k: one for one in other_k(BOXES, people, [601])}
    assert isinstance(found[601].result, Refusal)
    assert "601" in found[601].result.message
    assert found[601].summary()["refused"]["message"] == found[601].result.message
    json.dumps([one.summary() for one in found.values()], allow_nan=False)
    # but what is wrong with the protection itself is an error
    with pytest.raises(UnattainableError):
        other_k(BOXES.changed(k=601), people, [5])


def test_fuzzy_sets_and_records_left_out(people):
    fuzzy = sf.FuzzyPartition(quasi=["age", "hours"], k=5, seed=0)
    found = other_k(fuzzy, people, [3])
    assert all(isinstance(one.result, Price) and one.result.loss is not None for one in found)
    assert found[0].result.widths == {}
    categories = sf.Boxes(quasi=["sex", "illness"], k=5)
    assert other_k(categories, people, [])[0].result.loss is None


def test_what_is_no_k(people):
    for wrong in ([1], [0], [2.5]):
        with pytest.raises(SettingError, match="whole numbers of 2 or more"):
            check_others(wrong)


INDIVIDUAL = 'quasi = ["age"]\nk = 5\npreserve = ["mean(age)"]'


@pytest.fixture
def recipe(tmp_path):
    soldiers = {f"t{n}": 30 if n == 3 else 2 + n % 3 for n in range(10)}
    rows = [
        (area, "army" if place < army else "other", 20 + place % 60)
        for area, army in soldiers.items()
        for place in range(90)
    ]
    pl.DataFrame(rows, schema=["area", "work", "age"], orient="row").write_csv(tmp_path / "people.csv")

    def read(boxes):
        (tmp_path / "r.toml").write_text(group_recipe("t3", boxes=boxes, seed=1))
        return Recipe.from_toml(tmp_path / "r.toml")

    return read


def test_a_recipe_masks_its_groups_once(recipe, tmp_path):
    tasks = []
    release = recipe(INDIVIDUAL).run(alternatives=[3, 20], progress=lambda task, share: tasks.append(task))
    plain = recipe(INDIVIDUAL).run()
    told = release.private["alternatives"]
    assert [(one["k"], one["released"]) for one in told] == [(3, False), (5, True), (20, False)]
    assert release.table.to_dict(as_series=False) == plain.table.to_dict(as_series=False)
    assert release.private["groups"] == plain.private["groups"]
    assert "alternatives" not in plain.private
    assert {task.partition(":")[0] for task in tasks} >= {"k = 3", "k = 20"}
    # nothing of it leaves
    folder = release.write(tmp_path / "out")
    assert all(b"alternatives" not in file.read_bytes() for file in folder.iterdir())


def test_without_a_protection_of_single_people_there_is_no_k(recipe):
    with pytest.raises(SettingError, match="it has no k to change"):
        recipe(boxes="").run(alternatives=[3])


def test_numbers_with_a_hierarchy_have_a_price_too():
    rng = np.random.default_rng(1)
    people = pl.DataFrame({"age": rng.integers(20, 60, 300), "hours": rng.integers(0, 60, 300)})
    boxes = sf.Boxes(quasi=["age", "hours"], k=5, hierarchies={"age": sf.Hierarchy.intervals([5, 10, 20])})
    found = other_k(boxes, people, [10])
    assert [one.k for one in found] == [5, 10]
    losses = [one.result.loss for one in found]
    assert 0 < losses[0] < losses[1] < 1
