"""From a microfile to a release of boxes, step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from sfumato.arrays import Counts, Flags, Reals
from sfumato.boxes.axes import Axis, axes_of, space_of
from sfumato.boxes.checks import check_roles, rules_of, unattainable
from sfumato.boxes.columns import Column, bits_of, interval_column, node_column, range_column, set_column
from sfumato.boxes.costs import Costs, check_wanted, costs_of, default_wanted
from sfumato.boxes.edges import Edges, shown_values, snapped_edges, tight_edges
from sfumato.boxes.limits import Rule, codes_in, limits_with
from sfumato.boxes.preferences import preferred
from sfumato.boxes.strata import Strata
from sfumato.boxes.subdivision import HEAT, PASSES, QUICK, Subdivision, exchange_records, passes_for, subdivide
from sfumato.boxes.tiling import Cells, cells_of
from sfumato.boxes.uncertainty import uncertainty_of
from sfumato.measures.blocks import Blocks
from sfumato.measures.kept import keeps
from sfumato.microfile.forms import Form
from sfumato.microfile.microfile import Microfile
from sfumato.progress import Progress
from sfumato.release.release import Release
from sfumato.statistics.sensitivity import Wanted

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes
    from sfumato.kernels.limits import Limits
    from sfumato.kernels.space import Space

MUCH = 4.0
"""Leaving a record out buys much if its box costs this many times as much a record as all boxes do."""
REFINING_HEAT = 0.25


@dataclass(frozen=True)
class Task:
    """What is to be divided, and how."""

    settings: Boxes
    microfile: Microfile
    axes: list[Axis]
    wanted: tuple[Wanted, ...]
    costs: Costs
    rules: list[Rule]
    strata: Strata

    @property
    def codes(self) -> int:
        """How many categories or sensitive codes a kernel may have to count."""
        return max(codes_in(self.rules), max(len(axis.values) for axis in self.axes)) + 1


def protect(settings: Boxes, microfile: Microfile, progress: Progress) -> Release:
    """Divide, measure, and make the release."""
    progress("preparing", 0.0)
    task, kept = _task(settings, microfile)
    boxes = _divided(task, kept, progress)
    kept_boxes = _worth_keeping(task, boxes, int(microfile.records - kept.sum()))
    return _released(task, boxes, kept_boxes, progress)


def _task(settings: Boxes, microfile: Microfile) -> tuple[Task, Flags]:
    """Check everything and set up the task; also return which records it is about."""
    check_roles(settings, microfile)
    axes = axes_of(microfile, settings.quasi, settings.hierarchies)
    wanted = tuple(default_wanted(axes)) if settings.preserve is None else settings.preserve
    check_wanted(wanted, microfile, axes)
    rules = rules_of(settings, microfile, axes)
    strata, kept = _strata(settings, microfile, axes, rules)
    axes = [
        replace(axis, missing=lacking, places=np.where(lacking, 0.0, axis.places))
        if (lacking := strata.lacking[strata.numbers, row]).any()
        else axis
        for row, axis in enumerate(axes)
    ]
    weights = settings.promise().roles.weights(microfile) if settings.weight else None
    costs = costs_of(axes, wanted, microfile, weights, settings.detail)
    return Task(settings, microfile, axes, wanted, costs, rules, strata), kept


def _strata(settings: Boxes, microfile: Microfile, axes: list[Axis], rules: list[Rule]) -> tuple[Strata, Flags]:
    """Part the records by what they lack, and see that every part can keep the limits."""
    strata = Strata.of(axes)

    def breaking(some: Strata) -> Flags:
        few: Flags = some.sizes < settings.k
        return few if few.any() or not rules else few | unattainable(settings, microfile, rules, some).broken

    if settings.missing == "merged":
        strata = strata.merged(breaking)
    broken = breaking(strata)
    kept = ~broken[strata.numbers]
    left_out = microfile.records - int(kept.sum())
    if left_out > settings.suppress * microfile.records or not kept.any():
        raise unattainable(settings, microfile, rules, strata).error(axes)
    return strata, kept


def _divided(task: Task, kept: Flags, progress: Progress) -> Subdivision:
    """Cut the space and exchange records."""
    settings, records = task.settings, task.microfile.records
    limits = limits_with(settings.k, task.rules)
    space = space_of(task.axes, task.costs.whole, preferred(settings.prefer, settings.strength, task.axes))
    members = [its for its in task.strata.members() if kept[its[0]]]
    boxes = subdivide(space, limits, members, task.codes, threads=settings.threads, progress=progress)
    if settings.edges == "tiling":
        return boxes
    passes, heat, what = _effort(settings, records)
    return exchange_records(
        space,
        limits,
        boxes,
        task.codes,
        strata=task.strata.numbers if len(members) > 1 else None,
        passes=passes,
        heat=heat,
        seed=settings.seed,
        threads=settings.threads,
        progress=lambda share: progress(what, share),
    )


def _effort(settings: Boxes, records: int) -> tuple[int, float, str]:
    if settings.refine:
        return passes_for(records, settings.seconds), REFINING_HEAT, "refining"
    default = PASSES if records <= QUICK else 0
    return default if settings.passes is None else settings.passes, HEAT, "exchanging"


def _worth_keeping(task: Task, boxes: Subdivision, left_out: int) -> Flags:
    """Say which boxes stay: those that cost most may be left out, up to the share that is allowed."""
    stay = np.ones(len(boxes), dtype=np.bool_)
    room = int(task.settings.suppress * task.microfile.records) - left_out
    if room < task.settings.k:
        return stay
    costs = np.zeros(len(boxes))
    for row, axis in enumerate(task.axes):
        width = boxes.greatest(axis.places) - boxes.least(axis.places)
        costs += boxes.totals(task.costs.whole[row]) * (width if axis.is_linear else width / len(axis.values))
    each = costs / boxes.sizes
    dearest = np.argsort(-each, kind="stable")
    within = np.cumsum(boxes.sizes[dearest]) <= room
    stay[dearest[within & (each[dearest] > MUCH * costs.sum() / boxes.sizes.sum())]] = False
    return stay


def _released(task: Task, boxes: Subdivision, stay: Flags, progress: Progress) -> Release:
    """Make the released table, measure it, and say how exact it is."""
    settings, microfile = task.settings, task.microfile
    progress("measuring", 0.9)
    cells = cells_of(task.axes, task.strata, boxes) if settings.edges == "tiling" else None
    edges = {axis.name: _edges(task, axis, row, boxes, cells) for row, axis in enumerate(task.axes) if axis.kind != "set"}
    columns = {axis.name: _column(task, axis, boxes, edges.get(axis.name), cells) for axis in task.axes}
    whole = boxes.records.size == microfile.records and bool(stay.all())
    numbers = np.full(microfile.records, -1, dtype=np.int32)
    numbers[boxes.records] = np.repeat(np.arange(len(boxes), dtype=np.int32), boxes.sizes)
    if not stay.all():
        numbers[numbers >= 0] = np.where(stay[numbers[numbers >= 0]], numbers[numbers >= 0], -1)
    chosen = np.flatnonzero(numbers >= 0)
    table, forms = _table(settings, microfile, columns, numbers if whole else numbers[chosen], None if whole else chosen)
    blocks = _blocks(columns, numbers if whole else numbers[chosen])
    _verify(settings, table, blocks, task, chosen)
    told = uncertainty_of(task.axes, task.costs.sensitivities, task.wanted, edges, boxes, stay, settings)
    public: dict[str, Any] = {
        "method": "boxes",
        "edges": settings.edges,
        "grids": {name: its.grid for name, its in edges.items() if its.grid is not None},
        "preserve": [one.model_dump(exclude_none=True) for one in task.wanted],
        "uncertainty": told,
        "left_out": microfile.records - chosen.size,
        "dismiss": settings.dismiss,
        "calibrate": settings.calibrate,
    }
    if settings.edges == "tight":
        public["shown"] = shown_values(task.axes, edges, boxes, chosen)
    if any(rule.places.size for rule in task.rules):
        public["apart"] = {rule.attribute: {"l": rule.limit, "epsilon": rule.extra} for rule in task.rules if rule.places.size}
    return Release(
        table,
        promise=settings.promise(),
        forms=forms,
        hierarchies={name: one for name, one in settings.hierarchies.items() if name in settings.sensitive},
        identifiers=settings.identifiers,
        settings=public,
        private={"original_records": microfile.records, "protection": _told(settings)},
    )


def _edges(task: Task, axis: Axis, row: int, boxes: Subdivision, cells: Cells | None) -> Edges:
    if cells is not None:
        return cells.edges(row)
    if axis.kind in ("ordinal", "tree") or task.settings.edges == "tight":
        return tight_edges(axis, boxes)
    dtype = task.microfile.series(axis.name).dtype
    costs = boxes.totals(task.costs.whole[row])
    return snapped_edges(axis, boxes, costs, dtype, task.settings.k, task.settings.snap)


def _column(task: Task, axis: Axis, boxes: Subdivision, edges: Edges | None, cells: Cells | None) -> Column:
    lacking = axis.missing[boxes.records[boxes.starts]]
    if edges is None:
        bits = cells.bits(axis.name) if cells else bits_of(axis, axis.places[boxes.records], boxes.starts)
        return set_column(axis, bits, lacking)
    if axis.kind == "ordinal":
        return range_column(axis, edges, lacking)
    if axis.kind == "tree":
        return node_column(axis, edges, lacking)
    return interval_column(axis, edges, lacking, task.microfile.series(axis.name).dtype)


def _table(
    settings: Boxes, microfile: Microfile, columns: dict[str, Column], numbers: Any, chosen: Counts | None
) -> tuple[Microfile, dict[str, Form]]:
    """Put the boxes in the place of the quasi attributes; the other columns stay as they are."""
    table = microfile if chosen is None else microfile.take(chosen)
    replaced = {
        series.name: series.gather(numbers) for column in columns.values() for series in column.series
    }
    wide = table.with_columns(replaced)
    order = []
    for name in microfile.names:
        if name in columns:
            order += [series.name for series in columns[name].series]
        elif name not in settings.identifiers:
            order.append(name)
    return wide.select(order), {name: column.form for name, column in columns.items()}


def _blocks(columns: dict[str, Column], numbers: Any) -> Blocks:
    """Part the records by what is released of them."""
    from sfumato.kernels.quadratic import number_rows

    rows = np.ascontiguousarray(np.concatenate([column.keys for column in columns.values()]).T) + 0.0
    alike, distinct = number_rows(rows)
    found = alike[numbers]
    sizes = np.bincount(found, minlength=distinct)
    if not sizes.all():
        # boxes that were left out have none
        kept = np.flatnonzero(sizes)
        renumbered = np.full(distinct, -1, dtype=np.int32)
        renumbered[kept] = np.arange(kept.size, dtype=np.int32)
        found, sizes = renumbered[found], sizes[kept]
    return Blocks(found.astype(np.int32, copy=False), sizes.astype(np.int64), ())


def _verify(settings: Boxes, table: Microfile, blocks: Blocks, task: Task, chosen: Counts) -> None:
    """Measure the result against the promise; nothing unverified leaves."""
    from sfumato.boxes.checks import refuse_broken

    sensitive = {name: one for name, one in settings.hierarchies.items() if name in settings.sensitive}
    kept = keeps(table, settings.promise(), hierarchies=sensitive, blocks=blocks)
    refuse_broken(kept, task.rules, blocks, chosen)


def _told(settings: Boxes) -> dict[str, Any]:
    """Return the settings for the steward's own record."""
    return settings.model_dump(mode="json", exclude={"hierarchies"}, exclude_defaults=True)
