"""One way in; concentrations and differences; bad input."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.errors import SettingError
from sfumato.groups.reshape.methods import reshape
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.thompson_tau import outliers
from tests.groups.signals import QUANTITY

WAYS = ["least", "wavelet", "moments", "decoy"]
SIZES = np.array([4750, 6000, 4636, 7889, 6500, 6583, 3500, 4714, 16000, 7714, 14000, 7941, 8033, 4667, 15000, 33883])
OTHERS = np.array([3, 2, 9, 1, 4, 6, 2, 8, 5, 7, 1, 3, 2, 6, 4, 5]) / 1000


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("kind", ["quantity", "concentration", "difference"])
@pytest.mark.parametrize("robust", [True, False])
def test_every_way_hides_every_kind(how, kind, robust):
    sizes = None if kind == "quantity" else SIZES
    subordinate = OTHERS if kind == "difference" else None
    task = Reshaping(QUANTITY, [15], fixed=[8], robust=robust, sizes=sizes, subordinate=subordinate)
    signal = np.array(QUANTITY) / (1.0 if sizes is None else sizes) - (OTHERS if kind == "difference" else 0.0)
    assert 15 in outliers(signal, robust=robust)
    counts = reshape(how, task, rng=np.random.default_rng(3))
    assert counts.dtype == np.int64
    assert counts.sum() == 6272
    assert counts[8] == 16
    assert (counts >= 0).all()
    assert (counts <= task.greatest).all()
    again = counts / (1.0 if sizes is None else sizes) - (OTHERS if kind == "difference" else 0.0)
    assert 15 not in outliers(again, robust=robust)


@pytest.mark.parametrize("robust", [True, False])
def test_hides_says_the_same_as_flagged(robust):
    rng = np.random.default_rng(4)
    seen = set()
    for _ in range(300):
        # few different counts, so that many are equal
        counts = np.sort(rng.choice([0, 1, 2, 3, 40, 41], size=rng.integers(5, 30)))
        task = Reshaping(counts, rng.choice(counts.size, size=2, replace=False).tolist(), robust=robust, alpha=0.05)
        tried = rng.permutation(counts)
        assert task.hides(tried) == (task.flagged(tried) == ())
        seen.add(task.hides(tried))
    assert seen == {True, False}


def test_the_nearest_is_nearest():
    task = Reshaping(QUANTITY, [15])
    moved = {how: task.moved(reshape(how, task, rng=np.random.default_rng(0))) for how in WAYS}
    assert min(moved, key=moved.__getitem__) == "least"


def test_an_equal_of_an_outlier_is_no_cover():
    task = Reshaping([3, 3, 4, 3, 4, 3, 90, 90], [7])
    assert task.flagged(task.counts) == (7,)


def test_bad_input():
    with pytest.raises(SettingError, match="reshape must be least, wavelet, moments or decoy"):
        reshape("best", Reshaping(QUANTITY, [15]))
    for wrong, message in [
        ({"hidden": [16]}, "place 16 does not exist; places are 0 to 15"),
        ({"hidden": []}, "name at least one place to hide"),
        ({"hidden": [3], "fixed": [3]}, "both hidden and fixed"),
        ({"hidden": [3], "alpha": 1.0}, "alpha must be between"),
        ({"hidden": [3], "capacities": [5] * 16}, "more people are at place 0"),
        (
            {"hidden": [3], "capacities": [5] * 3},
            r"capacities must have one number per place \(given: 3 for 16 places\)",
        ),
        ({"hidden": [3], "sizes": [0] * 16}, "people of the universe at every place"),
        ({"hidden": [3], "subordinate": [0.1] * 16}, "needs the universe's sizes"),
        ({"hidden": [3], "labels": ("a",)}, "need as many labels"),
    ]:
        with pytest.raises(SettingError, match=message):
            Reshaping(QUANTITY, **wrong)
    with pytest.raises(SettingError, match="non-negative integers"):
        Reshaping([1.5, 2, 3], [0])
    with pytest.raises(SettingError, match="at least 3 places"):
        Reshaping([1, 2], [0])
