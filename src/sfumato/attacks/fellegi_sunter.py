"""Probabilistic record linkage after Fellegi and Sunter: match weights estimated by the EM algorithm.

m is the probability that an attribute agrees in two records of the same person, u that it agrees in records of
different people. Within each kind of pair, attributes are treated as independent. Which pairs belong to the same person
is not known, so m and u are the maximum likelihood estimates from the patterns of agreement, found by the EM algorithm
(Dempster, Laird and Rubin; for linkage Jaro, and Winkler).

If nearly all pairs belong to different people, the likelihood can be highest for another division of the pairs, for
example into people with similar and with different lifestyles. So the share of matching pairs is given instead of
estimated, and every attribute is assumed to be correct in at least half of the outside records: m is at least halfway
from u to 1, as in the hit-and-miss model of Copas and Hilton.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.kernels.algebra import product
from sfumato.kernels.elementary_functions import exponentials, logarithms
from sfumato.kernels.nearest_links import ALIKE, UNKNOWN

PROBABILITY_FLOOR = 1e-6
"""Probabilities stay this far from 0 and 1, so that no single attribute is decisive."""
MAX_ITERATIONS = 2000
CONVERGED = 1e-9
"""The iteration stops when no probability changes by more than this."""
LN2 = math.log(2.0)
INITIAL_M = 0.9
"""The initial value of m."""


@dataclass(frozen=True)
class MatchWeights:
    """The match weights of each attribute."""

    m: Reals
    """The probability of agreement in records of the same person."""
    u: Reals
    """The probability of agreement in records of different people."""
    prevalence: float
    """The share of pairs that belong to the same person."""

    @property
    def agree(self) -> Reals:
        """The weight of agreement in bits: log2(m / u)."""
        return logarithms(self.m / self.u) / LN2

    @property
    def disagree(self) -> Reals:
        """The weight of disagreement in bits: log2((1 - m) / (1 - u))."""
        return logarithms((1.0 - self.m) / (1.0 - self.u)) / LN2

    def probability(self, weights: Reals) -> Reals:
        """Return the probability that pairs with these sums of weights belong to the same person.

        It considers each pair alone, not whether other records match equally well.
        """
        prevalence = min(self.prevalence, 1.0 - PROBABILITY_FLOOR)
        odds = logarithms(prevalence / (1.0 - prevalence)) + LN2 * weights
        return np.asarray(1.0 / (1.0 + exponentials(-odds)), dtype=np.float64)


def estimate_weights(patterns: Counts, counts: Counts, *, records: int, overlap: float) -> MatchWeights:
    """Estimate m and u by maximum likelihood from the patterns of agreement.

    Parameters
    ----------
    patterns
        Patterns by attributes: 1 where a pair agrees, 0 where it does not, 2 where that is unknown.
    counts
        The number of pairs with each pattern.
    records
        The number of records in the release.
    overlap
        The share of outside records whose person is in the release.
    """
    comparable, agrees = patterns != UNKNOWN, patterns == ALIKE
    u = _clipped(_agreement(agrees, comparable, counts, default=np.full(patterns.shape[1], 0.5)))
    m = np.maximum(INITIAL_M, _least_m(u))
    odds_against = records / overlap - 1.0
    for _ in range(MAX_ITERATIONS):
        # g = p L_m / (p L_m + (1 - p) L_u), with p = overlap / records
        ratios = exponentials(_log_likelihoods(agrees, comparable, m) - _log_likelihoods(agrees, comparable, u))
        matches = counts * ratios / (ratios + odds_against)
        new_u = _clipped(_agreement(agrees, comparable, counts - matches, default=u))
        new_m = np.maximum(_clipped(_agreement(agrees, comparable, matches, default=m)), _least_m(new_u))
        change = max(np.abs(new_m - m).max(), np.abs(new_u - u).max())
        m, u = new_m, new_u
        if change < CONVERGED:
            break
    return MatchWeights(m, u, overlap / records)


def _least_m(u: Reals) -> Reals:
    """Return the smallest allowed m: half of the values are correct, the others agree by chance."""
    return 0.5 + 0.5 * u


def _clipped(probabilities: Reals) -> Reals:
    return np.clip(probabilities, PROBABILITY_FLOOR, 1.0 - PROBABILITY_FLOOR)


def _agreement(agrees: Flags, comparable: Flags, n_pairs: Reals | Counts, *, default: Reals) -> Reals:
    """Return the share of comparable pairs that agree in each attribute, or the default if there are none."""
    total = product(n_pairs, comparable)
    return np.where(total > 0, product(n_pairs, agrees) / np.where(total > 0, total, 1.0), default)


def _log_likelihoods(agrees: Flags, comparable: Flags, probabilities: Reals) -> Reals:
    """Return the log likelihood of each pattern, given the probabilities of agreement."""
    log_likelihoods: Reals = product(agrees, logarithms(probabilities)) + product(
        comparable & ~agrees, logarithms(1.0 - probabilities)
    )
    return log_likelihoods
