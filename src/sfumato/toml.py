"""A TOML file that knows on which line each of its keys stands, which tomllib does not tell."""

from __future__ import annotations

import os
import re
import tomllib
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import SettingError

Place = tuple[str | int, ...]
"""Where something stands: ``("protect", 0, "edges")``."""

_NAME = r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'"""
_KEY = rf"(?:{_NAME})(?:[ \t]*\.[ \t]*(?:{_NAME}))*"
_HEADER = re.compile(rf"(\[\[?)[ \t]*({_KEY})[ \t]*\]\]?")
_PAIR = re.compile(rf"({_KEY})[ \t]*=[ \t]*")
_WORD = re.compile(r"\w+")
_ROLE = re.compile(r"\bas (\w+)")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_BETWEEN = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*")
_SCALAR = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^],}#\n]*''', re.DOTALL
)


@dataclass(frozen=True)
class Toml:
    """What a file says, and where."""

    path: Path
    content: dict[str, Any]
    lines: dict[Place, int]

    def line(self, place: Place) -> int | None:
        """Return the line of a key, or of the table or list that it stands in."""
        while place:
            # what can be several may be written as one
            ways = (place, *(place[:at] + place[at + 1 :] for at, part in enumerate(place) if part == 0))
            if found := next((self.lines[way] for way in ways if way in self.lines), None):
                return found
            place = place[:-1]
        return None

    def place_told(self, tables: Sequence[Place], message: str, known: Collection[str]) -> Place:
        """Return what a message is about: the setting that it names, and within it the entry.

        Parameters
        ----------
        tables
            Where the setting may stand, likeliest first.
        message
            What is wrong. It begins with the setting, as ``harmonise[1].scale: ...``, or says ``as sensitive``.
        known
            What settings there are.
        """
        begin = _parts_of(message)
        words = (
            [begin[0]] if begin and begin[0] in known else [word for word in _ROLE.findall(message) if word in known]
        )
        holders = [table for table in tables if words and words[-1] in _at(self.content, table)]
        place = (*holders[0], words[-1]) if holders else tables[0]
        for part in begin[1:] if holders and begin[0] == words[-1] else ():
            node = _at(self.content, place)
            if part in (range(len(node)) if isinstance(node, list) else node if isinstance(node, dict) else ()):
                place = (*place, part)
        return (*place, *_entry_told(_at(self.content, place), message))

    def wrong(self, place: Place, message: str, *, hint: str | None = None) -> SettingError:
        """Return an error that points at a key."""
        line = self.line(place)
        where = self.path.name if line is None else f"{self.path.name}, line {line}"
        return SettingError(f"{where}: {message}", hint=hint)


def _parts_of(message: str) -> Place:
    """Split the setting with which a message begins.

    >>> _parts_of("harmonise[1].scale: there is no column 'x'")
    ('harmonise', 1, 'scale')
    """
    begin = re.match(r"[A-Za-z_]\w*(?:\.\w+|\[\d+\])*", message)
    return tuple(int(part) if part.isdigit() else part for part in _WORD.findall(begin[0])) if begin else ()


def _at(content: Any, place: Place) -> Any:
    for part in place:
        content = content[part]
    return content


def _entry_told(node: Any, message: str) -> Place:
    """Return which entry of a list or table a message names: a formula as it stands, a name in quotes."""
    texts = list(_texts(node))
    formulas = [place for place, text in texts if "(" in text and text in message]
    names = [place for place, text in texts if f"'{text}'" in message]
    return (*formulas, *names, ())[0]


def _texts(node: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Go through all names and texts."""
    if isinstance(node, str):
        yield place, node
    elif isinstance(node, dict | list):
        for part, inner in node.items() if isinstance(node, dict) else enumerate(node):
            if isinstance(part, str):
                yield (*place, part), part
            yield from _texts(inner, (*place, part))


def read_toml(path: str | os.PathLike[str]) -> Toml:
    """Read a TOML file."""
    path = Path(path)
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise SettingError(f"there is no file {path}", hint="check its name") from None
    except IsADirectoryError:
        raise SettingError(f"{path} is a folder, not a file") from None
    except UnicodeDecodeError:
        raise SettingError(f"{path.name} is not written in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SettingError(
            f"{path.name} is not TOML: {_lowered(str(error))}", hint='as: name = "text", or names = ["a", "b"]'
        ) from None
    except (OSError, ValueError) as error:
        told = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "its name cannot be one"
        raise SettingError(f"{path} cannot be read: {told}") from None
    return Toml(path, content, lines_of(text))


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]


def lines_of(text: str) -> dict[Place, int]:
    r"""Return on which line each table, each of its keys and each entry of a list stands.

    >>> lines_of("seed = 1\n[[protect]]\nk = [\n5]\n")
    {('seed',): 1, ('protect',): 2, ('protect', 0): 2, ('protect', 0, 'k'): 3, ('protect', 0, 'k', 0): 4}
    """
    lines = _Lines(text)
    counts: dict[Place, int] = {}
    table: Place = ()
    at = lines.after(_BLANK, 0)
    while at < len(text):
        if header := _HEADER.match(text, at):
            table = _entered(_parts(header[2]), counts)
            if header[1] == "[[":
                lines.mark(table, at)
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            lines.mark(table, at)
            at = header.end()
        else:
            at = lines.pair(table, at)
        at = lines.after(_BLANK, at)
    return lines.found


class _Lines:
    """Walks through a text that is known to be TOML, and notes where everything begins."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: dict[Place, int] = {}
        self._ends = [place for place, sign in enumerate(text) if sign == "\n"]

    def mark(self, place: Place, at: int) -> None:
        """Note on which line something stands, where it begins first."""
        self.found.setdefault(place, bisect_left(self._ends, at) + 1)

    def after(self, what: re.Pattern[str], at: int) -> int:
        """Return where something ends that may stand at a place."""
        found = what.match(self.text, at)
        return found.end() if found else at

    def pair(self, table: Place, at: int) -> int:
        """Walk through a key and its value; return where it ends."""
        pair = _PAIR.match(self.text, at)
        assert pair is not None, "tomllib has read it"
        place = table
        for part in _parts(pair[1]):
            place = (*place, part)
            self.mark(place, at)
        return self.value(place, pair.end())

    def value(self, place: Place, at: int) -> int:
        """Walk through a value; return where it ends."""
        if self.text[at] not in "[{":
            return self.after(_SCALAR, at)
        listed = self.text[at] == "["
        at, entry = self.after(_BETWEEN, at + 1), 0
        while self.text[at] not in "]}":
            if listed:
                self.mark((*place, entry), at)
                at = self.value((*place, entry), at)
            else:
                at = self.pair(place, at)
            at, entry = self.after(_BETWEEN, at), entry + 1
        return at + 1


def _parts(key: str) -> Place:
    """Split a dotted key."""
    return tuple(
        part[1:-1] if part[0] == "'" else tomllib.loads(f"x = {part}")["x"] if part[0] == '"' else part
        for part in re.findall(_NAME, key)
    )


def _entered(name: Place, counts: dict[Place, int]) -> Place:
    """Return the place of a table; within a list of tables, that of its last entry."""
    place: Place = ()
    for part in name[:-1]:
        place = (*place, part)
        if place in counts:
            place = (*place, counts[place])
    place = (*place, name[-1])
    return place
