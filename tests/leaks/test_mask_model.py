"""Attack: learn from the release alone which values go with which place, over all columns, and suspect who fits least.

No column and no pair of them says much about the place; ten together do.
"""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict

import sfumato as sf
from sfumato.errors import SettingError
from tests.leaks.conftest import Figure
from tests.leaks.test_mask_columns import ARMY, made, unguarded

MASK = sf.GroupMask(group=ARMY, hide=["a05"], influential=["age"], seed=3)
NAMES = [f"x{number}" for number in range(10)]


def with_measurements(noise: float) -> pl.DataFrame:
    """Add ten numbers whose means differ from place to place by about one."""
    people = made().select("area", "work", "age")
    rng = np.random.default_rng(8)
    place = people["area"].str.slice(1).cast(pl.Int64).to_numpy()
    means = rng.normal(0, 1, (16, len(NAMES)))
    return people.with_columns(
        pl.Series(name, np.round(means[place, number] + noise * rng.normal(0, 1, place.size), 2))
        for number, name in enumerate(NAMES)
    )


def precision(before: pl.DataFrame, table: pl.DataFrame) -> tuple[float, float]:
    """Return how many of as many suspects as were exchanged were, and how many of all records were."""
    moved = (before["area"] != table["area"]).to_numpy()
    columns = [name for name in ("age", *NAMES) if name in table.columns]
    _, places = np.unique(table["area"].to_numpy(), return_inverse=True)
    fits = cross_val_predict(
        LinearDiscriminantAnalysis(), table.select(columns).to_numpy(), places, cv=5, method="predict_proba"
    )
    suspects = np.argsort(fits[np.arange(places.size), places], kind="stable")[: moved.sum()]
    return float(moved[suspects].mean()), float(moved.mean())


def released_without(people: pl.DataFrame, withheld: list[str]) -> tuple[pl.DataFrame, list[str]]:
    """Withhold columns that are named in refusals until the mask is accepted."""
    try:
        return MASK.model_copy(update={"identifiers": tuple(withheld)}).protect(people).table, withheld
    except SettingError as refused:
        return released_without(people, withheld + re.findall(r"'(x\d)'", refused.message))


def test_all_columns_together_no_longer_give_swaps_away(figure: Figure) -> None:
    people = with_measurements(1.5)
    before, _ = precision(people, unguarded(MASK, people, NAMES))
    assert before > 0.4
    with pytest.raises(SettingError, match="all released attributes together, most of all 'x"):
        MASK.protect(people)
    # whoever withholds what is named, as often as it is refused, releases what shows little
    table, withheld = released_without(people, [])
    assert 0 < len(withheld) < len(NAMES)
    now, baseline = precision(people, table)
    figure("mask beside ten columns together: suspects exchanged", now=now, baseline=baseline, before=before)
    assert now < 0.2


def test_columns_that_hardly_differ_between_places_are_released() -> None:
    people = with_measurements(12.0)
    release = MASK.protect(people)
    assert release.table.columns == people.columns
    found, baseline = precision(people, release.table)
    assert found < 4 * baseline


@pytest.mark.parametrize("seed", range(3))
def test_chance_is_not_refused(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = made().select("area", "work", "age")
    people = people.with_columns(pl.Series(name, rng.integers(0, 9, people.height)) for name in NAMES)
    assert MASK.protect(people).table.columns == people.columns
