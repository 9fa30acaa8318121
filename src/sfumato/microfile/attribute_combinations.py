"""Several attributes as one: the combinations of their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import MicrofileError
from sfumato.microfile.encoded_column import Encoded

JOINT = "/"
"""The separator between the values of several attributes."""


def label_of(value: object) -> str:
    """Write a value as people do.

    >>> label_of(300.0), label_of("300"), label_of(0.5)
    ('300', '300', '0.5')
    """
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float | np.floating) and float(value).is_integer() else str(value)


def listed_values(values: NDArray[Any]) -> list[Any]:
    """Return the values of an attribute as Python objects; nanoseconds would become plain numbers."""
    finest = {"M": "datetime64[us]", "m": "timedelta64[us]"}.get(values.dtype.kind)
    is_days = values.dtype == np.dtype("datetime64[D]")
    python_values: list[Any] = (values if finest is None or is_days else values.astype(finest)).tolist()
    return python_values


def joined(columns: Sequence[Encoded], *, between: str = JOINT) -> Encoded:
    """Return the combinations of values that occur, as text; missing where a value is.

    Parameters
    ----------
    columns
        Columns as codes.
    between
        The separator between their values.

    Examples
    --------
    >>> states = Encoded(np.array([0, 0, 1, -1]), np.array([15, 38]))
    >>> areas = Encoded(np.array([1, 1, 0, 0]), np.array([100, 300]))
    >>> places = joined([states, areas])
    >>> places.codes.tolist(), places.values.tolist()
    ([0, 0, 1, -1], ['15/300', '38/100'])
    """
    missing = np.logical_or.reduce([column.missing for column in columns])
    codes = columns[0].codes[~missing].astype(np.int64)
    labels = _labels(columns[0])
    for column in columns[1:]:
        size = max(1, column.values.size)
        # ranked again at each step, so that keys stay below records times values; the first attribute sorts first
        keys, codes = np.unique(codes * size + column.codes[~missing], return_inverse=True)
        column_labels = _labels(column)
        labels = [f"{labels[key // size]}{between}{column_labels[key % size]}" for key in keys.tolist()]
    collisions = len(labels) - len(set(labels))
    if collisions:
        raise MicrofileError(
            f"combinations of values would look the same when joined by {between!r} ({collisions:,})",
            hint="choose a separator that does not occur in them",
        )
    joint_codes = np.full(missing.size, -1, dtype=np.int32)
    joint_codes[~missing] = codes
    return Encoded(joint_codes, np.array(labels, dtype=object))


def _labels(column: Encoded) -> list[str]:
    return [label_of(value) for value in listed_values(column.values)]
