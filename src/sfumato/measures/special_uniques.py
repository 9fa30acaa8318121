"""Special uniques: records that few attributes already single out, and which attributes do it.

A minimal sample unique of a record is a smallest set of attributes on which it is unique in the file
(Elliot's special unique detection). The smaller the sets and the more of them, the likelier that the
record is unique in the population too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.measures.blocks import crowd_sums, group
from sfumato.microfile import Encoded, Microfile, as_microfile
from sfumato.progress import Progress, silent
from sfumato.quiet_repr import quiet


@quiet
@dataclass(frozen=True)
class Uniques:
    """The minimal sample uniques of a file."""

    names: tuple[str, ...]
    """The attributes."""
    sizes: Counts
    """How many minimal sample uniques of 1, 2, ... attributes there are (index 0: of one)."""
    scores: Reals
    """Each record's score: the sum of (M - m)! over its minimal uniques, m their size, M all attributes."""
    shares: Reals
    """Records by attributes: the part of a record's score from minimal uniques with the attribute."""
    alike: Counts
    """How many records look like each record on all attributes."""

    @property
    def records(self) -> int:
        """How many records have a minimal sample unique."""
        return int((self.scores > 0).sum())

    @property
    def contributions(self) -> dict[str, float]:
        """The share of all scores in which each attribute has a part; they overlap, so exceed 1 in sum."""
        total = float(self.scores.sum())
        contributions = (self.shares * self.scores[:, None]).sum(axis=0) / total if total else np.zeros(len(self.names))
        return dict(zip(self.names, contributions.tolist(), strict=True))

    def disclosive(self, *, fraction: float = 0.01) -> Reals:
        """Return each record's DIS-SUDA score: the probability that a unique match with it is correct.

        Parameters
        ----------
        fraction
            The share of the population that the sample is taken to be.
        """
        if not 0 < fraction <= 1:
            raise SettingError(f"fraction must lie between 0 and 1 (given: {fraction:g})")
        positive = self.scores[self.scores > 0]
        pairs = int((self.alike == 2).sum())
        power = 1 + (8 - len(self.names)) / 20
        # U / DIS - U with DIS = U d / (U d + P (1 - d))
        doubt = pairs * (1 - fraction) / fraction
        weight = float((positive**-power).sum())
        result = np.zeros_like(self.scores)
        result[self.scores > 0] = 1 / (1 + doubt / (positive**power * weight))
        return result


def minimal_uniques(
    microfile: Microfile | Any,
    names: Sequence[str],
    *,
    wildcards: bool = False,
    max_size: int | None = None,
    progress: Progress = silent,
) -> Uniques:
    """Find every minimal sample unique.

    Sets of attributes are visited by size. A record that is unique on a set matches nobody on any larger
    one, so it is left out from there on; what is then unique on a set is minimally so.

    Parameters
    ----------
    microfile, names
        A microfile or a frame, and the attributes to combine.
    wildcards
        Whether a missing value matches every value; else it is a value of its own.
    max_size
        The largest set to look at; default: all attributes.
    progress
        Called while searching.
    """
    microfile = as_microfile(microfile)
    if not names or len(set(names)) != len(names):
        raise SettingError("name at least one attribute, and each only once")
    if max_size is not None and not 1 <= max_size <= len(names):
        raise SettingError(f"max_size must lie between 1 and {len(names)} (given: {max_size})")
    columns = [microfile.encoded(name) for name in names]
    records, width = microfile.records, len(columns)
    sizes = np.zeros(width, dtype=np.int64)
    scores, contributions = np.zeros(records), np.zeros((records, width))
    smaller: dict[tuple[int, ...], Flags] = {(): np.zeros(records, dtype=np.bool_)}
    done, total = 0, sum(math.comb(width, size) for size in range(1, (max_size or width) + 1))
    for size in range(1, (max_size or width) + 1):
        unique_on: dict[tuple[int, ...], Flags] = {}
        for chosen in itertools.combinations(range(width), size):
            unique = np.logical_or.reduce([smaller[subset] for subset in itertools.combinations(chosen, size - 1)])
            rest = np.flatnonzero(~unique)
            if rest.size:
                singled_out = rest[_alike([columns[a] for a in chosen], rest, wildcards=wildcards) == 1]
                unique[singled_out] = True
                sizes[size - 1] += singled_out.size
                scores[singled_out] += math.factorial(width - size)
                contributions[np.ix_(singled_out, chosen)] += math.factorial(width - size)
            unique_on[chosen] = unique
            done += 1
            progress("searching minimal uniques", done / total)
        smaller = unique_on
    shares = np.divide(contributions, scores[:, None], out=np.zeros_like(contributions), where=scores[:, None] > 0)
    everyone = np.arange(records)
    alike = _alike(columns, everyone, wildcards=wildcards)
    return Uniques(tuple(names), sizes, scores, shares, alike)


def _alike(columns: Sequence[Encoded], records: Counts, *, wildcards: bool) -> Counts:
    """Return how many of some records look like each of them."""
    blocks = group([Encoded(column.codes[records], column.values) for column in columns])
    sizes = crowd_sums(blocks, [blocks.sizes.astype(np.float64)])[0] if wildcards else blocks.sizes
    return sizes[blocks.numbers].astype(np.int64)
