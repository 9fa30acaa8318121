"""Fuzzy rules about who belongs to a group, how good they are, and which of them are enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import Field

from sfumato.arrays import Counts, Flags, Reals
from sfumato.attacks.rule_data import Evidence, paths_of
from sfumato.fuzzy.category_variables import AnyVariable
from sfumato.kernels.rule_sums import mark_general
from sfumato.settings import Settings

SLACK = 1e-9
"""Limits at which a rule is given up are wider by this share than what decides, so that rounding never does."""


@dataclass(frozen=True)
class Measures:
    """How good rules are, all measures following from two sums a rule.

    Examples
    --------
    >>> measures = Measures(np.array([1.61]), np.array([1.5]), vital=3, others=3)
    >>> measures.supports.round(4), measures.coverages.round(4)
    (array([0.5367]), array([0.5183]))
    >>> measures.discriminative_factors.round(4), measures.confidence_ratios.round(4)
    (array([0.0183]), array([1.0733]))
    """

    hits: Reals
    """For each rule, the sum of cut products over vital records."""
    false_alarms: Reals
    """The same over all others."""
    vital: int
    """How many records are vital."""
    others: int
    """How many are not."""

    def __getitem__(self, chosen: Flags | Counts) -> Measures:
        """Return those of some rules."""
        return Measures(self.hits[chosen], self.false_alarms[chosen], self.vital, self.others)

    @property
    def supports(self) -> Reals:
        """The share of the group that each rule describes, TC16 (14), minuend."""
        return self.hits / self.vital

    @property
    def coverages(self) -> Reals:
        """The share of all records that each rule describes, TC16 (14), subtrahend."""
        return (self.hits + self.false_alarms) / (self.vital + self.others)

    @property
    def discriminative_factors(self) -> Reals:
        """How much more of the group than of everybody each rule describes, TC16 (14)."""
        return self.supports - self.coverages

    @property
    def confidence_ratios(self) -> Reals:
        """How many of the group each rule describes for each one of the others, TC16 (16).

        Infinite for a rule without false alarms (ERRATA 004-18), and nought for one that describes nobody.
        """
        return _ratios(self.hits, self.false_alarms)

    @property
    def confidences(self) -> Reals:
        """The share of the group among those that each rule describes; nought for a rule that describes nobody."""
        return _ratios(self.hits, self.hits + self.false_alarms)

    def smoothed_ratios(self, imagined: float = 1.0) -> Reals:
        """Return confidence ratios with some more false alarms imagined, which keep tiny rules from seeming perfect.

        Parameters
        ----------
        imagined
            How many false alarms are added to those of each rule.
        """
        return _ratios(self.hits, self.false_alarms + imagined)

    @property
    def discriminate(self) -> Flags:
        """Whether each rule describes disproportionately many of the group, TC16 (13)."""
        # TC16 (13) without its two divisions, so that a rule that describes everybody is not thought to by rounding
        found: Flags = self.hits * self.others > self.false_alarms * self.vital
        return found


class Demands(Settings):
    """What is demanded of a rule. The defaults are those of TC16."""

    min_confidence_ratio: float = Field(default=0.75, ge=0)
    """The least confidence ratio: how many of the group for each one of the others."""
    min_support: float = Field(default=0.001, ge=0, le=1)
    """The least share of the group."""

    def met(self, measures: Measures) -> Flags:
        """Return which rules are valid; all of these describe disproportionately many of the group."""
        enough = measures.supports >= self.min_support
        # TC16 (15); (13) follows from it unless the group is a large part of the file, ERRATA 004-17
        return enough & (measures.confidence_ratios >= self.min_confidence_ratio) & measures.discriminate

    def limits(self, hits: Reals, evidence: Evidence) -> Reals:
        """Return how many false alarms rules with so many hits can have at most if they are valid."""
        most = discriminating_limits(hits, evidence)
        if self.min_confidence_ratio > 0:
            most = np.minimum(most, hits / self.min_confidence_ratio * (1 + SLACK))
        return most


def discriminating_limits(hits: Reals, evidence: Evidence) -> Reals:
    """Return how many false alarms rules with so many hits can have if they describe more of the group than of all."""
    # ERRATA 004-17: DF > 0 <=> RCF > rho_v / (rho - rho_v)
    limits: Reals = hits * (evidence.n_others / evidence.n_vital) * (1 + SLACK)
    return limits


def measure_rules(
    evidence: Evidence, genes: Counts, *, limits: Reals | None = None, threads: int | None = None
) -> Measures:
    """Measure rules on a third-party file.

    Parameters
    ----------
    evidence
        The file.
    genes
        Rules by variables: 0 where a variable does not matter, else the number of its value, from 1 on.
    limits
        False alarms beyond a rule's limit may be fewer than all; default: they are exact.
    threads
        How many threads; the result does not depend on it.
    """
    genes = np.asarray(genes, dtype=np.int64)
    hits = evidence.hits(genes, threads=threads)
    false_alarms = evidence.false_alarms(genes, limits=limits, threads=threads)
    return Measures(hits, false_alarms, evidence.n_vital, evidence.n_others)


def most_general(genes: Counts, sizes: Counts) -> Flags:
    """Return which rules remain when those are left out that are more specific versions of others.

    Nothing is lost: a more specific rule holds of nobody by a greater product, and of several rules the greatest counts
    (TC16's step 3 with ERRATA 004-20).

    Parameters
    ----------
    genes
        Rules by variables; of a rule that is there twice, the first remains.
    sizes
        How many values each variable has.
    """
    paths, lengths = paths_of(genes, sizes)
    order = np.argsort(lengths, kind="stable")
    words = np.zeros((len(genes), -(-int(sizes.sum()) // 64)), dtype=np.uint64)
    rules, steps = np.nonzero(paths >= 0)
    numbers = paths[rules, steps].astype(np.int64)
    np.bitwise_or.at(words, (rules, numbers // 64), np.uint64(1) << (numbers % 64).astype(np.uint64))
    found, general = np.empty(len(genes), dtype=np.bool_), np.empty(len(genes), dtype=np.bool_)
    mark_general(words[order], found)
    general[order] = found
    return general


def in_words(genes: Sequence[int], variables: Sequence[AnyVariable], *, group: str = "the group") -> str:
    """Say a rule in words.

    Parameters
    ----------
    genes
        One a variable.
    variables
        What the genes stand for.
    group
        What the rule concludes.

    Examples
    --------
    >>> from sfumato.fuzzy import CategoricalVariable, Falling, LinguisticVariable
    >>> age = LinguisticVariable(attribute="age", values={"young": Falling(corners=(33, 37))})
    >>> sex = CategoricalVariable(attribute="sex", values={"male": [1]})
    >>> in_words([1, 1], [age, sex], group="military")
    'if age is young and sex is male then military'
    >>> in_words([0, 0], [age, sex])
    'always the group'
    """
    parts = [
        f"{variable.attribute} is {variable.names[gene - 1]}"
        for gene, variable in zip(genes, variables, strict=True)
        if gene
    ]
    return f"if {' and '.join(parts)} then {group}" if parts else f"always {group}"


def _ratios(upper: Reals, lower: Reals) -> Reals:
    """Return ratios: infinite if only the lower is nought, and nought if the upper is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(upper > 0, upper / lower, 0.0)
