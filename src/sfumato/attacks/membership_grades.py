"""How far the values of linguistic variables hold of records, held so that millions of these fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy.category_variables import AnyVariable
from sfumato.kernels.rule_sums import Conditions
from sfumato.microfile.microfile import Microfile
from sfumato.record_filter import check_known


@dataclass(frozen=True)
class Grades:
    """The grades of records in all values of all variables: a code a record and variable, and what codes stand for.

    Numbers that all values hold of by the same grades, such as those on a plateau, share a code.

    Examples
    --------
    >>> ages, hours = np.array([0, 1, 2, 0], dtype=np.int32), np.array([0, 1, -1, 1], dtype=np.int32)
    >>> tables = [np.array([[1.0, 0.0], [0.3, 0.7], [1.0, 0.0]]), np.array([[0.2], [0.9]])]
    >>> grades = make_grades([ages, hours], tables, names=["age", "hours"])
    >>> grades.of(0)
    array([[1. , 0. ],
           [0.3, 0.7],
           [1. , 0. ],
           [1. , 0. ]])
    >>> grades.of(1).ravel()
    array([0.2, 0.9, 0. , 0.9])
    """

    names: tuple[str, ...]
    """What the variables are called in messages."""
    codes: NDArray[Any]
    """Records by variables: a row of the variable's table; whole numbers of as few bytes as will do."""
    tables: tuple[Reals, ...]
    """For each variable, codes by values: grades."""

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.codes.shape[0])

    @property
    def sizes(self) -> Counts:
        """How many values each variable has."""
        return np.array([table.shape[1] for table in self.tables], dtype=np.int64)

    @property
    def rules(self) -> int:
        """How many rules these variables allow, that without any condition included."""
        product = 1
        for table in self.tables:
            product *= table.shape[1] + 1
        return product

    def of(self, variable: int) -> Reals:
        """Return the grades of all records in the values of a variable: records by values."""
        found: Reals = self.tables[variable][self.codes[:, variable]]
        return found

    def take(self, chosen: Flags | Counts) -> Grades:
        """Return those of some records."""
        return Grades(self.names, self.codes[chosen], self.tables)

    def conditions(self, alpha: float) -> Conditions:
        """Return all values of all variables, numbered through; grades below alpha do not count."""
        variables = np.repeat(np.arange(len(self.tables)), self.sizes)
        lengths = np.array([len(self.tables[variable]) for variable in variables])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
        # the grades of one value lie side by side
        together = np.concatenate([table.T.ravel() for table in self.tables])
        between = [((table >= alpha) & (table < 1)).any(axis=0) for table in self.tables]
        return Conditions(variables, starts, together, np.concatenate(between))


def make_grades(codes: Sequence[Codes], tables: Sequence[Reals], *, names: Sequence[str] | None = None) -> Grades:
    """Hold the grades of records, given by codes.

    Parameters
    ----------
    codes
        For each variable, one code a record; -1 where the value is missing, of which no value holds.
    tables
        For each variable, codes by values: the grades of each code, from 0 to 1.
    names
        What the variables are called in messages; default: their numbers.
    """
    if not tables or len(codes) != len(tables):
        raise SettingError("variables: give at least one, each with codes and a table of grades", setting="variables")
    names = tuple(names or (f"variable {number}" for number in range(len(tables))))
    if len({one.shape for one in codes}) > 1:
        raise SettingError("variables: all must tell about the same records")
    merged = [_merged(*one) for one in zip(names, codes, tables, strict=True)]
    largest = max(len(table) for _, table in merged) - 1
    kind = np.min_scalar_type(largest)
    together = np.empty((len(codes[0]), len(tables)), dtype=kind if kind != np.uint8 else np.uint16)
    for number, (rows, _) in enumerate(merged):
        # -1, a missing value, takes the last one
        together[:, number] = rows[codes[number]]
    return Grades(names, together, tuple(table for _, table in merged))


def grades_of(microfile: Microfile, variables: Sequence[AnyVariable]) -> Grades:
    """Return the grades of a microfile's records.

    Parameters
    ----------
    microfile
        The records; the attributes of linguistic variables must be numeric.
    variables
        What is said about them.
    """
    attributes = [variable.attribute for variable in variables]
    for name in attributes:
        check_known(microfile, name, "variables")
    microfile.encode_together(attributes)
    # missing values may have a word of their own
    coded = [variable.coded(microfile) for variable in variables]
    return make_grades([codes for codes, _ in coded], [table for _, table in coded], names=attributes)


def _merged(name: str, codes: Codes, table: Reals) -> tuple[Counts, Reals]:
    """Return the row of each code, and last that of missing values, in a table in which no row is twice."""
    if table.ndim != 2 or table.shape[1] == 0:
        raise SettingError(f"variables: {name!r} has no values", setting="variables", column=name)
    if not ((table >= 0) & (table <= 1)).all():
        raise SettingError(f"variables: the grades of {name!r} must lie from 0 to 1", setting="variables", column=name)
    if codes.size and not -1 <= codes.min() <= codes.max() < len(table):
        raise SettingError(
            f"variables: {name!r} has codes without grades",
            hint="give a row of the table for each code",
            setting="variables",
            column=name,
        )
    distinct, rows = np.unique(np.vstack([table, np.zeros(table.shape[1])]), axis=0, return_inverse=True)
    return rows.ravel(), distinct
