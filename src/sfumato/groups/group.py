"""Group: respondents with certain vital values, and their distribution over places."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import numpy as np
from pydantic import BeforeValidator, Field, model_validator

from sfumato.array_types import Codes, Flags, Reals
from sfumato.errors import MicrofileError, SettingError
from sfumato.groups.signals import Signal
from sfumato.microfile import JOINT, Microfile, as_microfile, joined, label_of
from sfumato.quiet_repr import quiet
from sfumato.record_filter import Chosen, attributes_of, check_known, chosen_in, read_chosen
from sfumato.roles import Names, weights_named
from sfumato.settings import Settings

PLACES_HINT = f"a place is a value of the parameter; values of several attributes are joined by {JOINT}"
"""The hint for a place that does not occur; a list of those that do would show records' values."""


def _as_label(value: Any) -> Any:
    """Accept a place as a number or a date too, as the file has it."""
    return label_of(value) if isinstance(value, int | float | date) else value


def _as_tuple(value: Any) -> Any:
    return (value,) if isinstance(value, int | float | date | str) and value != "outliers" else value


def _keyed_by_label(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    by_label = {_as_label(place): entry for place, entry in value.items()}
    if len(by_label) < len(value):
        raise ValueError("a place is named twice")
    return by_label


PlaceName: TypeAlias = Annotated[str, BeforeValidator(_as_label)]
"""The name of a place; in files it may be a number."""
if TYPE_CHECKING:
    # a type checker sees what may be passed: one place or several, by name or number
    PlaceNames: TypeAlias = Any
else:
    PlaceNames: TypeAlias = Annotated[tuple[PlaceName, ...], BeforeValidator(_as_tuple)]
"""One place or several."""
ByPlace = BeforeValidator(_keyed_by_label)
"""For tables whose keys are places."""


@quiet
@dataclass(frozen=True)
class Places:
    """The place of each record."""

    codes: Codes
    """The code of each record's place, -1 where it is missing or not among the chosen values."""
    labels: tuple[str, ...]
    """The names of the places, by code."""

    def count(self, chosen: Flags, weights: Reals | None = None) -> Reals:
        """Count chosen records, place by place."""
        counted = chosen & (self.codes >= 0)
        counted_weights = None if weights is None else weights[counted]
        return np.bincount(self.codes[counted], weights=counted_weights, minlength=len(self.labels)).astype(np.float64)

    def indices_of(self, labels: Collection[str], *, setting: str) -> tuple[int, ...]:
        """Return the indices of the places that a setting names, ascending."""
        indices = {label: index for index, label in enumerate(self.labels)}
        for position, label in enumerate(labels):
            if label not in indices:
                raise SettingError(f"{setting}: unknown place {label!r}", hint=PLACES_HINT, setting=(setting, position))
        return tuple(sorted({indices[label] for label in labels}))


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
    """What defines a member: a table of attributes with their values (a list) or range (least, most); several such
    tables, one of which must apply; or a condition such as "MIL == 1 and AGEP >= 17"."""
    parameter: Names = Field(min_length=1)
    """The attribute that gives the place of a record, or several whose values are joined by a slash."""
    values: PlaceNames | None = Field(default=None, min_length=2)
    """The places to consider, in the order of the signal; default: all that occur, in the order of their values."""

    @model_validator(mode="after")
    def _fits(self) -> Group:
        if self.values is not None and len(set(self.values)) < len(self.values):
            raise SettingError("values names a place twice", setting="values")
        if len(set(self.parameter)) < len(self.parameter):
            raise SettingError("parameter names an attribute twice", setting="parameter")
        shared = [name for name in attributes_of(self.vital, setting="vital") if name in self.parameter]
        if shared:
            raise SettingError(
                f"{shared[0]!r} cannot be both vital and the parameter", setting="parameter", column=shared[0]
            )
        return self

    def members(self, microfile: Microfile | Any) -> Flags:
        """Say which records belong to the group."""
        return chosen_in(as_microfile(microfile), self.vital, setting="vital")

    def places(self, microfile: Microfile | Any) -> Places:
        """Return the place of each record."""
        people = as_microfile(microfile)
        for name in self.parameter:
            check_known(people, name, "parameter")
        try:
            encoded = joined([people.encoded(name) for name in self.parameter])
        except MicrofileError:
            raise SettingError(
                f"parameter: two places get the same name when values of {', '.join(self.parameter)} are joined by "
                f"{JOINT!r}, because some values contain it",
                hint=f"replace {JOINT!r} in these values, or join the attributes into one column yourself",
                setting="parameter",
            ) from None
        codes, labels = encoded.codes, tuple(encoded.values.tolist())
        return Places(codes, labels) if self.values is None else self._restricted(codes, labels)

    def _restricted(self, codes: Codes, labels: tuple[str, ...]) -> Places:
        """Restrict the places to the chosen values, in their order."""
        assert self.values is not None
        unknown = [value for value in self.values if value not in labels]
        if unknown:
            raise SettingError(
                f"values: unknown place {unknown[0]!r}",
                hint=PLACES_HINT,
                setting=("values", self.values.index(unknown[0])),
            )
        indices = {value: index for index, value in enumerate(self.values)}
        new_codes = np.array([*(indices.get(label, -1) for label in labels), -1], dtype=np.int32)
        return Places(new_codes[codes], self.values)

    def quantity(self, microfile: Microfile | Any, *, weight: str | None = None) -> Signal:
        """Count the members of each place.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        weight
            The attribute with the number of people that a record stands for; default: one.
        """
        people = as_microfile(microfile)
        places = self.places(people)
        return Signal(places.labels, places.count(self.members(people), _weights(people, weight)), "quantity")

    def concentration(
        self, microfile: Microfile | Any, *, universe: Chosen | None = None, weight: str | None = None
    ) -> Signal:
        """Return the share of members at each place, 0 where there is nobody.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        universe
            The people among whom members are counted as a share, in the form of ``vital``; default: everybody.
            Members always count.
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
        """Return by how much the share of members exceeds that of another group at each place.

        Parameters
        ----------
        microfile
            A microfile, or a frame that becomes one.
        other
            The other group, in the form of ``vital``.
        universe, other_universe
            The people among whom each group is counted as a share; default: everybody.
        weight
            As for :meth:`quantity`.
        """
        people = as_microfile(microfile)
        places, weights = self.places(people), _weights(people, weight)
        other_members = chosen_in(people, read_chosen(other, setting="other"), setting="other")
        main = self.concentration(people, universe=universe, weight=weight)
        subordinate = _share(places, other_members, _all(people, other_universe) | other_members, weights)
        return Signal(places.labels, main.values - subordinate, "difference")


def nest_group_settings(settings: Any) -> Any:
    """Move a group's settings that are given beside others, as in a recipe, into a table of their own.

    >>> nest_group_settings({"vital": {"work": ["army"]}, "parameter": "area", "hide": ["C"]})
    {'hide': ['C'], 'group': {'vital': {'work': ['army']}, 'parameter': 'area'}}
    """
    of_group = [name for name in Group.model_fields if isinstance(settings, Mapping) and name in settings]
    if not of_group or "group" in settings:
        return settings
    rest = {name: value for name, value in settings.items() if name not in of_group}
    return rest | {"group": {name: settings[name] for name in of_group}}


def _all(microfile: Microfile, universe: Chosen | None) -> Flags:
    if universe is None:
        return np.ones(microfile.records, dtype=np.bool_)
    return chosen_in(microfile, read_chosen(universe, setting="universe"), setting="universe")


def _share(places: Places, members: Flags, everybody: Flags, weights: Reals | None) -> Reals:
    # CT10 (1)
    n_members, n_everybody = places.count(members, weights), places.count(everybody, weights)
    return np.divide(n_members, n_everybody, out=np.zeros_like(n_members), where=n_everybody > 0)


def _weights(microfile: Microfile, weight: str | None) -> Reals | None:
    return None if weight is None else weights_named(weight, microfile)
