"""Values that a reader takes for the same, although their characters or last digits differ."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

import numpy as np

from sfumato.array_types import Reals
from sfumato.invisible_characters import visible_characters

SIGNIFICANT_DIGITS = 12
"""Numbers that agree in this number of digits look alike; nobody measures more."""
CHANCE = 1e-3
"""Of so many random numbers that some agree in all these digits, more digits are compared: the probability that two
look alike by chance stays below about this."""

# only letters that are drawn alike: a small mu is no m, and five of its grams are not five mg
_SMALL = dict(zip("аеорсухіјѕһԁԛԝӏαγικνορυχϲϳ", "aeopcyxijshdqwlayikvopuxcj", strict=True))
_CAPITALS = dict(zip("АВЕКМНОРСТУХІЈЅӀΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEKMHOPCTYXIJSIABEZHIKMNOPTYX", strict=True))
_SAME_LETTER = str.maketrans(_SMALL)
_SAME_SHAPE = str.maketrans(_CAPITALS | _SMALL)
_ONE_SHAPE = str.maketrans({"I": "l", "|": "l", "O": "0"})
_MINUS = "\u02d7\u2043\u2212"
_NUMERAL = re.compile(r"([+-]?)0*(\d*?)(?:\.(\d*?)0*)?")


def look_alikes(texts: Iterable[str]) -> int:
    r"""Count the texts that look like another.

    White space, case, invisible characters, variants of letters and dashes, and how a number is written are ignored;
    so are letters of the Cyrillic and Greek alphabets that look like Latin ones.

    >>> look_alikes(["flu", "Flu ", "f\u200blu", "\uff46lu", "gout"])
    4
    >>> look_alikes(["c\u0430ncer", "cancer", "HIV +", "HIV+", "1", "01", "1.0", "a-b", "a\u2013b", "fIu", "flu"])
    11
    """
    appearances = [_appearances(text) for text in texts]
    counts = Counter(appearance for both in appearances for appearance in both)
    return sum(any(counts[appearance] > 1 for appearance in both) for both in appearances)


def _appearances(text: str) -> set[str]:
    """Return how a text reads if case is ignored, and how its characters are drawn."""
    if text.isascii():
        plain = _plain(text)
        return {_numeral(plain.casefold()), plain.translate(_ONE_SHAPE)}
    plain = _plain(unicodedata.normalize("NFKC", text))
    read = _plain(unicodedata.normalize("NFKC", plain.casefold())).translate(_SAME_LETTER)
    return {_numeral(read), plain.translate(_SAME_SHAPE).translate(_ONE_SHAPE)}


def _plain(text: str) -> str:
    """Return a text without invisible characters and blanks, with one kind of dashes and digits."""
    text = visible_characters(text)
    # between digits a blank separates numbers
    text = re.sub(r"(?<!\d)\s+|\s+(?!\d)", "", text.strip())
    return text if text.isascii() else "".join(map(_one_kind, text))


def _one_kind(character: str) -> str:
    if character in _MINUS or unicodedata.category(character) == "Pd":
        return "-"
    return str(unicodedata.decimal(character, character))


def _numeral(text: str) -> str:
    """Return a number in the one way of writing it, and any other text as it is.

    >>> [_numeral(text) for text in ("007", "-0.50", "+3.", "0", "1e5", ".", "250.01")]
    ['7', '-0.5', '3', '0', '1e5', '.', '250.01']
    """
    match = _NUMERAL.fullmatch(text)
    if match is None or not any(map(str.isdigit, text)):
        return text
    sign, whole, fraction = match[1], match[2] or "0", match[3] or ""
    number = f"{whole}.{fraction}" if fraction else whole
    return f"-{number}" if sign == "-" and number != "0" else number


def numbers_alike(numbers: Reals) -> int:
    """Count the numbers that agree with another in all digits that count; whole numbers never do.

    Parameters
    ----------
    numbers
        Different numbers in ascending order.

    Examples
    --------
    >>> numbers_alike(np.array([0.1, 0.2, 0.4, 0.4 + 1e-9, 1e15, 1e15 + 1]))
    0
    >>> numbers_alike(np.array([50000.0, np.nextafter(50000.0, 1e9), 60000.0]))
    2
    """
    if numbers.size < 2:
        return 0
    tolerance = min(10.0**-SIGNIFICANT_DIGITS, CHANCE / numbers.size**2)
    low, high = numbers[:-1], numbers[1:]
    whole = np.floor(numbers) == numbers
    # halves, since the distance of the largest numbers is infinite
    close = 0.5 * high - 0.5 * low <= 0.5 * tolerance * np.maximum(np.abs(low), np.abs(high))
    close &= ~(whole[:-1] & whole[1:])
    alike = np.zeros(numbers.size, dtype=np.bool_)
    alike[:-1] |= close
    alike[1:] |= close
    return int(alike.sum())
