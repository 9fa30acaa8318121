from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.report.records import SECRET_PLACE, group, record
from tests.report.releases import written


@pytest.fixture
def release(tmp_path):
    return written(tmp_path / "out", private={"groups": [group()]})


def test_report_as_text(run, release):
    code, out, err = run("report", str(release))
    assert (code, err) == (0, "")
    assert "Verified: the files are intact" in out
    assert f"Report written to {release}.html." in out
    assert release.with_name("out.html").read_text().startswith("<!DOCTYPE html>")


def test_report_as_json(run, release, tmp_path):
    path = tmp_path / "mine.html"
    code, out, _ = run("report", str(release), "--out", str(path), "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["report"], found["edition"], found["holds"], found["findings"]) == (str(path), "public", True, [])
    assert (found["k"], found["l"], found["risk"]["highest"]) == (4, 3, 0.25)
    assert [one["statistic"] for one in found["statistics"]] == ["mean(age)", "corr(age, pay)"]
    assert path.exists()


def test_the_private_edition(run, release):
    (own,) = release.with_name("out.private").iterdir()
    code, out, _ = run("report", str(release), "--private", str(own), "--json")
    found = json.loads(out)
    assert (code, found["edition"]) == (0, "private")
    assert found["report"] == f"{release}.private.html"
    assert SECRET_PLACE not in out
    assert SECRET_PLACE in release.with_name("out.private.html").read_text()
    assert "Confidential report written to" in run("report", str(release), "--private", str(own))[1]


def test_a_release_that_does_not_hold_exits_with_1(run, release):
    (release / "data.csv").write_text((release / "data.csv").read_text().replace("SECRET1", "SECRET2"))
    code, out, _ = run("report", str(release))
    assert code == 1
    assert "fails its audit" in out
    assert "fails its audit" in release.with_name("out.html").read_text()
    code, out, _ = run("report", str(release), "--json")
    assert (code, json.loads(out)["holds"]) == (1, False)


def test_wrong_input(run, release, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(json.dumps(record("0" * 64)))
    for arguments, message in [
        ((str(tmp_path / "nowhere"),), "does not exist"),
        ((str(tmp_path),), "is not a release"),
        ((str(release), "--out", str(release / "x.html")), "is inside the release"),
        ((str(release), "--out", "x.pdf"), "supported: .html"),
        ((str(release), "--private", str(other)), "the record belongs to another release"),
        ((str(release), "--private", str(tmp_path)), "has no record of this release"),
    ]:
        code, out, err = run("report", *arguments)
        assert (code, out) == (2, "")
        assert message in err
    assert not list(tmp_path.glob("*.html"))


def test_help_loads_nothing_of_it():
    code = "import sys; from sfumato.cli import app; app._app('audit'); print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
