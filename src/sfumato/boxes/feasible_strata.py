"""The division of records into strata with the same missing values, each of which can meet the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Flags
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.constraints import BoxRule, rules_of, without_lost_values
from sfumato.boxes.household_boxes import SharingHouseholds
from sfumato.boxes.infeasibility import Changes, MeasuredStrata, measured_strata, refuse_lost
from sfumato.boxes.missingness_strata import Strata
from sfumato.errors import SettingError, UnattainableError
from sfumato.microfile import Microfile

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes


def strata_of(
    settings: Boxes,
    microfile: Microfile,
    axes: list[QuasiAxis],
    rules: list[BoxRule],
    households: SharingHouseholds | None,
) -> tuple[Strata, Flags]:
    """Stratify the records by what they lack, and refuse if too few of them can meet the limits.

    Also return which records are retained. Records of released households are stratified by what all members lack;
    what single members lack matters only later, when it is known which households are near each other.
    """
    strata, violating = _stratified(settings, microfile, axes, rules, households)
    retained = ~violating[strata.numbers]
    if not _are_enough(settings, microfile, retained):

        def works(changes: Changes) -> bool:
            try:
                changed = settings.changed(**changes)
                changed_rules = rules_of(changed, microfile, axes)
                changed_strata, still_violating = _stratified(changed, microfile, axes, changed_rules, households)
                refuse_lost(axes, changed_strata.lacking[~still_violating])
            except (SettingError, UnattainableError):
                return False
            return _are_enough(changed, microfile, ~still_violating[changed_strata.numbers])

        counted_rules = without_lost_values(rules, axes, strata)
        raise measured_strata(settings, microfile, counted_rules, strata).error(axes, violating, works)
    refuse_lost(axes, strata.lacking[~violating])
    return strata, retained


def _are_enough(settings: Boxes, microfile: Microfile, retained: Flags) -> bool:
    """Return whether no more records are suppressed than may be."""
    return bool(retained.any()) and microfile.records - int(retained.sum()) <= suppressible(settings, microfile)


def _stratified(
    settings: Boxes,
    microfile: Microfile,
    axes: list[QuasiAxis],
    rules: list[BoxRule],
    households: SharingHouseholds | None,
) -> tuple[Strata, Flags]:
    """Stratify the records by what they lack; also return which strata violate a limit."""
    visible_axes = axes if households is None else households.without_personal_gaps(axes)
    strata = Strata.of(visible_axes)

    def measured(strata: Strata) -> MeasuredStrata:
        return measured_strata(settings, microfile, without_lost_values(rules, axes, strata), strata)

    def violating(strata: Strata) -> Flags:
        too_small: Flags = strata.sizes < settings.k
        return too_small if too_small.any() or not rules else too_small | measured(strata).violating

    if settings.missing == "merged":
        codes = None if households is None else households.codes
        strata = strata.merged(violating, visible_axes, settings.k, codes)
    if not rules:
        return strata, violating(strata)
    return strata, _suppressed_strata(settings, microfile, strata, measured(strata).violating)


def _suppressed_strata(settings: Boxes, microfile: Microfile, strata: Strata, violating: Flags) -> Flags:
    """Return which strata violate limits once these are suppressed: t is measured from the remaining table."""
    while settings.t is not None and violating.any() and not violating.all():
        remaining_ids = (np.cumsum(~violating) - 1)[strata.numbers[~violating[strata.numbers]]]
        remaining = Strata(strata.lacking[~violating], remaining_ids)
        table = microfile.filter(~violating[strata.numbers])
        newly_violating = measured_strata(settings, table, (), remaining).violating
        if not newly_violating.any():
            break
        violating = violating.copy()
        violating[~violating] = newly_violating
    return violating


def suppressible(settings: Boxes, microfile: Microfile) -> int:
    """Return how many records may be suppressed; 0.29 of 100 is 29, although not in binary arithmetic."""
    return int(settings.suppress * microfile.records * (1.0 + 1e-12))
