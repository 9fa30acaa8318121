"""From a microfile to a release of boxes, step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.boxes.axes import Axis, as_rows, axes_of, released_type, space_of
from sfumato.boxes.category_groups import Present, closed_ranges, closed_sets, range_groups, set_groups
from sfumato.boxes.category_sets import CategorySets
from sfumato.boxes.checks import (
    apart_limits,
    check_roles,
    check_spans,
    counted,
    refuse_broken,
    refuse_lost,
    refuse_single,
    rules_of,
    unattainable,
)
from sfumato.boxes.columns import Column, interval_column, node_column, range_column, run_column, set_column
from sfumato.boxes.costs import Costs, blurred, costs_of, default_wanted
from sfumato.boxes.cutting import QUICK, subdivide
from sfumato.boxes.detail import Trial, choose_detail, with_detail
from sfumato.boxes.edges import Edges, shown_values, snapped_edges
from sfumato.boxes.exchanging import CORES, HEAT, PASSES, Effort, exchange_records
from sfumato.boxes.limits import Rule, codes_in, limits_with
from sfumato.boxes.parting import allowed, strata_of
from sfumato.boxes.preferences import preferred_places
from sfumato.boxes.quarters import Ground, Homes, Quarters, homes_in, told_alike
from sfumato.boxes.regrouping import closed_labels, regrouped, turns_for
from sfumato.boxes.strata import Strata
from sfumato.boxes.subdivision import Subdivision, Summary
from sfumato.boxes.tiling import Cells, cells_of
from sfumato.boxes.uncertainty import uncertainty_of
from sfumato.measures.blocks import Blocks, homes_of
from sfumato.measures.households import rejoined
from sfumato.measures.kept import Limit, keeps
from sfumato.microfile.attribute import Kind
from sfumato.microfile.encoding import written_codes
from sfumato.microfile.forms import Form, Interval, Sets
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Microfile
from sfumato.parallel import side_by_side
from sfumato.progress import Progress, silent
from sfumato.randomness import Secret
from sfumato.release.grids import grid_of
from sfumato.release.households import refuse_sharper, released_in_common, renumbered
from sfumato.release.public import public_wanted, short
from sfumato.release.release import Release, refuse_unkept
from sfumato.statistics.language import parse

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes
    from sfumato.kernels.limits import Limits
    from sfumato.kernels.space import Space

MUCH = 4.0
"""Leaving a record out buys much if its box costs this many times as much a record as all boxes do."""
REFINING_HEAT = 1.25
"""As :data:`HEAT`, where there is time to cool down."""


@dataclass(frozen=True)
class Task:
    """What is to be divided, and how."""

    settings: Boxes
    microfile: Microfile
    axes: list[Axis]
    costs: Costs
    rules: list[Rule]
    strata: Strata
    secret: Secret
    homes: Homes | None = None
    """Who lives together, where that is released and they share quasi attributes."""
    notes: tuple[str, ...] = ()
    """What the steward should know of choices that were made."""

    @property
    def codes(self) -> int:
        """How many categories or sensitive codes a kernel may have to count."""
        return max(codes_in(self.rules), max(len(axis.values) for axis in self.axes)) + 1


def protect(settings: Boxes, microfile: Microfile, progress: Progress, secret: Secret) -> Release:
    """Divide, measure, and make the release."""
    progress("preparing", 0.0)
    task, kept = _task(settings, microfile, secret)
    task = _detailed(task, kept)
    quarters = None
    if task.homes is None:
        boxes, costs = _divided(task, kept, progress)
    else:
        task, boxes, costs, quarters = _divided_by_household(task, task.homes, kept, progress)
    progress("measuring", 0.0)
    ends = boxes.found if boxes.found and not settings.prefer else _summary(task, boxes)
    stay = _worth_keeping(task, boxes, costs, allowed(settings, microfile) - int((~kept).sum()))
    release = _released(task, boxes, ends if quarters is None else quarters.spread(ends, task.axes), stay, quarters)
    refuse_unkept(release)
    refuse_single(settings, len(boxes), microfile)
    return release


def check(settings: Boxes, microfile: Microfile) -> None:
    """Refuse what :func:`protect` would refuse, without dividing anything."""
    _task(settings, microfile, Secret.chosen(settings.seed))


def _summary(task: Task, boxes: Subdivision) -> Summary:
    return boxes.summary(as_rows([axis.places for axis in task.axes]), task.costs.rows, task.settings.threads)


def _task(settings: Boxes, microfile: Microfile, secret: Secret) -> tuple[Task, Flags]:
    """Check everything and set up the task; also return which records it is about."""
    check_roles(settings, microfile)
    axes = axes_of(microfile, settings.quasi, settings.hierarchies, tiling=settings.edges == "tiling")
    check_spans(axes, settings.edges)
    preserve, notes = blurred(settings.preserve or (), microfile, axes)
    homes = homes_in(settings, microfile, axes)
    axes = axes if homes is None else told_alike(axes, homes)
    rules = rules_of(settings, microfile, axes)
    strata, kept = strata_of(settings, microfile, axes, rules, homes)
    rules = counted(rules, axes, strata)
    axes = strata.hiding(axes)
    weights = settings.promise().roles.weights(microfile) if settings.weight else None
    wanted = None if settings.preserve is None else preserve
    costs = costs_of(axes, wanted, microfile, weights, 1.0 if settings.detail is None else settings.detail)
    return Task(settings, microfile, axes, costs, rules, strata, secret, homes, notes), kept


def _detailed(task: Task, kept: Flags) -> Task:
    """Choose how much the detail of what no preserved statistic names counts, if that is not said."""
    settings = task.settings
    if settings.detail is not None or settings.preserve is None:
        return task
    detail, notes = choose_detail(task.axes, task.costs, lambda detail: _tried(task, kept, detail))
    return replace(task, costs=with_detail(task.costs, detail), notes=(*task.notes, *notes))


def _tried(task: Task, kept: Flags, detail: float) -> Trial:
    """Cut the space with some detail, and say how exact preserved statistics are, and how coarse the rest."""
    settings, costs, count = task.settings, with_detail(task.costs, detail), int(kept.sum())
    space = space_of(task.axes, _places(task), costs.rows)
    members = [its for its in task.strata.members() if kept[its[0]]]
    limits = limits_with(settings.k, task.rules, kept)
    boxes = subdivide(space, limits, members, task.codes, threads=settings.threads, progress=silent)
    ends = boxes.summary(as_rows([axis.places for axis in task.axes]), costs.rows, settings.threads)
    spoken = float((ends.totals * (ends.hi - ends.lo))[costs.spoken].sum()) / count
    everything = float(boxes.costs(space, task.codes, settings.threads).sum()) / count
    # what a whole span costs of each attribute that no statistic names
    whole = sum(
        float(row.mean()) * (axis.span or 1.0)
        for row, axis, named in zip(costs.rows, task.axes, costs.spoken, strict=True)
        if not named
    )
    return Trial(0.5 * spoken, (everything - spoken) / whole if whole > 0 else 0.0)


def _divided(task: Task, kept: Flags, progress: Progress) -> tuple[Subdivision, Reals]:
    """Cut the space and exchange records; also return what each box costs, if that matters."""
    settings = task.settings
    limits = limits_with(settings.k, task.rules, kept)
    space = space_of(task.axes, _places(task), task.costs.rows)
    members = [its for its in task.strata.members() if kept[its[0]]]
    careful = settings.edges == "tiling"
    boxes = subdivide(space, limits, members, task.codes, careful=careful, threads=settings.threads, progress=progress)
    boxes = _regrouped(task, space, limits, boxes, progress)
    boxes = _exchanged(task, space, limits, boxes, task.axes, progress)
    return boxes, boxes.costs(space, task.codes, settings.threads) if settings.suppress else np.empty(0)


def _divided_by_household(
    task: Task, homes: Homes, kept: Flags, progress: Progress
) -> tuple[Task, Subdivision, Reals, Quarters]:
    """Cut quarters of whole households, and these into boxes; what had to be merged within them is lost."""
    settings, microfile = task.settings, task.microfile
    ground = Ground(settings, task.axes, _places(task), task.costs.rows, task.rules, kept, task.codes, homes)
    members = [its for its in task.strata.members() if kept[its[0]]]
    quarters, strata = ground.settled(members, lambda some: unattainable(settings, microfile, (), some), progress)
    task = replace(
        task,
        axes=strata.hiding(task.axes),
        costs=replace(task.costs, rows=np.where(strata.lacking[strata.numbers].T, 0.0, task.costs.rows)),
        rules=counted(task.rules, task.axes, strata),
        strata=strata,
    )
    refuse_lost(task.axes, strata.lacking[np.unique(strata.numbers[kept])])
    ground = replace(ground, axes=task.axes, costs=task.costs.rows, rules=task.rules)
    boxes = ground.boxes(quarters, strata, progress)
    if ground.own:
        space, limits = ground.space(ground.own, strata), limits_with(settings.k, task.rules, kept)
        boxes = _exchanged(task, space, limits, boxes, [task.axes[row] for row in ground.own], progress)
    found = Quarters(homes.rows, quarters, ground.quarter_of(quarters, boxes))
    return task, boxes, ground.costs_of(quarters, boxes, strata) if settings.suppress else np.empty(0), found


def _places(task: Task) -> Reals:
    """Return where records lie, as far from each other as preferred points make them."""
    settings = task.settings
    boxes = task.microfile.records / settings.k
    return preferred_places(settings.prefer, settings.strength, task.axes, boxes=boxes)


def _regrouped(task: Task, space: Space, limits: Limits, boxes: Subdivision, progress: Progress) -> Subdivision:
    """Regroup records among neighbouring boxes, if attributes have categories; cells of a tiling stay."""
    settings = task.settings
    if settings.edges == "tiling" or all(axis.is_linear for axis in task.axes):
        return boxes
    turns = turns_for(task.microfile.records, settings.k) if settings.passes is None else settings.passes
    if not turns:
        return boxes
    closing = settings.edges == "snapped"
    labels = closed_labels(task.axes, (lambda axis: _present(task, axis, boxes)) if closing else None, settings.k)
    return regrouped(
        space,
        limits,
        boxes,
        labels,
        task.codes,
        strata=task.strata.numbers if len(task.strata) > 1 else None,
        turns=turns,
        secret=task.secret,
        threads=settings.threads,
        progress=lambda share: progress("regrouping", share),
    )


def _exchanged(
    task: Task, space: Space, limits: Limits, boxes: Subdivision, axes: list[Axis], progress: Progress
) -> Subdivision:
    """Exchange records between neighbouring boxes, which are cut along some axes."""
    settings = task.settings
    effort, heat, what = _effort(settings, task.microfile.records, all(axis.is_linear for axis in axes))
    return exchange_records(
        space,
        limits,
        boxes,
        task.codes,
        strata=task.strata.numbers if len(task.strata) > 1 else None,
        many=task.homes is not None,
        effort=effort,
        heat=heat,
        secret=task.secret,
        threads=settings.threads,
        progress=lambda share: progress(what, share),
    )


def _effort(settings: Boxes, records: int, linear: bool) -> tuple[Effort, float, str]:
    """Return how long records are exchanged, with how much noise, and what that is called."""
    if settings.refine:
        return Effort(None, CORES * settings.seconds), REFINING_HEAT, "refining"
    if not linear:
        # records were regrouped, unless households are released
        return Effort(settings.passes or 0 if settings.keep_household else 0), HEAT, "exchanging"
    # exchanged records would lie in the cells of others
    default = PASSES if records <= QUICK and settings.edges != "tiling" else 0
    return Effort(default if settings.passes is None else settings.passes), HEAT, "exchanging"


def _worth_keeping(task: Task, boxes: Subdivision, costs: Reals, room: int) -> Flags:
    """Say which boxes stay: those that cost most a record may be left out, ``room`` records at most."""
    everything = np.ones(len(boxes), dtype=np.bool_)
    if room < task.settings.k:
        return everything
    each = costs / boxes.sizes
    dearest = np.argsort(-each, kind="stable")
    within = np.cumsum(boxes.sizes[dearest]) <= room
    stay = everything.copy()
    stay[dearest[within & (each[dearest] > MUCH * costs.sum() / boxes.sizes.sum())]] = False
    # without them the shares of the whole file are others, from which t measures
    while not stay.all() and (broken := _broken(task, boxes, stay)).any():
        stay &= ~broken
        if boxes.sizes[~stay].sum() > room:
            return everything
    # an attribute of which no value is left could not be released
    there = boxes.records[boxes.starts[stay]]
    return everything if any(axis.missing[there].all() for axis in task.axes) else stay


def _broken(task: Task, boxes: Subdivision, stay: Flags) -> Flags:
    """Say which boxes break a limit if only some stay."""
    numbers = _numbers(boxes, stay, task.microfile.records)
    chosen = np.flatnonzero(numbers >= 0)
    used = np.flatnonzero(stay)
    broken = np.zeros(len(boxes), dtype=np.bool_)
    table = task.microfile.take(chosen)
    for limit in _limits(task, table, numbers, chosen, np.where(stay, boxes.sizes, 0)):
        broken[used] |= limit.measure.breaking(limit.limit)
    return broken


def _released(task: Task, boxes: Subdivision, ends: Summary, stay: Flags, quarters: Quarters | None) -> Release:
    """Make the released table, measure it, and say how exact it is."""
    settings, microfile = task.settings, task.microfile
    # the widths of boxes that are left out cost nothing, so that no grid is chosen for them
    ends = ends if stay.all() else replace(ends, totals=np.where(stay, ends.totals, 0.0))
    cells = None
    if settings.edges == "tiling":
        cells = (cells_of if quarters is None else quarters.cells)(task.axes, task.strata, boxes, ends)
    rows = [row for row, axis in enumerate(task.axes) if axis.kind != "set"]
    found = side_by_side(lambda row: _edges(task, row, ends, cells), rows, settings.threads)
    edges = {task.axes[row].name: its for row, its in zip(rows, found, strict=True)}
    columns = {axis.name: _column(task, axis, boxes, edges.get(axis.name), cells, quarters) for axis in task.axes}
    numbers = _numbers(boxes, stay, microfile.records)
    chosen = np.flatnonzero(numbers >= 0)
    left_out = microfile.records - chosen.size
    table, forms = _table(task, columns, numbers[chosen] if left_out else numbers, chosen)
    sizes = np.where(stay, boxes.sizes, 0)
    # nothing unverified leaves
    refuse_broken(_limits(task, microfile.take(chosen) if left_out else microfile, numbers, chosen, sizes))
    shared = tuple(axis.name for row, axis in enumerate(task.axes) if task.homes and row in task.homes.rows)
    refuse_sharper(table, settings.promise(shared), forms)
    exactness = uncertainty_of(task.axes, task.costs, ends.totals, edges, chosen, sizes, settings.k)
    return Release(
        table,
        # told from the table, for whether members have a value in common is known of the original alone
        promise=settings.promise(released_in_common(table, settings.promise(), forms)),
        forms=forms,
        hierarchies=_sensitive_hierarchies(settings),
        identifiers=_withheld(settings),
        settings=_public(settings, table, forms),
        private={
            "original_records": microfile.records,
            "left_out": left_out,
            "shown": shown_values(task.axes, edges, numbers, k=settings.k),
            "uncertainty": exactness,
            "protection": _told(settings),
        },
        secret=task.secret,
        notes=(*task.notes, *_notes(settings, microfile), *_rejoined(task, table, chosen)),
    )


def _public(settings: Boxes, table: Microfile, forms: dict[str, Form]) -> dict[str, Any]:
    """Return what everybody may know of the protection: what was wanted, and what the released table shows anyway."""
    ends = {
        name: tuple(table.series(column) for column in form.columns(name))
        for name, form in forms.items()
        if isinstance(form, Interval)
    }
    grids = {name: grid_of(*its) for name, its in ends.items()} if settings.edges == "snapped" else {}
    numeric = [name for name, (lo, hi) in ends.items() if not lo.dtype.is_temporal() and lo.min() != hi.max()]
    wanted = settings.preserve
    if wanted is None:
        known = {name: ends[name][0].is_not_null() for name in numeric}
        # a correlation of what no two records have is none
        wanted = tuple(
            one
            for one in default_wanted(numeric)
            if reduce(and_, (known[name] for name in parse(one.statistic).attributes)).sum() > 1
        )
    public: dict[str, Any] = {
        "method": "boxes",
        "edges": settings.edges,
        "grids": {name: step for name, step in grids.items() if step is not None},
        "preserve": public_wanted(wanted),
        "suppress": short(settings.suppress, rounding=ROUND_CEILING),
        "dismiss": settings.dismiss,
        "calibrate": settings.calibrate,
    }
    if settings.household is not None and not settings.keep_household:
        public["households"] = {"k": settings.k}
    if settings.l is not None and (apart := settings.epsilon if settings.sensitive else settings.quasi):
        own = {
            name: {"epsilon": short(settings.epsilon[name], rounding=ROUND_FLOOR)} if name in settings.epsilon else {}
            for name in apart
        }
        public["apart"] = {name: {"l": float(settings.l), **its} for name, its in own.items()}
    return public


def _edges(task: Task, row: int, ends: Summary, cells: Cells | None) -> Edges:
    if cells is not None:
        return cells.edges(row)
    axis, tight = task.axes[row], Edges(ends.lo[row], ends.hi[row])
    if axis.kind in ("ordinal", "tree") or task.settings.edges == "tight":
        return tight
    dtype = released_type(task.microfile.series(axis.name).dtype)
    return snapped_edges(axis, tight, ends.totals[row], dtype, k=task.settings.k, share=task.settings.snap)


def _numbers(boxes: Subdivision, stay: Flags, records: int) -> Codes:
    """Return the box of each record, -1 where it is left out."""
    numbers = np.full(records, -1, dtype=np.int32)
    of = np.where(stay, np.arange(len(boxes), dtype=np.int32), np.int32(-1))
    numbers[boxes.records] = np.repeat(of, boxes.sizes)
    return numbers


def _column(
    task: Task, axis: Axis, boxes: Subdivision, edges: Edges | None, cells: Cells | None, quarters: Quarters | None
) -> Column:
    lacking = axis.missing[boxes.records[boxes.starts]] if axis.lacks else np.zeros(len(boxes), dtype=np.bool_)
    whole = quarters if quarters and task.axes.index(axis) in quarters.rows else None
    records = whole.records if whole else boxes
    closing = task.settings.edges == "snapped"
    if edges is None:
        if cells:
            return set_column(axis, cells.category_sets(axis.name), lacking)
        if not closing:
            sets = CategorySets.occurring(axis.places[records.records], records.starts, len(axis.values))
            return set_column(axis, sets, lacking, of=whole.of if whole else None)
        present = _present(task, axis, records)
        groups = set_groups(present, task.settings.k)
        sets = closed_sets(present, groups, task.settings.k)
        return set_column(axis, sets, lacking, of=whole.of if whole else None, closed=True)
    if axis.kind == "ordinal" and closing:
        present = _present(task, axis, records)
        groups = range_groups(present, task.settings.k)
        low, high = closed_ranges(present, groups, task.settings.k)
        outward = Edges(low[whole.of], high[whole.of]) if whole else Edges(low, high)
        return range_column(axis, outward, lacking, closed=True)
    if axis.kind == "ordinal":
        return range_column(axis, edges, lacking)
    if axis.kind == "tree":
        found = node_column(axis, edges, lacking) if cells is None else run_column(axis, edges, lacking)
        return found.described(numeric=_is_numeric(task.microfile, axis.name, found.form))
    return interval_column(axis, edges, lacking, released_type(task.microfile.series(axis.name).dtype))


def _is_numeric(microfile: Microfile, name: str, form: Form) -> bool:
    """Whether the values behind nodes are numbers; as far as nobody said so, of what the release shows of them.

    Whether all values of the original have labels, by which kinds are guessed, would tell of those that do not.
    """
    attribute = microfile.attribute(name)
    if not attribute.guessed or not attribute.labels or not isinstance(form, Sets):
        return attribute.kind is Kind.NUMERIC
    dtype = microfile.series(name).dtype
    labelled = {text for code in attribute.labels for text in written_codes(code)}
    return (dtype.is_numeric() or dtype.is_temporal()) and not labelled.issuperset(
        member for its in form.members.values() for member in its
    )


def _present(task: Task, axis: Axis, boxes: Subdivision) -> Present:
    lacking = axis.missing[boxes.records[boxes.starts]]
    household = task.settings.household
    homes = None if household is None else homes_of(task.microfile.encoded(household))[boxes.records]
    return Present.of(axis.places[boxes.records], boxes.starts, lacking, len(axis.values), homes)


def _table(task: Task, columns: dict[str, Column], numbers: Codes, chosen: Counts) -> tuple[Microfile, dict[str, Form]]:
    """Put the boxes in the place of the quasi attributes; the other columns stay as they are."""
    settings, microfile = task.settings, task.microfile
    withheld = _withheld(settings)
    others = [name for name in microfile.names if name not in (*settings.quasi, *withheld)]
    rest = microfile.select([*others, settings.quasi[0]])
    rest = rest if chosen.size == microfile.records else rest.take(chosen)
    # numpy would make each index anew what it is made here once
    places = numbers.astype(np.int64)
    spread = side_by_side(lambda column: column.of(places), list(columns.values()), settings.threads)
    wide = rest.with_columns(
        {name: series for its in spread for name, series in its.items()},
        labels={name: microfile.attribute(name).labels for name, its in columns.items() if isinstance(its.form, Sets)},
        titles={one.name: microfile.attribute(name).title for name, its in columns.items() for one in its.series},
    )
    order = []
    for name in microfile.names:
        if name in columns:
            order += [series.name for series in columns[name].series]
        elif name not in withheld:
            order.append(name)
    table = wide.select(order)
    if settings.keep_household and settings.household is not None:
        table = renumbered(table, settings.household, secret=task.secret)
    return table, {name: column.form for name, column in columns.items()}


def _withheld(settings: Boxes) -> tuple[str, ...]:
    """Return what does not leave."""
    hidden = settings.household if not settings.keep_household else None
    return (*settings.identifiers, *((hidden,) if hidden is not None else ()))


def _limits(task: Task, table: Microfile, numbers: Codes, chosen: Counts, sizes: Counts) -> list[Limit]:
    """Measure records against the promise and XK13's l, box by box.

    Boxes that look alike are one block to an observer, which can only be safer.
    """
    used = np.flatnonzero(sizes)
    renumbered = np.full(sizes.size, -1, dtype=np.int32)
    renumbered[used] = np.arange(used.size, dtype=np.int32)
    blocks = Blocks(renumbered[numbers[chosen]], sizes[used], ())
    kept = keeps(
        table, task.settings.measured_promise(), hierarchies=_sensitive_hierarchies(task.settings), blocks=blocks
    )
    return [*kept.limits, *apart_limits(task.rules, blocks, chosen)]


def _sensitive_hierarchies(settings: Boxes) -> dict[str, Hierarchy]:
    return {name: one for name, one in settings.hierarchies.items() if name in settings.sensitive}


def _rejoined(task: Task, table: Microfile, chosen: Counts) -> tuple[str, ...]:
    """Say for the steward how many households released values put together although their numbers are withheld."""
    if task.settings.household is None or task.settings.keep_household:
        return ()
    return rejoined(table, homes_of(task.microfile.encoded(task.settings.household))[chosen]).told()


def _notes(settings: Boxes, microfile: Microfile) -> list[str]:
    """Say for the steward which hierarchies do not fit the file."""
    return [line for name, its in settings.hierarchies.items() for line in its.fit(microfile, name).told(name)]


def _told(settings: Boxes) -> dict[str, Any]:
    """Return the settings for the steward's own record."""
    return settings.model_dump(mode="json", exclude_defaults=True)
