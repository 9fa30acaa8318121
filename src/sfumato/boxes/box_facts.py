"""What a release by boxes states: public settings, and facts for the steward alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

import polars as pl
from pydantic import Field

from sfumato.measures import Promise
from sfumato.release import Codebook, Positive, PublicSettings, StewardFacts, grid_of, is_noisy, to_json
from sfumato.settings import Settings

TimeUnit = Annotated[str, Field(pattern=r"^[0-9]{1,2}(y|mo|w|d|h|m|s|ms|us)$")]


class Apart(Settings):
    """XK13's diversity of a numeric sensitive attribute."""

    l: float = Field(ge=1)  # noqa: E741  # the field's own letter
    """How many values in each box are at least epsilon apart."""
    epsilon: Positive | None = None
    """How far apart, where that was set."""


class BoxPublicSettings(PublicSettings):
    """How boxes were made, as far as everybody may know."""

    edges: Literal["snapped", "tight", "tiling"] | None = None
    """How the edges of boxes are chosen."""
    grids: dict[str, float | TimeUnit] = Field(default_factory=dict)
    """The grid of each attribute's edges: its step, or a unit of time such as 3mo."""
    apart: dict[str, Apart] = Field(default_factory=dict)
    """Diversity of numeric sensitive attributes."""

    def attribute_names(self) -> Iterator[tuple[str, str]]:
        """Yield every attribute that a setting names, with the setting."""
        yield from (("grids", name) for name in self.grids)
        yield from (("apart", name) for name in self.apart)
        yield from super().attribute_names()

    def contradictions(self, promise: Promise, codebook: Codebook, frame: pl.DataFrame) -> Iterator[str]:
        """Say which settings contradict the release itself."""
        ends = {
            name: tuple(frame.get_column(column) for column in edges)
            for name in promise.quasi
            if (edges := codebook.attributes[name].form.edge_columns(name))
        }
        snapped = self.edges == "snapped"
        grids = {name: grid_of(*edge_columns) for name, edge_columns in ends.items()} if snapped else {}
        if to_json(self.grids) != to_json({name: step for name, step in grids.items() if step is not None}):
            yield "settings: grids are not those of the released edges"
        if noisy := [name for name, edge_columns in ends.items() if snapped and is_noisy(*edge_columns)]:
            yield f"settings: the edges of {noisy[0]!r} are not snapped: they have digits that no grid explains"
        if any(rule.l > promise.k for rule in self.apart.values()):
            yield "settings: apart has an l above k"
        yield from super().contradictions(promise, codebook, frame)


@dataclass(frozen=True)
class BoxFacts(StewardFacts):
    """What the steward learns about a release by boxes."""

    shown: int | None = None
    """How many records have an edge that is their exact value, which fewer than k records of the file have."""
    uncertainty: Mapping[str, float] | None = None
    """How exact the preserved statistics are: achieved, optimum and their ratio, as far as they can be computed."""
