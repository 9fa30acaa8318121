from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time

import pytest

import sfumato as sf
from sfumato.cli.output import progress_shown
from tests.recipes import GOOD


def test_protect_as_text(run, recipe, folder):
    picture = folder / "boxes.svg"
    code, out, err = run("protect", str(recipe()), "--picture", str(picture), "--axes", "age,hours")
    assert (code, err) == (0, "")
    for words in (
        "people.csv: 400 records in",
        "none suppressed",
        "Verified: the files are intact",
        "Different values of ill",
        "expected re-identifications",
        "mean(age)",
        "corr(age, hours)",
        "guaranteed",
        "times their target (first-order estimate)",
        "Grid steps: age 1",
        f"Release written to {folder / 'people-release'}. Confidential record in",
        f"Picture written to {picture}",
    ):
        assert words in out
    assert picture.read_text().startswith("<svg")
    assert run("audit", str(folder / "people-release"))[0] == 0
    code, out, _ = run("estimate", str(folder / "people-release"), "mean(age)", "--json")
    assert json.loads(out)["estimates"][0]["guaranteed"]


def test_what_a_kept_promise_does_not_prevent_is_told(run, recipe, folder):
    text = GOOD.replace('identifiers = ["name"]', "").replace("k = 5\nl = 2", "k = 2")
    code, out, _ = run("protect", str(recipe(text)))
    given_away = "ill: in some block all records have the same value (l = 1)"
    assert code == 0
    assert "name has a different value in every record and is released unchanged: name it in identifiers." in out
    assert given_away in out
    assert given_away in run("audit", str(folder / "people-release"))[1]
    code, out, _ = run("protect", str(recipe()), "--force")
    assert code == 0
    assert "another value" not in out
    assert "in some block all records" not in out


def test_protect_as_json(run, recipe, folder):
    text = GOOD.replace("k = 5", 'k = 5\nedges = "tight"\ndismiss = "fuzzy"\nt = 0.6')
    out = folder / "out"
    code, text, err = run("protect", str(recipe(text)), "--out", str(out), "--format", "csv", "--json")
    assert (code, err) == (0, "")
    found = json.loads(text)
    assert (found["release"], found["picture"], found["method"]) == (str(out), None, "boxes")
    assert (found["records"], found["left_out"], found["holds"]) == (400, 0, True)
    assert (found["promised"]["k"], found["promised"]["l"], found["promised"]["t"]) == (5, 2, 0.6)
    assert found["measured"]["k"] >= 5
    assert found["measured"]["l"] >= 2
    assert found["measured"]["t"] <= 0.6
    assert found["measured"]["risk"]["expected"] > 0
    assert found["edges"]["kind"] == "tight"
    assert 0 < found["edges"]["shown"] <= 400
    mean, corr = found["statistics"]
    assert mean["statistic"] == "mean(age)"
    assert mean["weight"] == "w"
    assert mean["lower"] <= mean["value"] <= mean["upper"]
    assert corr["weighted"]["dismiss"] == "fuzzy"
    assert found["uncertainty"]["achieved"] > 0
    assert sorted(file.name for file in out.iterdir()) == ["certificate.json", "codebook.json", "data.csv"]
    assert sf.open_release(out).audit().holds
    record = next((folder / "out.private").iterdir()).read_text()
    assert json.loads(record)["seed"] == 7


def test_places_are_told_as_they_were_given(run, recipe, folder, monkeypatch):
    recipe()
    monkeypatch.chdir(folder)
    assert "Release written to people-release. Confidential record in people-release.private:" in protected(run)
    assert "Release written to out. Confidential record in out.private: do not publish." in protected(
        run, "--out", "out"
    )
    assert "Report written to out.html." in run("report", "out")[1]
    (folder / "empty").mkdir()
    monkeypatch.chdir(folder / "empty")
    told = run("protect", "../people.toml", "--out", ".")[1]
    assert (
        f"Release written to {folder / 'empty'}. Confidential record in {folder / 'empty.private'}: do not publish."
        in told
    )
    assert (folder / "empty.private").is_dir()


def protected(run, *options):
    code, out, _ = run("protect", "people.toml", *options)
    assert code == 0
    return out


def test_it_is_said_when_detail_may_drown_what_is_preserved(run, recipe):
    few = GOOD.replace('preserve = ["mean(age)", { statistic = "corr(age, hours)", importance = 2 }]', "{}")
    said = "No preserved statistic uses hours, born, region, school, whose detail counts as well (detail = 1)."
    full = few.replace("{}", 'preserve = ["mean(age)"]\ndetail = 1.0')
    assert said in run("protect", str(recipe(full)))[1]
    # unless it is set, it is chosen, and the choice is told
    chosen = few.replace("{}", 'preserve = [{ statistic = "mean(age)", accuracy = 0.5 }]')
    assert "detail = 0." in run("protect", str(recipe(chosen)), "--force")[1]
    little = few.replace("{}", 'preserve = ["mean(age)"]\ndetail = 0.01')
    assert "whose detail" not in run("protect", str(recipe(little)), "--force")[1]
    assert "whose detail" not in run("protect", str(recipe(few.replace("{}", ""))), "--force")[1]


def test_other_k_are_told_to_the_steward_alone(run, recipe, folder):
    out = folder / "out"
    code, text, err = run("protect", str(recipe()), "--out", str(out), "--alternatives", "3,20,500")
    assert (code, err) == (0, "")
    assert "What another k would have cost" in text
    assert "5 (released)" in text
    assert "k = 500 is unattainable: k = 500 is larger than" in text
    code, text, _ = run("protect", str(recipe()), "--out", str(out), "--force", "--alternatives", "3,20", "--json")
    found = json.loads(text)["alternatives"]
    assert [(one["k"], one["released"], one["refused"]) for one in found] == [
        (3, False, None),
        (5, True, None),
        (20, False, None),
    ]
    assert found[0]["rate"] > found[2]["rate"]
    assert found[0]["detail"] < found[2]["detail"]
    assert set(found[0]["widths"]) == {"mean(age)", "corr(age, hours)"}
    (own,) = (folder / "out.private").iterdir()
    assert json.loads(own.read_text())["alternatives"] == found
    assert all(b"alternatives" not in file.read_bytes() for file in out.iterdir())


def test_limits_of_every_kind_are_told(run, recipe):
    text = GOOD.replace("l = 2", 'l = 1.5\ndiversity = "entropy"\nepsilon = { age = 2 }')
    code, out, _ = run("protect", str(recipe(text)), "--json")
    assert code == 0
    assert json.loads(out)["apart"] == {"age": {"l": 1.5, "epsilon": 2.0}}
    code, out, _ = run("protect", str(recipe(text)), "--force")
    assert code == 0
    assert "(entropy l)" in out
    assert "each block had at least 1.5 different values of age at least 2 apart" in out


def test_the_seed_decides_the_bytes(run, recipe, folder):
    def data(*options: str) -> bytes:
        assert run("protect", str(recipe()), "--force", *options)[0] == 0
        return (folder / "people-release" / "data.parquet").read_bytes()

    assert data() == data("--seed", "7")
    assert data() != data("--seed", "8")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "xlsx"], "unknown format 'xlsx'; allowed: parquet, csv"),
        (["--out", "{folder}/no/out"], "does not exist"),
        (["--out", "{folder}/trees"], "holds region.csv, which does not belong to a release"),
        (["--picture", "x.gif"], "unsupported file type"),
        (["--picture", "{folder}/people-release/x.png"], "cannot be written"),
        (["--axes", "age,hours"], "--axes needs --picture"),
        (["--picture", "{folder}/x.png", "--axes", "age"], "--axes needs two attributes (given: 'age')"),
        (["--picture", "{folder}/x.png", "--axes", "age,ill"], "'ill' is not released as intervals"),
        (["--seed", "3000000000"], "setting 'seed': input should be less than"),
        (["--alternatives", "3,many"], "--alternatives needs whole numbers (given: '3,many')"),
        (["--alternatives", "1"], "alternatives: give whole numbers of 2 or more"),
    ],
)
def test_wrong_options_write_nothing(run, recipe, folder, options, message):
    path = recipe()
    before = sorted(folder.rglob("*"))
    code, out, err = run("protect", str(path), *(option.format(folder=folder) for option in options))
    assert (code, out) == (2, "")
    assert message in err
    assert sorted(folder.rglob("*")) == before


def test_wrong_recipes_point_at_the_line(run, recipe, folder):
    path = recipe(GOOD.replace("k = 5", "k = 5\nedgs = 1"))
    code, out, err = run("protect", str(path))
    assert (code, out) == (2, "")
    assert err == "Error: people.toml, line 17: unknown setting 'protect[0].edgs'\nHint: did you mean 'edges'?\n"
    code, out, _ = run("protect", str(path), "--json")
    assert code == 2
    assert json.loads(out)["error"] == {
        "type": "SettingError",
        "code": "setting",
        "message": "unknown setting 'protect[0].edgs'",
        "hint": "did you mean 'edges'?",
        "setting": "protect[0].edgs",
        "setting_path": ["protect", 0, "edgs"],
        "column": None,
        "file": str(path),
        "line": 17,
    }
    code, _, err = run("protect", str(recipe(GOOD.replace("l = 2", "l = 4"))))
    assert code == 2
    assert "l of 'ill' = 4 is unattainable" in err
    assert not (folder / "people-release").exists()


def test_a_release_that_is_there_is_kept_unless_forced(run, recipe, folder, monkeypatch):
    path = str(recipe())
    assert run("protect", path)[0] == 0
    first = (folder / "people-release" / "certificate.json").read_text()

    def never(*_, **__):
        raise AssertionError("no work is done before the folder is known to be free")

    with monkeypatch.context() as patched:
        patched.setattr("sfumato.sources.file_source.read", never)
        code, _, err = run("protect", path)
    assert code == 2
    assert "already holds a release" in err
    assert (folder / "people-release" / "certificate.json").read_text() == first
    assert run("protect", path, "--force", "--seed", "1")[0] == 0
    assert (folder / "people-release" / "certificate.json").read_text() != first


def test_an_interruption_that_a_compiler_swallows_is_heeded_later():
    def swallowed():
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    with progress_shown() as progress:
        progress("compiling", 0.0)
        swallowed()
        with pytest.raises(KeyboardInterrupt):
            progress("refining", 0.5)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("wait", [0.8, 1.6])
def test_an_interruption_leaves_nothing(recipe, folder, wait):
    path = recipe(GOOD.replace("k = 5", "k = 5\nrefine = true\nseconds = 600"))
    before = sorted(folder.rglob("*"))
    with subprocess.Popen(
        [sys.executable, "-m", "sfumato", "protect", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=120)
        finally:
            process.kill()
    # Python itself is killed where it was still starting
    assert process.returncode in (130, -signal.SIGINT)
    assert out == b""
    assert sorted(folder.rglob("*")) == before


FUZZY = """
[microfile]
path = "people.csv"
identifiers = ["name"]
missing = { hours = [-1] }
delimiter = ";"

[[protect]]
method = "sets"
quasi = ["age", "hours"]
sensitive = "ill"
k = 3
q = 2

[protect.sets]
hours = 2

[protect.sets.age]
young = { shape = "falling", corners = [30, 40] }
old = { shape = "rising", corners = [30, 40] }
"""


def test_protect_by_fuzzy_sets(run, recipe, folder):
    code, out, err = run("protect", str(recipe(FUZZY)))
    assert (code, err) == (0, "")
    for words in (
        "Verified: the files are intact",
        "fully up to 30, falling from 30 to 40",
        "Q of the fuzzy sets at 0.5",
        "An attacker who inverts the released words or grades",
    ):
        assert words in out
    code, out, _ = run("protect", str(recipe(FUZZY)), "--force", "--json")
    told = json.loads(out)
    assert (code, told["method"], told["holds"]) == (0, "sets", True)
    assert told["sets"]["age"]["old"] == "rising from 30 to 40, fully from 40 on"
    assert told["measured"]["fuzzy"]["q"] >= 2
    assert set(sf.open_release(folder / "people-release").table["age"].unique()) == {"young", "old", "young / old"}


def test_a_recipe_with_wrong_sets_points_at_the_shape(run, recipe):
    code, _, err = run("protect", str(recipe(FUZZY.replace("[30, 40] }\nold", "[40, 30] }\nold"))))
    assert code == 2
    assert "line 19: setting 'protect[0].sets.age.young.corners': corners must not descend" in err


def test_a_hierarchy_that_lacks_values_is_said_with_counts(run, recipe, folder):
    trees = folder / "trees" / "region.csv"
    trees.write_text("".join(line for line in trees.read_text().splitlines(keepends=True) if line[:2] != "b2"))
    code, out, _ = run("protect", str(recipe()))
    assert code == 0
    assert "the hierarchy of 'region' lacks 1 value of" in " ".join(out.split())
