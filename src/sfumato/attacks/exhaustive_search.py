"""Exhaustive search for valid rules: support never increases with the length of a rule, so most need not be tried."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Counts
from sfumato.attacks.rule_data import RuleData, genes_of
from sfumato.attacks.rule_measures import SLACK, RuleMeasures, RuleThresholds, most_general
from sfumato.errors import SettingError
from sfumato.kernels.frequent_rules import list_frequent
from sfumato.kernels.rule_sums import Paths
from sfumato.progress import Progress, silent
from sfumato.threads import side_by_side

MAX_FREQUENT_RULES = 10_000_000
"""The largest number of rules with enough support that fits into memory."""


@dataclass(frozen=True)
class ExhaustiveRules:
    """The result of a search through all rules."""

    genes: Counts
    """The most general valid rules by variables, in descending order of support."""
    measures: RuleMeasures
    """The measures of these rules."""
    valid: Counts
    """All valid rules by variables."""
    n_frequent: int
    """The number of rules with enough support."""
    n_possible: int
    """The number of possible rules."""


def search_exhaustively(
    rule_data: RuleData,
    *,
    thresholds: RuleThresholds | None = None,
    threads: int | None = None,
    progress: Progress = silent,
    max_frequent: int = MAX_FREQUENT_RULES,
) -> ExhaustiveRules:
    """Find all valid rules, and the most general of them: those that are not valid with fewer conditions.

    Parameters
    ----------
    rule_data
        The third-party file.
    thresholds
        When a rule is valid; default: as in TC16.
    threads
        The number of threads; the result does not depend on it.
    progress
        Called with the share done.
    max_frequent
        The search is refused if more rules than this have enough support.
    """
    thresholds = thresholds or RuleThresholds()
    paths = _frequent_rules(rule_data, thresholds, threads, progress, max_frequent)
    lengths = (paths >= 0).sum(axis=1)
    hits = rule_data.sums(rule_data.vital, paths, lengths, threads=threads)
    progress("counting false alarms", 0.0)
    # counting stops early for nearly all rules: as soon as they exceed the false alarms of a valid rule
    limits = thresholds.limits(hits, rule_data)
    false_alarms = rule_data.sums(rule_data.nonvital, paths, lengths, limits=limits, threads=threads)
    progress("counting false alarms", 1.0)
    measures = RuleMeasures(hits, false_alarms, rule_data.n_vital, rule_data.n_others)
    valid = thresholds.satisfied_by(measures)
    genes, measures = genes_of(paths[valid], rule_data.sizes), measures[valid]
    general = np.flatnonzero(most_general(genes, rule_data.sizes))
    general = general[np.argsort(-measures.hits[general], kind="stable")]
    n_possible = math.prod((rule_data.sizes + 1).tolist())
    return ExhaustiveRules(genes[general], measures[general], genes, len(paths), n_possible)


def _frequent_rules(
    rule_data: RuleData, thresholds: RuleThresholds, threads: int | None, progress: Progress, max_frequent: int
) -> Paths:
    """Return the conditions of all rules with enough support in ascending order, including the empty rule."""
    floor = thresholds.min_support * rule_data.n_vital * (1 - SLACK)

    def below(root: int) -> Paths:
        paths = list_frequent(rule_data.vital.codes, rule_data.conditions, root, rule_data.alpha, floor, max_frequent)
        if len(paths) > max_frequent:
            raise too_many
        return paths

    too_many = SettingError(
        f"min_support: more than {max_frequent:,} rules have a support of at least {thresholds.min_support:g}",
        hint='raise min_support, or set search = "evolution"',
        setting="min_support",
    )
    roots = range(rule_data.conditions.variables.size)
    listed = side_by_side(below, roots, threads, lambda share: progress("listing rules with enough support", share))
    if sum(map(len, listed)) > max_frequent:
        raise too_many
    return np.concatenate([np.full((1, rule_data.sizes.size), -1, dtype=np.int16), *listed])
