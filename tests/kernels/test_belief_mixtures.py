from __future__ import annotations

import numpy as np
import pytest

from sfumato.kernels.belief_mixtures import VALUES_AT_ONCE, mixture_beliefs, mixture_lengths


@pytest.fixture(params=[1, 7, VALUES_AT_ONCE, 2 * VALUES_AT_ONCE + 3])
def tables(request):
    generator = np.random.default_rng(request.param)
    memberships = generator.dirichlet(np.ones(4), 9)
    memberships[:3] = np.eye(4)[:3]
    counts = generator.integers(0, 5, (4, request.param)).astype(float)
    counts[:, 0] += 1
    return memberships, counts, counts / counts.sum(axis=1, keepdims=True), generator.random(request.param)


def test_lengths(tables):
    memberships, counts, shares, _ = tables
    differences = shares - counts.sum(axis=0) / counts.sum()
    assert np.allclose(mixture_lengths(memberships, differences), np.abs(memberships @ differences).sum(axis=1))
    assert mixture_lengths(memberships, differences[:, :0]).tolist() == [0] * 9


@pytest.mark.parametrize("divided", [False, True])
def test_beliefs(tables, divided):
    memberships, counts, shares, odds = tables
    evidence = memberships @ counts * odds
    if divided:
        evidence = np.divide(evidence, memberships @ shares, out=np.zeros_like(evidence), where=evidence > 0)
    beliefs = evidence / evidence.sum(axis=1, keepdims=True)
    logarithms = np.log(beliefs, out=np.zeros_like(beliefs), where=beliefs > 0)
    strongest, entropy, largest = mixture_beliefs(memberships, counts, shares, odds, divided)
    assert np.allclose(strongest, beliefs.max(axis=1))
    assert np.allclose(entropy, -(beliefs * logarithms).sum(axis=1))
    assert np.allclose(largest, (memberships @ shares).max(axis=1))


def test_no_evidence_is_no_belief(tables):
    memberships, counts, shares, odds = tables
    strongest, entropy, _ = mixture_beliefs(memberships, counts, shares, 0 * odds, True)
    assert not strongest.any()
    assert not entropy.any()
