"""What a face renders: sentences and tables as values. Command line, report and notebook show the same ones."""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMERIC = re.compile(r"-|(less than )?[-+]?[\d.,]+(e[-+]?\d+)?%?")
"""A cell that is set to the right: a number, a percentage, or a dash where there is none."""


@dataclass(frozen=True)
class Table:
    """A table with its caption; all cells are text."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Each row begins with what it is about."""
    digits: bool = False
    """Whether cells are read digit by digit, as digests are."""

    def is_numeric(self, column: int) -> bool:
        """Say whether all cells of a column are numbers.

        >>> table = Table("", ("method", "risk"), (("boxes", "1.5%"), ("k-means", "-")))
        >>> table.is_numeric(0), table.is_numeric(1)
        (False, True)
        """
        return bool(self.rows) and all(NUMERIC.fullmatch(row[column]) for row in self.rows)


@dataclass(frozen=True)
class Card:
    """A few sentences under a title: a part of the first screen of a report."""

    title: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Passage:
    """Sentences and tables about one subject."""

    name: str
    """The name by which it is linked."""
    title: str
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
