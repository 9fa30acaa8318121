"""Columns that are released as they are and tell a quasi attribute of nearly all records, not of all."""

from __future__ import annotations

import warnings

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SfumatoWarning
from tests.leaks.conftest import Figure

RECORDS = 3000
AGES = np.arange(18, 90)


def people(wrong: float) -> pl.DataFrame:
    """Make people of whom a share has a wrong year of birth."""
    random = np.random.default_rng(0)
    age = random.integers(18, 90, RECORDS)
    birth = np.where(random.random(RECORDS) < wrong, random.integers(1930, 2002, RECORDS), 2020 - age)
    code = random.integers(0, 72, RECORDS)
    return pl.DataFrame(
        {
            "age": age,
            "sex": random.choice(["m", "f"], RECORDS),
            "region": random.choice([f"r{number}" for number in range(10)], RECORDS),
            "school": random.choice(list("abcdef"), RECORDS),
            "birth": birth,
            "bureau": code // 9,
            "desk": (age + code // 9) % 72,
            "ill": random.choice(["flu", "gout", "none"], RECORDS),
        }
    )


def warned_of(frame: pl.DataFrame) -> tuple[sf.Release, list[str]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        release = sf.Boxes(quasi=["age", "sex", "region", "school"], sensitive="ill", k=10, seed=1).protect(frame)
    return release, [str(one.message) for one in caught if one.category is SfumatoWarning]


def guessed(table: pl.DataFrame, columns: list[str]) -> np.ndarray:
    """Guess ages from the release alone: of records that look alike, the ages that lie in most of their boxes."""
    low, high = (table[f"age.{end}"].to_numpy() for end in ("lo", "hi"))
    if not columns:
        return (low + high) / 2
    groups = table.select(pl.struct(columns).rank("dense")).to_series().to_numpy()
    guesses = np.empty(table.height)
    for group in np.unique(groups):
        here = groups == group
        covered = ((low[here][:, None] <= AGES) & (high[here][:, None] >= AGES)).mean(axis=0)
        guesses[here] = AGES[covered >= covered.max() - 1e-9].mean()
    return guesses


@pytest.mark.parametrize(
    ("columns", "others", "wrong"),
    [(["birth"], ["bureau", "desk"], 0.001), (["birth"], ["bureau", "desk"], 0.05), (["bureau", "desk"], ["birth"], 0)],
    ids=["1 in 1000 wrong", "1 in 20 wrong", "a pair"],
)
def test_columns_that_nearly_tell_a_quasi_attribute_are_warned_of(columns, others, wrong, figure: Figure):
    frame = people(wrong).drop(others)
    ages = frame["age"].to_numpy()
    release, messages = warned_of(frame)
    (message,) = messages
    assert message.startswith(" and ".join(columns))
    assert "age, which is quasi" in message
    through = float((np.abs(guessed(release.table, columns) - ages) <= 1).mean())
    # who follows the warning leaves them out
    safe, messages = warned_of(frame.drop(columns))
    assert messages == []
    now, baseline = (float((np.abs(guessed(its.table, []) - ages) <= 1).mean()) for its in (safe, release))
    assert through > 2 * baseline
    assert now <= baseline + 0.02
    name = f"ages within a year, through {' and '.join(columns)} ({wrong:.1%} wrong), unwarned"
    figure(name, now=now, baseline=baseline, before=through)


def test_attributes_that_most_records_share_tell_nothing():
    random = np.random.default_rng(3)
    frame = (
        people(0)
        .select("age", "ill", "sex")
        .with_columns(
            region=pl.Series(random.choice(["a", "b", "c"], RECORDS, p=[0.95, 0.03, 0.02])),
            shoe=pl.Series(random.integers(36, 46, RECORDS)),
            hat=pl.Series(random.integers(50, 60, RECORDS)),
        )
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sf.Boxes(quasi=["age", "region"], sensitive="ill", k=10).protect(frame)
