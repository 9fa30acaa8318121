"""From a microfile to a release in which a group is hidden, step by step."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sfumato.errors import UnattainableError
from sfumato.groups.mask.attribute_roles import influence_of
from sfumato.groups.mask.hardening import harden
from sfumato.groups.mask.household_swap_traces import refuse_split
from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.mask.mask_task import Masked, MaskTask, PlannedSwaps, task_of, with_places_of
from sfumato.groups.mask.mask_verification import follows_original, refuse_standing_out, weighted_outliers
from sfumato.groups.mask.memetic_mask import evolved_swaps
from sfumato.groups.mask.steward_record import facts_of, record_of
from sfumato.groups.mask.swap_traces import refuse_traces
from sfumato.groups.mask.target_counts import judged_problem, target_counts
from sfumato.groups.swap.greedy_swaps import swap_greedily
from sfumato.groups.swap.optimal_swaps import swap_exactly, unproven
from sfumato.measures import Promise
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.randomness import Secret
from sfumato.release import Exchanged, PublicSettings, Release

STRICTER_LEVELS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
"""Levels at which counts are reshaped in turn, as long as weights or the whole signal still reveal a hidden place."""


def protect(settings: MaskSettings, microfile: Microfile, progress: Progress, secret: Secret) -> Release:
    """Hide a group, make the release, and check that it does not show who was swapped."""
    masked = apply_mask(settings, microfile, progress, secret)
    release = release_masked([settings], [masked], secret)
    refuse_split(microfile, masked.microfile, settings.group.parameter, release.codebook)
    refuse_traces(settings, microfile, masked.microfile, release)
    return release


def apply_mask(settings: MaskSettings, microfile: Microfile, progress: Progress, secret: Secret) -> Masked:
    """Reshape the signal, swap records, and verify."""
    if settings.against:
        return harden(settings, microfile, progress, secret)
    progress("counting", 0.0)
    task, planned, after = _hidden_everywhere(task_of(settings, microfile, secret), progress)
    progress("measuring", 0.0)
    refuse_standing_out(task, after)
    record = record_of(task, planned.swaps, after, at_least=planned.at_least)
    return Masked(after, record)


def _hidden_everywhere(task: MaskTask, progress: Progress) -> tuple[MaskTask, PlannedSwaps, Microfile]:
    """Swap records so that hidden places stand out neither in counts nor, where weights are released, with them."""
    result = _with_swaps(task, progress)
    for level in STRICTER_LEVELS:
        if level <= task.settings.alpha:
            continue
        hiding, _, after = result
        if not (weighted_outliers(hiding, after) or follows_original(hiding, after)):
            continue
        try:
            result = _with_swaps(replace(task, alpha=level), progress)
        except UnattainableError:
            # the verification then reports that weights, or the whole signal, still reveal a place
            break
    return result


def _with_swaps(task: MaskTask, progress: Progress) -> tuple[MaskTask, PlannedSwaps, Microfile]:
    task, planned = planned_swaps(task, progress)
    swaps = planned.swaps
    sources = np.arange(task.microfile.records)
    sources[swaps.leaving], sources[swaps.coming] = swaps.coming, swaps.leaving
    return task, planned, with_places_of(task.microfile, task.settings, sources)


def planned_swaps(task: MaskTask, progress: Progress) -> tuple[MaskTask, PlannedSwaps]:
    """Find which records swap their places; more places may have to be hidden."""
    settings = task.settings
    influence = influence_of(settings, task.microfile)
    if not task.hidden and settings.target is None:
        return task, PlannedSwaps(unproven(influence, np.empty((0, 2), dtype=np.int64)), 0)
    task, target = target_counts(task, progress)
    if settings.swap == "memetic":
        swaps = evolved_swaps(task, judged_problem(task).flagged, target.counts, influence, progress)
        return task, PlannedSwaps(swaps, target.at_least)
    swap = swap_exactly if settings.swap == "exact" else swap_greedily
    swaps = swap(
        influence,
        task.places.codes,
        task.movable,
        task.candidates,
        target.counts - task.counts,
        labels=task.printable_labels,
        threads=settings.threads,
        progress=progress,
    )
    return task, PlannedSwaps(swaps, target.at_least)


def release_masked(masks: Sequence[MaskSettings], masked: Sequence[Masked], secret: Secret) -> Release:
    """Make the release of a file that only masks have changed, one after the other."""
    withheld = dict.fromkeys(name for mask in masks for name in mask.identifiers)
    last = masked[-1].microfile
    return Release(
        last.select([name for name in last.names if name not in withheld]),
        # a mask alone promises nothing about single people
        promise=Promise(quasi=(), k=1),
        identifiers=tuple(withheld),
        settings=PublicSettings(method="exchange", exchanged=swapped_attributes(masks, masked)),
        private=facts_of(masked),
        secret=secret,
    )


def swapped_attributes(masks: Sequence[MaskSettings], masked: Sequence[Masked]) -> Exchanged:
    """Return what everybody may know: neither which group, nor where, nor how many, which the table does not show."""
    moved = [(*mask.group.parameter, *file.record["along"]) for mask, file in zip(masks, masked, strict=True)]
    return Exchanged(attributes=tuple(dict.fromkeys(itertools.chain.from_iterable(moved))))
