"""The quasi attributes as axes of the space that boxes divide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import product
from sfumato.microfile import EVERYTHING, Described, Encoded, Hierarchy, Kind, Listed, Microfile, plain
from sfumato.number_enclosures import DIGITS
from sfumato.threads import side_by_side

if TYPE_CHECKING:
    from sfumato.kernels.boxes.box_cost import Space

AxisKind = Literal["numeric", "date", "ordinal", "tree", "set"]
EXACT = 2**53
"""Doubles represent all whole numbers up to this one exactly."""
NANOSECONDS = 1000
"""In a microsecond."""
ROUND = 10**12
"""Origins are multiples of this, so that what is readable stays so."""
ORDERING_SAMPLE = 10_000
"""Categories are ordered by at most this number of records."""
ROUNDS = 200
STILL = 1e-9
"""A direction of unit length that moves by less is found."""


@dataclass(frozen=True)
class QuasiAxis:
    """One quasi attribute."""

    name: str
    kind: AxisKind
    coordinates: Reals
    """One number per record: its value, or the position of its category in an order; 0 where it is missing."""
    missing: Flags
    values: tuple[Any, ...] = ()
    """The categories in that order."""
    levels: tuple[Codes, ...] = ()
    """Of a tree: the node of each coordinate, level by level from the leaves' parents to the root."""
    labels: tuple[tuple[str, ...], ...] = ()
    """Of a tree: the label of each coordinate, level by level."""
    listed: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    """Of a tree of listed values: those behind each label, level by level, whether they occur or not."""
    nodes: Described | None = None
    """Of a tree whose values nobody lists: how its labels are made."""
    declared: tuple[str, ...] = ()
    """Of an ordinal attribute, or a tree of listed values: all its categories in order, whether they occur or not."""
    strange: tuple[bool, ...] = ()
    """Of a tree: which categories its hierarchy does not know."""
    origin: int = 0
    """What is added to a coordinate to get the value: whole numbers that doubles cannot hold are counted from here."""
    spacing: float = 0.0
    """The smallest distance that a release can distinguish, if some values are closer than that; otherwise 0."""

    @cached_property
    def lacks(self) -> bool:
        """Whether any value is missing."""
        return bool(self.missing.any())

    @property
    def is_linear(self) -> bool:
        """Whether a box's width is the distance of its ends."""
        return self.kind in ("numeric", "date", "ordinal")

    @cached_property
    def known(self) -> Reals:
        """The coordinates of the records whose value is not missing."""
        return self.coordinates[~self.missing] if self.lacks else self.coordinates

    @cached_property
    def is_large(self) -> bool:
        """Whether sums and multiples of values could exceed the whole numbers that doubles represent."""
        return bool(self.origin or self.spacing) or bool(np.abs(self.known).max(initial=0.0) > EXACT / 8)

    @cached_property
    def span(self) -> float:
        """The width of the whole attribute, of which a category's width is a share."""
        if self.kind in ("tree", "set"):
            return 1.0
        return float(self.known.max() - self.known.min()) if self.known.size else 0.0

    @cached_property
    def least(self) -> float:
        """The lowest coordinate."""
        return float(self.known.min(initial=np.inf))

    def counts(self, values: Reals) -> Counts:
        """Return how many records have each of some values, which ascend."""
        at = np.minimum(np.searchsorted(values, self.known), values.size - 1)
        return np.bincount(at[values[at] == self.known], minlength=values.size)


def axes_of(
    microfile: Microfile, names: Sequence[str], hierarchies: Mapping[str, Hierarchy], *, tiling: bool = False
) -> list[QuasiAxis]:
    """Return the axes, those whose widths are distances first.

    ``tiling`` says that cells must cover the space: they are then cut between the finest nodes of a hierarchy whose
    values nobody lists, for to describe a finer cell its values would have to be listed.
    """
    axes = side_by_side(lambda name: _axis(microfile, name, hierarchies.get(name), tiling), names)
    unordered = [axis for axis in axes if axis.kind == "set"]
    if unordered:
        step = -(-microfile.records // ORDERING_SAMPLE)
        classes = [_classes(axis.coordinates[::step]) for axis in axes]
        ordered = {
            axis.name: _ordered(
                axis,
                step,
                [
                    axis_classes
                    for axis_classes, axis_of_classes in zip(classes, axes, strict=True)
                    if axis_of_classes is not axis
                ],
            )
            for axis in unordered
        }
        axes = [ordered.get(axis.name, axis) for axis in axes]
    axes.sort(key=lambda axis: not axis.is_linear)
    # the kernels take them as the rows of one array
    rows = np.empty((len(axes), microfile.records))
    side_by_side(lambda row: np.copyto(rows[row], axes[row].coordinates), range(len(axes)))
    return [replace(axis, coordinates=row) for axis, row in zip(axes, rows, strict=True)]


def as_rows(columns: Sequence[Reals]) -> Reals:
    """Stack columns as rows, without copying those that are stacked already."""
    base = columns[0].base
    if (
        isinstance(base, np.ndarray)
        and base.shape == (len(columns), columns[0].size)
        and all(
            column.base is base and column.ctypes.data == row.ctypes.data
            for column, row in zip(columns, base, strict=True)
        )
    ):
        return base
    return np.stack(columns)


def _axis(microfile: Microfile, name: str, hierarchy: Hierarchy | None, tiling: bool) -> QuasiAxis:
    attribute = microfile.attribute(name)
    if attribute.kind is Kind.NUMERIC and hierarchy is None:
        series, values_or_nan = microfile.series(name), microfile.numbers(name)
        missing = np.isnan(values_or_nan)
        origin, spacing, dated = 0, 0.0, series.dtype.is_temporal()
        if dated:
            series = series.to_physical()
            if is_fine(microfile.series(name).dtype):
                # a release has times in microseconds
                spacing = float((series % NANOSECONDS != 0).any())
                series = series // NANOSECONDS
                values_or_nan = np.where(missing, np.nan, series.cast(pl.Float64).fill_null(float("nan")).to_numpy())
        dtype, largest = series.dtype, float(np.abs(values_or_nan).max(initial=0.0, where=~missing))
        if dtype.is_integer() and largest >= EXACT:
            values_or_nan, origin, spacing = _from_origin(series, values_or_nan)
        elif isinstance(dtype, pl.Decimal) and largest >= 10.0 ** (DIGITS - dtype.scale):
            spacing = float(np.spacing(largest))
        if missing.any():
            values_or_nan[missing] = 0.0
        return QuasiAxis(name, "date" if dated else "numeric", values_or_nan, missing, origin=origin, spacing=spacing)
    encoded = microfile.encoded(name)
    missing = encoded.missing
    values = tuple(encoded.values.tolist())
    if hierarchy is not None:
        return _tree(name, encoded, hierarchy, tiling)
    coordinates = np.where(missing, 0, encoded.codes).astype(np.float64)
    kind: AxisKind = "ordinal" if attribute.kind is Kind.ORDINAL else "set"
    return QuasiAxis(name, kind, coordinates, missing, values, declared=tuple(map(str, attribute.order)))


def is_fine(dtype: pl.DataType) -> bool:
    """Say whether a column holds times in nanoseconds."""
    return isinstance(dtype, pl.Datetime) and dtype.time_unit == "ns"


def released_type(dtype: pl.DataType) -> pl.DataType:
    """Return the type of a column's boxes."""
    return pl.Datetime("us", getattr(dtype, "time_zone", None)) if is_fine(dtype) else dtype


def _from_origin(series: pl.Series, numbers: Reals) -> tuple[Reals, int, float]:
    """Return distances of large whole numbers from an origin, and how far apart two must be to differ as doubles."""
    integers = series.cast(pl.Int128)
    integers = integers.set(pl.Series(np.isnan(numbers)), None)
    low, high = int(integers.min()), int(integers.max())  # type: ignore[arg-type]  # of whole numbers
    origin = low - low % ROUND
    distances = (
        (integers - pl.Series([origin], dtype=pl.Int128)).cast(pl.Float64).fill_null(float("nan")).to_numpy().copy()
    )
    return distances, origin, float(np.spacing(float(high - origin))) if high - origin >= EXACT else 0.0


def _tree(name: str, encoded: Encoded, hierarchy: Hierarchy, tiling: bool) -> QuasiAxis:
    """Order the values so that every node of the hierarchy is a run of them."""
    paths_of_values = [hierarchy.path(plain(value)) for value in encoded.values]
    if paths_of_values and not any(paths_of_values):
        raise SettingError(
            f"hierarchies: that of {name!r} knows none of its {len(paths_of_values):,} values",
            hint="is it that of another attribute, or are values written differently?",
            setting="hierarchies",
            column=name,
        )
    nodes = hierarchy.tree(encoded)
    order = np.lexsort(nodes)
    paths = [paths_of_values[index] or (hierarchy.fallback,) * hierarchy.height for index in order.tolist()]
    labels = [tuple(path[level] for path in paths) for level in range(hierarchy.height)]
    if len(nodes) - 1 > hierarchy.height:
        labels.append((EVERYTHING,) * len(paths))
    values = tuple(plain(encoded.values[index]) for index in order.tolist())
    strange = tuple(paths_of_values[index] is None for index in order.tolist())
    levels = [level[order] for level in nodes]
    of_value = np.arange(order.size)
    if tiling and not isinstance(hierarchy.by, Listed):
        first = np.flatnonzero(np.append(True, levels[1][1:] != levels[1][:-1])) if order.size else of_value
        of_value = np.searchsorted(first, of_value, side="right") - 1
        values, strange = tuple(labels[0][index] for index in first), tuple(strange[index] for index in first)
        levels = [level[first] for level in levels[1:]]
        labels = [tuple(level[index] for index in first) for level in labels[1:]]
    rank = np.empty_like(order)
    rank[order] = of_value
    return QuasiAxis(
        name,
        "tree",
        np.where(encoded.missing, 0, rank[np.maximum(encoded.codes, 0)]).astype(np.float64),
        encoded.missing,
        values,
        tuple(levels[1:]),
        tuple(labels),
        _listed(hierarchy),
        None if isinstance(hierarchy.by, Listed) else hierarchy.by,
        hierarchy.listed,
        strange,
    )


def _listed(hierarchy: Hierarchy) -> tuple[Mapping[str, tuple[str, ...]], ...]:
    """Return the listed values behind each label, level by level to the root."""
    levels: list[dict[str, list[str]]] = [{} for _ in range(hierarchy.height)]
    for value in hierarchy.listed:
        for level, label in zip(levels, hierarchy.path(value) or (), strict=True):
            level.setdefault(label, []).append(value)
    by_level = [{label: tuple(values) for label, values in level.items()} for level in levels]
    return (*by_level, {EVERYTHING: hierarchy.listed})


def _ordered(axis: QuasiAxis, step: int, classes: Sequence[Counts]) -> QuasiAxis:
    """Put the categories of a set in an order in which neighbours go together with like values of other attributes.

    The order is that of the first direction of a correspondence analysis with the ``classes`` of the other
    attributes, on every ``step``-th record.
    """
    has_value = ~axis.missing[::step]
    rows = axis.coordinates[::step].astype(np.int64)[has_value]
    categories = len(axis.values)
    if categories < 3 or not classes:
        return axis
    table = np.hstack([_profile(rows, other_classes[has_value], categories) for other_classes in classes]) + 1e-9
    table /= table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    scores = _first_direction((table - expected) / np.sqrt(expected)) / np.sqrt(table.sum(axis=1))
    # which end comes first is arbitrary, so it is settled by the first category
    order = np.argsort(scores if scores[0] <= 0 else -scores, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(categories)
    coordinates = np.where(axis.missing, 0, rank[axis.coordinates.astype(np.int64)]).astype(np.float64)
    return QuasiAxis(
        axis.name, axis.kind, coordinates, axis.missing, tuple(axis.values[index] for index in order.tolist())
    )


def _first_direction(matrix: Reals) -> Reals:
    """Return approximately the left singular vector of the largest singular value, by repeated multiplication."""
    # from the longest row on, which has a part in it
    direction = np.zeros(len(matrix))
    direction[np.argmax((matrix**2).sum(axis=1))] = 1.0
    for _ in range(ROUNDS):
        before, direction = direction, product(matrix, product(direction, matrix))
        length = float(np.sqrt((direction * direction).sum()))
        if not length > 0:
            return before
        direction = direction / length
        if abs(direction - before).max() < STILL:
            break
    return direction


def _classes(coordinates: Reals) -> Counts:
    """Cut an attribute into a few classes."""
    edges = np.unique(np.quantile(coordinates, np.linspace(0, 1, 17))) if coordinates.size else np.zeros(1)
    return np.searchsorted(edges, coordinates, side="right")


def _profile(rows: Counts, classes: Counts, categories: int) -> Reals:
    """Count categories by classes of another attribute."""
    width = int(classes.max(initial=0)) + 1
    counted = np.bincount(rows * width + classes, minlength=categories * width).reshape(categories, width)
    return counted.astype(np.float64)


def space_of(axes: Sequence[QuasiAxis], coordinates: Reals, costs: Reals) -> Space:
    """Gather the axes for the kernels; ``coordinates`` and ``costs`` have one row per axis."""
    from sfumato.kernels.boxes.box_cost import LINEAR, SET, TREE, Space

    kinds = {"tree": TREE, "set": SET}
    levels = max((len(axis.levels) for axis in axes), default=0) or 1
    categories = max((len(axis.values) for axis in axes), default=0) or 1
    ends = np.zeros((len(axes), levels, categories), dtype=np.int32)
    shares = np.zeros((len(axes), levels, categories))
    for row, axis in enumerate(axes):
        for level in range(levels if axis.levels else 0):
            nodes = axis.levels[min(level, len(axis.levels) - 1)]
            last = np.flatnonzero(np.append(nodes[1:] != nodes[:-1], True))
            run = np.searchsorted(last, np.arange(nodes.size))
            ends[row, level, : nodes.size] = last[run]
            shares[row, level, : nodes.size] = np.diff(np.concatenate([[-1], last]))[run] / nodes.size
    return Space(
        coordinates,
        costs,
        np.array([kinds.get(axis.kind, LINEAR) for axis in axes], dtype=np.int32),
        np.array([1.0 / max(len(axis.values), 1) for axis in axes]),
        ends,
        shares,
    )
