"""beta-likeness and delta-disclosure: by what factor a block makes a sensitive value more likely."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Reals
from sfumato.kernels.elementary_functions import logarithms
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.contingency import Contingency


def _gains(contingency: Contingency) -> Reals:
    """Return the relative gain (p - w) / w of each entry."""
    table_shares = contingency.table_shares[contingency.codes]
    return (contingency.shares - table_shares) / table_shares


def basic_likeness(contingency: Contingency) -> BlockMeasure:
    """Return each block's largest relative gain of a value's share over the table's."""
    gains = np.maximum(_gains(contingency), 0.0)
    return BlockMeasure("beta", contingency.largest(gains), contingency.sizes, safer="lower")


def enhanced_likeness(contingency: Contingency) -> BlockMeasure:
    """Return the smallest beta for which each block is enhanced beta-like.

    Every gain must be at most min(beta, -ln w): a gain above -ln w, w being the value's share in the
    table, is too much whatever beta is, and makes the block's beta infinite.
    """
    gains = np.maximum(_gains(contingency), 0.0)
    bound = -logarithms(contingency.table_shares[contingency.codes])
    bearable = np.where(gains <= bound * (1 + 1e-12), gains, np.inf)
    return BlockMeasure("enhanced beta", contingency.largest(bearable), contingency.sizes, safer="lower")


def disclosure(contingency: Contingency) -> BlockMeasure:
    """Return each block's largest |ln(p / w)| over the values that it has.

    delta-disclosure privacy taken literally also forbids that a block lacks a value, which no block of
    fewer records than values can fulfil; see :func:`lacking`.
    """
    table_shares = contingency.table_shares[contingency.codes]
    change = np.abs(logarithms(contingency.shares / table_shares))
    return BlockMeasure("delta", contingency.largest(change), contingency.sizes, safer="lower", strict=True)


def lacking(contingency: Contingency) -> int:
    """Return how many blocks lack a value of the table: their delta is infinite, taken literally."""
    occurring = int((contingency.overall > 0).sum())
    return int((np.diff(contingency.starts) < occurring).sum())
