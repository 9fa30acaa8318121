"""Tables fit 80 columns."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.cli import main

RECIPE = """seed = 1
[microfile]
path = "people.csv"
identifiers = ["person", "household", "weight"]
[[protect]]
method = "boxes"
quasi = ["age", "hours", "travel_minutes"]
sensitive = ["income"]
k = 10
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("widths")
    sf.datasets.census(1_000).frame.write_csv(folder / "people.csv")
    (folder / "recipe.toml").write_text(RECIPE)
    with pytest.raises(SystemExit, match="0"):
        main(["protect", str(folder / "recipe.toml"), "--out", str(folder / "out")])
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("protect", "recipe.toml", "--out", "out", "--force", "--alternatives", "3,20"),
        ("profile", "people.csv"),
        (
            "estimate",
            "out",
            "mean(age)",
            "corr(age, hours)",
            "regress(age ~ hours + travel_minutes)",
            "--dismiss",
            "fuzzy",
        ),
        (
            "measure",
            "people.csv",
            "--quasi",
            "age,sex",
            "--sensitive",
            "income,disability,insurance,transport,occupation",
        ),
        ("compare", "people.csv", "--quasi", "age,hours", "--sensitive", "income", "--k", "5"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_tables_fit_80_columns(place, arguments, monkeypatch, capsys):
    monkeypatch.chdir(place)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(list(arguments))
    shown = capsys.readouterr().out.splitlines()
    # rows of tables begin with two spaces, and their rules with one; sentences are wrapped by the terminal
    inside = False
    rows = []
    for line in shown:
        inside = line.startswith(" ─") or (inside and line.startswith("  "))
        rows += [line.rstrip()] if inside else []
    assert len(rows) > 2
    assert max(map(len, rows)) <= 80
