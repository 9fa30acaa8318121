"""Group: respondents singled out by what they have, and their distribution over places."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from sfumato.arrays import Codes, Flags, Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.groups.signals import Signal
from sfumato.microfile.joining import JOINT, joined, label_of
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.microfile.roles import Names, weights_named
from sfumato.microfile.selection import Chosen, attributes_of, check_known, chosen_in, read_chosen
from sfumato.printing import quiet
from sfumato.settings import Settings

PLACES = f"a place is a value of the parameter, those of several attributes joined by {JOINT}"
"""What to do about a place that is not there; a list of those that are would show records' values."""


def _named(given: Any) -> Any:
    """Take a place as a number or a date too, as it stands in the file."""
    return label_of(given) if isinstance(given, int | float | date) else given


def _several(given: Any) -> Any:
    return (given,) if isinstance(given, int | float | date | str) and given != "outliers" else given


def _keyed(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    keyed = {_named(place): value for place, value in given.items()}
    if len(keyed) < len(given):
        raise ValueError("a place is named twice")
    return keyed


PlaceName: TypeAlias = Annotated[str, BeforeValidator(_named)]
"""What a place is called; in files it may be a number."""
if TYPE_CHECKING:
    # a checker sees what may be given: one place or several, by name or number
    PlaceNames: TypeAlias = Any
else:
    PlaceNames: TypeAlias = Annotated[tuple[PlaceName, ...], BeforeValidator(_several)]
"""One place or several."""
ByPlace = BeforeValidator(_keyed)
"""For tables whose keys are places."""


@quiet
@dataclass(frozen=True)
class Places:
    """Where records are."""

    codes: Codes
    """The place of each record, -1 where it is not known or not asked for."""
    labels: tuple[str, ...]
    """The places' names, by their codes."""

    def count(self, chosen: Flags, weights: Reals | None = None) -> Reals:
        """Count chosen records, place by place."""
        there = chosen & (self.codes >= 0)
        given = None if weights is None else weights[there]
        return np.bincount(self.codes[there], weights=given, minlength=len(self.labels)).astype(np.float64)

    def numbers_of(self, labels: Collection[str], *, setting: str) -> tuple[int, ...]:
        """Return the places that a setting names, ascending."""
        numbers = {label: number for number, label in enumerate(self.labels)}
        for label in labels:
            if label not in numbers:
                raise SettingError(f"{setting}: there is no place {label!r}", hint=PLACES)
        return tuple(sorted({numbers[label] for label in labels}))


class Group(Settings):
    """Respondents with vital values, and the parameter over which they are distributed.

    Examples
    --------
    >>> import polars as pl
    >>> people = pl.DataFrame({"work": ["army", "army", "shop", "army"], "area": ["A", "A", "A", "B"]})
    >>> Group(vital={"work": ["army"]}, parameter="area").quantity(people).as_dict()
    {'A': 2.0, 'B': 1.0}
    """

    vital: Chosen
    """What makes a member: a table of attributes with the values (a list) or the range (least, most) that they must
    have, several such tables of which one is enough, or a condition such as "MIL == 1 and AGEP >= 17"."""
    parameter: Names = Field(min_length=1)
    """The attribute that says where a record is, or several whose values are joined by a slash."""
    values: PlaceNames | None = Field(default=None, min_length=2)
    """The places that matter, in the order of the signal; default: all that occur, in the order of their values."""

    @model_validator(mode="after")
    def _fits(self) -> Group:
        if self.values is not None and len(set(self.values)) < len(self.values):
            raise ValueError("values names a place twice")
        if len(set(self.parameter)) < len(self.parameter):
            raise ValueError("parameter names an attribute twice")
        try:
            both = [name for name in attributes_of(self.vital, setting="vital") if name in self.parameter]
        except SettingError as error:
            # its hint is told too
            raise ValueError(error.message) from error
        if both:
            raise ValueError(f"{both[0]!r} cannot be both vital and the parameter")
        return self

    def members(self, microfile: Microfile | Any) -> Flags:
        """Say which records belong to the group."""
        return chosen_in(as_microfile(microfile), self.vital, setting="vital")

    def places(self, microfile: Microfile | Any) -> Places:
        """Say where each record is."""
        people = as_microfile(microfile)
        for name in self.parameter:
            check_known(people, name, "parameter")
        try:
            its = joined([people.encoded(name) for name in self.parameter])
        except MicrofileError:
            raise SettingError(
                f"parameter: two places get the same name when values of {', '.join(self.parameter)} are joined by "
                f"{JOINT!r}, for some values have it in them",
                hint=f"write another sign for {JOINT!r} in these values, or join the attributes to one yourself",
            ) from None
        codes, labels = its.codes, tuple(its.values.tolist())
        return Places(codes, labels) if self.values is None else self._wanted(codes, labels)

    def _wanted(self, codes: Codes, labels: tuple[str, ...]) -> Places:
        """Keep the places that are asked for, in their order."""
        assert self.values is not None
        strange = [value for value in self.values if value not in labels]
        if strange:
            raise SettingError(f"values: there is no place {strange[0]!r}", hint=PLACES)
        numbers = {value: number for number, value in enumerate(self.values)}
        renumbered = np.array([*(numbers.get(label, -1) for label in labels), -1], dtype=np.int32)
        return Places(renumbered[codes], self.values)

    def quantity(self, microfile: Microfile | Any, *, weight: str | None = None) -> Signal:
        """Count the members of each place.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        weight
            The attribute that says how many people a record stands for; default: each is one.
        """
        people = as_microfile(microfile)
        places = self.places(people)
        return Signal(places.labels, places.count(self.members(people), _weights(people, weight)), "quantity")

    def concentration(
        self, microfile: Microfile | Any, *, universe: Chosen | None = None, weight: str | None = None
    ) -> Signal:
        """Return the share of members in each place, 0 where nobody is.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        universe
            Who is counted beside the members, in the form of ``vital``; default: everybody.
        weight
            As for :meth:`quantity`.
        """
        people = as_microfile(microfile)
        places, weights = self.places(people), _weights(people, weight)
        members = self.members(people)
        return Signal(
            places.labels, _share(places, members, _all(people, universe) | members, weights), "concentration"
        )

    def difference(
        self,
        microfile: Microfile | Any,
        *,
        other: Chosen,
        universe: Chosen | None = None,
        other_universe: Chosen | None = None,
        weight: str | None = None,
    ) -> Signal:
        """Return by how much the share of members exceeds that of another group in each place.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        other
            Who belongs to the other group, in the form of ``vital``.
        universe, other_universe
            Who is counted beside the members of each; default: everybody.
        weight
            As for :meth:`quantity`.
        """
        people = as_microfile(microfile)
        places, weights = self.places(people), _weights(people, weight)
        others = chosen_in(people, read_chosen(other, setting="other"), setting="other")
        main = self.concentration(people, universe=universe, weight=weight)
        subordinate = _share(places, others, _all(people, other_universe) | others, weights)
        return Signal(places.labels, main.values - subordinate, "difference")


def gathered(given: Any) -> Any:
    """Put a group's settings together that stand beside others, as in a recipe.

    >>> gathered({"vital": {"work": ["army"]}, "parameter": "area", "hide": ["C"]})
    {'hide': ['C'], 'group': {'vital': {'work': ['army']}, 'parameter': 'area'}}
    """
    own = [name for name in Group.model_fields if isinstance(given, Mapping) and name in given]
    if not own or "group" in given:
        return given
    rest = {name: value for name, value in given.items() if name not in own}
    return rest | {"group": {name: given[name] for name in own}}


def _all(microfile: Microfile, universe: Chosen | None) -> Flags:
    if universe is None:
        return np.ones(microfile.records, dtype=np.bool_)
    return chosen_in(microfile, read_chosen(universe, setting="universe"), setting="universe")


def _share(places: Places, members: Flags, everybody: Flags, weights: Reals | None) -> Reals:
    # CT10 (1)
    some, of = places.count(members, weights), places.count(everybody, weights)
    return np.divide(some, of, out=np.zeros_like(some), where=of > 0)


def _weights(microfile: Microfile, weight: str | None) -> Reals | None:
    return None if weight is None else weights_named(weight, microfile)
