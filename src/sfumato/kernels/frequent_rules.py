"""All rules with enough support, found depth first: support only falls as a rule gets longer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Reals
from sfumato.kernels.argument_types import HalfTable
from sfumato.kernels.compiled import compiled, compiled_within
from sfumato.kernels.rule_sums import Conditions, Paths

FIRST = 1024
"""The number of rules that there is room for at first."""


@compiled
def list_frequent(
    codes: HalfTable, conditions: Conditions, root: int, alpha: float, floor: float, max_rules: int
) -> Paths:
    """List the rules that begin with a condition and whose cut products sum to at least a floor.

    Returns their paths in ascending order, padded with -1; the search ends once there are more than ``max_rules`` (IN).
    """
    n_conditions = conditions.variables.size
    deepest = conditions.variables[n_conditions - 1] + 1
    records = np.empty((deepest + 1, codes.shape[0]), dtype=np.int32)
    products = np.empty((deepest + 1, codes.shape[0]))
    sizes = np.zeros(deepest + 1, dtype=np.int64)
    for record in range(codes.shape[0]):
        records[0, record], products[0, record] = record, 1.0
    sizes[0] = codes.shape[0]
    paths, n_rules = np.empty((FIRST, deepest), dtype=np.int16), 0
    path = np.empty(deepest + 1, dtype=np.int16)
    path[0] = root
    level = 0
    # path[level] is the condition to be tried next after those before it
    while level >= 0 and n_rules <= max_rules:
        condition = path[level]
        if condition >= n_conditions or (level == 0 and condition != root):
            level -= 1
            if level >= 0:
                path[level] += 1
            continue
        total = extend(codes, conditions, condition, alpha, level, records, products, sizes)
        if total < floor or total == 0.0:
            path[level] += 1
            continue
        if n_rules == paths.shape[0]:
            longer = np.empty((2 * n_rules, deepest), dtype=np.int16)
            for rule in range(n_rules):
                for step in range(deepest):
                    longer[rule, step] = paths[rule, step]
            paths = longer
        for step in range(deepest):
            paths[n_rules, step] = path[step] if step <= level else -1
        n_rules += 1
        level += 1
        path[level] = next_variable(conditions, condition)
    return paths[:n_rules]


@compiled_within
def next_variable(conditions: Conditions, condition: int) -> int:
    """Return the first condition of the variable after that of a condition, or how many there are."""
    following = condition + 1
    while following < conditions.variables.size and conditions.variables[following] == conditions.variables[condition]:
        following += 1
    return following


@compiled_within
def extend(
    codes: HalfTable,
    conditions: Conditions,
    condition: int,
    alpha: float,
    level: int,
    records: NDArray[np.int32],
    products: Reals,
    sizes: NDArray[np.int64],
) -> float:
    """Write the records that still reach alpha after one more condition to the next level; return the sum of products.

    ``records``, ``products`` and ``sizes`` (IN, OUT: levels x records) hold the records that remain at each level.
    """
    variable, start = conditions.variables[condition], conditions.starts[condition]
    size, total = 0, 0.0
    for index in range(sizes[level]):
        record = records[level, index]
        product = products[level, index] * conditions.grades[start + codes[record, variable]]
        if product >= alpha:
            records[level + 1, size] = record
            products[level + 1, size] = product
            size += 1
            total += product
    sizes[level + 1] = size
    return total
