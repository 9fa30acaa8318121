"""Memberships of records in fuzzy sets, a block of records at a time, so that no table of all of them is needed.

A set has a centre v and a norm. With D the squared distance of a record from it and p = 1 / (m - 1), where m is the
fuzzifier, the memberships that minimize sum u^m D are u = D^-p / sum D^-p. Everything here is computed from
r = (least D) / D instead, which neither overflows nor divides by zero at a centre:
u = r^p / s and u^m = r^p r / s^m with s = sum r^p, and the minimum itself is (least D) / s^(m - 1).
"""

from __future__ import annotations

from typing import NamedTuple

from sfumato.arrays import Counts, Reals
from sfumato.kernels.compiled import compiled_ratios_inside
from sfumato.kernels.signatures import RealCube, RealsRead, RealTable
from sfumato.kernels.transcendental import power_of

BLOCK = 256
"""Records a block: with it, all that is computed of them stays in the fastest memory."""


FAINT = 1e-140
"""Nothing beside squared distances of records that are in units of their spread; its square is still a number."""


class Records(NamedTuple):
    """Records as kernels take them: numbers in any order in memory, moved and scaled as they are read."""

    numbers: RealsRead
    """All numbers, in one row."""
    by_record: int
    by_attribute: int
    """How far apart records and attributes lie in it."""
    attributes: Counts
    """Which attributes are used."""
    origins: Reals
    scales: Reals
    """What is subtracted from each of them, and then multiplied by it."""
    weights: RealsRead
    by_weight: int
    """One weight for all (0) or one a record (1)."""


class Sets(NamedTuple):
    """Fuzzy sets: their centres and norms."""

    centres: RealTable
    """One row a set."""
    factors: RealCube
    """For each set an upper triangular G; lengths are those of G (x - v). None at all: ordinary lengths."""
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
def measure_offsets(block: RealTable, sets: Sets, which: int, offsets: RealTable) -> None:
    """Write where the records of a block lie as seen from a centre to ``offsets`` (OUT: attributes x BLOCK)."""
    for a in range(block.shape[0]):
        centre = sets.centres[which, a]
        for k in range(BLOCK):
            offsets[a, k] = block[a, k] - centre


@compiled_ratios_inside
def measure_distances(block: RealTable, sets: Sets, offsets: RealTable, row: Reals, distances: RealTable) -> None:
    """Write squared distances from all sets to ``distances`` (OUT: sets x BLOCK).

    ``offsets`` (attributes x BLOCK) and ``row`` (BLOCK) are room to work in.
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
                factor, other = sets.factors[j, a, b], sets.factors[j, a, b + 1]
                for k in range(BLOCK):
                    row[k] += factor * offsets[b, k] + other * offsets[b + 1, k]
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
            one, next_of_one = centres[j, a], centres[j, a + 1]
            other, next_of_other = centres[j + 1, a], centres[j + 1, a + 1]
            for k in range(BLOCK):
                from_one, next_from_one = block[a, k] - one, block[a + 1, k] - next_of_one
                from_other, next_from_other = block[a, k] - other, block[a + 1, k] - next_of_other
                distances[j, k] += from_one * from_one + next_from_one * next_from_one
                distances[j + 1, k] += from_other * from_other + next_from_other * next_from_other


@compiled_ratios_inside
def compare_distances(distances: RealTable, fuzzifier: float, powers: bool, nearest: Reals, totals: Reals) -> None:
    """Turn squared distances into memberships up to a factor.

    ``distances`` (IN, OUT: sets x BLOCK) become r^p r if ``powers`` (IN) are wanted, else r^p; ``nearest`` (OUT:
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
    """Do the same for powers with the fuzzifier 2, which nearly everybody's is, with r = 1 / D instead.

    Where a record lies at centres, all others get less than rounding would notice. Only for records in units of their
    spread: 1 / D of others could overflow.
    """
    for k in range(BLOCK):
        nearest[k] = 1.0
        totals[k] = FAINT
    n_sets = distances.shape[0]
    # two sets share one division, which takes longer than all the rest
    for j in range(0, n_sets - 1, 2):
        for k in range(BLOCK):
            one, other = distances[j, k] + FAINT, distances[j + 1, k] + FAINT
            inverse = 1.0 / (one * other)
            totals[k] += (one + other) * inverse
            distances[j, k] = (other * inverse) ** 2
            distances[j + 1, k] = (one * inverse) ** 2
    if n_sets % 2:
        for k in range(BLOCK):
            ratio = 1.0 / (distances[n_sets - 1, k] + FAINT)
            totals[k] += ratio
            distances[n_sets - 1, k] = ratio * ratio


@compiled_ratios_inside
def weigh(fuzzifier: float, weights: Reals, nearest: Reals, totals: Reals, factors: Reals, objectives: Reals) -> None:
    """Write what makes powers of ratios to weighted powers of memberships to ``factors`` (OUT: BLOCK).

    ``objectives`` (OUT: BLOCK) gets each record's part of the objective. The rest is IN.
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
