"""What every released representation of an attribute can do."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
import polars as pl

from sfumato.array_types import Codes, Flags, Reals
from sfumato.errors import ReleaseError
from sfumato.fuzzy import Inversion, category_memberships
from sfumato.microfile import Code, Encoded, Kind, Microfile, is_one_of
from sfumato.representations.attribute_pair import Comparable, OutsideFile
from sfumato.representations.household_intersection import intersect_labels
from sfumato.settings import Settings


class Misfit(NamedTuple):
    """Where released columns and their description do not fit together."""

    about: Literal["data", "codebook"]
    """What does not fit."""
    message: str
    """What is wrong."""


class Representation(Settings):
    """How an attribute is released: its columns, what they mean and what they disclose.

    A subclass sets ``form``, by which the codebook names it, and implements the abstract methods. Other methods have a
    default that suits a single column of plain values.
    """

    form: str
    """Its name in the codebook."""

    exact: ClassVar[bool] = False
    """Whether records have the attribute's own values."""
    labelled: ClassVar[bool] = False
    """Whether cells are labels of sets of categories, which the codebook explains."""
    invertible: ClassVar[bool] = False
    """Whether anybody can compute the released cells of known values, and so search for the values behind cells."""

    # columns

    def columns(self, attribute: str) -> tuple[str, ...]:
        """Return the table's columns of the attribute."""
        return (attribute,)

    def edge_columns(self, attribute: str) -> tuple[str, ...]:
        """Return the columns of lower and upper bounds, or none where bounds are not released."""
        return ()

    def attributes(self, attribute: str) -> tuple[str, ...]:
        """Return the original attributes that the released one describes."""
        return (attribute,)

    def misfits(self, table: Microfile, attribute: str) -> Iterator[Misfit]:
        """Check the columns of a released table, all of which exist."""
        return iter(())

    # the codebook

    @abstractmethod
    def description(self, attribute: str) -> str:
        """Describe it in a few words: "unchanged"."""

    def title_column(self, attribute: str) -> str | None:
        """Return the column whose title is the attribute's."""
        return self.columns(attribute)[0]

    def restricted_to(self, labels: Sequence[str], *, column: str) -> Self:
        """Return the representation without what it says of labels that do not occur.

        Parameters
        ----------
        labels
            Those that occur.
        column
            Where, for the error.
        """
        return self

    def label_meanings(self, encoded: Encoded, meanings: Mapping[Code, str]) -> dict[str, str]:
        """Return the meanings of codes that the release shows.

        Parameters
        ----------
        encoded
            The released column.
        meanings
            What codes of the attribute mean.
        """
        return {
            str(value): meaning
            for value in encoded.values.tolist()
            for code, meaning in meanings.items()
            if is_one_of(value, (code,))
        }

    def labels(self) -> Collection[str]:
        """Return the labels that the codebook explains."""
        return ()

    def categories(self) -> set[str]:
        """Return the categories that labels stand for."""
        return set()

    def label_texts(self) -> list[str]:
        """Return all text of labels and of the categories behind them, as often as it is written."""
        return []

    def explanations(self) -> Collection[str]:
        """Return sentences of the publisher that explain what is released."""
        return ()

    def label_misfits(self, attribute: str, *, boxes: bool, snapped: bool) -> Iterator[str]:
        """Say where labels are not those of the categories behind them.

        Parameters
        ----------
        attribute
            The attribute.
        boxes
            Whether boxes wrote the labels; else they are words of the publisher.
        snapped
            Whether edges of boxes are snapped.
        """
        return iter(())

    def repeated_settings(self) -> dict[str, Any]:
        """Return what the public settings of a protection repeat of it."""
        return {}

    # values

    @abstractmethod
    def has_bounds(self, table: Microfile, attribute: str) -> bool:
        """Whether the release guarantees numeric bounds of each value."""

    @abstractmethod
    def bounds(self, table: Microfile, attribute: str) -> tuple[Reals, Reals]:
        """Return guaranteed lower and upper bounds of each record's value, NaN where it is missing."""

    @abstractmethod
    def estimates(self, table: Microfile, attribute: str) -> dict[str, Reals]:
        """Return one number per record for each original attribute, the best guess, NaN where there is none."""

    # detail

    @abstractmethod
    def coverage(self, table: Microfile, attribute: str, original: Microfile | None = None) -> tuple[Reals, Flags]:
        """Return the share of the attribute's values that each cell covers, and which cells are not missing.

        Parameters
        ----------
        table, attribute
            The released table and the attribute.
        original
            The file whose range, or categories, count as everything; default: what the release itself shows.
        """

    def detail_lost(self, table: Microfile, attribute: str) -> dict[str, Reals]:
        """Return the share of detail that each record lacks, for each original attribute; a missing value lacks all."""
        shares, present = self.coverage(table, attribute)
        return {attribute: np.where(present, shares, 1.0)}

    # blocks

    def intersect(self, table: Microfile, attribute: str, households: Codes) -> tuple[dict[str, Encoded], Flags]:
        """Intersect what is released of the members of each household, who have the attribute in common.

        Parameters
        ----------
        table, attribute
            The released table and the attribute.
        households
            The household of each record, numbered from 0.

        Returns
        -------
        tuple
            The columns of the intersections, encoded; and which households have members who contradict each other.
        """
        columns = {column: table.encoded(column) for column in self.columns(attribute)}
        return intersect_labels(columns, households)

    def named_categories(self, label: str) -> frozenset[str]:
        """Return the categories that a label of several names, or its only one; none where it lists none."""
        return frozenset()

    def stands_for_any(self, label: str) -> bool:
        """Whether a label stands for any value."""
        return False

    def certain_categories(self, label: str) -> int:
        """Return how many categories of a label of several are certain to occur in every block that has the label."""
        return 0

    def holding(self, attribute: str, cells: pl.DataFrame, newcomers: Microfile) -> Callable[[slice], Flags]:
        """Return a function that says which cells hold the values of some new records: records by cells.

        Parameters
        ----------
        attribute
            The attribute.
        cells
            Its columns, each different cell once.
        newcomers
            New records with the original attribute.
        """
        raise ReleaseError(f"attribute {attribute!r} is not released as boxes")

    # attacks

    def memberships(self, table: Microfile, attribute: str) -> Reals:
        """Return the memberships of records in the sets of the attribute; a category is a set of its own."""
        return category_memberships(table, attribute)[0]

    def inversions(self, table: Microfile, attribute: str) -> list[Inversion]:
        """Measure how exactly the cells give back the values behind them, where they are invertible."""
        return []

    @abstractmethod
    def reconstruct(self, table: Microfile, attribute: str) -> dict[str, pl.Series]:
        """Return the one value per record that an attacker would guess, null where there is none, by attribute."""

    @abstractmethod
    def compare(self, table: Microfile, attribute: str, outside: OutsideFile) -> list[Comparable]:
        """Make the released attribute comparable with an outside file."""


def is_plain_number(table: Microfile, column: str) -> bool:
    """Whether a column holds numbers, not dates or times."""
    return table.attribute(column).kind is Kind.NUMERIC and not table.series(column).dtype.is_temporal()
