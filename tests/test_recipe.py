from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError, SettingError, UnattainableError
from sfumato.protection_registry import settings_classes
from sfumato.recipe import Recipe
from sfumato.recipe_schema import recipe_schema
from sfumato.sources import FileSource
from sfumato.toml_document import lines_of
from tests.recipes import GOOD, REGIONS, people


def test_a_recipe_becomes_settings(recipe):
    found = Recipe.from_toml(recipe())
    (boxes,) = found.protections
    assert (found.seed, found.source.delimiter, found.source.missing) == (7, ";", {"hours": (-1,)})
    assert (boxes.identifiers, boxes.weight, boxes.seed) == (("name",), "w", 7)
    assert [(one.statistic, one.importance) for one in boxes.preserve] == [("mean(age)", 1), ("corr(age, hours)", 2)]
    assert boxes.hierarchies["region"].path("b2") == ("b", "*")
    assert boxes.prefer["age"].points == (18, 65)


def test_a_recipe_runs(recipe, folder):
    seen = []
    release = Recipe.from_toml(recipe()).run(progress=lambda task, share: seen.append(task))
    assert release.audit().holds
    assert release.audit().k >= 5
    assert {"preparing", "cutting"} <= set(seen)
    columns = release.table.columns
    assert "name" not in columns
    assert {"age.lo", "hours.hi", "born.lo", "region", "school", "ill", "w"} <= set(columns)
    assert release.table["born.lo"].dtype == pl.Date
    assert set(release.table["region"].unique()) <= {*REGIONS, "a", "b", "*"}
    inside = (release.table["age.lo"] <= people()["age"]) & (people()["age"] <= release.table["age.hi"])
    assert inside.all()
    opened = sf.open_release(release.write(folder / "out", seed=7))
    assert opened.audit().holds
    truth = float(np.average(people()["age"], weights=people()["w"]))
    mean = opened.estimate("mean(age)", weight="w")
    assert mean.guaranteed
    assert mean.lower <= truth <= mean.upper


def test_the_same_seed_gives_the_same_release(recipe):
    first, again = (Recipe.from_toml(recipe()).run() for _ in range(2))
    assert first.table.to_dicts() == again.table.to_dicts()
    assert Recipe.from_toml(recipe(), seed=9).protections[0].seed == 9
    assert Recipe.from_toml(recipe(GOOD.replace("k = 5", "k = 5\nseed = 3"))).protections[0].seed == 3
    assert Recipe.from_toml(recipe(GOOD.replace("k = 5", "k = 5\nseed = 3")), seed=9).protections[0].seed == 9


def test_what_an_entry_says_goes_first_but_identifiers_add_up(recipe):
    (boxes,) = Recipe.from_toml(
        recipe(GOOD.replace("k = 5", 'k = 5\nidentifiers = ["ill2", "name"]\nweight = "v"'))
    ).protections
    assert (boxes.identifiers, boxes.weight) == (("name", "ill2"), "v")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "# a recipe",
            "[audit]\noutside = 'x'",
            "line 1: unknown setting 'audit'\nHint: available: seed, mi",
        ),
        ("seed = 7", "sead = 7", "people.toml, line 2: unknown setting 'sead'\nHint: did you mean 'seed'?"),
        ("seed = 7", "seed = -7", "line 2: setting 'seed': input should be greater than or equal to 0 (given: -7)"),
        ("seed = 7", "seed = = 7", "people.toml: the file is not TOML: invalid value (at line 2, column 8)"),
        ("path = ", "paht = ", "unknown setting 'microfile.paht'\nHint: did you mean 'path'?"),
        ('path = "people.csv"', "", "line 4: setting 'microfile.path' is missing"),
        ("people.csv", "poeple.csv", "line 5: setting 'microfile.path': file "),
        ("people.csv", "poeple.csv", "did you mean 'people.csv'?"),
        ("people.csv", "x" * 300, "line 5: setting 'microfile.path': file "),
        ("[microfile]", "[microfile2]", "unknown setting 'microfile2'\nHint: did you mean 'microfile'?"),
        ('["low", "middle", "high"]', '"nominal"', "line 8: setting 'microfile.kinds': 'school' is given as 'nominal'"),
        ("{ hours = [-1] }", "{ hours = [[1]] }", "line 9: setting 'microfile.missing': give a code"),
        ('delimiter = ";"', "delimiter = 5", "line 10: setting 'microfile.delimiter': give a text (given: 5)"),
        ("[[protect]]", "[protect]", "line 12: setting 'protect': write [[protect]] with two brackets"),
        ("seed = 7", "protect = []\n[[x]]", "is not TOML"),
        pytest.param("seed = 7", f"seed = {'[' * 3000}{']' * 3000}", "nested more than 50 deep", id="3,000 lists"),
        pytest.param("seed = 7", f"seed = {'[' * 300}{']' * 300}", "nested more than 50 deep", id="300 lists"),
        pytest.param("seed = 7", f"{'a.' * 2000}a = 7", "nested more than 50 deep", id="2,000 tables"),
        ('method = "boxes"', "", "line 12: setting 'protect[0].method' is missing\nHint: known methods are: boxes"),
        (
            '"boxes"',
            '"swap"',
            "line 13: setting 'protect[0].method' 'swap' is not known\nHint: known methods are: boxes",
        ),
        ("k = 5", "kk = 5", "unknown setting 'protect[0].kk'"),
        ("k = 5", "", "line 12: setting 'protect[0].k' is missing"),
        ("k = 5", "k = 1", "line 16: protect[0]: k = 1 protects nobody"),
        ("k = 5", 'k = "many"', "line 16: setting 'protect[0].k': input should be a valid integer"),
        (
            "k = 5",
            'k = 5\nedgs = "tight"',
            "line 17: unknown setting 'protect[0].edgs'\nHint: did you mean 'edges'?",
        ),
        ("k = 5", 'k = 5\nedges = "loose"', "line 17: setting 'protect[0].edges': input should be 'snapped', 'tight'"),
        ("importance = 2", "importance = 0", "line 18: setting 'protect[0].preserve[1].importance': input should be"),
        ("importance = 2", "weight = 2", "unknown setting 'protect[0].preserve[1].weight'"),
        (
            "age = [18, 65]",
            "age = { point = 1 }",
            "line 22: unknown setting 'protect[0].prefer.age.point'\nHint: did",
        ),
        ("trees/region.csv", "trees/regions.csv", "line 19: setting 'protect[0].hierarchies.region': file "),
        ("trees/region.csv", "trees/regions.csv", "did you mean 'region.csv'?"),
        ('"trees/region.csv"', "3", "setting 'protect[0].hierarchies.region': give the name of a CSV file (given: 3)"),
        ('"trees/region.csv"', '"people.toml"', "setting 'protect[0].hierarchies.region': line"),
        ("l = 2", "l = 2\nidentifiers = 5", "setting 'protect[0].identifiers'"),
    ],
)
def test_wrong_recipes_say_what_is_wrong_and_where(recipe, old, new, message):
    assert old in GOOD
    with pytest.raises(SettingError) as refused:
        Recipe.from_toml(recipe(GOOD.replace(old, new)))
    assert message in str(refused.value)
    assert "SECRET" not in str(refused.value)


def test_a_file_is_divided_into_boxes_once(recipe):
    twice = GOOD + '\n[[protect]]\nmethod = "boxes"\nquasi = "age"\nk = 5\n'
    with pytest.raises(SettingError, match=r"line 24: protect\[1\]: nothing can follow method = 'boxes'"):
        Recipe.from_toml(recipe(twice))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"born"', '"bron"', r"line 14: protect\[0\]: quasi: unknown column 'bron'"),
        ('"mean(age)"', '"mean(ill)"', r"line 18: protect\[0\]: 'ill' is not numeric"),
        ('"mean(age)"', '"mean(v)"', r"line 18: protect\[0\]: unknown attribute 'v'"),
        ("school = [", "schol = [", r"line 8: microfile: kinds: unknown column 'schol'"),
    ],
)
def test_what_does_not_fit_the_file_is_pointed_at(recipe, old, new, message):
    with pytest.raises(SettingError, match=message):
        Recipe.from_toml(recipe(GOOD.replace(old, new, 1))).run()


def test_other_errors_stay_what_they_are(recipe, folder):
    with pytest.raises(UnattainableError, match="k = 401 is larger than the file of 400 records"):
        Recipe.from_toml(recipe(GOOD.replace("k = 5", "k = 401"))).run()
    (folder / "people.csv").write_text("")
    with pytest.raises(MicrofileError, match="the file is empty"):
        Recipe.from_toml(recipe()).run()


def test_recipes_that_cannot_be_read(recipe, tmp_path):
    for path, message in (
        (tmp_path / "no.toml", "does not exist"),
        (tmp_path, "is a folder"),
        (tmp_path / ("x" * 300), "cannot be read"),
    ):
        with pytest.raises(SettingError, match=message):
            Recipe.from_toml(path)
    (tmp_path / "latin.toml").write_bytes("a = 'ä'".encode("latin-1"))
    with pytest.raises(SettingError, match="not written in UTF-8"):
        Recipe.from_toml(tmp_path / "latin.toml")
    (tmp_path / "windows.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert Recipe.from_toml(tmp_path / "windows.toml").content.document.lines["protect", 0, "k"] == 16


def test_lines_are_found_in_any_toml():
    text = (
        "# [x]\n'a b'.\"c\\u0064\" = 2\n"
        '[t]\nlong = """\n[y]\nk = 1\n""" # ]\nlist = [ # ]\n  "]",\n]\n'
        "[[p]]\nk = 5\n[p.q.r]\ns = {a = 1}\n[[p]]\n[p.q]\nr.s = 2\n"
    )
    lines = lines_of(text)
    assert lines["a b", "cd"] == 2
    assert (lines["t", "long"], lines["t", "list"]) == (4, 8)
    assert (lines["p", 0], lines["p", 0, "k"], lines["p", 0, "q", "r", "s"]) == (11, 12, 14)
    assert (lines["p", 1], lines["p", 1, "q"], lines["p", 1, "q", "r", "s"]) == (15, 16, 17)
    assert ("t", "k") not in lines


def test_the_shipped_schema_describes_recipes(recipe):
    shipped = json.loads((files("sfumato") / "recipe.schema.json").read_text())
    assert shipped == recipe_schema()
    jsonschema.Draft202012Validator.check_schema(shipped)
    content = Recipe.from_toml(recipe()).to_dict()
    jsonschema.validate(content, shipped)
    for method, model in settings_classes():
        entry = shipped["$defs"][model.__name__]["properties"]
        # the settings of a group stand among those of its mask
        inner = sf.Group.model_fields if "group" in model.model_fields else ()
        assert {*entry} == {"method", *model.model_fields, *inner} - {"group"}
        assert method.name in entry["method"]["enum"]
    assert list(shipped["$defs"]["FileSource"]["properties"]) == list(FileSource.model_fields)
    content["protect"][0]["edgs"] = "tight"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, shipped)
