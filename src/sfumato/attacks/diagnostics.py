"""What somebody who attacks should know before believing the result."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from sfumato.attacks.attack_base import Attack
from sfumato.attacks.fuzzy_rules import FuzzyRuleAttack
from sfumato.fuzzy.blind_spots import blind_spots
from sfumato.microfile.microfile import Microfile, as_microfile


def notes_on(attacks: Sequence[Attack], people: Microfile) -> tuple[str, ...]:
    """Return what weakens attacks: the same people in both files, lesser differences, values that rules cannot see.

    Parameters
    ----------
    attacks
        Each with its third-party file.
    people
        The original.
    """
    found: list[str] = []
    for attack in different_looks(attacks):
        if is_same(as_microfile(attack.third_party), people):
            found.append("third_party: it holds the same people as the attacked file; learn from other people")
        found += [f"harmonise: {difference}" for difference in attack.differences(people)]
    for attack in attacks:
        third_party = as_microfile(attack.third_party)
        if isinstance(attack, FuzzyRuleAttack):
            spots = blind_spots(third_party, attack.variables, alpha=attack.alpha)
            found += [f"variables: {spot}; sfumato.fuzzy.widened offers wider sets" for spot in spots if spot.records]
    return tuple(dict.fromkeys(found))


def different_looks(attacks: Sequence[Attack]) -> list[Attack]:
    """Return attacks of which no two compare the same attributes of one third-party file with the attacked one."""
    found: list[Attack] = []
    looks: list[object] = []
    for attack in attacks:
        if attack.third_party is None:
            continue
        look = (id(attack.third_party), attack.looked_at(as_microfile(attack.third_party)), attack.harmonise)
        if look not in looks:
            looks.append(look)
            found.append(attack)
    return found


def is_same(one: Microfile, other: Microfile) -> bool:
    """Say whether two files hold the same people: most attributes that both have are equal, record by record.

    Some may have been harmonised in one of them.

    >>> import numpy as np
    >>> import polars as pl
    >>> people = Microfile(pl.DataFrame({"age": [30, 40], "sex": ["f", "m"]}))
    >>> is_same(people, people.select(["age"])), is_same(people, people.take(np.array([1, 0])))
    (True, False)
    """
    names = [name for name in one.names if name in other.attributes]
    if one.records != other.records or not names:
        return False
    equal = [as_text(one.series(name)).equals(as_text(other.series(name))) for name in names]
    return 2 * sum(equal) > len(names)


def as_text(series: pl.Series) -> pl.Series:
    """Return categories as text, for those of two files have codes of their own."""
    return series.cast(pl.String) if isinstance(series.dtype, pl.Categorical | pl.Enum) else series
