"""The types of a kernel's arguments, as its annotations state them.

Arrays are contiguous and have one dimension unless the annotation is one of the names below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias, get_args, get_origin, get_type_hints

import numba
import numpy as np
from numba.np.numpy_support import as_dtype, from_dtype
from numpy.typing import NDArray

from sfumato.array_types import Bytes, Codes, Counts, Flags, Reals

RealTable: TypeAlias = Annotated[Reals, 2]
RealCube: TypeAlias = Annotated[Reals, 3]
SingleTable: TypeAlias = Annotated[NDArray[np.float32], 2]
CodeTable: TypeAlias = Annotated[Codes, 2]
CodeCube: TypeAlias = Annotated[Codes, 3]
CountTable: TypeAlias = Annotated[Counts, 2]
CountCube: TypeAlias = Annotated[Counts, 3]
FlagTable: TypeAlias = Annotated[Flags, 2]
ByteTable: TypeAlias = Annotated[Bytes, 2]
WordTable: TypeAlias = Annotated[NDArray[np.uint64], 2]
WordCube: TypeAlias = Annotated[NDArray[np.uint64], 3]
ShortTable: TypeAlias = Annotated[NDArray[np.int16], 2]
HalfTable: TypeAlias = Annotated[NDArray[np.uint16], 2]

READ_ONLY = "read-only"
BytesRead: TypeAlias = Annotated[Bytes, 1, READ_ONLY]
"""Arrays that a kernel only reads, and that frames or files hand over without the right to write."""
CodesRead: TypeAlias = Annotated[Codes, 1, READ_ONLY]
CountsRead: TypeAlias = Annotated[Counts, 1, READ_ONLY]
RealsRead: TypeAlias = Annotated[Reals, 1, READ_ONLY]

types: Any = numba.types

SCALARS = {int: types.int64, float: types.float64, bool: types.boolean, np.uint64: types.uint64}


def argument_types(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return numba's types of a function's arguments."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    return tuple(type_of(hint) for hint in hints.values())


def type_of(hint: Any) -> Any:
    """Return numba's type of what an annotation stands for."""
    if isinstance(hint, type) and hint in SCALARS:
        return SCALARS[hint]
    if get_origin(hint) is Annotated:
        array, dimensions, *only = get_args(hint)
        return _array(array, dimensions, readonly=bool(only))
    if get_origin(hint) is np.ndarray:
        return _array(hint, 1)
    fields = get_type_hints(hint, include_extras=True)
    return types.BaseTuple.from_types([type_of(field) for field in fields.values()], hint)


def _array(hint: Any, dimensions: int, *, readonly: bool = False) -> Any:
    (scalar,) = get_args(get_args(hint)[1])
    return types.Array(from_dtype(np.dtype(scalar)), dimensions, "C", readonly=readonly)


def fits(actual: Any, stated: Any) -> bool:
    """Return whether a value of one type can be passed as another: without losing digits or dimensions."""
    if isinstance(stated, types.Array):
        safe = isinstance(actual, types.Array) and actual.ndim == stated.ndim
        return safe and np.can_cast(as_dtype(actual.dtype), as_dtype(stated.dtype), "safe")
    if isinstance(stated, types.BaseTuple):
        return isinstance(actual, types.BaseTuple) and all(map(fits, actual.types, stated.types))
    return bool(np.can_cast(as_dtype(actual), as_dtype(stated), "safe"))


def call_fitted(function: Callable[..., Any], stated: tuple[Any, ...], *arguments: Any) -> Any:
    """Call a function with arguments of the stated types: copies of arrays, whose new content is copied back."""
    copies: list[tuple[Any, Any]] = []
    result = function(*(_fitted(argument, kind, copies) for argument, kind in zip(arguments, stated, strict=True)))
    for original, copy in copies:
        if original.flags.writeable:
            original[...] = copy
    return result


def _fitted(argument: Any, kind: Any, copies: list[tuple[Any, Any]]) -> Any:
    if isinstance(kind, types.Array):
        dtype = as_dtype(kind.dtype)
        if not kind.mutable:
            readable = np.ascontiguousarray(argument, dtype=dtype).view()
            readable.flags.writeable = False
            return readable
        fitted = np.require(argument, dtype, ["C", "W"])
        if fitted is not argument:
            copies.append((argument, fitted))
        return fitted
    if isinstance(kind, types.BaseNamedTuple):
        pairs = zip(argument, kind.types, strict=True)
        return kind.instance_class(*(_fitted(value, field, copies) for value, field in pairs))
    if isinstance(kind, types.Integer):
        return int(argument)
    return bool(argument) if isinstance(kind, types.Boolean) else float(argument)
