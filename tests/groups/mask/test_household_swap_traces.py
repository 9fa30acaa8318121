"""Who was exchanged does not show among those that they live with."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sfumato.errors import SettingError
from sfumato.recipe import Recipe
from tests.groups.mask.test_mask_protection import mask, people


def families() -> pl.DataFrame:
    """People of whom two each live together, in one place."""
    frame = people().sort("area", maintain_order=True)
    return frame.with_columns(home=pl.Series(np.arange(frame.height) // 2 + 100))


def test_a_mask_refuses_to_split_households_for_all_to_see():
    with pytest.raises(SettingError, match=r"identifiers: 'home' would show who was swapped.*in \d+ of its values"):
        mask().protect(families())
    release = mask(identifiers=["home"]).protect(families())
    assert "home" not in release.table.columns


def test_a_mask_before_boxes_needs_household_numbers_withheld(tmp_path):
    families().write_parquet(tmp_path / "people.parquet")
    text = """
seed = 1
[microfile]
path = "people.parquet"
identifiers = ["id"]
[[protect]]
method = "group"
vital = { work = ["army"] }
parameter = "area"
hide = ["C"]
influential = ["age", "sex"]
[[protect]]
method = "boxes"
quasi = ["age", "hours"]
household = "home"
k = 3
"""
    (tmp_path / "recipe.toml").write_text(text)
    release = Recipe.from_toml(tmp_path / "recipe.toml").run()
    assert "home" not in release.microfile.names
    (tmp_path / "recipe.toml").write_text(text + "keep_household = true\n")
    with pytest.raises(SettingError, match="'home' would show who was swapped"):
        Recipe.from_toml(tmp_path / "recipe.toml").run()


def described() -> pl.DataFrame:
    """People of whom a column tells the density of their place, and another roughly its coast."""
    frame = people()
    coast = frame["area"].is_in(["A", "B", "C"]) != pl.Series(np.arange(frame.height) % 97 == 0)
    return frame.with_columns(
        density=pl.col("area").replace_strict({name: 100.5 + place for place, name in enumerate("ABCDEF")}), coast=coast
    )


def test_what_describes_the_place_moves_with_it():
    frame = described().drop("coast")
    release = mask().protect(frame)
    assert release.settings["exchanged"]["attributes"] == ["area", "density"]
    assert release.private["groups"][0]["along"] == ["density"]
    pairs = [its.select("area", "density").unique().sort("area") for its in (frame, release.table)]
    assert pairs[0].equals(pairs[1])
    assert release.table.drop("area", "density").equals(frame.drop("area", "density"))
    with pytest.raises(SettingError, match="'density' would show who was swapped: 100% of the swapped records"):
        mask(along=[]).protect(frame)


def test_a_recipe_moves_attributes_along_and_refuses_those_that_tell(tmp_path):
    described().write_parquet(tmp_path / "people.parquet")
    text = """
seed = 1
[microfile]
path = "people.parquet"
identifiers = ["id"]
[[protect]]
method = "group"
vital = { work = ["army"] }
parameter = "area"
hide = ["C"]
influential = ["age", "sex"]
[[protect]]
method = "boxes"
quasi = ["age", "hours"]
k = 3
"""
    path = tmp_path / "recipe.toml"
    path.write_text(text)
    with pytest.raises(SettingError, match="'coast' would show who was swapped"):
        Recipe.from_toml(path).run()
    path.write_text(
        text.replace('influential = ["age", "sex"]', 'influential = ["age", "sex"]\nalong = ["coast", "density"]')
    )
    release = Recipe.from_toml(path).run()
    assert release.settings["exchanged"]["attributes"] == ["area", "coast", "density"]
