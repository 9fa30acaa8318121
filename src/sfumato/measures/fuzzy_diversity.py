"""Fuzzy l-diversity: how many sensitive values the fuzzy sets have, and what an observer believes about a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.elementary_functions import exponentials
from sfumato.measures.anonymity import predominance
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.diversity import distinct_diversity, entropy_diversity
from sfumato.measures.fuzzy_contingency import FuzzyContingency
from sfumato.measures.posterior_belief import belief, check_prior
from sfumato.settings import check_choice

Background = Literal["table", "sets"]


@dataclass(frozen=True)
class FuzzyDiversity:
    """l of each fuzzy set and what is believed about each record, beside the crisp twins."""

    distinct: BlockMeasure
    """How many different values the members of each set have, however faint they are."""
    represented: BlockMeasure
    """How many different values each set has among members of at least 1/2: those that QADM14 (2) counts."""
    entropy: BlockMeasure
    """exp of the entropy of the belief about each record: how many equally credible values it equals."""
    belief: BlockMeasure
    """The strongest belief about each record: QADM14 Definition 11."""
    alpha: BlockMeasure
    """The largest share in each record's own mixture of the sets' distributions, that of QADM14 Theorem 12."""
    crisp_distinct: BlockMeasure
    """Distinct l of each block, where each record is in the set of its largest membership."""
    crisp_entropy: BlockMeasure
    """Entropy l of each such block."""
    crisp_belief: BlockMeasure
    """The strongest belief about a record of each such block."""
    crisp_alpha: BlockMeasure
    """The largest share in each such block."""


def fuzzy_diversity(
    counts: FuzzyContingency, *, prior: Reals | None = None, background: Background = "table"
) -> FuzzyDiversity:
    """Measure l-diversity of a fuzzy partition.

    Parameters
    ----------
    counts
        The counts.
    prior
        f(s | q) of the person sought: one share per value, in the order of the values. Default: an observer who knows
        nothing but the release.
    background
        What an observer with a prior takes for f(s | q*), how frequent a value is among people with the released
        memberships: the shares in the whole ``"table"``, as in the crisp measure, or those in the ``"sets"``, as QADM14
        Definition 9 has it. The latter nearly cancels what the counts reveal; see the page on QADM14.
    """
    check_choice("background", background, Background)
    strongest, entropy, largest = _beliefs(counts, prior, background)
    each = np.ones(strongest.size, dtype=np.int64)
    distinct = counts.present.sum(axis=1).astype(np.float64)
    represented = (counts.nonfuzzy > 0).sum(axis=1).astype(np.float64)
    return FuzzyDiversity(
        distinct=BlockMeasure("distinct l", distinct, counts.sizes, safer="higher"),
        represented=BlockMeasure("represented l", represented, counts.sizes, safer="higher"),
        entropy=BlockMeasure("entropy l", exponentials(entropy), each, safer="higher"),
        belief=BlockMeasure("posterior belief", strongest, each, safer="lower"),
        alpha=BlockMeasure("alpha", largest, each, safer="lower"),
        crisp_distinct=distinct_diversity(counts.crisp),
        crisp_entropy=entropy_diversity(counts.crisp),
        crisp_belief=predominance(counts.crisp) if prior is None else belief(counts.crisp, prior),
        crisp_alpha=predominance(counts.crisp),
    )


def _beliefs(counts: FuzzyContingency, prior: Reals | None, background: Background) -> tuple[Reals, Reals, Reals]:
    """Return the strongest belief about each record, the entropy of its beliefs, and its mixture's largest share."""
    from sfumato.kernels.belief_mixtures import mixture_beliefs

    # without a prior f(s|q) = f(s|q*): only the counts speak
    odds = np.ones(counts.counts.shape[1])
    if prior is not None:
        check_prior(prior, odds.size)
        odds = prior if background == "sets" else prior / counts.table_shares
    rows, row_of = counts.distinct
    # QADM14 Definition 8: n(s, q) = sum_i mu_i #(Q_i and s)
    # QADM14 Definition 9: f(s|q*) = sum_i mu_i f(s|Q_i), over all n sets: ERRATA 002-13
    # QADM14 Definition 11: n f(s|q) / f(s|q*) over its sum, terms 0 where n is: ERRATA 002-11
    divided = prior is not None and background == "sets"
    strongest, entropy, largest = mixture_beliefs(rows, counts.counts, counts.shares, odds, divided)
    return strongest[row_of], entropy[row_of], largest[row_of]
