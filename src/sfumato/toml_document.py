"""A TOML file that knows where each of its keys is written, which tomllib does not report."""

from __future__ import annotations

import os
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.errors import SettingError, SettingPath

_NAME = r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'"""
_KEY = rf"(?:{_NAME})(?:[ \t]*\.[ \t]*(?:{_NAME}))*"
_HEADER = re.compile(rf"(\[\[?)[ \t]*({_KEY})[ \t]*\]\]?")
_PAIR = re.compile(rf"({_KEY})[ \t]*=[ \t]*")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BETWEEN_ENTRIES = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*")
_SCALAR = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^],}#\n]*''', re.DOTALL
)

DEEPEST = 50
"""How deeply tables and lists of a file may be nested."""


@dataclass(frozen=True, slots=True)
class Span:
    """Where a key, a list entry or a table is written, by offsets in the text."""

    start: int
    """Where its key, its value in a list, or its header begins."""
    value: int
    """Where its value begins; of a table, where its header ends."""
    end: int
    """Where its value ends; of a table, where its last key ends, without the tables within it."""
    table: bool = False
    """Whether it is a table with a header of its own."""


@dataclass(frozen=True)
class TomlDocument:
    """The text of a TOML file, what it says, and where."""

    path: Path
    text: str
    content: dict[str, Any]

    @cached_property
    def lines(self) -> dict[SettingPath, int]:
        """The line of each key, list entry and table."""
        return lines_of(self.text)

    def line(self, path: SettingPath) -> int | None:
        """Return the line of a key, or of the innermost table or list around it that is written."""
        while path:
            # a list of one may be written without brackets
            spellings = (path, *(path[:at] + path[at + 1 :] for at, part in enumerate(path) if part == 0))
            for spelling in spellings:
                if spelling in self.lines:
                    return self.lines[spelling]
            path = path[:-1]
        return None


def read_toml(path: str | os.PathLike[str]) -> TomlDocument:
    """Read a TOML file.

    Raises
    ------
    SettingError
        Says why the file cannot be read.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        content = tomllib.loads(text)
        _check_depth(content)
    except FileNotFoundError:
        raise SettingError(f"file {path} does not exist", hint="check its name") from None
    except IsADirectoryError:
        raise SettingError(f"{path} is a folder, not a file") from None
    except UnicodeDecodeError:
        raise SettingError("the file is not written in UTF-8", file=path) from None
    except tomllib.TOMLDecodeError as error:
        reason = str(error)
        raise SettingError(
            f"the file is not TOML: {reason[:1].lower()}{reason[1:]}",
            hint='write name = "text", or names = ["a", "b"]',
            file=path,
        ) from None
    except RecursionError:
        raise SettingError(
            f"the file has tables or lists nested more than {DEEPEST} deep", hint="no setting needs that", file=path
        ) from None
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "its name is invalid"
        raise SettingError(f"{path} cannot be read: {reason}") from None
    return TomlDocument(path, text, content)


def _check_depth(content: dict[str, Any]) -> None:
    """Refuse what is nested so deeply that reading it would exhaust the stack."""
    level: list[Any] = [content]
    for _ in range(DEEPEST + 1):
        level = [
            entry
            for outer in level
            for entry in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(entry, dict | list)
        ]
        if not level:
            return
    raise RecursionError


def lines_of(text: str) -> dict[SettingPath, int]:
    r"""Return the line of each table, of each of its keys and of each entry of a list.

    >>> lines = lines_of("seed = 1\n[[protect]]\nk = [\n5]\n")
    >>> lines["protect", 0], lines["protect", 0, "k"], lines["protect", 0, "k", 0]
    (2, 3, 4)
    """
    newlines = [offset for offset, character in enumerate(text) if character == "\n"]
    return {path: bisect_left(newlines, span.start) + 1 for path, span in spans_of(text).items()}


def spans_of(text: str) -> dict[SettingPath, Span]:
    """Return where each table, each of its keys and each entry of a list is written, in a text that is valid TOML."""
    spans: dict[SettingPath, Span] = {}
    n_entries: dict[SettingPath, int] = {}
    table: SettingPath = ()
    at = _skip(_BLANK, text, 0)
    while at < len(text):
        if header := _HEADER.match(text, at):
            table = _table_path(_key_parts(header[2]), n_entries)
            span = Span(at, header.end(), header.end(), table=True)
            if header[1] == "[[":
                spans.setdefault(table, span)
                n_entries[table] = n_entries.get(table, 0) + 1
                table = (*table, n_entries[table] - 1)
            spans.setdefault(table, span)
            at = header.end()
        else:
            pairs = list(_pair_spans(text, table, at))
            at = pairs[-1][1].end
            for path, span in pairs:
                spans.setdefault(path, span)
            if table in spans:
                opened = spans[table]
                spans[table] = Span(opened.start, opened.value, at, table=True)
        at = _skip(_BLANK, text, at)
    return spans


def _pair_spans(text: str, table: SettingPath, at: int) -> Iterator[tuple[SettingPath, Span]]:
    """Yield the spans within ``key = value`` and, last, that of the pair itself."""
    pair = _PAIR.match(text, at)
    assert pair is not None, "tomllib has accepted the text"
    parts = _key_parts(pair[1])
    path = (*table, *parts)
    inner = list(_value_spans(text, path, pair.end()))
    end = inner.pop()[1].end
    span = Span(at, pair.end(), end)
    # a dotted key also names the tables around it
    yield from (((*table, *parts[:depth]), span) for depth in range(1, len(parts)))
    yield from inner
    yield path, span


def _value_spans(text: str, path: SettingPath, at: int) -> Iterator[tuple[SettingPath, Span]]:
    """Yield the spans of all entries of a value and, last, that of the value itself."""
    start = at
    if text[at] not in "[{":
        yield path, Span(start, start, start + len(_scalar(text, start)))
        return
    is_list = text[at] == "["
    at, position = _skip(_BETWEEN_ENTRIES, text, at + 1), 0
    while text[at] not in "]}":
        entries = list(_value_spans(text, (*path, position), at) if is_list else _pair_spans(text, path, at))
        yield from entries
        at, position = _skip(_BETWEEN_ENTRIES, text, entries[-1][1].end), position + 1
    yield path, Span(start, start, at + 1)


def _scalar(text: str, at: int) -> str:
    match = _SCALAR.match(text, at)
    return match[0].rstrip() if match else ""


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _key_parts(key: str) -> SettingPath:
    """Split a dotted key."""
    return tuple(
        part[1:-1] if part[0] == "'" else tomllib.loads(f"x = {part}")["x"] if part[0] == '"' else part
        for part in re.findall(_NAME, key)
    )


def _table_path(names: SettingPath, n_entries: dict[SettingPath, int]) -> SettingPath:
    """Return the path of a table; within a list of tables, that of its last entry."""
    path: SettingPath = ()
    for name in names[:-1]:
        path = (*path, name)
        if path in n_entries:
            path = (*path, n_entries[path] - 1)
    return (*path, names[-1])
