"""One pass over records in fuzzy sets: what the next sets are made of, and what is asked about the last ones.

Every kernel works on the records from ``first`` up to ``last`` (IN), so that parts run side by side.
"""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Codes, Reals
from sfumato.kernels.compiled import compiled_ratios
from sfumato.kernels.memberships import (
    BLOCK,
    Records,
    Sets,
    compare_distances,
    compare_swiftly,
    load,
    measure_distances,
    measure_lengths,
    measure_offsets,
    weigh,
)


@compiled_ratios
def sum_up(records: Records, sets: Sets, first: int, last: int, moments: Reals, scatters: Reals) -> float:
    """Sum up what the next centres and norms are made of.

    With the fuzzifier 2, ``records`` (IN) must be in units of their spread. With w the record's weight: ``moments``
    (OUT: sets x (1 + attributes)) gets the sums of w u^m and of w u^m x, ``scatters`` (OUT: sets x attributes x
    attributes, the upper triangles, or no set at all where they are not wanted) those of w u^m (x - v)(x - v)'.
    Returns the objective, the sum of w u^m D.
    """
    n_sets, n_attributes = sets.centres.shape
    # an even number of both, for kernels that take two at a time; what is added is nought
    even_sets, even_attributes = n_sets + n_sets % 2, n_attributes + n_attributes % 2
    centres = np.zeros((even_sets, even_attributes))
    centres[:n_sets, :n_attributes] = sets.centres
    sums = np.zeros((even_sets, even_attributes))
    padded = np.zeros((even_attributes, BLOCK))
    block, offsets = padded[:n_attributes], np.empty((n_attributes, BLOCK))
    powers = np.zeros((even_sets, BLOCK))
    distances = powers[:n_sets]
    # one by one, for rows of one array would not be known to lie without gaps, and loops over them run slowly
    weights, nearest, totals = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    factors, row = np.empty(BLOCK), np.empty(BLOCK)
    moments[:] = 0.0
    scatters[:] = 0.0
    objective = 0.0
    for start in range(first, last, BLOCK):
        load(records, start, last, block, weights)
        if sets.factors.shape[0] == 0:
            measure_lengths(padded, centres, powers)
        else:
            measure_distances(block, sets, offsets, row, distances)
        if sets.fuzzifier == 2.0:
            compare_swiftly(distances, nearest, totals)
        else:
            compare_distances(distances, sets.fuzzifier, True, nearest, totals)
        objective += weigh(sets.fuzzifier, weights, nearest, totals, factors)
        for j in range(n_sets):
            mass = 0.0
            for k in range(BLOCK):
                distances[j, k] *= factors[k]
                mass += distances[j, k]
            moments[j, 0] += mass
        add_products(padded, powers, sums)
        for j in range(scatters.shape[0]):
            measure_offsets(block, sets, j, offsets)
            add_scatter(offsets, distances[j], row, scatters[j])
    moments[:, 1:] = sums[:n_sets, :n_attributes]
    return objective


@compiled_ratios
def add_products(block: Reals, powers: Reals, sums: Reals) -> None:
    """Add the products of ``powers`` (IN: sets x BLOCK) and numbers of a block (IN) to ``sums`` (IN, OUT).

    There must be an even number of sets and of attributes.
    """
    for j in range(0, powers.shape[0], 2):
        for a in range(0, block.shape[0], 2):
            one = next_of_one = other = next_of_other = 0.0
            for k in range(BLOCK):
                number, following = block[a, k], block[a + 1, k]
                one += powers[j, k] * number
                next_of_one += powers[j, k] * following
                other += powers[j + 1, k] * number
                next_of_other += powers[j + 1, k] * following
            sums[j, a] += one
            sums[j, a + 1] += next_of_one
            sums[j + 1, a] += other
            sums[j + 1, a + 1] += next_of_other


@compiled_ratios
def add_scatter(offsets: Reals, powers: Reals, row: Reals, scatter: Reals) -> None:
    """Add the upper triangle of the sum of ``powers`` times ``offsets`` times their transpose to ``scatter`` (OUT).

    ``row`` (BLOCK) is room to work in.
    """
    n_attributes = offsets.shape[0]
    for a in range(n_attributes):
        for k in range(BLOCK):
            row[k] = powers[k] * offsets[a, k]
        # an even number of attributes is left then
        first = a + (n_attributes - a) % 2
        if first > a:
            product = 0.0
            for k in range(BLOCK):
                product += row[k] * offsets[a, k]
            scatter[a, a] += product
        for b in range(first, n_attributes, 2):
            product = other = 0.0
            for k in range(BLOCK):
                product += row[k] * offsets[b, k]
                other += row[k] * offsets[b + 1, k]
            scatter[a, b] += product
            scatter[a, b + 1] += other


@compiled_ratios
def find_labels(records: Records, sets: Sets, first: int, last: int, labels: Codes) -> None:
    """Write the number of the nearest set, the first of several, to ``labels`` (OUT: one a record)."""
    n_sets, n_attributes = sets.centres.shape
    block, offsets = np.empty((n_attributes, BLOCK)), np.empty((n_attributes, BLOCK))
    distances = np.empty((n_sets, BLOCK))
    weights, row = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(first, last, BLOCK):
        load(records, start, last, block, weights)
        measure_distances(block, sets, offsets, row, distances)
        for k in range(min(BLOCK, last - start)):
            label = 0
            for j in range(1, n_sets):
                if distances[j, k] < distances[label, k]:
                    label = j
            labels[start + k] = label


@compiled_ratios
def fill_table(records: Records, sets: Sets, first: int, last: int, memberships: bool, table: Reals) -> None:
    """Write ``memberships`` (IN), or distances if not those, to ``table`` (OUT: records x sets)."""
    n_sets, n_attributes = sets.centres.shape
    block, offsets = np.empty((n_attributes, BLOCK)), np.empty((n_attributes, BLOCK))
    distances = np.empty((n_sets, BLOCK))
    weights, nearest, totals, row = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    for start in range(first, last, BLOCK):
        load(records, start, last, block, weights)
        measure_distances(block, sets, offsets, row, distances)
        if memberships:
            compare_distances(distances, sets.fuzzifier, False, nearest, totals)
        for k in range(min(BLOCK, last - start)):
            for j in range(n_sets):
                table[start + k, j] = distances[j, k] / totals[k] if memberships else np.sqrt(distances[j, k])


@compiled_ratios
def sum_validity(records: Records, sets: Sets, plain: Sets, first: int, last: int, sums: Reals) -> None:
    """Sum up what indices of validity are made of.

    ``plain`` (IN) are the same sets with ordinary lengths E. With w the record's weight, ``sums`` (OUT: 3 + sets) gets
    the sums of w u^2, of w u ln u and of w u^m E^2, and for each set that of w u^m.
    """
    n_sets, n_attributes = sets.centres.shape
    block, offsets = np.empty((n_attributes, BLOCK)), np.empty((n_attributes, BLOCK))
    distances, lengths = np.empty((n_sets, BLOCK)), np.empty((n_sets, BLOCK))
    weights, nearest, totals, row = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    sums[:] = 0.0
    for start in range(first, last, BLOCK):
        load(records, start, last, block, weights)
        measure_distances(block, plain, offsets, row, lengths)
        measure_distances(block, sets, offsets, row, distances)
        compare_distances(distances, sets.fuzzifier, False, nearest, totals)
        for j in range(n_sets):
            for k in range(BLOCK):
                membership = distances[j, k] / totals[k]
                if membership > 0.0:
                    power = membership * membership if sets.fuzzifier == 2.0 else membership**sets.fuzzifier
                    sums[0] += weights[k] * membership * membership
                    sums[1] += weights[k] * membership * np.log(membership)
                    sums[2] += weights[k] * power * lengths[j, k]
                    sums[3 + j] += weights[k] * power


@compiled_ratios
def come_nearer(records: Records, sets: Sets, first: int, last: int, nearest: Reals) -> None:
    """Lower ``nearest`` (IN, OUT: one a record) to the squared distance from any of some sets, where that is less."""
    n_sets, n_attributes = sets.centres.shape
    block, offsets = np.empty((n_attributes, BLOCK)), np.empty((n_attributes, BLOCK))
    distances = np.empty((n_sets, BLOCK))
    weights, row = np.empty(BLOCK), np.empty(BLOCK)
    for start in range(first, last, BLOCK):
        load(records, start, last, block, weights)
        measure_distances(block, sets, offsets, row, distances)
        for k in range(min(BLOCK, last - start)):
            for j in range(n_sets):
                nearest[start + k] = min(nearest[start + k], distances[j, k])
