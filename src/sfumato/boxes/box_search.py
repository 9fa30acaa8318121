"""The search for boxes: the choice of detail, cuts, regrouping and swaps of records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Reals
from sfumato.boxes.axes import QuasiAxis, space_of
from sfumato.boxes.box_runs import Subdivision
from sfumato.boxes.box_task import BoxTask, with_strata
from sfumato.boxes.category_label_groups import present_categories
from sfumato.boxes.constraints import limits_with
from sfumato.boxes.cut_engine import QUICK, subdivide
from sfumato.boxes.detail_choice import Trial, choose_detail, with_detail
from sfumato.boxes.household_boxes import HouseholdBoxes, HouseholdCutter
from sfumato.boxes.infeasibility import measured_strata, refuse_lost
from sfumato.boxes.regroup_refinement import closed_labels, regrouped, turns_for
from sfumato.boxes.swap_refinement import CORES, HEAT, PASSES, Effort, swap_records
from sfumato.progress import Progress, silent

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes
    from sfumato.kernels.boxes.box_cost import Space
    from sfumato.kernels.boxes.limit_check import Limits

REFINING_HEAT = 1.25
"""As :data:`HEAT`, where there is time to cool down."""


@dataclass(frozen=True)
class Division:
    """The boxes that a search has found."""

    task: BoxTask
    """The task, without the values that had to be given up."""
    boxes: Subdivision
    costs: Reals
    """What each box costs; empty if nothing may be suppressed."""
    household_boxes: HouseholdBoxes | None = None
    """The boxes of whole households, where households are released."""


def with_chosen_detail(task: BoxTask) -> BoxTask:
    """Choose how much the detail of attributes that no preserved statistic uses counts, unless that is set."""
    settings = task.settings
    if settings.detail is not None or settings.preserve is None:
        return task
    detail, notes = choose_detail(task.axes, task.costs, lambda detail: _trial(task, detail))
    return replace(task, costs=with_detail(task.costs, detail), notes=(*task.notes, *notes))


def _trial(task: BoxTask, detail: float) -> Trial:
    """Cut the space with some detail; measure how exact preserved statistics are and how coarse other attributes."""
    settings, costs, n_records = task.settings, with_detail(task.costs, detail), int(task.retained.sum())
    space = space_of(task.axes, task.cut_coordinates, costs.rows)
    limits = limits_with(settings.k, task.rules, task.retained)
    boxes = subdivide(space, limits, task.members, task.n_codes, threads=settings.threads, progress=silent)
    ends = boxes.summary(task.coordinates, costs.rows, settings.threads)
    preserved_cost = float((ends.totals * (ends.hi - ends.lo))[costs.spoken].sum()) / n_records
    total_cost = float(boxes.costs(space, task.n_codes, settings.threads).sum()) / n_records
    # the cost of the full span of all attributes that no statistic uses
    full_cost = sum(
        float(row.mean()) * (axis.span or 1.0)
        for row, axis, used in zip(costs.rows, task.axes, costs.spoken, strict=True)
        if not used
    )
    return Trial(0.5 * preserved_cost, (total_cost - preserved_cost) / full_cost if full_cost > 0 else 0.0)


def find_boxes(task: BoxTask, progress: Progress) -> Division:
    """Cut the space into boxes, and improve them."""
    if task.households is not None:
        return _household_division(task, progress)
    settings = task.settings
    limits = limits_with(settings.k, task.rules, task.retained)
    space = space_of(task.axes, task.cut_coordinates, task.costs.rows)
    careful = settings.edges == "tiling"
    boxes = subdivide(
        space, limits, task.members, task.n_codes, careful=careful, threads=settings.threads, progress=progress
    )
    boxes = _regrouped(task, space, limits, boxes, progress)
    boxes = _with_swapped_records(task, space, limits, boxes, task.axes, progress)
    return Division(task, boxes, boxes.costs(space, task.n_codes, settings.threads) if settings.suppress else _NO_COSTS)


_NO_COSTS = np.empty(0)


def _household_division(task: BoxTask, progress: Progress) -> Division:
    """Cut boxes of whole households, and these into boxes of records; values that had to be merged there are lost."""
    households = task.households
    assert households is not None
    settings, microfile, retained = task.settings, task.microfile, task.retained
    cutter = HouseholdCutter(
        settings,
        task.axes,
        task.cut_coordinates,
        task.costs.rows,
        task.rules,
        retained,
        task.n_codes,
        households,
    )
    outer, strata = cutter.cut(task.members, lambda strata: measured_strata(settings, microfile, (), strata), progress)
    task = with_strata(task, strata)
    refuse_lost(task.axes, strata.lacking[np.unique(strata.numbers[retained])])
    cutter = replace(cutter, axes=task.axes, costs=task.costs.rows, rules=task.rules)
    boxes = cutter.boxes_within(outer, strata, progress)
    if cutter.personal_rows:
        space = cutter.space(cutter.personal_rows, strata)
        limits = limits_with(settings.k, task.rules, retained)
        personal_axes = [task.axes[row] for row in cutter.personal_rows]
        boxes = _with_swapped_records(task, space, limits, boxes, personal_axes, progress)
    costs = cutter.box_costs(outer, boxes, strata) if settings.suppress else _NO_COSTS
    household_boxes = HouseholdBoxes(households.shared_rows, outer, cutter.outer_box_of(outer, boxes))
    return Division(task, boxes, costs, household_boxes)


def _regrouped(task: BoxTask, space: Space, limits: Limits, boxes: Subdivision, progress: Progress) -> Subdivision:
    """Regroup records among neighbouring boxes, if attributes have categories; cells of a tiling are left alone."""
    settings = task.settings
    if settings.edges == "tiling" or all(axis.is_linear for axis in task.axes):
        return boxes
    turns = turns_for(task.microfile.records, settings.k) if settings.passes is None else settings.passes
    if not turns:
        return boxes
    closing = settings.edges == "snapped"
    present = (lambda axis: present_categories(axis, boxes, task.household_codes)) if closing else None
    return regrouped(
        space,
        limits,
        boxes,
        closed_labels(task.axes, present, settings.k),
        task.n_codes,
        strata=task.stratum_ids,
        turns=turns,
        secret=task.secret,
        threads=settings.threads,
        progress=lambda share: progress("regrouping", share),
    )


def _with_swapped_records(
    task: BoxTask, space: Space, limits: Limits, boxes: Subdivision, axes: list[QuasiAxis], progress: Progress
) -> Subdivision:
    """Swap records between neighbouring boxes, which were cut along some axes."""
    settings = task.settings
    effort, heat, activity = _effort(settings, task.microfile.records, all(axis.is_linear for axis in axes))
    return swap_records(
        space,
        limits,
        boxes,
        task.n_codes,
        strata=task.stratum_ids,
        many_strata=task.households is not None,
        effort=effort,
        heat=heat,
        secret=task.secret,
        threads=settings.threads,
        progress=lambda share: progress(activity, share),
    )


def _effort(settings: Boxes, n_records: int, linear: bool) -> tuple[Effort, float, str]:
    """Return how long records are swapped, with how much noise, and what that is called."""
    if settings.refine:
        return Effort(None, CORES * settings.seconds), REFINING_HEAT, "refining"
    if not linear:
        # records were regrouped, unless households are released
        return Effort(settings.passes or 0 if settings.keep_household else 0), HEAT, "swapping"
    # in a tiling, swapped records would be in the cells of others
    default = PASSES if n_records <= QUICK and settings.edges != "tiling" else 0
    return Effort(default if settings.passes is None else settings.passes), HEAT, "swapping"
