"""Which boxes are suppressed, and whether the others meet the limits."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.boxes.box_runs import Subdivision
from sfumato.boxes.box_task import BoxTask
from sfumato.boxes.infeasibility import apart_limits
from sfumato.measures import Blocks, Limit, check_promise
from sfumato.microfile import Microfile

EXPENSIVE = 4.0
"""A box is worth suppressing if its cost per record is this many times the mean over all boxes."""


def boxes_worth_keeping(task: BoxTask, boxes: Subdivision, costs: Reals, n_suppressible: int) -> Flags:
    """Return which boxes are released: the most expensive ones may be suppressed, up to a number of records."""
    everything = np.ones(len(boxes), dtype=np.bool_)
    if n_suppressible < task.settings.k:
        return everything
    cost_per_record = costs / boxes.sizes
    by_cost = np.argsort(-cost_per_record, kind="stable")
    affordable = np.cumsum(boxes.sizes[by_cost]) <= n_suppressible
    retained = everything.copy()
    expensive = cost_per_record[by_cost] > EXPENSIVE * costs.sum() / boxes.sizes.sum()
    retained[by_cost[affordable & expensive]] = False
    # suppression changes the shares of the whole file, from which t is measured
    while not retained.all() and (violating := _violating_boxes(task, boxes, retained)).any():
        retained &= ~violating
        if boxes.sizes[~retained].sum() > n_suppressible:
            return everything
    # an attribute without any value left could not be released
    first_records = boxes.records[boxes.starts[retained]]
    return everything if any(axis.missing[first_records].all() for axis in task.axes) else retained


def _violating_boxes(task: BoxTask, boxes: Subdivision, retained: Flags) -> Flags:
    """Return which boxes violate a limit if only some are released."""
    box_ids = box_of_records(boxes, retained, task.microfile.records)
    records = np.flatnonzero(box_ids >= 0)
    violating = np.zeros(len(boxes), dtype=np.bool_)
    table = task.microfile.take(records)
    for limit in measured_limits(task, table, box_ids, records, np.where(retained, boxes.sizes, 0)):
        violating[np.flatnonzero(retained)] |= limit.measure.breaking(limit.limit)
    return violating


def box_of_records(boxes: Subdivision, retained: Flags, n_records: int) -> Codes:
    """Return the box of each record, -1 where it is suppressed."""
    box_ids = np.full(n_records, -1, dtype=np.int32)
    released_ids = np.where(retained, np.arange(len(boxes), dtype=np.int32), np.int32(-1))
    box_ids[boxes.records] = np.repeat(released_ids, boxes.sizes)
    return box_ids


def measured_limits(task: BoxTask, table: Microfile, box_ids: Codes, records: Counts, sizes: Counts) -> list[Limit]:
    """Measure records against the promise and XK13's l, box by box.

    Boxes that look alike are one block to an observer, which can only be safer.
    """
    settings, used = task.settings, np.flatnonzero(sizes)
    block_ids = np.full(sizes.size, -1, dtype=np.int32)
    block_ids[used] = np.arange(used.size, dtype=np.int32)
    blocks = Blocks(block_ids[box_ids[records]], sizes[used], ())
    promise, hierarchies = settings.measured_promise(), settings.sensitive_hierarchies
    compliance = check_promise(table, promise, hierarchies=hierarchies, blocks=blocks)
    return [*compliance.limits, *apart_limits(task.rules, blocks, records)]
