"""From a microfile to a release in which a group is hidden, step by step."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Counts, Flags
from sfumato.errors import SettingError, UnattainableError, nearest
from sfumato.groups.dependencies import along_of
from sfumato.groups.evolving import evolved
from sfumato.groups.exchange import influence_of
from sfumato.groups.greedy import swap_greedily
from sfumato.groups.group import Places
from sfumato.groups.panel import chance_correlation, correlation, found_by_any
from sfumato.groups.record import named_in, record_of, shown_at, told_places, unit_in, weight_shown
from sfumato.groups.signals import Signal
from sfumato.groups.swapping import Swaps, swap_exactly, unproven
from sfumato.groups.task import FEWEST_PLACES
from sfumato.groups.wanting import judged_of, wanted_of
from sfumato.measures.promise import Promise
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.selection import chosen_in
from sfumato.progress import Progress
from sfumato.randomness import Secret
from sfumato.release.release import Release

if TYPE_CHECKING:
    from sfumato.groups.mask import GroupMask

STRICTER = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Levels at which counts are reshaped in turn, as long as weights or the whole signal still show a hidden place."""


@dataclass(frozen=True)
class Task:
    """What is to be hidden, and among whom."""

    settings: GroupMask
    microfile: Microfile
    places: Places
    members: Flags
    quantity: Signal
    signal: Signal
    """What an observer looks at; the quantity signal itself, or one that is made of it."""
    hidden: tuple[int, ...]
    known: tuple[int, ...]
    movable: Flags
    """Members that may leave their place."""
    candidates: Flags
    """Others that may take it."""
    alpha: float
    """The level at which hidden places do not stand out; above that of the settings where weights need it."""
    secret: Secret
    """What decoys and the memetic search are drawn from."""
    ranked: tuple[int, ...] | None = None
    """The hidden places that stood out at first, if others are hidden too because they came to stand out."""
    leaves_others: bool = False
    """Whether others may stand out in the end, because all together cannot be hidden."""

    @property
    def hides_all(self) -> bool:
        """Whether no other place may stand out either; decoys, and a deviation that stays, mean that some do."""
        wanted = self.settings.hide == "outliers" and self.settings.reshape in ("least", "wavelet")
        return wanted and not self.leaves_others

    @property
    def counts(self) -> Counts:
        """How many members each place has."""
        return self.quantity.values.astype(np.int64)

    @property
    def hidden_labels(self) -> list[str]:
        """What hidden places are called."""
        return [self.places.labels[place] for place in self.hidden]

    @property
    def names(self) -> tuple[str | None, ...]:
        """What errors call places: as the steward does; those that no setting names are records' values."""
        given = named_in(self.settings)
        return tuple(label if label in given else None for label in self.places.labels)


@dataclass(frozen=True)
class Exchange:
    """Who takes whose place."""

    swaps: Swaps
    at_least: int | None
    """How many members have to be moved in any case, if that is known."""


@dataclass(frozen=True)
class Masked:
    """A microfile in which a group is hidden."""

    microfile: Microfile
    record: dict[str, Any]
    """What only the steward may know."""


def mask(settings: GroupMask, microfile: Microfile, progress: Progress, secret: Secret) -> Masked:
    """Reshape the signal, exchange records, and verify."""
    if settings.against:
        from sfumato.groups.repairing import repair

        return repair(settings, microfile, progress, secret)
    progress("counting", 0.0)
    task, exchange, after = _hiding(task_of(settings, microfile, secret), progress)
    progress("measuring", 0.0)
    refuse_standing_out(task, after)
    record = record_of(task, exchange.swaps, after, at_least=exchange.at_least)
    return Masked(after, record)


def _hiding(task: Task, progress: Progress) -> tuple[Task, Exchange, Microfile]:
    """Exchange records so that hidden places stand out neither in counts nor, where weights are released, with them."""
    settings = task.settings
    found = _exchanged(task, progress)
    for level in STRICTER:
        by_weight = weight_shown(settings) and bool(
            shown_at(settings, found[2], found[0].hidden_labels, weight=settings.weight)
        )
        if level <= settings.alpha or not (by_weight or follows(found[0], found[2])):
            continue
        try:
            found = _exchanged(replace(task, alpha=level), progress)
        except UnattainableError:
            # what is told then is that weights, or the whole signal, still show a place
            break
    return found


def _exchanged(task: Task, progress: Progress) -> tuple[Task, Exchange, Microfile]:
    task, exchange = exchanged(task, progress)
    swaps = exchange.swaps
    order = np.arange(task.microfile.records)
    order[swaps.leaving], order[swaps.coming] = swaps.coming, swaps.leaving
    return task, exchange, with_places_of(task.microfile, task.settings, order)


def released(masks: Sequence[GroupMask], masked: Sequence[Masked], secret: Secret) -> Release:
    """Make the release of what masks alone have changed, one after the other."""
    hidden = dict.fromkeys(name for one in masks for name in one.identifiers)
    last = masked[-1].microfile
    first = masked[0].record
    return Release(
        last.select([name for name in last.names if name not in hidden]),
        # a mask alone promises nothing about single people
        promise=Promise(quasi=(), k=1),
        identifiers=tuple(hidden),
        settings={"method": "exchange", "exchanged": public_statement(masks, masked)},
        private={
            "original_records": last.records,
            **{name: first[name] for name in ("cost", "swaps", "before", "after") if len(masked) == 1},
            "groups": [one.record for one in masked],
        },
        secret=secret,
    )


def public_statement(masks: Sequence[GroupMask], masked: Sequence[Masked]) -> dict[str, Any]:
    """Return what may be told to everybody: not of whom, not where, and not how many, which the table does not show."""
    moved = [(*one.group.parameter, *its.record["along"]) for one, its in zip(masks, masked, strict=True)]
    names = dict.fromkeys(itertools.chain.from_iterable(moved))
    return {"attributes": list(names)}


def task_of(settings: GroupMask, microfile: Microfile, secret: Secret) -> Task:
    """Check everything and set up the task."""
    _check_names(settings, microfile)
    group = settings.group
    places, members = group.places(microfile), group.members(microfile)
    there = members & (places.codes >= 0)
    _refuse_empty(places, there)
    quantity = Signal(places.labels, places.count(members), "quantity")
    signal = signal_of(settings, microfile)
    known = places.numbers_of(settings.known, setting="known")
    if settings.hide == "outliers":
        found = found_by_any(
            signal.values, alpha=settings.alpha, robust=settings.robust, unit=unit_in(settings, microfile)
        )
        hidden = tuple(place for place in found if place not in known)
    else:
        hidden = places.numbers_of(settings.hide or (), setting="hide")
    if hidden and len(places.labels) < FEWEST_PLACES:
        raise SettingError(
            f"parameter: there are {len(places.labels)} places, and hiding needs {FEWEST_PLACES} or more",
            hint="choose another attribute, or give a target in place of hide",
        )
    if settings.target is None and len(hidden) + len(known) == len(places.labels):
        raise SettingError(
            "hide: no place is left to which members could go", hint="hide fewer places, or give a target"
        )
    for name in ("universe", "other", "other_universe"):
        chosen = getattr(settings, name)
        if chosen is not None and not chosen_in(microfile, chosen, setting=name).any():
            raise SettingError(f"{name}: nobody belongs to it", hint="look at the values with sfumato profile")
    spared = spared_in(settings, microfile)
    movable, others = there & ~spared, (places.codes >= 0) & ~members
    _refuse_nobody(movable, others, others & ~spared, idle=not hidden and settings.target is None)
    candidates = others & ~spared
    return Task(
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


def _refuse_nobody(movable: Flags, others: Flags, candidates: Flags, *, idle: bool) -> None:
    """Refuse where nobody can be exchanged, unless nothing is to be hidden."""
    if not others.any():
        raise UnattainableError(
            "everybody who has a place belongs to the group, so nobody can take a member's place",
            hint="choose vital values that not everybody has",
        )
    for left, who in ((movable, "all members"), (candidates, "all who are not members")):
        if not left.any() and not idle:
            raise UnattainableError(
                f"spare: {who} belong to groups that stay where they are, so nobody can be exchanged",
                hint="spare fewer; in a recipe, groups that are hidden before stay: hide this one first",
            )


def spared_in(settings: GroupMask, microfile: Microfile) -> Flags:
    """Say which records stay where they are because of other groups."""
    spared = np.zeros(microfile.records, dtype=np.bool_)
    for chosen in settings.spare:
        spared |= chosen_in(microfile, chosen, setting="spare")
    return spared


def signal_of(settings: GroupMask, microfile: Microfile, *, weight: str | None = None) -> Signal:
    """Return the signal that an observer looks at."""
    group = settings.group
    if settings.signal == "quantity":
        return group.quantity(microfile, weight=weight)
    if settings.signal == "concentration":
        return group.concentration(microfile, universe=settings.universe, weight=weight)
    assert settings.other is not None
    return group.difference(
        microfile,
        other=settings.other,
        universe=settings.universe,
        other_universe=settings.other_universe,
        weight=weight,
    )


def _check_names(settings: GroupMask, microfile: Microfile) -> None:
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
                raise SettingError(f"{role}: there is no column {name!r}", hint=nearest(name, microfile.names))
    both = [name for name in settings.identifiers if name in settings.group.parameter]
    if both:
        raise SettingError(f"identifiers: {both[0]!r} is the parameter, which is released")


def _refuse_empty(places: Places, members: Flags) -> None:
    if len(places.labels) < 2:
        raise SettingError(
            "parameter: there is only one place, so nobody can be moved", hint="choose another attribute"
        )
    if not members.any():
        raise SettingError(
            "vital: nobody who has a place belongs to the group", hint="look at the values with sfumato profile"
        )


def exchanged(task: Task, progress: Progress) -> tuple[Task, Exchange]:
    """Find who takes whose place; other places may have to be hidden too."""
    settings = task.settings
    influence = influence_of(settings, task.microfile)
    if not task.hidden and settings.target is None:
        return task, Exchange(unproven(influence, np.empty((0, 2), dtype=np.int64)), 0)
    task, wanted = wanted_of(task, progress)
    if settings.swap == "memetic":
        swaps = evolved(task, judged_of(task).flagged, wanted.counts, influence, progress)
        return task, Exchange(swaps, wanted.at_least)
    how = swap_exactly if settings.swap == "exact" else swap_greedily
    swaps = how(
        influence,
        task.places.codes,
        task.movable,
        task.candidates,
        wanted.counts - task.counts,
        labels=task.names,
        threads=settings.threads,
        progress=progress,
    )
    return task, Exchange(swaps, wanted.at_least)


def with_places_of(microfile: Microfile, settings: GroupMask, order: Counts) -> Microfile:
    """Let records take each other's place, and what goes along: each has that of another, which ``order`` gives."""
    if np.array_equal(order, np.arange(microfile.records)):
        return microfile
    return microfile.rearranged((*settings.group.parameter, *along_of(settings, microfile)), order)


def follows(task: Task, after: Microfile) -> bool:
    """Say whether the signal goes with the original's more than chance explains, on account of the hidden places."""
    settings = task.settings
    if settings.target is not None or not task.hidden:
        return False
    asked = [place for place in range(len(task.places.labels)) if place not in task.known]
    numbers = {place: number for number, place in enumerate(asked)}
    true, seen = task.signal.values[asked], signal_of(settings, after).values[asked]
    limit = chance_correlation(true, seen, [numbers[place] for place in task.ranked or task.hidden], settings.alpha)
    return correlation(true, seen) > limit


def refuse_standing_out(task: Task, after: Microfile) -> None:
    """Nothing unverified leaves: count anew, on the released table itself."""
    settings, places = task.settings, task.places
    if not np.array_equal(
        settings.group.places(after).count(np.ones(after.records, dtype=np.bool_)),
        places.count(np.ones(after.records, dtype=np.bool_)),
    ):
        raise UnattainableError("the exchange changed how many records places have; this is a bug")
    hidden = task.hidden_labels
    if task.hides_all:
        hidden = [label for label in places.labels if label not in settings.known]
    if shown := shown_at(settings, after, hidden):
        raise UnattainableError(
            f"hide: the group still stands out at {told_places(settings, shown)}",
            hint="reshape in another way, or let the memetic search go on longer (generations)",
        )
    if task.hidden and settings.target is None:
        judged = judged_of(replace(task, alpha=settings.alpha))
        if top := judged.given_away(settings.group.quantity(after).values):
            raise UnattainableError(
                f"hide: ranks give away {told_places(settings, [places.labels[place] for place in top])}: they stay "
                "among the highest or lowest places",
                hint="hide fewer places, fix fewer (known), keep fewer attributes, or take swap = 'exact'",
            )
    if follows(task, after):
        raise UnattainableError(
            "hide: because of hidden places the signal still follows the original's more closely than chance explains",
            hint="hide fewer places, keep fewer attributes, or let more people be exchanged (spare, known)",
        )
    if weight_shown(settings) and (shown := shown_at(settings, after, task.hidden_labels, weight=settings.weight)):
        raise UnattainableError(
            f"hide: counted with the weights {settings.weight!r}, the group still stands out at "
            f"{told_places(settings, shown)}",
            hint="reshape in another way, hide more places, or do not release the weights (name them in identifiers)",
        )
