"""From values to codes, from codes to keys, from keys to blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.array_types import Bytes, Codes, Counts, Flags
from sfumato.kernels.argument_types import CodesRead, CountsRead
from sfumato.kernels.compiled import compiled, compiled_inside, interpreted_while_small

EMPTY = -1
MIX = np.uint64(0x9E3779B97F4A7C15)
FOLD = np.uint64(32)


@interpreted_while_small
@compiled
def rank_bounded(values: CountsRead, valid: Flags, low: int, span: int) -> tuple[Codes, Counts]:
    """Rank integers of ``[low, low + span)`` among the distinct ones.

    ``valid`` (IN) is empty when every value counts. Returns each value's rank, -1 where it is not
    valid, and the distinct values in ascending order.
    """
    occurs: Bytes = np.zeros(span, dtype=np.uint8)
    if valid.size == 0:
        for i in range(values.size):
            occurs[values[i] - low] = 1
    else:
        for i in range(values.size):
            if valid[i]:
                occurs[values[i] - low] = 1
    ranks = np.empty(span, dtype=np.int32)
    distinct = 0
    for cell in range(span):
        ranks[cell] = distinct
        if occurs[cell]:
            distinct += 1
    distinct_values = np.empty(distinct, dtype=np.int64)
    for cell in range(span):
        if occurs[cell]:
            distinct_values[ranks[cell]] = cell + low
    codes = np.empty(values.size, dtype=np.int32)
    if valid.size == 0:
        for i in range(values.size):
            codes[i] = ranks[values[i] - low]
    else:
        for i in range(values.size):
            codes[i] = ranks[values[i] - low] if valid[i] else -1
    return codes, distinct_values


@interpreted_while_small
@compiled
def append_digit(keys: Counts, codes: CodesRead, radix: int, offset: int) -> None:
    """Append a code as the last digit of each key: ``keys`` (IN, OUT) = keys * radix + code + offset."""
    for i in range(keys.size):
        keys[i] = keys[i] * radix + codes[i] + offset


@interpreted_while_small
@compiled
def number_dense(keys: Counts, cells: int) -> tuple[Codes, Counts]:
    """Give numbers to the distinct keys of ``[0, cells)`` in ascending order.

    Returns each record's number and how often each number occurs.
    """
    occurrences = np.zeros(cells, dtype=np.int32)
    for i in range(keys.size):
        occurrences[keys[i]] += 1
    distinct = 0
    for cell in range(cells):
        distinct += occurrences[cell] > 0
    sizes = np.empty(distinct, dtype=np.int64)
    number = 0
    for cell in range(cells):
        if occurrences[cell] > 0:
            sizes[number] = occurrences[cell]
            occurrences[cell] = number
            number += 1
    numbers = np.empty(keys.size, dtype=np.int32)
    for i in range(keys.size):
        numbers[i] = occurrences[keys[i]]
    return numbers, sizes


@interpreted_while_small
@compiled
def number_sparse(keys: Counts) -> tuple[Codes, Counts]:
    """Give numbers to the distinct keys, whatever their range, in order of first appearance."""
    slots = 1024
    while slots < 2 * keys.size:
        slots *= 2
    bits = np.uint64(slots - 1)
    table = np.full(slots, EMPTY, dtype=np.int32)
    owner = np.empty(keys.size, dtype=np.int64)
    sizes = np.zeros(keys.size, dtype=np.int64)
    numbers = np.empty(keys.size, dtype=np.int32)
    distinct = 0
    for i in range(keys.size):
        key = keys[i]
        mixed = np.uint64(key) * MIX
        slot = (mixed ^ (mixed >> FOLD)) & bits
        while table[slot] != EMPTY and owner[table[slot]] != key:
            slot = (slot + np.uint64(1)) & bits
        if table[slot] == EMPTY:
            table[slot] = distinct
            owner[distinct] = key
            distinct += 1
        number = table[slot]
        numbers[i] = number
        sizes[number] += 1
    return numbers, sizes[:distinct].copy()


@interpreted_while_small
@compiled
def first_of_each(numbers: Codes, distinct: int) -> Counts:
    """Return the first record of each number."""
    first = np.full(distinct, -1, dtype=np.int64)
    for i in range(numbers.size):
        if first[numbers[i]] < 0:
            first[numbers[i]] = i
    return first


@compiled_inside
def sort_by_keys(keys: Any, values: Any) -> None:
    """Sort keys, and values with them, in place; both may be the same array.

    Shell's way, with Knuth's gaps: few lines, so that kernels that need it are compiled fast.
    """
    gap = 1
    while gap < keys.size // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for position in range(gap, keys.size):
            key, value = keys[position], values[position]
            before = position
            while before >= gap and keys[before - gap] > key:
                keys[before] = keys[before - gap]
                values[before] = values[before - gap]
                before -= gap
            keys[before] = key
            values[before] = value
        gap //= 3
