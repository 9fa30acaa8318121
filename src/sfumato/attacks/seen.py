"""How an adversary reads a release: one value a record and attribute, as good as it can be known."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from sfumato.fuzzy.inversion import ranges_behind
from sfumato.fuzzy.released import sets_of, told_parts
from sfumato.microfile.forms import Exact, Fuzzy, Interval
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.release.release import Release


def seen_in(released: Any) -> Microfile:
    """Return a release, or a table, with one value a record and attribute.

    Of an interval it is the middle, of a set of categories its only one, and nothing of several; of fuzzy sets the
    middle of the values that would have these words or grades.

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
        elif isinstance(form, Fuzzy):
            columns |= _behind(table, name, form)
        else:
            told = ((label, its) for label, its in form.members.items() if label not in form.open)
            only = {label: its[0] for label, its in told if len(its) == 1 and not form.is_node(its[0])}
            series = table.series(name).cast(pl.String)
            columns[name] = series.replace_strict(only, default=None, return_dtype=pl.String)
    exact = [name for name, entry in released.codebook.attributes.items() if isinstance(entry.form, Exact)]
    kinds = {name: table.attribute(name).declared for name in exact}
    return Microfile(pl.DataFrame([series.alias(name) for name, series in columns.items()]), kinds=kinds)


def _behind(table: Microfile, name: str, form: Fuzzy) -> dict[str, pl.Series]:
    """Return the middles of what fuzzy sets leave of each record's values."""
    parts, lacking = told_parts(table, name, form)
    sets = sets_of(form)
    found = ranges_behind(sets, parts, form.levels, words=form.shown == "words")
    middles = ((found.lo + found.hi) / 2)[found.of_records]
    middles[lacking] = np.nan
    columns = zip(sets.attributes, middles.T, strict=True)
    return {attribute: pl.Series(attribute, values, nan_to_null=True) for attribute, values in columns}


def _middles(low: pl.Series, high: pl.Series) -> pl.Series:
    if low.dtype.is_temporal():
        return low + (high - low) / 2
    return (low.cast(pl.Float64) + high.cast(pl.Float64)) / 2
