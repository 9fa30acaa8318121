"""All rules with enough support, found depth first: support only falls as a rule gets longer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.arrays import Reals
from sfumato.kernels.compiled import compiled, compiled_within
from sfumato.kernels.rule_sums import Conditions, Paths
from sfumato.kernels.signatures import HalfTable

FIRST = 1024
"""Room for so many rules to begin with."""


@compiled
def list_frequent(codes: HalfTable, conditions: Conditions, root: int, alpha: float, floor: float, most: int) -> Paths:
    """List the rules that begin with a condition and whose cut products sum to at least a floor.

    Returns their paths in ascending order, padded with -1; once there are more than ``most`` (IN), the search ends.
    """
    n_conditions = conditions.variables.size
    deepest = conditions.variables[n_conditions - 1] + 1
    records = np.empty((deepest + 1, codes.shape[0]), dtype=np.int32)
    products = np.empty((deepest + 1, codes.shape[0]))
    sizes = np.zeros(deepest + 1, dtype=np.int64)
    for record in range(codes.shape[0]):
        records[0, record], products[0, record] = record, 1.0
    sizes[0] = codes.shape[0]
    found, n_found = np.empty((FIRST, deepest), dtype=np.int16), 0
    path = np.empty(deepest + 1, dtype=np.int16)
    path[0] = root
    level = 0
    # path[level] is the condition to be tried next after those before it
    while level >= 0 and n_found <= most:
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
        if n_found == found.shape[0]:
            longer = np.empty((2 * n_found, deepest), dtype=np.int16)
            for rule in range(n_found):
                for place in range(deepest):
                    longer[rule, place] = found[rule, place]
            found = longer
        for place in range(deepest):
            found[n_found, place] = path[place] if place <= level else -1
        n_found += 1
        level += 1
        path[level] = next_variable(conditions, condition)
    return found[:n_found]


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
    """Write who still reaches alpha after one more condition to the next level, and return the sum of products.

    ``records``, ``products`` and ``sizes`` (IN, OUT: levels x records) hold who is left at each level.
    """
    variable, start = conditions.variables[condition], conditions.starts[condition]
    size, total = 0, 0.0
    for place in range(sizes[level]):
        record = records[level, place]
        product = products[level, place] * conditions.grades[start + codes[record, variable]]
        if product >= alpha:
            records[level + 1, size] = record
            products[level + 1, size] = product
            size += 1
            total += product
    sizes[level + 1] = size
    return total
