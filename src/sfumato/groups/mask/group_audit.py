"""The audit of a release with the steward's record: whether the released table still hides the group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.errors import SfumatoError
from sfumato.groups.mask.group_mask import GroupMask
from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.mask.observed_signal import describe_places, outliers_among, revealed_by_ranks
from sfumato.microfile import Microfile
from sfumato.record_filter import attributes_of
from sfumato.release import AuditSubject, CheckResult, Codebook, Finding


@dataclass(frozen=True)
class HiddenGroupsCheck:
    """A check of an audit: whether a release still hides what the steward's record says."""

    record: Mapping[str, Any]
    """The content of the confidential record."""

    def __call__(self, subject: AuditSubject) -> Iterator[CheckResult]:
        """Count the groups of the record in the released table."""
        if self.record.get("seal") != subject.certificate.seal:
            yield Finding("private", "the record belongs to another release")
            return
        for message in group_findings(self.record, subject.table, subject.codebook):
            yield Finding("group", message)


def group_findings(record: Mapping[str, Any], table: Microfile, codebook: Codebook) -> list[str]:
    """Return what an observer of a released table can see although the masks of a steward's record should hide it.

    Parameters
    ----------
    record
        The confidential record of a release.
    table, codebook
        The released table. A group whose attributes are not in it, or not exactly, cannot be counted there.
    """
    groups = record.get("groups", [])
    if not isinstance(groups, list):
        return ["groups of the record is malformed"]
    findings = []
    for index, group_record in enumerate(groups):
        try:
            findings += [f"groups[{index}]: {message}" for message in _group_messages(group_record, table, codebook)]
        except (KeyError, TypeError, AttributeError):
            findings.append(f"groups[{index}] of the record is malformed")
        except SfumatoError as error:
            findings.append(f"groups[{index}] cannot be counted: {error.message}")
    return findings


def _group_messages(group_record: Mapping[str, Any], table: Microfile, codebook: Codebook) -> list[str]:
    settings, hidden = GroupMask(**group_record["mask"]), group_record["hidden"]
    selections = [(name, selection) for name, selection in settings.selections() if name != "spare"]
    selecting = [attribute for name, selection in selections for attribute in attributes_of(selection, setting=name)]
    if not _are_exact([*settings.group.parameter, *selecting], codebook):
        # nobody can count the group here
        return []
    if outliers := outliers_among(settings, table, hidden):
        return [f"the group stands out again at {describe_places(settings, outliers)}, which the mask should hide"]
    if settings.weight is not None and _are_exact([settings.weight], codebook):
        outliers = outliers_among(settings, table, hidden, weight=settings.weight)
        if outliers:
            return [
                f"the group stands out again at {describe_places(settings, outliers)} if it is counted with the "
                f"weights {settings.weight!r}"
            ]
    if hidden and settings.target is None:
        original = group_record["signal"]["before"] if settings.signal != "quantity" else group_record["before"]
        # other places are hidden only because they came to stand out
        stood_out = group_record["outliers"]["before"] if settings.hide == "outliers" else hidden
        if revealed := revealed_by_ranks(settings, table, original, stood_out):
            return [
                f"ranks reveal {describe_places(settings, revealed)}, which the mask should hide: again among the "
                "highest or lowest places"
            ]
    return _missed_target(settings, group_record, table)


def _missed_target(settings: MaskSettings, group_record: Mapping[str, Any], table: Microfile) -> list[str]:
    quantity = settings.group.quantity(table)
    suppressed_members = sum(group_record["after"].values()) - int(quantity.values.sum())
    counts = quantity.as_dict()
    missed = [
        label
        for label, target in (settings.target or {}).items()
        if suppressed_members == 0 and counts.get(label) != target
    ]
    return [f"{missed[0]} does not have the number of members that the target says"] if missed else []


def _are_exact(names: Iterable[str], codebook: Codebook) -> bool:
    entries = [codebook.attributes.get(name) for name in names]
    return all(entry is not None and entry.form.exact for entry in entries)
