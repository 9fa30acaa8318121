"""The Bayes test: how strongly what was found depends on what is true, few outliers among many places or not.

The two hypotheses are about the share of places that are found, among true outliers and among the others. H0:
it is the same share p, of which nothing is known (uniform). H1: there are two, p1 and p2, and what is expected
of them is what imaginary places would teach that obey H0: t1 outliers and t2 others, i and j of them found
(Casella and Moreno's intrinsic priors, as Olivetti and others use them). B(t1, t2) is the probability of the
confusion matrix under H1 over that under H0, and the more imaginary places, the nearer H1 is to H0. TC16 (21),
for rows (a, b) of outliers and (c, d) of others with sums r1 and r2, m in all:

::

                      m + 1         (t1 + 1) (t2 + 1)
    B(t1, t2) = ----------------- * ----------------- * C(m, a + c)
                (r1+t1+1)(r2+t2+1)     t1 + t2 + 1

                               C(t1, i)^2 C(t2, j)^2
         * sum  -----------------------------------------------------      0 <= i <= t1, 0 <= j <= t2
           i,j  C(t1 + t2, i + j) C(r1 + t1, a + i) C(r2 + t2, c + j)

Summed as it stands, a table of B for 887 places takes billions of terms. It has a structure that saves nearly all
of them. Learning about p1 from t imaginary places is the Bernstein-Durrmeyer operator M_t, so that
B(t1, t2) = <f, M_t1 M_t2 g> / <f, g> with f = p^a (1-p)^b and g = p^c (1-p)^d. All M_t have Legendre's polynomials
as eigenfunctions, with eigenvalues t! (t+1)! / ((t-k)! (t+k+1)!). Hence B(t1, t2) = B(t2, t1), and with
s(t) = t (t + 1)

::

    s(t2) B(t1, t2 - 1) = (s(t2) - s(t1)) B(t1, t2) + s(t1) B(t1 - 1, t2)        0 < t1 <= t2

that is, each value is a weighted mean of two neighbours with one more imaginary place. So the edge with as many
imaginary places as the longer row allows gives the whole table without a subtraction; and the minimum of the table,
which the test asks for, lies on that edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import gammaln

from sfumato.arrays import Reals

Table: TypeAlias = Sequence[Sequence[int]]
"""A confusion matrix: the true outliers found and not found, then the other places found and not found."""

STRENGTHS = ((0.0, "negative"), (1.0, "bare mention"), (3.0, "positive"), (5.0, "strong"))
"""Below which natural logarithm evidence is called what."""


@dataclass(frozen=True)
class Evidence:
    """How strong the evidence is that what was found depends on what is true."""

    value: float
    """The least natural logarithm of the Bayes factor B(t1, t2) over all sizes of imaginary samples: TC16's MB."""
    imaginary: tuple[int, int]
    """The sizes t1 and t2 at which it is reached, the first such."""

    @property
    def words(self) -> str:
        """The strength in the words of Kass and Raftery.

        Below 0 negative, to 1 no more than a bare mention, to 3 positive, to 5 strong, beyond very strong. (TC16's
        "decisive" is their word on the scale of decimal logarithms, on which other limits apply.)
        """
        return next((word for limit, word in STRENGTHS if self.value < limit), "very strong")

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.words})"


def evidence_of(table: Table) -> Evidence:
    """Return the evidence of a confusion matrix: the minimum of log B(t1, t2) over its rows' sums.

    The limits are 0 <= t1 <= r1 and 0 <= t2 <= r2 (TC16 prints other ones, with which its own numbers do not come
    out). Rows must be the truth, because the test is not symmetric in truth and finding.

    Parameters
    ----------
    table
        True outliers found and not found, other places found and not found.

    Examples
    --------
    >>> print(evidence_of(((60, 38), (4, 785))))
    98.047 (very strong)
    """
    (found, missed), (false, other) = table
    # ERRATA 004-4: natural logarithms and sums of rows give TC16's 98.047 and 55.067; 004-6: rows are the truth
    first, second = found + missed, false + other
    if first <= second:
        edge = _edge(found, first, false, second)
        least = int(edge.argmin())
        imaginary = (least, second)
    else:
        edge = _edge(false, second, found, first)
        least = int(edge.argmin())
        imaginary = (first, least)
    # with none on one side nothing is learnt on the other either, so that all such sizes are alike
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
    (found, missed), (false, other) = table
    if found + missed > false + other:
        # rows change places with their imaginary samples
        return log_bayes_factors((table[1], table[0])).T
    first, second = found + missed, false + other
    factors = np.empty((first + 1, second + 1))
    factors[:, second] = _edge(found, first, false, second)
    sizes = np.arange(first + 1, dtype=np.float64)
    products = sizes * (sizes + 1.0)
    for size in range(second, 0, -1):
        within = min(first, size - 1) + 1
        here = factors[:within, size]
        share = products[1:within] / (size * (size + 1.0))
        factors[0, size - 1] = here[0]
        factors[1:within, size - 1] = np.logaddexp(np.log1p(-share) + here[1:], np.log(share) + here[:-1])
        if size <= first:
            factors[size, :size] = factors[:size, size]
    return factors


def _edge(hits: int, row: int, longer_hits: int, longer: int) -> Reals:
    """Return log B for all sizes of the shorter row's imaginary sample, the longer row's being as long as the row.

    Each is a sum over what may be found in the two samples. That over the longer row's sample is the integral of
    p^i (1-p)^(t-i) C(t, i) and a function of p; from its values for one t those for t - 1 are weighted sums.
    """
    factorials: Reals = gammaln(np.arange(1.0, 2.0 * longer + 2.0))

    def ways(places: int) -> Reals:
        """Return log C(places, k) for all k."""
        logarithms: Reals = factorials[places] - factorials[: places + 1] - factorials[places::-1]
        return logarithms

    learnt = 2.0 * ways(longer) - ways(2 * longer)[longer_hits : longer_hits + longer + 1]
    both = ways(row + longer)
    integrals: Reals = ways(row) + np.array(
        [_log_sum(learnt - both[found : found + longer + 1]) for found in range(row + 1)]
    )
    integrals += np.log(longer + 1.0) - np.log(2.0 * longer + 1.0) - np.log(row + longer + 1.0)
    places = row + longer
    chance = np.log(places + 1.0) + ways(places)[hits + longer_hits]
    edge = np.empty(row + 1)
    for size in range(row, -1, -1):
        expected = ways(size) - ways(row + size)[hits : hits + size + 1]
        edge[size] = chance + np.log((size + 1.0) / (row + size + 1.0)) + _log_sum(expected + integrals)
        if size:
            found = np.arange(float(size))
            integrals = np.logaddexp(
                np.log((size - found) / size) + integrals[:-1], np.log((found + 1.0) / size) + integrals[1:]
            )
    return edge


def _log_sum(logarithms: Reals) -> float:
    """Return the logarithm of the sum of numbers, given by finite logarithms."""
    largest = logarithms.max()
    return float(largest + np.log(np.exp(logarithms - largest).sum()))
