"""What the records of a household reveal about each other, where it is known who lives together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.array_types import Codes, Flags, Reals
from sfumato.measures.blocks import Blocks, group, group_codes, homes_of
from sfumato.microfile import Encoded, Microfile
from sfumato.quiet_repr import quiet
from sfumato.representations import Exact, Form

RARELY = 0.05
"""Members count as sharing an attribute if they differ in it in at most this share of the households."""


@dataclass(frozen=True)
class Sharing:
    """How far the members of households have an attribute in common."""

    households: int
    """Households in which the values of two or more members are known."""
    differing: int
    """Households whose members differ."""

    @property
    def shared(self) -> bool:
        """Whether no member differs from the others; a missing value does not differ."""
        return self.households > 0 and self.differing == 0


def sharing(table: Microfile, names: Sequence[str], *, household: str) -> dict[str, Sharing]:
    """Return how far the members of households have attributes in common.

    >>> import polars as pl
    >>> table = Microfile(pl.DataFrame({"home": [1, 1, 2], "rooms": [4, 4, 2], "age": [40, 12, 70]}))
    >>> {name: its.shared for name, its in sharing(table, ["rooms", "age"], household="home").items()}
    {'rooms': True, 'age': False}
    """
    homes = homes_of(table.encoded(household))
    return {name: sharing_of(homes, (encoded := table.encoded(name)).codes, encoded.missing) for name in names}


def sharing_of(homes: Codes, values: Codes | Reals, missing: Flags) -> Sharing:
    """Return how far the members of households have an attribute in common.

    Parameters
    ----------
    homes
        The household of each record, numbered from 0.
    values, missing
        A number for each record, and where there is none.
    """
    present = ~missing
    several = np.bincount(homes[present]) > 1
    first = np.zeros(int(homes.max()) + 1, dtype=values.dtype)
    first[homes[present]] = values[present]
    differing = np.unique(homes[present & (values != first[homes])])
    return Sharing(int(several.sum()), differing.size)


@dataclass(frozen=True)
class RecognisableHouseholds:
    """Households that can be recognised although their numbers are withheld."""

    names: tuple[str, ...]
    """The columns in which members hardly ever differ."""
    households: int
    """Households with two or more records."""
    recognisable: int
    """Households whose records are exactly those with their values in these columns."""


def recognisable_households(table: Microfile, homes: Codes) -> RecognisableHouseholds:
    """Count the households that can be recognised by released values.

    Parameters
    ----------
    table
        The released table.
    homes
        The household of each record, which is not released.

    Examples
    --------
    >>> import polars as pl
    >>> table = Microfile(pl.DataFrame({"rent": [710, 710, 450, 450, 450], "age": [40, 12, 70, 33, 35]}))
    >>> recognisable_households(table, np.array([0, 0, 1, 2, 2], dtype=np.int32)).recognisable
    1
    """
    homes = np.unique(homes, return_inverse=True)[1].astype(np.int32)
    sizes = np.bincount(homes)
    several = int((sizes > 1).sum())
    names = tuple(name for name in table.names if several and _hardly_differs(table.encoded(name), homes))
    if not names:
        return RecognisableHouseholds((), several, 0)
    blocks = group([table.encoded(name) for name in names])
    first = np.empty(len(blocks), dtype=np.int32)
    first[blocks.numbers] = homes
    mixed = np.bincount(blocks.numbers, weights=homes != first[blocks.numbers], minlength=len(blocks)) > 0
    is_household = ~mixed & (blocks.sizes == sizes[first]) & (blocks.sizes > 1)
    return RecognisableHouseholds(names, several, int(is_household.sum()))


def _hardly_differs(column: Encoded, homes: Codes) -> bool:
    """Say whether members of households nearly always have the same value, and not all records do."""
    codes = column.with_missing()
    agreement = sharing_of(homes, codes, np.zeros(homes.size, dtype=np.bool_))
    return bool((codes != codes[0]).any()) and agreement.differing <= RARELY * agreement.households


def where_any(flagged: Flags, homes: Codes) -> Flags:
    """Flag all records of households with a flagged record."""
    flagged_homes = np.zeros(int(homes.max()) + 1, dtype=np.bool_)
    flagged_homes[homes[flagged]] = True
    return np.asarray(flagged_homes[homes])


@quiet
@dataclass(frozen=True)
class HouseholdIntersection:
    """The records as they look after intersecting those of each household."""

    blocks: Blocks
    """The records about which the same is known then."""
    shared: tuple[str, ...]
    """The attributes that the members of a household have in common."""
    sharpened: int
    """About how many records more is known then than each reveals on its own."""
    contradicted: int
    """Households whose members are released with values that exclude each other."""


def intersect_households(
    table: Microfile, keys: Sequence[str], shared: Mapping[str, Form], *, household: str
) -> HouseholdIntersection:
    """Intersect the records of each household.

    What is released of one member in an attribute that all have in common is known of all: the intersection of their
    intervals or sets, and a value that only some of them lack.

    Parameters
    ----------
    table, keys
        A released table, and its columns of all quasi attributes.
    shared
        The attributes that members have in common, and how they are released.
    household
        The attribute with the household of each record.
    """
    homes = homes_of(table.encoded(household))
    intersected: dict[str, Encoded] = {}
    sharper = np.zeros(table.records, dtype=np.bool_)
    contradicted = np.zeros(int(homes.max()) + 1, dtype=np.bool_)
    for name, form in shared.items():
        columns = form.columns(name)
        if released_alike(table, columns, household=household):
            continue
        before = {column: table.encoded(column) for column in columns}
        after, excluded = form.intersect(table, name, homes)
        contradicted |= excluded
        for column, encoded in after.items():
            sharper |= encoded.codes != before[column].codes
            intersected[column] = encoded
    blocks = group([intersected.get(key) or table.encoded(key) for key in keys])
    return HouseholdIntersection(blocks, tuple(shared), int(sharper.sum()), int(contradicted.sum()))


def released_alike(table: Microfile, columns: Sequence[str], *, household: str) -> bool:
    """Whether the members of every household have the same cells in these columns, or all of them none."""
    frame = pl.DataFrame([table.series(household), *(table.series(column) for column in columns)])
    members = frame.drop_nulls(household).lazy()
    same = (pl.col(column).eq_missing(pl.col(column).first().over(household)).all() for column in columns)
    return all(members.select(*same).collect().row(0))


@dataclass(frozen=True)
class Compositions:
    """How many households can be recognised by their members together, though each member looks like others."""

    households: int
    """The number of households."""
    unique: int
    """Households whose members together are released as no other household is."""
    records: int
    """The records of these households."""


def compositions(blocks: Blocks, household: Encoded) -> Compositions:
    """Count the households that the blocks of all their members together single out."""
    homes = homes_of(household)
    order = np.lexsort((blocks.numbers, homes))
    sizes = np.bincount(homes)
    starts = np.cumsum(sizes) - sizes
    occurring = np.flatnonzero(sizes)
    # households are distinguished by their size, then member by member, as long as some are alike
    undecided, numbers, step, unique = occurring, sizes[occurring].astype(np.int32), 0, []
    while undecided.size:
        numbers, alike = group_codes([numbers], [int(numbers.max()) + 1])
        alone = alike[numbers] == 1
        unique.append(undecided[alone])
        more = ~alone & (sizes[undecided] > step)
        undecided, numbers = undecided[more], numbers[more]
        if undecided.size:
            members = blocks.numbers[order[starts[undecided] + step]]
            numbers, _ = group_codes([numbers, members], [int(numbers.max()) + 1, len(blocks)])
        step += 1
    unique_homes = np.concatenate(unique) if unique else occurring
    return Compositions(occurring.size, unique_homes.size, int(sizes[unique_homes].sum()))


def forms_of(names: Sequence[str], forms: Mapping[str, Form] | None) -> dict[str, Form]:
    """Return how attributes are released: exactly, where nothing else is declared."""
    return {name: (forms or {}).get(name, Exact()) for name in names}
