"""What users write passes strict type checkers, without plugins."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.generated import ROOT

GOOD = """
import sfumato as sf

boxes = sf.Boxes(quasi=["age"], k=5)
sf.Boxes(quasi="age", sensitive=("income",), k=5, preserve="mean(age)", prefer={"age": [18, 65]})
sf.Boxes(quasi=["age"], k=5, preserve=["mean(age)", {"statistic": "var(age)", "importance": 2}])
sf.FuzzyPartition(quasi=["age", "hours"], sets=3, method="k-means")
army = sf.Group(vital={"MIL": [1]}, parameter="POWPUMA")
sf.GroupMask(group=army, hide=["300"], influential=["age"], keep=["sex"])
sf.GroupMask(group=army, hide="outliers", influential={"age": 2.0}, reshape="least")
sf.FuzzyRuleAttack(group=army, attributes=["age"])
sf.Linkage(on=["age"])
sf.Roles(quasi=["age"], sensitive="income")
release = boxes.protect(None)
value: float = release.estimate("mean(age)").value
line = release.estimate("regress(income ~ age)")
assert isinstance(line, sf.statistics.Regression)
slope: float = line["age"].value
several: list[float] = [one.value for one in release.estimate(["mean(age)", "var(age)"])]
names: list[str] = list(boxes.quasi)
"""
BAD = {
    "sf.Boxes(quasi=['age'], q=5)": ("call-arg", "reportCallIssue"),
    "sf.Boxes(quasi=['age'], k='five')": ("arg-type", "reportArgumentType"),
    "sf.Boxes(quasi=5, k=5)": ("arg-type", "reportArgumentType"),
    "sf.GroupMask(group=3, hide='outliers')": ("arg-type", "reportArgumentType"),
    "release.estimate(3)": ("call-overload", "reportArgumentType reportCallIssue"),
    "release.estimate(['mean(age)']).value": ("attr-defined", "reportAttributeAccessIssue reportUnknownMemberType"),
}


def with_mypy(folder: Path) -> list[tuple[int, str]]:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "users.py"]
    environment = {"MYPYPATH": str(ROOT / "src"), "PATH": "", "MYPY_CACHE_DIR": str(folder.parent / "mypy")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    found = re.findall(r"users\.py:(\d+): error: .*\[([a-z-]+)\]", done.stdout)
    assert len(found) == done.stdout.count("error: "), done.stdout
    return [(int(number), kind) for number, kind in found]


def with_pyright(folder: Path) -> list[tuple[int, str]]:
    settings = {"typeCheckingMode": "strict", "include": ["users.py"], "extraPaths": [str(ROOT / "src")]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    # no other version than the installed one is looked for
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["summary"]["filesAnalyzed"] == 1
    return [(one["range"]["start"]["line"] + 1, one["rule"]) for one in told["generalDiagnostics"]]


@pytest.mark.parametrize("checker", [with_mypy, with_pyright])
def test_good_code_passes_and_wrong_code_does_not(tmp_path, checker):
    readme = re.search(r"```python\n(import sfumato as sf\n.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert readme is not None
    lines = [*readme.group(1).splitlines(), *GOOD.replace("import sfumato as sf\n", "").splitlines(), *BAD]
    (tmp_path / "users.py").write_text("\n".join(lines) + "\n")
    kinds: dict[str, set[str]] = {}
    for number, kind in checker(tmp_path):
        kinds.setdefault(lines[number - 1], set()).add(kind)
    column = 0 if checker is with_mypy else 1
    assert kinds == {line: set(expected[column].split()) for line, expected in BAD.items()}


def test_help_explains_every_setting():
    import sfumato as sf

    for settings in (sf.Boxes, sf.FuzzyPartition, sf.GroupMask):
        text = settings.__doc__ or ""
        for name, field in settings.model_fields.items():
            assert f"\n{name}\n" in text or f"\n{name} (" in text, (settings, name)
            assert field.description is not None
            assert " ".join(field.description.split()) in " ".join(text.split())


@pytest.mark.parametrize("name", ["Boxes", "FuzzyPartition", "GroupMask"])
def test_help_begins_with_the_settings(name):
    code = f"import sfumato as sf; help(sf.{name})"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    head = shown.splitlines()[:130]
    assert any("Parameters" in line for line in head)
    assert any("Method resolution order" in line for line in head), len(head)
