"""Reconstruction: the best single value that an attacker can assign to each record and attribute of a release."""

from __future__ import annotations

from typing import Any

import polars as pl

from sfumato.microfile import Microfile, as_microfile
from sfumato.release import Release


def reconstructed(released: Any) -> Microfile:
    """Return a release, or a table, with one value per record and attribute.

    An interval becomes its midpoint. A set of categories becomes its category, or missing if it has several. Fuzzy sets
    become the midpoint of the values with the released words or grades.

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
        columns |= entry.form.reconstruct(table, name)
    exact = [name for name, entry in released.codebook.attributes.items() if entry.form.exact]
    kinds = {name: table.attribute(name).declared for name in exact}
    return Microfile(pl.DataFrame([series.alias(name) for name, series in columns.items()]), kinds=kinds)
