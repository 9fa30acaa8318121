"""Households in a release: what members share, new numbers, and that intersecting records reveals no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from sfumato.array_types import Counts
from sfumato.errors import SettingError, UnattainableError
from sfumato.measures import Promise, Sharing, ranks_of, released_alike
from sfumato.microfile import Kind, Microfile
from sfumato.randomness import Secret
from sfumato.representations import Form

MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def shared_names(agreement: Mapping[str, Sharing], declared: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes that members of households share: those declared, and those in which none differ."""
    for name in declared:
        if agreement[name].differing:
            raise SettingError(
                f"shared: {name!r} differs within {agreement[name].differing:,} of {agreement[name].households:,} "
                "households",
                hint="correct these households, or do not release household numbers (keep_household)",
                setting="shared",
                column=name,
            )
    return tuple(name for name, sharing in agreement.items() if name in declared or sharing.shared)


def refuse_sharper(table: Microfile, promise: Promise, forms: Mapping[str, Form]) -> None:
    """Refuse a table in which intersecting the records of a household reveals more than each record does."""
    if promise.household is None or not promise.shared:
        return
    columns = [column for name in promise.shared for column in forms[name].columns(name)]
    if not released_alike(table, columns, household=promise.household):
        raise UnattainableError(
            "members of a household would be released with different boxes of what they share; this is a bug",
            hint="do not release household numbers (keep_household)",
        )


def released_in_common(table: Microfile, promise: Promise, forms: Mapping[str, Form]) -> tuple[str, ...]:
    """Return the quasi attributes in which the members of every household are released alike, if households are."""
    if promise.household is None:
        return ()
    columns = {name: forms[name].columns(name) if name in forms else (name,) for name in promise.quasi}
    return tuple(
        name for name, own_columns in columns.items() if released_alike(table, own_columns, household=promise.household)
    )


def renumbered(table: Microfile, household: str, *, secret: Secret) -> Microfile:
    """Give households random numbers that do not depend on the numbers or the order that they had.

    The old ones may be known, or reveal the position of a household in the file. Households are first sorted by what is
    released of their members, so that not even the secret reveals anything about the old numbers.

    Parameters
    ----------
    table
        What is released.
    household
        The attribute with the household of each record; a record without a number remains without one.
    secret
        What the random numbers are derived from.
    """
    homes = table.encoded(household).codes
    present = homes >= 0
    other_names = [name for name in table.names if name != household]
    table.encode_together(other_names)
    rows = np.unique(ranks_of((table.encoded(name) for name in other_names), table.records), return_inverse=True)[1]
    signature = np.zeros(int(homes.max()) + 1, dtype=np.uint64)
    np.add.at(signature, homes[present], _mixed(rows[present]))
    # households with the same signature look the same to everybody
    order = np.argsort(signature, kind="stable")
    numbers = np.empty(order.size, dtype=np.int64)
    numbers[order] = secret.permutation("household numbers", order.size) + 1
    new = pl.Series(household, np.where(present, numbers[np.maximum(homes, 0)], 0))
    new = new if present.all() else new.set(pl.Series(~present), None)
    return table.with_columns({household: new}, kinds={household: Kind.CATEGORICAL.value})


def _mixed(ranks: Counts) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Turn ranks into numbers whose sums distinguish which ranks were added (Steele's splitmix)."""
    with np.errstate(over="ignore"):
        mixed = (ranks.astype(np.uint64) + np.uint64(1)) * np.uint64(MIX[0])
        for shift, factor in ((30, MIX[1]), (27, MIX[2])):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        folded: np.ndarray[tuple[int], np.dtype[np.uint64]] = mixed ^ (mixed >> np.uint64(31))
    return folded
