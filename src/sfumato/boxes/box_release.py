"""The released table of boxes: edges, columns, and the facts about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sfumato.array_types import Codes, Counts, Flags
from sfumato.boxes.axes import QuasiAxis, released_type
from sfumato.boxes.box_edges import Edges, shown_values, snapped_edges
from sfumato.boxes.box_facts import BoxFacts
from sfumato.boxes.box_runs import Subdivision, Summary
from sfumato.boxes.box_search import Division
from sfumato.boxes.box_suppression import box_of_records, measured_limits
from sfumato.boxes.box_task import BoxTask
from sfumato.boxes.category_label_groups import closed_ranges, closed_sets, present_categories, range_groups, set_groups
from sfumato.boxes.category_sets import CategorySets
from sfumato.boxes.household_boxes import HouseholdBoxes
from sfumato.boxes.infeasibility import refuse_broken
from sfumato.boxes.public_box_facts import public_statement
from sfumato.boxes.release_columns import Column, interval_column, node_column, range_column, run_column, set_column
from sfumato.boxes.statistic_precision import uncertainty_of
from sfumato.boxes.tiling import Cells, cells_of
from sfumato.microfile import Kind, Microfile, written_codes
from sfumato.protections import ProtectedTable
from sfumato.representations import Form
from sfumato.threads import side_by_side


def protected_table(division: Division, retained: Flags) -> ProtectedTable:
    """Replace quasi values by boxes, and measure the result; ``retained`` boxes are released."""
    task, boxes, household_boxes = division.task, division.boxes, division.household_boxes
    settings, microfile = task.settings, task.microfile
    ends = _box_ends(division, retained)
    cells = None
    if settings.edges == "tiling":
        cells = (cells_of if household_boxes is None else household_boxes.cells)(task.axes, task.strata, boxes, ends)
    rows = [row for row, axis in enumerate(task.axes) if axis.kind != "set"]
    row_edges = side_by_side(lambda row: _edges(task, row, ends, cells), rows, settings.threads)
    edges = {task.axes[row].name: axis_edges for row, axis_edges in zip(rows, row_edges, strict=True)}
    columns = {
        axis.name: _column(task, axis, boxes, edges.get(axis.name), cells, household_boxes) for axis in task.axes
    }
    box_ids = box_of_records(boxes, retained, microfile.records)
    records = np.flatnonzero(box_ids >= 0)
    complete = records.size == microfile.records
    table = _table(task, columns, box_ids if complete else box_ids[records], records)
    sizes = np.where(retained, boxes.sizes, 0)
    # nothing unverified leaves
    refuse_broken(measured_limits(task, microfile if complete else microfile.take(records), box_ids, records, sizes))
    forms = {name: column.form for name, column in columns.items()}
    uncertainty = uncertainty_of(task.axes, task.costs, ends.totals, edges, records, sizes, settings.k)
    return ProtectedTable(
        table,
        tuple(settings.quasi),
        forms,
        records,
        public_statement(settings, table, forms),
        shared=() if task.households is None else tuple(task.axes[row].name for row in task.households.shared_rows),
        facts=BoxFacts(
            shown=shown_values(task.axes, edges, box_ids, k=settings.k),
            uncertainty=uncertainty.as_record(),
        ),
        hierarchies=settings.sensitive_hierarchies,
        notes=(*task.notes, *_unfit_hierarchies(task), *_suppressed_values(task, records)),
    )


def _box_ends(division: Division, retained: Flags) -> Summary:
    """Return the ends of boxes; the widths of suppressed boxes cost nothing, so that no grid is chosen for them."""
    task, boxes = division.task, division.boxes
    ends = boxes.cached_summary if boxes.cached_summary and not task.settings.prefer else task.summary(boxes)
    if division.household_boxes is not None:
        ends = division.household_boxes.spread(ends, task.axes)
    return ends if retained.all() else replace(ends, totals=np.where(retained, ends.totals, 0.0))


def _edges(task: BoxTask, row: int, ends: Summary, cells: Cells | None) -> Edges:
    """Return the released edges of boxes along an axis."""
    if cells is not None:
        return cells.edges(row)
    axis, tight = task.axes[row], Edges(ends.lo[row], ends.hi[row])
    if axis.kind in ("ordinal", "tree") or task.settings.edges == "tight":
        return tight
    dtype = released_type(task.microfile.series(axis.name).dtype)
    return snapped_edges(axis, tight, ends.totals[row], dtype, k=task.settings.k, share=task.settings.snap)


def _column(
    task: BoxTask,
    axis: QuasiAxis,
    boxes: Subdivision,
    edges: Edges | None,
    cells: Cells | None,
    household_boxes: HouseholdBoxes | None,
) -> Column:
    """Return how the boxes are released in one attribute."""
    lacking = axis.missing[boxes.records[boxes.starts]] if axis.lacks else np.zeros(len(boxes), dtype=np.bool_)
    # members of a household have the same label of what they share
    is_shared = household_boxes is not None and task.axes.index(axis) in household_boxes.shared_rows
    outer = household_boxes if is_shared else None
    labelled_boxes, outer_ids = (boxes, None) if outer is None else (outer.division, outer.of_box)
    closing, k = task.settings.edges == "snapped", task.settings.k
    if edges is None:
        if cells:
            return set_column(axis, cells.sets[axis.name].sets, lacking, of=cells.sets[axis.name].of)
        if not closing:
            categories = axis.coordinates[labelled_boxes.records]
            sets = CategorySets.occurring(categories, labelled_boxes.starts, len(axis.values))
            return set_column(axis, sets, lacking, of=outer_ids)
        present = present_categories(axis, labelled_boxes, task.household_codes)
        sets = closed_sets(present, set_groups(present, k), k)
        return set_column(axis, sets, lacking, of=outer_ids, closed=True)
    if axis.kind == "ordinal" and closing:
        present = present_categories(axis, labelled_boxes, task.household_codes)
        low, high = closed_ranges(present, range_groups(present, k), k)
        outward = Edges(low, high) if outer_ids is None else Edges(low[outer_ids], high[outer_ids])
        return range_column(axis, outward, lacking, closed=True)
    if axis.kind == "ordinal":
        return range_column(axis, edges, lacking)
    if axis.kind == "tree":
        column = node_column(axis, edges, lacking) if cells is None else run_column(axis, edges, lacking)
        return column.described(numeric=_is_numeric(task.microfile, axis.name, column.form))
    return interval_column(axis, edges, lacking, released_type(task.microfile.series(axis.name).dtype))


def _is_numeric(microfile: Microfile, name: str, form: Form) -> bool:
    """Return whether the values behind nodes are numbers; unless that was declared, as far as the release shows them.

    Kinds are guessed by whether all values of the original have labels, which would reveal something about those that
    are not released.
    """
    attribute = microfile.attribute(name)
    if not attribute.guessed or not attribute.labels or not form.labelled:
        return attribute.kind is Kind.NUMERIC
    dtype = microfile.series(name).dtype
    labelled = {text for code in attribute.labels for text in written_codes(code)}
    return (dtype.is_numeric() or dtype.is_temporal()) and not labelled.issuperset(form.categories())


def _table(task: BoxTask, columns: dict[str, Column], box_ids: Codes, records: Counts) -> Microfile:
    """Replace the quasi attributes by boxes; the other columns are unchanged."""
    settings, microfile = task.settings, task.microfile
    unchanged = [name for name in microfile.names if name not in (*settings.quasi, *settings.identifiers)]
    rest = microfile.select([*unchanged, settings.quasi[0]])
    rest = rest if records.size == microfile.records else rest.take(records)
    # converted once, because numpy would otherwise convert it for every column
    indices = box_ids.astype(np.int64)
    series_of = side_by_side(lambda column: column.of(indices), list(columns.values()), settings.threads)
    wide = rest.with_columns(
        {name: series for column_series in series_of for name, series in column_series.items()},
        labels={name: microfile.attribute(name).labels for name, column in columns.items() if column.form.labelled},
        titles={
            series.name: microfile.attribute(name).title for name, column in columns.items() for series in column.series
        },
    )
    order = []
    for name in microfile.names:
        if name in columns:
            order += [series.name for series in columns[name].series]
        elif name not in settings.identifiers:
            order.append(name)
    return wide.select(order)


def _suppressed_values(task: BoxTask, records: Counts) -> list[str]:
    """Say how many quasi values were lost where records with rare gaps joined others."""
    suppressed = {
        axis.name: int(np.count_nonzero(axis.missing[records] & ~task.microfile.encoded(axis.name).missing[records]))
        for axis in task.axes
        if axis.lacks
    }
    counts = ", ".join(f"{count:,} of {name}" for name, count in suppressed.items() if count)
    if not counts:
        return []
    return [
        f"Values suppressed, because too few records have the same quasi values missing: {counts}. "
        "Estimates are about the remaining values."
    ]


def _unfit_hierarchies(task: BoxTask) -> list[str]:
    """Say which hierarchies do not fit the file."""
    hierarchies = task.settings.hierarchies.items()
    return [line for name, hierarchy in hierarchies for line in hierarchy.fit(task.microfile, name).warnings(name)]
