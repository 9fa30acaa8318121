"""What a release by a fuzzy partition states for everybody."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import polars as pl
from pydantic import Field

from sfumato.measures import Promise
from sfumato.release import Codebook, PublicSettings


class PartitionPublicSettings(PublicSettings):
    """How fuzzy sets were made, as far as everybody may know."""

    shown: Literal["words", "grades"] | None = None
    """How fuzzy sets are released."""
    levels: int | None = Field(default=None, ge=1, le=1000)
    """Grades are multiples of 1 / levels."""
    asked_levels: int | None = Field(default=None, ge=1, le=1000)
    """How many levels were requested, where fewer are released."""
    replaced: tuple[str, ...] = ()
    """Attributes of the original that fuzzy sets replace."""

    def attribute_names(self) -> Iterator[tuple[str, str]]:
        """Yield every attribute that a setting names, with the setting."""
        yield from (("replaced", name) for name in self.replaced)
        yield from super().attribute_names()

    def lists(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the settings that are lists without repeated entries."""
        yield "replaced", self.replaced
        yield from super().lists()

    def contradictions(self, promise: Promise, codebook: Codebook, frame: pl.DataFrame) -> Iterator[str]:
        """Say which settings contradict the release itself."""
        repeated = [entry.form.repeated_settings() for entry in codebook.attributes.values()]
        for name in ("levels", "shown"):
            stated, described = getattr(self, name), {settings[name] for settings in repeated if name in settings}
            if stated is not None and described != {stated}:
                yield f"settings: {name} differs from the codebook"
        if self.asked_levels is not None and self.asked_levels <= (self.levels or 0):
            yield "settings: asked_levels is not larger than levels"
        yield from super().contradictions(promise, codebook, frame)
