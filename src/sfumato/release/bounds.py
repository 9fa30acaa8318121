"""Between which bounds a release says that each numeric value lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Flags, Reals
from sfumato.doubles import enclosing
from sfumato.errors import ReleaseError, SettingError, nearest
from sfumato.microfile.attribute import Kind
from sfumato.microfile.forms import Exact, Fuzzy, Interval, Sets
from sfumato.microfile.microfile import Microfile
from sfumato.printing import quiet
from sfumato.release.codebook import Codebook


@quiet
@dataclass(frozen=True)
class Known:
    """The bounds of some attributes, for the records that have them all."""

    lo: dict[str, Reals]
    hi: dict[str, Reals]
    weights: Reals | None
    complete: Flags
    """Which records these are."""

    @property
    def left_out(self) -> int:
        """How many records lack a value."""
        return int((~self.complete).sum())


def numeric_names(table: Microfile, codebook: Codebook) -> list[str]:
    """Return the attributes whose values have bounds."""
    return [name for name in codebook.attributes if _is_numeric(table, codebook, name)]


def bounds_of(table: Microfile, codebook: Codebook, names: Sequence[str], weight: str | None) -> Known:
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
    ends = {name: _ends(table, codebook, name) for name in names}
    weights = None if weight is None else _weights(table, codebook, weight)
    complete = np.ones(table.records, dtype=np.bool_)
    for low, _ in ends.values():
        complete &= ~np.isnan(low)
    if weights is not None:
        complete &= ~np.isnan(weights)
    if complete.sum() < 2:
        told = ", ".join(repr(name) for name in names) + (" and a weight" if weight else "")
        raise ReleaseError(
            f"{int(complete.sum())} records have a value of {told}; a statistic needs at least two",
            hint="choose attributes with fewer missing values",
        )
    whole = bool(complete.all())
    return Known(
        {name: low if whole else low[complete] for name, (low, _) in ends.items()},
        {name: high if whole else high[complete] for name, (_, high) in ends.items()},
        weights if weights is None or whole else weights[complete],
        complete,
    )


def _is_numeric(table: Microfile, codebook: Codebook, name: str) -> bool:
    form = codebook.attributes[name].form
    if isinstance(form, Fuzzy):
        # its sets have no sharp ends, so nothing would be guaranteed
        return False
    if isinstance(form, Sets):
        return all(form.ends(label) is not None for label in form.members)
    return all(
        table.attribute(column).kind is Kind.NUMERIC and not table.series(column).dtype.is_temporal()
        for column in form.columns(name)
    )


def _ends(table: Microfile, codebook: Codebook, name: str) -> tuple[Reals, Reals]:
    form = codebook.attributes[name].form
    if isinstance(form, Sets):
        encoded = table.encoded(name)
        nothing = (np.nan, np.nan)
        # the last entry stands for a missing value, whose code is -1
        ends = np.array([*(form.ends(str(label)) or nothing for label in encoded.values.tolist()), nothing])
        return ends[encoded.codes, 0], ends[encoded.codes, 1]
    if isinstance(form, Interval):
        below, above = form.columns(name)
        low, high = _enclosing(table, below)[0], _enclosing(table, above)[1]
        half = int((np.isnan(low) != np.isnan(high)).sum())
        if half:
            raise ReleaseError(
                f"attribute {name!r}: {half:,} records have only one of two bounds, so nothing is guaranteed",
                hint="release the largest or smallest possible value in place of an open end",
            )
        return low, high
    return _enclosing(table, name)


def _enclosing(table: Microfile, name: str) -> tuple[Reals, Reals]:
    """Return doubles between which each value of a numeric column lies, NaN where it is missing."""
    low, high = enclosing(table.series(name))
    missing = np.isnan(table.numbers(name))
    return (np.where(missing, np.nan, low), np.where(missing, np.nan, high)) if missing.any() else (low, high)


def _weights(table: Microfile, codebook: Codebook, name: str) -> Reals:
    if not isinstance(name, str) or name not in codebook.attributes:
        raise SettingError(f"weight: there is no attribute {name!r}", hint=nearest(str(name), codebook.attributes))
    if not isinstance(codebook.attributes[name].form, Exact) or not _is_numeric(table, codebook, name):
        raise SettingError(f"weight: {name!r} is not released as exact numbers", hint="choose an exact attribute")
    return table.numbers(name)
