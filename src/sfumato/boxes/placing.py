"""Placing new records into the boxes of a release that tiles the space."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from sfumato.arrays import Codes, Flags, Reals
from sfumato.errors import MicrofileError, ReleaseError
from sfumato.microfile.forms import Interval, Sets
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.release.release import Release

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
        low, high = (_numbers(boxes.get_column(column)) for column in form.columns(name))
        last = high == np.nanmax(high)
        values = newcomers.numbers(name)
        return lambda some: _within(values[some, None], low, high, last)
    if not isinstance(form, Sets):
        raise ReleaseError(f"attribute {name!r} is not released as boxes")
    encoded = newcomers.encoded(name)
    labels = boxes.get_column(name).to_list()
    # the last row stands for a missing value, whose code is -1
    table = np.zeros((encoded.values.size + 1, len(labels)), dtype=np.bool_)
    behind = form.behind(list(encoded.values))
    for column, label in enumerate(labels):
        table[[-1] if label is None else behind[label], column] = True
    numbers: Codes = encoded.codes
    return lambda some: table[numbers[some]]


def _within(values: Reals, low: Reals, high: Reals, last: Flags) -> Flags:
    """Tell which intervals hold values: with their lower ends, and the outermost with their upper ones too."""
    held: Flags = (low <= values) & ((values < high) | (last & (values == high)))
    return held | (np.isnan(values) & np.isnan(low))


def _numbers(series: pl.Series) -> Reals:
    return series.to_physical().cast(pl.Float64).fill_null(float("nan")).to_numpy()
