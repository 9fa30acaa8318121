"""An attribute that is released unchanged."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import polars as pl

from sfumato.array_types import Flags, Reals
from sfumato.microfile import Kind, Microfile
from sfumato.number_enclosures import enclosing
from sfumato.representations.attribute_pair import (
    Comparable,
    OutsideFile,
    are_numeric,
    compare_categories,
    compare_ranges,
    not_numeric,
    usual_notation,
)
from sfumato.representations.representation import Representation, is_plain_number


class Exact(Representation):
    """The attribute's own values, in a column of its name."""

    form: Literal["exact"] = "exact"

    exact: ClassVar[bool] = True

    def description(self, attribute: str) -> str:
        """Describe it in a few words."""
        return "unchanged"

    def has_bounds(self, table: Microfile, attribute: str) -> bool:
        """Whether the values are numbers."""
        return is_plain_number(table, attribute)

    def bounds(self, table: Microfile, attribute: str) -> tuple[Reals, Reals]:
        """Return doubles that enclose each value, NaN where it is missing."""
        return enclosed_values(table, attribute)

    def estimates(self, table: Microfile, attribute: str) -> dict[str, Reals]:
        """Return the values."""
        return {attribute: table.numbers(attribute)}

    def coverage(self, table: Microfile, attribute: str, original: Microfile | None = None) -> tuple[Reals, Flags]:
        """Return no share for every cell, and which cells are not missing."""
        return np.zeros(table.records), ~table.encoded(attribute).missing

    def reconstruct(self, table: Microfile, attribute: str) -> dict[str, pl.Series]:
        """Return the values."""
        return {attribute: table.series(attribute)}

    def compare(self, table: Microfile, attribute: str, outside: OutsideFile) -> list[Comparable]:
        """Compare numbers as numbers, and everything else as categories."""
        if are_numeric(table, attribute, outside.microfile, attribute):
            return [compare_ranges(table, (attribute, attribute), outside.microfile, attribute)]
        is_numeric = outside.microfile.series(attribute).dtype.is_numeric()
        if table.attribute(attribute).kind is Kind.NUMERIC and not is_numeric:
            raise not_numeric(outside.microfile, attribute)
        labels = [str(value) for value in table.encoded(attribute).values.tolist()]
        members = [(usual_notation(label) if is_numeric else label,) for label in labels]
        return [compare_categories(table, outside.microfile, attribute, members)]


def enclosed_values(table: Microfile, column: str) -> tuple[Reals, Reals]:
    """Return doubles between which each value of a numeric column lies, NaN where it is missing."""
    low, high = enclosing(table.series(column))
    missing = np.isnan(table.numbers(column))
    return (np.where(missing, np.nan, low), np.where(missing, np.nan, high)) if missing.any() else (low, high)
