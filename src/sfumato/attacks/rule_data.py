"""A third-party file, prepared for measuring many rules on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.array_types import Counts, Flags, Reals
from sfumato.attacks.membership_grades import Grades
from sfumato.errors import SettingError
from sfumato.fuzzy import check_alpha
from sfumato.kernels.rule_sums import BLOCK, WORDS, Conditions, Paths, Side, add_products, mark
from sfumato.threads import batches_of, side_by_side

RULES_PER_THREAD = 20_000
"""From this number of rules on, threads share the rules instead of the records, so that counting can stop early."""


@dataclass(frozen=True)
class RuleData:
    """The records of a third-party file, inside and outside the group, with their grades."""

    alpha: float
    """Products of grades below this count as zero."""
    sizes: Counts
    """The number of values of each variable."""
    conditions: Conditions
    vital: Side
    nonvital: Side

    @property
    def n_vital(self) -> int:
        """The number of records in the group."""
        return int(self.vital.codes.shape[0])

    @property
    def n_others(self) -> int:
        """The number of records outside the group."""
        return int(self.nonvital.codes.shape[0])

    @property
    def records(self) -> int:
        """The number of records."""
        return self.n_vital + self.n_others

    def hits(self, genes: Counts, *, threads: int | None = None) -> Reals:
        """Return for each rule the sum of products over vital records."""
        return self._sums_of(self.vital, genes, None, threads)

    def false_alarms(self, genes: Counts, *, limits: Reals | None = None, threads: int | None = None) -> Reals:
        """Return for each rule the sum of products over all other records.

        Parameters
        ----------
        genes
            Rules by variables.
        limits
            A sum beyond its limit may be incomplete; default: all sums are exact.
        threads
            The number of threads; the result does not depend on it.
        """
        return self._sums_of(self.nonvital, genes, limits, threads)

    def _sums_of(self, side: Side, genes: Counts, limits: Reals | None, threads: int | None) -> Reals:
        paths, lengths = paths_of(genes, self.sizes)
        order = np.lexsort(paths.T[::-1])
        sums = np.empty(len(genes))
        ordered_limits = None if limits is None else limits[order]
        sums[order] = self.sums(side, paths[order], lengths[order], limits=ordered_limits, threads=threads)
        return sums

    def sums(
        self, side: Side, paths: Paths, lengths: Counts, *, limits: Reals | None = None, threads: int | None = None
    ) -> Reals:
        """Return for each rule the sum of products over one side of the file.

        Parameters
        ----------
        side
            The records inside or outside the group.
        paths, lengths
            The conditions of the rules in ascending order, and their number.
        limits, threads
            As for :meth:`false_alarms`.
        """
        limits = np.full(len(paths), np.inf) if limits is None else limits
        blocks, rules = len(side.reaching), len(paths)

        def add(batch: tuple[int, int, int, int]) -> Reals:
            first, last, start, stop = batch
            sums = np.empty(stop - start)
            batch_rules = paths[start:stop], lengths[start:stop], limits[start:stop]
            add_products(side, self.conditions, *batch_rules, self.alpha, first, last, sums)
            return sums

        if not rules:
            return np.zeros(0)
        if rules >= RULES_PER_THREAD:
            return np.concatenate(side_by_side(add, [(0, blocks, *batch) for batch in batches_of(rules)], threads))
        # in the order of the batches, so that sums do not depend on the number of threads
        sums: Reals = np.sum(side_by_side(add, [(*batch, 0, rules) for batch in batches_of(blocks)], threads), axis=0)
        return sums


def prepare_rule_data(grades: Grades, vital: Flags, *, alpha: float = 0.5, threads: int | None = None) -> RuleData:
    """Prepare a third-party file.

    Parameters
    ----------
    grades
        The grades of its records.
    vital
        Whether each record belongs to the group.
    alpha
        Products of grades below this count as zero.
    threads
        The number of threads; the result does not depend on it.
    """
    check_alpha(alpha)
    vital = np.asarray(vital, dtype=np.bool_)
    if vital.shape != (grades.records,):
        raise SettingError("vital: give one flag per record of the third-party file")
    if not vital.any():
        raise SettingError(
            "the third-party file has no vital records",
            hint="give the vital values as they are coded in that file",
            setting="vital",
        )
    if vital.all():
        raise SettingError(
            "all records of the third-party file are vital",
            hint="rules also need records outside the group, to learn the difference",
            setting="vital",
        )
    _check_coverage(grades, alpha)
    conditions = grades.conditions(alpha)
    sides = [_side(grades.codes[flags], conditions, alpha, threads) for flags in (vital, ~vital)]
    return RuleData(alpha, grades.sizes, conditions, *sides)


def paths_of(genes: Counts, sizes: Counts) -> tuple[Paths, Counts]:
    """Return the conditions of rules, numbered consecutively over all values of all variables, and their number.

    Parameters
    ----------
    genes
        Rules by variables: 0 without a condition on the variable, otherwise the number of its value, from 1.
    sizes
        The number of values of each variable.

    Returns
    -------
    tuple
        Rules by conditions, in the order of the variables, padded with -1, and their lengths.
    """
    if genes.ndim != 2 or genes.shape[1] != sizes.size:
        raise SettingError(f"rules: each needs one gene for each of the {sizes.size} variables")
    if ((genes < 0) | (genes > sizes)).any():
        raise SettingError("rules: a gene is 0 or the number of one of the variable's values, from 1")
    used = genes > 0
    numbers = np.where(used, genes - 1 + np.concatenate([[0], np.cumsum(sizes)[:-1]]), -1)
    # variables with a condition first, in their order
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
    side_by_side(lambda batch: mark(side, conditions, alpha, *batch), batches_of(shape[0]), threads)
    return side


def _check_coverage(grades: Grades, alpha: float) -> None:
    """Refuse a variable without a value that some record has to at least the degree alpha."""
    for index, (name, table) in enumerate(zip(grades.names, grades.tables, strict=True)):
        occurring = np.bincount(grades.codes[:, index], minlength=len(table)) > 0
        if not (table[occurring] >= alpha).any():
            raise SettingError(
                f"variables: no record has a grade of at least alpha = {alpha:g} in a value of {name!r}",
                hint="widen its sets, or leave the variable out",
                setting="variables",
                column=name,
            )
