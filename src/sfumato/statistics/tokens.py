"""The words and punctuation of a statistic's text, and errors that point into it."""

from __future__ import annotations

import re
from typing import NamedTuple

from sfumato.errors import SettingError

PUNCTUATION = "( ) , ~ + ' \""
CONTEXT = 60
"""Characters of a long text that are shown on either side of an error."""

_TOKEN = re.compile(
    r"""\s*(?:(?P<mark>[(),~+])|`(?P<back>[^`]*)`|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<name>[^(),~+`"']+))"""
)

Span = tuple[int, int]
"""Where a word starts in the text, and where it ends."""


class Word(NamedTuple):
    """A name in the text."""

    name: str
    span: Span


class Tokens:
    """The words and punctuation marks of a text, read from left to right.

    Parameters
    ----------
    text
        What is read.
    hint
        How it should be written.
    """

    def __init__(self, text: str, hint: str) -> None:
        self.text = text
        self.hint = hint
        self.position = 0

    @property
    def upcoming(self) -> str:
        """The next character, if it is a punctuation mark."""
        match = _TOKEN.match(self.text, self.position)
        return (match["mark"] or "") if match else ""

    def word(self, expected: str) -> Word:
        """Read a name; ``expected`` says what it is for."""
        match = _TOKEN.match(self.text, self.position)
        quoted = match and next((kind for kind in ("back", "double", "single") if match[kind] is not None), None)
        kind = quoted or "name"
        if not match or not (match[kind] or "").strip():
            raise self._expected(expected)
        self.position = match.end()
        name = match[kind] if quoted else match[kind].strip()
        start = match.start(kind)
        return Word(name, (start, start + len(name)))

    def words(self, expected: str, *, separator: str, count: int | None = None) -> list[Word]:
        """Read several names: ``count`` of them, or as many as there are."""
        words = [self.word(expected)]
        while len(words) < count if count is not None else self.upcoming == separator:
            self.mark(separator)
            words.append(self.word(expected))
        return words

    def mark(self, expected: str) -> None:
        """Read a punctuation mark."""
        match = _TOKEN.match(self.text, self.position)
        if not match or match["mark"] != expected:
            raise self._expected(f"'{expected}'")
        self.position = match.end()

    def end(self) -> None:
        """Read the end of the text."""
        if self.text[self.position :].strip():
            raise self._expected("the end")

    def _expected(self, expected: str) -> SettingError:
        rest = self.text[self.position :]
        start = self.position + len(rest) - len(rest.lstrip())
        return error_at((start, start + 1), f"{expected} is expected here", self.text, hint=self.hint)


def quoted(name: str) -> str:
    """Write a name so that it is read as one word.

    >>> quoted("age"), quoted("income, net")
    ('age', '`income, net`')
    """
    if name == name.strip() and not any(mark in name for mark in "(),~+`\"'"):
        return name
    return f"`{name}`" if "`" not in name else f'"{name}"' if '"' not in name else f"'{name}'"


def error_at(span: Span, message: str, text: str, *, hint: str | None, column: str | None = None) -> SettingError:
    """Return an error that shows the text with carets under a span of it."""
    excerpt = "".join(character if character.isprintable() else " " for character in text).rstrip()
    start, end = span[0], min(max(span[1], span[0] + 1), span[0] + CONTEXT)
    cut_off = max(0, start - CONTEXT)
    excerpt = excerpt[cut_off : end + CONTEXT]
    carets = " " * (start - cut_off) + "^" * (end - start)
    return SettingError(f"{message}\n  {excerpt}\n  {carets}", hint=hint, column=column)
