"""The number of members that each place is to have: a target, or counts in which the group does not stand out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.integer_rounding import largest_remainders
from sfumato.groups.mask.mask_task import MaskTask
from sfumato.groups.outlier_panel import detected_by_any
from sfumato.groups.reshape.initial_solution import initial_counts
from sfumato.groups.reshape.landing_ranks import with_drawn_ranks
from sfumato.groups.reshape.methods import reshape
from sfumato.groups.reshape.minimal_moves import move_fewest
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.progress import Progress
from sfumato.record_filter import chosen_in


@dataclass(frozen=True)
class TargetCounts:
    """The number of members that each place is to have."""

    counts: Counts
    at_least: int | None = None
    """The number of members that have to be moved in any case, if it is known."""


def target_counts(task: MaskTask, progress: Progress) -> tuple[MaskTask, TargetCounts]:
    """Return the target counts, and the task: where nothing may stand out, more places may have to be hidden.

    A place that did not stand out may do so beside hidden ones that have become ordinary. It is then hidden as well,
    from the beginning, until none is left. If all of them cannot be hidden together, those that stood out at first are.
    """
    if task.settings.target is not None:
        return task, TargetCounts(_completed_target(task))
    hiding, target = _hiding_all(task, progress)
    if task.settings.reshape != "least":
        return hiding, target
    judged, rng = judged_problem(hiding), task.secret.stream("ranks of hidden places")
    counts = with_drawn_ranks(_problem(hiding), target.counts, rng, judged.hides)
    return hiding, replace(target, counts=counts)


def _hiding_all(task: MaskTask, progress: Progress) -> tuple[MaskTask, TargetCounts]:
    """Hide more places as long as others come to stand out, if none may."""
    first = target = _reshaped(task, progress)
    hiding, effort_divisor = task, 1
    while task.hides_all:
        problem = _problem(hiding)
        outliers = detected_by_any(
            problem.signal_of(target.counts), alpha=task.settings.alpha, robust=problem.robust, unit=problem.unit
        )
        emerging = [place for place in outliers if place not in (*hiding.hidden, *hiding.known)]
        if not emerging:
            break
        hiding = replace(hiding, hidden=tuple(sorted((*hiding.hidden, *emerging))), ranked=task.hidden)
        if len(hiding.hidden) + len(hiding.known) == task.counts.size:
            # no place would be left for the members that all of them lose
            return replace(task, leaves_others=True), first
        try:
            effort_divisor *= 2
            target = _reshaped(hiding, progress, effort_divisor)
        except UnattainableError:
            # other places that come to stand out reveal nothing; their number is reported
            return replace(task, leaves_others=True), first
    return hiding, target


def judged_problem(task: MaskTask) -> Reshaping:
    """Return the problem that decides whether counts hide what they must."""
    problem = _problem(task)
    if not task.hides_all:
        return problem
    everywhere = tuple(np.setdiff1d(np.arange(task.counts.size), task.known).tolist())
    return replace(problem, hidden=everywhere, ranked=task.ranked or task.hidden)


def _completed_target(task: MaskTask) -> Counts:
    """Complete the target: the places that it leaves open share the surplus or the lack, by their size."""
    target = task.settings.target or {}
    places = task.places.indices_of(tuple(target), setting="target")
    counts = task.counts
    total = int(counts.sum())
    capacities = _capacities(task)
    for place in places:
        label = task.places.labels[place]
        counts[place] = target[label]
        if counts[place] > capacities[place]:
            raise UnattainableError(
                f"target: {label!r} can have at most {capacities[place]:,} members, because no more of its records can "
                "be swapped for members",
                setting=("target", label),
            )
    open_places = np.setdiff1d(np.arange(counts.size), [*places, *task.known])
    lacking = total - int(counts.sum())
    if lacking and not open_places.size:
        raise SettingError(
            f"target: all places together get {total - lacking:,} members, but the group has {total:,}",
            hint="leave a place open, or make the sums agree",
            setting="target",
        )
    if lacking:
        counts[open_places] = _shared(counts[open_places], capacities[open_places], lacking)
    return counts


def _shared(counts: Counts, capacities: Counts, change: int) -> Counts:
    """Add members to places, or take some away, in proportion to what they have."""
    total = int(counts.sum()) + change
    if total < 0 or total > int(capacities.sum()):
        missing = f"{-total:,} members too few" if total < 0 else f"room for {total - int(capacities.sum()):,} too few"
        raise UnattainableError(
            f"target: the places that it leaves open have {missing}",
            hint="ask for less, or leave more places open",
            setting="target",
        )
    return largest_remainders(counts if counts.any() else capacities, total, upper=capacities)


def _capacities(task: MaskTask) -> Counts:
    """Return the most members that each place can have: its own, and one for each candidate there."""
    return (task.quantity.values + task.places.count(task.candidates)).astype(np.int64)


def _problem(task: MaskTask) -> Reshaping:
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
        labels=task.printable_labels,
        panel=True,
        ranked=task.ranked,
    )


def _reshaped(task: MaskTask, progress: Progress, effort_divisor: int = 1) -> TargetCounts:
    """Return counts in which no hidden place stands out."""
    settings, problem = task.settings, _problem(task)
    if settings.reshape == "least":
        solution = move_fewest(problem, effort_divisor=effort_divisor, progress=progress)
        # a memetic search comes near its goal, not to it, and the fewest moves leave it no room
        roomy = initial_counts(problem) if settings.swap == "memetic" else None
        # at a stricter level than the settings', more may have to be moved than the mask needs
        at_least = solution.at_least if task.alpha == settings.alpha else None
        return TargetCounts(solution.counts if roomy is None else roomy, at_least)
    counts = reshape(
        settings.reshape,
        problem,
        wavelet=settings.wavelet,
        level=settings.level,
        decoys=task.places.indices_of(settings.decoys, setting="decoys"),
        rng=task.secret.stream("decoys"),
    )
    return TargetCounts(counts)


def _universe(task: MaskTask) -> tuple[Reals | None, Reals | None]:
    """Return the size of each place's universe, and what is subtracted from the share."""
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
            f"universe: {empty:,} place{'s have' if empty > 1 else ' has'} nobody of it, so no share can be computed",
            hint="choose a larger universe, or leave out the places without anybody of it (values)",
            setting="universe",
        )
    return sizes, None if settings.signal == "concentration" else task.quantity.values / sizes - task.signal.values
