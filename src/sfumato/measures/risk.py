"""The risk of re-identification: per record, per household and in total."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sfumato.array_types import Codes, Counts, Reals
from sfumato.errors import SettingError
from sfumato.kernels.algebra import dot
from sfumato.kernels.elementary_functions import logarithms
from sfumato.measures.blocks import Blocks, crowd_sums, homes_of
from sfumato.microfile import Encoded
from sfumato.quiet_repr import quiet

MAIN_PART_DEVIATIONS = 2.0
MAIN_PART_FLOOR = 0.1
SERIES_FROM = 20.0
SERIES_TERMS = 80
NORMAL_MAD = 1.4826
"""The median absolute deviation of a normal distribution, times this, is its standard deviation."""


def individual_risk(sample: Reals, population: Reals, *, exact: bool = False) -> Reals:
    """Return the expected share 1/F of a record, F being its frequency in the population.

    F is taken as negative binomial given the sample frequency f, with success probability p = f / F.

    Parameters
    ----------
    sample
        f: how many records of the sample look alike.
    population
        F: the sum of their weights.
    exact
        For f > 2 use the hypergeometric function itself instead of its first-order form p / (f - (1 - p)),
        which is what sdcMicro reports.

    Notes
    -----
    Where f = F the record's frequency is known and the risk is 1/f; also where weights below 1 make
    F smaller than f. A fractional f below 2 has no first-order form and gets the exact one.

    Examples
    --------
    >>> individual_risk(np.array([3.0, 1.0]), np.array([108.0, 45.5])).round(8).tolist()
    [0.01369863, 0.08579129]
    """
    f = np.asarray(sample, dtype=np.float64)
    p = np.minimum(f / np.maximum(population, f), 1.0)
    risk = 1.0 / f
    estimated = p < 1
    single, pair = estimated & (f == 1), estimated & (f == 2)
    q = np.divide(p, 1 - p, out=np.ones_like(p), where=estimated)
    log = -logarithms(p)
    risk[single] = (q * log)[single]
    # q - q^2 ln(1/p) cancels for p near 1; there the hypergeometric form is used
    steady = pair & (p < 0.9)
    risk[steady] = (q - q**2 * log)[steady]
    first_order = estimated & (f > 2)
    risk[first_order] = (p / (f - (1 - p)))[first_order]
    remaining = estimated & ~single & ~steady & ~first_order
    if exact:
        remaining |= first_order
    if remaining.any():
        risk[remaining] = _exact_risk(f[remaining], p[remaining])
    return np.minimum(risk, 1.0)


def _exact_risk(f: Reals, p: Reals) -> Reals:
    """Return p^f / f 2F1(f, f; f+1; 1-p), which is p / f 2F1(1, 1; f+1; 1-p) by Euler's transformation.

    The series of the latter, the sum of n! (1-p)^n / ((f+1) ... (f+n)), is exact after a few terms where f
    is large, just where the library's function fails.
    """
    from scipy.special import hyp2f1

    large = f >= SERIES_FROM
    series, term = np.ones_like(f), np.ones_like(f)
    for n in range(1, SERIES_TERMS):
        term = term * n * (1 - p) / (f + n)
        series += term
    function = np.ones_like(f)
    function[~large] = hyp2f1(1.0, 1.0, f[~large] + 1.0, 1.0 - p[~large])
    return p / f * np.where(large, series, function)


@quiet
@dataclass(frozen=True)
class Risk:
    """The risk of every record; records of a block have the same."""

    sample: Reals
    """f of each block."""
    population: Reals
    """F of each block."""
    by_block: Reals
    """The risk of each block's records."""
    sizes: Counts
    """The records of each block."""
    numbers: Codes
    """The block of each record."""
    households: Codes | None
    """The household of each record, numbered from 0."""

    @property
    def by_record(self) -> Reals:
        """The risk of each record."""
        return self.by_block[self.numbers]

    @property
    def expected(self) -> float:
        """How many records are expected to be re-identified."""
        return dot(self.by_block, self.sizes)

    @property
    def rate(self) -> float:
        """The expected share of records re-identified: the global risk."""
        return self.expected / float(self.sizes.sum())

    @property
    def highest(self) -> float:
        """The largest risk of a record."""
        return float(self.by_block.max())

    @property
    def candidates(self) -> float:
        """The smallest number of records that look alike."""
        return float(self.sample.min())

    @property
    def present_rate(self) -> float:
        """The expected share of correct picks if it is known who is in the file: the mean of 1/f."""
        return float((self.sizes / self.sample).sum() / self.sizes.sum())

    @property
    def outstanding(self) -> int:
        """The records at a higher risk than the main part: r > median + 2 mad, and r > 0.1."""
        median = _weighted_median(self.by_block, self.sizes)
        mad = NORMAL_MAD * _weighted_median(np.abs(self.by_block - median), self.sizes)
        above = (self.by_block > median + MAIN_PART_DEVIATIONS * mad) & (self.by_block > MAIN_PART_FLOOR)
        return int(self.sizes[above].sum())

    @cached_property
    def by_household(self) -> Reals | None:
        """The risk that somebody in a household is re-identified: 1 - prod(1 - r), per household."""
        if self.households is None:
            return None
        with np.errstate(divide="ignore"):
            safe = np.log1p(-self.by_record)
        return -np.expm1(np.bincount(self.households, weights=safe))

    @property
    def household_expected(self) -> float | None:
        """How many records are expected to be revealed by a member of their household."""
        if self.households is None or self.by_household is None:
            return None
        return float(self.by_household[self.households].sum())

    def threshold(self, rate: float) -> float | None:
        """Return the risk to cut down to, so that the global risk stays below a rate.

        It is the largest risk t that occurs, below the largest one, for which lowering every larger risk
        to t brings the mean below ``rate``; 0 if none does, None if the mean is below it already.
        """
        if not 0 < rate < 1:
            raise SettingError(f"the global risk allowed must lie between 0 and 1 (given: {rate:g})")
        allowed = rate * float(self.sizes.sum())
        if self.expected < allowed:
            return None
        order = np.argsort(self.by_block)
        risks, sizes = self.by_block[order], self.sizes[order].astype(np.float64)
        cut = np.cumsum(risks * sizes) + risks * (sizes.sum() - np.cumsum(sizes))
        enough = (cut < allowed) & (risks < risks[-1])
        return float(risks[enough][-1]) if enough.any() else 0.0


def risk_of(
    blocks: Blocks,
    *,
    weights: Reals | None = None,
    household: Encoded | None = None,
    wildcards: bool = False,
    exact: bool = False,
) -> Risk:
    """Measure the re-identification risk of every record.

    Parameters
    ----------
    blocks
        The records by their quasi values.
    weights
        How many people of the population each record stands for; without weights the sample is the
        population.
    household
        The household of each record; a record without one is a household of its own.
    wildcards
        Whether a missing quasi value matches every value.
    exact
        As for :func:`individual_risk`.
    """
    alike = blocks.sizes.astype(np.float64)
    population = alike if weights is None else blocks.totals(weights)
    if wildcards:
        sample, population = crowd_sums(blocks, [alike, population])
    else:
        sample = alike
    by_block = 1.0 / sample if weights is None else individual_risk(sample, population, exact=exact)
    homes = None if household is None else homes_of(household)
    return Risk(sample, population, by_block, blocks.sizes, blocks.numbers, homes)


def _weighted_median(values: Reals, counts: Counts) -> float:
    """Return the median of values that each occur ``counts`` times."""
    order = np.argsort(values)
    until = np.cumsum(counts[order])
    low, high = (until[-1] - 1) // 2, until[-1] // 2
    middle = values[order][np.searchsorted(until, [low, high], side="right")]
    return float(middle.mean())
