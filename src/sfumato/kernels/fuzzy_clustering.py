"""One pass over records in fuzzy sets: the sums that give the next sets, and properties of the present ones.

Every kernel works on the records from ``first`` up to ``last`` (IN), so that batches of records run in parallel.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Codes, Reals
from sfumato.kernels.argument_types import RealCube, RealTable
from sfumato.kernels.compiled import compiled_ratios, compiled_ratios_inside
from sfumato.kernels.fuzzy_memberships import (
    BLOCK,
    FuzzySets,
    Records,
    compare_distances,
    compare_swiftly,
    load,
    measure_distances,
    measure_lengths,
    measure_offsets,
    weigh,
)
from sfumato.kernels.lane_sums import LANES, add_products_to_lanes, add_to_lanes, fold
from sfumato.kernels.transcendental import logarithm, power_of


@compiled_ratios
def sum_up(records: Records, sets: FuzzySets, first: int, last: int, moments: RealTable, scatters: RealCube) -> float:
    """Compute the sums from which the next centres and norms follow.

    With the fuzzifier 2, ``records`` (IN) must be in units of their spread. With w the record's weight: ``moments``
    (OUT: sets x (1 + attributes)) gets the sums of w u^m and of w u^m x, ``scatters`` (OUT: sets x attributes x
    attributes, the upper triangles, or no sets where they are not needed) those of w u^m (x - v)(x - v)'.
    Returns the objective, the sum of w u^m D.
    """
    n_sets, n_attributes = sets.centres.shape
    # an even number of both, for kernels that take two at a time; the padding is 0
    even_sets, even_attributes = n_sets + n_sets % 2, n_attributes + n_attributes % 2
    centres = np.zeros((even_sets, even_attributes))
    for j in range(n_sets):
        for a in range(n_attributes):
            centres[j, a] = sets.centres[j, a]
    # partial sums, as in kernels/lane_sums.py
    sums, masses = np.zeros((n_sets, n_attributes, LANES)), np.zeros((n_sets, LANES))
    products, objective = np.zeros((*scatters.shape, LANES)), np.zeros(LANES)
    padded = np.zeros((even_attributes, BLOCK))
    block, offsets = padded[:n_attributes], np.empty((n_attributes, BLOCK))
    powers = np.zeros((even_sets, BLOCK))
    distances = powers[:n_sets]
    # separate arrays: the compiler does not know that rows of one array are contiguous, and loops over them run slowly
    weights, nearest, totals = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    factors, row = np.empty(BLOCK), np.empty(BLOCK)
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
        weigh(sets.fuzzifier, weights, nearest, totals, factors, row)
        add_to_lanes(row, objective)
        for j in range(n_sets):
            for k in range(BLOCK):
                distances[j, k] *= factors[k]
            add_to_lanes(distances[j], masses[j])
        for j in range(n_sets):
            for a in range(n_attributes):
                add_products_to_lanes(distances[j], block[a], sums[j, a])
        for j in range(scatters.shape[0]):
            measure_offsets(block, sets, j, offsets)
            add_scatter(offsets, distances[j], row, products[j])
    for j in range(n_sets):
        moments[j, 0] = fold(masses[j])
        for a in range(n_attributes):
            moments[j, 1 + a] = fold(sums[j, a])
    for j in range(scatters.shape[0]):
        for a in range(n_attributes):
            for b in range(n_attributes):
                scatters[j, a, b] = fold(products[j, a, b])
    return fold(objective)


@compiled_ratios_inside
def add_scatter(offsets: RealTable, powers: Reals, row: Reals, scatter: RealCube) -> None:
    """Add the upper triangle of the sum of ``powers`` times ``offsets`` times their transpose to ``scatter`` (OUT).

    ``scatter`` has partial sums in lanes; ``row`` (BLOCK) is scratch.
    """
    n_attributes = offsets.shape[0]
    for a in range(n_attributes):
        for k in range(BLOCK):
            row[k] = powers[k] * offsets[a, k]
        for b in range(a, n_attributes):
            add_products_to_lanes(row, offsets[b], scatter[a, b])


@compiled_ratios
def find_labels(records: Records, sets: FuzzySets, first: int, last: int, labels: Codes) -> None:
    """Write the number of the nearest set, the first of several, to ``labels`` (OUT: one per record)."""
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
def fill_table(records: Records, sets: FuzzySets, first: int, last: int, memberships: bool, table: RealTable) -> None:
    """Write memberships, or distances unless ``memberships`` (IN), to ``table`` (OUT: records x sets)."""
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
def sum_validity(records: Records, sets: FuzzySets, plain: FuzzySets, first: int, last: int, sums: Reals) -> None:
    """Compute the sums from which indices of validity follow.

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
                    power = membership * membership if sets.fuzzifier == 2.0 else power_of(membership, sets.fuzzifier)
                    sums[0] += weights[k] * membership * membership
                    sums[1] += weights[k] * membership * logarithm(membership)
                    sums[2] += weights[k] * power * lengths[j, k]
                    sums[3 + j] += weights[k] * power


@compiled_ratios
def come_nearer(records: Records, sets: FuzzySets, first: int, last: int, nearest: Reals) -> None:
    """Lower ``nearest`` (IN, OUT: one per record) to the squared distance from the nearest set, where that is less."""
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
