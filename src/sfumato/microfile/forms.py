"""How an attribute stands in a released table: exactly, as an interval, or as a set of categories."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from sfumato.settings import Settings


class Exact(Settings):
    """The attribute's own values, in a column of its name."""

    form: Literal["exact"] = "exact"

    def columns(self, attribute: str) -> tuple[str, ...]:
        """Return the table's columns of the attribute."""
        return (attribute,)


class Interval(Settings):
    """Two columns, ``<name>.lo`` and ``<name>.hi``: the value lies between them, ends included."""

    form: Literal["interval"] = "interval"

    def columns(self, attribute: str) -> tuple[str, ...]:
        """Return the table's columns of the attribute."""
        return (f"{attribute}.lo", f"{attribute}.hi")


class Sets(Settings):
    """A column of labels, each standing for a set of categories."""

    form: Literal["sets"] = "sets"
    members: dict[str, tuple[str, ...]]
    """The categories behind each label, of all that the attribute can have: a list of those that occur in the
    original would show which do. Numbers are better released as intervals."""

    def columns(self, attribute: str) -> tuple[str, ...]:
        """Return the table's columns of the attribute."""
        return (attribute,)


Form = Annotated[Exact | Interval | Sets, Field(discriminator="form")]
