"""A small synthetic country with one garrison."""

from __future__ import annotations

import numpy as np
import polars as pl

from sfumato.groups import Group

TOWNS = tuple(f"t{number:02}" for number in range(14))
GARRISON = "t03"
ARMY = Group(vital={"army": [1]}, parameter="town")
AGE = {
    "attribute": "age",
    "values": {
        "young": {"shape": "falling", "corners": [25, 35]},
        "old": {"shape": "rising", "corners": [25, 35]},
    },
}
HOURS = {
    "attribute": "hours",
    "values": {"usual": {"shape": "falling", "corners": [42, 50]}, "long": {"shape": "rising", "corners": [42, 50]}},
}
WAY = {"attribute": "way", "values": {"on foot": "walk", "by car": ["car", "van"]}}


def country(seed: int, records: int = 12_000) -> pl.DataFrame:
    """Soldiers are young, long at work and on foot; a third of them serve in one town."""
    rng = np.random.default_rng(seed)
    army = rng.random(records) < 0.04
    # nearly as many in every town, so that no other stands out by chance
    towns = rng.permutation(np.arange(records) % len(TOWNS))
    towns[army] = np.resize(np.repeat(np.arange(len(TOWNS)), np.arange(len(TOWNS)) % 5 + 20), army.sum())
    towns[army & (rng.random(records) < 0.35)] = TOWNS.index(GARRISON)
    ages = np.where(army, rng.integers(18, 32, records), rng.integers(16, 75, records))
    hours = np.where(army, rng.integers(46, 70, records), rng.integers(10, 56, records))
    on_foot = rng.random(records) < np.where(army, 0.7, 0.1)
    return pl.DataFrame(
        {
            "town": np.array(TOWNS)[towns],
            "coast": np.where(towns < 7, "east", "west"),
            "age": ages,
            "hours": hours,
            "way": np.where(on_foot, "walk", np.where(rng.random(records) < 0.9, "car", "van")),
            "sex": np.where(rng.random(records) < np.where(army, 0.85, 0.5), "m", "f"),
            "army": army.astype(np.int8),
        }
    )
