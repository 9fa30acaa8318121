"""Sums of membership grades in the antecedents of many rules over many records.

A rule is a path: its conditions, numbered through all values of all variables, in the order of the variables. A
record's product of grades reaches alpha only if each factor does, and is one only if each factor is. So two bits per
record and condition decide nearly everything, 64 records at a time: records that cannot reach alpha count 0, records
whose grades are all one count 1, and the product is computed only for the others, in the order of the variables, so
that it is the same wherever it is computed. Rules whose paths begin alike, which are neighbours once sorted, share the
work for that beginning.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Counts, Flags, Reals
from sfumato.kernels.argument_types import HalfTable, ShortTable, WordCube, WordTable
from sfumato.kernels.bit_sets import NONE, ONE, Words, count_bits, lowest_bit
from sfumato.kernels.compiled import compiled, compiled_within

WORDS = 256
"""Words per block: few enough that the bits of all conditions of a block stay in the cache."""
BLOCK = 64 * WORDS
"""Records per block."""

Paths = NDArray[np.int16]


class Conditions(NamedTuple):
    """All values of all variables, with the grades of everything that records can have."""

    variables: Counts
    """The variable of each condition."""
    starts: Counts
    """Where the grades of each condition begin."""
    grades: Reals
    """The grades of each condition, one per code of its variable."""
    fuzzy: Flags
    """Whether a condition has grades between alpha and one, so that it can change a product."""


class Side(NamedTuple):
    """Records, with the bits that decide nearly everything about them."""

    codes: HalfTable
    """Records x variables: a code each."""
    reaching: WordCube
    """Blocks x conditions x WORDS: whose grade is at least alpha."""
    full: WordCube
    """The same: whose grade is one."""


@compiled_within
def product_of(codes: HalfTable, conditions: Conditions, path: Paths, length: int, record: int, least: float) -> float:
    """Return the product of a record's grades, or 0 once it falls below ``least``."""
    product = 1.0
    for step in range(length):
        condition = path[step]
        product *= conditions.grades[conditions.starts[condition] + codes[record, conditions.variables[condition]]]
        if product < least:
            return 0.0
    return product


@compiled
def mark(side: Side, conditions: Conditions, alpha: float, first: int, last: int) -> None:
    """Set the bits of the blocks from ``first`` up to ``last`` (IN) in ``side`` (OUT: both kinds of bits)."""
    n_records = side.codes.shape[0]
    for block in range(first, last):
        begin = block * BLOCK
        for condition in range(conditions.variables.size):
            variable, start = conditions.variables[condition], conditions.starts[condition]
            for word in range(WORDS):
                reaching = full = NONE
                low = begin + 64 * word
                for record in range(low, min(low + 64, n_records)):
                    grade = conditions.grades[start + side.codes[record, variable]]
                    bit = ONE << np.uint64(record - low)
                    if grade >= alpha:
                        reaching |= bit
                    if grade == 1.0:
                        full |= bit
                side.reaching[block, condition, word] = reaching
                side.full[block, condition, word] = full


@compiled_within
def set_all_bits(block: int, n_records: int, words: Words) -> None:
    """Set the bits of all records that a block has in ``words`` (OUT: WORDS)."""
    for word in range(WORDS):
        n_remaining = n_records - block * BLOCK - 64 * word
        words[word] = ~NONE if n_remaining >= 64 else (ONE << np.uint64(n_remaining)) - ONE if n_remaining > 0 else NONE


@compiled_within
def narrow(wide: Words, condition: Words, narrowed: Words) -> bool:
    """Write the intersection to ``narrowed`` (OUT: WORDS); return whether it has any record."""
    any_bits = NONE
    for word in range(WORDS):
        both = wide[word] & condition[word]
        narrowed[word] = both
        any_bits |= both
    return any_bits != NONE


@compiled
def add_products(
    side: Side,
    conditions: Conditions,
    paths: ShortTable,
    lengths: Counts,
    limits: Reals,
    alpha: float,
    first: int,
    last: int,
    sums: Reals,
) -> None:
    """Add up cut products over the blocks from ``first`` up to ``last`` (IN) for each rule.

    ``paths`` (IN: rules x steps) should be sorted, and are as long as ``lengths`` (IN) say. ``sums`` (OUT: rules) that
    exceed their ``limits`` (IN) are not completed: only that they exceed matters.
    """
    deepest = paths.shape[1] + 1
    reaching, full = np.empty((deepest, WORDS), dtype=np.uint64), np.empty((deepest, WORDS), dtype=np.uint64)
    columns, starts = np.empty(deepest, dtype=np.int64), np.empty(deepest, dtype=np.int64)
    active, n_active = np.arange(lengths.size), lengths.size
    sums[:] = 0.0
    for block in range(first, last):
        set_all_bits(block, side.codes.shape[0], reaching[0])
        set_all_bits(block, side.codes.shape[0], full[0])
        # the step from which on no record remains, and the rule to whose steps the bits belong
        empty_from, previous, n_kept = deepest, -1, 0
        for index in range(n_active):
            rule = active[index]
            length = lengths[rule]
            step = shared(paths, lengths, previous, rule)
            previous = rule
            if empty_from > step:
                empty_from = deepest
                while step < length and empty_from == deepest:
                    condition = paths[rule, step]
                    step += 1
                    if not narrow(reaching[step - 1], side.reaching[block, condition], reaching[step]):
                        empty_from = step
                    narrow(full[step - 1], side.full[block, condition], full[step])
                if empty_from == deepest:
                    bits = reaching[length], full[length]
                    n_factors = list_factors(conditions, paths[rule], length, columns, starts)
                    factors = columns[:n_factors], starts[:n_factors]
                    sums[rule] += block_sum(side.codes, conditions.grades, factors, alpha, block * BLOCK, bits)
            if sums[rule] <= limits[rule]:
                active[n_kept] = rule
                n_kept += 1
        n_active = n_kept


@compiled_within
def shared(paths: Paths, lengths: Counts, previous: int, rule: int) -> int:
    """Return the number of equal steps with which two paths begin; 0 without a previous one (-1)."""
    step = 0
    if previous >= 0:
        shorter = min(lengths[previous], lengths[rule])
        while step < shorter and paths[previous, step] == paths[rule, step]:
            step += 1
    return step


@compiled_within
def list_factors(conditions: Conditions, path: Paths, length: int, columns: Counts, starts: Counts) -> int:
    """List the factors that can change a product.

    ``columns`` and ``starts`` (OUT) get the variable and the first grade of each such condition of a path, in order.
    Returns how many there are.
    """
    size = 0
    for step in range(length):
        condition = path[step]
        if conditions.fuzzy[condition]:
            columns[size] = conditions.variables[condition]
            starts[size] = conditions.starts[condition]
            size += 1
    return size


@compiled_within
def block_sum(
    codes: HalfTable,
    grades: Reals,
    factors: tuple[Counts, Counts],
    alpha: float,
    begin: int,
    bits: tuple[Words, Words],
) -> float:
    """Return the sum of cut products of a block that begins with a record.

    ``factors`` (IN) are those that can change a product, see :func:`list_factors`; ``bits`` (IN) are those of the
    whole rule.
    """
    columns, starts = factors
    reaching, full = bits
    n_full = 0
    total = 0.0
    for word in range(WORDS):
        if reaching[word] == NONE:
            continue
        n_full += count_bits(full[word])
        between = reaching[word] & ~full[word]
        while between != NONE:
            record = begin + 64 * word + lowest_bit(between)
            between &= between - ONE
            product = 1.0
            for factor in range(columns.size):
                product *= grades[starts[factor] + codes[record, columns[factor]]]
            if product >= alpha:
                total += product
    return n_full + total


@compiled
def fill_greatest(
    codes: HalfTable,
    conditions: Conditions,
    paths: ShortTable,
    lengths: Counts,
    alpha: float,
    first: int,
    last: int,
    greatest: Reals,
) -> None:
    """Write each record's greatest cut product of any rule to ``greatest`` (OUT), from ``first`` up to ``last``."""
    for record in range(first, last):
        best = 0.0
        for rule in range(lengths.size):
            best = max(best, product_of(codes, conditions, paths[rule], lengths[rule], record, max(alpha, best)))
        greatest[record] = best


@compiled
def mark_general(words: WordTable, general: Flags) -> None:
    """Mark rules none of whose conditions could be left out so that another rule remains.

    ``words`` (IN: rules x words) has a bit for each condition of a rule. Rules are in order of how many they have, and
    none is twice; ``general`` (OUT) gets whether no other rule has only conditions of this one.
    """
    general_rules, n_general = np.empty(general.size, dtype=np.int64), 0
    for rule in range(general.size):
        general[rule] = True
        for index in range(n_general):
            within = True
            for word in range(words.shape[1]):
                within &= (words[general_rules[index], word] & ~words[rule, word]) == NONE
            if within:
                general[rule] = False
                break
        if general[rule]:
            general_rules[n_general] = rule
            n_general += 1
