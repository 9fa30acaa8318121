"""A step: one verb, applied to some attributes of a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import AfterValidator, Field

from sfumato.array_types import Codes, Flags, Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile import Encoded, Kind, Microfile
from sfumato.record_filter import check_known
from sfumato.roles import Names
from sfumato.settings import Settings


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("it lists an attribute twice")
    return names


Several = Annotated[Names, Field(min_length=1), AfterValidator(_once)]
"""One attribute or several, each once."""


class Step(Settings, ABC):
    """What all steps can do."""

    @property
    def verb(self) -> str:
        """The verb, as it is written in a recipe."""
        return next(iter(type(self).model_fields))

    @property
    @abstractmethod
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the file must have."""

    def words(self) -> str:
        """Describe the step."""
        return f"{self.verb} {', '.join(self.attributes)}"

    def apply(self, microfile: Microfile) -> Microfile:
        """Return the microfile after the step."""
        for name in self.attributes:
            check_known(microfile, name, self.verb)
        return self._applied(microfile)

    @abstractmethod
    def _applied(self, microfile: Microfile) -> Microfile: ...


def check_free(microfile: Microfile, name: str, setting: str, *, given_up: Container[str]) -> None:
    """Refuse a new name that another attribute already has."""
    if name in microfile.attributes and name not in given_up:
        raise SettingError(
            f"{setting}: column {name!r} already exists",
            hint="drop it first, or choose another name",
            setting=setting,
            column=name,
        )


def refuse_values(encoded: Encoded, wrong: Flags, problem: str, *, hint: str) -> None:
    """Refuse values that a step cannot handle, with the number of records that have them.

    Parameters
    ----------
    encoded
        The column.
    wrong
        Which of its values they are.
    problem
        What is wrong, naming the column.
    hint
        What to do.
    """
    if wrong.any():
        n_records = int(np.append(wrong, False)[encoded.codes].sum())
        raise MicrofileError(
            f"{problem}: {int(wrong.sum()):,} of them, in {n_records:,} record{'s' * (n_records != 1)}", hint=hint
        )


def with_numbers(
    microfile: Microfile, name: str, numbers: Reals, codes: Codes, *, kind: Kind = Kind.NUMERIC
) -> Microfile:
    """Replace each value of an attribute by a number; NaN makes it missing."""
    return microfile.with_columns({name: np.append(numbers, np.nan)[codes]}, kinds={name: kind.value})


def with_texts(microfile: Microfile, name: str, encoded: Encoded) -> Microfile:
    """Set an attribute of categories; None makes a value missing."""
    column = pl.Series(name, [*encoded.values.tolist(), None], dtype=pl.String).gather(encoded.with_missing())
    return microfile.with_columns({name: column}, kinds={name: Kind.CATEGORICAL.value})
