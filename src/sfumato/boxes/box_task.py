"""The task of dividing a microfile into boxes: checked, with axes, costs and constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.boxes.axes import QuasiAxis, as_rows, axes_of
from sfumato.boxes.box_runs import Subdivision, Summary
from sfumato.boxes.constraints import BoxRule, codes_in, rules_of, without_lost_values
from sfumato.boxes.feasible_strata import strata_of
from sfumato.boxes.household_boxes import SharingHouseholds, households_sharing, with_shared_gaps
from sfumato.boxes.missingness_strata import Strata
from sfumato.boxes.preferred_cuts import preferred_places
from sfumato.boxes.validation import check_columns, check_spans
from sfumato.boxes.width_costs import WidthCosts, blurred, costs_of
from sfumato.measures import homes_of
from sfumato.microfile import Microfile
from sfumato.randomness import Secret

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes


@dataclass(frozen=True)
class BoxTask:
    """What is to be divided, and how."""

    settings: Boxes
    microfile: Microfile
    axes: list[QuasiAxis]
    costs: WidthCosts
    rules: list[BoxRule]
    strata: Strata
    retained: Flags
    """Which records can be in a box that meets the limits; the others are suppressed."""
    secret: Secret
    households: SharingHouseholds | None = None
    """Who lives together, where that is released and members share quasi attributes."""
    notes: tuple[str, ...] = ()
    """What the steward should know about choices that were made."""

    @property
    def n_codes(self) -> int:
        """The number of categories or sensitive codes that a kernel may have to count."""
        return max(codes_in(self.rules), max(len(axis.values) for axis in self.axes)) + 1

    @property
    def coordinates(self) -> Reals:
        """The axes as rows of one array."""
        return as_rows([axis.coordinates for axis in self.axes])

    @property
    def cut_coordinates(self) -> Reals:
        """The axes as they are cut: preferred points move records apart."""
        settings = self.settings
        n_boxes = self.microfile.records / settings.k
        return preferred_places(settings.prefer, settings.strength, self.axes, boxes=n_boxes)

    @cached_property
    def members(self) -> list[Counts]:
        """The records of each stratum that is retained."""
        return [records for records in self.strata.members() if self.retained[records[0]]]

    @property
    def stratum_ids(self) -> Counts | None:
        """The stratum of each record, if there are several."""
        return self.strata.numbers if len(self.strata) > 1 else None

    @property
    def household_codes(self) -> Codes | None:
        """The household of each record, if households are known."""
        household = self.settings.household
        return None if household is None else homes_of(self.microfile.encoded(household))

    def summary(self, boxes: Subdivision) -> Summary:
        """Return the ends of boxes and what a unit of their widths costs."""
        return boxes.summary(self.coordinates, self.costs.rows, self.settings.threads)


def box_task(settings: Boxes, microfile: Microfile, secret: Secret) -> BoxTask:
    """Check the settings against the microfile and set up the task."""
    check_columns(settings, microfile)
    axes = axes_of(microfile, settings.quasi, settings.hierarchies, tiling=settings.edges == "tiling")
    check_spans(axes, settings.edges)
    blurred_statistics, notes = blurred(settings.preserve or (), microfile, axes)
    households = households_sharing(settings, microfile, axes)
    axes = axes if households is None else with_shared_gaps(axes, households)
    rules = rules_of(settings, microfile, axes)
    strata, retained = strata_of(settings, microfile, axes, rules, households)
    rules = without_lost_values(rules, axes, strata)
    axes = strata.hiding(axes)
    weights = settings.roles.weights(microfile) if settings.weight else None
    statistics = None if settings.preserve is None else blurred_statistics
    detail = 1.0 if settings.detail is None else settings.detail
    costs = costs_of(axes, statistics, microfile, weights, detail)
    return BoxTask(settings, microfile, axes, costs, rules, strata, retained, secret, households, notes)


def check(settings: Boxes, microfile: Microfile) -> None:
    """Refuse what :meth:`Boxes.protect` would refuse, without dividing anything."""
    box_task(settings, microfile, Secret.chosen(settings.seed))


def with_strata(task: BoxTask, strata: Strata) -> BoxTask:
    """Return the task after further values were lost: no constraint counts them, and their widths cost nothing."""
    lost = strata.lacking[strata.numbers].T
    return replace(
        task,
        axes=strata.hiding(task.axes),
        costs=replace(task.costs, rows=np.where(lost, 0.0, task.costs.rows)),
        rules=without_lost_values(task.rules, task.axes, strata),
        strata=strata,
    )
