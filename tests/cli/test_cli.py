from __future__ import annotations

import json
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.text import Text
from typer.main import get_command

import sfumato as sf
from sfumato.cli.app import VERBS, _app

PEOPLE = """name,age,sex,income,w
SECRET1,31,f,100,1.5
SECRET2,31,f,200,2
SECRET3,40,m,100,3
SECRET4,40,m,100,1
SECRET5,41,m,300,-1
"""


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return str(path)


def test_measure_as_json(run, people):
    code, out, err = run("measure", people, "--quasi", "age,sex", "--sensitive", "income", "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["records"], found["blocks"], found["k"], found["l"]) == (5, 3, 1, 1)
    assert found["t"] == pytest.approx(0.7)
    assert found["risk"]["expected"] == 3
    assert found["attributes"]["income"]["distance"] == "ordered"
    assert found["violations"] == {"2": 1, "3": 5, "5": 5}


def test_measure_as_text(run, people):
    code, out, _ = run("measure", people, "--quasi", "age", "--quasi", "sex", "--sensitive", "income", "--uniques")
    assert code == 0
    assert "5 records in 3 blocks" in out
    assert "minimal sample uniques" in out


def test_measure_says_how_many_people_the_weights_stand_for(run, people):
    options = ("measure", people, "--quasi", "sex", "--weight", "income")
    note = (
        "risks rest on the weights 'income', by which 5 records stand for 800 people: compare that with the population"
    )
    assert f"Note: {note}." in run(*options)[1]
    assert json.loads(run(*options, "--json")[1])["notes"] == [note]
    assert "Note" not in run(*options[:-2])[1]


def test_limits_decide_the_exit_code(run, people):
    assert run("measure", people, "--quasi", "sex", "--k", "2")[0] == 0
    code, out, _ = run("measure", people, "--quasi", "age,sex", "--k", "2")
    assert code == 1
    assert "k: promised 2, measured 1; 1 record in 1 block violates it" in out
    code, out, _ = run("measure", people, "--quasi", "age,sex", "--k", "2", "--json")
    assert code == 1
    assert json.loads(out)["why"][0]["without"] == {"age": 0, "sex": 1}


def test_what_is_not_finite_is_null_in_json(run, people):
    options = ("--sensitive", "income", "--l", "3", "--diversity", "recursive", "--c", "2", "--json")
    code, out, _ = run("measure", people, "--quasi", "sex", *options)
    assert code == 1
    assert json.loads(out)["why"][0]["reached"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--quasi", "agee"], "did you mean 'age'"),
        (["--quasi", "age", "--sensitive", "age"], "'age' is given as quasi and as sensitive"),
        (["--quasi", "age", "--weight", "w"], "weight 'w' is negative in 1 record"),
        (["--quasi", "age", "--weight", "sex"], "weight 'sex' is not numeric"),
        (["--quasi", "age", "--k", "6"], "k = 6 is larger than the table of 5 records"),
        (["--quasi", "age", "--k", "0"], "setting 'k'"),
        (["--quasi", "age", "--t", "0.1"], "t needs a sensitive attribute"),
        (["--quasi", "age", "--kind", "age"], "--kind needs COLUMN="),
        (["--quasi", "age", "--kind", "sex=numeric"], "'sex'"),
        (["--quasi", "age", "--missing-as", "x"], "setting 'missing'"),
        (["--quasi", "age", "--sensitive", "sex", "--hierarchy", "sex=nowhere.csv"], "does not exist"),
        ([], "--quasi is missing"),
    ],
)
def test_wrong_input(run, people, options, message):
    code, out, err = run("measure", people, *options)
    assert (code, out) == (2, "")
    assert message in err
    code, out, _ = run("measure", people, *options, "--json")
    assert code == 2
    assert message in json.dumps(json.loads(out)["error"], ensure_ascii=False).replace('\\"', '"')


def test_missing_values_can_be_read_either_way(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,x\n1,?\n1,x\n")
    assert json.loads(run("measure", str(path), "--quasi", "a,b", "--json", "--missing", "b=?")[1])["k"] == 1
    wild = ("measure", str(path), "--quasi", "a,b", "--json", "--missing", "?", "--missing-as", "wildcard")
    assert json.loads(run(*wild)[1])["k"] == 3


def test_where_l_leans_on_missing_values_is_said(run, tmp_path):
    (tmp_path / "x.csv").write_text("a,ill\n1,flu\n1,\n1,\n2,flu\n2,cold\n")
    _, out, _ = run("measure", str(tmp_path / "x.csv"), "--quasi", "a", "--sensitive", "ill", "--l", "2")
    assert "l of ill counts a missing value as a value of its own; some block may have only 1 known value." in out


def test_profile(run, people):
    code, out, _ = run("profile", people, "--json")
    found = json.loads(out)
    assert code == 0
    assert {a["name"]: a["kind"] for a in found["attributes"]}["sex"] == "categorical"
    code, out, _ = run("profile", people)
    assert "How few attributes single out records" in out
    assert "probable role" in out


def test_a_file_that_is_not_there(run, tmp_path):
    code, out, err = run("profile", str(tmp_path / "x.csv"))
    assert (code, out) == (2, "")
    assert "does not exist" in err


def test_audit(run, tmp_path):
    table = pl.DataFrame({"q": [1, 1, 2, 2], "s": ["SECRET", "b", "c", "d"]})
    folder = sf.Release(table, promise=sf.Promise(quasi="q", sensitive="s", l=2)).write(tmp_path / "out", format="csv")
    code, out, _ = run("audit", str(folder), "--json")
    found = json.loads(out)
    assert (code, found["holds"], found["findings"], found["k"]) == (0, True, [], 2)
    assert "Verified: the files are intact" in run("audit", str(folder))[1]
    data = folder / "data.csv"
    data.write_text(data.read_text().replace("SECRET", "b"))
    code, out, _ = run("audit", str(folder), "--json")
    found = json.loads(out)
    assert (code, found["holds"], found["l"]) == (1, False, 1)
    assert "column 's' has cells that were changed" in json.dumps(found["findings"])
    code, out, _ = run("audit", str(folder))
    assert code == 1
    assert "The release fails its audit" in out
    assert run("audit", str(tmp_path))[0] == 2


def test_an_audit_tells_where_l_leans_on_missing_values(run, tmp_path):
    table = pl.DataFrame({"q": list("aabb"), "s": ["SECRET", None, "SECRET", "b"]})
    folder = sf.Release(table, promise=sf.Promise(quasi="q", sensitive="s", l=2)).write(tmp_path / "out")
    code, out, _ = run("audit", str(folder))
    assert code == 0
    assert "l of s counts a missing value as a value of its own; some block may have only 1 known value." in out


def test_demo(run, tmp_path):
    out = tmp_path / "demo"
    code, text, _ = run("demo", "--out", str(out))
    assert code == 0
    assert "Verified: the files are intact" in text
    assert "now find 0 of the places" in text
    shown = " ".join(text.split())
    names = {path.name for path in out.iterdir()}
    assert {"release", "release.private", "report.html", "report-private.html", "attack.svg", "recipe.toml"} <= names
    for own in ("attack.svg", "report-private.html"):
        assert stat.S_IMODE((out / own).stat().st_mode) == 0o600, own
    assert "Attacks on the group" in (out / "report-private.html").read_text()
    assert "Attacks on the group" not in (out / "report.html").read_text()
    first = (out / "release" / "data.parquet").read_bytes()
    assert run("demo", "--out", str(out))[0] == 2
    code, text, _ = run("demo", "--out", str(out), "--json", "--force")
    told = json.loads(text)
    alone = {one["attack"]: one["disclosed"] for one in told["attacks"]["unprotected"]}
    together, best = len(set().union(*alone.values())), max(map(len, alone.values()))
    credited = re.search(rf"together find {together} of these places, ([a-z ]+) alone {best}\.", shown)
    assert len(alone[credited[1]]) == best < together
    assert told["after"]["holds"] is True
    assert any(one["disclosed"] for one in told["attacks"]["unprotected"])
    assert not any(one["disclosed"] for one in told["attacks"]["released"])
    assert (out / "release" / "data.parquet").read_bytes() == first
    opened = sf.open_release(out / "release")
    assert opened.audit().k >= 10
    assert {"age.lo", "age.hi"} <= set(opened.table.columns)
    assert not {"age", "service", "person"} & set(opened.table.columns)
    # what a demo has not made is not removed
    (tmp_path / "mine").mkdir()
    assert run("demo", "--out", str(tmp_path / "mine"), "--force")[0] == 2


def test_a_demo_replaces_nothing_by_a_roundabout_path(run, tmp_path):
    (tmp_path / "file.csv").write_text("mine")
    (tmp_path / "folder").mkdir()
    code, _, err = run("demo", "--out", str(tmp_path / "new" / ".." / "file.csv"))
    assert code == 2
    assert f"{tmp_path / 'file.csv'} is a file, not a folder" in err.replace("\n", " ")
    assert "choose a folder that does not exist yet" in err.replace("\n", " ")
    code, _, err = run("demo", "--out", str(tmp_path / "new" / ".." / "folder"))
    assert code == 2
    assert "already exists" in err.replace("\n", " ")
    assert {path.name for path in tmp_path.iterdir()} == {"file.csv", "folder"}


def test_help_names_every_verb(run):
    code, out, _ = run("--help")
    assert code == 0
    assert all(verb in out for verb in ("demo", "profile", "init", "protect", "measure", "audit"))
    assert run("--version")[1].startswith("sfumato ")
    assert run("nonsense")[0] == 2
    assert run("measure", "--help")[0] == 0


@pytest.mark.parametrize("verb", VERBS)
def test_help_texts_are_shown_as_they_are_meant(verb):
    for option in get_command(_app(verb)).commands[verb].params:
        told = getattr(option, "help", None) or ""
        assert "``" not in told, option.name
        # what is no markup is not taken for it
        assert Text.from_markup(told).plain == told.replace("\\[", "["), option.name


def test_help_tells_of_brackets_and_commas(run):
    assert "[attack]" in run("attack", "--help")[1]
    for verb in ("measure", "compare"):
        assert "NAME,..." in run(verb, "--help")[1]


def test_a_bug_shows_no_values(run, people, monkeypatch):
    def broken(*_, **__):
        raise ValueError("SECRET")

    monkeypatch.setattr("sfumato.cli.measure.read", broken)
    code, out, err = run("measure", people, "--quasi", "age")
    assert (code, out) == (70, "")
    assert "a bug in sfumato (ValueError)" in err


@pytest.mark.parametrize(
    "arguments", [["profile", "--bogus"], ["measure", "x.csv", "--k", "abc"], ["audit"], ["demo", "--seed", "-1"]]
)
def test_a_wrong_command_line(run, arguments):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Hint: sfumato" in err
    code, out, _ = run(*arguments, "--json")
    assert code == 2
    assert json.loads(out)["error"]["type"] == "UsageError"


def test_a_reader_that_went_away_is_no_broken_promise(people):
    for arguments in (["profile", people], ["measure", people, "--quasi", "age", "--json"], ["--help"]):
        command = [sys.executable, "-m", "sfumato", *arguments]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.close()
            assert process.wait() == 0
    command = [sys.executable, "-m", "sfumato", "measure", people, "--quasi", "nothing", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.wait() == 2
    for shown in ([], ["--json"]):
        command = [sys.executable, "-m", "sfumato", "measure", people, "--quasi", "age", "--k", "3", *shown]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            process.stdout.close()
            assert process.wait() == 1


def test_closed_streams(people):
    command = f"{sys.executable} -m sfumato measure {people} --quasi age,sex --k 3"
    for closed in (">&-", "2>&-"):
        assert subprocess.run(f"{command} {closed}", shell=True, capture_output=True, check=False).returncode == 1


def test_profile_suggests_a_command_that_runs(run, tmp_path, people):
    path = tmp_path / "gaps.csv"
    path.write_text(PEOPLE.replace("31,f", "N,f").replace("-1", "1"))
    _, out, _ = run("profile", str(path), "--missing", "N", "--kind", "income=categorical")
    words = shlex.split(out.split("Next:")[1])
    assert words[0] == "sfumato"
    assert run(*words[1:])[0] == 0


def test_the_exact_risk_is_held_against_its_limit(run, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("q,w\n" + "a,36\n" * 3 + "b,40\n" * 4)
    options = ("measure", str(path), "--quasi", "q", "--weight", "w", "--max-risk", "0.0136", "--json")
    assert run(*options)[0] == 1
    assert run(*options, "--exact-risk")[0] == 0


def test_without_arguments_there_is_help(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert "Usage" in out


def test_an_output_that_is_full(people):
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "sfumato", "profile", people, "--json"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "reading or writing failed: No space left" in done.stderr


def test_help_loads_nothing_heavy():
    program = (
        "import sys; sys.argv = ['sfumato', '--help']\n"
        "from sfumato.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'polars', 'numba', 'scipy', 'sklearn', 'pandas', 'numpy', 'altair'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_importing_sfumato_loads_nothing_heavy():
    program = "import sys, sfumato; assert not {'polars', 'numba', 'scipy', 'pandas', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.fixture
def released(tmp_path):
    table = pl.DataFrame(
        {
            "sex": ["f", "f", "m", "m"],
            "age.lo": [20, 20, 35, 30],
            "age.hi": [39, 29, 59, 49],
            "hours": [10.0, None, 35.0, 20.0],
            "w": [1.0, 2.0, 1.0, 1.0],
        }
    )
    release = sf.Release(table, promise=sf.Promise(quasi="sex", k=2), forms={"age": sf.Interval()})
    return str(release.write(tmp_path / "out"))


def test_estimate_as_json(run, released, tmp_path):
    picture = tmp_path / "p.svg"
    options = ("--weight", "w", "--picture", str(picture), "--json")
    code, out, err = run("estimate", released, "mean(age)", "regress(hours ~ age)", *options)
    found = json.loads(out)
    assert (code, err) == (0, "")
    mean, regression = found["estimates"]
    assert mean["attained"] == pytest.approx([25.0, 41.0])
    assert mean["lower"] <= 25.0 <= 41.0 <= mean["upper"]
    assert (mean["guaranteed"], mean["weight"], mean["records"]) == (True, "w", 4)
    assert set(regression["coefficients"]) == {"(intercept)", "age"}
    assert regression["coefficients"]["age"]["left_out"] == 1
    assert found["picture"] == str(picture)
    assert picture.read_text().startswith("<svg")


@pytest.fixture
def rare(tmp_path):
    """Write boxes of 10 records of a sorted normal attribute, to be weighted."""
    values = np.sort(np.random.default_rng(0).normal(size=500)).reshape(-1, 10)
    table = pl.DataFrame(
        {
            "sex": ["f", "m"] * 250,
            "x.lo": np.repeat(values[:, 0], 10),
            "x.hi": np.repeat(values[:, -1], 10),
            "y": values.ravel() ** 2 + values.ravel(),
        }
    )
    promise = sf.Promise(quasi="sex", k=2)
    release = sf.Release(table, promise=promise, forms={"x": sf.Interval()}, settings={"dismiss": "fuzzy"})
    return str(release.write(tmp_path / "rare"))


def test_estimates_with_rare_boxes_weighted_as_json(run, rare):
    code, out, err = run("estimate", rare, "var(x)", "regress(y ~ x)", "--json")
    assert (code, err) == (0, "")
    variance, regression = json.loads(out)["estimates"]
    weighted = variance["weighted"]
    assert (weighted["dismiss"], weighted["calibrated"]) == ("fuzzy", True)
    assert weighted["shift"] == pytest.approx(0, abs=1e-9)
    assert weighted["saved"] == pytest.approx(
        1 - (weighted["upper"] - weighted["lower"]) / (variance["upper"] - variance["lower"])
    )
    assert all(one["weighted"]["calibrated"] for one in regression["coefficients"].values())
    code, out, _ = run("estimate", rare, "var(x)", "--dismiss", "crisp", "--no-calibrate", "--json")
    (found,) = json.loads(out)["estimates"]
    assert (found["value"], found["lower"]) == (variance["value"], variance["lower"])
    assert (found["weighted"]["dismiss"], found["weighted"]["calibrated"]) == ("crisp", False)
    assert found["weighted"]["shift"] < -0.3
    code, out, _ = run("estimate", rare, "var(x)", "--dismiss", "none", "--json")
    assert json.loads(out)["estimates"][0]["weighted"] is None


def test_estimates_with_rare_boxes_weighted_as_text(run, rare):
    code, out, _ = run("estimate", rare, "var(x)", "regress(y ~ x)", "--dismiss", "crisp")
    assert code == 0
    assert "Estimates, crisp weights" in out
    assert "regress(y ~ x), crisp weights" in out
    for word in ("shift", "width saved", "calibrated", "only the unweighted ranges are guaranteed"):
        assert word in out
    code, out, _ = run("estimate", rare, "var(x)", "--dismiss", "none")
    assert code == 0
    assert "shift" not in out
    assert "unweighted ranges" not in out


def test_names_that_look_like_markup(run, tmp_path):
    table = pl.DataFrame({"s": ["a", "a", "a"], "[/x]": [1.0, 2.0, 4.0], "[bold]": [1.0, 3.0, 2.0]})
    out = sf.Release(table, promise=sf.Promise(quasi="s", k=1)).write(tmp_path / "out")
    code, text, _ = run("estimate", str(out), "mean([/x])", "regress([bold] ~ [/x])")
    assert code == 0
    assert "regress([bold] ~ [/x])" in text
    assert "mean([/x])" in text


def test_estimate_as_text(run, released):
    code, out, _ = run("estimate", released, "mean(age)", "mean(hours)", "regress(hours ~ age)")
    assert code == 0
    assert out.startswith("Estimates")
    (hours,) = (line.split() for line in out.splitlines() if line.startswith("  mean(hours) "))
    # the value, that it is exact, and what is reached, which is the same
    assert hours[2] == "exact"
    assert float(hours[1]) == pytest.approx(float(hours[3]), rel=1e-3)
    assert "mean(hours): 3 records; without 1 record with a missing value." in out
    assert (
        "regress(hours ~ age): 3 records; without 1 record with a missing value; the boxes are too wide to guarantee"
        in out
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mean(agee)",), "unknown attribute 'agee'\n  mean(agee)\n       ^^^^"),
        (("mean(sex)",), "'sex' is not numeric"),
        (("mean(age",), "')' is expected here"),
        (("mean(age)", "--weight", "x"), "weight: unknown attribute 'x'"),
        (("mean(age)", "--dismiss", "soft"), "dismiss 'soft' is not known\nHint: choose one of: none, crisp, fuzzy"),
        (("mean(age)", "--picture", "p.gif"), "unsupported file type"),
        (("mean(age)", "--picture", "{release}/p.png"), "is inside the release"),
        ((), "Missing argument"),
    ],
)
def test_wrong_estimates_say_what_is_wrong(run, released, arguments, message):
    code, out, err = run("estimate", released, *(word.format(release=released) for word in arguments))
    assert (code, out) == (2, "")
    assert message in err


def test_estimates_say_that_records_were_left_out(run, tmp_path):
    table = pl.DataFrame({"age": ["20-39"] * 5 + ["40-59"] * 5, "pay": [float(place) for place in range(10)]})
    for suppress, told in ((0, False), (0.3, True)):
        release = sf.Release(table, promise=sf.Promise(quasi="age", k=5), settings={"suppress": suppress})
        code, out, _ = run("estimate", str(release.write(tmp_path / f"out{suppress}")), "mean(pay)")
        assert code == 0
        assert ("Up to 30% of the records may have been suppressed; estimates do not cover them." in out) == told
