"""Certificate, codebook and report are a function of the released table and the public settings alone.

Many tiny originals are made that differ only where the release does not show it. Whatever else than the data differs
between two releases with the same data would tell them apart.
"""

import datetime
import itertools
import json
from collections import defaultdict

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import health_survey
from sfumato.fuzzy.shapes import Falling, Rising
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.randomness import Secret
from sfumato.report import write_report

SECRET = Secret(bytes(range(16)))
ORIGINALS = 24
BEFORE = {"snapped": 24, "suppressed": 24, "values apart": 24, "group": 2}
BEFORE |= {"guessed kinds": 2, "guessed kinds, sensitive": 2, "guessed kinds, nodes": 2}
"""So many different public files stood beside one and the same table."""
SETS = {"age": {"young": Falling(corners=(30.0, 50.0)), "old": Rising(corners=(30.0, 50.0))}}
CLASSES = Hierarchy.from_mapping({str(size): ("low" if size in (1, 2, 5) else "high", "*") for size in range(1, 7)})
TOWNS = Hierarchy.from_mapping({town: (town[0], "*") for town in ("a1", "a2", "b1", "b2")})
ARMY = sf.Group(vital={"work": ["army"]}, parameter="area")


def between(rng: np.random.Generator, low: float, high: float, count: int = 2, step: float = 1) -> list[float]:
    """Draw values inside a box whose ends others hold."""
    return (rng.integers(low / step + 1, high / step, count) * step).tolist()


def numbers(rng: np.random.Generator) -> pl.DataFrame:
    ages = [20, 30, 20, 30, *between(rng, 20, 30), 60, 80, 60, 80, *between(rng, 60, 80)]
    return pl.DataFrame({"age": ages, "ill": ["x", "y"] * 6})


def halves(rng: np.random.Generator) -> pl.DataFrame:
    step = rng.choice([1.0, 0.5, 0.25])
    ages = [20, 30, 20, 30, *between(rng, 20, 30, step=step), 60, 80, 60, 80, *between(rng, 60, 80, step=step)]
    return pl.DataFrame({"age": np.array(ages, dtype=np.float64), "ill": ["x", "y"] * 6})


def with_few_lacking(rng: np.random.Generator) -> pl.DataFrame:
    few = int(rng.integers(0, 4))
    lacking = pl.DataFrame({"age": [None] * few, "ill": ["x"] * few}, schema=numbers(rng).schema)
    return pl.concat([numbers(rng), lacking])


def with_few_between(rng: np.random.Generator) -> pl.DataFrame:
    few = [40] * int(rng.integers(0, 4))
    return pl.concat([numbers(rng), pl.DataFrame({"age": few, "ill": ["x"] * len(few)}, schema=numbers(rng).schema)])


def dates(rng: np.random.Generator) -> pl.DataFrame:
    first = datetime.date(2000, 1, 1)
    return numbers(rng).with_columns(
        age=pl.Series([first + datetime.timedelta(days=30 * age) for age in numbers(rng)["age"]])
    )


def categories(rng: np.random.Generator) -> pl.DataFrame:
    town = [*["a1", "a2", "a1", "a2"], *rng.choice(["a1", "a2"], 2), *["b1", "b2"] * 2, *rng.choice(["b1", "b2"], 2)]
    return pl.DataFrame({"town": town, "ill": ["x", "y"] * 6})


def grades(rng: np.random.Generator) -> pl.DataFrame:
    order = pl.Enum(["low", "middle", "high", "top"])
    low, high = (rng.choice(pair, 2).tolist() for pair in (["low", "middle"], ["high", "top"]))
    return pl.DataFrame(
        {
            "grade": pl.Series(["low", "middle"] * 2 + low + ["high", "top"] * 2 + high, dtype=order),
            "ill": ["x", "y"] * 6,
        }
    )


def gaps(rng: np.random.Generator) -> pl.DataFrame:
    lacking = pl.DataFrame({"age": [None] * 6, "ill": ["x", "y"] * 3}, schema=numbers(rng).schema)
    return pl.concat([numbers(rng), lacking])


def two_kinds(rng: np.random.Generator) -> pl.DataFrame:
    return numbers(rng).with_columns(town=categories(rng)["town"])


def families(rng: np.random.Generator) -> pl.DataFrame:
    # members of a household may have the same age or not, which their box does not show
    some = rng.integers(21, 30, 6).tolist() if rng.random() < 0.5 else np.repeat(rng.integers(21, 30, 3), 2).tolist()
    ages = [20, 20, 30, 30, *some, 60, 60, 80, 80]
    homes = [number // 2 for number in range(len(ages))]
    return pl.DataFrame({"age": ages, "home": homes, "ill": ["x", "y"] * 7})


def places(rng: np.random.Generator) -> pl.DataFrame:
    # soldiers stand out in C, more or less
    members = {"A": 6, "B": 6, "C": 6 + int(rng.integers(0, 12)), "D": 6}
    members["A"] += 30 - sum(members.values()) + 6
    rows = [(area, "army" if number < count else "shop") for area, count in members.items() for number in range(40)]
    return pl.DataFrame(rows, schema=["area", "work"], orient="row")


SIZES = {1: "small", 2: "middle", 3: "large", 4: "huge"}


def labelled(frame: pl.DataFrame) -> sf.Microfile:
    return sf.Microfile(frame, labels={"size": SIZES})


def with_few_unlabelled(rng: np.random.Generator) -> sf.Microfile:
    """Some of the records that are left out have a size without a label, so that sizes look like numbers."""
    frame = with_few_lacking(rng)
    few = frame["age"].is_null().to_numpy()
    return labelled(frame.with_columns(size=np.where(few, rng.choice([1, 7]), np.arange(frame.height) % 4 + 1)))


def with_unlabelled_behind_nodes(rng: np.random.Generator) -> sf.Microfile:
    size = [1, 2, 1, 2, *rng.choice([1, 2, 5], 2), 3, 4, 3, 4, *rng.choice([3, 4, 6], 2)]
    return labelled(pl.DataFrame({"size": size, "ill": ["x", "y"] * 6}))


def boxes(**given: object) -> sf.Boxes:
    return sf.Boxes(**{"quasi": ["age"], "k": 4} | given)


CASES = {
    "snapped": (numbers, boxes(preserve=["mean(age)", "var(age)"])),
    "snapped, coarse": (numbers, boxes(snap=1.0)),
    "tight": (numbers, boxes(edges="tight")),
    "tiling": (numbers, boxes(edges="tiling")),
    "halves": (halves, boxes(preserve=["mean(age)"])),
    "values apart": (halves, boxes(l=2, edges="tight")),
    "values apart, by steward": (halves, boxes(l=2, epsilon={"age": 1.0}, edges="tight")),
    "diverse": (numbers, boxes(sensitive=["ill"], l=2, t=0.5)),
    "suppressed": (with_few_lacking, boxes(suppress=0.3, missing="own")),
    "guessed kinds": (with_few_unlabelled, boxes(suppress=0.3, missing="own")),
    "guessed kinds, sensitive": (
        with_few_unlabelled,
        boxes(sensitive=["size"], t=0.9, suppress=0.3, missing="own"),
    ),
    "guessed kinds, nodes": (with_unlabelled_behind_nodes, boxes(quasi=["size"], hierarchies={"size": CLASSES})),
    "dates": (dates, boxes()),
    "sets": (categories, boxes(quasi=["town"])),
    "tree": (categories, boxes(quasi=["town"], hierarchies={"town": TOWNS})),
    "ordinal": (grades, boxes(quasi=["grade"])),
    "missing": (gaps, boxes()),
    "two kinds": (two_kinds, boxes(quasi=["age", "town"], edges="tight")),
    "households": (families, boxes(household="home", keep_household=True, k=3, edges="tight")),
    "households withheld": (families, boxes(household="home", k=3, edges="tight")),
    "words": (numbers, sf.FuzzyPartition(quasi=["age"], method="sets", sets=SETS, k=4, levels=2)),
    "words, suppressed": (
        with_few_between,
        sf.FuzzyPartition(quasi=["age"], method="sets", sets=SETS, k=4, suppress=0.4),
    ),
    "group": (places, sf.GroupMask(group=ARMY, target={"A": 9, "B": 9, "C": 9, "D": 9}, influential="work")),
}


def written(case: str, folder) -> dict[bytes, list]:
    """Write releases of many originals; return their folders by the bytes of the data."""
    make, protection = CASES[case]
    originals: dict[str, pl.DataFrame | sf.Microfile] = {}
    rng = np.random.default_rng(1)
    for _ in range(ORIGINALS):
        made = make(rng)
        originals[(made.frame if isinstance(made, sf.Microfile) else made).write_csv()] = made
    found = defaultdict(list)
    for number, original in enumerate(originals.values()):
        (folder / str(number)).mkdir()
        release = protection.protect(original, secret=SECRET)
        out = release.write(folder / str(number) / "release")
        found[(out / "data.parquet").read_bytes()].append(out)
    return found


@pytest.mark.parametrize("case", CASES)
def test_two_originals_of_one_table_have_the_same_public_files(case, tmp_path, figure):
    found = written(case, tmp_path)
    alike = max(found.values(), key=len)
    # else nothing would be compared
    assert len(alike) >= 3
    public = [
        {tuple((folder / name).read_bytes() for name in ("certificate.json", "codebook.json")) for folder in folders}
        for folders in found.values()
    ]
    if case in BEFORE:
        figure(
            f"certificate: public files of one table ({case})",
            now=max(map(len, public)),
            baseline=1,
            before=BEFORE[case],
        )
    assert max(map(len, public)) == 1
    for folder in (alike[0], alike[-1]):
        write_report(folder, folder.parent / "report.html")
    assert len({(folder.parent / "report.html").read_bytes() for folder in (alike[0], alike[-1])}) == 1


def narrower(release: sf.Release, certificate: dict, statistic: str) -> float:
    """Return how many times narrower than its guaranteed range the certificate gives the statistic back.

    ``uncertainty.achieved`` was the mean half-width of boxes over a tenth of the original's mean, with four digits.
    """
    told = release.estimate(statistic)
    achieved = certificate["settings"].get("uncertainty", {}).get("achieved")
    if not achieved:
        return 1.0
    half = float((release.table["age.hi"] - release.table["age.lo"]).mean()) / 2
    digit = 10.0 ** (np.floor(np.log10(achieved)) - 3)
    low, high = half / (0.1 * (achieved + digit / 2)), half / (0.1 * (achieved - digit / 2))
    return max(1.0, told.width / (high - low))


def test_the_certificate_does_not_give_a_statistic_back(tmp_path, figure):
    ratios = []
    for k, suppress in itertools.product((5, 50), (0.0, 0.05)):
        release = sf.Boxes(quasi="age", k=k, preserve="mean(age)", suppress=suppress).protect(health_survey(2000))
        folder = release.write(tmp_path / f"{k}-{suppress}")
        certificate = json.loads((folder / "certificate.json").read_text())
        ratios.append(narrower(release, certificate, "mean(age)"))
    figure("certificate: mean(age) given back, times narrower than promised", now=max(ratios), baseline=1, before=202)
    assert max(ratios) == 1


@pytest.mark.parametrize("case", ["suppressed", "words, suppressed"])
def test_how_many_records_were_left_out_is_told_to_the_steward_alone(case, tmp_path):
    alike = max(written(case, tmp_path).values(), key=len)
    private = [json.loads(next((folder.parent / "release.private").iterdir()).read_text()) for folder in alike]
    assert {record["left_out"] for record in private} == {0, 1, 2, 3}
    settings = [json.loads((folder / "certificate.json").read_text())["settings"] for folder in alike]
    assert {one["suppress"] for one in settings} == {CASES[case][1].suppress}
    assert not any({"left_out", "uncertainty"} & {*one} for one in settings)


def test_grids_are_those_that_the_table_shows():
    for step in (0.2, 1.0, 5.0):
        values = np.random.default_rng(0).integers(0, 5000, 3000) * step
        release = sf.Boxes(quasi="x", k=20, snap=0.01, seed=1).protect(pl.DataFrame({"x": values}))
        grid = release.settings["grids"]["x"]
        ends = np.concatenate([release.table["x.lo"].to_numpy(), release.table["x.hi"].to_numpy()])
        np.testing.assert_allclose(ends / grid, np.rint(ends / grid), atol=1e-9)
        coarser = {1: 2, 2: 5, 5: 10}[int(f"{grid:e}"[0])] * 10 ** np.floor(np.log10(grid))
        assert (np.abs(ends / coarser - np.rint(ends / coarser)) > 1e-6).any()
