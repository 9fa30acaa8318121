"""How an attribute stands in a released table: exactly, as an interval, or as a set of categories."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from sfumato.doubles import parsed_outward
from sfumato.microfile.generalization import Described, Intervals, plain
from sfumato.settings import Settings

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?")
"""How numbers are written."""


def set_label(members: Sequence[str]) -> str:
    """Return the label of a set of categories.

    >>> set_label(("car",)), set_label(("bus", "car")), set_label(("a, b", "c"))
    ('car', '{bus, car}', "{'a, b', 'c'}")
    """
    if len(members) == 1:
        return members[0]
    plain = not any(sign in member for member in members for sign in ",{}'")
    return "{" + ", ".join(members if plain else map(repr, members)) + "}"


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
    original would show which do. With ``nodes``, also labels of nodes, which stand for all values below them."""
    open: tuple[str, ...] = ()
    """Labels that stand for any value, also for those that are not behind them: a list of the values that a hierarchy
    does not know would show which occur."""
    nodes: Described | None = None
    """How labels of nodes are made from values, where a hierarchy of intervals, prefixes or dates was used."""
    numeric: bool = False
    """Whether the categories are numbers that can be added up; codes that only name something cannot."""
    chosen: Literal["sets", "ranges", "nodes"] = "sets"
    """What labels of several categories are: sets of those that occur; ranges, of which only the ends occur; or the
    lowest nodes of a hierarchy that hold what occurs."""
    closed: bool = False
    """Whether labels of several categories also name categories that stand beside rare ones, so that a label does not
    say which of them occur. Which categories stand together is not published: it depends on the original."""

    def behind(self, values: Sequence[object]) -> dict[str, list[int]]:
        """Return the places of those values that each label stands for."""
        labels: dict[str, list[str]] = {}
        for label, its in self.members.items():
            for member in its if label not in self.open else ():
                labels.setdefault(member, []).append(label)
        found: dict[str, list[int]] = {label: [] for label in self.members}
        for place, value in enumerate(map(plain, values)):
            path = (self.nodes.path(value) or ()) if self.nodes else ()
            for label in dict.fromkeys(itertools.chain(*(labels.get(one, ()) for one in (str(value), *path)))):
                found[label].append(place)
        for label in self.open:
            found[label] = list(range(len(values)))
        return found

    def is_node(self, member: str) -> bool:
        """Whether a member stands for all values below it, not for itself."""
        return self.nodes is not None and member in self.nodes.above(member)

    def comparable(self) -> dict[str, frozenset[str]]:
        """Return each label as a set, so that intersections of sets are those of what labels stand for."""
        if self.nodes is None:
            return {label: frozenset(its) for label, its in self.members.items()}
        nodes = self.nodes
        every = {member: {member, *nodes.above(member)} for its in self.members.values() for member in its}
        return {
            label: frozenset(member for member, above in every.items() if not above.isdisjoint(its))
            for label, its in self.members.items()
        }

    def ends(self, label: str) -> tuple[float, float] | None:
        """Return between which numbers the values of a label lie, or None where it stands for more than numbers."""
        ends = [self._member_ends(member) for member in self.members[label]]
        known = [one for one in ends if one is not None]
        if not self.numeric or label in self.open or not known or len(known) < len(ends):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def _member_ends(self, member: str) -> tuple[float, float] | None:
        if isinstance(self.nodes, Intervals):
            return self.nodes.ends(member)
        if self.nodes is not None or not NUMBER.fullmatch(member):
            return None
        return parsed_outward(member, -1), parsed_outward(member, 1)

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
