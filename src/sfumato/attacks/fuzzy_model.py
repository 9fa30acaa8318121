"""The fuzzy model of a group: rules that tell how far a record belongs to it, and what they make of a file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.arrays import Counts, Reals
from sfumato.attacks.membership_grades import Grades, grades_of
from sfumato.attacks.rule_data import paths_of
from sfumato.attacks.rules import Measures, in_words
from sfumato.errors import SettingError
from sfumato.fuzzy.category_variables import AnyVariable
from sfumato.fuzzy.variables import check_alpha
from sfumato.groups import Group, Signal, outliers_within, regions_of
from sfumato.kernels.rule_sums import fill_greatest
from sfumato.microfile.microfile import as_microfile
from sfumato.notebook_tables import table
from sfumato.quiet_repr import quiet
from sfumato.threads import batches_of, side_by_side


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


@quiet
@dataclass(frozen=True)
class Reason:
    """Why a record is thought to belong to the group: a rule that holds of it."""

    rule: Rule
    """The rule."""
    membership: float
    """How far the rule holds: the product of the grades."""
    grades: dict[str, float]
    """How far each of its conditions holds, by words."""


@quiet
@dataclass(frozen=True)
class AuxiliarySignal:
    """What rules make of the places of a file."""

    quantity: Signal
    """The sum of memberships at each place, TC16 (9)."""
    crisp: Signal
    """How many records at each place belong to the group, TC16 (17)."""
    regions: tuple[str, ...] | None = None
    """The region of each place, if outliers are told region by region."""

    def outliers(self, alpha: float = 0.01, robust: bool = True, *, known: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the places that stand out in the sums of memberships, but for those that everybody knows of."""
        found = outliers_within(self.quantity, self.regions, alpha=alpha, robust=robust)
        return tuple(self.quantity.labels[place] for place in found if self.quantity.labels[place] not in known)


@quiet
@dataclass(frozen=True)
class FuzzyModel:
    """Rules that together tell how far a record belongs to a group: as far as the one that holds of it the most.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.fuzzy import LinguisticVariable
    >>> age = LinguisticVariable(attribute="age", values={"young": {"shape": "falling", "corners": (20, 40)}})
    >>> measures = Measures(np.array([2.0]), np.array([1.0]), vital=4, others=100)
    >>> model = FuzzyModel((age,), np.array([[1]]), measures, alpha=0.5, says="soldiers")
    >>> print(model.rules[0])
    if age is young then soldiers
    >>> model.memberships(pl.DataFrame({"age": [18, 25, 35, None]}))
    array([1.  , 0.75, 0.  , 0.  ])
    """

    variables: tuple[AnyVariable, ...]
    """What the rules speak of."""
    genes: Counts
    """Rules by variables."""
    measures: Measures
    """How good each rule is on the file that it was learned from."""
    alpha: float = 0.5
    """A rule holds only of records whose product of grades is at least this."""
    says: str = "the group"
    """What the rules conclude, in words."""
    group: Group | None = None
    """Whom they are about, and over which places; needed for signals."""

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

    def _repr_html_(self) -> str:
        columns = ("rule", "support", "discriminative factor", "confidence ratio")
        rows = [(one.words, one.support, one.discriminative_factor, one.confidence_ratio) for one in self.rules]
        return table(f"Rules about {self.says}", columns, rows)

    def _words(self, genes: Sequence[int]) -> str:
        return in_words(genes, self.variables, group=self.says)

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

    def signal(self, microfile: Any, *, region: str | None = None, threads: int | None = None) -> AuxiliarySignal:
        """Return what the rules make of the places of a microfile.

        Parameters
        ----------
        microfile
            The file, which need not have the attributes that define the group.
        region
            The attribute that says in which region a place lies, if outliers are to be told region by region.
        threads
            How many threads; the result does not depend on it.
        """
        if self.group is None:
            raise SettingError("a model without a group has no places", hint="give group=..., or take memberships")
        people = as_microfile(microfile)
        places = self.group.places(people)
        memberships = self.memberships(people, threads=threads)
        # TC16 (17); its text says "greater than alpha" where the formula has "at least", which holds: see ERRATA 004-21
        claimed = memberships > 0
        return AuxiliarySignal(
            # TC16 (9)
            Signal(places.labels, places.count(claimed, memberships), "quantity"),
            Signal(places.labels, places.count(claimed), "quantity"),
            None if region is None else regions_of(self.group, people, region),
        )

    def explain(self, microfile: Any, record: int) -> tuple[Reason, ...]:
        """Return which rules hold of a record, and why; the one that holds the most first.

        For the steward alone: it tells a record's own grades.

        Parameters
        ----------
        microfile
            The file.
        record
            The record's number, from 0 on.
        """
        people = as_microfile(microfile)
        if not 0 <= record < people.records:
            raise SettingError(f"record: there is no record {record}", hint=f"numbers are below {people.records}")
        grades = grades_of(people.take(np.array([record])), self.variables)
        own = [grades.of(variable)[0] for variable in range(len(self.variables))]
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
