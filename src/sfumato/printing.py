"""How results are printed: numbers and counts of what they hold, never the values of records.

A result often ends up in the output of a notebook, a log or the text of an error, which are passed on more readily than
the data.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from enum import Enum
from typing import Any, TypeVar

Result = TypeVar("Result")


class Printed(str):
    """A text that is printed without quotation marks."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def quiet(result: type[Result]) -> type[Result]:
    """Let a dataclass print what it holds without showing it.

    >>> @quiet
    ... @dataclasses.dataclass
    ... class Found:
    ...     share: float
    ...     incomes: list[int]
    >>> Found(0.25, [41_300, 1_250_000])
    Found(share=0.25, incomes=<2>)
    """
    result.__repr__ = _quiet_repr  # type: ignore[method-assign]  # a repr like that which it replaces
    return result


def _quiet_repr(self: Any) -> str:
    fields = [field.name for field in dataclasses.fields(self) if field.repr]
    return f"{type(self).__qualname__}({', '.join(f'{name}={brief(getattr(self, name))}' for name in fields)})"


def brief(value: object) -> str:
    """Write numbers and the package's own results; of all that holds several values, say how many.

    >>> brief(0.123456789), brief(("f", "m")), brief("age")
    ('0.123457', '<2>', "'age'")
    """
    if isinstance(value, float):
        return f"{value:.6g}"
    if value is None or isinstance(value, str | int | Enum):
        return repr(value)
    if type(value).__module__.startswith("sfumato."):
        return repr(value)
    if isinstance(value, Collection):
        return f"<{len(value)}>"
    size = getattr(value, "size", None)
    return f"<{size}>" if isinstance(size, int) else f"<{type(value).__name__}>"
