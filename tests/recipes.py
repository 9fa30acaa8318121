"""A good recipe and its file."""

from __future__ import annotations

import datetime

import numpy as np
import polars as pl

REGIONS = ("a1", "a2", "b1", "b2")
GOOD = """# a recipe
seed = 7

[microfile]
path = "people.csv"
identifiers = ["name"]
weight = "w"
kinds = { school = ["low", "middle", "high"] }
missing = { hours = [-1] }
delimiter = ";"

[[protect]]
method = "boxes"
quasi = ["age", "hours", "born", "region", "school"]
sensitive = "ill"
k = 5
l = 2
preserve = ["mean(age)", { statistic = "corr(age, hours)", importance = 2 }]
hierarchies = { region = "trees/region.csv" }

[protect.prefer]
age = [18, 65]
"""


def group_recipe(hide: str, *, more: str = "", boxes: str = "", seed: int | None = None) -> str:
    """Return a recipe that hides how many soldiers work in an area; ``boxes`` are settings of what follows the mask."""
    lines = [] if seed is None else [f"seed = {seed}"]
    lines += ["[microfile]", 'path = "people.csv"', "[[protect]]", 'method = "group"', 'vital = { work = ["army"] }']
    lines += ['parameter = "area"', f'hide = ["{hide}"]', 'influential = ["age"]', more]
    lines += ["[[protect]]", 'method = "boxes"', boxes] if boxes else []
    return "\n".join(lines) + "\n"


def people(records: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(15, 90, records)
    born = [datetime.date(2020, 1, 1) - datetime.timedelta(days=int(days)) for days in age * 365 + 17]
    return pl.DataFrame(
        {
            "name": [f"SECRET{number}" for number in range(records)],
            "age": age,
            "hours": np.where(rng.random(records) < 0.1, -1, rng.integers(0, 60, records)),
            "born": born,
            "region": rng.choice(REGIONS, records),
            "school": rng.choice(["low", "middle", "high"], records),
            "ill": rng.choice(["x", "y", "z"], records),
            "w": rng.gamma(5.0, 1.0, records).round(2),
        }
    )
