"""The steward's confidential record of a mask: what was hidden, at what cost, and what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.array_types import Codes
from sfumato.groups.mask.attribute_roles import influential_attributes, moving_attributes
from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.mask.mask_task import Masked, MaskTask
from sfumato.groups.mask.observed_signal import member_unit, observed_signal, outlier_labels
from sfumato.groups.outlier_panel import detections
from sfumato.groups.signals import Signal
from sfumato.groups.swap.optimal_swaps import Swaps
from sfumato.microfile import Microfile
from sfumato.release import StewardFacts

MAX_CELLS = 50
"""A numeric attribute with more values than this is cut into this many equal parts before it is crossed with places."""


@dataclass(frozen=True)
class MaskFacts(StewardFacts):
    """What the steward learns about a release that only masks have changed."""

    cost: float | None = None
    """What the swaps cost, where there is one mask."""
    swaps: Sequence[Sequence[int]] | None = None
    """The records that swapped their places, in pairs."""
    before: Mapping[str, int] | None = None
    """The members of the group in each place before."""
    after: Mapping[str, int] | None = None
    """The members of the group in each place after."""


def facts_of(masked: Sequence[Masked]) -> MaskFacts:
    """Return what the steward learns about masks that were applied one after the other."""
    facts = MaskFacts(original_records=masked[-1].microfile.records, groups=[each.record for each in masked])
    if len(masked) > 1:
        return facts
    record = masked[0].record
    return replace(facts, cost=record["cost"], swaps=record["swaps"], before=record["before"], after=record["after"])


def record_of(task: MaskTask, swaps: Swaps, after: Microfile, *, at_least: int | None) -> dict[str, Any]:
    """Return what only the steward may know of a mask, ready for JSON.

    Parameters
    ----------
    task
        What was to be hidden.
    swaps
        Which records swapped their places.
    after
        The microfile after the swaps.
    at_least
        The number of members that had to be moved in any case, None if unknown.
    """
    settings, before = task.settings, task.microfile
    attained = settings.group.quantity(after)
    moved = int(np.abs(attained.values - task.quantity.values).sum()) // 2
    record: dict[str, Any] = {
        "mask": settings.model_dump(mode="json", exclude_defaults=True),
        "hidden": task.hidden_labels,
        "known": list(settings.known),
        "along": list(moving_attributes(settings, before)),
        "cost": swaps.cost,
        "optimal": swaps.optimal,
        "swaps": np.column_stack([swaps.leaving, swaps.coming]).tolist(),
        "moved": moved,
        "at_least": at_least,
        "proven": moved == at_least,
        "changed_records": int((settings.group.places(after).codes != task.places.codes).sum()),
        "before": _integer_counts(task.quantity),
        "after": _integer_counts(attained),
        "outliers": {
            "before": list(outlier_labels(settings, before)),
            "after": list(outlier_labels(settings, after)),
        },
        "panel": _panel(task, after),
        "tables": dict(_table_changes(settings, before, after)),
    }
    if settings.signal != "quantity":
        record["signal"] = {"before": task.signal.as_dict(), "after": observed_signal(settings, after).as_dict()}
    if settings.weight is not None:
        weighted = [observed_signal(settings, table, weight=settings.weight) for table in (before, after)]
        record["weighted"] = {
            "before": weighted[0].as_dict(),
            "after": weighted[1].as_dict(),
            "outliers": {
                when: list(outlier_labels(settings, table, weight=settings.weight))
                for when, table in (("before", before), ("after", after))
            },
        }
    return record


def _integer_counts(signal: Signal) -> dict[str, int]:
    return {label: int(value) for label, value in signal.as_dict().items()}


def _panel(task: MaskTask, after: Microfile) -> dict[str, dict[str, list[str]]]:
    """Return which hidden places each technique finds before and after."""
    settings = task.settings
    labels_by_technique: dict[str, dict[str, list[str]]] = {}
    for when, table in (("before", task.microfile), ("after", after)):
        signal, unit = observed_signal(settings, table), member_unit(settings, table)
        for detection in detections(signal.values, alpha=settings.alpha, robust=settings.robust, unit=unit):
            labels = [signal.labels[place] for place in detection.places if place in task.hidden]
            labels_by_technique.setdefault(detection.name, {})[when] = labels
    return labels_by_technique


def _table_changes(
    settings: MaskSettings, before: Microfile, after: Microfile
) -> Iterable[tuple[str, dict[str, float]]]:
    """Cross the parameter with each influential attribute, before and after, and yield how much the table changed."""
    places_before, places_after = settings.group.places(before), settings.group.places(after)
    n_places = len(places_before.labels)
    for name in influential_attributes(settings, before):
        codes, n_categories = _category_codes(before, name)
        tables = []
        for places in (places_before, places_after):
            counted = (places.codes >= 0) & (codes >= 0)
            cells = places.codes[counted].astype(np.int64) * n_categories + codes[counted]
            tables.append(np.bincount(cells, minlength=n_places * n_categories))
        change = np.abs(tables[1] - tables[0])
        share = float(change.sum()) / 2 / max(int(tables[0].sum()), 1)
        yield name, {"share": share, "largest_cell_change": int(change.max(initial=0))}


def _category_codes(microfile: Microfile, name: str) -> tuple[Codes, int]:
    """Return the codes of an attribute and their number; many values are put together."""
    encoded = microfile.encoded(name)
    if encoded.values.size <= MAX_CELLS:
        return encoded.codes, int(encoded.values.size)
    ranks = (np.arange(encoded.values.size) * MAX_CELLS // encoded.values.size).astype(np.int32)
    return np.append(ranks, np.int32(-1))[encoded.codes], MAX_CELLS
