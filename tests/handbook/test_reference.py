from __future__ import annotations

import inspect
import re
from functools import cached_property
from importlib import import_module
from typing import get_args

import pytest

import sfumato
from handbook.docstrings import as_markdown, read_docstring
from handbook.public import FACES, public_names
from handbook.reference import generated_pages
from sfumato.cli.app import VERBS
from sfumato.settings import Settings


@pytest.fixture(scope="module")
def pages():
    return generated_pages()


def names_of(page):
    return set(re.findall(r"^## (\w+)", page, flags=re.MULTILINE))


def test_every_public_name_is_in_the_reference(pages):
    told = set().union(*map(names_of, pages.values()))
    exported = {name for name in sfumato.__all__ if name not in ("datasets", "errors", "fuzzy", "statistics")}
    for package in FACES:
        exported |= set(import_module(f"sfumato.{package}").__all__)
    assert not exported - told


def test_every_setting_attribute_and_method_is_told(pages):
    lacking = {}
    for one in public_names().values():
        if isinstance(one.thing, type):
            page = pages[f"reference/{one.noun}.md"]
            part = re.split(r"^## ", page.partition(f"## {one.name} {{")[2], flags=re.MULTILINE)[0]
            told = set(re.findall(r"^(?:`|### \w+\.)(\w+)", part, flags=re.MULTILINE))
            lacking[one.path] = {name for name in own_names(one.thing) if name not in told}
    assert not {path: names for path, names in lacking.items() if names}


def own_names(cls):
    """Return what a class has of sfumato: fields, settings, properties and methods, but for abstract ones."""
    for owner in cls.__mro__:
        if owner.__module__.startswith("sfumato.") and owner is not Settings:
            kinds = owner.__annotations__.items()
            yield from (name for name, kind in kinds if name[0] != "_" and not str(kind).startswith("ClassVar"))
            for name, member in vars(owner).items():
                made = inspect.isfunction(getattr(member, "__func__", member))
                made = made or isinstance(member, property | cached_property)
                if made and name[0] != "_" and not getattr(member, "__isabstractmethod__", False):
                    yield name


def test_nothing_public_is_without_a_word(pages):
    silent = [
        one.path
        for one in public_names().values()
        if (isinstance(one.thing, type) or inspect.isroutine(one.thing)) and not read_docstring(one.thing).text.strip()
    ]
    assert not silent
    # settings without a word are only those that name their own kind
    silent = [
        f"{one.path}.{name}"
        for one in public_names().values()
        if isinstance(one.thing, type) and issubclass(one.thing, Settings)
        for name, field in one.thing.model_fields.items()
        if not field.description and field.default not in get_args(field.annotation)
    ]
    assert not silent
    empty = {
        f"{name}: {entry}" for name, page in pages.items() for entry in re.findall(r"^(`.*)\n:   &nbsp;", page, re.M)
    }
    assert not empty


def test_every_verb_has_its_options(pages):
    page = pages["reference/verbs.md"]
    assert names_of(page) == set(VERBS)
    estimate = re.split(r"^## ", page.partition("## estimate\n")[2], flags=re.MULTILINE)[0]
    for shown in (
        "sfumato estimate RELEASE STATISTICS ...",
        "`--dismiss`",
        "`--calibrate, --no-calibrate`",
        "`--json`",
    ):
        assert shown in estimate
    assert "`--k` " in page.partition("## measure\n")[2]


def test_pages_do_not_depend_on_where_things_lie(pages):
    wrong = {name for name, page in pages.items() if re.search(r" at 0x|<function|<object|ForwardRef|/tmp/", page)}
    assert not wrong


def test_docstrings_become_markdown():
    told = "See :func:`~sfumato.read` and ``k``.\n\n>>> 1 + 1\n2\n\nThen:\n\n::\n\n    a\n    └── b\n"
    assert as_markdown(told, lambda name: f"[{name}]") == (
        "See [sfumato.read] and `k`.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nThen:\n\n\n```text\na\n└── b\n```"
    )
