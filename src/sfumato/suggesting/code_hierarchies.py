"""What codes reveal about themselves: which form a prefix hierarchy, and which probably mean a missing value."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from sfumato.array_types import Counts
from sfumato.microfile import Encoded, Hierarchy, Kind, Microfile

LONGEST = 12
"""Codes have at most this number of characters."""
ALIKE = 0.95
"""At least this share of the records have values that are written like codes."""
COVERED = 0.8
"""A hierarchy that covers the values of fewer records is not worth suggesting."""
MOST_LISTED = 20_000
"""A hierarchy lists at most this number of codes."""
_CODE = re.compile(r"[0-9A-Z]*[0-9][0-9A-Z]*")
_WORDS = ("?", "-", ".", "na", "n/a", "nan", "null", "missing", "unknown", "refused", "don't know", "not available")
_NINES = tuple(int("9" * digits) for digits in range(1, 9))


def nested(encoded: Encoded, k: int) -> dict[str, tuple[str, ...]] | None:
    """Return the levels of codes that form a prefix hierarchy, or None where they do not.

    A code that fewer than k records have could be a single person's value, and a list of the codes that occur would
    show it. So such a code is listed only with all its neighbours, those with the same prefix, whether they occur or
    not, if together they have k records; otherwise it is left out, and released as ``*`` only.

    Parameters
    ----------
    encoded
        The column.
    k
        How many records a code needs to be listed without its neighbours.
    """
    counts = _counts(encoded)
    texts = [str(value) for value in encoded.values.tolist()]
    code_counts = {text: int(count) for text, count in zip(texts, counts, strict=True) if _CODE.fullmatch(text)}
    lengths = Counter[int]()
    for text, count in code_counts.items():
        lengths[len(text)] += count
    length, records = max(lengths.items(), key=lambda item: item[1], default=(0, 0))
    if not 2 <= length <= LONGEST or records < ALIKE * counts.sum():
        return None
    codes = {text: count for text, count in code_counts.items() if len(text) == length}
    if len({text[0] for text in codes}) == len(codes):
        return None
    for free in (2, 1, 0):
        listed = _listed(codes, k, free if length > free else 0)
        reached = sum(codes.get(text, 0) for text in listed)
        if 1 < len(listed) <= MOST_LISTED and reached >= COVERED * counts.sum():
            levels = Hierarchy.prefixes(length)
            return {text: levels.path(text) or () for text in sorted(listed)}
    return None


def _listed(codes: dict[str, int], k: int, free: int) -> set[str]:
    """Return the codes of k records, and all neighbours of rare ones, which differ in the last ``free`` digits."""
    listed = {text for text, count in codes.items() if count >= k}
    if not free or not all(text[-free:].isdigit() for text in codes):
        return listed
    together = Counter[str]()
    for text, count in codes.items():
        together[text[:-free]] += count
    rare = {text[:-free] for text, count in codes.items() if count < k}
    for first in rare:
        if together[first] >= k:
            listed |= {f"{first}{number:0{free}}" for number in range(10**free)}
    return listed


def missing_codes(microfile: Microfile, name: str, encoded: Encoded, k: int) -> list[str | int]:
    """Return the codes of an attribute that look like missing values.

    These are words such as ``?``; negative numbers where no other value is negative; and the largest number if it is
    all nines and far from the others. At least k records have each of them.
    """
    counts = _counts(encoded)
    if microfile.attribute(name).kind is not Kind.NUMERIC:
        texts = zip(map(str, encoded.values.tolist()), counts, strict=True)
        return [text for text, count in texts if text.strip().lower() in _WORDS and count >= k]
    values = encoded.values
    if values.size < 3 or not np.issubdtype(values.dtype, np.number) or not np.all(np.mod(values, 1) == 0):
        return []
    negative = [index for index in range(values.size) if values[index] < 0]
    missing: list[str | int] = []
    if negative and len(negative) <= 3 and values.size - len(negative) >= 2 and values[negative[0]] >= -999:
        missing = [int(values[index]) for index in negative if counts[index] >= k and _is_code(int(values[index]))]
    last, before = float(values[-1]), float(values[-2])
    if last in _NINES and counts[-1] >= k and last - before >= max(2, 0.1 * last):
        missing.append(int(last))
    return missing


def _is_code(number: int) -> bool:
    return -9 <= number < 0 or -number in _NINES


def _counts(encoded: Encoded) -> Counts:
    return np.bincount(encoded.codes[encoded.codes >= 0], minlength=encoded.values.size)
