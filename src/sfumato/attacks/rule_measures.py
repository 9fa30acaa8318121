"""Measures of fuzzy rules about a group, the thresholds that make a rule valid, and the most general rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from sfumato.array_types import Counts, Flags, Reals
from sfumato.attacks.rule_data import RuleData, paths_of
from sfumato.fuzzy import AnyVariable
from sfumato.kernels.rule_sums import mark_general
from sfumato.settings import Settings

SLACK = 1e-9
"""Limits at which counting stops are wider than the thresholds by this share, so that rounding is never decisive."""


@dataclass(frozen=True)
class RuleMeasures:
    """Measures of rules, all of which follow from two sums per rule.

    Examples
    --------
    >>> measures = RuleMeasures(np.array([1.61]), np.array([1.5]), n_vital=3, n_others=3)
    >>> measures.supports.round(4), measures.coverages.round(4)
    (array([0.5367]), array([0.5183]))
    >>> measures.discriminative_factors.round(4), measures.confidence_ratios.round(4)
    (array([0.0183]), array([1.0733]))
    """

    hits: Reals
    """For each rule, the sum of products over vital records; products below alpha count as zero."""
    false_alarms: Reals
    """The same sum over all other records."""
    n_vital: int
    """The number of vital records."""
    n_others: int
    """The number of other records."""

    def __getitem__(self, chosen: Flags | Counts) -> RuleMeasures:
        """Return the measures of some rules."""
        return RuleMeasures(self.hits[chosen], self.false_alarms[chosen], self.n_vital, self.n_others)

    @property
    def supports(self) -> Reals:
        """The share of the group that satisfies each rule, TC16 (14), minuend."""
        return self.hits / self.n_vital

    @property
    def coverages(self) -> Reals:
        """The share of all records that satisfy each rule, TC16 (14), subtrahend."""
        return (self.hits + self.false_alarms) / (self.n_vital + self.n_others)

    @property
    def discriminative_factors(self) -> Reals:
        """Support minus coverage, TC16 (14)."""
        return self.supports - self.coverages

    @property
    def confidence_ratios(self) -> Reals:
        """The number of members per other record that satisfy each rule, TC16 (16).

        Infinite for a rule without false alarms (ERRATA 004-18), and 0 for a rule that no record satisfies.
        """
        return _ratios(self.hits, self.false_alarms)

    @property
    def confidences(self) -> Reals:
        """The share of members among the records that satisfy each rule; 0 if there are none."""
        return _ratios(self.hits, self.hits + self.false_alarms)

    def smoothed_ratios(self, added: float = 1.0) -> Reals:
        """Return confidence ratios with added false alarms, so that tiny rules do not seem perfect.

        Parameters
        ----------
        added
            The number of false alarms that are added to each rule.
        """
        return _ratios(self.hits, self.false_alarms + added)

    @property
    def discriminate(self) -> Flags:
        """Whether support exceeds coverage, TC16 (13)."""
        # TC16 (13) without its two divisions, whose rounding could make a rule that all records satisfy discriminate
        discriminating: Flags = self.hits * self.n_others > self.false_alarms * self.n_vital
        return discriminating


class RuleThresholds(Settings):
    """When a rule is valid. The defaults are those of TC16."""

    min_confidence_ratio: float = Field(default=0.75, ge=0)
    """The smallest confidence ratio: members per other record."""
    min_support: float = Field(default=0.001, ge=0, le=1)
    """The smallest share of the group."""

    def satisfied_by(self, measures: RuleMeasures) -> Flags:
        """Return which rules are valid; their support also exceeds their coverage."""
        is_supported = measures.supports >= self.min_support
        # TC16 (15); (13) follows from it unless the group is a large part of the file, ERRATA 004-17
        return is_supported & (measures.confidence_ratios >= self.min_confidence_ratio) & measures.discriminate

    def limits(self, hits: Reals, rule_data: RuleData) -> Reals:
        """Return the largest number of false alarms of valid rules with these hits."""
        limits = discriminating_limits(hits, rule_data)
        if self.min_confidence_ratio > 0:
            limits = np.minimum(limits, hits / self.min_confidence_ratio * (1 + SLACK))
        return limits


def discriminating_limits(hits: Reals, rule_data: RuleData) -> Reals:
    """Return the largest number of false alarms with which the support of rules with these hits exceeds coverage."""
    # ERRATA 004-17: DF > 0 <=> RCF > rho_v / (rho - rho_v)
    limits: Reals = hits * (rule_data.n_others / rule_data.n_vital) * (1 + SLACK)
    return limits


def measure_rules(
    rule_data: RuleData, genes: Counts, *, limits: Reals | None = None, threads: int | None = None
) -> RuleMeasures:
    """Measure rules on a third-party file.

    Parameters
    ----------
    rule_data
        The file.
    genes
        Rules by variables: 0 without a condition on the variable, otherwise the number of its value, from 1.
    limits
        False alarms beyond a rule's limit may be incomplete; default: they are exact.
    threads
        The number of threads; the result does not depend on it.
    """
    genes = np.asarray(genes, dtype=np.int64)
    hits = rule_data.hits(genes, threads=threads)
    false_alarms = rule_data.false_alarms(genes, limits=limits, threads=threads)
    return RuleMeasures(hits, false_alarms, rule_data.n_vital, rule_data.n_others)


def most_general(genes: Counts, sizes: Counts) -> Flags:
    """Return which rules are not more specific versions of other rules.

    Only these are needed: no record satisfies a more specific rule to a higher degree, and the highest degree counts
    (TC16's step 3 with ERRATA 004-20).

    Parameters
    ----------
    genes
        Rules by variables; of duplicates, the first is retained.
    sizes
        The number of values of each variable.
    """
    paths, lengths = paths_of(genes, sizes)
    order = np.argsort(lengths, kind="stable")
    words = np.zeros((len(genes), -(-int(sizes.sum()) // 64)), dtype=np.uint64)
    rules, steps = np.nonzero(paths >= 0)
    numbers = paths[rules, steps].astype(np.int64)
    np.bitwise_or.at(words, (rules, numbers // 64), np.uint64(1) << (numbers % 64).astype(np.uint64))
    ordered, general = np.empty(len(genes), dtype=np.bool_), np.empty(len(genes), dtype=np.bool_)
    mark_general(words[order], ordered)
    general[order] = ordered
    return general


def rule_words(genes: Sequence[int], variables: Sequence[AnyVariable], *, group: str = "the group") -> str:
    """Write a rule as a sentence.

    Parameters
    ----------
    genes
        One number per variable.
    variables
        The variables.
    group
        The conclusion of the rule.

    Examples
    --------
    >>> from sfumato.fuzzy import CategoricalVariable, Falling, LinguisticVariable
    >>> age = LinguisticVariable(attribute="age", values={"young": Falling(corners=(33, 37))})
    >>> sex = CategoricalVariable(attribute="sex", values={"male": [1]})
    >>> rule_words([1, 1], [age, sex], group="military")
    'if age is young and sex is male then military'
    >>> rule_words([0, 0], [age, sex])
    'always the group'
    """
    conditions = [
        f"{variable.attribute} is {variable.names[gene - 1]}"
        for gene, variable in zip(genes, variables, strict=True)
        if gene
    ]
    return f"if {' and '.join(conditions)} then {group}" if conditions else f"always {group}"


def _ratios(numerators: Reals, denominators: Reals) -> Reals:
    """Return ratios: 0 if the numerator is 0, otherwise infinite if the denominator is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(numerators > 0, numerators / denominators, 0.0)
