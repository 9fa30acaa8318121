"""A step: one verb that says what is done to which attributes of a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container
from typing import Annotated

import numpy as np
import polars as pl
from pydantic import AfterValidator, Field

from sfumato.arrays import Codes, Flags, Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile.attribute import Kind
from sfumato.microfile.encoding import Encoded
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.roles import Names
from sfumato.microfile.selection import check_known
from sfumato.settings import Settings


def _once(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError("it names an attribute twice")
    return names


Several = Annotated[Names, Field(min_length=1), AfterValidator(_once)]
"""One attribute or several, each once."""


class Step(Settings, ABC):
    """What all steps can do."""

    @property
    def verb(self) -> str:
        """What is done, as a recipe writes it."""
        return next(iter(type(self).model_fields))

    @property
    @abstractmethod
    def attributes(self) -> tuple[str, ...]:
        """The attributes that must be there."""

    def words(self) -> str:
        """Say what is done to what."""
        return f"{self.verb} {', '.join(self.attributes)}"

    def apply(self, microfile: Microfile) -> Microfile:
        """Return the microfile after the step."""
        for name in self.attributes:
            check_known(microfile, name, self.verb)
        return self._applied(microfile)

    @abstractmethod
    def _applied(self, microfile: Microfile) -> Microfile: ...


def check_free(microfile: Microfile, name: str, setting: str, *, given_up: Container[str]) -> None:
    """Refuse a new name that an attribute has which keeps it."""
    if name in microfile.attributes and name not in given_up:
        raise SettingError(
            f"{setting}: there is a column {name!r} already", hint="drop it first, or choose another name"
        )


def refuse_values(encoded: Encoded, wrong: Flags, what: str, *, hint: str) -> None:
    """Refuse values that a step cannot deal with, and say how many records have them.

    Parameters
    ----------
    encoded
        The column.
    wrong
        Which of its values they are.
    what
        What is wrong, naming the column.
    hint
        What to do.
    """
    if wrong.any():
        records = int(np.append(wrong, False)[encoded.codes].sum())
        raise MicrofileError(f"{what}: {int(wrong.sum()):,} of them, in {records:,} records", hint=hint)


def with_numbers(
    microfile: Microfile, name: str, numbers: Reals, codes: Codes, *, kind: Kind = Kind.NUMERIC
) -> Microfile:
    """Put a number in the place of each value of an attribute; NaN makes it missing."""
    return microfile.with_columns({name: np.append(numbers, np.nan)[codes]}, kinds={name: kind.value})


def with_texts(microfile: Microfile, name: str, encoded: Encoded) -> Microfile:
    """Put an attribute of categories into a microfile; a value that is None makes it missing."""
    column = pl.Series(name, [*encoded.values.tolist(), None], dtype=pl.String).gather(encoded.with_missing())
    return microfile.with_columns({name: column}, kinds={name: Kind.CATEGORICAL.value})
