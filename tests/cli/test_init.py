"""From a file to a recipe that runs as it is."""

from __future__ import annotations

import csv
import json
import re
import tomllib

import numpy as np
import polars as pl
import pytest

import sfumato as sf

REAL = {
    "adult": ("adult/adult_train.csv.gz", ()),
    "cup": ("arx_cup/cup.csv.gz", ()),
    "bank": ("bank_marketing/bank_additional_full.csv.gz", ()),
    "german": ("german_credit/german_credit.csv", ()),
    "nist": ("nist_acs_excerpts/ma2019.csv.gz", ("--missing", "N")),
    "randhie": ("randhie/randhie.csv.gz", ()),
    "tarragona": ("sdcmicro/Tarragona.csv", ()),
    "francdat": ("sdcmicro/francdat.csv", ()),
}
"""The files are small, and of people, firms and houses."""


def protected(run, recipe):
    """Run a recipe and audit what it wrote."""
    code, _, err = run("protect", str(recipe), "--force")
    assert (code, err) == (0, "")
    release = recipe.with_name(f"{recipe.stem}-release")
    assert run("audit", str(release))[0] == 0
    return sf.open_release(release)


@pytest.fixture
def census(tmp_path):
    people = sf.datasets.census(3000).frame
    people.write_csv(tmp_path / "census.csv")
    people.write_parquet(tmp_path / "census.parquet")
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_recipe_runs_as_it_is(run, census, ending):
    code, out, err = run("init", str(census / f"census.{ending}"))
    assert (code, err) == (0, "")
    assert "sfumato protect" in out
    release = protected(run, census / "census.toml")
    assert not {"person"} & set(release.table.columns)
    assert release.audit().k >= 5


def test_json_says_the_same(run, census):
    options = ("--out", str(census / "other.toml"), "--seed", "7", "--json")
    code, out, err = run("init", str(census / "census.csv"), *options)
    assert (code, err) == (0, "")
    found = json.loads(out)
    recipe = tomllib.loads((census / "other.toml").read_text())
    protect = recipe["protect"][0]
    assert recipe["seed"] == 7
    assert found["recipe"] == str(census / "other.toml")
    assert recipe["microfile"] == {"path": "census.csv", "identifiers": found["identifiers"], "weight": "weight"}
    assert found["household"] == protect["household"] == "household"
    assert {"age", "sex"} <= set(found["quasi"])
    assert "income" in found["sensitive"]
    for name in ("quasi", "sensitive", "k", "preserve"):
        assert found[name] == protect[name]
    assert all(one["reason"] for one in found["attributes"])


def test_what_is_suggested_in_comments_can_be_used(run, tmp_path):
    rng = np.random.default_rng(0)
    n = 900
    columns = {"age": rng.integers(0, 90, n), "sex": rng.integers(1, 3, n), "diagnosis": rng.choice(["x", "y", "?"], n)}
    pl.DataFrame(columns).write_csv(tmp_path / "p.csv")
    assert run("init", str(tmp_path / "p.csv"))[0] == 0
    recipe = tmp_path / "p.toml"
    text = recipe.read_text()
    used = re.sub(r"^# ((?:l|t|suppress|kinds|missing) = )", r"\1", text, flags=re.MULTILINE)
    said = tomllib.loads(used)
    assert said["microfile"]["kinds"] == {"sex": "categorical"}
    assert said["microfile"]["missing"] == {"diagnosis": ["?"]}
    assert {"l", "t", "suppress"} <= set(said["protect"][0])
    recipe.write_text(used)
    protected(run, recipe)
    example = "".join(re.findall(r"^#     (\S.*\n)", text[text.index("# Does a group") :], re.MULTILINE))
    assert set(tomllib.loads(example)) == {"protect", "attack"}


def test_nothing_is_replaced_unless_forced(run, census):
    recipe = census / "census.toml"
    recipe.write_text("mine")
    code, _, err = run("init", str(census / "census.csv"))
    assert code == 2
    assert "already" in err
    assert recipe.read_text() == "mine"
    assert run("init", str(census / "census.csv"), "--force")[0] == 0
    assert recipe.read_text() != "mine"
    hierarchy = census / "census-residence.csv"
    assert {one.name for one in census.iterdir()} == {"census.csv", "census.parquet", "census.toml", hierarchy.name}
    recipe.unlink()
    hierarchy.write_text("mine")
    code, _, err = run("init", str(census / "census.csv"))
    assert code == 2
    assert hierarchy.name in err
    assert (hierarchy.read_text(), recipe.exists()) == ("mine", False)


def test_codes_get_a_hierarchy_that_shows_no_rare_one(run, tmp_path):
    rng = np.random.default_rng(0)
    n = 2000
    zips = [f"{number:05}" for number in rng.choice([2139, 2140, 2141, 94305, 94306], n)]
    zips[0] = "77777"
    people = pl.DataFrame(
        {
            "zip": zips + [f"0{one}" for one in range(2200, 2290)],
            "age": rng.integers(0, 90, n + 90),
            "sex": ["f", "m"] * (n // 2 + 45),
        }
    )
    # few codes are not worth a hierarchy
    people.write_csv(tmp_path / "people.csv")
    code, out, err = run("init", str(tmp_path / "people.csv"), "--json")
    assert (code, err) == (0, "")
    file = tmp_path / "people-zip.csv"
    assert json.loads(out)["hierarchies"] == {"zip": str(file)}
    listed = {row[0] for row in csv.reader(file.read_text().splitlines(), delimiter=";")}
    assert "77777" not in listed
    assert {f"022{number:02}" for number in range(100)} <= listed
    shown = (tmp_path / "people.toml").read_text() + out
    assert not any(code in shown for code in set(zips))
    protected(run, tmp_path / "people.toml")


def test_how_the_file_is_read_stands_in_the_recipe(run, tmp_path):
    n = 400
    rng = np.random.default_rng(0)
    age = rng.integers(0, 90, n)
    lines = [f"{one};{'N' if one < 5 else one * 2},5;{rng.choice(['lo', 'hi'])}" for one in age]
    (tmp_path / "p.txt").write_text("age;pay;grade\n" + "\n".join(lines))
    options = ("--missing", "pay=N,5", "--delimiter", ";", "--decimal", ",", "--kind", "grade=lo<hi")
    assert run("init", str(tmp_path / "p.txt"), *options)[0] == 0
    how = tomllib.loads((tmp_path / "p.toml").read_text())["microfile"]
    assert how["kinds"] == {"grade": ["lo", "hi"]}
    assert (how["missing"], how["delimiter"], how["decimal"]) == ({"pay": ["N,5"]}, ";", ",")
    protected(run, tmp_path / "p.toml")


def test_strange_names_are_written_as_they_are(run, tmp_path):
    n = 300
    rng = np.random.default_rng(0)
    names = ['age "years"', "age\n# k = 1", "age, (net)", "sex\\", "age]"]
    pl.DataFrame({name: rng.integers(0, 40, n) for name in names}).write_parquet(tmp_path / "p.parquet")
    assert run("init", str(tmp_path / "p.parquet"))[0] == 0
    recipe = tomllib.loads((tmp_path / "p.toml").read_text())
    # what cannot be printed cannot be released either
    assert recipe["microfile"]["identifiers"] == names[1:2]
    assert set(recipe["protect"][0]["quasi"]) | set(recipe["protect"][0].get("sensitive", ())) == {names[0], *names[2:]}
    protected(run, tmp_path / "p.toml")


def test_wide_files_and_single_columns(run, tmp_path):
    rng = np.random.default_rng(0)
    wide = {f"c{number}": rng.integers(0, number % 7 + 2, 500) for number in range(300)}
    for name, columns in (
        ("wide", wide),
        ("one", {"age": rng.integers(0, 90, 300)}),
        ("amounts", {name: rng.normal(size=300) for name in "abc"}),
    ):
        pl.DataFrame(columns).write_csv(tmp_path / f"{name}.csv")
        assert run("init", str(tmp_path / f"{name}.csv"))[0] == 0
        protected(run, tmp_path / f"{name}.toml")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "empty"),
        ("a,b\n", "no records"),
        ("id\n" + "\n".join(map(str, range(500))), "nothing to protect"),
        ("a,b\n" + "x,y\n" * 50, "nothing to protect"),
    ],
)
def test_what_cannot_be_protected_leaves_no_recipe(run, tmp_path, content, told):
    (tmp_path / "p.csv").write_text(content)
    code, out, err = run("init", str(tmp_path / "p.csv"))
    assert (code, out) == (2, "")
    assert told in err
    assert [one.name for one in tmp_path.iterdir()] == ["p.csv"]


def test_a_folder_is_no_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for given in (".", str(tmp_path)):
        code, out, err = run("init", given)
        assert code == 2
        assert "is a folder, not a file" in err + out


def test_a_file_that_is_not_there(run, tmp_path):
    assert "does not exist" in run("init", str(tmp_path / "p.csv"))[2]
    assert run("init", str(tmp_path / "none" / "p.csv"))[0] == 2
    assert run("init", str(tmp_path / "p.csv"), "--out", "p.txt")[0] == 2


@pytest.mark.parametrize("name", REAL)
def test_real_microdata(run, real_data, tmp_path, name):
    file, options = REAL[name]
    recipe = tmp_path / f"{name}.toml"
    code, _, err = run("init", str(real_data(file)), "--out", str(recipe), *options)
    assert (code, err) == (0, "")
    protected(run, recipe)
