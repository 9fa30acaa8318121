"""Membership grades of records in the values of linguistic variables, stored compactly for millions of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.fuzzy import AnyVariable
from sfumato.kernels.rule_sums import Conditions
from sfumato.microfile import Microfile
from sfumato.record_filter import check_known


@dataclass(frozen=True)
class Grades:
    """The grades of records in all values of all variables: codes per record, and a table of grades per code.

    Numbers with the same grades in all values, such as those on a plateau, share a code.

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
    """The names of the variables in messages."""
    codes: NDArray[Any]
    """Records by variables: the row of the variable's table, as integers of the smallest sufficient size."""
    tables: tuple[Reals, ...]
    """For each variable, codes by values: the grades."""

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.codes.shape[0])

    @property
    def sizes(self) -> Counts:
        """The number of values of each variable."""
        return np.array([table.shape[1] for table in self.tables], dtype=np.int64)

    @property
    def rules(self) -> int:
        """The number of rules that these variables allow, including the empty rule."""
        product = 1
        for table in self.tables:
            product *= table.shape[1] + 1
        return product

    def of(self, variable: int) -> Reals:
        """Return the grades of all records in the values of a variable: records by values."""
        grades: Reals = self.tables[variable][self.codes[:, variable]]
        return grades

    def take(self, chosen: Flags | Counts) -> Grades:
        """Return the grades of some records."""
        return Grades(self.names, self.codes[chosen], self.tables)

    def conditions(self, alpha: float) -> Conditions:
        """Return all values of all variables, numbered consecutively; grades below alpha do not count."""
        variables = np.repeat(np.arange(len(self.tables)), self.sizes)
        lengths = np.array([len(self.tables[variable]) for variable in variables])
        starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
        # the grades of one value are contiguous
        contiguous = np.concatenate([table.T.ravel() for table in self.tables])
        is_partial = [((table >= alpha) & (table < 1)).any(axis=0) for table in self.tables]
        return Conditions(variables, starts, contiguous, np.concatenate(is_partial))


def make_grades(codes: Sequence[Codes], tables: Sequence[Reals], *, names: Sequence[str] | None = None) -> Grades:
    """Store the grades of records that are given by codes.

    Parameters
    ----------
    codes
        For each variable, one code per record; -1 if the value is missing, which has grade 0 in all values.
    tables
        For each variable, codes by values: the grades of each code, from 0 to 1.
    names
        The names of the variables in messages; default: their indices.
    """
    if not tables or len(codes) != len(tables):
        raise SettingError("variables: give at least one, each with codes and a table of grades", setting="variables")
    names = tuple(names or (f"variable {index}" for index in range(len(tables))))
    if len({column.shape for column in codes}) > 1:
        raise SettingError("variables: all must describe the same records")
    merged = [_merged(*variable) for variable in zip(names, codes, tables, strict=True)]
    largest = max(len(table) for _, table in merged) - 1
    dtype = np.min_scalar_type(largest)
    row_codes = np.empty((len(codes[0]), len(tables)), dtype=dtype if dtype != np.uint8 else np.uint16)
    for index, (rows, _) in enumerate(merged):
        # code -1, a missing value, selects the last row
        row_codes[:, index] = rows[codes[index]]
    return Grades(names, row_codes, tuple(table for _, table in merged))


def grades_of(microfile: Microfile, variables: Sequence[AnyVariable]) -> Grades:
    """Return the grades of a microfile's records.

    Parameters
    ----------
    microfile
        The records; the attributes of linguistic variables must be numeric.
    variables
        The linguistic and categorical variables.
    """
    attributes = [variable.attribute for variable in variables]
    for name in attributes:
        check_known(microfile, name, "variables")
    microfile.encode_together(attributes)
    # missing values may have their own word
    coded = [variable.coded(microfile) for variable in variables]
    return make_grades([codes for codes, _ in coded], [table for _, table in coded], names=attributes)


def _merged(name: str, codes: Codes, table: Reals) -> tuple[Counts, Reals]:
    """Remove duplicate rows of a table; return the new row of each code, last that of missing values, and the table."""
    if table.ndim != 2 or table.shape[1] == 0:
        raise SettingError(f"variables: {name!r} has no values", setting="variables", column=name)
    if not ((table >= 0) & (table <= 1)).all():
        raise SettingError(
            f"variables: the grades of {name!r} must be between 0 and 1", setting="variables", column=name
        )
    if codes.size and not -1 <= codes.min() <= codes.max() < len(table):
        raise SettingError(
            f"variables: {name!r} has codes without grades",
            hint="give a row of the table for each code",
            setting="variables",
            column=name,
        )
    distinct, rows = np.unique(np.vstack([table, np.zeros(table.shape[1])]), axis=0, return_inverse=True)
    return rows.ravel(), distinct
