"""Caveats: what weakens an attack, so that its result must not be trusted."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sfumato.attacks.attack_base import Attack
from sfumato.attacks.fuzzy_rule_attack import FuzzyRuleAttack
from sfumato.fuzzy import blind_spots
from sfumato.microfile import Microfile, as_microfile

SAME_PEOPLE = "third_party: it contains the same people as the attacked file; use a file about other people"


def caveats_of(attacks: Sequence[Attack], people: Microfile) -> tuple[str, ...]:
    """Return what weakens attacks: the same people in both files, differences between files, and blind spots of rules.

    Parameters
    ----------
    attacks
        The attacks, each with its third-party file.
    people
        The original.
    """
    caveats: list[str] = []
    for attack in distinct_comparisons(attacks):
        if has_same_people(as_microfile(attack.third_party), people):
            caveats.append(SAME_PEOPLE)
        caveats += [f"harmonise: {difference}" for difference in attack.differences(people)]
    for attack in attacks:
        third_party = as_microfile(attack.third_party)
        if isinstance(attack, FuzzyRuleAttack):
            spots = blind_spots(third_party, attack.variables, alpha=attack.alpha)
            caveats += [f"variables: {spot}; sfumato.fuzzy.widened offers wider sets" for spot in spots if spot.records]
    return tuple(dict.fromkeys(caveats))


def distinct_comparisons(attacks: Sequence[Attack]) -> list[Attack]:
    """Return attacks that differ in third-party file, attributes or harmonising: one per comparison of files."""
    distinct: list[Attack] = []
    comparisons: list[object] = []
    for attack in attacks:
        if attack.third_party is None:
            continue
        used = attack.attributes_used(as_microfile(attack.third_party))
        comparison = (id(attack.third_party), used, attack.harmonise)
        if comparison not in comparisons:
            comparisons.append(comparison)
            distinct.append(attack)
    return distinct


def has_same_people(first: Microfile, second: Microfile) -> bool:
    """Say whether two files have the same records in the same order: most common attributes are equal.

    Some attributes may differ, because they were harmonised in one of the files.

    >>> import numpy as np
    >>> import polars as pl
    >>> people = Microfile(pl.DataFrame({"age": [30, 40], "sex": ["f", "m"]}))
    >>> has_same_people(people, people.select(["age"])), has_same_people(people, people.take(np.array([1, 0])))
    (True, False)
    """
    names = [name for name in first.names if name in second.attributes]
    if first.records != second.records or not names:
        return False
    equal = [as_text(first.series(name)).equals(as_text(second.series(name))) for name in names]
    return 2 * sum(equal) > len(names)


def as_text(series: pl.Series) -> pl.Series:
    """Return categories as text, because the category codes of two files may differ."""
    return series.cast(pl.String) if isinstance(series.dtype, pl.Categorical | pl.Enum) else series
