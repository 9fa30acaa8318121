"""Mean and deviation kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sfumato.errors import UnattainableError
from sfumato.groups.reshape.moments import reshape_by_moments, stretched
from sfumato.groups.reshaping_problem import Reshaping
from tests.groups.signals import QUANTITY


@pytest.mark.parametrize("robust", [True, False])
def test_the_quantity_signal(robust):
    task = Reshaping(QUANTITY, [15], robust=robust)
    found = reshape_by_moments(task)
    assert found.sum() == 6272
    assert found.std(ddof=1) == pytest.approx(1070.8267833781522, rel=0.001)
    assert task.flagged(found) == ()
    assert (found >= 0).all()


def test_the_formula_where_nothing_is_cut():
    counts = np.array([100, 104, 98, 103, 99, 101, 97, 130])
    task = Reshaping(counts, [7])
    changed = counts.astype(float)
    changed[7] = 100.0
    # ERRATA 003-11
    expected = (changed - changed.mean()) * counts.std(ddof=1) / changed.std(ddof=1) + counts.mean()
    assert (expected > 0).all()
    assert stretched(task, changed) == pytest.approx(expected, rel=1e-9)


def test_values_below_zero_are_cut_and_the_rest_stretched_further():
    task = Reshaping(QUANTITY, [15])
    changed = np.array(QUANTITY, dtype=float)
    changed[15] = 60.0
    formula = (changed - changed.mean()) * task.values.std(ddof=1) / changed.std(ddof=1) + 392.0
    assert formula.min() < 0
    found = stretched(task, changed)
    assert found.min() == 0.0
    assert found.mean() == pytest.approx(392.0)
    assert found.std(ddof=1) == pytest.approx(task.values.std(ddof=1))
    # order is kept
    assert (np.diff(found[np.argsort(changed)]) >= 0).all()


@settings(max_examples=20)
@given(st.lists(st.integers(0, 60), min_size=8, max_size=20), st.integers(100, 2000), st.booleans())
def test_invariants(counts, peak, robust):
    counts[0] = peak
    task = Reshaping(counts, [0], fixed=[1], robust=robust)
    try:
        found = reshape_by_moments(task)
    except UnattainableError:
        assume(False)
    assert found.sum() == sum(counts)
    assert (found >= 0).all()
    assert found[1] == counts[1]
    assert task.flagged(found) == ()


def test_what_cannot_be_done_says_so():
    with pytest.raises(UnattainableError, match="keeping mean and deviation"):
        reshape_by_moments(Reshaping(QUANTITY, [15], fixed=range(15)))
