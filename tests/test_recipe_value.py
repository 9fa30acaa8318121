"""A recipe is a value: it can be compared, pickled, changed, and written as it was read."""

from __future__ import annotations

import pickle

import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError
from sfumato.recipe import Recipe

TEXT = """# who made this, and why
seed = 3  # for the demonstration

[microfile]
path = "people.csv"
identifiers = ["name"]  # never

[[protect]]
method = "boxes"
quasi = [
    "age",  # known from the register
    "sex",
]
k = 5  # enough?
"""
BOXES = {"protect": [{"method": "boxes", "quasi": ["age"], "k": 5}]}


@pytest.fixture
def people():
    return pl.DataFrame({"name": [f"n{n}" for n in range(60)], "age": list(range(60)), "sex": ["f", "m"] * 30})


@pytest.fixture
def path(tmp_path, people):
    people.write_csv(tmp_path / "people.csv")
    (tmp_path / "recipe.toml").write_text(TEXT)
    return tmp_path / "recipe.toml"


def test_what_is_written_is_read_again(path):
    recipe = Recipe.from_toml(path)
    assert recipe.to_toml() == TEXT
    again = Recipe.from_dict(recipe.to_dict(), folder=path.parent)
    assert again == recipe
    assert (path.parent / "again.toml").write_text(again.to_toml())
    assert Recipe.from_toml(path.parent / "again.toml") == recipe
    assert again != Recipe.from_dict(recipe.to_dict() | {"seed": 4}, folder=path.parent)


def test_recipes_can_be_pickled(path):
    recipe = Recipe.from_toml(path)
    again = pickle.loads(pickle.dumps(recipe))
    assert again == recipe
    assert hash(again) == hash(recipe)
    assert again.to_toml() == TEXT


def test_a_changed_recipe_keeps_its_comments(path):
    recipe = Recipe.from_toml(path)
    tables = recipe.to_dict()
    tables["protect"][0]["k"] = 6
    tables["protect"][0]["quasi"].append("name")
    tables["microfile"]["identifiers"] = []
    changed = recipe.changed(tables)
    new_text = TEXT.replace("k = 5", "k = 6").replace('    "sex",\n', '    "sex",\n    "name",\n')
    assert changed.to_toml() == new_text.replace('["name"]', "[]")
    assert recipe.to_toml() == TEXT
    assert changed.protections[0].k == 6
    tables["protect"][0]["k"] = 0
    with pytest.raises(SettingError) as wrong:
        recipe.changed(tables)
    assert (wrong.value.line, wrong.value.setting) == (15, ("protect", 0, "k"))


def test_what_was_given_is_not_changed_later(path):
    recipe = Recipe.from_toml(path)
    recipe.to_dict()["protect"][0]["k"] = 7
    assert recipe.to_dict()["protect"][0]["k"] == 5


def test_a_recipe_protects_a_frame(people):
    recipe = sf.Recipe.from_dict(BOXES | {"microfile": {"identifiers": ["name"]}}, microfile=people)
    release = recipe.run()
    assert release.audit().k >= 5
    assert "name" not in release.table.columns
    assert recipe == sf.Recipe.from_dict(recipe.to_dict())
    assert sf.Recipe.from_dict(BOXES, microfile=sf.Microfile(people)).read().records == 60
    with pytest.raises(SettingError, match="a DataFrame cannot be written in TOML"):
        recipe.to_toml()


@pytest.mark.parametrize(
    ("tables", "message", "setting"),
    [
        ({"protect": [{"method": "boxes", "quasi": "age", "kk": 5}]}, "'protect[0].kk'", ("protect", 0, "kk")),
        ({"protect": [{"method": "boxes", "quasi": "age"}]}, "'protect[0].k' is missing", ("protect", 0, "k")),
        ({"protect": {"method": "boxes"}}, "setting 'protect': write [[protect]]", ("protect",)),
        (BOXES | {"microfile": {"path": "no.csv"}}, "'microfile.path': file ", ("microfile", "path")),
    ],
)
def test_errors_without_a_file_name_the_setting(tables, message, setting, people):
    frame = None if "microfile" in tables else people
    with pytest.raises(SettingError) as wrong:
        Recipe.from_dict(tables, microfile=frame)
    assert message in wrong.value.message
    assert (wrong.value.setting, wrong.value.file, wrong.value.line) == (setting, None, None)


def test_errors_of_a_run_name_the_entry(people):
    recipe = Recipe.from_dict({"protect": [{"method": "boxes", "quasi": ["age", "sxe"], "k": 5}]}, microfile=people)
    with pytest.raises(SettingError, match=r"^protect\[0\]: .*unknown column 'sxe'") as wrong:
        recipe.run()
    assert (wrong.value.setting, wrong.value.column) == (("protect", 0, "quasi", 1), "sxe")
