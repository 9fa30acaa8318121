"""Posterior belief: what an observer who knows more than the release makes of it (QADM14 Definition 3)."""

from __future__ import annotations

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.measures.block_measure import BlockMeasure
from sfumato.measures.contingency import Contingency


def posterior(counts: Reals, prior: Reals, released: Reals) -> Reals:
    """Return the belief in each sensitive value.

    Parameters
    ----------
    counts
        n(q*, s): how often each value occurs in the released block.
    prior
        f(s | q): what the observer believes about a person with the exact values q.
    released
        f(s | q*): the same of a person with the released values q*.

    Examples
    --------
    >>> posterior(np.array([3.0, 1.0]), np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.5]
    """
    # [n f(s|q) / f(s|q*)] / sum over s' of the same; printed without the inner quotients, see ERRATA 002-11
    with np.errstate(divide="ignore", invalid="ignore"):
        evidence = np.where(counts > 0, counts * prior / released, 0.0)
    total = evidence.sum(axis=-1, keepdims=True)
    belief: Reals = np.divide(evidence, total, out=np.zeros_like(evidence), where=total > 0)
    return belief


def check_prior(prior: Reals, values: int) -> None:
    """Refuse what is not one share per value."""
    if prior.shape != (values,) or prior.min() < 0 or not np.isclose(prior.sum(), 1):
        raise SettingError(f"the prior must be {values} shares that sum to 1, one for each value of the attribute")


def belief(contingency: Contingency, prior: Reals) -> BlockMeasure:
    """Return each block's strongest posterior belief of an observer with a prior of their own.

    Parameters
    ----------
    contingency
        The counts n(q*, s).
    prior
        f(s | q) of the person sought: one share per value, in the order of the values. The observer takes
        the table's shares for f(s | q*), so that a prior equal to them gives the shares in the block,
        which is :func:`~sfumato.measures.anonymity.predominance`.
    """
    check_prior(prior, contingency.overall.size)
    # posterior() entry by entry: what a block lacks has n = 0
    evidence = contingency.counts * (prior / contingency.table_shares)[contingency.codes]
    total = contingency.sums(evidence)
    strongest = contingency.largest(evidence)
    values = np.divide(strongest, total, out=np.zeros_like(total), where=total > 0)
    return BlockMeasure("posterior belief", values, contingency.sizes, safer="lower")
