"""What users write passes strict type checkers, without plugins."""

from __future__ import annotations

import re
import subprocess
import sys

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
value: float = boxes.protect(None).estimate("mean(age)").value
names: list[str] = list(boxes.quasi)
"""
BAD = {
    "sf.Boxes(quasi=['age'], q=5)": "call-arg",
    "sf.Boxes(quasi=['age'], k='five')": "arg-type",
    "sf.Boxes(quasi=5, k=5)": "arg-type",
    "sf.GroupMask(group=3, hide='outliers')": "arg-type",
}


def checked(folder, text: str) -> str:
    (folder / "users.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent", "users.py"]
    environment = {"MYPYPATH": str(ROOT / "src"), "PATH": "", "MYPY_CACHE_DIR": str(folder.parent / "mypy")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.stdout


def test_good_code_passes_and_wrong_code_does_not(tmp_path):
    readme = re.search(r"```python\n(import sfumato as sf\n.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert readme is not None
    wrong = [f"{line}  # wrong" for line in BAD]
    found = checked(tmp_path, "\n".join([readme.group(1), GOOD.replace("import sfumato as sf\n", ""), *wrong]))
    lines = (tmp_path / "users.py").read_text().splitlines()
    told = re.findall(r"users\.py:(\d+): error: .*\[([a-z-]+)\]", found)
    assert {(lines[int(number) - 1].removesuffix("  # wrong"), kind) for number, kind in told} == {*BAD.items()}, found


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
