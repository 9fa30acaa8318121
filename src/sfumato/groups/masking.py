"""From a microfile to a release in which a group is hidden, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Counts, Flags, Reals
from sfumato.errors import SettingError, UnattainableError, nearest
from sfumato.groups.evolving import evolved
from sfumato.groups.exchange import influence_of
from sfumato.groups.greedy import swap_greedily
from sfumato.groups.group import PLACES, Places
from sfumato.groups.outliers import outliers
from sfumato.groups.record import record_of
from sfumato.groups.reshaping import reshape
from sfumato.groups.rounding import largest_remainders
from sfumato.groups.signals import Signal
from sfumato.groups.swapping import Swaps, swap_exactly, unproven
from sfumato.groups.task import Reshaping
from sfumato.measures.promise import Promise
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.selection import chosen_in
from sfumato.progress import Progress
from sfumato.release.release import Release

if TYPE_CHECKING:
    from sfumato.groups.mask import GroupMask

SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
"""Bounds of the share of exchanged records that a release may tell; a narrower one would tell how many they are."""


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

    @property
    def counts(self) -> Counts:
        """How many members each place has."""
        return self.quantity.values.astype(np.int64)


@dataclass(frozen=True)
class Masked:
    """A microfile in which a group is hidden."""

    microfile: Microfile
    record: dict[str, Any]
    """What only the steward may know."""
    share: float
    """The share of records that were exchanged."""


def mask(settings: GroupMask, microfile: Microfile, progress: Progress) -> Masked:
    """Reshape the signal, exchange records, and verify."""
    if settings.against:
        from sfumato.groups.repairing import repair

        return repair(settings, microfile, progress)
    progress("counting", 0.0)
    task = task_of(settings, microfile)
    swaps = exchanged(task, progress)
    progress("measuring", 0.0)
    order = np.arange(microfile.records)
    order[swaps.leaving], order[swaps.coming] = swaps.coming, swaps.leaving
    after = with_places_of(microfile, settings.group.parameter, order)
    refuse_standing_out(task, after)
    record = record_of(task, swaps, after)
    return Masked(after, record, record["changed_records"] / microfile.records)


def released(masks: Sequence[GroupMask], masked: Sequence[Masked]) -> Release:
    """Make the release of what masks alone have changed, one after the other."""
    hidden = dict.fromkeys(name for one in masks for name in one.identifiers)
    last = masked[-1].microfile
    first = masked[0].record
    return Release(
        last.select([name for name in last.names if name not in hidden]),
        # a mask alone promises nothing about single people
        promise=Promise(quasi=(), k=1),
        identifiers=tuple(hidden),
        settings={"method": "exchange", "left_out": 0, "exchanged": public_statement(masks, masked)},
        private={
            "original_records": last.records,
            **{name: first[name] for name in ("cost", "swaps", "before", "after") if len(masked) == 1},
            "groups": [one.record for one in masked],
        },
    )


def public_statement(masks: Sequence[GroupMask], masked: Sequence[Masked]) -> dict[str, Any]:
    """Return what may be told to everybody: not of whom, not where, and how many only roughly."""
    names = dict.fromkeys(name for one in masks for name in one.group.parameter)
    share = min(1.0, sum(one.share for one in masked))
    return {"attributes": list(names), "share": next(one for one in SHARES if share <= one)}


def task_of(settings: GroupMask, microfile: Microfile) -> Task:
    """Check everything and set up the task."""
    _check_names(settings, microfile)
    group = settings.group
    places, members = group.places(microfile), group.members(microfile)
    there = members & (places.codes >= 0)
    _refuse_empty(places, there)
    quantity = Signal(places.labels, places.count(members), "quantity")
    signal = signal_of(settings, microfile)
    known = numbers_of(settings.known, places, "known")
    if settings.hide == "outliers":
        found = outliers(signal, alpha=settings.alpha, robust=settings.robust).indices
        hidden = tuple(place for place in found if place not in known)
    else:
        hidden = numbers_of(settings.hide or (), places, "hide")
    if settings.target is None and len(hidden) + len(known) == len(places.labels):
        raise SettingError(
            "hide: no place is left to which members could go", hint="hide fewer places, or give a target"
        )
    for name in ("universe", "other", "other_universe"):
        chosen = getattr(settings, name)
        if chosen is not None and not chosen_in(microfile, chosen, setting=name).any():
            raise SettingError(f"{name}: nobody belongs to it", hint="look at the values with sfumato profile")
    spared = spared_in(settings, microfile)
    candidates = (places.codes >= 0) & ~members & ~spared
    if not candidates.any():
        raise UnattainableError(
            "everybody who has a place belongs to the group, so nobody can take a member's place",
            hint="choose vital values that not everybody has",
        )
    return Task(settings, microfile, places, members, quantity, signal, hidden, known, there & ~spared, candidates)


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


def numbers_of(labels: tuple[str, ...], places: Places, setting: str) -> tuple[int, ...]:
    """Return the numbers of places that a setting names."""
    for label in labels:
        if label not in places.labels:
            raise SettingError(f"{setting}: there is no place {label!r}", hint=PLACES)
    return tuple(sorted(places.labels.index(label) for label in set(labels)))


def exchanged(task: Task, progress: Progress) -> Swaps:
    """Find who takes whose place."""
    settings = task.settings
    influence = influence_of(settings, task.microfile)
    if not task.hidden and settings.target is None:
        return unproven(influence, np.empty((0, 2), dtype=np.int64))
    wanted = _target(task) if settings.target is not None else _reshaped(task)
    if settings.swap == "memetic":
        return evolved(task, _reshaping(task).flagged, wanted, influence, progress)
    how = swap_exactly if settings.swap == "exact" else swap_greedily
    return how(
        influence,
        task.places.codes,
        task.movable,
        task.candidates,
        wanted - task.counts,
        labels=task.places.labels,
        threads=settings.threads,
        progress=progress,
    )


def _target(task: Task) -> Counts:
    """Complete the wanted counts: the other places share what is left over or lacking, by their size."""
    given = task.settings.target or {}
    numbers = numbers_of(tuple(given), task.places, "target")
    wanted = task.counts
    total = int(wanted.sum())
    capacities = _capacities(task)
    for place in numbers:
        label = task.places.labels[place]
        wanted[place] = given[label]
        if wanted[place] > capacities[place]:
            raise UnattainableError(
                f"target: {label!r} can have {capacities[place]:,} members at most, for it has no more records"
            )
    rest = np.setdiff1d(np.arange(wanted.size), [*numbers, *task.known])
    lacking = total - int(wanted.sum())
    if lacking and not rest.size:
        raise SettingError(
            f"target: all places together get {total - lacking:,} members, but the group has {total:,}",
            hint="leave a place open, or make the sums agree",
        )
    if lacking:
        wanted[rest] = _shared(wanted[rest], capacities[rest], lacking)
    return wanted


def _shared(counts: Counts, capacities: Counts, more: int) -> Counts:
    """Give so many members more, or fewer, to places in proportion to what they have."""
    total = int(counts.sum()) + more
    if total < 0 or total > int(capacities.sum()):
        what = f"{-total:,} members too few" if total < 0 else f"room for {total - int(capacities.sum()):,} too few"
        raise UnattainableError(
            f"target: the places that it leaves open have {what}", hint="ask for less, or leave more places open"
        )
    return largest_remainders(counts if counts.any() else capacities, total, upper=capacities)


def _capacities(task: Task) -> Counts:
    """Return the most members that each place can have: those it has, and one in the place of each other."""
    return (task.quantity.values + task.places.count(task.candidates)).astype(np.int64)


def _reshaping(task: Task) -> Reshaping:
    """Return what is to be reshaped."""
    settings = task.settings
    sizes, subordinate = _universe(task)
    return Reshaping(
        task.counts,
        hidden=task.hidden,
        fixed=task.known,
        capacities=_capacities(task),
        alpha=settings.alpha,
        robust=settings.robust,
        sizes=sizes,
        subordinate=subordinate,
        labels=task.places.labels,
    )


def _reshaped(task: Task) -> Counts:
    """Return the counts in which no hidden place stands out."""
    settings = task.settings
    return reshape(
        settings.reshape,
        _reshaping(task),
        wavelet=settings.wavelet,
        level=settings.level,
        decoys=numbers_of(settings.decoys, task.places, "decoys"),
        rng=np.random.default_rng(settings.seed),
    )


def _universe(task: Task) -> tuple[Reals | None, Reals | None]:
    """Return how many a place's share is of, and what is subtracted from that share."""
    settings, people = task.settings, task.microfile
    if settings.signal == "quantity":
        return None, None
    everybody = np.ones(people.records, dtype=np.bool_)
    if settings.universe is not None:
        everybody = chosen_in(people, settings.universe, setting="universe") | task.members
    sizes = task.places.count(everybody)
    if not sizes.all():
        empty = [label for label, size in zip(task.places.labels, sizes, strict=True) if not size]
        raise SettingError(
            f"universe: nobody of it is at {empty[0]!r}, so that there is no share",
            hint="choose a larger universe, or leave the place out (values)",
        )
    return sizes, None if settings.signal == "concentration" else task.quantity.values / sizes - task.signal.values


def with_places_of(microfile: Microfile, parameter: tuple[str, ...], order: Counts) -> Microfile:
    """Let records take each other's place: each has the parameter's values of another, whose number ``order`` gives."""
    unchanged = np.array_equal(order, np.arange(microfile.records))
    return microfile if unchanged else microfile.rearranged(parameter, order)


def refuse_standing_out(task: Task, after: Microfile) -> None:
    """Nothing unverified leaves: count anew, on the released table itself."""
    settings, places = task.settings, task.places
    if not np.array_equal(
        settings.group.places(after).count(np.ones(after.records, dtype=np.bool_)),
        places.count(np.ones(after.records, dtype=np.bool_)),
    ):
        raise UnattainableError("the exchange changed how many records places have; this is a bug")
    found = outliers(signal_of(settings, after), alpha=settings.alpha, robust=settings.robust)
    shown = [label for label in found.labels if label in {places.labels[place] for place in task.hidden}]
    if shown:
        raise UnattainableError(
            f"hide: the group still stands out at {', '.join(shown)}",
            hint="reshape in another way, or let the memetic search go on longer (generations)",
        )
