"""Audits with an outside file on the command line."""

from __future__ import annotations

import json

import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import health_survey


@pytest.fixture
def written(tmp_path):
    people = health_survey(2000)
    release = sf.Boxes(quasi=["age", "hours"], sensitive="illness", identifiers="name", k=10).protect(people)
    release.write(tmp_path / "out")
    people.frame.write_csv(tmp_path / "people.csv")
    return tmp_path


def test_an_outside_file_is_told_of(run, written):
    arguments = ("audit", str(written / "out"), "--outside", str(written / "people.csv"))
    code, out, _ = run(*arguments)
    assert code == 0
    assert "Verified: the files are intact" in out
    assert "2,000 outside records linked on age and hours" in out
    assert "No ground truth was given" in out
    code, out, _ = run(*arguments, "--json")
    told = json.loads(out)
    assert (code, told["holds"], told["linkage"]["on"]) == (0, True, ["age", "hours"])
    held = told["linkage"]["methods"]["containment"]
    assert (held["tried"], held["unique"], held["right"], held["expected"]) == (2000, 0.0, None, None)
    assert (held["fewest"] >= 10, told["linkage"]["below_k"], told["linkage"]["notes"]) == (True, 0, [])


def test_what_the_promise_does_not_cover_breaks_nothing(run, written):
    outside = ("--outside", str(written / "people.csv"), "--on", "age,hours,income", "--methods", "containment")
    code, out, _ = run("audit", str(written / "out"), *outside)
    assert code == 0
    assert "fewer than k = 10 candidates. They are also linked on 'income', which the promise does not cover" in out
    assert "nearest" not in out


def test_a_promise_that_the_file_contradicts(run, tmp_path):
    table = pl.DataFrame({"id": [1, 2, 3, 4], "age": [20, 20, 30, 30]})
    sf.Release(table, promise=sf.Promise(quasi="age", k=2)).write(tmp_path / "out", format="csv")
    data = tmp_path / "out" / "data.csv"
    data.write_text(data.read_text().replace(",30", ",31", 1))
    pl.DataFrame({"age": [20, 31, 99], "id": [1, 5, 7]}).write_csv(tmp_path / "others.csv")
    arguments = ("audit", str(tmp_path / "out"), "--outside", str(tmp_path / "others.csv"))
    code, out, _ = run(*arguments)
    assert code == 1
    assert "linkage: 1 outside record has fewer than k = 2 candidates" in out
    code, out, _ = run(*arguments, "--truth", "id", "--json", "--missing-as", "own")
    told = json.loads(out)["linkage"]
    assert (code, told["truth"], told["methods"]["containment"]["expected"]) == (1, "id", pytest.approx(0.5 / 3))
    assert told["notes"] == ["column 'id' is in both the release and the outside file: it alone links them"]


def test_missing_values_that_count_as_any(run, tmp_path):
    table = pl.DataFrame({"age": [20, None, 30], "sex": ["f", "f", "f"]})
    promise = sf.Promise(quasi=["age", "sex"], k=2, missing="wildcard")
    sf.Release(table, promise=promise).write(tmp_path / "out")
    pl.DataFrame({"age": [40], "sex": ["f"]}).write_csv(tmp_path / "others.csv")
    code, out, _ = run("audit", str(tmp_path / "out"), "--outside", str(tmp_path / "others.csv"))
    assert code == 0
    assert "the promise counts a missing value as equal to any value" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--on", "age"], "options of an outside file need --outside"),
        (["--delimiter", ";"], "options of an outside file need --outside"),
        (["--outside", "people.csv", "--truth", "order"], "its records are shuffled"),
        (["--outside", "people.csv", "--truth", "name"], "the release has no column 'name'"),
        (["--outside", "people.csv", "--on", "height"], "the release contains no information about 'height'"),
        (["--outside", "people.csv", "--methods", "magic"], "methods"),
        (["--outside", "nobody.csv"], "nobody.csv"),
    ],
)
def test_wrong_input(run, written, monkeypatch, arguments, said):
    monkeypatch.chdir(written)
    code, out, err = run("audit", "out", *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_a_release_that_cannot_be_measured_is_not_linked(run, written):
    (written / "out" / "codebook.json").write_text("{}")
    code, out, _ = run("audit", str(written / "out"), "--outside", str(written / "people.csv"), "--json")
    assert (code, "linkage" in json.loads(out)) == (1, False)
