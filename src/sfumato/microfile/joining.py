"""Several attributes as one: the combinations of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MicrofileError
from sfumato.microfile.encoding import Encoded

JOINT = "/"
"""Between the values of several attributes."""


def label_of(value: object) -> str:
    """Write a value as people do.

    >>> label_of(300.0), label_of("300"), label_of(0.5)
    ('300', '300', '0.5')
    """
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float | np.floating) and float(value).is_integer() else str(value)


def listed_values(values: NDArray[Any]) -> list[Any]:
    """Return the values of an attribute as Python's own; nanoseconds would become mere numbers."""
    finest = {"M": "datetime64[us]", "m": "timedelta64[us]"}.get(values.dtype.kind)
    is_days = values.dtype == np.dtype("datetime64[D]")
    found: list[Any] = (values if finest is None or is_days else values.astype(finest)).tolist()
    return found


def joined(parts: Sequence[Encoded], *, between: str = JOINT) -> Encoded:
    """Return the combinations of values that occur, as text; missing where one of them is.

    Parameters
    ----------
    parts
        Columns as codes.
    between
        What stands between their values.

    Examples
    --------
    >>> states = Encoded(np.array([0, 0, 1, -1]), np.array([15, 38]))
    >>> areas = Encoded(np.array([1, 1, 0, 0]), np.array([100, 300]))
    >>> places = joined([states, areas])
    >>> places.codes.tolist(), places.values.tolist()
    ([0, 0, 1, -1], ['15/300', '38/100'])
    """
    missing = np.logical_or.reduce([part.missing for part in parts])
    codes = parts[0].codes[~missing].astype(np.int64)
    labels = _labels(parts[0])
    for part in parts[1:]:
        size = max(1, part.values.size)
        # ranked anew at each step, so that keys stay below records times values; those of the first attribute first
        keys, codes = np.unique(codes * size + part.codes[~missing], return_inverse=True)
        own = _labels(part)
        labels = [f"{labels[key // size]}{between}{own[key % size]}" for key in keys.tolist()]
    collisions = len(labels) - len(set(labels))
    if collisions:
        raise MicrofileError(
            f"{collisions:,} combinations of values would be written alike when joined by {between!r}",
            hint="join them by a sign that does not occur in them",
        )
    everybody = np.full(missing.size, -1, dtype=np.int32)
    everybody[~missing] = codes
    return Encoded(everybody, np.array(labels, dtype=object))


def _labels(part: Encoded) -> list[str]:
    return [label_of(value) for value in listed_values(part.values)]
