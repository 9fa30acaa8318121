"""How often each value occurs in each block, as compressed rows, and the distances of rows from the table."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.kernels.argument_types import CodesRead
from sfumato.kernels.compiled import compiled, compiled_inside, interpreted_while_small


@interpreted_while_small
@compiled
def tabulate_dense(blocks: Codes, codes: CodesRead, n_blocks: int, n_values: int) -> tuple[Counts, Codes, Counts]:
    """Count (block, code) pairs in a full table, then compress it. Negative codes are left out.

    Returns the position at which the entries of each block start (one more at the end), and for each
    entry its code and its count; codes ascend within a block.
    """
    table = np.zeros(n_blocks * n_values, dtype=np.int32)
    for i in range(blocks.size):
        if codes[i] >= 0:
            table[np.int64(blocks[i]) * n_values + codes[i]] += 1
    entries = 0
    for cell in range(table.size):
        entries += table[cell] > 0
    starts = np.empty(n_blocks + 1, dtype=np.int64)
    entry_codes = np.empty(entries, dtype=np.int32)
    counts = np.empty(entries, dtype=np.int64)
    entry = 0
    for block in range(n_blocks):
        starts[block] = entry
        for value in range(n_values):
            count = table[block * n_values + value]
            if count > 0:
                entry_codes[entry] = value
                counts[entry] = count
                entry += 1
    starts[n_blocks] = entry
    return starts, entry_codes, counts


@compiled_inside
def counting_order(codes: Codes, order: Counts, n_codes: int) -> Counts:
    """Reorder ``order`` (IN) stably by the codes of its records."""
    starts = np.zeros(n_codes + 1, dtype=np.int64)
    for position in range(order.size):
        starts[codes[order[position]] + 1] += 1
    for code in range(n_codes):
        starts[code + 1] += starts[code]
    ordered = np.empty_like(order)
    for position in range(order.size):
        code = codes[order[position]]
        ordered[starts[code]] = order[position]
        starts[code] += 1
    return ordered


@interpreted_while_small
@compiled
def tabulate_sparse(blocks: Codes, codes: Codes, n_blocks: int, n_values: int) -> tuple[Counts, Codes, Counts]:
    """Return the same as :func:`tabulate_dense` by two counting sorts, where the full table would be too large."""
    n_present = 0
    for i in range(codes.size):
        n_present += codes[i] >= 0
    order = np.empty(n_present, dtype=np.int64)
    position = 0
    for i in range(codes.size):
        if codes[i] >= 0:
            order[position] = i
            position += 1
    order = counting_order(codes, order, n_values)
    order = counting_order(blocks, order, n_blocks)
    starts = np.zeros(n_blocks + 1, dtype=np.int64)
    entry_codes = np.empty(n_present, dtype=np.int32)
    counts = np.empty(n_present, dtype=np.int64)
    entry = -1
    last_block = -1
    for position in range(n_present):
        block, code = blocks[order[position]], codes[order[position]]
        if block != last_block or code != entry_codes[entry]:
            entry += 1
            entry_codes[entry] = code
            counts[entry] = 0
            starts[block + 1] += 1
            last_block = block
        counts[entry] += 1
    for block in range(n_blocks):
        starts[block + 1] += starts[block]
    return starts, entry_codes[: entry + 1].copy(), counts[: entry + 1].copy()


@compiled_inside
def stretch(table: Reals, prefix: Reals, start: int, until: int, level: float) -> float:
    """Sum |level - W_i| over the values from ``start`` to ``until``, between which the cumulative shares W ascend.

    ``prefix`` (IN) has the sums of ``table`` (IN) before each value.
    """
    low, high = start, until
    while low < high:
        middle = (low + high) // 2
        if table[middle] <= level:
            low = middle + 1
        else:
            high = middle
    below = level * (low - start) - (prefix[low] - prefix[start])
    return below + (prefix[until] - prefix[low]) - level * (until - low)


@interpreted_while_small
@compiled
def ordered_distances(starts: Counts, codes: Codes, counts: Counts, overall: Counts) -> Reals:
    """Sum |P_i - W_i| of cumulative shares over all values i, row by row.

    Between two values that a row has, P is constant while W ascends: where they cross is found by
    bisection, and prefix sums of W give the stretch on either side. So the work for a row grows with its entries, not
    with all values. ``overall`` (IN) counts each value in the table; codes beyond it are left out.
    """
    values = overall.size
    table, prefix = np.zeros(values), np.zeros(values + 1)
    cumulated = 0
    for value in range(values):
        cumulated += overall[value]
        table[value] = cumulated
    for value in range(values):
        table[value] /= max(cumulated, 1)
        prefix[value + 1] = prefix[value] + table[value]
    distances = np.zeros(starts.size - 1, dtype=np.float64)
    for row in range(starts.size - 1):
        end = starts[row + 1]
        if end > starts[row] and codes[end - 1] >= values:
            end -= 1
        total = 0
        for entry in range(starts[row], end):
            total += counts[entry]
        if total == 0:
            continue
        running = 0
        distance = prefix[codes[starts[row]]]
        for entry in range(starts[row], end):
            running += counts[entry]
            level = running / total
            start, until = int(codes[entry]), int(codes[entry + 1]) if entry + 1 < end else values
            distance += stretch(table, prefix, start, until, level)
        distances[row] = distance
    return distances
