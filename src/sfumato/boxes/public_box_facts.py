"""What everybody may know about the protection by boxes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any

import polars as pl

from sfumato.boxes.box_facts import Apart, BoxPublicSettings
from sfumato.boxes.width_costs import default_wanted
from sfumato.microfile import Microfile
from sfumato.release import grid_of, public_wanted, short
from sfumato.representations import Form
from sfumato.statistics import parse

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes

IntervalEnds = dict[str, tuple[pl.Series, pl.Series]]
"""The released lower and upper ends of attributes that are intervals."""


def public_statement(settings: Boxes, table: Microfile, forms: Mapping[str, Form]) -> BoxPublicSettings:
    """Return what was asked for, and what the released table shows anyway."""
    ends: IntervalEnds = {}
    for name, form in forms.items():
        if edges := form.edge_columns(name):
            low, high = edges
            ends[name] = table.series(low), table.series(high)
    grids = {name: grid_of(*interval) for name, interval in ends.items()} if settings.edges == "snapped" else {}
    optional: dict[str, Any] = {}
    if settings.l is not None and (distinct := settings.epsilon if settings.sensitive else settings.quasi):
        optional["apart"] = {name: _apart(settings, settings.l, name) for name in distinct}
    return BoxPublicSettings(
        method="boxes",
        edges=settings.edges,
        grids={name: step for name, step in grids.items() if step is not None},
        preserve=tuple(public_wanted(_released_statistics(ends) if settings.preserve is None else settings.preserve)),
        suppress=short(settings.suppress, rounding=ROUND_CEILING),
        dismiss=settings.dismiss,
        calibrate=settings.calibrate,
        **optional,
    )


def _apart(settings: Boxes, n_values: float, name: str) -> Apart:
    if name not in settings.epsilon:
        return Apart(l=n_values)
    return Apart(l=n_values, epsilon=short(settings.epsilon[name], rounding=ROUND_FLOOR))


def _released_statistics(ends: IntervalEnds) -> Any:
    """Return the statistics that are preserved by default, as far as the released table has them."""
    numeric = [name for name, (low, high) in ends.items() if not low.dtype.is_temporal() and low.min() != high.max()]
    is_known = {name: ends[name][0].is_not_null() for name in numeric}
    # a correlation needs two records that have both values
    return [
        request
        for request in default_wanted(numeric)
        if reduce(and_, (is_known[name] for name in parse(request.statistic).attributes)).sum() > 1
    ]
