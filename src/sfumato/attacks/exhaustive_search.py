"""Every valid rule, found without trying all: support only falls as a rule gets longer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Counts
from sfumato.attacks.rule_data import Evidence, genes_of
from sfumato.attacks.rules import SLACK, Demands, Measures, most_general
from sfumato.errors import SettingError
from sfumato.kernels.frequent_rules import list_frequent
from sfumato.kernels.rule_sums import Paths
from sfumato.progress import Progress, silent
from sfumato.threads import side_by_side

MOST = 10_000_000
"""More rules with enough support than this are not held, for fear of memory."""


@dataclass(frozen=True)
class ExactSearch:
    """What a search of all rules found."""

    genes: Counts
    """The most general valid rules, by variables; the best supported first."""
    measures: Measures
    """Theirs."""
    valid: Counts
    """All valid rules, by variables."""
    frequent: int
    """How many rules have enough support."""
    rules: int
    """How many rules there are."""


def search_exactly(
    evidence: Evidence,
    *,
    demands: Demands | None = None,
    threads: int | None = None,
    progress: Progress = silent,
    most: int = MOST,
) -> ExactSearch:
    """Find every valid rule, and the most general of them: those that are not valid with conditions left out.

    Parameters
    ----------
    evidence
        The third-party file.
    demands
        When a rule is valid; default: as in TC16.
    threads
        How many threads; the result does not depend on it.
    progress
        Told how far the search is.
    most
        With more rules of enough support than this, the search gives up.
    """
    demands = demands or Demands()
    paths = _frequent(evidence, demands, threads, progress, most)
    lengths = (paths >= 0).sum(axis=1)
    hits = evidence.sums(evidence.vital, paths, lengths, threads=threads)
    progress("counting false alarms", 0.0)
    # nearly all rules are given up once they have more false alarms than a valid rule can have
    limits = demands.limits(hits, evidence)
    false_alarms = evidence.sums(evidence.others, paths, lengths, limits=limits, threads=threads)
    progress("counting false alarms", 1.0)
    measures = Measures(hits, false_alarms, evidence.n_vital, evidence.n_others)
    met = demands.met(measures)
    genes, measures = genes_of(paths[met], evidence.sizes), measures[met]
    general = np.flatnonzero(most_general(genes, evidence.sizes))
    general = general[np.argsort(-measures.hits[general], kind="stable")]
    space = math.prod((evidence.sizes + 1).tolist())
    return ExactSearch(genes[general], measures[general], genes, len(paths), space)


def _frequent(evidence: Evidence, demands: Demands, threads: int | None, progress: Progress, most: int) -> Paths:
    """Return the conditions of all rules with enough support, in ascending order, the rule without any included."""
    floor = demands.min_support * evidence.n_vital * (1 - SLACK)

    def below(root: int) -> Paths:
        found = list_frequent(evidence.vital.codes, evidence.conditions, root, evidence.alpha, floor, most)
        if len(found) > most:
            raise too_many
        return found

    too_many = SettingError(
        f"min_support: more than {most:,} rules have a support of {demands.min_support:g}",
        hint="demand more support, or search by evolution",
        setting="min_support",
    )
    roots = range(evidence.conditions.variables.size)
    listed = side_by_side(below, roots, threads, lambda share: progress("listing rules with enough support", share))
    if sum(map(len, listed)) > most:
        raise too_many
    return np.concatenate([np.full((1, evidence.sizes.size), -1, dtype=np.int16), *listed])
