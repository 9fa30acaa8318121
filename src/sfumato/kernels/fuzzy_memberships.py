"""Memberships of records in fuzzy sets, a block of records at a time, so that no table of all of them is needed.

A set has a centre v and a norm. With D the squared distance of a record from it and p = 1 / (m - 1), where m is the
fuzzifier, the memberships that minimize sum u^m D are u = D^-p / sum D^-p. Everything here is computed from
r = (least D) / D instead, which neither overflows nor divides by zero at a centre:
u = r^p / s and u^m = r^p r / s^m with s = sum r^p, and the minimum itself is (least D) / s^(m - 1).
"""

from __future__ import annotations

from typing import NamedTuple

from sfumato.array_types import Counts, Reals
from sfumato.kernels.argument_types import RealCube, RealsRead, RealTable
from sfumato.kernels.compiled import compiled_ratios_inside
from sfumato.kernels.transcendental import power_of

BLOCK = 256
"""Records per block: few enough that all intermediate results stay in the cache."""


FAINT = 1e-140
"""Negligible beside squared distances in units of the records' spread; its square does not underflow."""


class Records(NamedTuple):
    """Records as kernels take them: numbers in any order in memory, moved and scaled as they are read."""

    numbers: RealsRead
    """All numbers, in one row."""
    by_record: int
    by_attribute: int
    """The distance between consecutive records and between consecutive attributes in that row."""
    attributes: Counts
    """Which attributes are used."""
    origins: Reals
    scales: Reals
    """Each attribute's origin is subtracted from its values, which are then multiplied by its scale."""
    weights: RealsRead
    by_weight: int
    """One weight for all records (0) or one per record (1)."""


class FuzzySets(NamedTuple):
    """Fuzzy sets: their centres and norms."""

    centres: RealTable
    """One row per set."""
    factors: RealCube
    """For each set an upper triangular G; lengths are those of G (x - v). Without sets: ordinary lengths."""
    fuzzifier: float


@compiled_ratios_inside
def load(records: Records, first: int, last: int, block: RealTable, weights: Reals) -> None:
    """Read a block.

    ``block`` (OUT: attributes x BLOCK) and ``weights`` (OUT) get the records from ``first`` up to ``last`` (IN);
    the rest of the block repeats one of them without weight, so that loops have a fixed length.
    """
    count = min(last - first, BLOCK)
    for a in range(block.shape[0]):
        start = first * records.by_record + records.attributes[a] * records.by_attribute
        origin, scale = records.origins[a], records.scales[a]
        for k in range(count):
            block[a, k] = (records.numbers[start + k * records.by_record] - origin) * scale
        for k in range(count, BLOCK):
            block[a, k] = block[a, 0]
    # in loops: assigning one array to a part of another takes two seconds more to compile
    step, start = records.by_weight, first * records.by_weight
    for k in range(count):
        weights[k] = records.weights[start + k * step]
    for k in range(count, BLOCK):
        weights[k] = 0.0


@compiled_ratios_inside
def measure_offsets(block: RealTable, sets: FuzzySets, j: int, offsets: RealTable) -> None:
    """Write the differences of a block's records from a centre to ``offsets`` (OUT: attributes x BLOCK)."""
    for a in range(block.shape[0]):
        centre = sets.centres[j, a]
        for k in range(BLOCK):
            offsets[a, k] = block[a, k] - centre


@compiled_ratios_inside
def measure_distances(block: RealTable, sets: FuzzySets, offsets: RealTable, row: Reals, distances: RealTable) -> None:
    """Write squared distances from all sets to ``distances`` (OUT: sets x BLOCK).

    ``offsets`` (attributes x BLOCK) and ``row`` (BLOCK) are scratch.
    """
    n_attributes = block.shape[0]
    for j in range(sets.centres.shape[0]):
        for k in range(BLOCK):
            distances[j, k] = 0.0
        if sets.factors.shape[0] == 0:
            for a in range(n_attributes):
                centre = sets.centres[j, a]
                for k in range(BLOCK):
                    offset = block[a, k] - centre
                    distances[j, k] += offset * offset
            continue
        measure_offsets(block, sets, j, offsets)
        for a in range(n_attributes):
            # an even number of attributes is left then
            first = a + (n_attributes - a) % 2
            factor = sets.factors[j, a, a] if first > a else 0.0
            for k in range(BLOCK):
                row[k] = factor * offsets[a, k]
            for b in range(first, n_attributes, 2):
                factor, next_factor = sets.factors[j, a, b], sets.factors[j, a, b + 1]
                for k in range(BLOCK):
                    row[k] += factor * offsets[b, k] + next_factor * offsets[b + 1, k]
            for k in range(BLOCK):
                distances[j, k] += row[k] * row[k]


@compiled_ratios_inside
def measure_lengths(block: RealTable, centres: RealTable, distances: RealTable) -> None:
    """Write squared ordinary distances to ``distances`` (OUT: sets x BLOCK).

    The rest is IN. There must be an even number of sets and of attributes: two by two they share the reading and
    writing, which takes longer than the arithmetic.
    """
    for j in range(0, distances.shape[0], 2):
        for k in range(BLOCK):
            distances[j, k] = 0.0
            distances[j + 1, k] = 0.0
        for a in range(0, block.shape[0], 2):
            first, first_next = centres[j, a], centres[j, a + 1]
            second, second_next = centres[j + 1, a], centres[j + 1, a + 1]
            for k in range(BLOCK):
                from_first, from_first_next = block[a, k] - first, block[a + 1, k] - first_next
                from_second, from_second_next = block[a, k] - second, block[a + 1, k] - second_next
                distances[j, k] += from_first * from_first + from_first_next * from_first_next
                distances[j + 1, k] += from_second * from_second + from_second_next * from_second_next


@compiled_ratios_inside
def compare_distances(distances: RealTable, fuzzifier: float, powers: bool, nearest: Reals, totals: Reals) -> None:
    """Turn squared distances into memberships up to a factor.

    ``distances`` (IN, OUT: sets x BLOCK) become r^p r if ``powers`` (IN), else r^p; ``nearest`` (OUT:
    BLOCK) gets the least of them and ``totals`` (OUT: BLOCK) the sums of r^p. Where a record lies at centres, r is 1
    for those and 0 for all others.
    """
    for k in range(BLOCK):
        nearest[k] = distances[0, k]
        totals[k] = 0.0
    for j in range(1, distances.shape[0]):
        for k in range(BLOCK):
            nearest[k] = distances[j, k] if distances[j, k] < nearest[k] else nearest[k]
    power = 1.0 / (fuzzifier - 1.0)
    for j in range(distances.shape[0]):
        for k in range(BLOCK):
            ratio = nearest[k] / distances[j, k] if distances[j, k] > nearest[k] else 1.0
            share = ratio if power == 1.0 else power_of(ratio, power)
            totals[k] += share
            distances[j, k] = share * ratio if powers else share


@compiled_ratios_inside
def compare_swiftly(distances: RealTable, nearest: Reals, totals: Reals) -> None:
    """Do the same for powers with the usual fuzzifier 2, with r = 1 / D instead.

    Where a record lies at centres, all others get less than the rounding error. Only for records in units of their
    spread: 1 / D of others could overflow.
    """
    for k in range(BLOCK):
        nearest[k] = 1.0
        totals[k] = FAINT
    n_sets = distances.shape[0]
    # two sets share one division, which takes longer than all the rest
    for j in range(0, n_sets - 1, 2):
        for k in range(BLOCK):
            first, second = distances[j, k] + FAINT, distances[j + 1, k] + FAINT
            inverse = 1.0 / (first * second)
            totals[k] += (first + second) * inverse
            distances[j, k] = (second * inverse) ** 2
            distances[j + 1, k] = (first * inverse) ** 2
    if n_sets % 2:
        for k in range(BLOCK):
            ratio = 1.0 / (distances[n_sets - 1, k] + FAINT)
            totals[k] += ratio
            distances[n_sets - 1, k] = ratio * ratio


@compiled_ratios_inside
def weigh(fuzzifier: float, weights: Reals, nearest: Reals, totals: Reals, factors: Reals, objectives: Reals) -> None:
    """Write the factors that turn powers of ratios into weighted powers of memberships to ``factors`` (OUT: BLOCK).

    ``objectives`` (OUT: BLOCK) gets each record's contribution to the objective. The other arguments are IN.
    """
    if fuzzifier == 2.0:
        for k in range(BLOCK):
            inverse = 1.0 / totals[k]
            objectives[k] = weights[k] * nearest[k] * inverse
            factors[k] = weights[k] * inverse * inverse
    else:
        for k in range(BLOCK):
            factor = weights[k] * power_of(totals[k], 1.0 - fuzzifier)
            objectives[k] = factor * nearest[k]
            factors[k] = factor / totals[k]
