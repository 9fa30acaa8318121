from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from sfumato.datasets import health_survey


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("compare") / "people.csv"
    made = health_survey(300)
    columns = [made.series(name).alias(name) for name in ("age", "hours", "income", "sex")]
    pl.DataFrame(columns).with_columns(w=pl.lit(2.5), name=pl.lit("SECRET")).write_csv(path)
    return str(path)


@pytest.fixture
def lonely(tmp_path):
    random = np.random.default_rng(3)
    values = np.concatenate([random.normal(0, 1, 60), random.normal(30, 1, 3)])
    path = tmp_path / "lonely.csv"
    pl.DataFrame({"x": values, "y": values + random.normal(0, 1, 63)}).write_csv(path)
    return str(path)


def test_compare_as_text(run, people, tmp_path):
    picture = tmp_path / "a.svg"
    options = ("--quasi", "age,hours", "--sensitive", "income", "--picture", str(picture))
    code, out, err = run("compare", people, *options)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].strip() == "300 records, k = 5 for age, hours"
    header = next(line for line in lines if line.strip().startswith("method"))
    assert " ".join(header.split()) == "method k-means fuzzy c-means Gustafson-Kessel boxes"
    for name in ("k", "fuzzy k", "sigma k", "Q", "l", "fuzzy l", "t", "fuzzy t", "risk", "highest", "loss"):
        assert sum(line.strip().startswith(f"{name} ") for line in lines) == 1
    assert "The words of fuzzy sets are counted as equal grades." in out
    assert "for income." in out
    assert picture.read_text().startswith("<svg")
    assert f"Picture written to {picture}" in out


def test_compare_as_json(run, people):
    options = ("--quasi", "age", "--quasi", "hours", "--sensitive", "income,sex", "--k", "8", "--weight", "w", "--json")
    code, out, err = run("compare", people, *options, "--sets", "2", "--shown", "grades", "--levels", "2")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["records"], found["k"], found["level"], found["shown"]) == (300, 8, 0.5, "grades")
    assert (found["quasi"], found["sensitive"], found["picture"]) == (["age", "hours"], ["income", "sex"], None)
    assert [one["method"] for one in found["methods"]] == ["k-means", "fuzzy-c-means", "gustafson-kessel", "boxes"]
    for one in found["methods"]:
        assert one["refused"] is None
        assert one["k"] >= 8
        assert 0 < one["rate"] <= one["highest"] < 1 / 8
        losses = one["information_loss"]
        assert losses["mean"] == pytest.approx(np.mean([losses["attributes"][name] for name in ("age", "hours")]))
    # two sets, and the records that lack a value
    assert found["methods"][0]["blocks"] == 3


def test_a_method_that_cannot_keep_k_says_so(run, lonely):
    code, out, _ = run("compare", lonely, "--quasi", "x,y", "--k", "4")
    assert code == 0
    assert "unattainable" in out
    assert "No release by k-means: k = 4" in out
    assert "Hint: " in out
    assert any(line.strip().endswith("boxes") for line in out.splitlines())
    code, out, _ = run("compare", lonely, "--quasi", "x,y", "--k", "4", "--json")
    refused = [one["refused"] for one in json.loads(out)["methods"] if one["refused"]]
    assert code == 0
    assert any(one["message"].startswith("k = 4") for one in refused)
    assert all(one["hint"] for one in refused)


def test_in_a_narrow_terminal_a_method_is_a_column(run, people, monkeypatch):
    narrow = Console(soft_wrap=True, highlight=False, width=80, force_terminal=True, no_color=True)
    monkeypatch.setattr("sfumato.cli.compare.console", lambda: narrow)
    monkeypatch.setattr(narrow, "file", None)
    code, out, _ = run("compare", people, "--quasi", "age")
    assert code == 0
    assert any(line.strip().startswith("fuzzy k") for line in out.splitlines())


def test_the_seed_decides_the_result(run, people):
    one, again = (run("compare", people, "--quasi", "age,hours", "--seed", "3", "--json") for _ in range(2))
    assert one == again


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--quasi is missing"),
        (["--quasi", "age,sex"], "column 'sex' (quasi) is not numeric; methods can be compared only on"),
        (["--quasi", "agee"], "did you mean 'age'"),
        (["--quasi", "age", "--sensitive", "age"], "'age' is given as quasi and as sensitive"),
        (["--quasi", "age", "--k", "301"], "k = 301 is larger than the file of 300 records"),
        (["--quasi", "age", "--k", "1"], "setting 'k'"),
        (["--quasi", "age", "--sets", "61"], "setting 'sets'"),
        (["--quasi", "age", "--shown", "x"], "setting 'shown'"),
        (["--quasi", "age", "--weight", "sex"], "weight 'sex' is not numeric"),
        (["--quasi", "w"], "has the same value everywhere"),
        (["--quasi", "age", "--seed", "9999999999"], "setting 'seed'"),
        (["--quasi", "age", "--picture", "a.jpg"], "supported: .png, .svg, .html"),
        (["--quasi", "age", "--picture", "no/where/a.png"], "cannot be written"),
    ],
)
def test_wrong_input(run, people, options, message):
    code, out, err = run("compare", people, *options)
    assert (code, out) == (2, "")
    assert message in err
    code, out, _ = run("compare", people, *options, "--json")
    assert code == 2
    error = json.loads(out)["error"]
    assert message in f"{error['message']} {error['hint']}"
