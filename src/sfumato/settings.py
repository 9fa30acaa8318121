"""The base of every settings object: frozen, checked when made, with errors a user understands."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, ClassVar, Self, get_args

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails

from sfumato.errors import SettingError, SettingPath, nearest, path_text
from sfumato.quiet_repr import Printed, brief

TYPE_MESSAGES = {
    "dict_type": "give a table (a dictionary)",
    "model_type": "give a table (a dictionary)",
    "list_type": "give a list",
    "tuple_type": "give a list",
    "string_type": "give a text",
}
"""Messages for values of a wrong type, in place of pydantic's."""


class Settings(BaseModel):
    """Settings of a task. The fields are the single description of what can be set."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    _own_docstring: ClassVar[str] = ""

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise explained(error, type(self), given) from None

    # settings within settings are made without it, so that errors name the whole path to what is wrong
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # pydantic's own marker

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        # show names of attributes and numbers; only count what may hold values of records
        for name, field in type(self).model_fields.items():
            if name in self.model_fields_set:
                value = getattr(self, name)
                holds_names = any(getattr(validator, "func", None) is listed for validator in field.metadata)
                yield name, value if holds_names else Printed(brief(value))

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Let help() explain every setting."""
        cls._own_docstring = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
        cls.__doc__ = _explained_settings(cls._own_docstring, cls.model_fields)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Describe the settings by their class's own docstring, as each setting has a description too."""
        schema = handler(core_schema)
        definition = handler.resolve_ref_schema(schema)
        if definition.pop("description", None) and cls._own_docstring:
            definition["description"] = cls._own_docstring
        return schema

    @classmethod
    def own_docstring(cls) -> str:
        """Return the class's own docstring, without the list of its settings."""
        return cls._own_docstring

    def model_dump_json(self, **options: Any) -> str:
        """Write the settings that were given as JSON, from which ``model_validate_json`` makes the same settings."""
        return super().model_dump_json(**{"exclude_unset": True, **options})

    def changed(self, **settings: Any) -> Self:
        """Return the settings with some changed, checked like new ones."""
        return type(self)(**{**{name: getattr(self, name) for name in self.model_fields_set}, **settings})


def _explained_settings(summary: str, fields: Mapping[str, FieldInfo]) -> str:
    """Return a docstring with all settings, their defaults and what they mean."""
    lines = []
    for name, field in fields.items():
        if field.is_required():
            lines.append(name)
        else:
            default = field.get_default(call_default_factory=True)
            is_plain = default is None or isinstance(default, str | int | float | bool)
            lines.append(f"{name} (default: {default!r})" if is_plain else f"{name} (optional)")
        lines += [f"    {line}" for line in (field.description or "").splitlines()]
    if not lines:
        return summary
    head, heading, examples = summary.partition("\nExamples\n--------\n")
    return "\n".join([head.rstrip(), "", "Parameters", "----------", *lines, heading + examples]).rstrip() + "\n"


def explained(
    error: ValidationError,
    model: type[Settings],
    given: Mapping[str, Any],
    *,
    within: SettingPath = (),
    available: Iterable[str] | None = None,
) -> SettingError:
    """Say in words which setting is wrong and what is allowed.

    Parameters
    ----------
    error, model, given
        What pydantic found wrong with these settings, and what they were to be made of.
    within
        The path of the settings, for the message; the path in the error starts from the settings themselves.
    available
        The names that settings can have, if they are not just the model's.
    """
    problem = first_problem(error, given)
    path = problem["loc"]
    written = path_text((*within, *path))
    if problem["type"] == "extra_forbidden":
        *outer, name = path
        names = _names_at(model, outer, given) if outer or available is None else available
        return SettingError(f"unknown setting {written!r}", hint=nearest(str(name), names), setting=path)
    if problem["type"] == "missing":
        return SettingError(f"setting {written!r} is missing", setting=path)
    raised = problem.get("ctx", {}).get("error")
    # sfumato's own checks know more than their message
    cause = raised if isinstance(raised, SettingError) else SettingError(_words(problem))
    value = problem.get("input")
    value_text = f" (given: {value!r})" if isinstance(value, str | int | float | bool) else ""
    if path:
        message = f"setting {written!r}: {cause.message[:1].lower()}{cause.message[1:]}{value_text}"
    else:
        # several settings do not go together
        message = f"{path_text(within)}: {cause.message}" if within else cause.message
    return SettingError(message, hint=cause.hint, setting=(*path, *cause.setting), column=cause.column, code=cause.code)


def _words(problem: ErrorDetails) -> str:
    """Say what pydantic found wrong."""
    return TYPE_MESSAGES.get(problem["type"]) or problem["msg"].removeprefix("Value error, ")


def first_problem(error: ValidationError, given: Mapping[str, Any]) -> ErrorDetails:
    """Return the problem to report: an unknown name before a missing one, for which it may be a misspelling.

    Its ``loc`` is the path through what was given; pydantic also names which of several forms it took a value for.
    """
    problems = error.errors(include_url=False)
    problem = next((each for each in problems if each["type"] == "extra_forbidden"), problems[0])
    path: list[str | int] = []
    node: Any = given
    for part in problem["loc"]:
        keys = node if isinstance(node, Mapping) else range(len(node)) if isinstance(node, list | tuple) else ()
        if part in keys:
            node = node[part]
        elif problem["type"] != "missing" or part != problem["loc"][-1]:
            continue
        path.append(part)
    return ErrorDetails(**{**problem, "loc": tuple(path)})


def _names_at(model: type[Settings], path: Sequence[str | int], given: Any) -> Iterable[str]:
    """Return the names of the settings at a path; where several models are allowed, those most like the given."""
    models = [model]
    for part in path:
        similar = _most_similar_models(models, given)
        # settings within settings may be written beside the outer ones
        inner = [
            nested
            for outer in similar
            for field in outer.model_fields.values()
            for nested in _models_in(field.annotation)
        ]
        holders = [holder for holder in similar if part in holder.model_fields] or inner
        fields = [holder.model_fields[str(part)] for holder in holders if part in holder.model_fields]
        models = [nested for field in fields for nested in _models_in(field.annotation)] or models
        given = given[part]
    return dict.fromkeys(name for similar in _most_similar_models(models, given) for name in similar.model_fields)


def _most_similar_models(models: Sequence[type[Settings]], given: Any) -> list[type[Settings]]:
    """Return the models that share most names with what was given."""
    names = set(given) if isinstance(given, Mapping) else set()
    n_shared = [len(names & set(model.model_fields)) for model in models]
    return [model for model, count in zip(models, n_shared, strict=True) if count == max(n_shared)]


def _models_in(annotation: Any) -> list[type[Settings]]:
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return [annotation]
    return [model for argument in get_args(annotation) for model in _models_in(argument)]


def check_choice(setting: str, given: object, choices: Any) -> None:
    """Refuse a value that is not one of the choices of a ``Literal``.

    >>> from typing import Literal
    >>> check_choice("operator", "max", Literal["min", "mean"])
    Traceback (most recent call last):
    sfumato.errors.SettingError: operator 'max' is not known
    Hint: choose one of: min, mean
    """
    if not isinstance(given, str) or given not in get_args(choices):
        raise SettingError(
            f"{setting} {given!r} is not known", hint=f"choose one of: {', '.join(get_args(choices))}", setting=setting
        )


def listed(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple.

    >>> listed("age"), listed(["age", "sex"])
    (('age',), ('age', 'sex'))
    """
    if isinstance(names, str):
        return (names,)
    # frames give the names of their columns as an index or an array
    if isinstance(names, Mapping | Set | bytes) or not isinstance(names, Iterable):
        raise SettingError("give a name or a list of names")
    return tuple(names)
