"""The Bayes test of independence between findings and truth, which also works for few outliers among many places.

The two hypotheses concern the share of places that are found, among true outliers and among the other places. H0: it
is the same share p, with a uniform prior. H1: there are two shares, p1 and p2, whose prior is the posterior after
imaginary samples drawn under H0: t1 outliers and t2 other places, of which i and j are found (the intrinsic priors of
Casella and Moreno, as Olivetti and others use them). B(t1, t2) is the probability of the confusion matrix under H1
divided by that under H0; the larger the imaginary samples, the closer H1 is to H0. TC16 (21), for rows (a, b) of
outliers and (c, d) of other places, with row sums r1 and r2 and total m:

::

                      m + 1         (t1 + 1) (t2 + 1)
    B(t1, t2) = ----------------- * ----------------- * C(m, a + c)
                (r1+t1+1)(r2+t2+1)     t1 + t2 + 1

                               C(t1, i)^2 C(t2, j)^2
         * sum  -----------------------------------------------------      0 <= i <= t1, 0 <= j <= t2
           i,j  C(t1 + t2, i + j) C(r1 + t1, a + i) C(r2 + t2, c + j)

Computed directly, a table of B for 887 places takes billions of terms. Its structure saves nearly all of them.
Updating p1 by t imaginary places is the Bernstein-Durrmeyer operator M_t, so that
B(t1, t2) = <f, M_t1 M_t2 g> / <f, g> with f = p^a (1-p)^b and g = p^c (1-p)^d. All M_t have the Legendre polynomials
as eigenfunctions, with eigenvalues t! (t+1)! / ((t-k)! (t+k+1)!). Hence B(t1, t2) = B(t2, t1), and with
s(t) = t (t + 1)

::

    s(t2) B(t1, t2 - 1) = (s(t2) - s(t1)) B(t1, t2) + s(t1) B(t1 - 1, t2)        0 < t1 <= t2

that is, each value is a weighted mean of two neighbours with one more imaginary place. So the edge of the table with
the largest sample of the longer row determines the whole table without a subtraction, and the minimum of the table,
which the test needs, is on that edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import gammaln

from sfumato.array_types import Reals

Table: TypeAlias = Sequence[Sequence[int]]
"""A confusion matrix: true outliers found and not found, then other places found and not found."""

STRENGTHS = ((0.0, "negative"), (1.0, "bare mention"), (3.0, "positive"), (5.0, "strong"))
"""Upper limits of the natural logarithm of the Bayes factor, each with its verbal category."""


@dataclass(frozen=True)
class Evidence:
    """The strength of the evidence that findings depend on the truth."""

    value: float
    """The minimum of the natural logarithm of the Bayes factor B(t1, t2) over all sizes of imaginary samples: TC16's
    MB."""
    imaginary: tuple[int, int]
    """The first sizes t1 and t2 that attain it."""

    @property
    def words(self) -> str:
        """The verbal category of Kass and Raftery.

        Negative below 0, bare mention up to 1, positive up to 3, strong up to 5, very strong beyond. (TC16's "decisive"
        belongs to a scale of decimal logarithms with other limits.)
        """
        return next((word for limit, word in STRENGTHS if self.value < limit), "very strong")

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.words})"


def evidence_of(table: Table) -> Evidence:
    """Return the evidence of a confusion matrix: the minimum of log B(t1, t2).

    The minimum is over 0 <= t1 <= r1 and 0 <= t2 <= r2; the limits printed in TC16 do not reproduce its own numbers.
    Rows must be the truth, because the test is not symmetric in truth and findings.

    Parameters
    ----------
    table
        True outliers found and not found, other places found and not found.

    Examples
    --------
    >>> print(evidence_of(((60, 38), (4, 785))))
    98.047 (very strong)
    """
    (hits, missed), (false_alarms, rejected) = table
    # ERRATA 004-4: natural logarithms and row sums give TC16's 98.047 and 55.067; 004-6: rows are the truth
    first, second = hits + missed, false_alarms + rejected
    if first <= second:
        edge = _edge(hits, first, false_alarms, second)
        least = int(edge.argmin())
        imaginary = (least, second)
    else:
        edge = _edge(false_alarms, second, hits, first)
        least = int(edge.argmin())
        imaginary = (first, least)
    # an empty imaginary sample in one row makes that of the other row irrelevant, so all such sizes are equal
    return Evidence(float(edge[least]), imaginary if least else (0, 0))


def log_bayes_factors(table: Table) -> Reals:
    """Return the natural logarithm of B(t1, t2) for 0 <= t1 <= r1 and 0 <= t2 <= r2, one row for each t1.

    Parameters
    ----------
    table
        True outliers found and not found, other places found and not found.

    Examples
    --------
    >>> log_bayes_factors(((60, 38), (4, 785)))[3, 7].round(9)
    np.float64(135.355649065)
    """
    (hits, missed), (false_alarms, rejected) = table
    if hits + missed > false_alarms + rejected:
        # exchanging the rows also exchanges their imaginary samples
        return log_bayes_factors((table[1], table[0])).T
    first, second = hits + missed, false_alarms + rejected
    factors = np.empty((first + 1, second + 1))
    factors[:, second] = _edge(hits, first, false_alarms, second)
    sizes = np.arange(first + 1, dtype=np.float64)
    products = sizes * (sizes + 1.0)
    for size in range(second, 0, -1):
        within = min(first, size - 1) + 1
        column = factors[:within, size]
        share = products[1:within] / (size * (size + 1.0))
        factors[0, size - 1] = column[0]
        factors[1:within, size - 1] = np.logaddexp(np.log1p(-share) + column[1:], np.log(share) + column[:-1])
        if size <= first:
            factors[size, :size] = factors[:size, size]
    return factors


def _edge(hits: int, row: int, longer_hits: int, longer: int) -> Reals:
    """Return log B for all sizes of the shorter row's imaginary sample, if the longer row's is as large as the row.

    Each value is a double sum over the numbers of places found in the two samples. The inner one, over the longer row's
    sample, is the integral of p^i (1-p)^(t-i) C(t, i) times a function of p; its values for t - 1 are weighted sums of
    those for t.
    """
    log_factorials: Reals = gammaln(np.arange(1.0, 2.0 * longer + 2.0))

    def log_binomials(n: int) -> Reals:
        """Return log C(n, k) for all k."""
        logarithms: Reals = log_factorials[n] - log_factorials[: n + 1] - log_factorials[n::-1]
        return logarithms

    prior = 2.0 * log_binomials(longer) - log_binomials(2 * longer)[longer_hits : longer_hits + longer + 1]
    pooled = log_binomials(row + longer)
    integrals: Reals = log_binomials(row) + np.array(
        [_log_sum(prior - pooled[count : count + longer + 1]) for count in range(row + 1)]
    )
    integrals += np.log(longer + 1.0) - np.log(2.0 * longer + 1.0) - np.log(row + longer + 1.0)
    total = row + longer
    null_hypothesis = np.log(total + 1.0) + log_binomials(total)[hits + longer_hits]
    edge = np.empty(row + 1)
    for size in range(row, -1, -1):
        expected = log_binomials(size) - log_binomials(row + size)[hits : hits + size + 1]
        edge[size] = null_hypothesis + np.log((size + 1.0) / (row + size + 1.0)) + _log_sum(expected + integrals)
        if size:
            counts = np.arange(float(size))
            integrals = np.logaddexp(
                np.log((size - counts) / size) + integrals[:-1], np.log((counts + 1.0) / size) + integrals[1:]
            )
    return edge


def _log_sum(logarithms: Reals) -> float:
    """Return the logarithm of a sum whose terms are given by finite logarithms."""
    largest = logarithms.max()
    return float(largest + np.log(np.exp(logarithms - largest).sum()))
