"""The limits that every box must meet besides k, and their form for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.array_types import Codes, Flags, Reals
from sfumato.boxes.axes import QuasiAxis
from sfumato.boxes.box_edges import resolution_of
from sfumato.boxes.missingness_strata import Strata
from sfumato.errors import SettingError
from sfumato.measures import ATTRIBUTE_CRITERIA, Distance, ground_distance, homes_of
from sfumato.microfile import Encoded, Microfile

if TYPE_CHECKING:
    from sfumato.boxes.boxes import Boxes
    from sfumato.kernels.boxes.limit_check import Limits


@dataclass(frozen=True)
class BoxRule:
    """One limit on every box."""

    setting: str
    """The setting that it comes from: ``k`` (of households), ``l`` or ``t``."""
    attribute: str
    rule: int
    """Which kind of limit it is, by :mod:`sfumato.kernels.boxes.limit_check`."""
    limit: float
    extra: float = 0.0
    codes: Codes = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    """The category code of each record; missing values have the last one."""
    n_values: int = 0
    """The number of codes of values that are not missing."""
    coordinates: Reals = field(default_factory=lambda: np.empty(0))
    """The values of a quasi attribute, NaN where missing, if the limit counts values that are apart."""
    tree: tuple[Codes, ...] = ()
    """The node of each value's code, from the values themselves to the root."""


def rules_of(settings: Boxes, microfile: Microfile, axes: Sequence[QuasiAxis]) -> list[BoxRule]:
    """Return the limits that every box must meet besides k."""
    from sfumato.kernels.boxes import limit_check as kinds

    kernel_rules = {
        "distinct": kinds.DISTINCT,
        "entropy": kinds.ENTROPY,
        "recursive": kinds.RECURSIVE,
        "ordered": kinds.ORDERED,
        "equal": kinds.EQUAL,
        "hierarchical": kinds.NESTED,
    }
    promise = settings.measured_promise()
    rules = []
    if settings.household is not None:
        codes = homes_of(microfile.encoded(settings.household))
        rules.append(
            BoxRule("k", settings.household, kinds.DISTINCT, settings.k, codes=codes, n_values=int(codes.max()) + 1)
        )
    for name in settings.sensitive:
        encoded = microfile.encoded(name)
        codes, n_values = own_codes(encoded), int(encoded.values.size)
        hierarchy = settings.hierarchies.get(name)
        for criterion in ATTRIBUTE_CRITERIA:
            distance: Distance = "equal"
            if criterion.uses_distance and criterion.promised(promise) is not None:
                distance = ground_distance(microfile, name, settings.distances.get(name), hierarchy)
            constraint = criterion.box_constraint(promise, distance)
            if constraint is None:
                continue
            nested = hierarchy is not None and constraint.rule == "hierarchical"
            tree = tuple(hierarchy.joining_tree(encoded)) if hierarchy is not None and nested else ()
            rule = kernel_rules[constraint.rule]
            rules.append(
                BoxRule(criterion.setting, name, rule, constraint.limit, constraint.extra, codes, n_values, tree=tree)
            )
    if settings.l is not None:
        rules += _apart_rules(settings, axes, kinds.APART)
    return rules


def _apart_rules(settings: Boxes, axes: Sequence[QuasiAxis], kind: int) -> list[BoxRule]:
    """Return XK13's l-diversity: l values of quasi attributes that are pairwise at least epsilon apart."""
    names = list(settings.epsilon) if settings.sensitive else list(settings.quasi)
    rules = []
    for axis in axes:
        if axis.name not in names:
            continue
        epsilon = settings.epsilon.get(axis.name)
        if epsilon is None:
            epsilon = 1.0 if axis.kind not in ("numeric", "date") else resolution_of(axis.coordinates)
        if epsilon is None:
            raise SettingError(
                f"l needs epsilon for {axis.name!r}: its values have no smallest unit from which to derive it",
                hint=f"epsilon={{{axis.name!r}: ...}}: how far apart two values must be to count as different",
                setting="l",
                column=axis.name,
            )
        coordinates = np.where(axis.missing, np.nan, axis.coordinates)
        rules.append(BoxRule("l", axis.name, kind, float(settings.l or 1), epsilon, coordinates=coordinates))
    return rules


def without_lost_values(rules: Sequence[BoxRule], axes: Sequence[QuasiAxis], strata: Strata) -> list[BoxRule]:
    """Return rules that do not count quasi values that strata lose: these are not released."""
    rows = {axis.name: row for row, axis in enumerate(axes)}
    return [
        replace(
            rule, coordinates=np.where(strata.lacking[strata.numbers, rows[rule.attribute]], np.nan, rule.coordinates)
        )
        if rule.coordinates.size
        else rule
        for rule in rules
    ]


def own_codes(encoded: Encoded) -> Codes:
    """Return category codes in which missing values have a code of their own, the last."""
    if not encoded.has_missing:
        return encoded.codes
    return np.where(encoded.missing, np.int32(encoded.values.size), encoded.codes)


def limits_with(k: int, rules: Sequence[BoxRule], retained: Flags | None = None) -> Limits:
    """Pack rules for the kernels; all arrays are rectangles, so that one compiled kernel serves every task.

    ``retained`` says which records the released table has, from which t is measured; default: all.
    """
    from sfumato.kernels.boxes.limit_check import NESTED, ORDERED, Limits

    records = max((max(rule.codes.size, rule.coordinates.size) for rule in rules), default=0)
    width = max((rule.n_values + 2 for rule in rules), default=0)
    height = max((len(rule.tree) for rule in rules), default=0)
    columns = np.zeros((len(rules), records), dtype=np.int32)
    coordinates = np.zeros((len(rules), records))
    table, prefix = np.zeros((len(rules), width)), np.zeros((len(rules), width + 1))
    nodes = np.full((len(rules), height, width), -1, dtype=np.int32)
    node_shares = np.zeros((len(rules), height, width))
    missing = np.zeros(len(rules), dtype=np.bool_)
    for row, rule in enumerate(rules):
        if rule.coordinates.size:
            coordinates[row] = rule.coordinates
            continue
        columns[row] = rule.codes
        codes = rule.codes if retained is None or retained.all() else rule.codes[retained]
        counts = np.bincount(codes, minlength=rule.n_values + 1).astype(np.float64)
        missing[row] = counts[rule.n_values] > 0
        shares = counts / counts.sum()
        if rule.rule == ORDERED:
            table[row, : rule.n_values] = np.cumsum(counts[: rule.n_values]) / max(counts[: rule.n_values].sum(), 1.0)
            prefix[row, 1 : rule.n_values + 1] = np.cumsum(table[row, : rule.n_values])
            prefix[row, rule.n_values + 1] = shares[rule.n_values]
        else:
            table[row, : shares.size] = shares
        if rule.rule == NESTED:
            for level, level_nodes in enumerate(rule.tree[:-1]):
                # missing values are a node of their own below the root
                full = np.append(level_nodes, level_nodes.max(initial=-1) + 1)
                nodes[row, level, : full.size] = full
                np.add.at(node_shares[row, level], full, shares)
    return Limits(
        k,
        np.array([rule.rule for rule in rules], dtype=np.int32),
        np.array([rule.limit for rule in rules], dtype=np.float64),
        np.array([rule.extra for rule in rules], dtype=np.float64),
        columns,
        coordinates,
        np.array([rule.n_values for rule in rules], dtype=np.int32),
        missing,
        table,
        prefix,
        nodes,
        node_shares,
    )


def codes_in(rules: Sequence[BoxRule]) -> int:
    """Return the number of codes or nodes that a kernel may have to count."""
    return max((rule.n_values + 2 for rule in rules), default=0)
