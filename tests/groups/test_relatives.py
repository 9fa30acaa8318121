"""Who was exchanged does not show among those that they live with."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sfumato.errors import SettingError
from sfumato.recipe import read_recipe
from tests.groups.test_masking import mask, people


def families() -> pl.DataFrame:
    """People of whom two each live together, in one place."""
    frame = people().sort("area", maintain_order=True)
    return frame.with_columns(home=pl.Series(np.arange(frame.height) // 2 + 100))


def test_a_mask_refuses_to_split_households_for_all_to_see():
    with pytest.raises(SettingError, match=r"identifiers: 'home' would show who was exchanged.*in \d+ of its values"):
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
    release = read_recipe(tmp_path / "recipe.toml").run()
    assert "home" not in release.microfile.names
    (tmp_path / "recipe.toml").write_text(text + "keep_household = true\n")
    with pytest.raises(SettingError, match="'home' would show who was exchanged"):
        read_recipe(tmp_path / "recipe.toml").run()
