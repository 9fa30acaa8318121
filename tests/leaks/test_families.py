"""Families: household numbers are withheld, but records with the same rare shared value belong together."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.report import write_report

LARGEST = 6
"""Who links takes records for a household if at most this number of them have the same values."""


def households(homes: int = 300) -> pl.DataFrame:
    """Make households with a rent, a number of rooms and a size; half of the rents are round and frequent."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(1, 6, homes)
    home = np.repeat(np.arange(homes), sizes)
    rent = np.where(rng.random(homes) < 0.5, rng.choice([400, 500, 600], homes), rng.integers(4_000, 9_000, homes))
    order = rng.permutation(home.size)
    file = pl.DataFrame(
        {
            "home": home,
            "age": rng.integers(0, 90, home.size),
            "hours": rng.integers(0, 60, home.size),
            "rent": rent[home],
            "size": sizes[home],
        }
    )
    return file[order]


def pairs_of(keys: list[object]) -> set[tuple[int, int]]:
    """Return the pairs of records with the same key."""
    found: dict[object, list[int]] = {}
    for record, key in enumerate(keys):
        found.setdefault(key, []).append(record)
    return {
        pair for records in found.values() if len(records) <= LARGEST for pair in itertools.combinations(records, 2)
    }


def linked(file: pl.DataFrame, table: pl.DataFrame, names: list[str]) -> float:
    """Return the share of pairs of members that are linked by the same released values, if most links are right."""
    true = pairs_of(file["home"].to_list())
    guessed = pairs_of(table.select(names).rows())
    right = guessed & true
    return len(right) / len(true) if len(right) > len(guessed) / 2 else 0.0


def protect(method: str, file: pl.DataFrame, **given: object) -> sf.Release:
    settings = sf.Boxes if method == "boxes" else sf.FuzzyPartition
    return settings(**{"quasi": ["age", "hours"], "household": "home", "k": 3, **given}).protect(file)


@pytest.mark.parametrize("method", ["boxes", "fuzzy"])
def test_families_that_shared_values_put_together_are_reported(figure, method):
    file = households()
    release = protect(method, file)
    assert "home" not in release.table.columns
    found = linked(file, release.table, ["rent", "size"])
    (note,) = [line for line in release.notes if "can be recognised" in line]
    several = file.group_by("home").len().filter(pl.col("len") > 1).height
    by_hand = (
        release.table.with_columns(file["home"])
        .group_by("rent", "size")
        .agg(pl.len(), pl.col("home").n_unique(), pl.col("size").first().alias("of"))
    )
    whole = by_hand.filter((pl.col("len") > 1) & (pl.col("home") == 1) & (pl.col("len") == pl.col("of"))).height
    assert f"{whole} of {several} households with two or more records" in note
    assert note.endswith("rent, size.")
    assert found > 0.4
    # without shared values nothing is linked, and nothing is said
    alone = protect(method, file.drop("rent", "size"))
    columns = list(alone.table.columns)
    baseline = linked(file, alone.table, columns)
    assert baseline < 0.05
    assert not [line for line in alone.notes if "can be recognised" in line]
    # the attack is as it was; before, the documentation said that nobody could
    figure(
        f"pairs of a household linked by rare shared values: {method}, reported",
        now=found,
        baseline=baseline,
        before=found,
    )


def test_shared_values_that_are_quasi_put_no_family_together(figure):
    file = households()
    release = protect("boxes", file, quasi=["age", "hours", "rent", "size"], k=5)
    columns = ["rent.lo", "rent.hi", "size.lo", "size.hi"]
    now, before = linked(file, release.table, columns), linked(file, file, ["rent", "size"])
    figure("pairs of a household linked by rare shared values that are quasi", now=now, baseline=0.0, before=before)
    assert before > 0.4
    assert now == 0.0
    assert not [line for line in release.notes if "can be recognised" in line]


def test_no_page_says_that_nobody_can(request):
    root = request.config.rootpath
    pages = [*(root / "docs").rglob("*.md"), root / "README.md", *(root / "src").rglob("*.py")]
    claims = ("can put families together", "cannot be put together", "nobody can link", "keeps families apart")
    told = [(path.name, claim) for path in pages for claim in claims if claim in path.read_text(encoding="utf-8")]
    assert told == []


@pytest.mark.parametrize("method", ["boxes", "fuzzy"])
def test_the_report_says_that_withheld_numbers_do_not_keep_members_apart(method, tmp_path):
    release = protect(method, households())
    write_report(release.write(tmp_path / "out"), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Withholding the numbers does not separate the members" in page
    # how many households are put together only the original tells: that stays with the steward
    assert "can be recognised" not in page
    assert not any("can be recognised" in path.read_text(errors="replace") for path in (tmp_path / "out").iterdir())
