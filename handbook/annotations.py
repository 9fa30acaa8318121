"""Types in words that a reader knows from code."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Annotated, Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin


def type_name(kind: Any) -> str:
    """Write a type: choices by their values, classes without their modules.

    >>> type_name(dict[str, int] | None)
    'dict[str, int] | None'
    >>> type_name(Literal["min", "mean"])
    '"min" | "mean"'
    """
    if isinstance(kind, str):
        return kind
    if isinstance(kind, ForwardRef):
        return kind.__forward_arg__
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return type_name(parts[0])
    if origin is Literal:
        return " | ".join(f'"{part}"' if isinstance(part, str) else repr(part) for part in parts)
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(type_name, parts)))
    if kind is type(None):
        return "None"
    if kind is Ellipsis:
        return "..."
    if isinstance(kind, TypeVar):
        return kind.__name__
    if isinstance(kind, list):
        return f"[{', '.join(map(type_name, kind))}]"
    if origin is not None and parts:
        return f"{type_name(origin)}[{', '.join(map(type_name, parts))}]"
    if kind is Callable:
        return "Callable"
    return str(getattr(kind, "__name__", kind))
