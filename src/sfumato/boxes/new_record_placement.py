"""Placing new records into the boxes of a release that tiles the space."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from sfumato.array_types import Flags
from sfumato.errors import MicrofileError, ReleaseError
from sfumato.microfile import Microfile, as_microfile
from sfumato.release import Release

PAIRS = 1 << 24
"""This number of pairs of a record and a box are compared at a time."""


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
    names = [column for box_columns in columns.values() for column in box_columns]
    boxes = pl.DataFrame([release.microfile.series(name) for name in names]).unique(maintain_order=True)
    # the first that holds a record is the one that lacks least
    lacking = boxes.select(pl.sum_horizontal(pl.all().is_null().cast(pl.Int32))).to_series()
    boxes = boxes[lacking.arg_sort().to_list()]
    inside = [release.codebook.attributes[name].form.holding(name, boxes, newcomers) for name in quasi]
    box_ids = np.full(newcomers.records, -1, dtype=np.int64)
    step = max(1, PAIRS // boxes.height)
    for first in range(0, newcomers.records, step):
        batch = slice(first, first + step)
        fits: Flags = np.logical_and.reduce([test(batch) for test in inside])
        box_ids[batch] = np.where(fits.any(axis=1), fits.argmax(axis=1), -1)
    outside = int((box_ids < 0).sum())
    if outside:
        raise MicrofileError(
            f"{outside:,} records are outside the boxes of the release", hint="leave them out, or make a new release"
        )
    placed = newcomers.with_columns({name: boxes.get_column(name).gather(box_ids) for name in names})
    return placed.select([column for name in newcomers.names for column in columns.get(name, (name,))])
