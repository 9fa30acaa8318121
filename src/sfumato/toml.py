"""A TOML file that knows on which line each of its keys stands, which tomllib does not tell."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import SettingError

Place = tuple[str | int, ...]
"""Where something stands: ``("protect", 0, "edges")``."""

_NAME = r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'"""
_KEY = rf"(?:{_NAME})(?:[ \t]*\.[ \t]*(?:{_NAME}))*"
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_KEY})[ \t]*\]")
_PAIR = re.compile(rf"[ \t]*({_KEY})[ \t]*=")
_TOKEN = re.compile(
    r'''"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[][{}\n]''', re.DOTALL
)


@dataclass(frozen=True)
class Toml:
    """What a file says, and where."""

    path: Path
    content: dict[str, Any]
    lines: dict[Place, int]

    def line(self, place: Place) -> int | None:
        """Return the line of a key, or of the table or list that it stands in."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)

    def wrong(self, place: Place, message: str, *, hint: str | None = None) -> SettingError:
        """Return an error that points at a key."""
        line = self.line(place)
        where = self.path.name if line is None else f"{self.path.name}, line {line}"
        return SettingError(f"{where}: {message}", hint=hint)


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
    r"""Return on which line each table, each of its keys and each entry of a list of tables stands.

    >>> lines_of("seed = 1\n[[protect]]\nk = 5\n")
    {('seed',): 1, ('protect',): 2, ('protect', 0): 2, ('protect', 0, 'k'): 3}
    """
    found: dict[Place, int] = {}
    counts: dict[Place, int] = {}
    table: Place = ()
    for line, begin in _statements(text):
        if header := _HEADER.match(text, begin):
            table = _entered(_parts(header[2]), counts)
            if header[1] == "[[":
                found.setdefault(table, line)
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            found.setdefault(table, line)
        elif pair := _PAIR.match(text, begin):
            place = table
            for part in _parts(pair[1]):
                place = (*place, part)
                found.setdefault(place, line)
    return found


def _statements(text: str) -> list[tuple[int, int]]:
    """Return the lines on which something new begins, and where: not those within brackets or long texts."""
    begins = [(1, 0)]
    line, depth = 1, 0
    for token in _TOKEN.finditer(text):
        sign = token[0]
        line += sign.count("\n")
        if sign in ("[", "{"):
            depth += 1
        elif sign in ("]", "}"):
            depth -= 1
        elif sign == "\n" and depth == 0:
            begins.append((line, token.end()))
    return begins


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
