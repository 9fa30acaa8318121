"""Docstrings in numpydoc form, as Markdown."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from sfumato.settings import Settings

SECTION = re.compile(r"^(Parameters|Attributes|Returns|Raises|Warns|Notes|Examples)\n-{3,}\n", flags=re.MULTILINE)
ROLE = re.compile(r":(?:class|func|meth|mod|attr|data):`~?([^`]+)`")
DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", flags=re.DOTALL | re.MULTILINE)
DRAWING = re.compile(r"::\n\n((?: {4}.*\n?|\n)+)")
ENTRIES = ("Parameters", "Attributes", "Raises", "Warns")

Link = Callable[[str], str]
"""Makes the Markdown of a name: a link where the reference has it."""


@dataclass(frozen=True)
class Docstring:
    """What a docstring says, part by part."""

    text: str
    """All that stands before the first section."""
    sections: dict[str, str]
    """The others by their titles."""

    def entries(self, section: str) -> dict[str, str]:
        """Return what a section tells of each name; several names can share what is told."""
        found: dict[str, str] = {}
        for entry in re.split(r"\n(?=\S)", self.sections.get(section, "").strip()):
            names, _, told = entry.partition("\n")
            found |= {name.strip(): textwrap.dedent(told).strip() for name in names.split(",")}
        return {name: told for name, told in found.items() if name}


def read_docstring(named: object) -> Docstring:
    """Split the docstring of something into its parts."""
    # the docstring of settings lists them for help(); pages have a table of them
    own = named.own_docstring() if isinstance(named, type) and issubclass(named, Settings) else inspect.getdoc(named)
    parts = SECTION.split(f"{own or ''}\n")
    return Docstring(
        parts[0].strip(), {title: told.strip("\n") for title, told in zip(parts[1::2], parts[2::2], strict=True)}
    )


def as_markdown(text: str, link: Link) -> str:
    """Write what a docstring says as Markdown: names become links, doctests and drawings blocks of code."""
    text = DRAWING.sub(lambda found: f"\n```text\n{textwrap.dedent(found[1]).strip()}\n```\n", text)
    text = DOCTEST.sub(lambda found: f"```pycon\n{found[0].strip()}\n```", text)
    prose = re.split(r"(^```.*?^```)", text, flags=re.DOTALL | re.MULTILINE)
    prose[::2] = [ROLE.sub(lambda found: link(found[1]), part).replace("``", "`") for part in prose[::2]]
    return "".join(prose).strip()


def fields_told(cls: type) -> dict[str, str]:
    """Return what stands below each field of a class."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(tree, ast.ClassDef)
    return told_below(tree.body)


def told_below(body: list[ast.stmt]) -> dict[str, str]:
    """Return the text below each name that is assigned or declared, which Python itself forgets."""
    told: dict[str, str] = {}
    for assigned, below in pairwise(body):
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
            targets = assigned.targets if isinstance(assigned, ast.Assign) else [getattr(assigned, "target", None)]
            told |= {one.id: inspect.cleandoc(below.value.value) for one in targets if isinstance(one, ast.Name)}
    return told
