"""Households in a release: what their members share, their new numbers, and that they tell no more together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from sfumato.arrays import Counts
from sfumato.errors import SettingError, UnattainableError
from sfumato.measures.blocks import ranks_of
from sfumato.measures.households import Sharing, released_alike
from sfumato.measures.promise import Promise
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Form
from sfumato.microfile.microfile import Microfile
from sfumato.randomness import Secret

MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def shared_names(found: Mapping[str, Sharing], declared: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes that members of households share: those declared, and those in which none differ."""
    for name in declared:
        if found[name].differing:
            raise SettingError(
                f"shared: {name!r} differs within {found[name].differing:,} of {found[name].households:,} households",
                hint="correct these households, or do not release household numbers (keep_household)",
            )
    return tuple(name for name, its in found.items() if name in declared or its.shared)


def refuse_sharper(table: Microfile, promise: Promise, forms: Mapping[str, Form]) -> None:
    """Refuse a table in which the records of a household, laid upon each other, tell more than each does."""
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
    return tuple(name for name, its in columns.items() if released_alike(table, its, household=promise.household))


def renumbered(table: Microfile, household: str, *, secret: Secret) -> Microfile:
    """Give households random numbers that do not depend on the numbers or the order that they had.

    The old ones may be known, or tell where a household stood in the file. Households are sorted by what is released of
    their members first, so even somebody who knows the secret learns nothing.

    Parameters
    ----------
    table
        What is released.
    household
        The attribute that tells who lives together; a record without a number stays so.
    secret
        Of the random numbers.
    """
    homes = table.encoded(household).codes
    known = homes >= 0
    others = [name for name in table.names if name != household]
    table.encode_together(others)
    rows = np.unique(ranks_of((table.encoded(name) for name in others), table.records), return_inverse=True)[1]
    signature = np.zeros(int(homes.max()) + 1, dtype=np.uint64)
    np.add.at(signature, homes[known], _mixed(rows[known]))
    # households of the same signature are the same to everybody
    order = np.argsort(signature, kind="stable")
    numbers = np.empty(order.size, dtype=np.int64)
    numbers[order] = secret.permutation("household numbers", order.size) + 1
    new = pl.Series(household, np.where(known, numbers[np.maximum(homes, 0)], 0))
    new = new if known.all() else new.set(pl.Series(~known), None)
    return table.with_columns({household: new}, kinds={household: Kind.CATEGORICAL.value})


def _mixed(ranks: Counts) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Turn ranks into numbers whose sums tell apart which ranks were added (Steele's splitmix)."""
    with np.errstate(over="ignore"):
        mixed = (ranks.astype(np.uint64) + np.uint64(1)) * np.uint64(MIX[0])
        for shift, factor in ((30, MIX[1]), (27, MIX[2])):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        found: np.ndarray[tuple[int], np.dtype[np.uint64]] = mixed ^ (mixed >> np.uint64(31))
    return found
