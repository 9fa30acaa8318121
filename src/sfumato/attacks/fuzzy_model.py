"""The fuzzy model of a group: rules that give each record a degree of membership, and the signal they estimate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.array_types import Counts, Reals
from sfumato.attacks.membership_grades import Grades, grades_of
from sfumato.attacks.rule_data import paths_of
from sfumato.attacks.rule_measures import RuleMeasures, rule_words
from sfumato.errors import SettingError
from sfumato.fuzzy import AnyVariable, check_alpha
from sfumato.groups import Group, Signal, outliers_within, regions_of
from sfumato.kernels.rule_sums import fill_greatest
from sfumato.microfile import as_microfile
from sfumato.notebook_tables import table
from sfumato.quiet_repr import quiet
from sfumato.threads import batches_of, side_by_side


@dataclass(frozen=True)
class Rule:
    """A fuzzy rule with its measures on the file from which it was learned."""

    genes: tuple[int, ...]
    """One number per variable: 0 if the rule has no condition on it, otherwise the number of the value, from 1."""
    words: str
    """The rule as a sentence."""
    support: float
    """The share of the group that satisfies the rule."""
    discriminative_factor: float
    """The share of the group minus the share of all records that satisfy the rule."""
    confidence_ratio: float
    """The number of members per other record that satisfy the rule."""

    def __str__(self) -> str:
        return self.words


@quiet
@dataclass(frozen=True)
class Reason:
    """Why a record is classified as a member: a rule that it satisfies."""

    rule: Rule
    """The rule."""
    membership: float
    """The degree to which the record satisfies it: the product of the grades."""
    grades: dict[str, float]
    """The grade of each condition, by its words."""


@quiet
@dataclass(frozen=True)
class AuxiliarySignal:
    """The signal of a group as rules estimate it."""

    quantity: Signal
    """The sum of memberships at each place, TC16 (9)."""
    crisp: Signal
    """The number of records at each place that the rules classify as members, TC16 (17)."""
    regions: tuple[str, ...] | None = None
    """The region of each place, if outliers are found region by region."""

    def outliers(self, alpha: float = 0.01, robust: bool = True, *, known: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the outliers among the sums of memberships, except publicly known places."""
        indices = outliers_within(self.quantity, self.regions, alpha=alpha, robust=robust)
        labels = (self.quantity.labels[index] for index in indices)
        return tuple(label for label in labels if label not in known)


@quiet
@dataclass(frozen=True)
class FuzzyModel:
    """Rules about a group; a record's membership is the highest degree to which it satisfies one of them.

    Examples
    --------
    >>> import polars as pl
    >>> from sfumato.fuzzy import LinguisticVariable
    >>> age = LinguisticVariable(attribute="age", values={"young": {"shape": "falling", "corners": (20, 40)}})
    >>> measures = RuleMeasures(np.array([2.0]), np.array([1.0]), n_vital=4, n_others=100)
    >>> model = FuzzyModel((age,), np.array([[1]]), measures, alpha=0.5, says="soldiers")
    >>> print(model.rules[0])
    if age is young then soldiers
    >>> model.memberships(pl.DataFrame({"age": [18, 25, 35, None]}))
    array([1.  , 0.75, 0.  , 0.  ])
    """

    variables: tuple[AnyVariable, ...]
    """The linguistic variables of the rules."""
    genes: Counts
    """Rules by variables."""
    measures: RuleMeasures
    """The measures of each rule on the file from which it was learned."""
    alpha: float = 0.5
    """A record satisfies a rule only if the product of its grades is at least this."""
    says: str = "the group"
    """The conclusion of the rules in words."""
    group: Group | None = None
    """The group with its parameter; needed for signals."""

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        # this refuses genes without a meaning
        paths_of(self.genes, self._sizes)

    @property
    def _sizes(self) -> Counts:
        return np.array([len(variable.names) for variable in self.variables], dtype=np.int64)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules as sentences with their measures."""
        measures = self.measures
        rows = zip(
            self.genes.tolist(),
            measures.supports.tolist(),
            measures.discriminative_factors.tolist(),
            measures.confidence_ratios.tolist(),
            strict=True,
        )
        return tuple(Rule(tuple(genes), self._words(genes), *numbers) for genes, *numbers in rows)

    def _repr_html_(self) -> str:
        columns = ("rule", "support", "discriminative factor", "confidence ratio")
        rows = [(rule.words, rule.support, rule.discriminative_factor, rule.confidence_ratio) for rule in self.rules]
        return table(f"Rules about {self.says}", columns, rows)

    def _words(self, genes: Sequence[int]) -> str:
        return rule_words(genes, self.variables, group=self.says)

    def memberships(self, microfile: Any, *, threads: int | None = None) -> Reals:
        """Return each record's degree of membership in the group, for a microfile or a frame."""
        return self.memberships_of(grades_of(as_microfile(microfile), self.variables), threads=threads)

    def memberships_of(self, grades: Grades, *, threads: int | None = None) -> Reals:
        """Return each record's degree of membership in the group.

        Parameters
        ----------
        grades
            The records' grades in the values of the variables.
        threads
            The number of threads; the result does not depend on it.
        """
        if grades.sizes.tolist() != self._sizes.tolist():
            raise SettingError("grades: they must belong to the model's variables")
        memberships = np.zeros(grades.records)
        paths, lengths = paths_of(self.genes, self._sizes)
        conditions = grades.conditions(self.alpha)
        # TC16 (12): products below alpha count as zero; the union of rules is their maximum
        side_by_side(
            lambda batch: fill_greatest(grades.codes, conditions, paths, lengths, self.alpha, *batch, memberships),
            batches_of(grades.records),
            threads,
        )
        return memberships

    def signal(self, microfile: Any, *, region: str | None = None, threads: int | None = None) -> AuxiliarySignal:
        """Estimate the signal of the group in a microfile.

        Parameters
        ----------
        microfile
            The file; it need not have the vital attributes.
        region
            The attribute that holds the region of each place, if outliers are found region by region.
        threads
            The number of threads; the result does not depend on it.
        """
        if self.group is None:
            raise SettingError("a model without a group has no places", hint="give group=..., or use memberships")
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
        """Return the rules that a record satisfies, with the grades of their conditions, in descending order of degree.

        Confidential: it reveals the grades of a record.

        Parameters
        ----------
        microfile
            The file.
        record
            The index of the record, from 0.
        """
        people = as_microfile(microfile)
        if not 0 <= record < people.records:
            raise SettingError(
                f"record: {record} is not the index of a record", hint=f"indices range from 0 to {people.records - 1}"
            )
        grades = grades_of(people.take(np.array([record])), self.variables)
        record_grades = [grades.of(variable)[0] for variable in range(len(self.variables))]
        reasons = []
        for rule in self.rules:
            condition_grades = {
                f"{variable.attribute} is {variable.names[gene - 1]}": float(record_grades[index][gene - 1])
                for index, (variable, gene) in enumerate(zip(self.variables, rule.genes, strict=True))
                if gene
            }
            product = math.prod(condition_grades.values())
            if product >= self.alpha:
                reasons.append(Reason(rule, product, condition_grades))
        return tuple(sorted(reasons, key=lambda reason: -reason.membership))
