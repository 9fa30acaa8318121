"""Whether two files have the same attributes with comparable kinds and codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.errors import MicrofileError, SettingError
from sfumato.formatting import counted
from sfumato.microfile import Kind, Microfile, as_microfile, label_of
from sfumato.settings import listed

STRANGERS = 0.05
"""Up to this share of the records may have codes that do not occur in the other file."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two files differ in an attribute."""

    attribute: str
    """The attribute."""
    words: str
    """The difference in words, with counts but never values."""
    grave: bool
    """Whether what is learned from one file cannot be applied to the other."""

    def __str__(self) -> str:
        return f"{self.attribute!r} {self.words}"


def differences(
    first: Any,
    second: Any,
    names: str | Sequence[str] | None = None,
    *,
    called: tuple[str, str] = ("the first file", "the second file"),
    strangers: float = STRANGERS,
) -> tuple[Difference, ...]:
    """Return how two files differ in attributes that both should have.

    Parameters
    ----------
    first, second
        Microfiles, or frames that become them.
    names
        The attributes; default: all of both.
    called
        The names of the files in messages.
    strangers
        A difference of codes is grave where more than this share of a file's records have codes that the other does not
        have. Some always do: rare codes need not occur in both.

    Examples
    --------
    >>> import polars as pl
    >>> first, second = pl.DataFrame({"age": [1], "sex": ["f"]}), pl.DataFrame({"age": [2], "sex": ["2"]})
    >>> str(differences(first, second)[0])
    "'age' has numbers that do not overlap"
    """
    if not 0 <= strangers <= 1:
        raise SettingError(f"strangers must be between 0 and 1 (given: {strangers:g})", setting="strangers")
    files = as_microfile(first), as_microfile(second)
    compared = list(dict.fromkeys([*files[0].names, *files[1].names] if names is None else listed(names)))
    result: list[Difference] = []
    for name in compared:
        absent = [called[number] for number, file in enumerate(files) if name not in file.attributes]
        if absent:
            result.append(Difference(name, f"is missing in {' and in '.join(absent)}", grave=True))
        else:
            result += _compared(files, name, called, strangers)
    return tuple(result)


def agree(
    first: Any,
    second: Any,
    names: str | Sequence[str] | None = None,
    *,
    called: tuple[str, str] = ("the first file", "the second file"),
    strangers: float = STRANGERS,
) -> tuple[Difference, ...]:
    """Refuse two files that do not have the same attributes with comparable kinds and codes.

    Parameters are those of :func:`differences`; differences that are not grave are returned.
    """
    result = differences(first, second, names, called=called, strangers=strangers)
    grave = [str(difference) for difference in result if difference.grave]
    if grave:
        listing = "; ".join(grave[:6]) + (f"; and {len(grave) - 6} more" if len(grave) > 6 else "")
        raise MicrofileError(
            f"the files do not agree: {listing}",
            hint="harmonise them: rename, map, scale or drop attributes until both files agree",
        )
    return result


def _compared(
    files: tuple[Microfile, Microfile], name: str, called: tuple[str, str], strangers: float
) -> list[Difference]:
    kinds = [file.attribute(name).kind for file in files]
    if (Kind.NUMERIC in kinds) and kinds[0] is not kinds[1]:
        described = " and ".join(f"{kind.value} in {file}" for kind, file in zip(kinds, called, strict=True))
        return [Difference(name, f"is {described}", grave=True)]
    blank = [title for file, title in zip(files, called, strict=True) if file.is_blank(name)]
    if blank:
        return [Difference(name, f"has only missing values in {' and in '.join(blank)}", grave=True)]
    if kinds[0] is Kind.NUMERIC:
        return _ranges(files, name)
    orders = [[label_of(code) for code in file.attribute(name).order] for file in files]
    if all(orders) and _is_reordered(*orders):
        return [Difference(name, "has its categories in a different order", grave=True)]
    return _codes(files, name, called, strangers)


def _ranges(files: tuple[Microfile, Microfile], name: str) -> list[Difference]:
    """Compare the ranges of numbers, which in different units often do not overlap."""
    numbers = [file.numbers(name) for file in files]
    low, high = ([float(end(column)) for column in numbers] for end in (np.nanmin, np.nanmax))
    if max(low) > min(high):
        return [Difference(name, "has numbers that do not overlap", grave=True)]
    # the middle half of one file beside that of the other: dollars against cents, hours and minutes against minutes
    quarters = [np.nanquantile(column, (0.25, 0.75)) for column in numbers]
    if max(ends[0] for ends in quarters) <= min(ends[1] for ends in quarters):
        return []
    return [Difference(name, "has numbers whose middle halves do not overlap: are the units the same?", grave=False)]


def _is_reordered(first: list[str], second: list[str]) -> bool:
    """Whether categories that both orders list come in a different order."""
    common = set(first) & set(second)
    return [code for code in first if code in common] != [code for code in second if code in common]


def _codes(
    files: tuple[Microfile, Microfile], name: str, called: tuple[str, str], strangers: float
) -> list[Difference]:
    encoded = [file.encoded(name) for file in files]
    labels = [[label_of(value) for value in column.values.tolist()] for column in encoded]
    result = []
    for file, reference in ((0, 1), (1, 0)):
        listed_codes = set(labels[reference])
        strange = np.array([label not in listed_codes for label in labels[file]], dtype=np.bool_)
        if strange.any():
            having = encoded[file].codes[~encoded[file].missing]
            n_records = int(strange[having].sum())
            records = counted(n_records, "record")
            words = (
                f"has {int(strange.sum()):,} of {strange.size:,} codes in {called[file]} ({records}) "
                f"that do not occur in {called[reference]}"
            )
            result.append(Difference(name, words, grave=n_records > strangers * having.size))
    return result
