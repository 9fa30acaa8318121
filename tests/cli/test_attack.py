"""sfumato attack: what is found, what is told, and how it ends."""

from __future__ import annotations

import json
import stat

import polars as pl
import pytest

from tests.attacks.test_attack_plan import RECIPE
from tests.attacks.towns import GARRISON, TOWNS, country


@pytest.fixture
def recipe(tmp_path):
    country(1).write_csv(tmp_path / "there.csv")
    country(2).write_csv(tmp_path / "here.csv")

    def write(text=RECIPE):
        (tmp_path / "r.toml").write_text(text)
        return str(tmp_path / "r.toml")

    return write


def test_a_group_that_is_only_unnamed_is_disclosed(run, recipe):
    text = RECIPE[: RECIPE.index("[[protect]]")] + RECIPE[RECIPE.index("[attack]") :]
    code, out, err = run("attack", recipe(text + 'vital = { army = [1] }\nparameter = "town"\n'))
    assert (code, err) == (1, "")
    assert f"The group is disclosed: attacks find 1 of 1 place where it is an outlier ({GARRISON})." in out
    assert "Attacks if only the vital attributes are removed" in out
    assert "then the group (support" in out
    assert f"{len(TOWNS) - 1} places are not outliers and were not found; at most" in out
    places = [
        line.split()[0]
        for line in out[out.index("Places, as seen") :].splitlines()
        if "outlier " in line and "found" in line
    ]
    assert places == [GARRISON]


def test_tables_fit_into_80_characters(run, recipe, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run("attack", recipe())
    head = "attack disclosed false Youden evidence corr."
    lines = out.splitlines()
    assert [line.split() for line in lines if line.startswith("  attack")] == [head.split()] * 2
    names = ("  fuzzy rules ", "  logistic regression ")
    assert sum(line.startswith(names) and line.rstrip()[-1].isdigit() for line in lines) == 4


def test_one_rule_is_one(run, recipe):
    long = '{ attribute = "hours", values = { long = { shape = "rising", corners = [42, 50] } } }'
    young = '{ attribute = "age", values = { young = { shape = "falling", corners = [25, 35] } } }'
    _, out, _ = run("attack", recipe(RECIPE.replace("against = true", "") + f"variables = [{young}, {long}]"))
    assert "1 rule:" in out


def test_what_a_recipe_protects_is_attacked_with_its_release(run, recipe, tmp_path):
    code, out, _ = run("attack", recipe(), "--json", "--picture", str(tmp_path / "a.svg"))
    told = json.loads(out)
    assert (code, told["disclosed"], told["places"]) == (0, False, [])
    before, after = told["attacks"]["unprotected"], told["attacks"]["released"]
    assert [one["disclosed"] for one in before] == [[GARRISON], [GARRISON]]
    assert [one["disclosed"] for one in after] == [[], []]
    assert [row["place"] for row in after[0]["signals"]] == list(TOWNS)
    assert sum(row["true"] for row in after[0]["signals"]) == country(2)["army"].sum()
    assert told["third_party"] == [{"path": "there.csv", "steps": []}]
    assert told["harmonised"] == []
    assert told["rules"][0]["rule"].endswith("then the group")
    assert stat.S_IMODE((tmp_path / "a.svg").stat().st_mode) == 0o600
    picture = (tmp_path / "a.svg").read_text()
    assert "Logistic regression, released" in picture
    assert "1 of 1 place disclosed" in picture


def test_a_written_release_is_attacked(run, recipe, tmp_path):
    path = recipe()
    code, out, _ = run("protect", path, "--out", str(tmp_path / "out"))
    assert code == 0
    assert "Fuzzy rules found 1 of 1 hidden place before, and finds 0 now." in out
    assert "of all values." in out
    assert GARRISON not in out
    code, out, _ = run("report", str(tmp_path / "out"), "--private", str(tmp_path / "out.private"))
    page = next(tmp_path.glob("*.html")).read_text()
    assert code == 0
    assert "Hidden places that attacks find" in page
    code, out, _ = run("attack", path, "--release", str(tmp_path / "out"))
    assert code == 0
    # of what was tried, and no more
    assert "These attacks, trained on there.csv, do not find the one place where the group is an outlier" in out
    assert "Other attacks or files may." in out
    # the steward keeps it for the private report, and nobody else sees it
    (kept,) = (tmp_path / "out.private").glob("*.attack-*.json")
    told = json.loads(kept.read_text())
    assert told["attacks"]["unprotected"][0]["disclosed"] == [GARRISON]
    assert [one["disclosed"] for one in told["attacks"]["released"]] == [[], []]
    assert told["third_party"] == ["there.csv"]
    assert run("audit", str(tmp_path / "out"))[0] == 0
    run("report", str(tmp_path / "out"), "--private", str(tmp_path / "out.private"))
    assert "Attacks on the group" in (tmp_path / "out.private.html").read_text()
    run("report", str(tmp_path / "out"))
    assert GARRISON not in (tmp_path / "out.html").read_text()


def test_a_weaker_attack_does_not_hide_a_disclosing_one(run, recipe, tmp_path):
    out = str(tmp_path / "out")
    protect = '[[protect]]\nmethod = "boxes"\nquasi = ["sex"]\nk = 5\n\n'
    group = 'vital = { army = [1] }\nparameter = "town"\n'
    text = RECIPE[: RECIPE.index("[[protect]]")] + protect + RECIPE[RECIPE.index("[attack]") :] + group
    assert run("protect", recipe(text), "--out", out)[0] == 0
    assert run("attack", recipe(text), "--release", out)[0] == 1
    # somebody whose file says nothing about soldiers
    there = country(1)
    there.with_columns(pl.col("army").shuffle(seed=1)).write_csv(tmp_path / "useless.csv")
    weak = text.replace("there.csv", "useless.csv").replace('"rules", "logistic"', '"logistic"')
    code, told, _ = run("attack", recipe(weak), "--release", out)
    assert code == 0
    assert "These attacks, trained on useless.csv, do not find the one place" in told
    assert "Note: an earlier attack disclosed the group in this release" in told
    run("report", out, "--private", f"{out}.private")
    assert "✗ The group is disclosed" in (tmp_path / "out.private.html").read_text()


def test_a_verdict_that_cannot_be_kept_is_told_all_the_same(run, recipe, tmp_path):
    path = recipe()
    run("protect", path, "--out", str(tmp_path / "out"))
    kept = tmp_path / "out.private"
    kept.rename(tmp_path / "elsewhere")
    kept.symlink_to(tmp_path / "elsewhere")
    code, out, _ = run("attack", path, "--release", str(tmp_path / "out"), "--json")
    assert code == 0
    assert any("the result could not be stored beside the release" in note for note in json.loads(out)["notes"])


def test_what_weakens_an_attack_is_noted(run, recipe, tmp_path):
    country(2).write_csv(tmp_path / "there.csv")
    text = RECIPE.replace("against = true", "").replace('"rules", "logistic"', '"rules"')
    code, out, _ = run("attack", recipe(text), "--json")
    assert code == 1
    assert any("contains the same people" in note for note in json.loads(out)["notes"])


def test_regions_and_what_steps_removed_are_told(run, recipe, tmp_path):
    keep = 'region = "coast"\nharmonise = [{ keep = "age >= 18" }]\nattackers = ["rules"]'
    text = RECIPE.replace("against = true", "").replace('attackers = ["rules", "logistic"]', keep)
    _, out, _ = run("attack", recipe(text), "--picture", str(tmp_path / "a.svg"))
    removed = int((country(2)["age"] < 18).sum())
    assert f"keep age: {removed:,} of 12,000 records removed" in out
    assert "region" in out
    assert "east: t03" in (tmp_path / "a.svg").read_text()


def test_a_recipe_without_an_attack_is_refused(run, recipe):
    text = RECIPE[: RECIPE.index("[attack]")].replace("against = true", "")
    code, _, err = run("attack", recipe(text))
    assert code == 2
    assert "has no [attack]" in err
