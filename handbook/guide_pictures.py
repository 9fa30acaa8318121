"""The pictures of the guide that show results: computed here, or read from what a page prints."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

import sfumato as sf
from handbook.drawing import Drawing, Scale
from sfumato.measures.risk import individual_risk

DOCS = Path(__file__).parents[1] / "docs"
SOLDIERS = {"Ashby": 8, "Birch": 14, "Camden": 96, "Dale": 11, "Elm": 6, "Ford": 12, "Glen": 9, "Holm": 15}
TECHNIQUES: tuple[Literal["tau", "median", "deviates", "gap"], ...] = ("tau", "median", "deviates", "gap")
CLUSTERED = (5, 5, 5, 5, 90, 100, 110, 120, 5, 5)
"""Outliers that make up so many of the places that they widen the quartiles."""


def guide_pictures() -> dict[str, str]:
    """Return these pictures as SVG, by their file names."""
    drawings = {
        "box-shapes": _box_shapes(),
        "estimate": _estimate(),
        "outliers": _outliers(),
        "reshaping": _reshaping(),
        "risk-weights": _risk_weights(),
        "shapes": _shapes(),
        "blind-spots": _blind_spots(),
        "inversion": _inversion(),
        "linkage": _linkage(),
        "correlation": _correlation(),
        "links": _links(),
        "hidden-places": _hidden_places(),
        "reported": _reported(),
    }
    return {f"{name}.svg": drawing.svg() for name, drawing in drawings.items()}


def printed_on_page(page: str, code: str) -> list[float]:
    """Return the numbers that a page prints behind the lines that begin with this code."""
    lines = [line for line in (DOCS / page).read_text().splitlines() if line.startswith(code)]
    if not lines:
        raise ValueError(f"docs/{page} has no line that begins with {code}")
    return [float(number) for line in lines for number in re.findall(r"-?\d+(?:\.\d+)?", line.partition("  # ")[2])]


def _bars(drawing: Drawing, base: float, heights: Sequence[float], styles: Sequence[str], *, step: float) -> None:
    """Draw bars of given heights from left to right; what stands below and above them is up to the caller."""
    for place, (height, style) in enumerate(zip(heights, styles, strict=True)):
        drawing.box(26 + place * step, base - height, step * 0.66, height, style)


def _box_shapes() -> Drawing:
    drawing = Drawing("The same sixty people in boxes of five, for two statistics", height=290)
    rng = np.random.default_rng(4)
    people = pl.DataFrame({name: rng.uniform(20, 70, 60).round() for name in ("age", "income")})
    incomes = Scale(15, 75, 240, 45)
    for left, statistic in ((30, "mean(age)"), (262, "mean(income)")):
        ages = Scale(15, 75, left, left + 200)
        with warnings.catch_warnings():
            # the other attribute is meant to lose its detail
            warnings.simplefilter("ignore", sf.SfumatoWarning)
            settings = sf.Boxes(
                quasi=["age", "income"], k=5, preserve=[statistic], detail=0.05, passes=0, edges="tight", seed=1
            )
            release = settings.protect(people)
        drawing.text(left + 100, 28, f"for {statistic}", "middle strong")
        for age_lo, age_hi, income_lo, income_hi in release.table.unique(maintain_order=True).iter_rows():
            x, y = ages(age_lo), incomes(income_hi)
            drawing.box(x, y, ages(age_hi) - x, incomes(income_lo) - y, "blue pale", 2)
        for age, income in people.iter_rows():
            drawing.dot(ages(age), incomes(income), "grey", 2)
        widths = [release.estimate(f"mean({name})").width for name in ("age", "income")]
        drawing.text(left + 100, 262, f"mean(age) ± {widths[0] / 2:.1f}", "small middle")
        drawing.text(left + 100, 280, f"mean(income) ± {widths[1] / 2:.1f}", "small middle")
    return drawing


def _estimate() -> Drawing:
    drawing = Drawing("Four intervals, and what they say about the variance", height=300)
    lo, hi = [0, 1, 2.5, 6], [1, 3, 3, 9]
    estimate = sf.statistics.range_of("var(x)", lo={"x": lo}, hi={"x": hi})
    values = Scale(0, 14.5, 100, 460)
    drawing.text(14, 26, "four values, each known up to an interval", "strong")
    for row, (low, high) in enumerate(zip(lo, hi, strict=True)):
        drawing.box(values(low), 40 + row * 16, values(high) - values(low), 10, "grey pale", 2)
        drawing.dot(values((low + high) / 2), 45 + row * 16, "grey", 3)
    drawing.text(14, 136, "their variance", "strong")
    ranges = (
        ("guaranteed", (estimate.lower, estimate.upper), "blue"),
        ("attained", estimate.attained, "blue pale"),
        ("linear", estimate.linear, "grey"),
        ("sampling error", (estimate.value - estimate.sampling_error, estimate.value + estimate.sampling_error), "red"),
    )
    drawing.line((values(float(estimate.value)), 148), (values(float(estimate.value)), 272), "axis dashed")
    drawing.text(values(float(estimate.value)), 290, f"value {estimate.value:.2f}", "small middle")
    for row, (words, (start, stop), style) in enumerate(ranges):
        y, left, right = 160 + row * 30, float(start), float(stop)
        drawing.text(14, y + 4, words, "small")
        drawing.box(values(left), y - 6, values(right) - values(left), 12, style, 3)
        drawing.text(values(left) - 6, y + 4, f"{left:.2f}", "small end")
        drawing.text(values(right) + 6, y + 4, f"{right:.2f}", "small")
    return drawing


def _outliers() -> Drawing:
    drawing = Drawing("Ten places, and what four techniques find among them", height=295)
    counts = Scale(0, 120, 0, 105)
    drawing.line((14, 140), (466, 140))
    _bars(drawing, 140, [counts(number) for number in CLUSTERED], ["blue"] * len(CLUSTERED), step=32)
    for place, number in enumerate(CLUSTERED):
        drawing.text(36 + place * 32, 135 - counts(number), str(number), "small middle")
    for row, technique in enumerate(TECHNIQUES):
        found = sf.outliers(CLUSTERED, technique=technique).indices
        drawing.text(466, 176 + row * 28, technique, "small strong end")
        for place in range(len(CLUSTERED)):
            if place in found:
                drawing.dot(36 + place * 32, 172 + row * 28, "red", 7)
            else:
                drawing.dot(36 + place * 32, 172 + row * 28, "grey", 2)
    drawing.text(14, 284, "Red: the technique finds this place.", "small")
    return drawing


def _reshaping() -> Drawing:
    drawing = Drawing("Soldiers in eight towns, reshaped in four ways", height=345)
    rows = [(town, "army" if one < count else "other") for town, count in SOLDIERS.items() for one in range(700)]
    people = pl.DataFrame(rows, schema=["town", "work"], orient="row")
    army = sf.Group(vital={"work": ["army"]}, parameter="town")
    signals = {"before": SOLDIERS}
    for reshape in ("least", "wavelet", "moments", "decoy"):
        own = {"level": 1} if reshape == "wavelet" else {}
        mask = sf.GroupMask(group=army, hide=["Camden"], reshape=reshape, seed=1, **own)
        signals[reshape] = dict(mask.protect(people).private["after"])
    counts = Scale(0, 100, 0, 70)
    for panel, (words, signal) in enumerate(signals.items()):
        left, base = 24 + (panel % 2) * 232, 106 + (panel // 2) * 110
        drawing.text(left + 112, base - 76, words, "strong")
        drawing.line((left, base), (left + 210, base))
        for place, (town, count) in enumerate(signal.items()):
            style = "red" if town == "Camden" else "blue"
            drawing.box(left + 4 + place * 26, base - counts(count), 18, counts(count), style)
            drawing.text(left + 13 + place * 26, base - counts(count) - 4, str(int(count)), "small middle")
    drawing.text(256, 300, "Red: the hidden place.", "small")
    return drawing


def _risk_weights() -> Drawing:
    drawing = Drawing("Risk of a record by the number of people it may be", height=270)
    people = np.arange(1, 41, dtype=float)
    across, up = Scale(0, 40, 60, 450), Scale(0, 1, 215, 40)
    drawing.line((60, 215), (450, 215))
    drawing.line((60, 215), (60, 40))
    for tick in (0, 10, 20, 30, 40):
        drawing.text(across(tick), 233, str(tick), "small middle")
    for share in (0, 0.5, 1):
        drawing.text(52, up(share) + 4, f"{share:g}", "small end")
    drawing.text(255, 256, "people in the population who look like this record (F)", "small middle")
    drawing.text(14, 24, "risk", "small")
    for records, style in ((1, "red"), (3, "blue"), (10, "grey")):
        shown = people[people >= records]
        risks = individual_risk(np.full(shown.size, float(records)), shown)
        points = [(across(x), up(float(y))) for x, y in zip(shown, risks, strict=True)]
        drawing.path(points, f"{style} line")
        drawing.dot(*points[0], style, 4)
        word = "record looks" if records == 1 else "records look"
        row = 60 + 24 * (1, 3, 10).index(records)
        drawing.box(220, row - 10, 12, 12, style)
        drawing.text(240, row, f"{records} {word} alike in the file (f)", "small")
    return drawing


def _shapes() -> Drawing:
    drawing = Drawing("The shapes of fuzzy sets", height=250)
    shapes = {
        "triangular": sf.fuzzy.Triangular(corners=(1, 5, 9)),
        "trapezoidal": sf.fuzzy.Trapezoidal(corners=(1, 4, 6, 9)),
        "pi": sf.fuzzy.PiShaped(corners=(1, 4, 6, 9)),
        "gaussian": sf.fuzzy.Gaussian(centre=5, deviation=1.7),
        "falling": sf.fuzzy.Falling(corners=(3, 7)),
        "z": sf.fuzzy.ZShaped(corners=(3, 7)),
        "rising": sf.fuzzy.Rising(corners=(3, 7)),
        "crisp": sf.fuzzy.Crisp(start=3, stop=7),
    }
    numbers = np.linspace(0, 10, 101)
    for panel, (name, shape) in enumerate(shapes.items()):
        left, base = 18 + (panel % 4) * 114, 110 + (panel // 4) * 115
        across, up = Scale(0, 10, left, left + 98), Scale(0, 1, base, base - 66)
        drawing.text(left + 49, base - 82, name, "small strong middle")
        drawing.line((left, base), (left + 98, base))
        points = [(across(x), up(float(y))) for x, y in zip(numbers, shape.grades(numbers), strict=True)]
        drawing.path(points, "blue line")
    return drawing


def _blind_spots() -> Drawing:
    drawing = Drawing("Ages that no word describes well enough", height=250)
    bell = {"shape": "gaussian", "deviation": 2}
    values = {
        "young": {"shape": "falling", "corners": [20, 28]},
        "around 30": {**bell, "centre": 30},
        "around 40": {**bell, "centre": 40},
        "old": {"shape": "rising", "corners": [40, 50]},
    }
    age = sf.fuzzy.LinguisticVariable(attribute="age", values=values)
    across, up = Scale(15, 55, 30, 460), Scale(0, 1, 190, 60)
    for gap in sf.fuzzy.uncovered(age, alpha=0.5):
        drawing.box(across(gap.low), 60, across(gap.high) - across(gap.low), 130, "red pale")
    drawing.line((30, 190), (460, 190))
    drawing.line((30, up(0.5)), (460, up(0.5)), "axis dashed")
    drawing.text(462, up(0.5) - 5, "alpha = 0.5", "small end")
    for tick in range(15, 56, 5):
        drawing.text(across(tick), 208, str(tick), "small middle")
    drawing.text(245, 232, "age; red: no word has a grade of 0.5", "small middle")
    numbers = np.linspace(15, 55, 161)
    for column, (word, at) in enumerate(zip(values, (18, 30, 40, 52), strict=True)):
        grades = age.grades(numbers)[:, column]
        points = [(across(x), up(float(y))) for x, y in zip(numbers, grades, strict=True)]
        drawing.path(points, "blue line")
        drawing.text(across(at), 46, word, "small middle strong")
    return drawing


def _inversion() -> Drawing:
    drawing = Drawing("What a grade in middle gives away about an age", height=300)
    age = sf.fuzzy.ruspini("age", [30, (40, 50), 60], names=["young", "middle", "old"])
    numbers = np.linspace(20, 70, 501)
    middle = age.grades(numbers)[:, 1]
    across, up = Scale(20, 70, 40, 460), Scale(0, 1, 160, 40)
    drawing.line((40, 160), (460, 160))
    for tick in range(20, 71, 10):
        drawing.text(across(tick), 178, str(tick), "small middle")
    drawing.path([(across(x), up(float(y))) for x, y in zip(numbers, middle, strict=True)], "blue line")
    drawing.text(across(45), 30, "middle", "small middle strong")
    drawing.line((40, up(0.6)), (across(36), up(0.6)), "axis dashed")
    drawing.line((across(36), up(0.6)), (across(36), 160), "axis dashed")
    drawing.text(36, up(0.6) + 4, "0.6", "small end")
    rising = numbers < 45
    rows = (
        ("0.6", np.abs(middle - 0.6) < 0.001, "red"),
        ("0.5, on four levels", np.abs(middle - 0.5) <= 0.125, "blue"),
        ("young / middle", (middle >= 0.125) & (middle <= 0.875), "blue"),
    )
    for row, (words, fits, style) in enumerate(rows):
        y, low, high = 208 + row * 30, numbers[fits & rising].min(), numbers[fits & rising].max()
        drawing.box(across(low) - 1.5, y - 7, across(high) - across(low) + 3, 14, style, 3)
        drawing.text(14, y + 5, words, "small strong")
        ages = f"age {low:.0f}" if high - low < 1 else f"age {low:.1f} to {high:.1f}"
        drawing.text(across(42), y + 5, ages, "small")
    return drawing


def _linkage() -> Drawing:
    drawing = Drawing("Candidates of one outside record, with exact values and with boxes", height=260)
    people = [(23, 21), (25, 26), (27, 24), (31, 38), (34, 45), (38, 41), (44, 62), (47, 48), (52, 58), (58, 33)]
    people += [(63, 29), (67, 36)]
    table = pl.DataFrame(people, schema=["age", "income"], orient="row")
    release = sf.Boxes(quasi=["age", "income"], k=3, preserve=["mean(age)", "mean(income)"], seed=1).protect(table)
    incomes = Scale(20, 70, 205, 45)
    linkage = sf.Linkage(on=["age", "income"], methods=["containment"])
    for left, words, protected in ((24, "exact values", table), (256, "boxes of three", release)):
        ages = Scale(20, 70, left, left + 200)
        sizes = linkage.attack(protected, table)["containment"].sizes
        drawing.text(left + 100, 28, words, "middle strong")
        if words != "exact values":
            for age_lo, age_hi, income_lo, income_hi in release.table.unique(maintain_order=True).iter_rows():
                x, y = ages(age_lo), incomes(income_hi)
                style = "red pale" if age_lo <= 44 <= age_hi and income_lo <= 62 <= income_hi else "blue pale"
                drawing.box(x, y, ages(age_hi) - x, incomes(income_lo) - y, style, 2)
        for age, income in people:
            drawing.dot(ages(age), incomes(income), "grey", 3)
        drawing.dot(ages(44), incomes(62), "red", 5)
        count = int(sizes[people.index((44, 62))])
        drawing.text(left + 100, 234, f"{count} candidate{'' if count == 1 else 's'}", "middle")
    drawing.text(14, 254, "Red: the person somebody looks for, aged 44 with an income of 62.", "small")
    return drawing


def _correlation() -> Drawing:
    drawing = Drawing("Width of the guaranteed range of a correlation", height=215)
    widths = printed_on_page("how-to/correlation.md", 'print(width("corr(age, income)"')
    across = Scale(0, max(widths), 0, 180)
    words = ("preserve another statistic", "preserve this one", "... and detail = 0", "... and two quasi attributes")
    for row, (width, name) in enumerate(zip(widths, words, strict=True)):
        y = 40 + row * 42
        drawing.text(226, y + 5, name, "small end")
        drawing.box(236, y - 10, across(width), 20, "blue" if row else "grey", 2)
        drawing.text(242 + across(width), y + 5, f"{width:.3f}", "small")
    drawing.text(14, 205, "k = 10 in all four", "small")
    return drawing


def _links() -> Drawing:
    drawing = Drawing("People who can be linked to one record", height=200)
    unique = printed_on_page("how-to/attack.md", "print(links)")[2::5]
    words = ("original file: age, sex, education", "release: the same attributes", "release: also workplace, hours")
    across = Scale(0, 100, 0, 170)
    for row, (share, name) in enumerate(zip(unique, words, strict=True)):
        y = 44 + row * 48
        drawing.text(240, y + 5, name, "small end")
        drawing.box(250, y - 11, 170, 22, "grey pale", 2)
        drawing.box(250, y - 11, across(share), 22, "red", 2)
        drawing.text(426, y + 5, f"{share:.0f} %", "small")
    drawing.text(14, 190, "share of people with exactly one candidate", "small")
    return drawing


def _hidden_places() -> Drawing:
    drawing = Drawing("Soldiers at five hidden places, before and after", height=215)
    page = "how-to/hide-a-group.md"
    before = printed_on_page(page, 'print([int(record["before"]')
    after = printed_on_page(page, 'print([int(record["after"]')
    drawing.line((14, 165), (466, 165))
    counts = Scale(0, 15, 0, 120)
    for place, (name, old, new) in enumerate(zip(sf.datasets.bases(1), before, after, strict=True)):
        for side, (count, style) in enumerate(((old, "red"), (new, "blue"))):
            x = 30 + place * 88 + side * 32
            drawing.box(x, 165 - counts(count), 26, counts(count), style)
            drawing.text(x + 13, 160 - counts(count), f"{count:.0f}", "small middle")
        drawing.text(59 + place * 88, 184, str(name), "small middle")
    drawing.box(14, 196, 12, 12, "red")
    drawing.text(32, 207, "before", "small")
    drawing.box(94, 196, 12, 12, "blue")
    drawing.text(112, 207, "after", "small")
    return drawing


def _reported() -> Drawing:
    drawing = Drawing("Two kinds of uncertainty of one figure", height=165)
    value, low, high, lowest, highest = printed_on_page("how-to/analyst.md", "print(told)")
    across = Scale(38.5, 43, 40, 450)
    drawing.text(14, 26, "mean(age)", "strong")
    for y, start, stop, words, style in (
        (62, low, high, "guaranteed: what the boxes hide", "blue"),
        (112, lowest, highest, "and what drawing a sample leaves open", "blue pale"),
    ):
        drawing.box(across(start), y - 8, across(stop) - across(start), 16, style, 3)
        drawing.text(across(start) - 6, y + 5, f"{start:.1f}", "small end")
        drawing.text(across(stop) + 6, y + 5, f"{stop:.1f}", "small")
        drawing.text(across(value), y + 26, words, "small middle")
        drawing.line((across(value), y - 12), (across(value), y + 12), "red line")
    drawing.text(across(value), 38, f"{value:.1f}", "small middle red")
    return drawing
