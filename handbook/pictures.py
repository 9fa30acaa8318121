"""The pictures of docs/concepts.md, drawn from the tables on that page; ``make schema`` writes them."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from pathlib import Path

import polars as pl

import sfumato as sf
from handbook.drawing import Drawing, Scale
from sfumato.statistics import Estimate

DOCS = Path(__file__).parents[1] / "docs"
AGES = Scale(low=20, high=70, start=50, stop=460)
INCOMES = Scale(low=20, high=70, start=250, stop=40)
ILLNESSES = ("none", "asthma", "diabetes", "heart")


def table_on_page(name: str) -> pl.DataFrame:
    """Return the table that the concepts page shows under a file name."""
    page = (DOCS / "concepts.md").read_text()
    shown = re.search(rf'^```csv title="{name}"\n(.*?)^```$', page, flags=re.DOTALL | re.MULTILINE)
    if shown is None:
        raise ValueError(f"docs/concepts.md has no table titled {name}")
    return pl.read_csv(io.StringIO(shown[1]))


def concept_pictures() -> dict[str, str]:
    """Return the pictures of the concepts page as SVG, by their file names."""
    people, towns = table_on_page("people.csv"), table_on_page("towns.csv")
    settings = {"quasi": ["age", "income"], "sensitive": "illness", "identifiers": "name", "k": 3, "seed": 1}
    release = sf.Boxes(**settings, preserve=["mean(age)", "mean(income)"]).protect(people)
    boxed = people.hstack(release.table.select("age.lo", "age.hi", "income.lo", "income.hi"))
    estimates = {name: release.estimate(name) for name in ("mean(age)", "var(age)")}
    truths = {"mean(age)": _mean(people["age"]), "var(age)": _variance(people["age"])}
    drawings = {
        "people": _people(boxed, boxes=False),
        "boxes": _people(boxed, boxes=True),
        "risk": _risk(boxed),
        "diversity": _diversity(boxed),
        "closeness": _closeness(boxed),
        "ranges": _ranges(estimates, truths),
        "membership": _membership(),
        "signal": _signal(towns, _masked(towns)),
    }
    return {f"concept-{name}.svg": drawing.svg() for name, drawing in drawings.items()}


def _mean(numbers: pl.Series) -> float:
    return float(numbers.sum()) / len(numbers)


def _variance(numbers: pl.Series) -> float:
    centre = _mean(numbers)
    return float(((numbers - centre) ** 2).sum()) / len(numbers)


def _blocks(boxed: pl.DataFrame) -> list[pl.DataFrame]:
    return boxed.partition_by("age.lo", "age.hi", "income.lo", "income.hi", maintain_order=True)


def _people(boxed: pl.DataFrame, *, boxes: bool) -> Drawing:
    drawing = Drawing("Twelve people by age and income" + (", in boxes of three" if boxes else ""), height=305)
    drawing.line((AGES(20), INCOMES(20)), (AGES(70), INCOMES(20)))
    drawing.line((AGES(20), INCOMES(20)), (AGES(20), INCOMES(70)))
    for tick in range(20, 71, 10):
        drawing.text(AGES(tick), 270, str(tick), "small middle")
        drawing.text(AGES(20) - 8, INCOMES(tick) + 4, str(tick), "small end")
    drawing.text(AGES(45), 292, "age", "middle")
    drawing.text(14, 24, "income (thousands)")
    if boxes:
        for block in _blocks(boxed):
            edges = block.row(0, named=True)
            x, y = AGES(edges["age.lo"]), INCOMES(edges["income.hi"])
            drawing.box(x, y, AGES(edges["age.hi"]) - x, INCOMES(edges["income.lo"]) - y, "blue pale", 3)
    for person in boxed.iter_rows(named=True):
        x, y = AGES(person["age"]), INCOMES(person["income"])
        alone = person["name"] == "Gus" and not boxes
        drawing.dot(x, y, "red" if alone else "blue")
        drawing.text(x, y - 10, person["name"], "small middle" + (" red strong" if alone else ""))
    return drawing


def _risk(boxed: pl.DataFrame) -> Drawing:
    drawing = Drawing("Re-identification risk of each record, before and after", height=230)
    sizes = {name: len(block) for block in _blocks(boxed) for name in block["name"]}
    for base, words, alike in ((95, "original file: 12 expected", 0), (195, "release: 4 expected", 1)):
        drawing.text(14, base - 68, words, "strong")
        drawing.line((14, base), (466, base))
        for place, name in enumerate(boxed["name"]):
            height = 56 / (sizes[name] if alike else 1)
            drawing.box(20 + place * 37.5, base - height, 26, height, "blue" if alike else "red")
            drawing.text(33 + place * 37.5, base + 15, name, "small middle")
    drawing.text(14, 224, "Full height: found for certain. A third of it: one chance in three.", "small")
    return drawing


def _diversity(boxed: pl.DataFrame) -> Drawing:
    drawing = Drawing("The illnesses in each of the four blocks", height=215)
    for place, block in enumerate(_blocks(boxed)):
        left, distinct = 12 + place * 115, block["illness"].n_unique()
        style = "red" if distinct == 1 else "blue"
        edges = block.row(0, named=True)
        drawing.text(left + 54, 26, f"age {edges['age.lo']} to {edges['age.hi']}", "middle")
        drawing.box(left, 38, 108, 136, f"{style} pale", 5)
        for row, illness in enumerate(block["illness"]):
            drawing.text(left + 54, 66 + row * 40, illness, "middle")
        drawing.text(left + 54, 198, f"l = {distinct}", f"middle strong {style}")
    return drawing


def _closeness(boxed: pl.DataFrame) -> Drawing:
    drawing = Drawing("Shares of illnesses in the whole file and in one block", height=250)
    block = boxed.filter(pl.col("name").is_in(["Gus", "Hana", "Ivan"]))
    shares = Scale(low=0, high=1, start=200, stop=50)
    drawing.box(14, 14, 13, 13, "grey")
    drawing.text(34, 26, "whole file")
    drawing.box(130, 14, 13, 13, "red")
    drawing.text(150, 26, "block of ages 40 to 55")
    drawing.line((14, 200), (466, 200))
    for place, illness in enumerate(ILLNESSES):
        for side, (table, style) in enumerate(((boxed, "grey"), (block, "red"))):
            share, x = float((table["illness"] == illness).sum()) / len(table), 28 + place * 113 + side * 44
            drawing.box(x, shares(share), 38, 200 - shares(share), style)
            drawing.text(x + 19, shares(share) - 6, f"{share:.0%}", "small middle")
        drawing.text(28 + place * 113 + 41, 222, illness, "middle")
    drawing.text(14, 242, "t = 0.67: two thirds of the block would have to change.", "small")
    return drawing


def _ranges(estimates: Mapping[str, Estimate], truths: Mapping[str, float]) -> Drawing:
    drawing = Drawing("Guaranteed and linear ranges of a mean and a variance", height=270)
    scales = {"mean(age)": Scale(30, 55, 100, 460), "var(age)": Scale(0, 420, 100, 460)}
    for top, (name, estimate) in zip((34, 154), estimates.items(), strict=True):
        scale, lower, upper = scales[name], float(estimate.lower), float(estimate.upper)
        drawing.text(14, top, f"{name}: truth {truths[name]:.1f}", "strong")
        rows = (("guaranteed", (lower, upper), "blue"), ("linear", tuple(map(float, estimate.linear)), "grey"))
        for row, (words, (low, high), style) in enumerate(rows):
            y = top + 26 + row * 30
            drawing.text(14, y + 4, words, "small")
            drawing.box(scale(low), y - 6, scale(high) - scale(low), 12, style, 3)
            drawing.text(scale(low), y + 20, f"{low:.1f}", "small middle")
            drawing.text(scale(high), y + 20, f"{high:.1f}", "small middle")
        truth = scale(truths[name])
        drawing.line((truth, top + 12), (truth, top + 70), "red line")
    drawing.text(truth + 8, 246, "truth", "small red")
    return drawing


def _membership() -> Drawing:
    drawing = Drawing("Membership in young, middle and old by age", height=250)
    grades = Scale(low=0, high=1, start=190, stop=50)
    drawing.line((AGES(20), 190), (AGES(70), 190))
    for tick in range(20, 71, 10):
        drawing.text(AGES(tick), 208, str(tick), "small middle")
    for grade in (0, 0.5, 1):
        drawing.text(AGES(20) - 8, grades(grade) + 4, f"{grade:g}", "small end")
    drawing.text(AGES(45), 232, "age", "middle")
    drawing.text(14, 20, "membership", "small")
    age = sf.fuzzy.ruspini("age", [25, 45, 65], names=["young", "middle", "old"])
    corners = [20, 25, 45, 65, 70]
    for word, full, style, heights in zip(
        ("young", "middle", "old"), (24, 45, 66), ("blue", "red", "grey"), age.grades(corners).T, strict=True
    ):
        points = [(AGES(x), grades(float(y))) for x, y in zip(corners, heights, strict=True)]
        drawing.path(points, f"{style} line")
        drawing.text(AGES(full), 40, word, "middle strong")
    drawing.line((AGES(38), 190), (AGES(38), 50), "axis dashed")
    for grade, style in zip(age.grades([38])[0][:2], ("blue", "red"), strict=True):
        drawing.dot(AGES(38), grades(float(grade)), style)
        drawing.text(AGES(38) + 12, grades(float(grade)) + 5, f"{grade:.2f}", "small")
    return drawing


def _masked(towns: pl.DataFrame) -> dict[str, int]:
    rows = [
        (town, "army" if resident < soldiers else "other")
        for town, soldiers, residents in towns.iter_rows()
        for resident in range(residents)
    ]
    people = pl.DataFrame(rows, schema=["town", "work"], orient="row")
    army = sf.Group(vital={"work": ["army"]}, parameter="town")
    release = sf.GroupMask(group=army, hide="outliers", seed=1).protect(people)
    return dict(release.private["after"])


def _signal(towns: pl.DataFrame, after: Mapping[str, int]) -> Drawing:
    drawing = Drawing("Soldiers in each town, before and after the mask", height=330)
    before = dict(zip(towns["town"], towns["soldiers"], strict=True))
    counts = Scale(low=0, high=100, start=0, stop=100)
    for base, words, signal in ((145, "before", before), (295, "after", after)):
        drawing.text(14, base - 115, words, "strong")
        drawing.line((14, base), (466, base))
        for place, (town, soldiers) in enumerate(signal.items()):
            x, height = 22 + place * 64, counts(soldiers)
            drawing.box(x, base - height, 44, height, "red" if town == "Camden" else "blue")
            drawing.text(x + 22, base - height - 5, str(soldiers), "small middle")
            drawing.text(x + 22, base + 17, town, "small middle")
    return drawing
