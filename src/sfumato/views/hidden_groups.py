"""What a group mask did, for the steward alone: which places it hides, and what that cost."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from sfumato.formatting import capitalised, cell, count, counted, listed, number, share
from sfumato.views.model import Passage, Table
from sfumato.views.steward_record import HiddenGroup, OutlierPlaces

UNCOUNTED = (
    "The release does not show who belongs to the group, so nobody can count its members. The figures are the true "
    "ones behind the release, which were hidden from attacks."
)
LISTED_PLACES = 24
"""The largest number of places in a table."""
SIGNALS = {"quantity": "Members", "concentration": "Shares of members", "difference": "Differences of shares"}


def group_costs(groups: Sequence[Mapping[str, Any]], swapped: Sequence[str]) -> list[str]:
    """Say what hiding groups cost, without naming the groups or places: only the steward's record does.

    Parameters
    ----------
    groups
        The groups of a confidential record.
    swapped
        The attributes whose values were swapped.
    """
    sentences = []
    for ordinal, group in enumerate(groups, start=1):
        optimal = "; no swap with this outcome costs less" if group["optimal"] else ""
        sentences.append(
            f"Group {ordinal}: {counted(group['moved'], 'member')} moved{_minimum(group['moved'], group['at_least'])}, "
            f"{counted(group['changed_records'], 'record')} changed; distortion {cell(group['cost'])}{optimal}."
            f"{_outlier_counts(group)}"
        )
        sentences += _attack_counts(group)
        if weighted := group.get("weighted"):
            sentences.append(f"  Counted with weights: {_before_after(weighted['outliers'])}")
    if sentences:
        sentences.append(
            f"The release only says that values of {listed(swapped)} may have been swapped between records."
        )
    return sentences


def _outlier_counts(group: Mapping[str, Any]) -> str:
    """Say at how many places the group is an outlier, if the release shows who belongs to it."""
    if not group.get("against", {}).get("vital_released", True):
        return ""
    return f" {capitalised(_before_after(group['outliers']))}"


def _before_after(outliers: Mapping[str, Any]) -> str:
    before, after = (len(outliers[when]) for when in ("before", "after"))
    return f"outlier at {counted(before, 'place')} before, at {count(after)} now."


def _attack_counts(group: Mapping[str, Any]) -> list[str]:
    """Say what attacks found before and find now, and what hardening cost."""
    hardening = group.get("against")
    if hardening is None:
        return []
    n_hidden = counted(len(group["hidden"]), "hidden place")
    return [
        *(
            f"  {capitalised(attack['name'])} found {count(len(attack['found_before']))} of {n_hidden} before, and "
            f"finds {count(len(attack['found_after']))} now."
            for attack in hardening["attacks"]
        ),
        f"  This took {counted(hardening['looks'], 'attempt')} and changed {hardening['share_of_values']:.4%} of all "
        "values.",
    ]


def _minimum(moved: int, at_least: int | None) -> str:
    """Say whether fewer members could have been moved, if that is known."""
    if at_least is None:
        return ""
    return " (the minimum)" if moved == at_least else f" (the minimum is at least {count(at_least)})"


def group_passage(ordinal: int, group: HiddenGroup) -> Passage:
    """Show one hidden group."""
    parameter, weighted = " and ".join(group.mask.group.parameter), group.weighted
    optimal = "no swap with this outcome costs less" if group.optimal else "a cheaper swap may exist"
    known = f" Known to others anyway: {listed(group.known)}." if group.known else ""
    sentences = (
        f"The group is {_definition(group.mask.group.vital)}, counted by {parameter}. Hidden places: "
        f"{listed(group.hidden)}.{known}",
        f"{counted(group.moved, 'member was', 'members were')} moved{_minimum(group.moved, group.at_least)} and "
        f"{counted(group.changed_records, 'record was', 'records were')} changed. The distortion is "
        f"{number(group.cost)} ({optimal}).",
        _outlier_sentence(group, group.outliers, "The group was an outlier") if group.is_counted else UNCOUNTED,
        *(
            ()
            if weighted is None
            else (_outlier_sentence(group, weighted.outliers, "Counted with weights, it was an outlier"),)
        ),
    )
    tables = (
        places_table(group),
        *_attack_tables(group),
        *_change_tables(group),
        settings_table("Settings of the mask", group.mask.model_dump(mode="json")),
    )
    return Passage(f"group-{ordinal}", f"Group {ordinal}: before and after", sentences, tables)


def _attack_tables(group: HiddenGroup) -> tuple[Table, ...]:
    """Show which hidden places attacks found before and after."""
    hardening = group.against
    if hardening is None:
        return ()
    rows = tuple(
        (capitalised(attack.name), listed(attack.found_before), listed(attack.found_after))
        for attack in hardening.attacks
    )
    cost = f"{counted(hardening.changed_values, 'value')} changed, {share(hardening.share_of_values)} of all"
    return (Table(f"Hidden places that attacks find ({cost})", ("Attack", "Before", "After"), rows),)


def _outlier_sentence(group: HiddenGroup, outliers: OutlierPlaces, subject: str) -> str:
    remaining = [label for label in outliers.after if label in group.hidden]
    outcome = f"It still is at these hidden places: {listed(remaining)}." if remaining else "It is at no hidden place."
    before, after = counted(len(outliers.before), "place"), count(len(outliers.after))
    return f"{subject} at {before} before and is at {after} now. {outcome}"


def relevant_places(group: HiddenGroup, *, at_most: int) -> list[str]:
    """Return the places that matter, if there are too many: those with a role first, then those that changed most."""
    before, after = group.signals.before, group.signals.after
    labels = list(dict.fromkeys([*before, *after]))
    if len(labels) <= at_most:
        return labels
    special = {*group.hidden, *group.known, *group.outliers.before, *group.outliers.after}
    change = {label: abs(after.get(label, 0.0) - before.get(label, 0.0)) for label in labels}
    chosen = set(sorted(labels, key=lambda label: (label not in special, -change[label]))[:at_most])
    return [label for label in labels if label in chosen]


def places_table(group: HiddenGroup) -> Table:
    """Show the signal before and after, place by place."""
    signals, outliers = group.signals, group.outliers
    labels = relevant_places(group, at_most=LISTED_PLACES)
    n_places = len({*signals.before, *signals.after})
    rows = tuple(
        (
            label,
            group.role(label) or "-",
            number(signals.before.get(label, 0.0)),
            number(signals.after.get(label, 0.0)),
            _when(label in outliers.before, label in outliers.after),
        )
        for label in labels
    )
    extract = f", {len(labels)} of {n_places} places" if len(labels) < n_places else ""
    columns = ("Place", "Role", "Before", "After", "Outlier")
    return Table(f"{SIGNALS[group.mask.signal]} before and after{extract}", columns, rows)


def _when(before: bool, after: bool) -> str:
    return "before and after" if before and after else "before" if before else "after" if after else "-"


def _change_tables(group: HiddenGroup) -> tuple[Table, ...]:
    rows = tuple(
        (name, share(change.share), count(change.largest_cell_change)) for name, change in group.tables.items()
    )
    columns = ("Attribute", "People in another cell", "Largest change of a cell")
    return (Table("Change of the cross tables of place and attribute", columns, rows),) if rows else ()


def settings_table(caption: str, settings: Mapping[str, Any]) -> Table:
    """Show settings as they are written in a recipe or a record."""
    rows = tuple((name, _written(value)) for name, value in settings.items())
    return Table(caption, ("Setting", "Value"), rows)


def _definition(vital: JsonValue) -> str:
    """Say who belongs to a group."""
    if not isinstance(vital, dict):
        return _written(vital)
    return " and ".join(
        f"{name} = {listed(values, conjunction='or') if isinstance(values, list) else _written(values)}"
        for name, values in vital.items()
    )


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
