"""How many members places shall have: a target, or counts in which the group does not stand out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.filling import filled
from sfumato.groups.landing import scattered
from sfumato.groups.least import least
from sfumato.groups.panel import found_by_any
from sfumato.groups.reshaping import reshape
from sfumato.groups.rounding import largest_remainders
from sfumato.groups.task import Reshaping
from sfumato.microfile.selection import chosen_in
from sfumato.progress import Progress

if TYPE_CHECKING:
    from sfumato.groups.masking import Task


@dataclass(frozen=True)
class Wanted:
    """What a signal shall become."""

    counts: Counts
    at_least: int | None = None
    """How many members have to be moved in any case, if that is known."""


def wanted_of(task: Task, progress: Progress) -> tuple[Task, Wanted]:
    """Return the counts that are wanted, and the task: where nothing may stand out, more places may have to be hidden.

    A place that did not stand out may do so beside hidden ones that have become ordinary. It is then hidden as well,
    from the beginning, until none is left. If all together cannot be hidden, those that stood out at first are.
    """
    if task.settings.target is not None:
        return task, Wanted(_target(task))
    hiding, wanted = _hiding_all(task, progress)
    if task.settings.reshape != "least":
        return hiding, wanted
    judged, rng = judged_of(hiding), task.secret.stream("ranks of hidden places")
    counts = scattered(_reshaping(hiding), wanted.counts, rng, judged.hides)
    return hiding, replace(wanted, counts=counts)


def _hiding_all(task: Task, progress: Progress) -> tuple[Task, Wanted]:
    """Hide more places as long as others come to stand out, if none may."""
    first = wanted = _reshaped(task, progress)
    hiding, again = task, 1
    while task.hides_all:
        reshaping = _reshaping(hiding)
        found = found_by_any(
            reshaping.signal_of(wanted.counts), alpha=task.settings.alpha, robust=reshaping.robust, unit=reshaping.unit
        )
        more = [place for place in found if place not in (*hiding.hidden, *hiding.known)]
        if not more:
            break
        hiding = replace(hiding, hidden=tuple(sorted((*hiding.hidden, *more))), ranked=task.hidden)
        if len(hiding.hidden) + len(hiding.known) == task.counts.size:
            # nobody could take what all of them lose
            return replace(task, leaves_others=True), first
        try:
            again *= 2
            wanted = _reshaped(hiding, progress, again)
        except UnattainableError:
            # others that come to stand out there give nothing away; how many they are is told
            return replace(task, leaves_others=True), first
    return hiding, wanted


def judged_of(task: Task) -> Reshaping:
    """Return the reshaping by which it is judged whether counts hide what they must."""
    reshaping = _reshaping(task)
    if not task.hides_all:
        return reshaping
    everywhere = tuple(np.setdiff1d(np.arange(task.counts.size), task.known).tolist())
    return replace(reshaping, hidden=everywhere, ranked=task.ranked or task.hidden)


def _target(task: Task) -> Counts:
    """Complete the wanted counts: the other places share what is left over or lacking, by their size."""
    given = task.settings.target or {}
    numbers = task.places.numbers_of(tuple(given), setting="target")
    wanted = task.counts
    total = int(wanted.sum())
    capacities = _capacities(task)
    for place in numbers:
        label = task.places.labels[place]
        wanted[place] = given[label]
        if wanted[place] > capacities[place]:
            raise UnattainableError(
                f"target: {label!r} can have {capacities[place]:,} members at most, for no more of its records can be "
                "exchanged for members"
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
        alpha=task.alpha,
        robust=settings.robust,
        sizes=sizes,
        subordinate=subordinate,
        labels=task.names,
        panel=True,
        ranked=task.ranked,
    )


def _reshaped(task: Task, progress: Progress, again: int = 1) -> Wanted:
    """Return the counts in which no hidden place stands out."""
    settings, reshaping = task.settings, _reshaping(task)
    if settings.reshape == "least":
        found = least(reshaping, again=again, progress=progress)
        # a memetic search comes near its goal, not to it, and the fewest moved leave it no room
        near = filled(reshaping) if settings.swap == "memetic" else None
        # at a stricter level than asked for, more may have to be moved than the mask needs
        at_least = found.at_least if task.alpha == settings.alpha else None
        return Wanted(found.counts if near is None else near, at_least)
    counts = reshape(
        settings.reshape,
        reshaping,
        wavelet=settings.wavelet,
        level=settings.level,
        decoys=task.places.numbers_of(settings.decoys, setting="decoys"),
        rng=task.secret.stream("decoys"),
    )
    return Wanted(counts)


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
        empty = int((sizes == 0).sum())
        raise SettingError(
            f"universe: nobody of it is at {empty:,} place{'s' * (empty > 1)}, so that there is no share",
            hint="choose a larger universe, or leave out places without anybody of it (values)",
        )
    return sizes, None if settings.signal == "concentration" else task.quantity.values / sizes - task.signal.values
