"""Attacks with fixed seeds on real and generated files, and the numbers that they give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import sfumato as sf
from tests.bytes.real_releases import ADULT, HAWAII, NHANES, read_table

HAWAII_2015 = "pums_hi/pums_person_hi_2015.parquet"
SEEN = ["AGEP", "SEX", "WKHP", "SCHL", "MAR"]
HABITS = ["age", "sex", "hours", "departure", "travel_minutes", "transport", "income"]
MILITARY = sf.Group(vital={"MIL": [1]}, parameter="PUMA")
ACTIVE_DUTY = sf.Group(vital={"service": [1]}, parameter="workplace")


@dataclass(frozen=True)
class AttackCase:
    """An attack, and the files of the data folder that it needs."""

    files: tuple[str, ...]
    numbers: Callable[[Path], Any]
    """Given the data folder, returns nested numbers."""


def rules(**settings: Any) -> AttackCase:
    """Learn rules about soldiers from Hawaii's file of 2015, and judge them on that of 2018."""

    def numbers(data: Path) -> Any:
        there, here = (_hawaii(data / name) for name in (HAWAII_2015, HAWAII))
        attack = sf.FuzzyRuleAttack(
            group=MILITARY, third_party=there, attributes=SEEN, min_confidence_ratio=0.3, seed=5, **settings
        )
        model = attack.evolve(there)
        learned = [(one.genes, one.support, one.discriminative_factor, one.confidence_ratio) for one in model.rules]
        return {"rules": learned, "memberships": model.memberships(here), "verdict": _verdict(attack, here)}

    return AttackCase((HAWAII_2015, HAWAII), numbers)


def learned(learner: str) -> AttackCase:
    """Learn who is on active duty from one generated census, and judge it on another."""

    def numbers(data: Path) -> Any:
        there, here = (sf.datasets.census(20_000, year=year) for year in (2018, 2020))
        attack = sf.LearnedAttack(
            group=ACTIVE_DUTY, third_party=there, attributes=HABITS, learner=learner, seed=5, threads=2
        )
        return _verdict(attack, here)

    return AttackCase((), numbers)


def census_rules(data: Path) -> Any:
    """Evolve rules on a generated census and let them loose on a masked one."""
    there, here = (sf.datasets.census(20_000, year=year) for year in (2018, 2020))
    withheld = [name for name in here.names if name not in (*HABITS, "service", "workplace")]
    mask = sf.GroupMask(group=ACTIVE_DUTY, hide="outliers", influential=["age", "sex"], identifiers=withheld, seed=5)
    attack = sf.FuzzyRuleAttack(group=ACTIVE_DUTY, third_party=there, attributes=HABITS, seed=5)
    return _verdict(attack, here, mask.protect(here))


def linked_boxes(data: Path) -> Any:
    """Link Adult with its release in boxes: by containment, distance and match weights."""
    people = _table(data / ADULT, ["age", "hours-per-week", "education-num", "sex"])
    release = sf.Boxes(quasi=people.columns, k=5, seed=5).protect(people)
    return sf.Linkage(truth="order", seed=5).attack(release, people).summary()


def linked_sets(data: Path) -> Any:
    """Link NHANES with its release in fuzzy sets: also by inverted grades."""
    people = _table(data / NHANES, ["Age", "Poverty"]).drop_nulls()
    release = sf.FuzzyPartition(quasi=people.columns, k=5, levels=2, shown="grades", seed=5).protect(people)
    return sf.Linkage(truth="order", missing="own", seed=5).attack(release, people).summary()


def linked_bare(data: Path) -> Any:
    """Link a file with itself, only some of whose records are told, by a certainty."""
    people = _table(data / NHANES, ["Age", "Poverty", "Gender", "Education"])
    return sf.Linkage(truth="order", overlap=0.5, certainty=0.2, seed=5).attack(people, people).summary()


def adequacies(data: Path) -> Any:
    """Judge outliers found among places against the true ones."""
    names = ("accuracy", "sensitivity", "specificity", "youden", "markedness")
    found = [sf.adequacy(*given) for given in (([1, 4, 7], [1, 4, 9], 40), ([], [3], 12), ([0, 2], [], 9))]
    return [{name: getattr(one, name) for name in names} | {"bayes": one.bayes.value} for one in found]


ATTACKS = {
    "fuzzy rules, evolved, PUMS Hawaii": rules(search="evolution"),
    "fuzzy rules, exact, PUMS Hawaii": rules(search="exact"),
    "fuzzy rules on a masked census": AttackCase((), census_rules),
    "logistic regression, census": learned("logistic"),
    "gradient boosting, census": learned("boosting"),
    "linkage with boxes, Adult": AttackCase((ADULT,), linked_boxes),
    "linkage with fuzzy sets, NHANES": AttackCase((NHANES,), linked_sets),
    "linkage of a bare file, NHANES": AttackCase((NHANES,), linked_bare),
    "adequacy of found outliers": AttackCase((), adequacies),
}
"""Every kind of attack, by name."""


def _hawaii(path: Path) -> pl.DataFrame:
    return read_table(path).select("PUMA", "MIL", *SEEN).with_columns(pl.col("MIL").fill_null(0))


def _table(path: Path, columns: list[str]) -> pl.DataFrame:
    return read_table(path).select(columns).head(2000)


def _verdict(attack: Any, *files: Any) -> dict[str, Any]:
    verdict = sf.judge(attack, *files)
    return {"disclosed": verdict.disclosed, "attacks": [one.summary() for one in verdict.disclosures]}
