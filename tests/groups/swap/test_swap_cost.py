"""The influential metric, against the worked examples."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.array_types import Reals
from sfumato.groups.swap.swap_cost import Influence, relative_difference


def _influence(records: Reals, ordinal: list[int], nominal: list[int]) -> Influence:
    codes = records[nominal].astype(np.int32)
    kept = np.zeros(records.shape[1], dtype=np.int32)
    return Influence(records[ordinal], np.ones(len(ordinal)), codes, np.ones(len(nominal)), kept)


def test_worked_examples() -> None:
    records = np.array([[30, 0, 1, 2], [10, 0, 1, 3]], dtype=float).T
    assert _influence(records, [0, 1], [2, 3]).between(np.array([0]), np.array([1])) == pytest.approx([1.25])
    # printed so that identical records are the farthest: see ERRATA 004-7
    records = np.array([[1, 2, 3], [1, 2, 3]], dtype=float).T
    assert _influence(records, [], [0, 1, 2]).between(np.array([0]), np.array([1])) == pytest.approx([0.0])


def test_missing_values_differ_from_all_others_but_missing_ones() -> None:
    ones, others = np.array([np.nan, np.nan, 3.0, 0.0]), np.array([np.nan, 2.0, 3.0, 0.0])
    assert relative_difference(ones, others).tolist() == [0.0, 1.0, 0.0, 0.0]


def test_mixed_signs_are_bounded() -> None:
    rng = np.random.default_rng(0)
    ones, others = rng.normal(size=1000), rng.normal(size=1000)
    assert (np.abs(relative_difference(ones, others)) <= 1.0).all()


def test_records_that_must_stay_apart_cost_infinitely_much() -> None:
    kept = np.array([0, 1, 0], dtype=np.int32)
    influence = Influence(np.zeros((1, 3)), np.ones(1), np.zeros((0, 3), dtype=np.int32), np.ones(0), kept)
    assert influence.between(np.array([0, 0]), np.array([1, 2])).tolist() == [np.inf, 0.0]
