"""Group masks on the command line: recipes, the steward's record, and what is told to whom."""

from __future__ import annotations

import json
import re
import stat
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from sfumato.errors import SettingError, UnattainableError
from sfumato.recipe import Recipe
from tests.groups.mask.test_mask_protection import people, weighted_people

HEAD = """seed = 3

[microfile]
path = "people.csv"
identifiers = ["id"]
"""
GROUP = """
[[protect]]
method = "group"
vital = { work = ["army"] }
parameter = "area"
hide = ["C"]
influential = { age = 2, sex = 1, hours = 1 }
"""
BOXES = """
[[protect]]
method = "boxes"
quasi = ["age", "hours"]
k = 5
"""


@pytest.fixture
def recipe(tmp_path):
    def write(text: str, frame: pl.DataFrame | None = None):
        (people() if frame is None else frame).write_csv(tmp_path / "people.csv")
        path = tmp_path / "recipe.toml"
        path.write_text(text)
        return path

    return write


def record_of(tmp_path) -> str:
    return str(next((tmp_path / "recipe-release.private").iterdir()))


def content_of(tmp_path) -> dict:
    return json.loads(Path(record_of(tmp_path)).read_text())


def test_a_mask_and_boxes(run, recipe, tmp_path) -> None:
    code, out, err = run("protect", str(recipe(HEAD + GROUP + BOXES)))
    assert (code, err) == (0, "")
    assert "Group 1: " in out
    assert "no swap with this outcome costs less" in out
    # hiding from the other techniques moves more than TC16's alone would need
    assert re.search(r"\d+ members moved \(", out)
    assert "values of area may have been swapped between" in out
    assert "army" not in out
    picture = tmp_path / "goal.svg"
    code, out, err = run(
        "audit", str(tmp_path / "recipe-release"), "--private", record_of(tmp_path), "--picture", str(picture)
    )
    assert (code, err) == (0, "")
    assert "Verified: the files are intact" in out
    assert "<svg" in picture.read_text()
    assert stat.S_IMODE(picture.stat().st_mode) == 0o600


def test_a_mask_alone(run, recipe, tmp_path) -> None:
    code, out, _ = run("protect", str(recipe(HEAD + GROUP)), "--json")
    assert code == 0
    found = json.loads(out)
    assert found["method"] == "exchange"
    assert found["groups"][0]["optimal"]
    assert 0 < found["groups"][0]["at_least"] <= found["groups"][0]["moved"]
    assert "at_least" not in json.dumps(found["exchanged"])
    assert found["groups"][0]["outliers"]["before"] == 1
    assert found["exchanged"] == {"attributes": ["area"]}
    assert "army" not in out
    code, out, _ = run("audit", str(tmp_path / "recipe-release"))
    assert code == 0
    assert "no promise is made about individuals" in out
    code, out, _ = run("protect", str(recipe(HEAD + GROUP)), "--force")
    assert "Individuals are not protected" in out


def test_a_record_of_another_release_is_noticed(run, recipe, tmp_path) -> None:
    assert run("protect", str(recipe(HEAD + GROUP)))[0] == 0
    other = content_of(tmp_path) | {"seal": "0" * 64}
    (tmp_path / "other.json").write_text(json.dumps(other))
    code, out, _ = run("audit", str(tmp_path / "recipe-release"), "--private", str(tmp_path / "other.json"))
    assert code == 1
    assert "the record belongs to another release" in out


def test_weights_that_show_a_hidden_place_are_noticed(run, recipe, tmp_path) -> None:
    frame = weighted_people(0).with_columns(pl.when(pl.col("area") == "C").then(100).otherwise(1).alias("weight"))
    assert run("protect", str(recipe(HEAD + GROUP, frame)))[0] == 0
    record = content_of(tmp_path)
    # the mask looked at records alone; an observer counts with the weights that are released
    record["groups"][0]["mask"]["weight"] = "weight"
    (tmp_path / "other.json").write_text(json.dumps(record))
    for verb in ("audit", "report"):
        code, out, _ = run(verb, str(tmp_path / "recipe-release"), "--private", str(tmp_path / "other.json"), "--json")
        assert code == 1
        assert (
            "stands out again at C if it is counted with the weights 'weight'"
            in json.loads(out)["findings"][0]["message"]
        )


def test_what_weights_show_is_told(run, recipe, tmp_path) -> None:
    text = HEAD + 'weight = "weight"\n' + GROUP
    code, out, _ = run("protect", str(recipe(text, weighted_people(0))))
    assert code == 0
    assert "Counted with weights: " in out
    release = tmp_path / "recipe-release"
    assert run("audit", str(release), "--private", f"{release}.private")[0] == 0
    assert run("report", str(release), "--private", f"{release}.private")[0] == 0
    page = (tmp_path / "recipe-release.private.html").read_text()
    told = page[page.index("Counted with weights, it was an outlier") :]
    assert "It is at no hidden place." in told[:200]


@pytest.mark.parametrize("verb", ["audit", "report"])
def test_the_record_is_found_in_its_folder(run, recipe, tmp_path, verb: str) -> None:
    release, records = tmp_path / "recipe-release", tmp_path / "recipe-release.private"
    path = str(recipe(HEAD + GROUP))
    assert run("protect", path)[0] == 0
    # the record of another release, which was moved away, lies in the same folder
    release.rename(tmp_path / "moved")
    assert run("protect", path, "--seed", "4")[0] == 0
    assert len([*records.iterdir()]) == 2
    code, out, _ = run(verb, str(release), "--private", str(records), "--json")
    assert (code, json.loads(out)["holds"]) == (0, True)
    seal = json.loads((release / "certificate.json").read_text())["seal"]
    next(records.glob(f"{seal[:16]}*")).rename(tmp_path / "elsewhere.json")
    code, _, err = run(verb, str(release), "--private", str(records))
    assert code == 2
    assert "has no record of this release" in err
    assert "named after the seal" in err
    (release / "certificate.json").write_text("{}")
    code, _, err = run(verb, str(release), "--private", str(records))
    assert code == 2
    assert "certificate cannot be read" in err


def test_a_group_that_stands_out_is_noticed(run, recipe, tmp_path) -> None:
    target = 'target = { C = 30 }\ninfluential = ["age"]\n'
    text = HEAD + GROUP.partition("hide")[0] + target
    assert run("protect", str(recipe(text)))[0] == 0
    record = content_of(tmp_path)
    record["groups"][0]["hidden"] = ["C"]
    (tmp_path / "other.json").write_text(json.dumps(record))
    code, out, _ = run("audit", str(tmp_path / "recipe-release"), "--private", str(tmp_path / "other.json"))
    assert code == 1
    assert "stands out again at C" in out
    code, out, _ = run("report", str(tmp_path / "recipe-release"), "--private", str(tmp_path / "other.json"))
    assert code == 1
    assert "stands out again at C" in (tmp_path / "recipe-release.private.html").read_text()
    assert "army" not in out


def test_several_groups_do_not_undo_each_other(recipe) -> None:
    frame = people().with_columns(
        pl.when((pl.col("area") == "E") & (pl.col("work") == "shop") & (pl.col("age") > 40))
        .then(pl.lit("lab"))
        .when((pl.col("work") == "shop") & (pl.col("age") > 75))
        .then(pl.lit("lab"))
        .otherwise(pl.col("work"))
        .alias("work")
    )
    second = GROUP.replace("army", "lab").replace('hide = ["C"]', 'hide = ["E"]')
    release = Recipe.from_toml(recipe(HEAD + GROUP + second, frame)).run()
    first, last = release.private["groups"]
    assert first["hidden"] == ["C"]
    assert last["hidden"] == ["E"]
    # the members of the first group stay where the first mask put them
    army = release.microfile.frame.filter(pl.col("work") == "army").group_by("area").len()
    assert dict(army.iter_rows()) == {area: count for area, count in first["after"].items() if count}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + BOXES + GROUP, "nothing can follow method = 'boxes'"),
        (HEAD + GROUP.replace("parameter", "parametre"), "unknown setting 'protect[0].parametre'"),
        (HEAD + GROUP.replace('"area"', '"aera"'), "protect[0]: parameter: unknown column 'aera'"),
        (HEAD + GROUP.replace('["army"]', "{ from = 3 }"), "protect[0].vital"),
        (HEAD + GROUP.replace('hide = ["C"]', 'hide = ["X"]'), "protect[0]: hide: unknown place 'X'"),
    ],
)
def test_wrong_recipes_point_at_the_line(recipe, text: str, message: str) -> None:
    with pytest.raises((SettingError, UnattainableError)) as refused:
        Recipe.from_toml(recipe(text)).run()
    assert message in refused.value.message
    assert refused.value.file.name == "recipe.toml"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            GROUP.replace('["army"]', "{ leest = 3 }"),
            "line 9: unknown setting 'protect[0].vital.work.leest'",
            "least",
        ),
        (
            GROUP.replace('vital = { work = ["army"] }', "") + "[protect.vital.work]\nmots = 3\n",
            "line 14: unknown setting 'protect[0].vital.work.mots'",
            "most",
        ),
        (GROUP.replace("vital", "vitl"), "line 9: unknown setting 'protect[0].vitl'", "vital"),
        (
            GROUP.replace('{ work = ["army"] }', '"work = 3"'),
            "line 9: protect[0]: vital: 'work = 3' is no",
            "write it as",
        ),
        (GROUP + "level = 3\n", "line 13: protect[0]: level: this has no effect", "leave it out"),
        (GROUP + 'keep = ["work"]\n', "line 13: protect[0]: keep: members differ", "keep attributes that"),
    ],
)
def test_wrong_keys_of_a_recipe_are_answered_with_what_helps(recipe, text: str, message: str, hint: str) -> None:
    with pytest.raises(SettingError) as refused:
        Recipe.from_toml(recipe(HEAD + text))
    assert message in str(refused.value)
    assert hint in (refused.value.hint or "")


def test_a_recipe_chooses_by_dates(recipe) -> None:
    frame = people().with_columns(born=pl.lit(date(2024, 1, 1)).dt.offset_by(pl.format("-{}y", "age")))
    text = HEAD + GROUP.replace('{ work = ["army"] }', '{ work = ["army"], born = { most = 1999-12-31 } }')
    record = Recipe.from_toml(recipe(text, frame)).run().private["groups"][0]
    chosen = frame.filter((pl.col("work") == "army") & (pl.col("born") < date(2000, 1, 1)))
    assert sum(record["before"].values()) == chosen.height < 65


def test_a_record_without_groups_is_refused(run, recipe, tmp_path) -> None:
    assert run("protect", str(recipe(HEAD + BOXES)))[0] == 0
    code, _, err = run("audit", str(tmp_path / "recipe-release"), "--private", record_of(tmp_path))
    assert code == 2
    assert "contains no group record" in err
