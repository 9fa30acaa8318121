"""Invisible characters: in files they hide text, on a terminal they can be commands."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

_IGNORED = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)
"""Characters that count as printable but show nothing."""


def printable(text: str) -> str:
    r"""Escape every character that a terminal could obey or that cannot be seen.

    >>> printable("a\x1b[2Jb\u202ec"), printable("two\nlines")
    ('a\\x1b[2Jb\\u202ec', 'two\nlines')
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or each == "\n" else _escaped(each) for each in text)


def _escaped(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}" if number < 65536 else f"\\U{number:08x}"


def seen(text: str) -> str:
    r"""Return a text as it is seen: white space of any kind becomes one space, invisible characters are dropped.

    >>> seen(" income\u00a0per \u00adson\t(EUR)\u200b ")
    'income per son (EUR)'
    """
    visible = (" " if each.isspace() else each for each in text if each.isspace() or each.isprintable())
    return " ".join("".join(visible).split())


def look_alikes(texts: Iterable[str]) -> int:
    r"""Count the texts that look like another, ignoring white space, case, invisible characters and letter forms.

    >>> look_alikes(["flu", "Flu ", "f\u200blu", "\uff46lu", "gout"])
    4
    """
    counts = Counter(_appearance(text) for text in texts)
    return sum(count for count in counts.values() if count > 1)


def _appearance(text: str) -> str:
    if not text.isascii():
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
        text = _IGNORED.sub("", folded)
    return seen(text).casefold()
