"""Invisible characters: in files they hide text, on a terminal they can be commands."""

from __future__ import annotations

import re

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


def visible_characters(text: str) -> str:
    r"""Return a text without the characters that show nothing; white space of any kind becomes a space.

    >>> visible_characters("f\u200bl\u2800u\t1")
    'flu 1'
    """
    if text.isascii() and text.isprintable():
        return text
    visible = (" " if each.isspace() else each for each in text if each.isspace() or each.isprintable())
    return _IGNORED.sub("", "".join(visible))
