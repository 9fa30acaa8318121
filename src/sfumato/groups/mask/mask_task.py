"""The task of a mask: what is to be hidden among which records, and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.array_types import Counts, Flags
from sfumato.errors import SettingError, UnattainableError, nearest
from sfumato.groups.group import Places
from sfumato.groups.mask.attribute_roles import moving_attributes
from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.mask.observed_signal import member_unit, observed_signal
from sfumato.groups.outlier_panel import detected_by_any
from sfumato.groups.reshaping_problem import FEWEST_PLACES
from sfumato.groups.signals import Signal
from sfumato.groups.swap.optimal_swaps import Swaps
from sfumato.microfile import Microfile
from sfumato.randomness import Secret
from sfumato.record_filter import chosen_in


@dataclass(frozen=True)
class MaskTask:
    """What is to be hidden, and among whom."""

    settings: MaskSettings
    microfile: Microfile
    places: Places
    members: Flags
    quantity: Signal
    signal: Signal
    """What an observer looks at: the quantity signal, or one derived from it."""
    hidden: tuple[int, ...]
    known: tuple[int, ...]
    movable: Flags
    """Members that may leave their place."""
    candidates: Flags
    """Others that may take a member's place."""
    alpha: float
    """The level at which hidden places do not stand out; above that of the settings where weights need it."""
    secret: Secret
    """What decoys and the memetic search are drawn from."""
    ranked: tuple[int, ...] | None = None
    """The hidden places that stood out at first, if others are hidden too because they came to stand out."""
    leaves_others: bool = False
    """Whether other places may stand out in the end, because not all of them can be hidden together."""

    @property
    def hides_all(self) -> bool:
        """Whether no other place may stand out either; with decoys, or a preserved deviation, some do."""
        everywhere = self.settings.hide == "outliers" and self.settings.reshape in ("least", "wavelet")
        return everywhere and not self.leaves_others

    @property
    def counts(self) -> Counts:
        """The number of members of each place."""
        return self.quantity.values.astype(np.int64)

    @property
    def hidden_labels(self) -> list[str]:
        """The names of the hidden places."""
        return [self.places.labels[place] for place in self.hidden]

    @property
    def printable_labels(self) -> tuple[str | None, ...]:
        """The names of places for messages: None for those that no setting names, for they are records' values."""
        named = self.settings.named_places
        return tuple(label if label in named else None for label in self.places.labels)


@dataclass(frozen=True)
class PlannedSwaps:
    """Which records swap their places."""

    swaps: Swaps
    at_least: int | None
    """The number of members that have to be moved in any case, if it is known."""


@dataclass(frozen=True)
class Masked:
    """A microfile in which a group is hidden."""

    microfile: Microfile
    """The microfile after the swaps."""
    record: dict[str, Any]
    """The confidential record: only the steward may see it."""


def task_of(settings: MaskSettings, microfile: Microfile, secret: Secret) -> MaskTask:
    """Check the settings against the microfile and set up the task."""
    _check_columns(settings, microfile)
    group = settings.group
    places, members = group.places(microfile), group.members(microfile)
    placed_members = members & (places.codes >= 0)
    _refuse_empty(places, placed_members)
    quantity = Signal(places.labels, places.count(members), "quantity")
    signal = observed_signal(settings, microfile)
    known = places.indices_of(settings.known, setting="known")
    if settings.hide == "outliers":
        outliers = detected_by_any(
            signal.values, alpha=settings.alpha, robust=settings.robust, unit=member_unit(settings, microfile)
        )
        hidden = tuple(place for place in outliers if place not in known)
    else:
        hidden = places.indices_of(settings.hide or (), setting="hide")
    _check_hidden(settings, n_places=len(places.labels), n_hidden=len(hidden), n_known=len(known))
    _check_selections(settings, microfile)
    spared = spared_records(settings, microfile)
    movable, non_members = placed_members & ~spared, (places.codes >= 0) & ~members
    _refuse_nobody(movable, non_members, non_members & ~spared, idle=not hidden and settings.target is None)
    candidates = non_members & ~spared
    return MaskTask(
        settings,
        microfile,
        places,
        members,
        quantity,
        signal,
        hidden,
        known,
        movable,
        candidates,
        settings.alpha,
        secret,
    )


def spared_records(settings: MaskSettings, microfile: Microfile) -> Flags:
    """Say which records stay where they are because they belong to other groups."""
    spared = np.zeros(microfile.records, dtype=np.bool_)
    for selection in settings.spare:
        spared |= chosen_in(microfile, selection, setting="spare")
    return spared


def with_places_of(microfile: Microfile, settings: MaskSettings, sources: Counts) -> Microfile:
    """Return the microfile in which each record has the place of its source record, and what moves with the place."""
    if np.array_equal(sources, np.arange(microfile.records)):
        return microfile
    return microfile.rearranged((*settings.group.parameter, *moving_attributes(settings, microfile)), sources)


def _check_columns(settings: MaskSettings, microfile: Microfile) -> None:
    roles = {
        "influential": tuple(settings.influential or ()),
        "keep": settings.keep,
        "along": settings.along or (),
        "identifiers": settings.identifiers,
        "weight": (settings.weight,) if settings.weight else (),
    }
    for role, names in roles.items():
        for name in names:
            if name not in microfile.attributes:
                raise SettingError(
                    f"{role}: unknown column {name!r}",
                    hint=nearest(name, microfile.names),
                    setting=role,
                    column=name,
                )
    for name in settings.identifiers:
        if name in settings.group.parameter:
            raise SettingError(
                f"identifiers: {name!r} is the parameter, which is released", setting="identifiers", column=name
            )


def _refuse_empty(places: Places, members: Flags) -> None:
    if len(places.labels) < 2:
        raise SettingError(
            "parameter: there is only one place, so nobody can be moved",
            hint="choose another attribute",
            setting="parameter",
        )
    if not members.any():
        raise SettingError(
            "vital: nobody with a place belongs to the group",
            hint="look at the values with sfumato profile",
            setting="vital",
        )


def _check_hidden(settings: MaskSettings, *, n_places: int, n_hidden: int, n_known: int) -> None:
    if n_hidden and n_places < FEWEST_PLACES:
        raise SettingError(
            f"parameter: there are {n_places} places, and hiding needs {FEWEST_PLACES} or more",
            hint="choose another attribute, or give a target instead of hide",
            setting="parameter",
        )
    if settings.target is None and n_hidden + n_known == n_places:
        raise SettingError(
            "hide: no place is left to which members could go",
            hint="hide fewer places, or give a target",
            setting="hide",
        )


def _check_selections(settings: MaskSettings, microfile: Microfile) -> None:
    for name in ("universe", "other", "other_universe"):
        selection = getattr(settings, name)
        if selection is not None and not chosen_in(microfile, selection, setting=name).any():
            raise SettingError(
                f"{name}: nobody belongs to it", hint="look at the values with sfumato profile", setting=name
            )


def _refuse_nobody(movable: Flags, non_members: Flags, candidates: Flags, *, idle: bool) -> None:
    """Refuse where nobody can be swapped, unless nothing is to be hidden."""
    if not non_members.any():
        raise UnattainableError(
            "everybody with a place belongs to the group, so nobody can take a member's place",
            hint="choose vital values that not everybody has",
            setting="vital",
        )
    for available, people in ((movable, "all members"), (candidates, "all other people")):
        if not available.any() and not idle:
            raise UnattainableError(
                f"spare: {people} belong to groups that stay where they are, so nobody can be swapped",
                hint="spare fewer; in a recipe, groups that are already hidden stay, so hide this one first",
                setting="spare",
            )
