"""Verification of a mask on the released table: nothing that still shows a hidden place may leave."""

from __future__ import annotations

import numpy as np

from sfumato.errors import UnattainableError
from sfumato.groups.mask.mask_task import MaskTask
from sfumato.groups.mask.observed_signal import describe_places, observed_signal, outliers_among, revealed_by_ranks
from sfumato.groups.outlier_panel import chance_correlation, correlation
from sfumato.microfile import Microfile


def follows_original(task: MaskTask, after: Microfile) -> bool:
    """Say whether, because of the hidden places, the signal follows the original more closely than chance explains."""
    settings = task.settings
    if settings.target is not None or not task.hidden:
        return False
    unknown = [place for place in range(len(task.places.labels)) if place not in task.known]
    indices = {place: index for index, place in enumerate(unknown)}
    true, observed = task.signal.values[unknown], observed_signal(settings, after).values[unknown]
    limit = chance_correlation(true, observed, [indices[place] for place in task.ranked or task.hidden], settings.alpha)
    return correlation(true, observed) > limit


def weighted_outliers(task: MaskTask, after: Microfile) -> tuple[str, ...]:
    """Return the hidden places that stand out to observers who count with the released weights."""
    if not task.settings.releases_weight:
        return ()
    return outliers_among(task.settings, after, task.hidden_labels, weight=task.settings.weight)


def refuse_standing_out(task: MaskTask, after: Microfile) -> None:
    """Count again on the released table itself, and refuse a mask that does not hide what it should."""
    settings, places = task.settings, task.places
    if not np.array_equal(
        settings.group.places(after).count(np.ones(after.records, dtype=np.bool_)),
        places.count(np.ones(after.records, dtype=np.bool_)),
    ):
        raise UnattainableError("swapping changed the number of records of a place; this is a bug")
    hidden = task.hidden_labels
    if task.hides_all:
        hidden = [label for label in places.labels if label not in settings.known]
    if outliers := outliers_among(settings, after, hidden):
        raise UnattainableError(
            f"hide: the group still stands out at {describe_places(settings, outliers)}",
            hint="choose another reshape, or let the memetic search run longer (generations)",
            setting="hide",
        )
    if task.hidden and settings.target is None:
        stood_out = [places.labels[place] for place in task.ranked or task.hidden]
        if revealed := revealed_by_ranks(settings, after, task.signal.as_dict(), stood_out):
            raise UnattainableError(
                f"hide: ranks reveal {describe_places(settings, revealed)}, still among the highest or lowest places",
                hint="hide fewer places, fix fewer (known), keep fewer attributes, or use swap = 'exact'",
                setting="hide",
            )
    if follows_original(task, after):
        raise UnattainableError(
            "hide: because of the hidden places, the signal still follows the original more closely than chance "
            "explains",
            hint="hide fewer places, keep fewer attributes, or let more people be swapped (spare, known)",
            setting="hide",
        )
    if outliers := weighted_outliers(task, after):
        raise UnattainableError(
            f"hide: counted with the weights {settings.weight!r}, the group still stands out at "
            f"{describe_places(settings, outliers)}",
            hint="choose another reshape, hide more places, or withhold the weights (name them in identifiers)",
            setting="hide",
        )
