"""How an adversary reads a release: one value a record and attribute, as good as it can be known."""

from __future__ import annotations

from typing import Any

import polars as pl

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
        columns |= entry.form.reconstruct(table, name)
    exact = [name for name, entry in released.codebook.attributes.items() if entry.form.exact]
    kinds = {name: table.attribute(name).declared for name in exact}
    return Microfile(pl.DataFrame([series.alias(name) for name, series in columns.items()]), kinds=kinds)
