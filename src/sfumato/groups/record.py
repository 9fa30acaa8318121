"""The steward's record of a mask: what was hidden, what it cost, and whether a release still hides it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Codes
from sfumato.errors import SfumatoError
from sfumato.groups.dependencies import along_of
from sfumato.groups.panel import found_by_any, looks_of
from sfumato.groups.signals import Signal
from sfumato.groups.together import choices_of
from sfumato.microfile.forms import Exact
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.roles import weights_named
from sfumato.microfile.selection import attributes_of, chosen_in
from sfumato.release.audit import Audit, Finding, Opened, audit_files, table_of

if TYPE_CHECKING:
    from sfumato.groups.mask import GroupMask
    from sfumato.groups.masking import Task
    from sfumato.groups.swapping import Swaps
    from sfumato.release.codebook import Codebook

CELLS = 50
"""A numeric attribute with more values than this is cut into as many equal parts, to be crossed with places."""


def record_of(task: Task, swaps: Swaps, after: Microfile, *, at_least: int | None) -> dict[str, Any]:
    """Return what only the steward may know of a mask, as JSON takes it.

    Parameters
    ----------
    task
        What was to be hidden.
    swaps
        Who took whose place.
    after
        The microfile after it.
    at_least
        How many members had to be moved in any case, None if that is unknown.
    """
    from sfumato.groups.masking import signal_of

    settings, before = task.settings, task.microfile
    reached = settings.group.quantity(after)
    moved = int(np.abs(reached.values - task.quantity.values).sum()) // 2
    record: dict[str, Any] = {
        "mask": settings.model_dump(mode="json", exclude_defaults=True),
        "hidden": task.hidden_labels,
        "known": list(settings.known),
        "along": list(along_of(settings, before)),
        "cost": swaps.cost,
        "optimal": swaps.optimal,
        "swaps": np.column_stack([swaps.leaving, swaps.coming]).tolist(),
        "moved": moved,
        "at_least": at_least,
        "proven": moved == at_least,
        "changed_records": int((settings.group.places(after).codes != task.places.codes).sum()),
        "before": _whole(task.quantity),
        "after": _whole(reached),
        "outliers": {
            "before": list(_outliers(settings, before)),
            "after": list(_outliers(settings, after)),
        },
        "panel": _panel(task, after),
        "tables": dict(_table_changes(settings, before, after)),
    }
    if settings.signal != "quantity":
        record["signal"] = {"before": task.signal.as_dict(), "after": signal_of(settings, after).as_dict()}
    if settings.weight is not None:
        told = [signal_of(settings, people, weight=settings.weight) for people in (before, after)]
        record["weighted"] = {
            "before": told[0].as_dict(),
            "after": told[1].as_dict(),
            "outliers": {
                when: list(_outliers(settings, people, weight=settings.weight))
                for when, people in (("before", before), ("after", after))
            },
        }
    return record


def _whole(signal: Signal) -> dict[str, int]:
    return {label: int(value) for label, value in signal.as_dict().items()}


def _outliers(settings: GroupMask, people: Microfile, *, weight: str | None = None) -> tuple[str, ...]:
    """Return where the group stands out, by any technique of the panel."""
    from sfumato.groups.masking import signal_of

    signal, unit = signal_of(settings, people, weight=weight), unit_in(settings, people, weight=weight)
    found = found_by_any(signal.values, alpha=settings.alpha, robust=settings.robust, unit=unit)
    return tuple(signal.labels[place] for place in found)


def unit_in(settings: GroupMask, people: Microfile, *, weight: str | None = None) -> float:
    """Return what one member is in the signal: how many people it stands for, or which share of a place."""
    places, members = settings.group.places(people), settings.group.members(people)
    person = 1.0
    if weight is not None:
        stands_for = settings.group.quantity(people, weight=weight).values.sum()
        person = float(stands_for) / max(int((members & (places.codes >= 0)).sum()), 1)
    if settings.signal == "quantity":
        return person
    everybody = np.ones(people.records, dtype=np.bool_)
    if settings.universe is not None:
        everybody = chosen_in(people, settings.universe, setting="universe") | members
    counted = weights_named(weight, people) if weight is not None else None
    return person / max(float(np.median(places.count(everybody, counted))), person)


def _panel(task: Task, after: Microfile) -> dict[str, dict[str, list[str]]]:
    """Return which hidden places each technique finds before and after."""
    from sfumato.groups.masking import signal_of

    settings = task.settings
    found: dict[str, dict[str, list[str]]] = {}
    for when, people in (("before", task.microfile), ("after", after)):
        signal, unit = signal_of(settings, people), unit_in(settings, people)
        for look in looks_of(signal.values, alpha=settings.alpha, robust=settings.robust, unit=unit):
            labels = [signal.labels[place] for place in look.found if place in task.hidden]
            found.setdefault(look.name, {})[when] = labels
    return found


def named_in(settings: GroupMask) -> set[str]:
    """Return the places that the steward has named; others are records' values."""
    hide = settings.hide if isinstance(settings.hide, tuple) else ()
    return {*hide, *(settings.target or ()), *settings.known, *settings.decoys, *settings.restrictions}


def told_places(settings: GroupMask, places: Collection[str]) -> str:
    """Name places in a message if the steward has named them all; else count them."""
    if {*places} <= named_in(settings):
        return ", ".join(places)
    return f"{len(places):,} hidden place{'s' * (len(places) > 1)}"


def weight_shown(settings: GroupMask) -> bool:
    """Say whether everybody can count with the weights."""
    return settings.weight is not None and settings.weight not in settings.identifiers


def shown_at(
    settings: GroupMask, table: Microfile, places: Collection[str], *, weight: str | None = None
) -> tuple[str, ...]:
    """Return at which of some places the group stands out in a table, to those who count with weights if any."""
    found = _outliers(settings, table, weight=weight)
    return tuple(label for label in found if label in places)


def _table_changes(settings: GroupMask, before: Microfile, after: Microfile) -> Iterable[tuple[str, dict[str, float]]]:
    """Cross the parameter with each influential attribute, before and after, and tell how much the table changed."""
    from sfumato.groups.exchange import influential_names

    places = settings.group.places(before), settings.group.places(after)
    size = len(places[0].labels)
    for name in influential_names(settings, before):
        codes, width = _parts(before, name)
        tables = []
        for its in places:
            there = (its.codes >= 0) & (codes >= 0)
            cells = its.codes[there].astype(np.int64) * width + codes[there]
            tables.append(np.bincount(cells, minlength=size * width))
        change = np.abs(tables[1] - tables[0])
        share = float(change.sum()) / 2 / max(int(tables[0].sum()), 1)
        yield name, {"share": share, "largest_cell_change": int(change.max(initial=0))}


def _parts(microfile: Microfile, name: str) -> tuple[Codes, int]:
    """Return the codes of an attribute, those of many numbers put together."""
    encoded = microfile.encoded(name)
    if encoded.values.size <= CELLS:
        return encoded.codes, int(encoded.values.size)
    ranks = (np.arange(encoded.values.size) * CELLS // encoded.values.size).astype(np.int32)
    return np.append(ranks, np.int32(-1))[encoded.codes], CELLS


def audit_with_record(opened: Opened, record: Mapping[str, Any]) -> Audit:
    """Re-measure a written release, and whether it still hides what the steward's record says.

    Parameters
    ----------
    opened
        The release's files.
    record
        The content of its private record.
    """
    found = audit_files(opened)
    if opened.certificate is None or opened.codebook is None or opened.frame is None:
        return found
    if record.get("seal") != opened.certificate.seal:
        return replace(found, findings=(*found.findings, Finding("private", "the record is not that of this release")))
    wrong = group_findings(record, table_of(opened.frame, opened.codebook), opened.codebook)
    return replace(found, findings=(*found.findings, *(Finding("group", message) for message in wrong)))


def group_findings(record: Mapping[str, Any], table: Microfile, codebook: Codebook) -> list[str]:
    """Say what is wrong with the masks of a steward's record, if a released table is looked at as an observer would.

    Parameters
    ----------
    record
        The private record of a release.
    table, codebook
        The released table. A group whose attributes are not in it, or not exactly, cannot be counted there.
    """
    found = []
    groups = record.get("groups", [])
    if not isinstance(groups, list):
        return ["groups of the record is not of its form"]
    for number, one in enumerate(groups):
        try:
            found += _one_finding(number, one, table, codebook)
        except (KeyError, TypeError, AttributeError):
            found.append(f"groups[{number}] of the record is not of its form")
        except SfumatoError as error:
            found.append(f"groups[{number}] cannot be counted: {error.message}")
    return found


def _one_finding(number: int, one: Mapping[str, Any], table: Microfile, codebook: Codebook) -> list[str]:
    from sfumato.groups.mask import GroupMask

    def exact(names: Iterable[str]) -> bool:
        entries = [codebook.attributes.get(name) for name in names]
        return all(entry is not None and isinstance(entry.form, Exact) for entry in entries)

    settings = GroupMask(**one["mask"])
    chosen = [(name, its) for name, its in choices_of(settings) if name != "spare"]
    named = [attribute for name, its in chosen for attribute in attributes_of(its, setting=name)]
    if not exact([*settings.group.parameter, *named]):
        # nobody can count the group here
        return []
    told = f"groups[{number}]: the group stands out again at"
    if shown := shown_at(settings, table, one["hidden"]):
        return [f"{told} {told_places(settings, shown)}, which the mask was to hide"]
    if settings.weight is not None and exact([settings.weight]):
        shown = shown_at(settings, table, one["hidden"], weight=settings.weight)
        if shown:
            return [f"{told} {told_places(settings, shown)} if it is counted with the weights {settings.weight!r}"]
    left_out = sum(one["after"].values()) - int(settings.group.quantity(table).values.sum())
    target = settings.target or {}
    now = settings.group.quantity(table).as_dict()
    missed = [label for label, wanted in target.items() if left_out == 0 and now.get(label) != wanted]
    return [f"groups[{number}]: {missed[0]} has not as many members as the target says"] if missed else []
