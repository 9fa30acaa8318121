"""Whether a box keeps its limits: number of records, spread of values, disclosure of sensitive attributes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.kernels.argument_types import CodeCube, CodeTable, RealCube, RealTable
from sfumato.kernels.compiled import compiled, compiled_within
from sfumato.kernels.contingency_rows import stretch
from sfumato.kernels.factorize import sort_by_keys
from sfumato.kernels.transcendental import exponential, logarithm

DISTINCT, ENTROPY, RECURSIVE, EQUAL, ORDERED, NESTED, APART = range(7)
"""Kinds of limits: distinct values, exp of entropy, (c, l), three distances of t, and values at least epsilon apart."""

EVERY = 1 << 30
"""More values than any limit requires."""

SLACK = 1e-12
"""What rounding may add to a distance that is kept exactly."""


class Limits(NamedTuple):
    """What every box must keep besides k. Each array has one entry per limit."""

    k: int
    rules: Codes
    limits: Reals
    extras: Reals
    """c of a RECURSIVE limit, epsilon of an APART one."""
    columns: CodeTable
    """Limits by records: the codes of the sensitive attribute; a missing value has a code of its own, the last."""
    coordinates: RealTable
    """Limits by records: the numbers that must be APART; NaN where missing."""
    sizes: Codes
    """The number of codes, without the missing value's."""
    missing: Flags
    """Whether a missing value occurs."""
    table: RealTable
    """Limits by codes: the share of each code in the whole table; ORDERED: cumulated without missing."""
    prefix: RealTable
    """Limits by codes: the sums of ``table`` before each code."""
    nodes: CodeCube
    """Limits by levels by codes: the node of each code; a NESTED limit only."""
    node_shares: RealCube
    """Limits by levels by nodes: the share of each node in the whole table."""


@compiled
def keeps_limits(limits: Limits, records: Counts, first: int, last: int, counts: Counts) -> bool:
    """Return whether the records from ``first`` to ``last`` may be a box.

    ``records`` (IN); ``counts`` (SCRATCH) has one entry per code or node, all zero before and after.
    """
    if last - first < limits.k:
        return False
    fulfilled = True
    for limit in range(limits.rules.size):
        fulfilled = fulfilled and _keeps_limit(limits, limit, records, first, last, counts)
    return fulfilled


@compiled_within
def _keeps_limit(limits: Limits, limit: int, records: Counts, first: int, last: int, counts: Counts) -> bool:
    rule, required = limits.rules[limit], limits.limits[limit]
    if rule == APART:
        return _apart(limits, limit, records, first, last) >= required
    if rule == NESTED:
        return _nested(limits, limit, records, first, last, counts) <= required + SLACK
    codes = np.empty(last - first, dtype=np.int32)
    n_codes = 0
    for position in range(first, last):
        code = limits.columns[limit, records[position]]
        if counts[code] == 0:
            codes[n_codes] = code
            n_codes += 1
        counts[code] += 1
    codes = codes[:n_codes]
    if rule == ORDERED:
        sort_by_keys(codes, codes)
    fulfilled = _keeps_by_counts(limits, limit, codes, counts, last - first)
    for code in codes:
        counts[code] = 0
    return fulfilled


@compiled_within
def _keeps_by_counts(limits: Limits, limit: int, codes: Codes, counts: Counts, records: int) -> bool:
    rule, required = limits.rules[limit], limits.limits[limit]
    if rule == DISTINCT:
        return codes.size >= required
    if rule == ENTROPY:
        entropy = 0.0
        for code in codes:
            share = counts[code] / records
            entropy -= share * logarithm(share)
        return exponential(entropy) >= required - SLACK
    if rule == RECURSIVE:
        sizes = np.empty(codes.size, dtype=np.int32)
        for index in range(codes.size):
            sizes[index] = -counts[codes[index]]
        sort_by_keys(sizes, sizes)
        tail = 0
        for index in range(int(required) - 1, sizes.size):
            tail -= sizes[index]
        # strictly: r_1 < c (r_l + r_{l+1} + ...), with room for the measure's own tolerance
        return -sizes[0] < limits.extras[limit] * tail * (1.0 - 2e-9)
    if rule == EQUAL:
        distance = 1.0
        for code in codes:
            table_share, box_share = limits.table[limit, code], counts[code] / records
            distance += abs(box_share - table_share) - table_share
        return 0.5 * distance <= required + SLACK
    return _ordered(limits, limit, codes, counts, records) <= required + SLACK


@compiled_within
def _ordered(limits: Limits, limit: int, codes: Codes, counts: Counts, records: int) -> float:
    """Return the ordered distance of one box (:func:`~sfumato.kernels.contingency_rows.ordered_distances` for many)."""
    values = limits.sizes[limit]
    table, prefix = limits.table[limit], limits.prefix[limit]
    lacking = counts[values] if limits.missing[limit] else 0
    unknown = 0.0
    if limits.missing[limit]:
        unknown = abs(lacking / records - prefix[values + 1])
    total = records - lacking
    if total == 0:
        return unknown
    end = codes.size - 1 if lacking else codes.size
    running = 0
    distance = prefix[codes[0]]
    for entry in range(end):
        running += counts[codes[entry]]
        level = running / total
        start = int(codes[entry])
        until = int(codes[entry + 1]) if entry + 1 < end else int(values)
        distance += stretch(table, prefix, start, until, level)
    return max(distance / max(values - 1, 1), unknown)


@compiled_within
def _nested(limits: Limits, limit: int, records: Counts, first: int, last: int, counts: Counts) -> float:
    """Return the distance along a tree of equal edges: half their length times the flow through each."""
    levels = limits.nodes.shape[1]
    total = last - first
    distance = 0.0
    height = 0
    for level in range(levels):
        if limits.nodes[limit, level, 0] < 0:
            break
        height += 1
        missed = 1.0
        for position in range(first, last):
            counts[limits.nodes[limit, level, limits.columns[limit, records[position]]]] += 1
        for position in range(first, last):
            node = limits.nodes[limit, level, limits.columns[limit, records[position]]]
            if counts[node]:
                table_share = limits.node_shares[limit, level, node]
                missed += abs(counts[node] / total - table_share) - table_share
                counts[node] = 0
        distance += missed
    return 0.5 * distance / max(height, 1)


@compiled_within
def _apart(limits: Limits, limit: int, records: Counts, first: int, last: int) -> int:
    """Count the values that are at least epsilon apart; a box where all are missing reveals none and passes."""
    numbers = np.empty(last - first, dtype=np.float64)
    n_present = 0
    for position in range(first, last):
        number = limits.coordinates[limit, records[position]]
        if not np.isnan(number):
            numbers[n_present] = number
            n_present += 1
    if n_present == 0:
        return EVERY
    sort_by_keys(numbers[:n_present], numbers[:n_present])
    return apart(numbers[:n_present], limits.extras[limit])


@compiled_within
def apart(numbers: Reals, epsilon: float) -> int:
    """Count how many of some sorted numbers can be chosen so that neighbours are at least epsilon apart."""
    chosen = 1
    latest = numbers[0]
    for number in numbers[1:]:
        # 30.3 - 30.2 is a little less than 0.1
        if number - latest >= epsilon * (1.0 - 1e-9) and number > latest:
            chosen += 1
            latest = number
    return chosen
