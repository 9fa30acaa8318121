"""Options that several verbs share, and options made from the fields of settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from sfumato.cli.show import plain
from sfumato.errors import SettingError
from sfumato.settings import Settings

File = Annotated[str, typer.Argument(help="csv, tsv, txt (also .gz), parquet, sav, dta or sas7bdat")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Seed = Annotated[int | None, typer.Option(help="Seed of all random numbers.", min=0)]
ReleaseSeed = Annotated[
    int | None,
    typer.Option(help="For demonstrations: whoever knows it can repeat all draws. Default: a secret.", min=0),
]


def names(given: Iterable[str] | None) -> tuple[str, ...]:
    """Split names at commas.

    >>> names(["age,sex", "zip"])
    ('age', 'sex', 'zip')
    """
    return tuple(name.strip() for part in given or () for name in part.split(",") if name.strip())


def pairs(option: str, given: Iterable[str] | None) -> dict[str, str]:
    """Split ``NAME=VALUE``."""
    found = {}
    for part in given or ():
        name, sign, value = part.partition("=")
        if not sign or not name or not value:
            raise SettingError(f"{option} needs COLUMN=... (given: {part!r})")
        if name in found:
            raise SettingError(f"{option} is given twice for column {name!r}")
        found[name] = value
    return found


def with_reading(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the options that tell how a file is read.

    The verb gets the arguments of :func:`sfumato.read` that they give as ``how``, a dictionary.
    """
    several = list[str] | None
    made = {
        "kind": _option(several, "COLUMN=numeric, categorical or ordinal, or COLUMN=low<middle<high.", "COLUMN=KIND"),
        "missing": _option(several, "A code that means missing, in all columns or in one.", "[COLUMN=]CODE"),
        "encoding": _option(str | None, "Of a text file, if it is not found rightly."),
        "delimiter": _option(str | None, "Of a text file, if it is not found rightly."),
        "decimal": _option(str | None, "Decimal sign of a text file, if it is not found rightly."),
    }
    return _extended(verb, made, gathered="how", gather=_reading)


def _reading(given: dict[str, Any]) -> dict[str, Any]:
    kinds = pairs("--kind", given.pop("kind"))
    missing = given.pop("missing") or ()
    for_all = [part for part in missing if "=" not in part]
    by_column: dict[str, list[str]] = {}
    for name, code in (part.split("=", 1) for part in missing if "=" in part):
        by_column.setdefault(name, []).append(code)
    if for_all and by_column:
        raise SettingError("--missing is given both with and without a column", hint="name the column each time")
    return {
        "kinds": {name: value.split("<") if "<" in value else value for name, value in kinds.items()},
        "missing": by_column or for_all,
        **given,
    }


def as_options(how: dict[str, Any]) -> list[str]:
    """Write the arguments of :func:`sfumato.read` as the options that give them.

    >>> as_options({"kinds": {"size": ["s", "l"]}, "missing": ["N"], "encoding": None, "delimiter": ";"})
    ['--kind', 'size=s<l', '--missing', 'N', '--delimiter', ';']
    """
    kinds = [f"{name}={kind if isinstance(kind, str) else '<'.join(kind)}" for name, kind in how["kinds"].items()]
    missing = how["missing"]
    codes = [f"{n}={code}" for n, its in missing.items() for code in its] if isinstance(missing, dict) else missing
    words = [word for kind in kinds for word in ("--kind", kind)]
    words += [word for code in codes for word in ("--missing", code)]
    rest = {name: value for name, value in how.items() if name not in ("kinds", "missing") and value}
    return words + [word for name, value in rest.items() for word in (f"--{name}", value)]


def with_settings(
    model: type[Settings], *, fields: Iterable[str]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb an option for each of some fields of a settings object.

    The verb gets what was given as ``given``, a dictionary.
    """
    described = {name: model.model_fields[name] for name in fields}
    made = {name: _option_of(field) for name, field in described.items()}

    def given_ones(options: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in options.items() if value not in (None, [])}

    return lambda verb: _extended(verb, made, gathered="given", gather=given_ones)


def _option_of(field: FieldInfo) -> Any:
    """Make the option of a field; what its docstring sets as code stands plainly in a help text."""
    kind, told = _option_type(field.annotation), " ".join((field.description or "").replace("``", "").split())
    if kind == list[str] | None:
        return _option(kind, plain(f"{told} Separated by commas."), "NAME,...")
    return _option(kind, plain(told))


def _option(kind: Any, told: str, metavar: str | None = None) -> Any:
    return Annotated[kind, typer.Option(help=told, metavar=metavar)]


def _extended(
    verb: Callable[..., None],
    made: dict[str, Any],
    *,
    gathered: str,
    gather: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[..., None]:
    """Put options in the place of a verb's argument ``gathered``."""
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(verb, eval_str=True).parameters.values():
        if parameter.name == gathered:
            parameters += [
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
                for name, kind in made.items()
            ]
        else:
            parameters.append(parameter)

    def run(**arguments: Any) -> None:
        verb(**{gathered: gather({name: arguments.pop(name) for name in made})}, **arguments)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by inspect
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__doc__, run.__name__ = verb.__doc__, verb.__name__
    return run


def _option_type(annotation: Any) -> Any:
    """Return the type of an option for a field: names may be given several times, choices are texts."""
    kinds = [part for part in get_args(annotation) if part is not type(None)] or [annotation]
    if get_origin(annotation) is Literal:
        return str | None
    if get_origin(annotation) is tuple:
        return list[str] | None
    return kinds[0] | None
