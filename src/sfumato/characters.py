"""Characters that cannot be seen: in files they hide text, on a terminal they are commands."""

from __future__ import annotations


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
