"""Whether two files tell the same things in the same way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile.attribute import Kind
from sfumato.microfile.joining import label_of
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.settings import listed

STRANGERS = 0.05
"""So large a share of records may have codes that the other file does not know."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two files differ in an attribute."""

    attribute: str
    """The attribute."""
    words: str
    """How; it tells counts, never values."""
    grave: bool
    """Whether what is learned from one file cannot be applied to the other."""

    def __str__(self) -> str:
        return f"{self.attribute!r} {self.words}"


def differences(
    one: Any,
    other: Any,
    names: str | Sequence[str] | None = None,
    *,
    called: tuple[str, str] = ("the first file", "the second file"),
    strangers: float = STRANGERS,
) -> tuple[Difference, ...]:
    """Return how two files differ in attributes that both should have.

    Parameters
    ----------
    one, other
        Microfiles, or frames that become them.
    names
        The attributes; default: all of both.
    called
        What the files are called.
    strangers
        A difference of codes is grave where more than this share of a file's records have codes that the other does not
        have. Some always do: rare codes need not occur in both.

    Examples
    --------
    >>> import polars as pl
    >>> here, there = pl.DataFrame({"age": [1], "sex": ["f"]}), pl.DataFrame({"age": [2], "sex": ["2"]})
    >>> [str(one) for one in differences(here, there)][0]
    "'age' has numbers that do not overlap"
    """
    if not 0 <= strangers <= 1:
        raise SettingError(f"strangers must lie from 0 to 1 (given: {strangers:g})")
    files = as_microfile(one), as_microfile(other)
    wanted = list(dict.fromkeys([*files[0].names, *files[1].names] if names is None else listed(names)))
    found: list[Difference] = []
    for name in wanted:
        absent = [called[number] for number, file in enumerate(files) if name not in file.attributes]
        if absent:
            found.append(Difference(name, f"is missing in {' and in '.join(absent)}", grave=True))
        else:
            found += _compared(files, name, called, strangers)
    return tuple(found)


def agree(
    one: Any,
    other: Any,
    names: str | Sequence[str] | None = None,
    *,
    called: tuple[str, str] = ("the first file", "the second file"),
    strangers: float = STRANGERS,
) -> tuple[Difference, ...]:
    """Refuse two files that do not have the same attributes with comparable kinds and codes.

    Parameters are those of :func:`differences`, of which those that are not grave are returned.
    """
    found = differences(one, other, names, called=called, strangers=strangers)
    grave = [str(difference) for difference in found if difference.grave]
    if grave:
        shown = "; ".join(grave[:6]) + (f"; and {len(grave) - 6} more" if len(grave) > 6 else "")
        raise MicrofileError(
            f"the files do not agree: {shown}",
            hint="rename, map, scale or drop attributes with steps that harmonise, until both are told alike",
        )
    return found


def _compared(
    files: tuple[Microfile, Microfile], name: str, called: tuple[str, str], strangers: float
) -> list[Difference]:
    kinds = [file.attribute(name).kind for file in files]
    if (Kind.NUMERIC in kinds) and kinds[0] is not kinds[1]:
        told = " and ".join(f"{kind.value} in {which}" for kind, which in zip(kinds, called, strict=True))
        return [Difference(name, f"is {told}", grave=True)]
    blank = [which for file, which in zip(files, called, strict=True) if file.is_blank(name)]
    if blank:
        return [Difference(name, f"has only missing values in {' and in '.join(blank)}", grave=True)]
    if kinds[0] is Kind.NUMERIC:
        return _ranges(files, name)
    orders = [[label_of(code) for code in file.attribute(name).order] for file in files]
    if all(orders) and _turned(*orders):
        return [Difference(name, "has its categories in another order", grave=True)]
    return _codes(files, name, called, strangers)


def _ranges(files: tuple[Microfile, Microfile], name: str) -> list[Difference]:
    """Numbers in different units often do not even meet."""
    numbers = [file.numbers(name) for file in files]
    low, high = ([float(ends(its)) for its in numbers] for ends in (np.nanmin, np.nanmax))
    if max(low) > min(high):
        return [Difference(name, "has numbers that do not overlap", grave=True)]
    # the middle half of one file beside that of the other: dollars against cents, hours and minutes against minutes
    quarters = [np.nanquantile(its, (0.25, 0.75)) for its in numbers]
    if max(ends[0] for ends in quarters) <= min(ends[1] for ends in quarters):
        return []
    return [Difference(name, "has numbers whose middle halves do not overlap: are the units the same?", grave=False)]


def _turned(one: list[str], other: list[str]) -> bool:
    """Whether categories that both orders list stand otherwise in them."""
    both = set(one) & set(other)
    return [code for code in one if code in both] != [code for code in other if code in both]


def _codes(
    files: tuple[Microfile, Microfile], name: str, called: tuple[str, str], strangers: float
) -> list[Difference]:
    encoded = [file.encoded(name) for file in files]
    labels = [[label_of(value) for value in its.values.tolist()] for its in encoded]
    found = []
    for here, there in ((0, 1), (1, 0)):
        known = set(labels[there])
        strange = np.array([label not in known for label in labels[here]], dtype=np.bool_)
        if strange.any():
            having = encoded[here].codes[~encoded[here].missing]
            records = int(strange[having].sum())
            words = (
                f"has {int(strange.sum()):,} of {strange.size:,} codes in {called[here]} ({records:,} records) that do "
                f"not occur in {called[there]}"
            )
            found.append(Difference(name, words, grave=records > strangers * having.size))
    return found
