"""Pages of the documentation: all of their blocks are run in order, in one folder.

A block with a title becomes the file of that name. A block of ``console`` holds commands behind ``$`` with all that
they print, or as many of the first and last lines as stand around a line of dots. A block of ``python`` has what it
prints behind each print. A block of ``toml`` without a title is checked, and not run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from sfumato.cli import main
from sfumato.protection_registry import METHODS

PRINTS = re.compile(r"(print\(.*\) +# )(.*)")
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', flags=re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"\$ (sfumato .*?)(?:  # exits with (\d))?\n(.*)", flags=re.DOTALL)
DOTS = "..."
FOREIGN = ("java", "r")
"""Languages of other tools, which are shown and not run."""
WIDTH = "110"


def as_run(page: str, folder: Path) -> str:
    """Run all blocks of a page and return it with what they print."""
    names: dict[str, Any] = {}

    def replaced(found: re.Match[str]) -> str:
        language, title, content = found.groups()
        if language in FOREIGN:
            return found[0]
        if title:
            (folder / title).parent.mkdir(parents=True, exist_ok=True)
            (folder / title).write_text(content)
            return found[0]
        return found[0].replace(content, _told(language, content, names))

    with contextlib.chdir(folder):
        return BLOCK.sub(replaced, page)


def _told(language: str, content: str, names: dict[str, Any]) -> str:
    """Run a block and return it with what it prints."""
    if language == "python":
        return _with_prints(content, names)
    if language == "toml":
        _check_recipe(tomllib.loads(content))
        return content
    assert language == "console", f"a block of {language} needs a title, or cannot be run"
    return "".join(_answered(command) for command in re.split(r"^(?=\$ )", content, flags=re.MULTILINE) if command)


def _with_prints(code: str, names: dict[str, Any]) -> str:
    """Run Python and put what it prints behind its prints."""
    with _printed() as printed:
        exec(code, names)
    lines = printed.getvalue().splitlines()
    assert len(lines) == len(PRINTS.findall(code)), "every print has one line, and a comment behind it"
    said = iter(lines)
    return PRINTS.sub(lambda found: found[1] + next(said), code)


def _check_recipe(content: dict[str, Any]) -> None:
    """Make the settings of what a recipe protects, as far as they need no other file."""
    for entry in content.get("protect", []):
        own = {name: value for name, value in entry.items() if name not in ("hierarchies", "against", "method")}
        method = METHODS[entry["method"]]
        method.settings_class().model_validate({**own, **method.fixed_settings})


def _answered(block: str) -> str:
    """Run one command and return it with what it prints, cut as it was."""
    found = COMMAND.fullmatch(block)
    assert found, f"not a command of sfumato: {block}"
    command, code, written = found[1], int(found[2] or 0), found[3].splitlines()
    shown = mock.patch.dict(os.environ, {"COLUMNS": WIDTH})
    with _printed() as printed, shown, pytest.raises(SystemExit) as stopped:
        main(shlex.split(command)[1:])
    assert (stopped.value.code or 0) == code, f"{command}: {printed.getvalue()}"
    lines = [line.rstrip() for line in printed.getvalue().splitlines() if line.strip()]
    if DOTS in written:
        first = written.index(DOTS)
        last = len(lines) - (len(written) - first - 1)
        lines = [*lines[:first], DOTS, *lines[last:]]
    head = block.partition("\n")[0]
    return "".join(f"{line}\n" for line in (head, *lines))


@contextlib.contextmanager
def _printed() -> Iterator[io.StringIO]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield printed
