"""The verbs of the command line with their arguments and options, as these are declared."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import get_args

from typer.models import ArgumentInfo, ParameterInfo

from handbook.entries import code, entry
from sfumato.cli.app import VERBS


def commands_page() -> str:
    """Return the Markdown of all verbs."""
    parts = ["# Verbs", "All arguments and options. [Command line](../cli.md) tells what the verbs do and print."]
    for verb, told in VERBS.items():
        function = getattr(import_module(f"sfumato.cli.{verb}"), verb)
        parameters = inspect.signature(function, eval_str=True).parameters.values()
        arguments = [one for one in parameters if isinstance(_declared(one), ArgumentInfo)]
        options = [one for one in parameters if one not in arguments]
        usage = " ".join(["sfumato", verb, *map(_argument, arguments), "[OPTIONS]"])
        entries = [entry(_argument(one), "", _declared(one).help or "") for one in arguments]
        entries += [entry(_option(one), _given(one), _declared(one).help or "") for one in options]
        parts += [f"## {verb}", code(usage, "text"), told, *entries]
    return "\n\n".join(parts) + "\n"


def _declared(one: inspect.Parameter) -> ParameterInfo:
    """Return what typer knows of a parameter: its help, metavar and names."""
    return next(part for part in get_args(one.annotation) if isinstance(part, ParameterInfo))


def _kinds(one: inspect.Parameter) -> list[type]:
    kind = get_args(one.annotation)[0]
    return [part for part in get_args(kind) or (kind,) if part is not type(None)]


def _argument(one: inspect.Parameter) -> str:
    several = str(get_args(one.annotation)[0]).startswith("list")
    return (_declared(one).metavar or one.name.upper()) + (" ..." if several else "")


def _option(one: inspect.Parameter) -> str:
    """Write the names of an option."""
    declared = _declared(one)
    # behind Annotated, typer takes the place of the default for the first name
    names = [name for name in (declared.default, *(declared.param_decls or ())) if isinstance(name, str)]
    usual = one.name.replace("_", "-")
    return ", ".join(names or ([f"--{usual}", f"--no-{usual}"] if _kinds(one) == [bool] else [f"--{usual}"]))


def _given(one: inspect.Parameter) -> str:
    """Write what an option takes, and what it is without."""
    kinds = _kinds(one)
    if kinds == [bool]:
        return ""
    shown = _declared(one).metavar or ("TEXT" if kinds[0] is not int else "INTEGER")
    return shown if one.default in (None, inspect.Parameter.empty) else f"{shown} = {one.default}"
