"""What of sfumato is public: what it exports, what the pages use, and the classes that these take and return."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import sfumato
from handbook.docstrings import told_below

DOCS = Path(__file__).parents[1] / "docs"
PATH = re.compile(r"\b(?:sf|sfumato)((?:\.[a-z_]\w*)*\.[A-Za-z]\w*)")
IMPORT = re.compile(r"^from (sfumato[\w.]*) import (.+)$", flags=re.MULTILINE)
PACKAGES = (
    "attacks",
    "boxes",
    "datasets",
    "fuzzy",
    "groups",
    "harmonising",
    "measures",
    "microfile",
    "partitions",
    "release",
    "report",
    "representations",
    "sources",
    "statistics",
    "suggesting",
)
"""Those that hold something for users."""
FACES = ("datasets", "fuzzy", "statistics")
"""Packages that users reach as attributes of sfumato; the faces of the others are for the rest of the house."""
MODULES = (*PACKAGES, "errors", "protections", "recipe", "roles")
"""The nouns of the reference, each with a page; what lies elsewhere is nobody's business."""


@dataclass(frozen=True)
class Public:
    """A public name."""

    name: str
    home: str
    """The module that it is imported from; ``sfumato`` if it is one of its own names."""
    noun: str
    """The page that has it."""
    thing: Any

    @property
    def path(self) -> str:
        """How code writes it."""
        return f"{'sf' if self.home == 'sfumato' else self.home}.{self.name}"

    @property
    def anchor(self) -> str:
        """Where its page has it."""
        return self.name


def public_names() -> dict[str, Public]:
    """Return all public names behind their nouns: what is exported first, then what the pages name, then results."""
    found: dict[str, Public] = {}
    for home, name in (*_exported(), *_used()):
        thing = getattr(import_module(home), name)
        if not inspect.ismodule(thing):
            one = Public(name, home, _noun(home, thing), thing)
            found.setdefault(f"{one.noun}.{name}", one)
    waiting = [one.thing for one in found.values()]
    while waiting:
        for needed in _needed(waiting.pop()):
            noun, name = needed.__module__.split(".")[1], needed.__name__
            # the parts of pages are nobody's but the report's
            if noun in MODULES and noun != "report" and f"{noun}.{name}" not in found:
                found[f"{noun}.{name}"] = Public(name, needed.__module__, noun, needed)
                waiting.append(needed)
    return found


def _exported() -> Iterator[tuple[str, str]]:
    yield from (("sfumato", name) for name in sfumato.__all__)
    for package in FACES:
        yield from ((f"sfumato.{package}", name) for name in import_module(f"sfumato.{package}").__all__)
    yield from (found for found in _defined("sfumato.errors") if found[1].endswith("Error"))


def _used() -> Iterator[tuple[str, str]]:
    """Find what the pages name or import, however deep it lies."""
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text()
        for home, names in IMPORT.findall(text):
            yield from ((home, name.strip()) for name in names.split(","))
        for path in PATH.findall(text):
            home, _, name = f"sfumato{path}".rpartition(".")
            if _is_module(f"{home}.{name}") and home != "sfumato":
                yield from _defined(f"{home}.{name}")
            elif home != "sfumato" and _is_module(home) and hasattr(import_module(home), name):
                yield home, name


def _defined(module: str) -> Iterator[tuple[str, str]]:
    for name, thing in vars(import_module(module)).items():
        if getattr(thing, "__module__", None) == module and name[0] != "_":
            yield module, name


def _is_module(path: str) -> bool:
    place = Path(sfumato.__file__).parent.joinpath(*path.split(".")[1:])
    return place.with_suffix(".py").is_file() or (place / "__init__.py").is_file()


def _noun(home: str, thing: Any) -> str:
    module = getattr(thing, "__module__", home) if home == "sfumato" else home
    return str(module).split(".")[1]


def _needed(thing: Any) -> Iterator[type]:
    """Return the classes of sfumato of which the types of fields and results speak."""
    owners = [one for one in thing.__mro__ if _own(one)] if inspect.isclass(thing) else [thing]
    for owner in owners:
        parts = [part for name, part in vars(owner).items() if name[0] != "_"] if inspect.isclass(owner) else []
        for part in (owner, *map(function_of, parts)):
            known = vars(import_module(part.__module__)) if _own(part) else {}
            told = getattr(part, "__annotations__", {})
            for annotation in [told.get("return")] if inspect.isfunction(part) else told.values():
                for word in re.findall(r"\w+", str(annotation)):
                    yield from _classes(known.get(word))


def function_of(member: Any) -> Any:
    """Return the function behind a property, class method or static method; anything else as it is."""
    return getattr(member, "fget", None) or getattr(member, "func", None) or getattr(member, "__func__", member)


def _classes(kind: Any) -> Iterator[type]:
    if inspect.isclass(kind) and _own(kind) and kind.__name__[0] != "_":
        yield kind
    for part in get_args(kind):
        yield from _classes(part)


def _own(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("sfumato.")


def constant_told(one: Public) -> str:
    """Return what stands below a constant or a type in the module that it comes from."""
    home = import_module(one.home)
    for statement in ast.parse(inspect.getsource(home)).body:
        if isinstance(statement, ast.ImportFrom) and one.name in [alias.name for alias in statement.names]:
            home = import_module(str(statement.module))
    return told_below(ast.parse(inspect.getsource(home)).body).get(one.name, "")
