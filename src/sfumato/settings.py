"""The base of every settings object: frozen, checked when made, with errors a user understands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sfumato.errors import SettingError, nearest


class Settings(BaseModel):
    """What is wanted. Its fields are the single description of what can be set."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise explained(error, allowed=type(self).model_fields) from None


def explained(error: ValidationError, *, allowed: Mapping[str, object]) -> SettingError:
    """Say in words which setting is wrong and what is allowed."""
    problem = error.errors(include_url=False)[0]
    name = ".".join(str(part) for part in problem["loc"]) or "settings"
    if problem["type"] == "extra_forbidden":
        return SettingError(f"there is no setting {name!r}", hint=nearest(name, allowed))
    if problem["type"] == "missing":
        return SettingError(f"setting {name!r} is missing")
    message = problem["msg"].removeprefix("Value error, ")
    given = problem.get("input")
    shown = f" (given: {given!r})" if isinstance(given, str | int | float | bool) else ""
    return SettingError(f"setting {name!r}: {message[:1].lower()}{message[1:]}{shown}")


def listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """Take one name or several.

    >>> listed("age"), listed(["age", "sex"])
    (('age',), ('age', 'sex'))
    """
    if isinstance(names, str):
        return (names,)
    if not isinstance(names, Sequence):
        raise ValueError("give a name or a list of names")
    return tuple(names)
