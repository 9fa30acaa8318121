"""Placing new records into the boxes of a release that tiles the space."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import polars as pl

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.boxes.axes import NANOSECONDS, is_fine
from sfumato.errors import MicrofileError, ReleaseError
from sfumato.microfile.forms import Interval, Sets
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.release.release import Release

Numbers: TypeAlias = Reals | Counts
PAIRS = 1 << 24
"""So many pairs of a record and a box are looked at together."""


def place(release: Release, newcomers: Microfile | Any) -> Microfile:
    """Return new records with the boxes of a release in place of their quasi attributes.

    Parameters
    ----------
    release
        A release of boxes with ``edges="tiling"``.
    newcomers
        A microfile, or a frame that becomes one, with the quasi attributes.

    Notes
    -----
    A box that lacks a value holds any: its records may have lost theirs when they were merged. Of several boxes that
    hold a record the one that lacks least is chosen, so that records of the file that lost a value in a merge may get
    a sharper box than they were released with.

    Raises
    ------
    MicrofileError
        If a record lies outside all boxes: beyond the outermost edges, in a category that the file did not have, or
        lacking values that no record of the release lacks.
    """
    if release.settings.get("edges") != "tiling":
        raise ReleaseError("the boxes do not cover the space", hint="protect with Boxes(edges='tiling', ...)")
    newcomers = as_microfile(newcomers)
    quasi = release.promise.quasi
    columns = {name: release.codebook.attributes[name].form.columns(name) for name in quasi}
    names = [column for its in columns.values() for column in its]
    boxes = pl.DataFrame([release.microfile.series(name) for name in names]).unique(maintain_order=True)
    # the first that holds a record is the one that lacks least
    lacking = boxes.select(pl.sum_horizontal(pl.all().is_null().cast(pl.Int32))).to_series()
    boxes = boxes[lacking.arg_sort().to_list()]
    inside = [_inside(release, newcomers, name, boxes) for name in quasi]
    found = np.full(newcomers.records, -1, dtype=np.int64)
    step = max(1, PAIRS // boxes.height)
    for first in range(0, newcomers.records, step):
        some = slice(first, first + step)
        fits: Flags = np.logical_and.reduce([test(some) for test in inside])
        found[some] = np.where(fits.any(axis=1), fits.argmax(axis=1), -1)
    outside = int((found < 0).sum())
    if outside:
        raise MicrofileError(
            f"{outside:,} records lie outside the boxes of the release", hint="leave them out, or release anew"
        )
    placed = newcomers.with_columns({name: boxes.get_column(name).gather(found) for name in names})
    return placed.select([column for name in newcomers.names for column in columns.get(name, (name,))])


def _inside(release: Release, newcomers: Microfile, name: str, boxes: pl.DataFrame) -> Any:
    """Return a function that tells which boxes hold some records, in one attribute."""
    form = release.codebook.attributes[name].form
    if isinstance(form, Interval):
        low, high = (boxes.get_column(column) for column in form.columns(name))
        values = _values(newcomers, name, low.dtype)
        begins, ends, numbers = _numbers(low, values), _numbers(high, values), _numbers(values, low)
        blank, missing = low.is_null().to_numpy(), newcomers.encoded(name).missing
        last = ends == ends[~blank].max(initial=ends.min())
        return lambda some: blank | (_within(numbers[some, None], begins, ends, last) & ~missing[some, None])
    if not isinstance(form, Sets):
        raise ReleaseError(f"attribute {name!r} is not released as boxes")
    encoded = newcomers.encoded(name)
    labels = boxes.get_column(name).to_list()
    # the last row stands for a missing value, whose code is -1
    table = np.zeros((encoded.values.size + 1, len(labels)), dtype=np.bool_)
    behind = form.behind(list(encoded.values))
    for column, label in enumerate(labels):
        table[slice(None) if label is None else behind[label], column] = True
    category_codes: Codes = encoded.codes
    return lambda some: table[category_codes[some]]


def _within(values: Numbers, low: Numbers, high: Numbers, last: Flags) -> Flags:
    """Tell which intervals hold values: with their lower ends, and the outermost with their upper ones too."""
    held: Flags = (low <= values) & ((values < high) | (last & (values == high)))
    return held


def _values(newcomers: Microfile, name: str, dtype: pl.DataType) -> pl.Series:
    """Return a numeric attribute of newcomers, moments in the unit of time in which the boxes' edges are."""
    newcomers.check_numeric(name)
    series = newcomers.series(name)
    if series.dtype.is_temporal() != dtype.is_temporal():
        raise MicrofileError(
            f"column {name!r} holds {'moments' if series.dtype.is_temporal() else 'numbers'}, unlike the release",
            hint="convert it to the type of the release's edges",
        )
    if isinstance(dtype, pl.Datetime) and isinstance(series.dtype, pl.Datetime):
        series = series.dt.replace_time_zone(None)
        if is_fine(series.dtype):
            series = (series.to_physical() // NANOSECONDS).cast(pl.Datetime("us"))
        return series.cast(pl.Datetime(dtype.time_unit))
    return series


def _numbers(series: pl.Series, other: pl.Series) -> Numbers:
    """Return numbers to compare with those of another series: whole ones if both are, so that none is rounded."""
    if isinstance(series.dtype, pl.Datetime):
        series = series.dt.replace_time_zone(None)
    whole = all(one.dtype.is_temporal() or one.dtype.is_integer() for one in (series, other))
    physical = series.to_physical() if series.dtype.is_temporal() else series
    return physical.cast(pl.Int64 if whole else pl.Float64).fill_null(0).to_numpy()
