"""A mask's memetic search: which places give, which take, and what is wanted of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.errors import UnattainableError
from sfumato.fuzzy.shapes import SShaped, ZShaped
from sfumato.groups.evolution import Memetic, validity
from sfumato.groups.fitness import PlaceRestriction, Restriction
from sfumato.groups.influence import Influence
from sfumato.groups.memetic import evolve_swaps
from sfumato.groups.swapping import Swaps, unproven
from sfumato.progress import Progress

if TYPE_CHECKING:
    from sfumato.groups.masking import Task

FLAGGED = 0.1
"""How fit a signal is in which a hidden place still stands out, beside one in which none does."""
MORE = 1.25
"""The size penalty is centred at so many times the swaps that an exact exchange would need."""
STEEP = 12.5
"""And it falls in one part of so many of its centre, as in TC16."""


def evolved(
    task: Task,
    flagged: Callable[[Counts | Reals], tuple[int, ...]],
    wanted: Counts,
    influence: Influence,
    progress: Progress,
) -> Swaps:
    """Let a memetic search decide how many members go where, within fuzzy restrictions.

    Parameters
    ----------
    task
        What is hidden, and among whom.
    flagged
        Which hidden places stand out in counts of members.
    wanted
        Counts in which it is, after which restrictions are made unless they are given.
    influence
        What swaps cost.
    progress
        Told how far the search is.
    """
    settings, change = task.settings, wanted - task.counts
    restrictions: list[Restriction] = [*(_given(task) or _after(wanted, task.counts, task.hidden))]
    restrictions.append(lambda counts: FLAGGED if flagged(counts) else 1.0)
    leaving, coming = (task.places.count(who) > 0 for who in (task.movable, task.candidates))
    if settings.restrictions:
        fewer = np.isin(task.places.labels, [*settings.restrictions])
        more = ~fewer
        more[list(task.known)] = False
    else:
        fewer, more = change < 0, change > 0
    shrinking, growing = np.flatnonzero(fewer & leaving).tolist(), np.flatnonzero(more & coming).tolist()
    if not shrinking or not growing:
        raise UnattainableError(
            "hide: nobody may leave the places that shall have fewer members, or come from those that shall have more",
            hint="spare fewer, or hide other places",
        )
    found = evolve_swaps(
        influence,
        task.places.codes,
        task.movable,
        task.candidates,
        shrinking=shrinking,
        growing=growing,
        restrictions=restrictions,
        rng=task.secret.stream("memetic search"),
        settings=_sized(settings.memetic, int(np.maximum(change, 0).sum())),
        threads=settings.threads,
        progress=progress,
    )
    best = validity(found, lambda counts: not flagged(counts)).cheapest
    if best is None:
        raise UnattainableError(
            "hide: the memetic search has found no exchange after which the hidden places do not stand out",
            hint="let it go on longer (memetic.generations), or choose swap = 'exact'",
        )
    return unproven(influence, np.column_stack([best.leaving, best.coming]))


def _given(task: Task) -> list[PlaceRestriction]:
    given = task.settings.restrictions
    task.places.numbers_of(given, setting="restrictions")
    return [PlaceRestriction(task.places.labels.index(label), shape) for label, shape in given.items()]


def _after(wanted: Counts, counts: Counts, hidden: tuple[int, ...]) -> list[PlaceRestriction]:
    """Want hidden places to have about as many members as an exact mask would give them."""
    found = []
    for place in hidden:
        ends = sorted((float(wanted[place]), float(counts[place])))
        if ends[0] < ends[1]:
            shape = ZShaped if wanted[place] < counts[place] else SShaped
            found.append(PlaceRestriction(place, shape(corners=(ends[0], ends[1]))))
    return found


def _sized(memetic: Memetic, swaps: int) -> Memetic:
    """Let individuals be as long as the task needs, if the steward has not said how long."""
    if memetic.model_fields_set & {"centre", "slope", "longest"} or MORE * swaps <= memetic.centre:
        return memetic
    centre = MORE * swaps
    return memetic.model_copy(update={"centre": centre, "slope": centre / STEEP})
