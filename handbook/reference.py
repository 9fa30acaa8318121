"""The reference: a page a noun, made from signatures, fields and docstrings."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from typing import Any, is_typeddict

from handbook.annotations import type_name
from handbook.commands import commands_page
from handbook.docstrings import ENTRIES, Docstring, Link, as_markdown, fields_told, read_docstring
from handbook.entries import code, entry
from handbook.public import MODULES, Public, constant_told, function_of, public_names
from sfumato.settings import Settings

WIDTH = 80


def generated_pages() -> dict[str, str]:
    """Return the Markdown of each page of the reference by its name."""
    names = public_names()
    return {f"reference/{noun}.md": _page(noun, names) for noun in MODULES} | {"reference/verbs.md": commands_page()}


def _page(noun: str, names: dict[str, Public]) -> str:
    def link(path: str) -> str:
        """Link a name, or the class that a method belongs to; those of the page go first."""
        for name in reversed(path.split(".")):
            found = [one for one in names.values() if one.name == name]
            if found:
                one = min(found, key=lambda one: one.noun != noun)
                return f"[`{path.removeprefix('sfumato.')}`]({one.noun}.md#{one.anchor})"
        return f"`{path}`"

    own = [one for one in names.values() if one.noun == noun]
    about = as_markdown(read_docstring(import_module(f"sfumato.{noun}")).text, link)
    return "\n\n".join([f"# {noun}", about, *(part for one in own for part in _named(one, link))]) + "\n"


def _named(one: Public, link: Link) -> Iterator[str]:
    yield f"## {one.name} {{ #{one.anchor} }}"
    if inspect.isclass(one.thing):
        yield from _class(one, link)
    elif inspect.isfunction(one.thing):
        yield _signature(one.path, one.thing)
        yield from _told(read_docstring(one.thing), one.thing, link)
    else:
        value = one.thing
        plain = isinstance(value, (int, float, str, tuple, list, dict))
        yield code(one.path if plain else f"{one.path} = {type_name(value)}")
        yield as_markdown(constant_told(one), link)


def _class(one: Public, link: Link) -> Iterator[str]:
    cls = one.thing
    docstring = read_docstring(cls)
    made = issubclass(cls, Settings) or _has_fields(cls)
    # a warning is made by sfumato, as results are
    made = made or issubclass(cls, Warning)
    yield code(f"class {one.path}") if made else _signature(f"class {one.path}", cls)
    yield from _told(docstring, cls, link)
    members = {name: member for owner in reversed(_owners(cls)) for name, member in vars(owner).items()}
    members = {name: member for name, member in members.items() if not name.startswith("_")}
    if issubclass(cls, Settings):
        written = {name: kind for owner in reversed(_owners(cls)) for name, kind in owner.__annotations__.items()}
        entries = [_setting(name, field, str(written[name]), link) for name, field in cls.model_fields.items()]
        yield "\n\n".join(["**Settings**", *entries])
    fields = [entry(name, kind, as_markdown(told, link)) for name, kind, told in _fields(cls)]
    fields += [
        entry(name, _annotation(function_of(member), "return"), as_markdown(read_docstring(member).text, link))
        for name, member in members.items()
        if isinstance(member, property | cached_property)
    ]
    if fields:
        yield "\n\n".join(["**Attributes**", *fields])
    for name, member in members.items():
        method = function_of(member)
        if isinstance(member, property | cached_property) or getattr(method, "__isabstractmethod__", False):
            continue
        if inspect.isfunction(method):
            yield f"### {one.name}.{name} {{ #{one.anchor}-{name} }}"
            yield _signature(f"{one.name}.{name}", method, bound=not isinstance(member, staticmethod))
            yield from _told(read_docstring(method), method, link)


def _owners(cls: type) -> list[type]:
    return [owner for owner in cls.__mro__ if owner.__module__.startswith("sfumato.") and owner is not Settings]


def _has_fields(cls: type) -> bool:
    return dataclasses.is_dataclass(cls) or hasattr(cls, "_fields") or is_typeddict(cls)


def _fields(cls: type) -> Iterator[tuple[str, str, str]]:
    """Return names, types and descriptions of the fields of a dataclass, a named tuple or a typed dictionary."""
    if _has_fields(cls):
        told = {name: text for owner in reversed(_owners(cls)) for name, text in fields_told(owner).items()}
        described = read_docstring(cls).entries("Parameters")
        kinds = {name: kind for owner in reversed(_owners(cls)) for name, kind in owner.__annotations__.items()}
        for name, kind in kinds.items():
            if not name.startswith("_") and name not in described:
                yield name, type_name(kind), told.get(name, "")


def _setting(name: str, field: Any, written: str, link: Link) -> str:
    usual = None if field.is_required() else field.get_default(call_default_factory=True)
    shown = "" if usual is None or usual in ((), {}) or isinstance(usual, Settings) else f" = {_literal(usual)}"
    kind = type_name(field.annotation)
    told = as_markdown(
        inspect.cleandoc(field.description or "Tells it from other kinds where it is written down."), link
    )
    told += " Required." if field.is_required() else ""
    # a long type is better told by its name
    return entry(name, (kind if len(kind) < WIDTH else written) + shown, told)


def _told(docstring: Docstring, thing: Any, link: Link) -> Iterator[str]:
    """Write all that a docstring says."""
    yield as_markdown(docstring.text, link)
    for section in ENTRIES:
        entries = docstring.entries(section)
        if entries:
            written = [
                entry(name, _annotation(thing, name.lstrip("*")), as_markdown(told, link))
                for name, told in entries.items()
            ]
            yield "\n\n".join([f"**{section}**", *written])
    for section in ("Returns", "Notes", "Examples"):
        if section in docstring.sections:
            yield f"**{section}**\n\n{as_markdown(docstring.sections[section], link)}"


def _annotation(thing: Any, name: str) -> str:
    target = vars(thing).get("__init__", thing) if inspect.isclass(thing) else thing
    return type_name(getattr(target, "__annotations__", {}).get(name, ""))


def _signature(path: str, thing: Any, *, bound: bool = False) -> str:
    """Write how something is called, in one line or one line a parameter."""
    signature = inspect.signature(thing)
    parameters = list(signature.parameters.values())[1 if bound else 0 :]
    parts = [_parameter(one) for one in parameters]
    stars = [number for number, one in enumerate(parameters) if one.kind is inspect.Parameter.KEYWORD_ONLY]
    if stars and not any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
        parts.insert(stars[0], "*")
    gives = signature.return_annotation
    end = "" if inspect.isclass(thing) or gives is inspect.Signature.empty else f" -> {type_name(gives)}"
    line = f"{path}({', '.join(parts)}){end}"
    if len(line) <= WIDTH:
        return code(line)
    return code(f"{path}(\n" + "".join(f"    {part},\n" for part in parts) + f"){end}")


def _parameter(one: inspect.Parameter) -> str:
    stars = "*" * (1 + (one.kind is one.VAR_KEYWORD)) if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) else ""
    typed = "" if one.annotation is one.empty else f": {type_name(one.annotation)}"
    usual = "" if one.default is one.empty else f" = {_literal(one.default)}"
    return f"{stars}{one.name}{typed}{usual}"


def _literal(value: object) -> str:
    """Write a default; functions and other objects say nothing to a reader."""
    if isinstance(value, (type(None), bool, int, float, str, tuple, list, dict)):
        return repr(value).replace("'", '"')
    return "..."
