"""The base of all sources: where a microfile comes from, and what its columns are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from sfumato.errors import SettingError
from sfumato.microfile import Code, Kind, Microfile
from sfumato.progress import Progress
from sfumato.roles import Names
from sfumato.settings import Settings


def _check_kinds(kinds: Any) -> Any:
    allowed = [kind.value for kind in Kind]
    for name, kind in kinds.items() if isinstance(kinds, Mapping) else ():
        if kind not in allowed and not (isinstance(kind, list | tuple) and kind):
            raise SettingError(
                f"{name!r} is given as {kind!r}; allowed: {', '.join(allowed)}, or a list from low to high",
                setting=str(name),
                column=str(name),
            )
    return kinds


def _check_missing(missing: Any) -> Any:
    codes_by_column = missing.values() if isinstance(missing, Mapping) else (missing,)
    codes = [code for listed in codes_by_column for code in (listed if isinstance(listed, list | tuple) else (listed,))]
    if not all(isinstance(code, str | int | float) for code in codes):
        raise SettingError("give a code, a list of codes, or a table of columns with their codes")
    return missing


class Source(Settings, ABC):
    """Where a microfile comes from, and what its columns are.

    A source has one setting that no other source has, such as the path of a file: it tells which source a table of a
    recipe means.
    """

    key: ClassVar[str]
    """The setting that only this source has."""

    identifiers: Names = ()
    """Attributes that name a person; they are never released."""
    weight: str | None = None
    """How many people of the population a record stands for."""
    kinds: Annotated[dict[str, str | tuple[Code, ...]], BeforeValidator(_check_kinds)] = Field(default_factory=dict)
    """For columns whose kind is not as guessed: numeric, categorical, ordinal, or the categories from low to high."""
    missing: Annotated[
        Code | tuple[Code, ...] | dict[str, Code | tuple[Code, ...]] | None, BeforeValidator(_check_missing)
    ] = None
    """Codes that mean a missing value, for all columns or column by column."""

    @abstractmethod
    def read(self, folder: Path, progress: Progress) -> Microfile:
        """Read the microfile.

        Parameters
        ----------
        folder
            The folder from which relative paths start.
        progress
            Called while reading.
        """

    @abstractmethod
    def describe(self) -> str:
        """Return what messages and reports call the source."""

    def check(self, folder: Path) -> None:
        """Refuse a source that cannot be read; an error names its setting.

        Parameters
        ----------
        folder
            The folder from which relative paths start.
        """
