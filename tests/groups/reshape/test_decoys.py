"""Decoys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.reshape.decoys import reshape_by_decoy
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import outliers
from tests.groups.signals import QUANTITY


def test_a_chosen_place_takes_over():
    task = Reshaping(QUANTITY, [15])
    found = reshape_by_decoy(task, decoys=[3])
    assert found.argmax() == 3
    assert 3 in outliers(found)
    assert task.flagged(found) == ()
    changed = np.flatnonzero(found != task.counts)
    assert changed.tolist() == [3, 15]
    assert found.sum() == 6272


def test_a_low_place_is_raised_at_the_decoy_s_cost():
    counts = [50, 52, 49, 51, 0, 50, 53, 48, 51]
    found = reshape_by_decoy(Reshaping(counts, [4]), decoys=[1])
    assert found.tolist() == [50, 2, 49, 51, 50, 50, 53, 48, 51]


def test_several_decoys_share_and_full_ones_pass_on():
    capacities = np.full(16, 6272)
    capacities[3] = 100
    found = reshape_by_decoy(Reshaping(QUANTITY, [15], capacities=capacities), decoys=[3, 5])
    assert found[3] == 100
    assert found[5] > 3000
    assert found.sum() == 6272


def test_chance_chooses_differently():
    task = Reshaping(QUANTITY, [15])
    chosen = {int(reshape_by_decoy(task, rng=np.random.default_rng(seed)).argmax()) for seed in range(20)}
    assert len(chosen) > 3
    # places that stand out already are no decoys
    assert not chosen & set(outliers(QUANTITY).indices)
    same = (reshape_by_decoy(task, rng=np.random.default_rng(1)) for _ in range(2))
    assert np.array_equal(*same)


@given(st.lists(st.integers(0, 60), min_size=8, max_size=20), st.integers(100, 2000), st.integers(0, 99), st.booleans())
def test_invariants(counts, peak, seed, robust):
    counts[0] = peak
    task = Reshaping(counts, [0, 2], fixed=[1], robust=robust)
    try:
        found = reshape_by_decoy(task, rng=np.random.default_rng(seed))
    except UnattainableError:
        assume(False)
    assert found.sum() == sum(counts)
    assert (found >= 0).all()
    assert found[1] == counts[1]
    assert task.flagged(found) == ()


def test_bad_input():
    task = Reshaping(QUANTITY, [15], fixed=[0], labels=tuple("abcdefghijklmnop"))
    with pytest.raises(SettingError, match="drawn at random"):
        reshape_by_decoy(task)
    with pytest.raises(SettingError, match="'a' is hidden or fixed and cannot be a decoy"):
        reshape_by_decoy(task, decoys=[0])
    with pytest.raises(SettingError, match="place 16 does not exist"):
        reshape_by_decoy(task, decoys=[16])
    with pytest.raises(UnattainableError, match=r"place 15 \(from 0\) cannot be hidden by decoys"):
        reshape_by_decoy(Reshaping(QUANTITY, [15], capacities=QUANTITY), decoys=[3])
