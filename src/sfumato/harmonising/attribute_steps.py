"""Steps that change which attributes a file has, their names and their kinds."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import polars as pl
from pydantic import Field, field_validator

from sfumato.errors import SettingError
from sfumato.harmonising.step import Several, Step, check_free, refuse_values, with_numbers, with_texts
from sfumato.microfile import JOINT, Code, Kind, Microfile, joined, kind_named


class Rename(Step):
    """Gives attributes other names."""

    rename: dict[str, Annotated[str, Field(min_length=1)]] = Field(min_length=1)
    """Each attribute with its new name."""

    @field_validator("rename")
    @classmethod
    def _different(cls, names: dict[str, str]) -> dict[str, str]:
        twice = [name for name in names.values() if list(names.values()).count(name) > 1]
        if twice:
            raise ValueError(f"two attributes would be called {twice[0]!r}")
        return names

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those that are renamed."""
        return tuple(self.rename)

    def _applied(self, microfile: Microfile) -> Microfile:
        for name in self.rename.values():
            check_free(microfile, name, "rename", given_up=self.rename)
        return microfile.renamed(self.rename)


class Join(Step):
    """Replaces several attributes by one: the combinations of their values, missing where one of them is."""

    join: Annotated[Several, Field(min_length=2)]
    """The attributes; they are replaced."""
    into: str = Field(min_length=1)
    """The name of the new attribute."""
    between: str = JOINT
    """The separator between their values."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those that are joined."""
        return tuple(self.join)

    def words(self) -> str:
        """Describe the step."""
        return f"{super().words()} into {self.into}"

    def _applied(self, microfile: Microfile) -> Microfile:
        check_free(microfile, self.into, "into", given_up=self.join)
        combined = joined([microfile.encoded(name) for name in self.join], between=self.between)
        rest = [name for name in microfile.names if name not in self.join or name == self.into]
        return with_texts(microfile, self.into, combined).select(rest if self.into in rest else [*rest, self.into])


class Drop(Step):
    """Removes attributes."""

    drop: Several
    """The attributes."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those that are removed."""
        return tuple(self.drop)

    def _applied(self, microfile: Microfile) -> Microfile:
        rest = [name for name in microfile.names if name not in self.drop]
        if not rest:
            raise SettingError("drop: no attribute would remain", setting="drop")
        return microfile.select(rest)


class Select(Step):
    """Removes all attributes except the listed ones."""

    select: Several
    """The attributes that stay, in their new order."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those that stay."""
        return tuple(self.select)

    def _applied(self, microfile: Microfile) -> Microfile:
        return microfile.select(self.select)


class SetKinds(Step):
    """Sets the kinds of attributes; text that holds numbers becomes numeric if its kind is."""

    kinds: dict[str, str | tuple[Code, ...]] = Field(min_length=1)
    """Each attribute with its kind: numeric, categorical, ordinal, or the categories from low to high."""

    @field_validator("kinds")
    @classmethod
    def _known(cls, kinds: dict[str, str | tuple[Code, ...]]) -> dict[str, str | tuple[Code, ...]]:
        for name, kind in kinds.items():
            if isinstance(kind, str):
                kind_named(kind, attribute=name)
        return kinds

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those whose kind is set."""
        return tuple(self.kinds)

    def _applied(self, microfile: Microfile) -> Microfile:
        for name, kind in self.kinds.items():
            series = microfile.series(name)
            if kind == Kind.NUMERIC and not (series.dtype.is_numeric() or series.dtype.is_temporal()):
                encoded = microfile.encoded(name)
                numbers = pl.Series(encoded.values.tolist(), dtype=pl.String).cast(pl.Float64, strict=False)
                parsed = numbers.fill_null(np.nan).to_numpy()
                refuse_values(
                    encoded, ~np.isfinite(parsed), f"{name!r} has values that are not numbers", hint="map them first"
                )
                microfile = with_numbers(microfile, name, parsed, encoded.codes)
            else:
                microfile = microfile.with_columns({}, kinds={name: kind})
                # this refuses categories that a declared order does not list
                microfile.encoded(name)
        return microfile
