"""What only the steward may know about a release: the typed content of ``release.private``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self


@dataclass(frozen=True)
class StewardFacts:
    """What a protection reports to the steward alone; a field that does not apply is None and is not written.

    A method that reports more has a subclass with its own fields.
    """

    original_records: int | None = None
    """How many records the original has."""
    left_out: int | None = None
    """How many records were suppressed."""
    protection: Mapping[str, Any] | None = None
    """The settings of the protection that were given."""
    groups: Sequence[Mapping[str, Any]] | None = None
    """The record of each group mask."""
    alternatives: Sequence[Mapping[str, Any]] | None = None
    """What other values of k would have cost."""

    def as_dict(self) -> dict[str, Any]:
        """Return the facts that apply, as ``release.private`` holds them."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}

    @classmethod
    def of(cls, private: Mapping[str, Any]) -> Self:
        """Read the facts of a mapping; what else it holds is a user's own."""
        return cls(**{field.name: private.get(field.name) for field in fields(cls)})
