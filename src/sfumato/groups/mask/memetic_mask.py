"""A mask's memetic search: which places lose members, which gain some, and how many they should have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.errors import UnattainableError
from sfumato.fuzzy import SShaped, ZShaped
from sfumato.groups.mask.mask_task import MaskTask
from sfumato.groups.swap.memetic_search import evolve_swaps
from sfumato.groups.swap.memetic_settings import Memetic, validity
from sfumato.groups.swap.optimal_swaps import Swaps, unproven
from sfumato.groups.swap.swap_cost import Influence
from sfumato.groups.swap.swap_fitness import PlaceRestriction, Restriction
from sfumato.progress import Progress

FLAGGED_FITNESS = 0.1
"""How fit a signal is in which a hidden place still stands out, compared with one in which none does."""
SPARE_SWAPS = 1.25
"""The size penalty is centred at this multiple of the swaps that exact swapping would need,"""
STEEPNESS = 12.5
"""and its slope is its centre over this, as in TC16."""


def evolved_swaps(
    task: MaskTask,
    flagged: Callable[[Counts | Reals], tuple[int, ...]],
    target: Counts,
    influence: Influence,
    progress: Progress,
) -> Swaps:
    """Let a memetic search decide how many members go where, within fuzzy restrictions.

    Parameters
    ----------
    task
        What is hidden, and among whom.
    flagged
        Returns the hidden places that stand out in counts of members.
    target
        Counts that hide the group; restrictions are derived from them unless they are given.
    influence
        What swaps cost.
    progress
        Called with the share of the search done.
    """
    settings, change = task.settings, target - task.counts
    restrictions: list[Restriction] = [
        *(_given_restrictions(task) or _derived_restrictions(target, task.counts, task.hidden))
    ]
    restrictions.append(lambda counts: FLAGGED_FITNESS if flagged(counts) else 1.0)
    can_leave, can_come = (task.places.count(records) > 0 for records in (task.movable, task.candidates))
    if settings.restrictions:
        loses = np.isin(task.places.labels, [*settings.restrictions])
        gains = ~loses
        gains[list(task.known)] = False
    else:
        loses, gains = change < 0, change > 0
    shrinking, growing = np.flatnonzero(loses & can_leave).tolist(), np.flatnonzero(gains & can_come).tolist()
    if not shrinking or not growing:
        raise UnattainableError(
            "hide: nobody may leave the places that need fewer members, or come from those that need more",
            hint="spare fewer, or hide other places",
            setting="hide",
        )
    evolution = evolve_swaps(
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
    cheapest = validity(evolution, lambda counts: not flagged(counts)).cheapest
    if cheapest is None:
        raise UnattainableError(
            "hide: the memetic search found no swaps after which the hidden places do not stand out",
            hint="let it run longer (memetic.generations), or choose swap = 'exact'",
            setting="hide",
        )
    return unproven(influence, np.column_stack([cheapest.leaving, cheapest.coming]))


def _given_restrictions(task: MaskTask) -> list[PlaceRestriction]:
    shapes = task.settings.restrictions
    task.places.indices_of(shapes, setting="restrictions")
    return [PlaceRestriction(task.places.labels.index(label), shape) for label, shape in shapes.items()]


def _derived_restrictions(target: Counts, counts: Counts, hidden: tuple[int, ...]) -> list[PlaceRestriction]:
    """Let hidden places have about the number of members that an exact mask would give them."""
    restrictions = []
    for place in hidden:
        ends = sorted((float(target[place]), float(counts[place])))
        if ends[0] < ends[1]:
            shape = ZShaped if target[place] < counts[place] else SShaped
            restrictions.append(PlaceRestriction(place, shape(corners=(ends[0], ends[1]))))
    return restrictions


def _sized(memetic: Memetic, n_swaps: int) -> Memetic:
    """Let individuals be as long as the task needs, unless the steward has set their length."""
    if memetic.model_fields_set & {"centre", "slope", "longest"} or SPARE_SWAPS * n_swaps <= memetic.centre:
        return memetic
    centre = SPARE_SWAPS * n_swaps
    return memetic.model_copy(update={"centre": centre, "slope": centre / STEEPNESS})
