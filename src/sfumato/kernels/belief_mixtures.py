"""Mixtures: rows of memberships times a table of sets by values, reduced as they are made.

The product itself, records by values, would be too large to keep; and few of a record's memberships differ from 0.
"""

from __future__ import annotations

import numpy as np

from sfumato.arrays import Reals
from sfumato.kernels.compiled import compiled_ratios, compiled_within
from sfumato.kernels.lane_sums import LANES, sum_of
from sfumato.kernels.signatures import RealTable
from sfumato.kernels.transcendental import logarithm

VALUES_AT_ONCE = 256


@compiled_within
def mix(memberships: Reals, table: Reals, left: int, right: int, mixture: Reals) -> None:
    """Put the mixture of the table's rows, from the value ``left`` to ``right``, into ``mixture`` (OUT)."""
    for place in range(right - left):
        mixture[place] = 0.0
    for row in range(memberships.size):
        membership = memberships[row]
        if membership != 0.0:
            for place in range(right - left):
                mixture[place] += membership * table[row, left + place]


@compiled_ratios
def mixture_lengths(memberships: RealTable, differences: RealTable) -> Reals:
    """Sum, record by record, the absolute values of its mixture of the sets' differences."""
    values = differences.shape[1]
    lengths = np.zeros(memberships.shape[0])
    mixture, lanes = np.empty(VALUES_AT_ONCE), np.zeros(LANES)
    for record in range(memberships.shape[0]):
        length = 0.0
        for left in range(0, values, VALUES_AT_ONCE):
            right = min(left + VALUES_AT_ONCE, values)
            mix(memberships[record], differences, left, right, mixture)
            for place in range(right - left):
                mixture[place] = abs(mixture[place])
            length += sum_of(mixture[: right - left], lanes)
        lengths[record] = length
    return lengths


@compiled_ratios
def mixture_beliefs(
    memberships: RealTable, counts: RealTable, shares: RealTable, odds: Reals, divided: bool
) -> tuple[Reals, Reals, Reals]:
    """Return each record's strongest belief, the entropy of its beliefs, and the largest share of its mixture.

    Beliefs are proportional to the evidence e: the mixture of ``counts`` (IN, sets by values) times ``odds`` (IN, one a
    value), ``divided`` or not by the mixture of ``shares`` (IN), and 0 where the counts are.
    """
    records, values = memberships.shape[0], counts.shape[1]
    strongest, entropy, largest = np.zeros(records), np.zeros(records), np.zeros(records)
    found, mixture = np.empty(VALUES_AT_ONCE), np.empty(VALUES_AT_ONCE)
    for record in range(records):
        total, spread, most, share = 0.0, 0.0, 0.0, 0.0
        for left in range(0, values, VALUES_AT_ONCE):
            right = min(left + VALUES_AT_ONCE, values)
            mix(memberships[record], counts, left, right, found)
            mix(memberships[record], shares, left, right, mixture)
            for place in range(right - left):
                share = max(share, mixture[place])
                evidence = found[place] * odds[left + place]
                if evidence > 0.0:
                    if divided:
                        evidence /= mixture[place]
                    total += evidence
                    spread += evidence * logarithm(evidence)
                    most = max(most, evidence)
        largest[record] = share
        if total > 0.0:
            strongest[record] = most / total
            # with beliefs b = e/T: -sum b ln b = ln T - (sum e ln e)/T
            entropy[record] = max(logarithm(total) - spread / total, 0.0)
    return strongest, entropy, largest
