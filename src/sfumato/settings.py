"""The base of every settings object: frozen, checked when made, with errors a user understands."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, ClassVar, Self, get_args

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails

from sfumato.errors import SettingError, nearest
from sfumato.printing import Printed, brief

WANTED = {
    "dict_type": "give a table (a dictionary)",
    "model_type": "give a table (a dictionary)",
    "list_type": "give a list",
    "tuple_type": "give a list",
    "string_type": "give a text",
}
"""What is told of values of another type, in place of pydantic's words."""


class Settings(BaseModel):
    """What is wanted. Its fields are the single description of what can be set."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    _own_docstring: ClassVar[str] = ""

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise explained(error, type(self), given) from None

    # settings within settings are made without it, so that errors tell the whole way to what is wrong
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # pydantic's own sign

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        # names of attributes and numbers; of what may hold values of records, how many there are
        for name, field in type(self).model_fields.items():
            if name in self.model_fields_set:
                value = getattr(self, name)
                named = any(getattr(its, "func", None) is listed for its in field.metadata)
                yield name, value if named else Printed(brief(value))

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Let help() explain every setting."""
        cls._own_docstring = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
        cls.__doc__ = _explained_settings(cls._own_docstring, cls.model_fields)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe the settings as their class does, for each of them has its own description."""
        made = handler(core_schema)
        inner = handler.resolve_ref_schema(made)
        if inner.pop("description", None) and cls._own_docstring:
            inner["description"] = cls._own_docstring
        return made

    @classmethod
    def own_docstring(cls) -> str:
        """Return the class's own docstring, without the list of its settings."""
        return cls._own_docstring

    def model_dump_json(self, **options: Any) -> str:
        """Write the settings as JSON, of which ``model_validate_json`` makes the same: those that were given."""
        return super().model_dump_json(**{"exclude_unset": True, **options})

    def changed(self, **settings: Any) -> Self:
        """Return the same settings but for some, checked as all are."""
        return type(self)(**{**{name: getattr(self, name) for name in self.model_fields_set}, **settings})


def _explained_settings(summary: str, fields: Mapping[str, FieldInfo]) -> str:
    """Return a docstring with all settings, their defaults and what they mean."""
    lines = []
    for name, field in fields.items():
        if field.is_required():
            lines.append(name)
        else:
            usual = field.get_default(call_default_factory=True)
            told = usual if isinstance(usual, str | int | float | bool) or usual is None else None
            lines.append(f"{name} (default: {told!r})" if told is not None or usual is None else f"{name} (optional)")
        lines += [f"    {line}" for line in (field.description or "").splitlines()]
    if not lines:
        return summary
    head, between, examples = summary.partition("\nExamples\n--------\n")
    return "\n".join([head.rstrip(), "", "Parameters", "----------", *lines, between + examples]).rstrip() + "\n"


def explained(
    error: ValidationError,
    model: type[Settings],
    given: Mapping[str, Any],
    *,
    within: str = "",
    known: Iterable[str] | None = None,
) -> SettingError:
    """Say in words which setting is wrong and what is allowed.

    Parameters
    ----------
    error, model, given
        What pydantic found wrong with these settings, and what they were to be made of.
    within
        Where the settings stand, as ``protect[0]`` of a recipe.
    known
        The names that there can be, if they are not just the model's.
    """
    problem = first_problem(error, given)
    place = place_of(problem["loc"], within=within)
    if problem["type"] == "extra_forbidden":
        *way, name = problem["loc"]
        names = _known_at(model, way, given) if way or known is None else known
        return SettingError(f"there is no setting {place!r}", hint=nearest(str(name), names))
    if problem["type"] == "missing":
        return SettingError(f"setting {place!r} is missing")
    message = WANTED.get(problem["type"]) or problem["msg"].removeprefix("Value error, ")
    found = problem.get("input")
    shown = f" (given: {found!r})" if isinstance(found, str | int | float | bool) else ""
    # a check that came from elsewhere knows what to do
    cause = getattr(problem.get("ctx", {}).get("error"), "__cause__", None)
    hint = cause.hint if isinstance(cause, SettingError) else None
    if not problem["loc"]:
        # several settings do not go together
        return SettingError(f"{within}: {message}" if within else message, hint=hint)
    return SettingError(f"setting {place!r}: {message[:1].lower()}{message[1:]}{shown}", hint=hint)


def first_problem(error: ValidationError, given: Mapping[str, Any]) -> ErrorDetails:
    """Return what is told of an error: a name that is not known before one that is missing, which it may stand for.

    Its place is the way through what was given; pydantic also names which of several forms it took a value for.
    """
    problems = error.errors(include_url=False)
    problem = next((one for one in problems if one["type"] == "extra_forbidden"), problems[0])
    way: list[str | int] = []
    node: Any = given
    for part in problem["loc"]:
        known = node if isinstance(node, Mapping) else range(len(node)) if isinstance(node, list | tuple) else ()
        if part in known:
            node = node[part]
        elif problem["type"] != "missing" or part != problem["loc"][-1]:
            continue
        way.append(part)
    return ErrorDetails(**{**problem, "loc": tuple(way)})


def place_of(parts: Sequence[str | int], *, within: str = "") -> str:
    """Write where a setting stands.

    >>> place_of(["preserve", 1, "accuracy"], within="protect[0]")
    'protect[0].preserve[1].accuracy'
    """
    for part in parts:
        within += f"[{part}]" if isinstance(part, int) else f".{part}" if within else part
    return within


def _known_at(model: type[Settings], parts: Sequence[str | int], given: Any) -> Iterable[str]:
    """Return the names of the settings at a place; where several kinds can stand, those of the likest to the given."""
    models = [model]
    for part in parts:
        likest = _likest(models, given)
        # settings within settings may stand beside the outer ones
        inner = [one for model in likest for its in model.model_fields.values() for one in _settings_in(its.annotation)]
        holders = [model for model in likest if part in model.model_fields] or inner
        fields = [model.model_fields[str(part)] for model in holders if part in model.model_fields]
        models = [found for field in fields for found in _settings_in(field.annotation)] or models
        given = given[part]
    return dict.fromkeys(name for model in _likest(models, given) for name in model.model_fields)


def _likest(models: Sequence[type[Settings]], given: Any) -> list[type[Settings]]:
    """Return those settings that share most names with the given."""
    names = set(given) if isinstance(given, Mapping) else set()
    shared = [len(names & set(model.model_fields)) for model in models]
    return [model for model, count in zip(models, shared, strict=True) if count == max(shared)]


def _settings_in(annotation: Any) -> list[type[Settings]]:
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return [annotation]
    return [found for part in get_args(annotation) for found in _settings_in(part)]


def check_choice(setting: str, given: object, choices: Any) -> None:
    """Refuse what is none of the choices of a ``Literal``.

    >>> from typing import Literal
    >>> check_choice("operator", "max", Literal["min", "mean"])
    Traceback (most recent call last):
    sfumato.errors.SettingError: operator 'max' is not known
    Hint: choose one of: min, mean
    """
    if not isinstance(given, str) or given not in get_args(choices):
        raise SettingError(f"{setting} {given!r} is not known", hint=f"choose one of: {', '.join(get_args(choices))}")


def listed(names: str | Iterable[str]) -> tuple[str, ...]:
    """Take one name or several.

    >>> listed("age"), listed(["age", "sex"])
    (('age',), ('age', 'sex'))
    """
    if isinstance(names, str):
        return (names,)
    # frames give the names of their columns as an index, or as an array
    if isinstance(names, Mapping | Set | bytes) or not isinstance(names, Iterable):
        raise ValueError("give a name or a list of names")
    return tuple(names)
