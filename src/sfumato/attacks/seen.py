"""How an adversary reads a release: one value a record and attribute, as good as it can be known."""

from __future__ import annotations

from typing import Any

import polars as pl

from sfumato.microfile.forms import Exact, Fuzzy, Interval
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.release.release import Release


def seen_in(released: Any) -> Microfile:
    """Return a release, or a table, with one value a record and attribute.

    Of an interval it is the middle, of a set of categories its only one; of several, and of fuzzy sets, nothing is
    taken for known.

    Parameters
    ----------
    released
        A release, a microfile or a frame.
    """
    if not isinstance(released, Release):
        return as_microfile(released)
    table = released.microfile
    columns: dict[str, pl.Series] = {}
    for name, entry in released.codebook.attributes.items():
        form = entry.form
        if isinstance(form, Exact):
            columns[name] = table.series(name)
        elif isinstance(form, Interval):
            columns[name] = _middles(*(table.series(column) for column in form.columns(name)))
        elif not isinstance(form, Fuzzy):
            only = {label: members[0] for label, members in form.members.items() if len(members) == 1}
            series = table.series(name).cast(pl.String)
            columns[name] = series.replace_strict(only, default=None, return_dtype=pl.String)
    kinds = {
        name: _kind(released, name) for name in columns if isinstance(released.codebook.attributes[name].form, Exact)
    }
    return Microfile(pl.DataFrame([series.alias(name) for name, series in columns.items()]), kinds=kinds)


def _middles(low: pl.Series, high: pl.Series) -> pl.Series:
    if low.dtype.is_temporal():
        return low + (high - low) / 2
    return (low.cast(pl.Float64) + high.cast(pl.Float64)) / 2


def _kind(released: Release, name: str) -> Any:
    attribute = released.microfile.attribute(name)
    return list(attribute.order) or attribute.kind.value
