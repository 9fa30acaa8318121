"""What is in a microfile: kinds, missing values, distinct counts, and what identifies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sfumato.measures.blocks import group_codes, homes_of
from sfumato.microfile import Attribute, Kind, Microfile, as_microfile, encode
from sfumato.progress import Progress, silent
from sfumato.quiet_repr import quiet

CANDIDATES = 14
"""At most this number of attributes are tried in combinations."""
MOST_COMBINED = 5
NEARLY_ALL = 0.99
IDENTIFIES_ALONE = 0.95
LEAST_MEMBERS, MOST_MEMBERS, MANY_HOMES = 1.1, 20, 20
"""The number of records per household, on average, from least to most; and how many households must have several."""
NEAR = 20_000
"""Households are looked for among the first records, up to this number."""
LEAST_VALUES, ENOUGH_SHARED = 3, 2
"""Members of households have at least two attributes in common, of at least three values each."""
CELLS_READ = 64
"""The search for households reads each cell at most this often on average, however many attributes there are."""

_NAMES = {
    "weight": r"weight|wgt|^wt|pwgtp|^w$|s006",
    "household": r"house.?hold|^hid|hid$|^hhid|serialno|family.?id|hh.?id",
    "identifier": r"(^|[_. -])(id|ids|ssn|uuid|e?mail|phone|passport|key)($|[_. -])|(name|caseid|recid|idnr)$",
    "sensitive": r"income|salary|wage|pincp|pernp|earn|diag|disease|illness|diabet|hiv|drug|sex(part|age|ever)"
    r"|crim|religion|tax|debt|savings|credit|benefit|profit",
    "quasi": r"^age|agep|_age|^sex$|gender|race|rac1p|hisp|ethnic|birth|dob|zip|postal|post.?code|marital|educ"
    r"|mar(stat)?$|schl|occup|occp|region|state|county|city|puma|native|country|citizen|nation|relat|workclass"
    r"|job|urbrur|language|residence|district|municip|province|latitude|longitude",
}
"""What attributes of each role are often called."""


@dataclass(frozen=True)
class AttributeProfile:
    """What is in one attribute, in counts only."""

    name: str
    """Its name in the file."""
    kind: Kind
    """Its kind."""
    missing: int
    """How many records lack it."""
    distinct: int
    """How many different values it has."""
    unique: int
    """Records that its value alone singles out."""
    role: str
    """Its probable role: identifier, quasi, sensitive, weight, household or none."""
    title: str = ""
    """Its name in words, where the file has one."""


@dataclass(frozen=True)
class Combination:
    """Attributes that together single out records."""

    names: tuple[str, ...]
    """The attributes."""
    unique: int
    """How many records they single out."""
    share: float
    """Which share of all records these are."""


@quiet
@dataclass(frozen=True)
class Profile:
    """What is in a microfile."""

    records: int
    """How many records there are."""
    attributes: tuple[AttributeProfile, ...]
    """One for each attribute, in the file's order."""
    combinations: tuple[Combination, ...]
    """The attributes that single out most records: one, then one more each time."""
    homes: tuple[str, ...] = ()
    """Attributes that look like the number of a household: by their name, or because others do not differ within it."""

    def of_role(self, role: str) -> list[str]:
        """Return the attributes that probably have a role."""
        return [attribute.name for attribute in self.attributes if attribute.role == role]


def profile(microfile: Microfile | Any, *, progress: Progress = silent) -> Profile:
    """Describe a microfile, or a frame, without showing any record's value.

    Examples
    --------
    >>> import polars as pl
    >>> people = Microfile(pl.DataFrame({"age": [31, 31, 40], "sex": ["f", "m", "m"]}))
    >>> profile(people).combinations[-1]
    Combination(names=('age', 'sex'), unique=3, share=1.0)
    """
    microfile = as_microfile(microfile)
    described = []
    for position, attribute in enumerate(microfile.attributes.values()):
        described.append(_describe(microfile, attribute))
        progress("counting", (position + 1) / len(microfile.attributes))
    return Profile(
        records=microfile.records,
        attributes=tuple(described),
        combinations=tuple(_combine(microfile, _candidates(described), progress)),
        homes=tuple(_homes(microfile, described)),
    )


def _homes(microfile: Microfile, described: Sequence[AttributeProfile]) -> Iterator[str]:
    """Find numbers of households: few records have the same, and these have several attributes in common."""
    from sfumato.kernels.household_agreement import shared_attributes

    # members are near each other in most files
    first = microfile.take(np.arange(min(microfile.records, NEAR)))
    able = [attribute for attribute in described if attribute.distinct >= LEAST_VALUES]
    distinct = np.array([attribute.distinct for attribute in able], dtype=np.int64)
    possible = {attribute.name for attribute in described if _may_number_homes(attribute, microfile.records)}
    codes = (
        np.stack([first.encoded(attribute.name).codes for attribute in able])
        if possible and able
        else np.empty((0, 0), dtype=np.int32)
    )
    cells_left = CELLS_READ * codes.size
    for attribute in described:
        if attribute.role == "household":
            yield attribute.name
        elif attribute.name in possible and cells_left > 0:
            homes = homes_of(first.encoded(attribute.name))
            order = np.argsort(homes, kind="stable").astype(np.int64)
            # an attribute of as many values, which could be the number itself, is not a property of households
            rows = np.flatnonzero(distinct < attribute.distinct).astype(np.int64)
            common, cells = shared_attributes(order, homes, codes, rows, ENOUGH_SHARED, MANY_HOMES)
            cells_left -= cells
            if common >= ENOUGH_SHARED:
                yield attribute.name


def _may_number_homes(attribute: AttributeProfile, records: int) -> bool:
    few_members = LEAST_MEMBERS * attribute.distinct < records < MOST_MEMBERS * attribute.distinct
    return few_members and attribute.role not in ("identifier", "weight", "household")


def _describe(microfile: Microfile, attribute: Attribute) -> AttributeProfile:
    # encoded separately, so that the codes of a wide file are not all held at once
    encoded = encode(microfile.series(attribute.name), attribute)
    counts = np.bincount(encoded.codes[encoded.codes >= 0], minlength=encoded.values.size)
    unique, distinct = int((counts == 1).sum()), int(encoded.values.size)
    return AttributeProfile(
        name=attribute.name,
        kind=attribute.kind,
        missing=int(encoded.missing.sum()),
        distinct=distinct,
        unique=unique,
        role=_suggest(microfile, attribute, distinct, unique),
        title=attribute.title,
    )


def _suggest(microfile: Microfile, attribute: Attribute, distinct: int, unique: int) -> str:
    """Guess a role from the name, as far as the values allow it."""
    name = attribute.name.lower()
    series = microfile.series(attribute.name)
    numeric = attribute.kind is Kind.NUMERIC
    if distinct < 2:
        return "none"
    for role, pattern in _NAMES.items():
        if not re.search(pattern, name):
            continue
        if role == "weight" and not (numeric and _never_negative(series)):
            continue
        if role == "identifier" and distinct < microfile.records / 2:
            continue
        if role == "household" and unique == distinct:
            return "identifier"
        return role
    alone = distinct > 20 and unique >= IDENTIFIES_ALONE * microfile.records
    return "identifier" if alone and (not numeric or _numbered(series)) else "none"


def _never_negative(series: pl.Series) -> bool:
    low = series.min()
    return isinstance(low, int | float) and low >= 0


def _numbered(series: pl.Series) -> bool:
    """Whether whole numbers are as dense as running numbers, and not spread like amounts."""
    low, high = series.min(), series.max()
    return isinstance(low, int) and isinstance(high, int) and high - low < 4 * series.len()


def _candidates(described: Sequence[AttributeProfile]) -> list[str]:
    """Choose attributes to combine: probable quasi attributes if there are any, those with most values first."""
    able = [a for a in described if a.role not in ("identifier", "weight", "household") and a.distinct > 1]
    quasi = [a for a in able if a.role == "quasi"]
    chosen = sorted(quasi if len(quasi) > 1 else able, key=lambda a: -a.distinct)
    return [a.name for a in chosen[:CANDIDATES]]


def _combine(microfile: Microfile, names: list[str], progress: Progress) -> list[Combination]:
    """Add, one by one, the attribute with which most records become unique."""
    numbers = np.zeros(microfile.records, dtype=np.int32)
    blocks, chosen, combinations = 1, [], []
    steps = min(MOST_COMBINED, len(names))
    for step in range(steps):
        best: tuple[int, int, str] | None = None
        for position, name in enumerate(names):
            encoded = microfile.encoded(name)
            _, sizes = group_codes([numbers, encoded.codes], [blocks, encoded.values.size])
            candidate = (int((sizes == 1).sum()), int(sizes.size), name)
            best = candidate if best is None or candidate[:2] > best[:2] else best
            progress("combining attributes", (step + (position + 1) / len(names)) / steps)
        if best is None:
            break
        unique, blocks, name = best
        encoded = microfile.encoded(name)
        numbers, sizes = group_codes([numbers, encoded.codes], [int(numbers.max()) + 1, encoded.values.size])
        names = [remaining for remaining in names if remaining != name]
        chosen.append(name)
        combinations.append(Combination(tuple(chosen), unique, unique / microfile.records))
        if unique >= NEARLY_ALL * microfile.records:
            break
    progress("combining attributes", 1.0)
    return combinations
