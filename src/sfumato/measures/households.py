"""What the records of a household tell of each other, where it is known who lives together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.measures.blocks import Blocks, group, group_codes, homes_of
from sfumato.microfile.encoding import Encoded
from sfumato.microfile.forms import Exact, Form, Interval, Sets
from sfumato.microfile.microfile import Microfile
from sfumato.printing import quiet

RARELY = 0.05
"""Members count as sharing an attribute in which they differ in at most this share of the households."""


@dataclass(frozen=True)
class Sharing:
    """How far the members of households have an attribute in common."""

    households: int
    """Those of which the values of two members or more are known."""
    differing: int
    """Those whose members differ."""

    @property
    def shared(self) -> bool:
        """Whether nobody differs from those they live with; a missing value differs from none."""
        return self.households > 0 and self.differing == 0


def sharing(table: Microfile, names: Sequence[str], *, household: str) -> dict[str, Sharing]:
    """Return how far the members of households have attributes in common.

    >>> import polars as pl
    >>> table = Microfile(pl.DataFrame({"home": [1, 1, 2], "rooms": [4, 4, 2], "age": [40, 12, 70]}))
    >>> {name: its.shared for name, its in sharing(table, ["rooms", "age"], household="home").items()}
    {'rooms': True, 'age': False}
    """
    homes = homes_of(table.encoded(household))
    return {name: sharing_of(homes, (its := table.encoded(name)).codes, its.missing) for name in names}


def sharing_of(homes: Codes, places: Codes | Reals, missing: Flags) -> Sharing:
    """Return how far the members of households have an attribute in common.

    Parameters
    ----------
    homes
        The household of each record, numbered from 0.
    places, missing
        A number for each record, and where there is none.
    """
    known = ~missing
    several = np.bincount(homes[known]) > 1
    first = np.zeros(int(homes.max()) + 1, dtype=places.dtype)
    first[homes[known]] = places[known]
    differing = np.unique(homes[known & (places != first[homes])])
    return Sharing(int(several.sum()), differing.size)


@dataclass(frozen=True)
class Rejoined:
    """Households that can be put together although their numbers are withheld."""

    names: tuple[str, ...]
    """The columns in which members hardly ever differ."""
    households: int
    """Those with two records or more."""
    found: int
    """Those whose records are exactly the ones with their values in these columns."""

    def told(self) -> tuple[str, ...]:
        """Say it to the steward."""
        if not self.found:
            return ()
        return (
            f"Household numbers are withheld, but {self.found:,} of {self.households:,} households of two records or "
            f"more can be put together by what their members share: {', '.join(self.names)}.",
        )


def rejoined(table: Microfile, homes: Codes) -> Rejoined:
    """Count the households that released values put together.

    Parameters
    ----------
    table
        What is released.
    homes
        The household of each record, which is not.

    Examples
    --------
    >>> import polars as pl
    >>> table = Microfile(pl.DataFrame({"rent": [710, 710, 450, 450, 450], "age": [40, 12, 70, 33, 35]}))
    >>> rejoined(table, np.array([0, 0, 1, 2, 2], dtype=np.int32)).found
    1
    """
    homes = np.unique(homes, return_inverse=True)[1].astype(np.int32)
    sizes = np.bincount(homes)
    several = int((sizes > 1).sum())
    names = tuple(name for name in table.names if several and _hardly_differs(table.encoded(name), homes))
    if not names:
        return Rejoined((), several, 0)
    blocks = group([table.encoded(name) for name in names])
    first = np.empty(len(blocks), dtype=np.int32)
    first[blocks.numbers] = homes
    mixed = np.bincount(blocks.numbers, weights=homes != first[blocks.numbers], minlength=len(blocks)) > 0
    whole = ~mixed & (blocks.sizes == sizes[first]) & (blocks.sizes > 1)
    return Rejoined(names, several, int(whole.sum()))


def _hardly_differs(column: Encoded, homes: Codes) -> bool:
    """Say whether members of households nearly always have the same value, which not all records have."""
    codes = column.with_missing()
    its = sharing_of(homes, codes, np.zeros(homes.size, dtype=np.bool_))
    return bool((codes != codes[0]).any()) and its.differing <= RARELY * its.households


def where_any(some: Flags, homes: Codes) -> Flags:
    """Say which records live with one of some, or are one."""
    found = np.zeros(int(homes.max()) + 1, dtype=np.bool_)
    found[homes[some]] = True
    return np.asarray(found[homes])


def _ends(homes: Codes, codes: Codes) -> tuple[Codes, Codes]:
    """Return the lowest and the highest known code of each household; of none, the lowest is above the highest."""
    lowest = np.full(int(homes.max()) + 1, np.iinfo(np.int32).max, dtype=np.int32)
    highest = np.full(lowest.size, -1, dtype=np.int32)
    known = codes >= 0
    np.minimum.at(lowest, homes[known], codes[known])
    np.maximum.at(highest, homes[known], codes[known])
    return lowest, highest


@quiet
@dataclass(frozen=True)
class Laid:
    """The records as somebody sees them who lays those of each household upon each other."""

    blocks: Blocks
    """The records of which the same is known then."""
    shared: tuple[str, ...]
    """The attributes that the members of a household have in common."""
    sharpened: int
    """Of how many records more is known then than each tells by itself."""
    contradicted: int
    """Households whose members are released with what excludes each other."""


def lay(table: Microfile, keys: Sequence[str], shared: Mapping[str, Form], *, household: str) -> Laid:
    """Lay the records of each household upon each other.

    Of an attribute that its members have in common, everybody knows of each of them what is told of any: the
    intersection of their intervals or sets, and a value that only some of them lack.

    Parameters
    ----------
    table, keys
        A released table, and its columns of all quasi attributes.
    shared
        The attributes that members have in common, and how they are released.
    household
        The attribute that tells who lives together.
    """
    homes = homes_of(table.encoded(household))
    laid: dict[str, Encoded] = {}
    sharper, wrong = np.zeros(table.records, dtype=np.bool_), np.zeros(int(homes.max()) + 1, dtype=np.bool_)
    for name, form in shared.items():
        columns = form.columns(name)
        if released_alike(table, columns, household=household):
            continue
        before = {column: table.encoded(column) for column in columns}
        after, contradicted = (
            _intervals(table, columns, homes) if isinstance(form, Interval) else _labels(before, form, homes)
        )
        wrong |= contradicted
        for column, its in after.items():
            sharper |= its.codes != before[column].codes
            laid[column] = its
    blocks = group([laid.get(key) or table.encoded(key) for key in keys])
    return Laid(blocks, tuple(shared), int(sharper.sum()), int(wrong.sum()))


def released_alike(table: Microfile, columns: Sequence[str], *, household: str) -> bool:
    """Whether the members of every household stand in some columns with the same, or all of them with nothing."""
    frame = pl.DataFrame([table.series(household), *(table.series(column) for column in columns)])
    some = frame.drop_nulls(household).lazy()
    same = (pl.col(column).eq_missing(pl.col(column).first().over(household)).all() for column in columns)
    return all(some.select(*same).collect().row(0))


def _intervals(table: Microfile, columns: Sequence[str], homes: Codes) -> tuple[dict[str, Encoded], Flags]:
    """Return the intersections of intervals, coded as the ends of each column are."""
    found, ends = {}, []
    for column, farthest in zip(columns, (np.maximum, np.minimum), strict=True):
        codes, known = table.encoded(column).codes, table.encoded(column).values
        reached = np.full(int(homes.max()) + 1, -1 if farthest is np.maximum else known.size, dtype=np.int32)
        some = codes >= 0
        # values ascend, so that codes compare as they do
        farthest.at(reached, homes[some], codes[some])
        reached[reached == known.size] = -1
        found[column] = Encoded(reached[homes], known)
        ends.append((reached, known))
    (low, lows), (high, highs) = ends
    both: Flags = (low >= 0) & (high >= 0)
    wrong = np.zeros(low.size, dtype=np.bool_)
    wrong[both] = lows[low[both]] > highs[high[both]]
    return found, wrong


def _labels(before: Mapping[str, Encoded], form: Form, homes: Codes) -> tuple[dict[str, Encoded], Flags]:
    """Return the intersections of sets of categories; of other labels, which of them a household has."""
    found = {}
    wrong = np.zeros(int(homes.max()) + 1, dtype=np.bool_)
    whole = form.open if isinstance(form, Sets) else ()
    for column, its in before.items():
        lowest, highest = _ends(homes, its.codes)
        told = np.where(highest < 0, -1, lowest)
        mixed = np.flatnonzero(lowest < highest)
        names = [str(value) for value in its.values.tolist()]
        members = form.comparable() if isinstance(form, Sets) else {name: frozenset((name,)) for name in names}
        numbers: dict[Any, int] = {members[name]: code for code, name in enumerate(names) if name not in whole}
        known = len(names)
        for home, codes in zip(mixed.tolist(), _codes_of(mixed, homes, its.codes), strict=True):
            told_of = [names[code] for code in codes.tolist() if names[code] not in whole]
            if not told_of:
                # whatever stands for any value tells nothing, laid upon its like
                continue
            both = frozenset.intersection(*(members[name] for name in told_of))
            wrong[home] |= not both
            told[home] = numbers.setdefault(both or tuple(codes.tolist()), known)
            known = max(known, int(told[home]) + 1)
        found[column] = Encoded(told[homes].astype(np.int32), np.arange(known))
    return found, wrong


def _codes_of(some: Counts, homes: Codes, codes: Codes) -> list[Codes]:
    """Return the different known codes of some households, each in their order."""
    among = np.isin(homes, some) & (codes >= 0)
    pairs = np.unique(np.stack([homes[among], codes[among]], axis=1), axis=0)
    return np.split(pairs[:, 1], np.flatnonzero(np.diff(pairs[:, 0])) + 1) if len(pairs) else []


@dataclass(frozen=True)
class Compositions:
    """Whether a household is known by its members together, though each of them looks like others."""

    households: int
    """All of them."""
    unique: int
    """Those whose members together are released as no other household is."""
    records: int
    """The records of these."""


def compositions(blocks: Blocks, household: Encoded) -> Compositions:
    """Count the households that the blocks of all their members together single out."""
    homes = homes_of(household)
    order = np.lexsort((blocks.numbers, homes))
    sizes = np.bincount(homes)
    starts = np.cumsum(sizes) - sizes
    there = np.flatnonzero(sizes)
    # households are told apart by their size, then by one member after the other, as long as some are alike
    left, numbers, step, unique = there, sizes[there].astype(np.int32), 0, []
    while left.size:
        numbers, alike = group_codes([numbers], [int(numbers.max()) + 1])
        alone = alike[numbers] == 1
        unique.append(left[alone])
        more = ~alone & (sizes[left] > step)
        left, numbers = left[more], numbers[more]
        if left.size:
            members = blocks.numbers[order[starts[left] + step]]
            numbers, _ = group_codes([numbers, members], [int(numbers.max()) + 1, len(blocks)])
        step += 1
    found = np.concatenate(unique) if unique else there
    return Compositions(there.size, found.size, int(sizes[found].sum()))


def forms_of(names: Sequence[str], forms: Mapping[str, Form] | None) -> dict[str, Form]:
    """Return how attributes are released: exactly, where nothing is said."""
    return {name: (forms or {}).get(name, Exact()) for name in names}
