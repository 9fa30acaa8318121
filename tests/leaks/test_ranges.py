"""A guaranteed range holds the original's statistic, also after values were exchanged between records."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError
from sfumato.recipe import Recipe
from tests.recipes import group_recipe

FILES = 8
BEFORE = 0.125
PLACES = np.array([100, 210, 320, 430, 540, 650])
RECIPE = group_recipe("320", boxes='quasi = ["area", "age"]\nk = 30\npreserve = ["mean(area)"]\ndetail = 0.0', seed=1)


def people(seed: int) -> pl.DataFrame:
    """A town of soldiers, and three people whose place is not known: too few for a block of their own."""
    rng = np.random.default_rng(seed)
    area = np.repeat(PLACES, 60)
    army = (rng.random(area.size) < np.where(area == 320, 0.5, 0.1)).tolist()
    frame = pl.DataFrame(
        {"area": area, "age": rng.integers(18, 70, area.size), "work": ["army" if one else "other" for one in army]}
    )
    lost = rng.choice(frame.height, 3, replace=False)
    return frame.with_columns(
        pl.when(pl.Series(np.isin(np.arange(area.size), lost))).then(None).otherwise("area").alias("area")
    )


def wrong_ranges(folder, seed: int) -> tuple[int, int]:
    """How many guaranteed means miss the original's, and how many are told."""
    original = people(seed)
    original.write_csv(folder / "people.csv")
    (folder / "recipe.toml").write_text(RECIPE)
    release = Recipe.from_toml(folder / "recipe.toml").run()
    known = release.table["area.lo"].is_not_null()
    assert known.not_().sum() > original["area"].null_count(), "the boxes lose no value of the exchanged attribute"
    # in memory records stand in the order of the file
    truth = original["area"].filter(known).mean()
    try:
        found = release.estimate("mean(area)")
    except SettingError:
        return 0, 0
    return int(not found.lower <= truth <= found.upper), 1


def test_ranges_of_exchanged_values_that_boxes_lose(tmp_path, figure):
    found = [wrong_ranges(tmp_path, seed) for seed in range(FILES)]
    wrong, told = (sum(column) for column in zip(*found, strict=True))
    figure("guaranteed means of exchanged values that miss the truth", now=wrong / FILES, baseline=0, before=BEFORE)
    assert wrong == told == 0


def test_the_mean_of_exchanged_values_that_all_records_have_stays():
    table = pl.DataFrame({"area": [1, 2, 3, 4], "age": [30, 31, 32, 33]})
    settings = {"exchanged": {"attributes": ["area"], "share": 0.5}}
    release = sf.Release(table, promise=sf.Promise(quasi=(), k=1), settings=settings)
    assert release.estimate("mean(area)").value == 2.5
    lacking = table.with_columns(area=pl.Series([1, 2, 3, None]))
    release = sf.Release(lacking, promise=sf.Promise(quasi=(), k=1), settings=settings)
    with pytest.raises(SettingError, match="'area' may have been swapped"):
        release.estimate("mean(area)")
