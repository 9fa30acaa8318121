"""The columns of a release: what each box looks like in each quasi attribute."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from sfumato.array_types import Counts, Flags, Reals
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.box_edges import Edges
from sfumato.boxes.category_sets import CategorySets
from sfumato.errors import SettingError
from sfumato.microfile import FIRST_DAY, LAST_DAY
from sfumato.number_enclosures import outward
from sfumato.representations import Form, Interval, Sets, set_label

YEARS = (FIRST_DAY, LAST_DAY)
"""The first day of year 1 and the last of 9999."""
LONGEST = 2**63
"""From here on 64 bits are too few for a whole number."""


@dataclass(frozen=True)
class Column:
    """How the boxes are released in one attribute."""

    form: Form
    series: tuple[pl.Series, ...]
    """The content of the data's columns, box by box."""

    def described(self, **more: Any) -> Column:
        """Return the same boxes with a fuller description of their labels."""
        return Column(self.form.model_copy(update=more), self.series)

    def of(self, numbers: Counts) -> dict[str, pl.Series]:
        """Return the content of the data's columns, record by record; ``numbers`` is the box of each."""
        return {series.name: _spread(series, numbers) for series in self.series}


def _spread(series: pl.Series, numbers: Counts) -> pl.Series:
    if series.null_count() or not isinstance(series.dtype, pl.Int64 | pl.Float64):
        return series.gather(numbers)
    # without a check of each number, of which none is too large
    return pl.Series(series.name, np.take(series.to_numpy(), numbers, mode="clip"))


def interval_column(axis: QuasiAxis, edges: Edges, lacking: Flags, dtype: pl.DataType) -> Column:
    """Return intervals; ``lacking`` says in which boxes the values are missing.

    They are of the types that a release can hold, and none of their ends is rounded inward.
    """
    ends = [np.where(lacking, 0, numbers) for numbers in (edges.lo, edges.hi)]
    if axis.kind == "date":
        series = [_dates(_whole(axis, end, side), dtype) for end, side in zip(ends, (-1, 1), strict=True)]
    elif dtype.is_integer() and all((np.rint(end) == end).all() for end in ends):
        series = _as_integers([_whole(axis, end, side) for end, side in zip(ends, (-1, 1), strict=True)])
    else:
        series = [
            pl.Series(np.nextafter(end, side * np.inf) if axis.spacing else end)
            for end, side in zip(ends, (-1, 1), strict=True)
        ]
    if lacking.any():
        series = [end.set(pl.Series(lacking), None) for end in series]
    names = Interval().columns(axis.name)
    return Column(Interval(), tuple(end.alias(name) for end, name in zip(series, names, strict=True)))


def _whole(axis: QuasiAxis, ends: Reals | Counts, side: int) -> pl.Series:
    """Return whole numbers at ends, or beyond them (to the given side) where a place may stand for several numbers."""
    # edges on a grid are whole and exact already
    beyond = side * int(axis.spacing) if ends.dtype.kind == "f" else 0
    return pl.Series(ends).cast(pl.Int128) + pl.Series([axis.origin + beyond], dtype=pl.Int128)


def _as_integers(series: Sequence[pl.Series]) -> list[pl.Series]:
    """Return whole numbers in 64 bits if they fit; else as doubles at or beyond them."""
    if all(int(column.min()) >= -LONGEST and int(column.max()) < LONGEST for column in series):  # type: ignore[arg-type]  # of whole numbers
        return [column.cast(pl.Int64) for column in series]
    return [
        pl.Series([outward(end, side) for end in column.to_list()], dtype=pl.Float64)
        for column, side in zip(series, (-1, 1), strict=True)
    ]


def _dates(ticks: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Return moments, none beyond the years 1 to 9999, for other libraries know no more."""
    if not isinstance(dtype, pl.Datetime):
        return ticks.clip(*YEARS).cast(pl.Int32).cast(dtype)
    day = {"ms": 86_400_000, "us": 86_400_000_000}[dtype.time_unit]
    ticks = ticks.clip(YEARS[0] * day, (YEARS[1] + 1) * day - 1).cast(pl.Int64)
    return ticks.cast(dtype)


def _end_categories(edges: Edges, lacking: Flags) -> tuple[Counts, Counts]:
    """Return the first and the last category of each box."""
    low, high = (np.where(lacking, 0, ends).astype(np.int64) for ends in (edges.lo, edges.hi))
    return low, high


def _runs(edges: Edges, lacking: Flags, categories: int) -> tuple[list[tuple[int, int]], Counts]:
    """Return the different runs of categories that boxes have, and which one each has."""
    low, high = _end_categories(edges, lacking)
    keys, codes = np.unique(low * categories + high, return_inverse=True)
    return [divmod(key, categories) for key in keys.tolist()], codes


def range_column(axis: QuasiAxis, edges: Edges, lacking: Flags, *, closed: bool = False) -> Column:
    """Return ranges of an ordinal attribute's categories, ``low to high``; ``closed`` if ends were moved outward."""
    names = [str(value) for value in axis.values]
    # of a declared order also categories that do not occur: a list of those that do would show which do
    every = list(axis.declared) or names
    runs, codes = _runs(edges, lacking, len(names))
    described = []
    for first, last in runs:
        label = names[first] if first == last else f"{names[first]} to {names[last]}"
        described.append((label, tuple(every[every.index(names[first]) : every.index(names[last]) + 1])))
    column = _labelled(axis.name, described, codes, lacking)
    return column.described(chosen="ranges", closed=closed)


def node_column(axis: QuasiAxis, edges: Edges, lacking: Flags) -> Column:
    """Return the lowest node of a hierarchy that holds a box."""
    low, high = _end_categories(edges, lacking)
    keys = np.where(low == high, low, -1)
    for level, nodes in enumerate(axis.levels, start=1):
        begins = np.flatnonzero(np.append(True, nodes[1:] != nodes[:-1]))
        first = begins[np.searchsorted(begins, low, side="right") - 1]
        holds = (keys < 0) & (nodes[low] == nodes[high])
        keys = np.where(holds, level * len(axis.values) + first, keys)
    distinct_keys, codes = np.unique(keys, return_inverse=True)
    names = [str(value) for value in axis.values]
    strange = np.array(axis.strange)
    described: list[tuple[str, tuple[str, ...]]] = []
    incomplete: set[str] = set()
    for key in distinct_keys.tolist():
        level, index = divmod(key, len(names))
        if level == 0:
            described.append((names[index], (names[index],)))
            continue
        nodes, label = axis.levels[level - 1], axis.labels[level - 1][index]
        if strange[nodes == nodes[index]].any():
            incomplete.add(label)
        # never just the values that occur: a list of them would show which do
        members = (label,) if axis.nodes else tuple(sorted(axis.listed[level - 1].get(label, ())))
        described.append((label, members))
    return _labelled(axis.name, described, codes, lacking, incomplete).described(nodes=axis.nodes, chosen="nodes")


def run_column(axis: QuasiAxis, edges: Edges, lacking: Flags) -> Column:
    """Return runs of a hierarchy's values: a node where one has just these, so that runs that are apart stay so."""
    if unknown := sum(axis.strange):
        raise SettingError(
            f"edges: a tiling needs hierarchies that know every value; that of {axis.name!r} does not know {unknown:,}",
            hint="list them, or choose other edges",
            setting="edges",
            column=axis.name,
        )
    runs, codes = _runs(edges, lacking, len(axis.values))
    behind = [] if axis.nodes else _listed_values(axis)
    described = []
    names, members_of_label = {str(value) for value in axis.values}, dict[str, tuple[str, ...]]()
    for first, last in runs:
        members = _whole_nodes(axis, first, last) if axis.nodes else tuple(itertools.chain(*behind[first : last + 1]))
        # a label that also means something else would put cells together that are apart
        label = _node_label(axis, first, last, members)
        is_unambiguous = (
            label is not None and label not in names and members_of_label.setdefault(label, members) == members
        )
        described.append((label if is_unambiguous and label else set_label(members), members))
    return _labelled(axis.name, described, codes, lacking).described(nodes=axis.nodes, chosen="nodes")


def _whole_nodes(axis: QuasiAxis, first: int, last: int) -> tuple[str, ...]:
    """Return the fewest nodes that have just a run of places, so that no more is listed than the cuts need."""
    labels_of_run: list[str] = []
    index = first
    while index <= last:
        label, after = str(axis.values[index]), index + 1
        for nodes, labels in zip(axis.levels, axis.labels, strict=True):
            node_indices = np.flatnonzero(nodes == nodes[index])
            if node_indices[0] == index and node_indices[-1] <= last:
                label, after = labels[index], int(node_indices[-1]) + 1
        labels_of_run.append(label)
        index = after
    return tuple(labels_of_run)


def _listed_values(axis: QuasiAxis) -> list[tuple[str, ...]]:
    """Return what belongs to each place of a tree: its value, and listed ones next to it that do not occur.

    A value that does not occur goes to the first place of the lowest node that holds both, so that every listed value
    belongs to just one place, and no list shows which values occur.
    """
    names = [str(value) for value in axis.values]
    behind = [[name] for name in names]
    index_of_value: dict[str, int] = dict.fromkeys(axis.declared, 0)
    for listed, labels in reversed(list(zip(axis.listed, axis.labels, strict=False))):
        begins = {label: index for index, label in reversed(list(enumerate(labels)))}
        for label, listed_values in listed.items():
            index_of_value |= dict.fromkeys(listed_values, begins[label]) if label in begins else {}
    for value in axis.declared:
        if value not in names:
            behind[index_of_value[value]].append(value)
    return [tuple(listed_values) for listed_values in behind]


def _node_label(axis: QuasiAxis, first: int, last: int, members: tuple[str, ...]) -> str | None:
    """Return the label of the node that stands for just these values, if there is one."""
    for level, labels in enumerate(axis.labels if axis.nodes is None else ()):
        if first < last and set(axis.listed[level].get(labels[first], ())) == set(members):
            return labels[first]
    return None


def set_column(
    axis: QuasiAxis, sets: CategorySets, lacking: Flags, *, of: Counts | None = None, closed: bool = False
) -> Column:
    """Return sets of categories; ``of`` says which set each box has, ``closed`` whether they name more than occurs."""
    codes, distinct = sets.numbered(lacking, of)
    names = [str(value) for value in axis.values]
    described = []
    for categories in distinct:
        members = tuple(sorted(names[category] for category in categories.tolist()))
        described.append((set_label(members), members))
    return _labelled(axis.name, described, codes, lacking).described(closed=closed)


def _labelled(
    name: str,
    described: Sequence[tuple[str, tuple[str, ...]]],
    codes: Any,
    lacking: Flags,
    incomplete: Collection[str] = (),
) -> Column:
    """Give each box its label; sets that share a label are released as one. The ``incomplete`` stand for any value."""
    members: dict[str, tuple[str, ...]] = {}
    for label, set_members in described:
        members[label] = tuple(sorted({*members[label], *set_members})) if label in members else set_members
    numbers = {label: number for number, label in enumerate(members)}
    of = np.array([numbers[label] for label, _ in described], dtype=np.int32)
    keys = np.where(lacking, -1, of[codes])
    labels = pl.Series(name, [*members], dtype=pl.String).extend_constant(None, 1)
    series = labels.gather(np.where(lacking, len(members), keys)).alias(name)
    occur = np.bincount(keys[keys >= 0], minlength=len(members)) > 0
    used = {label: set_members for label, set_members in members.items() if occur[numbers[label]]}
    return Column(Sets(members=used, open=tuple(label for label in used if label in incomplete)), (series,))
