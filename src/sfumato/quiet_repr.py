"""Printing of results: numbers and counts of what they hold, never the values of records.

Printed results end up in notebooks, logs and error messages, which people share more readily than the data.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from enum import Enum
from typing import Any, TypeVar

Result = TypeVar("Result")


class Printed(str):
    """A text that is printed without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def quiet(result: type[Result]) -> type[Result]:
    """Let a dataclass print the size of what it holds instead of the values.

    >>> @quiet
    ... @dataclasses.dataclass
    ... class Summary:
    ...     share: float
    ...     incomes: list[int]
    >>> Summary(0.25, [41_300, 1_250_000])
    Summary(share=0.25, incomes=<2>)
    """
    result.__repr__ = _quiet_repr  # type: ignore[method-assign]  # replaces one of the same type
    return result


def _quiet_repr(self: Any) -> str:
    fields = [field.name for field in dataclasses.fields(self) if field.repr]
    return f"{type(self).__qualname__}({', '.join(f'{name}={brief(getattr(self, name))}' for name in fields)})"


def brief(value: object) -> str:
    """Write numbers and sfumato's own results; of anything that holds several values, write only how many.

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
