"""What results print: in notebooks, logs and the texts of errors there is no value of a record.

A signal's table in a notebook shows its places and counts: it is the answer to the user's own question. Printed as text
it does not.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.fuzzy import ruspini
from sfumato.measures.fuzzy_safety import measure_fuzzy
from sfumato.suggesting.suggestion import suggest

RECORDS = 60
INCOMES = [7_310_000 + 17 * place for place in range(RECORDS)]
NAMES = [f"zq{place}x" for place in range(RECORDS)]
MARKED = {*map(str, INCOMES), *(f"{income:,}" for income in INCOMES), *NAMES}
PATTERN = re.compile(r"zq\d+x|7,?31\d,?\d{3}")


def marked_file() -> pl.DataFrame:
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "age": rng.integers(20, 80, RECORDS),
            "hours": rng.integers(0, 60, RECORDS),
            "town": [NAMES[place // 4] for place in range(RECORDS)],
            "income": rng.permutation(INCOMES),
            "club": rng.choice([0, 1], RECORDS),
        }
    )


def results() -> dict[str, Any]:
    """Make what the public names make, of a file whose values are marked."""
    file = marked_file()
    people = sf.Microfile(file, missing={"income": [INCOMES[0]]}, labels={"income": {INCOMES[1]: NAMES[1]}})
    towns = sf.Hierarchy.from_mapping({name: (f"{name} and around",) for name in NAMES[:15]})
    incomes = sf.Hierarchy.intervals([100, 1000])
    club = sf.Group(vital={"club": [1]}, parameter="town")
    boxes = sf.Boxes(quasi=["age", "income"], k=5)
    release = boxes.protect(people)
    categories = sf.Boxes(quasi=["town"], k=10, hierarchies={"town": towns})
    partition = sf.FuzzyPartition(quasi=["age", "income"], sensitive="town", k=5, suppress=0.5, seed=1)
    fuzzy = partition.protect(file)
    grades = ruspini("age", [30, 60]).grades(file["age"].to_numpy())
    exact = sf.Release(file, promise=sf.Promise(quasi=["age"], k=1))
    safety = sf.measure(file, quasi=["age", "town"], sensitive=["income"])
    made = {
        "microfile": people,
        "attribute": people.attribute("income"),
        "encoded": people.encoded("income"),
        "hierarchy": towns,
        "intervals": incomes,
        "generalized": towns.generalize(file, "town", level=0),
        "safety": safety,
        "attribute safety": safety.attributes["income"],
        "blocks": safety.blocks,
        "risk": safety.risk,
        "measure": safety.k,
        "fuzzy safety": measure_fuzzy(people, grades, sensitive=("town",)),
        "profile": sf.profile(file),
        "uniques": sf.minimal_uniques(file, ["town", "income"]),
        "utility": sf.utility_of(people, people, quasi=["age", "income"]),
        "linked": sf.Linkage(on=["town", "income"]).attack(exact, file),
        "group": sf.Group(vital={"income": INCOMES[:3]}, parameter="town"),
        "signal": club.quantity(file),
        "outliers": sf.outliers(file["income"].to_numpy()),
        "outlying places": sf.outliers(club.quantity(file)),
        "harmonised": sf.harmonise(file, []),
        "boxes": boxes,
        "categories": categories,
        "mask": sf.GroupMask(group=club, hide=NAMES[:2], influential=["age"]),
        "release": release,
        "codebook": sf.Release(people, promise=sf.Promise(quasi=["age"], k=1)).codebook,
        "form": sf.Sets(members={NAMES[0]: (NAMES[0], NAMES[1])}),
        "audit": release.audit(),
        "estimate": release.estimate("mean(age)"),
        "partition": partition,
        "fuzzy release": fuzzy,
        "fuzzy audit": fuzzy.audit(),
        "suggestion": suggest(file),
        "clusters": sf.FuzzyCMeans(2).fit(file.select(["age", "income"]).to_numpy().astype(float)),
    }
    return made


def shown(result: Any, *, table: bool = True) -> str:
    html = result._repr_html_() if table and hasattr(result, "_repr_html_") else ""
    return f"{result!r}\n{result}\n{html}"


def values_in(text: str) -> set[str]:
    return {*PATTERN.findall(text)} & MARKED


def test_no_result_prints_a_value(figure):
    made = results()
    telling = [name for name, result in made.items() if values_in(shown(result, table="signal" not in name))]
    figure("results that print a record's value", now=len(telling), baseline=0, before=15)
    assert telling == []
    # what is searched for is found where it stands
    assert values_in(shown(marked_file()["income"].to_list()))
    assert values_in(made["signal"]._repr_html_())


def test_whatever_results_are_made_of_prints_no_value():
    """Also what hangs on a result, which somebody looks at next."""
    seen: dict[int, Any] = {}
    waiting = list(results().items())
    while waiting:
        name, result = waiting.pop()
        if id(result) in seen:
            continue
        seen[id(result)] = result
        assert not values_in(repr(result)), name
        for field in dataclasses.fields(result) if dataclasses.is_dataclass(result) else ():
            value = getattr(result, field.name)
            if dataclasses.is_dataclass(value):
                waiting.append((f"{name}.{field.name}", value))
    assert len(seen) > 40


@pytest.mark.parametrize(
    "wrong",
    [
        lambda file: sf.Boxes(quasi=["income"], k=100).protect(file),
        lambda file: sf.Boxes(quasi=["town"], sensitive=["club"], k=2, l=3).protect(file),
        lambda file: sf.FuzzyPartition(quasi=["income"], k=50, sets=5).protect(file),
        lambda file: sf.FuzzyPartition(quasi=["income", "town"], k=50).protect(file),
        lambda file: sf.Microfile(file, kinds={"town": NAMES[:3]}).encoded("town"),
        lambda file: sf.Release(file, promise=sf.Promise(quasi=["income"], k=2)).write("never"),
        lambda file: sf.Release(file, promise=sf.Promise(quasi=["town"], k=20)).write("never"),
        lambda file: sf.Boxes(quasi=["town"], hierarchies={"town": sf.Hierarchy.intervals([100])}).protect(file),
        lambda file: sf.measure(file, quasi=["income"], sensitive=["twon"]),
    ],
)
def test_no_error_prints_a_value(wrong):
    with pytest.raises(SfumatoError) as refused:
        wrong(marked_file())
    assert not values_in(f"{refused.value} {refused.value!r} {refused.value.hint}")
