"""Options that several verbs share, and options made from the fields of settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, get_args, get_origin

import typer

from sfumato.errors import SettingError
from sfumato.settings import Settings

File = Annotated[str, typer.Argument(help="csv, tsv, txt (also .gz), parquet, sav, dta or sas7bdat")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]
Seed = Annotated[int | None, typer.Option(help="Seed of all random numbers.", min=0)]
KindOption = Annotated[
    list[str] | None,
    typer.Option(
        "--kind", help="COLUMN=numeric, categorical or ordinal, or COLUMN=low<middle<high.", metavar="COLUMN=KIND"
    ),
]
MissingOption = Annotated[
    list[str] | None,
    typer.Option("--missing", help="A code that means missing, in all columns or in one.", metavar="[COLUMN=]CODE"),
]
Encoding = Annotated[str | None, typer.Option(help="Of a text file, if it is not found rightly.")]
Delimiter = Annotated[str | None, typer.Option(help="Of a text file, if it is not found rightly.")]
Decimal = Annotated[str | None, typer.Option(help="Decimal sign of a text file, if it is not found rightly.")]


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


def reading(kind: list[str] | None, missing: list[str] | None, **written: str | None) -> dict[str, Any]:
    """Return the arguments of :func:`sfumato.read` that options give."""
    kinds = {name: value.split("<") if "<" in value else value for name, value in pairs("--kind", kind).items()}
    for_all = [part for part in missing or () if "=" not in part]
    by_column: dict[str, list[str]] = {}
    for name, code in (part.split("=", 1) for part in missing or () if "=" in part):
        by_column.setdefault(name, []).append(code)
    if for_all and by_column:
        raise SettingError("--missing is given both with and without a column", hint="name the column each time")
    return {"kinds": kinds, "missing": by_column or for_all, **written}


def with_settings(
    model: type[Settings], *, fields: Iterable[str]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb an option for each of some fields of a settings object.

    The verb gets what was given as ``given``, a dictionary.
    """
    chosen = list(fields)

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        own = [p for p in inspect.signature(verb, eval_str=True).parameters.values() if p.name != "given"]
        made = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[
                    _option_type(model.model_fields[name].annotation),
                    typer.Option(
                        f"--{name.replace('_', '-')}",
                        help=" ".join((model.model_fields[name].description or "").split()),
                    ),
                ],
            )
            for name in chosen
        ]

        def run(**arguments: Any) -> None:
            given = {name: arguments.pop(name) for name in chosen}
            verb(given={name: value for name, value in given.items() if value not in (None, [])}, **arguments)

        positional = [p for p in own if p.kind is not inspect.Parameter.KEYWORD_ONLY]
        rest = [p for p in own if p.kind is inspect.Parameter.KEYWORD_ONLY]
        parameters = [*positional, *made, *rest]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by inspect
        run.__annotations__ = {p.name: p.annotation for p in parameters}
        run.__doc__, run.__name__ = verb.__doc__, verb.__name__
        return run

    return decorate


def _option_type(annotation: Any) -> Any:
    """Return the type of an option for a field: names may be given several times, choices are texts."""
    kinds = [part for part in get_args(annotation) if part is not type(None)] or [annotation]
    if get_origin(annotation) is Literal:
        return str | None
    if get_origin(annotation) is tuple:
        return list[str] | None
    return kinds[0] | None
