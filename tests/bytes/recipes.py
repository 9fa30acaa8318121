"""A small file, recipes of every kind, and digests of what they write."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import polars as pl

from sfumato.datasets import census, health_survey
from sfumato.fuzzy.c_means import FuzzyCMeans
from sfumato.fuzzy.gustafson_kessel import GustafsonKessel
from sfumato.recipe import Recipe
from sfumato.release.release_reader import open_release
from sfumato.report import write_report

RECORDS = 1_500
PLACES = 12
HEAD = """seed = 1
[microfile]
path = "people.csv"
identifiers = ["name"]
kinds = { school = ["low", "middle", "high"] }
"""
GROUP = """[[protect]]
method = "group"
vital = { work = ["army"] }
parameter = "area"
hide = "outliers"
influential = ["age", "income", "sex"]
identifiers = ["name", "weight", "home"]
"""
NUMERIC = """[[protect]]
method = "boxes"
quasi = ["age", "hours", "income"]
k = 8
"""

RECIPES = {
    "numeric": NUMERIC
    + """preserve = ["mean(age)", "var(income)", "corr(age, income)", "regress(income ~ age + hours)"]
identifiers = ["name", "weight", "home"]
dismiss = "fuzzy"
""",
    "categories": """[[protect]]
method = "boxes"
quasi = ["sex", "work", "area", "school", "age"]
sensitive = ["ill"]
k = 5
identifiers = ["name", "weight", "home", "income"]
""",
    "hierarchy": """[[protect]]
method = "boxes"
quasi = ["age", "area", "school"]
k = 6
hierarchies = { area = "area.csv" }
identifiers = ["name", "weight", "home", "income"]
""",
    "tight": NUMERIC + 'edges = "tight"\nweight = "weight"\nidentifiers = ["name", "home"]\n',
    "tiling": NUMERIC + 'edges = "tiling"\nidentifiers = ["name", "weight", "home"]\n',
    "refined": NUMERIC + 'refine = true\nseconds = 0.2\npasses = 4\nidentifiers = ["name", "weight", "home"]\n',
    "households": """[[protect]]
method = "boxes"
quasi = ["age", "hours", "sex", "area"]
household = "home"
keep_household = true
k = 4
identifiers = ["name", "weight", "income"]
""",
    "l and t": """[[protect]]
method = "boxes"
quasi = ["age", "hours", "area"]
sensitive = ["ill", "income"]
k = 6
l = 2.5
diversity = "entropy"
t = 0.4
suppress = 0.02
weight = "weight"
dismiss = "crisp"
identifiers = ["name", "home"]
""",
    "least": GROUP,
    "wavelet": GROUP.replace('"outliers"', '["a03"]') + 'reshape = "wavelet"\nsignal = "concentration"\n',
    "moments": GROUP.replace('"outliers"', '["a03"]') + 'reshape = "moments"\nswap = "greedy"\n',
    "decoy": GROUP.replace('"outliers"', '["a03"]')
    + 'reshape = "decoy"\nswap = "memetic"\nmemetic = { population = 30, generations = 60, centre = 60 }\n',
    "c-means": """[[protect]]
method = "fuzzy-c-means"
quasi = ["age", "hours", "income"]
sets = 4
fuzzifier = 1.7
k = 5
q = 20
suppress = 0.3
weight = "weight"
identifiers = ["name", "home"]
""",
    "Gustafson-Kessel": """[[protect]]
method = "gustafson-kessel"
quasi = ["age", "hours", "income"]
sensitive = ["ill"]
sets = 3
k = 5
t = 0.6
suppress = 0.3
shown = "grades"
identifiers = ["name", "weight", "home"]
""",
    "k-means": """[[protect]]
method = "k-means"
quasi = ["age", "hours", "income"]
sets = 6
k = 5
suppress = 0.1
identifiers = ["name", "weight", "home"]
""",
    "mask, then boxes": GROUP
    + NUMERIC
    + 'preserve = ["mean(age)", "corr(age, hours)"]\nidentifiers = ["name", "weight", "home"]\n',
}
"""Every kind of protection, by name."""


def people() -> pl.DataFrame:
    """Make a table by whole numbers alone, so that every machine makes the same."""
    rng = np.random.default_rng(16)
    area = np.sort(rng.integers(1, PLACES + 1, RECORDS))
    army = rng.integers(0, 100, RECORDS) < np.where(area == 3, 45, 8)
    age = np.where(army, rng.integers(18, 40, RECORDS), rng.integers(1, 95, RECORDS))
    hours = np.where(age < 16, 0, rng.integers(0, 61, RECORDS))
    cents = rng.integers(0, 4_000, RECORDS) * (age + 10) + rng.integers(0, 100_000, RECORDS) * hours
    return pl.DataFrame(
        {
            "name": [f"P{number:05}" for number in range(RECORDS)],
            "home": np.arange(RECORDS) // 3,
            "age": age,
            "sex": np.array(["f", "m"])[rng.integers(0, 2, RECORDS)],
            "hours": pl.Series(hours).replace(13, None),
            "income": cents / 100,
            "school": np.array(["low", "middle", "high"])[rng.integers(0, 3, RECORDS)],
            "work": np.where(army, "army", np.array(["shop", "farm", "office"])[rng.integers(0, 3, RECORDS)]),
            "area": [f"a{number:02}" for number in area],
            "ill": np.array(["none", "none", "flu", "cold", "asthma"])[rng.integers(0, 5, RECORDS)],
            "weight": rng.integers(20, 400, RECORDS) / 4,
        }
    )


def digests(folder: Path) -> dict[str, str]:
    """Run every recipe in a folder, and return a digest of all that each writes.

    Beside them: what estimates from a release and its report say, the generated files, and clusterings.
    """
    people().write_csv(folder / "people.csv")
    tree = "".join(f"a{number:02};{'west' if number < 7 else 'east'};*\n" for number in range(1, PLACES + 1))
    (folder / "area.csv").write_text(tree)
    found = {}
    for name, text in RECIPES.items():
        own = folder / name
        own.mkdir()
        (folder / f"{name}.toml").write_text(HEAD + text)
        asked = Recipe.from_toml(folder / f"{name}.toml")
        asked.run().write(own / "release", seed=asked.seed)
        found[name] = _digest_of(own)
    numeric = open_release(folder / "numeric" / "release")
    asked = ["mean(age)", "std(income)", "corr(age, income)", "regress(income ~ age + hours)"]
    found["estimates"] = _digest(b"".join(str(numeric.estimate(one)).encode() for one in asked))
    page, _ = write_report(folder / "numeric" / "release", folder / "report.html")
    found["report"] = _digest(page.read_bytes())
    for name, frame in (("census", census(20_000).frame), ("health survey", health_survey(20_000).frame)):
        found[name] = _digest(frame.write_csv().encode())
    points = people().select("age", "income").to_numpy().astype(np.float64)
    for name, clustering in (("FuzzyCMeans", FuzzyCMeans), ("GustafsonKessel", GustafsonKessel)):
        found[name] = _digest(
            clustering(n_clusters=4, fuzzifier=1.5, random_state=0).fit(points).memberships_.tobytes()
        )
    return found


def _digest_of(folder: Path) -> str:
    """Return one digest of all files in a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return _digest(b"\0".join(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes() for path in files))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
