"""Options that several commands share, and options made from the fields of settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, get_args, get_origin

import typer
from pydantic.fields import FieldInfo

from sfumato.cli.output import plain
from sfumato.errors import SettingError
from sfumato.settings import Settings

File = Annotated[str, typer.Argument(help="csv, tsv, txt (also .gz), parquet, sav, dta or sas7bdat")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
Seed = Annotated[int | None, typer.Option(help="Seed of the random numbers.", min=0)]
ReleaseSeed = Annotated[
    int | None,
    typer.Option(help="For demonstrations only: anyone who knows it can repeat all draws. Default: a secret.", min=0),
]


def names(texts: Iterable[str] | None) -> tuple[str, ...]:
    """Split names at commas.

    >>> names(["age,sex", "zip"])
    ('age', 'sex', 'zip')
    """
    return tuple(name.strip() for text in texts or () for name in text.split(",") if name.strip())


def pairs(option: str, texts: Iterable[str] | None) -> dict[str, str]:
    """Split ``NAME=VALUE``."""
    values: dict[str, str] = {}
    for text in texts or ():
        name, separator, value = text.partition("=")
        if not separator or not name or not value:
            raise SettingError(f"{option} needs COLUMN=... (given: {text!r})", setting=option.lstrip("-"))
        if name in values:
            raise SettingError(f"{option} is given twice for column {name!r}", setting=option.lstrip("-"), column=name)
        values[name] = value
    return values


def with_reading(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for reading a file.

    The command receives them as ``how``, a dictionary of arguments for :func:`sfumato.read`.
    """
    several = list[str] | None
    options = {
        "kind": _option(several, "COLUMN=numeric, categorical or ordinal, or COLUMN=low<middle<high.", "COLUMN=KIND"),
        "missing": _option(several, "A code for missing values, in all columns or in one.", "[COLUMN=]CODE"),
        "encoding": _option(str | None, "Text encoding, if auto-detection gets it wrong."),
        "delimiter": _option(str | None, "Column delimiter of a text file, if auto-detection gets it wrong."),
        "decimal": _option(str | None, "Decimal separator of a text file, if auto-detection gets it wrong."),
    }
    return _extended(verb, options, gathered="how", gather=_reading)


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    kinds = pairs("--kind", options.pop("kind"))
    missing = options.pop("missing") or ()
    for_all = [text for text in missing if "=" not in text]
    by_column: dict[str, list[str]] = {}
    for name, code in (text.split("=", 1) for text in missing if "=" in text):
        by_column.setdefault(name, []).append(code)
    if for_all and by_column:
        raise SettingError(
            "--missing is given both with and without a column", hint="name the column each time", setting="missing"
        )
    return {
        "kinds": {name: value.split("<") if "<" in value else value for name, value in kinds.items()},
        "missing": by_column or for_all,
        **options,
    }


def as_options(how: dict[str, Any]) -> list[str]:
    """Write the arguments of :func:`sfumato.read` as the options that give them.

    >>> as_options({"kinds": {"size": ["s", "l"]}, "missing": ["N"], "encoding": None, "delimiter": ";"})
    ['--kind', 'size=s<l', '--missing', 'N', '--delimiter', ';']
    """
    kinds = [f"{name}={kind if isinstance(kind, str) else '<'.join(kind)}" for name, kind in how["kinds"].items()]
    missing = how["missing"]
    codes = (
        [f"{name}={code}" for name, column in missing.items() for code in column]
        if isinstance(missing, dict)
        else missing
    )
    words = [word for kind in kinds for word in ("--kind", kind)]
    words += [word for code in codes for word in ("--missing", code)]
    rest = {name: value for name, value in how.items() if name not in ("kinds", "missing") and value}
    return words + [word for name, value in rest.items() for word in (f"--{name}", value)]


def with_settings(
    model: type[Settings], *, fields: Iterable[str]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command an option for each of some fields of a settings object.

    The command receives the options that were used as ``options``, a dictionary.
    """
    described = {name: model.model_fields[name] for name in fields}
    made = {name: _option_of(field) for name, field in described.items()}

    def used(options: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in options.items() if value not in (None, [])}

    return lambda verb: _extended(verb, made, gathered="options", gather=used)


def _option_of(field: FieldInfo) -> Any:
    """Make the option of a field, with its docstring as help text, without code marks."""
    kind, text = _option_type(field.annotation), " ".join((field.description or "").replace("``", "").split())
    if kind == list[str] | None:
        return _option(kind, plain(f"{text} Separated by commas."), "NAME,...")
    return _option(kind, plain(text))


def _option(kind: Any, text: str, metavar: str | None = None) -> Any:
    return Annotated[kind, typer.Option(help=text, metavar=metavar)]


def _extended(
    verb: Callable[..., None],
    made: dict[str, Any],
    *,
    gathered: str,
    gather: Callable[[dict[str, Any]], dict[str, Any]],
) -> Callable[..., None]:
    """Replace the argument ``gathered`` of a command by options."""
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
    """Return the type of an option for a field: lists of names may be repeated, choices are strings."""
    kinds = [member for member in get_args(annotation) if member is not type(None)] or [annotation]
    if get_origin(annotation) is Literal:
        return str | None
    if get_origin(annotation) is tuple:
        return list[str] | None
    return kinds[0] | None
