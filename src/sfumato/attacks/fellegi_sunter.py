"""Probabilistic linkage after Fellegi and Sunter: how much agreement in each attribute speaks for a match.

m is the probability that an attribute agrees in a pair of records of the same person, u that it agrees in a pair of
different people. Attributes count as independent within either kind of pair. Nobody says which pairs are of the same
person, so m and u are those under which the patterns of agreement are most likely, found by expectation and
maximization in turns (Dempster, Laird and Rubin; for linkage Jaro, and Winkler).

Where nearly all pairs are of different people, what is most likely can be another division of them than that into same
and different ones, say, into those that live alike and those that do not. So the share of pairs that are of the same
person is not estimated but given, and every attribute counts as right in at least half of the outside records: m is at
least half of the way from u to 1, as in the hit-and-miss model of Copas and Hilton.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Counts, Flags, Reals
from sfumato.kernels.algebra import product
from sfumato.kernels.elementary import exponentials, logarithms
from sfumato.kernels.nearest_links import ALIKE, UNKNOWN

SURE = 1e-6
"""No probability is nearer to 0 or 1, so that no single attribute decides all."""
ROUNDS = 2000
STILL = 1e-9
"""Nothing moves by more than this when it ends."""
LN2 = math.log(2.0)
START = 0.9
"""m at the start."""


@dataclass(frozen=True)
class Weights:
    """What agreement tells, attribute by attribute."""

    m: Reals
    """Of the same person's records, how many agree."""
    u: Reals
    """Of different people's records, how many agree."""
    prevalence: float
    """The share of pairs that are of the same person."""

    @property
    def agree(self) -> Reals:
        """Bits of evidence for a match where an attribute agrees: log2(m / u)."""
        return logarithms(self.m / self.u) / LN2

    @property
    def disagree(self) -> Reals:
        """Bits of evidence for a match where it does not: log2((1 - m) / (1 - u))."""
        return logarithms((1.0 - self.m) / (1.0 - self.u)) / LN2

    def probability(self, weights: Reals) -> Reals:
        """Return how probable it is that pairs with these sums of weights are of the same person.

        By the pair alone: that others fit as well is not considered.
        """
        prevalence = min(self.prevalence, 1.0 - SURE)
        odds = logarithms(prevalence / (1.0 - prevalence)) + LN2 * weights
        return np.asarray(1.0 / (1.0 + exponentials(-odds)), dtype=np.float64)


def estimate_weights(patterns: Counts, counts: Counts, *, records: int, overlap: float) -> Weights:
    """Find the probabilities under which the patterns of agreement are most likely.

    Parameters
    ----------
    patterns
        Patterns by attributes: 1 where a pair agrees, 0 where it does not, 2 where that is unknown.
    counts
        How many pairs have each pattern.
    records
        Records of the release.
    overlap
        The share of outside people that are in the release.
    """
    known, agrees = patterns != UNKNOWN, patterns == ALIKE
    u = _within(_share(agrees, known, counts, unknown=np.full(patterns.shape[1], 0.5)))
    m = np.maximum(START, _least(u))
    against = records / overlap - 1.0
    for _ in range(ROUNDS):
        # g = p L_m / (p L_m + (1 - p) L_u), with p = overlap / records
        ratios = exponentials(_log_likelihoods(agrees, known, m) - _log_likelihoods(agrees, known, u))
        same = counts * ratios / (ratios + against)
        new_u = _within(_share(agrees, known, counts - same, unknown=u))
        new_m = np.maximum(_within(_share(agrees, known, same, unknown=m)), _least(new_u))
        moved = max(np.abs(new_m - m).max(), np.abs(new_u - u).max())
        m, u = new_m, new_u
        if moved < STILL:
            break
    return Weights(m, u, overlap / records)


def _least(u: Reals) -> Reals:
    """Return the least m: half of the values are right, the others agree by chance."""
    return 0.5 + 0.5 * u


def _within(probabilities: Reals) -> Reals:
    return np.clip(probabilities, SURE, 1.0 - SURE)


def _share(agrees: Flags, known: Flags, amounts: Reals | Counts, *, unknown: Reals) -> Reals:
    """Return the share that agrees of what is known, attribute by attribute."""
    total = product(amounts, known)
    return np.where(total > 0, product(amounts, agrees) / np.where(total > 0, total, 1.0), unknown)


def _log_likelihoods(agrees: Flags, known: Flags, probabilities: Reals) -> Reals:
    found: Reals = product(agrees, logarithms(probabilities)) + product(
        known & ~agrees, logarithms(1.0 - probabilities)
    )
    return found
