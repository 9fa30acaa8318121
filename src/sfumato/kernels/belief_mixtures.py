"""Mixtures: rows of memberships times a table of sets by values, reduced as they are made.

The product itself, records by values, would be too large to keep; and few of a record's memberships differ from 0.
"""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.argument_types import RealTable
from sfumato.kernels.compiled import compiled_ratios, compiled_within
from sfumato.kernels.lane_sums import LANES, sum_of
from sfumato.kernels.transcendental import logarithm

VALUES_AT_ONCE = 256


@compiled_within
def mix(memberships: Reals, table: Reals, start: int, stop: int, mixture: Reals) -> None:
    """Put the mixture of the table's rows, from the value ``start`` up to ``stop``, into ``mixture`` (OUT)."""
    for offset in range(stop - start):
        mixture[offset] = 0.0
    for row in range(memberships.size):
        membership = memberships[row]
        if membership != 0.0:
            for offset in range(stop - start):
                mixture[offset] += membership * table[row, start + offset]


@compiled_ratios
def mixture_lengths(memberships: RealTable, differences: RealTable) -> Reals:
    """Sum, record by record, the absolute values of its mixture of the sets' differences."""
    values = differences.shape[1]
    lengths = np.zeros(memberships.shape[0])
    mixture, lanes = np.empty(VALUES_AT_ONCE), np.zeros(LANES)
    for record in range(memberships.shape[0]):
        length = 0.0
        for start in range(0, values, VALUES_AT_ONCE):
            stop = min(start + VALUES_AT_ONCE, values)
            mix(memberships[record], differences, start, stop, mixture)
            for offset in range(stop - start):
                mixture[offset] = abs(mixture[offset])
            length += sum_of(mixture[: stop - start], lanes)
        lengths[record] = length
    return lengths


@compiled_ratios
def mixture_beliefs(
    memberships: RealTable, counts: RealTable, shares: RealTable, odds: Reals, divided: bool
) -> tuple[Reals, Reals, Reals]:
    """Return each record's strongest belief, the entropy of its beliefs, and the largest share of its mixture.

    Beliefs are proportional to the evidence e: the mixture of ``counts`` (IN, sets by values) times ``odds`` (IN, by
    values), if ``divided`` then divided by the mixture of ``shares`` (IN), and 0 where the counts are 0.
    """
    records, values = memberships.shape[0], counts.shape[1]
    strongest, entropy, largest = np.zeros(records), np.zeros(records), np.zeros(records)
    count_mixture, share_mixture = np.empty(VALUES_AT_ONCE), np.empty(VALUES_AT_ONCE)
    for record in range(records):
        total, spread, largest_evidence, share = 0.0, 0.0, 0.0, 0.0
        for start in range(0, values, VALUES_AT_ONCE):
            stop = min(start + VALUES_AT_ONCE, values)
            mix(memberships[record], counts, start, stop, count_mixture)
            mix(memberships[record], shares, start, stop, share_mixture)
            for offset in range(stop - start):
                share = max(share, share_mixture[offset])
                evidence = count_mixture[offset] * odds[start + offset]
                if evidence > 0.0:
                    if divided:
                        evidence /= share_mixture[offset]
                    total += evidence
                    spread += evidence * logarithm(evidence)
                    largest_evidence = max(largest_evidence, evidence)
        largest[record] = share
        if total > 0.0:
            strongest[record] = largest_evidence / total
            # with beliefs b = e/T: -sum b ln b = ln T - (sum e ln e)/T
            entropy[record] = max(logarithm(total) - spread / total, 0.0)
    return strongest, entropy, largest
