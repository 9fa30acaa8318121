"""Characters that cannot be seen: in files they hide text, on a terminal they are commands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_IGNORED = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Marks that printing counts as characters, and nobody sees."""


def printable(text: str) -> str:
    r"""Write every character that a terminal could obey, or that cannot be seen, by its number.

    >>> printable("a\x1b[2Jb\u202ec"), printable("two\nlines")
    ('a\\x1b[2Jb\\u202ec', 'two\nlines')
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one == "\n" else _by_number(one) for one in text)


def _by_number(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"


def seen(text: str) -> str:
    r"""Return a text as it is seen: blanks of every kind become one, what cannot be seen is left out.

    >>> seen(" income\u00a0per \u00adson\t(EUR)\u200b ")
    'income per son (EUR)'
    """
    kept = (" " if one.isspace() else one for one in text if one.isspace() or one.isprintable())
    return " ".join("".join(kept).split())


def look_alikes(texts: Iterable[str]) -> int:
    r"""Count the texts that look like another one: but for blanks, case, invisible characters and forms of letters.

    >>> look_alikes(["flu", "Flu ", "f\u200blu", "\uff46lu", "gout"])
    4
    """
    seen_as: dict[str, int] = {}
    for text in texts:
        shape = _shape(text)
        seen_as[shape] = seen_as.get(shape, 0) + 1
    return sum(count for count in seen_as.values() if count > 1)


def _shape(text: str) -> str:
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = _IGNORED.sub("", folded)
    return seen(text).casefold()
