"""A third-party file, prepared so that many rules can be tried on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.arrays import Counts, Flags, Reals
from sfumato.attacks.membership_grades import Grades
from sfumato.errors import SettingError
from sfumato.fuzzy.variables import check_alpha
from sfumato.kernels.rule_sums import BLOCK, WORDS, Conditions, Paths, Side, add_products, mark
from sfumato.threads import batches_of, side_by_side

MANY = 20_000
"""From so many rules on, threads share the rules instead of the records, so that a rule can be given up early."""


@dataclass(frozen=True)
class Evidence:
    """Who of a third-party file belongs to the group, and how far values hold of them."""

    alpha: float
    """Products of grades below it count nothing."""
    sizes: Counts
    """How many values each variable has."""
    conditions: Conditions
    vital: Side
    others: Side

    @property
    def n_vital(self) -> int:
        """How many records belong to the group."""
        return int(self.vital.codes.shape[0])

    @property
    def n_others(self) -> int:
        """How many do not."""
        return int(self.others.codes.shape[0])

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.n_vital + self.n_others

    def hits(self, genes: Counts, *, threads: int | None = None) -> Reals:
        """Return for each rule the sum of cut products over vital records."""
        return self._sums_of(self.vital, genes, None, threads)

    def false_alarms(self, genes: Counts, *, limits: Reals | None = None, threads: int | None = None) -> Reals:
        """Return for each rule the sum of cut products over all other records.

        Parameters
        ----------
        genes
            Rules by variables.
        limits
            A sum beyond its limit may be less than the whole; default: all are exact.
        threads
            How many threads; the result does not depend on it.
        """
        return self._sums_of(self.others, genes, limits, threads)

    def _sums_of(self, side: Side, genes: Counts, limits: Reals | None, threads: int | None) -> Reals:
        paths, lengths = paths_of(genes, self.sizes)
        order = np.lexsort(paths.T[::-1])
        found = np.empty(len(genes))
        ordered = None if limits is None else limits[order]
        found[order] = self.sums(side, paths[order], lengths[order], limits=ordered, threads=threads)
        return found

    def sums(
        self, side: Side, paths: Paths, lengths: Counts, *, limits: Reals | None = None, threads: int | None = None
    ) -> Reals:
        """Return for each rule the sum of cut products over some records.

        Parameters
        ----------
        side
            The records: those of the group or the others.
        paths, lengths
            The rules' conditions, in ascending order, and how many each has.
        limits, threads
            As for :meth:`false_alarms`.
        """
        limits = np.full(len(paths), np.inf) if limits is None else limits
        blocks, rules = len(side.reaching), len(paths)

        def add(part: tuple[int, int, int, int]) -> Reals:
            first, last, start, stop = part
            sums = np.empty(stop - start)
            some = paths[start:stop], lengths[start:stop], limits[start:stop]
            add_products(side, self.conditions, *some, self.alpha, first, last, sums)
            return sums

        if not rules:
            return np.zeros(0)
        if rules >= MANY:
            return np.concatenate(side_by_side(add, [(0, blocks, *part) for part in batches_of(rules)], threads))
        # in the order of the parts, so that sums do not depend on the number of threads
        found: Reals = np.sum(side_by_side(add, [(*part, 0, rules) for part in batches_of(blocks)], threads), axis=0)
        return found


def gather_evidence(grades: Grades, vital: Flags, *, alpha: float = 0.5, threads: int | None = None) -> Evidence:
    """Prepare a third-party file.

    Parameters
    ----------
    grades
        How far values hold of its records.
    vital
        Who of them belongs to the group.
    alpha
        Products of grades below it count nothing.
    threads
        How many threads; the result does not depend on it.
    """
    check_alpha(alpha)
    vital = np.asarray(vital, dtype=np.bool_)
    if vital.shape != (grades.records,):
        raise SettingError("vital: give one flag a record of the third-party file")
    if not vital.any():
        raise SettingError(
            "the third-party file has no vital records",
            hint="give the vital values as that file writes them",
            setting="vital",
        )
    if vital.all():
        raise SettingError(
            "all records of the third-party file are vital",
            hint="rules need others, from which they tell the group",
            setting="vital",
        )
    _check_coverage(grades, alpha)
    conditions = grades.conditions(alpha)
    sides = [_side(grades.codes[flags], conditions, alpha, threads) for flags in (vital, ~vital)]
    return Evidence(alpha, grades.sizes, conditions, *sides)


def paths_of(genes: Counts, sizes: Counts) -> tuple[Paths, Counts]:
    """Return the conditions of rules, numbered through all values of all variables, and how many each has.

    Parameters
    ----------
    genes
        Rules by variables: 0 where a variable does not matter, else the number of its value, from 1 on.
    sizes
        How many values each variable has.

    Returns
    -------
    tuple
        Rules by conditions, in the order of the variables, padded with -1, and their lengths.
    """
    if genes.ndim != 2 or genes.shape[1] != sizes.size:
        raise SettingError(f"rules: each needs one gene for each of the {sizes.size} variables")
    if ((genes < 0) | (genes > sizes)).any():
        raise SettingError("rules: a gene is 0 or the number of one of the variable's values, from 1 on")
    used = genes > 0
    numbers = np.where(used, genes - 1 + np.concatenate([[0], np.cumsum(sizes)[:-1]]), -1)
    # those that matter first, in their order
    order = np.argsort(~used, axis=1, kind="stable")
    return np.take_along_axis(numbers, order, axis=1).astype(np.int16), used.sum(axis=1)


def genes_of(paths: Paths, sizes: Counts) -> Counts:
    """Return the genes of rules, rules by variables, from their conditions; see :func:`paths_of`."""
    variables = np.repeat(np.arange(sizes.size), sizes)
    values = np.concatenate([np.arange(1, size + 1) for size in sizes])
    genes = np.zeros((len(paths), sizes.size), dtype=np.int64)
    rules, steps = np.nonzero(paths >= 0)
    numbers = paths[rules, steps]
    genes[rules, variables[numbers]] = values[numbers]
    return genes


def _side(codes: NDArray[Any], conditions: Conditions, alpha: float, threads: int | None) -> Side:
    shape = (-(-len(codes) // BLOCK), conditions.variables.size, WORDS)
    side = Side(codes, np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint64))
    side_by_side(lambda part: mark(side, conditions, alpha, *part), batches_of(shape[0]), threads)
    return side


def _check_coverage(grades: Grades, alpha: float) -> None:
    for number, (name, table) in enumerate(zip(grades.names, grades.tables, strict=True)):
        occurring = np.bincount(grades.codes[:, number], minlength=len(table)) > 0
        if not (table[occurring] >= alpha).any():
            raise SettingError(
                f"variables: no value of {name!r} holds of any record by at least alpha = {alpha:g}",
                hint="widen its sets, or leave the variable out",
                setting="variables",
                column=name,
            )
