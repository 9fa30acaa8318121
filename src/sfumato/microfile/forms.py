"""How an attribute stands in a released table: exactly, as an interval, or as a set of categories."""

from __future__ import annotations

from typing import Annotated, Any, Literal

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
    open: tuple[str, ...] = ()
    """Labels that stand for any value, also for those that are not behind them: a list of the values that a hierarchy
    does not know would show which occur."""

    def columns(self, attribute: str) -> tuple[str, ...]:
        """Return the table's columns of the attribute."""
        return (attribute,)


class Fuzzy(Settings):
    """Fuzzy sets of an attribute's values, or of several attributes' together.

    They are released as words, in a column of the attribute's name, or as grades, in a column ``<name>.<set>`` each.
    """

    form: Literal["fuzzy"] = "fuzzy"
    sets: dict[str, str] = Field(min_length=1)
    """Each set with what it means."""
    shown: Literal["words", "grades"] = "words"
    """Whether a record has the words of all sets that it belongs to, or its grades."""
    levels: int = Field(ge=1)
    """Grades are multiples of one in so many."""
    definition: dict[str, Any]
    """From what the grades are computed, as :func:`~sfumato.fuzzy.released.sets_of` reads it."""

    def columns(self, attribute: str) -> tuple[str, ...]:
        """Return the table's columns of the attribute."""
        return (attribute,) if self.shown == "words" else tuple(f"{attribute}.{name}" for name in self.sets)


Form = Annotated[Exact | Interval | Sets | Fuzzy, Field(discriminator="form")]
