"""Blocks: the records released with the same quasi values, and which blocks match each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.microfile import DENSE_CELLS, Encoded, Microfile
from sfumato.quiet_repr import quiet

MAX_KEY = 1 << 62


@quiet
@dataclass(frozen=True)
class Blocks:
    """The partition of records by their quasi values; a missing value is a value of its own."""

    numbers: Codes
    """The block of each record."""
    sizes: Counts
    """The records in each block."""
    columns: tuple[Encoded, ...]
    """The quasi attributes."""

    def __len__(self) -> int:
        return int(self.sizes.size)

    @cached_property
    def codes(self) -> Codes:
        """The code of each quasi attribute (axis 1) in each block (axis 0), -1 where missing."""
        from sfumato.kernels.factorize import first_of_each

        first = first_of_each(self.numbers, len(self))
        return np.ascontiguousarray(np.column_stack([column.codes[first] for column in self.columns]))

    def totals(self, amounts: Reals) -> Reals:
        """Sum an amount of each record within its block."""
        return np.bincount(self.numbers, weights=amounts, minlength=len(self)).astype(np.float64, copy=False)

    def members(self, block: int) -> Counts:
        """Return the indices of a block's records."""
        return np.flatnonzero(self.numbers == block)

    @property
    def has_missing(self) -> bool:
        """Whether a quasi value is missing anywhere."""
        return any(column.has_missing for column in self.columns)


def blocks_of(microfile: Microfile, names: Sequence[str]) -> Blocks:
    """Partition the records by the values of some attributes."""
    return group([microfile.encoded(name) for name in names])


def group(columns: Sequence[Encoded]) -> Blocks:
    """Partition the records by some encoded columns."""
    numbers, sizes = group_codes([column.codes for column in columns], [column.values.size for column in columns])
    return Blocks(numbers, sizes, tuple(columns))


def group_codes(columns: Sequence[Codes], cardinalities: Sequence[int]) -> tuple[Codes, Counts]:
    """Assign numbers to the distinct combinations of codes; return each record's number and the sizes."""
    from sfumato.kernels.factorize import append_digit

    records = columns[0].size
    keys = np.zeros(records, dtype=np.int64)
    cells = 1
    for codes, cardinality in zip(columns, cardinalities, strict=True):
        radix = cardinality + 1  # the digit 0 is a missing value
        if cells * radix > MAX_KEY:
            numbers, sizes = _number(keys, cells)
            keys, cells = numbers.astype(np.int64), int(sizes.size)
        append_digit(keys, codes, radix, 1)
        cells *= radix
    return _number(keys, cells)


def _number(keys: Counts, cells: int) -> tuple[Codes, Counts]:
    from sfumato.kernels.factorize import number_dense, number_sparse

    if cells <= max(DENSE_CELLS, 4 * keys.size):
        return number_dense(keys, cells)
    return number_sparse(keys)


def homes_of(household: Encoded) -> Codes:
    """Assign numbers to households; a record without one is a household of its own."""
    homes = household.codes.copy()
    alone = homes < 0
    homes[alone] = household.values.size + np.arange(int(alone.sum()), dtype=np.int32)
    return homes


@quiet
@dataclass(frozen=True)
class Patterns:
    """Blocks sorted by which of their attributes are missing."""

    order: Counts
    """The blocks, pattern by pattern."""
    starts: Counts
    """Where each pattern starts in that order, and the end."""
    missing: Flags
    """Patterns by attributes: what is missing."""

    @classmethod
    def of(cls, codes: Codes) -> Patterns:
        """Sort blocks of these codes."""
        absent = codes < 0
        _, first, inverse = np.unique(_packed(absent), return_index=True, return_inverse=True)
        order = np.argsort(inverse, kind="stable").astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(np.bincount(inverse, minlength=first.size))])
        return cls(order, starts.astype(np.int64), np.ascontiguousarray(absent[first]))


def _packed(absent: Flags) -> Any:
    """Return one key for each row of flags; whole numbers where these suffice, which are sorted much faster."""
    packed = np.packbits(absent, axis=1)
    width = next((width for width in (1, 2, 4, 8) if width >= packed.shape[1]), packed.shape[1])
    padded = np.zeros((packed.shape[0], width), dtype=np.uint8)
    padded[:, width - packed.shape[1] :] = packed
    return padded.view(f"<u{width}" if width <= 8 else np.dtype((np.void, width))).ravel()


def crowd_sums(blocks: Blocks, amounts: Sequence[Reals]) -> list[Reals]:
    """Sum amounts of blocks over each block's crowd: all blocks that match it.

    Two blocks match where every quasi value is equal or missing in either; without missing values the
    crowd is the block itself.
    """
    if not blocks.has_missing:
        return list(amounts)
    stacked = np.ascontiguousarray(np.column_stack(amounts), dtype=np.float64)
    sums = matching_sums(blocks.codes, stacked)
    return [sums[:, column] for column in range(sums.shape[1])]


def ranks_of(columns: Iterable[Encoded], records: int) -> Counts:
    """Rank records by all their values, whatever their order in the file; equal records have the same rank.

    Parameters
    ----------
    columns
        The values, the most important first; columns are used one by one until all ranks differ.
    records
        The number of records.
    """
    ranks: Counts = np.zeros(records, dtype=np.int64)
    highest = 1
    for column in columns:
        radix = int(column.values.size) + 1
        if highest * radix > MAX_KEY:
            ranks, highest = _dense(ranks)
        # a missing value ranks first
        ranks = ranks * radix + column.codes + 1
        highest *= radix
        if 2 * radix > records:
            # nearly every record has a value of its own
            ranks, highest = _dense(ranks)
            if highest == records:
                break
    return ranks


def _dense(ranks: Counts) -> tuple[Counts, int]:
    values, dense = np.unique(ranks, return_inverse=True)
    return dense, int(values.size)


def matching_sums(codes: Codes, amounts: Reals) -> Reals:
    """Sum the amounts (blocks by amounts) of all blocks that match each block, itself included."""
    from sfumato.kernels.wildcard_match import add_matches, merge_rows

    patterns = Patterns.of(codes)
    sums = np.zeros_like(amounts)
    lacking = {tuple(np.flatnonzero(row).tolist()): number for number, row in enumerate(patterns.missing)}
    # in this order a pattern shares its beginning with the one before, so that little is merged twice
    path: list[int] = []
    stages = [merge_rows(codes, amounts, -1)]
    for attributes in sorted(lacking):
        shared = 0
        while shared < min(len(path), len(attributes)) and path[shared] == attributes[shared]:
            shared += 1
        del path[shared:], stages[shared + 1 :]
        for attribute in attributes[shared:]:
            path.append(attribute)
            stages.append(merge_rows(*stages[-1][:2], attribute))
        number = lacking[attributes]
        merged, totals, table = stages[-1]
        pattern_blocks = patterns.order[patterns.starts[number] : patterns.starts[number + 1]]
        absent = merged < 0
        merged_patterns = absent[np.unique(_packed(absent), return_index=True)[1]]
        add_matches(codes, pattern_blocks, merged, totals, table, merged_patterns, sums)
    return sums
