"""Where a microfile lies, and how it is read, as a recipe says it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from sfumato.microfile.attribute import Code, Kind
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.reading import read
from sfumato.microfile.roles import Names
from sfumato.progress import Progress
from sfumato.settings import Settings


def _kinds(given: Any) -> Any:
    known = [kind.value for kind in Kind]
    for name, kind in given.items() if isinstance(given, Mapping) else ():
        if kind not in known and not (isinstance(kind, list | tuple) and kind):
            raise ValueError(f"{name!r} is given as {kind!r}; allowed: {', '.join(known)}, or a list from low to high")
    return given


def _missing(given: Any) -> Any:
    parts = given.values() if isinstance(given, Mapping) else (given,)
    codes = [code for part in parts for code in (part if isinstance(part, list | tuple) else (part,))]
    if not all(isinstance(code, str | int | float) for code in codes):
        raise ValueError("give a code, a list of codes, or these by columns")
    return given


class Source(Settings):
    """Where the microfile lies, and how it is read."""

    path: str
    """The file, as seen from the recipe's folder: csv, tsv, txt (also .gz), parquet, sav, dta or sas7bdat."""
    identifiers: Names = ()
    """Attributes that name a person; they never leave."""
    weight: str | None = None
    """How many people of the population a record stands for."""
    kinds: Annotated[dict[str, str | tuple[Code, ...]], BeforeValidator(_kinds)] = Field(default_factory=dict)
    """For columns whose kind is not as guessed: numeric, categorical, ordinal, or the categories from low to high."""
    missing: Annotated[
        Code | tuple[Code, ...] | dict[str, Code | tuple[Code, ...]] | None, BeforeValidator(_missing)
    ] = None
    """Codes that mean a missing value, for all columns or column by column."""
    encoding: str | None = None
    """Of a text file, if it is not found rightly."""
    delimiter: str | None = None
    """Of a text file, if it is not found rightly."""
    decimal: str | None = None
    """Decimal sign of a text file, if it is not found rightly."""

    def read(self, folder: Path, progress: Progress) -> Microfile:
        """Read the file.

        Parameters
        ----------
        folder
            From where the path is seen.
        progress
            Called while reading.
        """
        how = self.model_dump(include={"kinds", "missing", "encoding", "delimiter", "decimal"})
        return read(folder / self.path, **how, progress=progress)
