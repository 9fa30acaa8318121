"""The bounds of numeric values in a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Flags, Reals
from sfumato.errors import ReleaseError, SettingError, nearest
from sfumato.microfile import Microfile
from sfumato.quiet_repr import quiet
from sfumato.release.codebook import Codebook


@quiet
@dataclass(frozen=True)
class NumericBounds:
    """The bounds of some attributes, for the records that have them all."""

    lo: dict[str, Reals]
    hi: dict[str, Reals]
    weights: Reals | None
    complete: Flags
    """Which records these are."""

    @property
    def left_out(self) -> int:
        """The number of records that lack a value."""
        return int((~self.complete).sum())


def numeric_names(table: Microfile, codebook: Codebook) -> list[str]:
    """Return the attributes whose values have bounds."""
    return [name for name in codebook.attributes if _is_numeric(table, codebook, name)]


def bounds_of(table: Microfile, codebook: Codebook, names: Sequence[str], weight: str | None) -> NumericBounds:
    """Return the bounds of some numeric attributes where none is missing.

    Parameters
    ----------
    table, codebook
        A release's data.
    names
        The attributes.
    weight
        The attribute that weights the records, if any.
    """
    ends = {name: codebook.attributes[name].form.bounds(table, name) for name in names}
    weights = None if weight is None else _weights(table, codebook, weight)
    complete = np.ones(table.records, dtype=np.bool_)
    for low, _ in ends.values():
        complete &= ~np.isnan(low)
    if weights is not None:
        complete &= ~np.isnan(weights)
    if complete.sum() < 2:
        attributes = ", ".join(repr(name) for name in names) + (" and the weight" if weight else "")
        raise ReleaseError(
            f"{attributes}: a statistic needs at least two records with a value, not {int(complete.sum())}",
            hint="choose attributes with fewer missing values",
        )
    all_complete = bool(complete.all())
    return NumericBounds(
        {name: low if all_complete else low[complete] for name, (low, _) in ends.items()},
        {name: high if all_complete else high[complete] for name, (_, high) in ends.items()},
        weights if weights is None or all_complete else weights[complete],
        complete,
    )


def _is_numeric(table: Microfile, codebook: Codebook, name: str) -> bool:
    return codebook.attributes[name].form.has_bounds(table, name)


def _weights(table: Microfile, codebook: Codebook, name: str) -> Reals:
    if not isinstance(name, str) or name not in codebook.attributes:
        raise SettingError(
            f"weight: unknown attribute {name!r}",
            hint=nearest(str(name), codebook.attributes),
            setting="weight",
            column=name,
        )
    if not codebook.attributes[name].form.exact or not _is_numeric(table, codebook, name):
        raise SettingError(
            f"weight: {name!r} is not released as exact numbers",
            hint="choose an exact attribute",
            setting="weight",
            column=name,
        )
    return table.numbers(name)
