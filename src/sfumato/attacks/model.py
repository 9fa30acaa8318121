"""The fuzzy model of a group: rules that tell how far a record belongs to it, and what they make of a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.arrays import Codes, Counts, Reals
from sfumato.attacks.evidence import check_alpha, paths_of
from sfumato.attacks.grades import Grades, grades_of
from sfumato.attacks.rules import Measures, in_words
from sfumato.errors import SettingError
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.kernels.rules import fill_greatest
from sfumato.microfile.microfile import as_microfile
from sfumato.parallel import batches_of, side_by_side


@dataclass(frozen=True)
class Rule:
    """A fuzzy rule, and how good it is on the file that it was learned from."""

    genes: tuple[int, ...]
    """One a variable: 0 where it does not matter, else the number of its value, from 1 on."""
    words: str
    """The rule as people say it."""
    support: float
    """The share of the group that it describes."""
    discriminative_factor: float
    """How much more of the group than of everybody it describes."""
    confidence_ratio: float
    """How many of the group it describes for each one of the others."""

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Reason:
    """Why a record is thought to belong to the group: a rule that holds of it."""

    rule: Rule
    membership: float
    """How far the rule holds: the product of the grades."""
    grades: dict[str, float]
    """How far each of its conditions holds, by words."""


@dataclass(frozen=True)
class AuxiliarySignal:
    """What rules make of the places of a file."""

    labels: NDArray[Any]
    """The places."""
    quantity: Reals
    """The sum of memberships at each place, TC16 (9)."""
    crisp: Counts
    """How many records at each place belong to the group, TC16 (17)."""


@dataclass(frozen=True)
class FuzzyModel:
    """Rules that together tell how far a record belongs to a group: as far as the one that holds of it the most.

    Examples
    --------
    >>> import polars as pl
    >>> age = LinguisticVariable(attribute="age", values={"young": {"shape": "falling", "corners": (20, 40)}})
    >>> measures = Measures(np.array([2.0]), np.array([1.0]), vital=4, others=100)
    >>> model = FuzzyModel((age,), np.array([[1]]), measures, alpha=0.5, group="soldiers")
    >>> print(model.rules[0])
    if age is young then soldiers
    >>> model.memberships(pl.DataFrame({"age": [18, 25, 35, None]}))
    array([1.  , 0.75, 0.  , 0.  ])
    """

    variables: tuple[LinguisticVariable, ...]
    genes: Counts
    """Rules by variables."""
    measures: Measures
    """How good each rule is on the file that it was learned from."""
    alpha: float = 0.5
    """A rule holds only of records whose product of grades is at least this."""
    group: str = "the group"
    """What the rules conclude."""

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        # refuses genes that stand for nothing
        paths_of(self.genes, self._sizes)

    @property
    def _sizes(self) -> Counts:
        return np.array([len(variable.names) for variable in self.variables], dtype=np.int64)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in words, with how good each is."""
        measures = self.measures
        told = zip(
            self.genes.tolist(),
            measures.supports.tolist(),
            measures.discriminative_factors.tolist(),
            measures.confidence_ratios.tolist(),
            strict=True,
        )
        return tuple(Rule(tuple(genes), self._words(genes), *good) for genes, *good in told)

    def _words(self, genes: Sequence[int]) -> str:
        return in_words(genes, self.variables, group=self.group)

    def memberships(self, microfile: Any, *, threads: int | None = None) -> Reals:
        """Return how far each record of a microfile, or of a frame that becomes one, belongs to the group."""
        return self.memberships_of(grades_of(as_microfile(microfile), self.variables), threads=threads)

    def memberships_of(self, grades: Grades, *, threads: int | None = None) -> Reals:
        """Return how far each record belongs to the group.

        Parameters
        ----------
        grades
            How far the variables' values hold of records.
        threads
            How many threads; the result does not depend on it.
        """
        if grades.sizes.tolist() != self._sizes.tolist():
            raise SettingError("grades: they must be of the model's variables")
        found = np.zeros(grades.records)
        paths, lengths = paths_of(self.genes, self._sizes)
        conditions = grades.conditions(self.alpha)
        # TC16 (12): products below alpha count nothing; the union of rules is the greatest
        side_by_side(
            lambda part: fill_greatest(grades.codes, conditions, paths, lengths, self.alpha, *part, found),
            batches_of(grades.records),
            threads,
        )
        return found

    def signal(self, microfile: Any, parameter: str, *, threads: int | None = None) -> AuxiliarySignal:
        """Return what the rules make of the places of a microfile.

        Parameters
        ----------
        microfile
            The file, without the attribute that defines the group.
        parameter
            The attribute whose values are the places.
        threads
            How many threads; the result does not depend on it.
        """
        microfile = as_microfile(microfile)
        places = microfile.encoded(parameter)
        memberships = self.memberships(microfile, threads=threads)
        count = places.values.size
        quantity, crisp = quantity_of(memberships, places.codes, count), crisp_of(memberships, places.codes, count)
        return AuxiliarySignal(places.values, quantity, crisp)

    def explain(self, grades: Grades, record: int) -> tuple[Reason, ...]:
        """Return which rules hold of a record, and why; the one that holds the most first.

        For the steward alone: it tells a record's own grades.

        Parameters
        ----------
        grades
            How far the variables' values hold of records.
        record
            The record's number, from 0 on.
        """
        if not 0 <= record < grades.records:
            raise SettingError(f"record: there is no record {record}", hint=f"numbers are below {grades.records}")
        own = [grades.of_record(variable, record) for variable in range(len(self.variables))]
        reasons = []
        for rule in self.rules:
            held = {
                f"{variable.attribute} is {variable.names[gene - 1]}": float(own[number][gene - 1])
                for number, (variable, gene) in enumerate(zip(self.variables, rule.genes, strict=True))
                if gene
            }
            product = math.prod(held.values())
            if product >= self.alpha:
                reasons.append(Reason(rule, product, held))
        return tuple(sorted(reasons, key=lambda reason: -reason.membership))


def quantity_of(memberships: Reals, places: Codes, count: int) -> Reals:
    """Return the auxiliary signal: the sum of memberships at each place.

    Parameters
    ----------
    memberships
        How far each record belongs to the group, nought where by less than alpha.
    places
        The place of each record, -1 if it has none.
    count
        How many places there are.
    """
    # TC16 (9)
    located = places >= 0
    found: Reals = np.bincount(places[located], weights=memberships[located], minlength=count).astype(np.float64)
    return found


def crisp_of(memberships: Reals, places: Codes, count: int) -> Counts:
    """Return the crisp auxiliary signal: how many records at each place belong to the group by at least alpha.

    Parameters are those of :func:`quantity_of`.
    """
    # TC16 (17); its text says "greater than alpha" where the formula has "at least", which holds: see ERRATA 004-21
    return np.bincount(places[(places >= 0) & (memberships > 0)], minlength=count)
