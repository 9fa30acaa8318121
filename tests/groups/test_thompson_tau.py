"""The modified Thompson tau technique, against worked examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError
from sfumato.groups.thompson_tau import outliers, quartiles, tau
from tests.groups.signals import FINAL, QUANTITY

ODD = [16, 14, 4, 29, 23, 1, 18, 26, 65, 67, 49]
FEW_PEOPLE = [0] * 30 + [1, 2, 3, 50]


@pytest.mark.parametrize(
    ("m", "alpha", "expected"),
    [
        (3, 0.05, 1.151140981981251),
        (3, 0.01, 1.1545580858394067),
        (5, 0.05, 1.5712213707239813),
        (5, 0.01, 1.7150373123433638),
        (10, 0.05, 1.7984100049505738),
        (10, 0.01, 2.176068394194221),
        (16, 0.05, 1.864908882972724),
        (16, 0.01, 2.334715239483187),
        (30, 0.05, 1.911405725546554),
        (30, 0.01, 2.450853493611071),
        (38, 0.05, 1.922005117657778),
        (38, 0.01, 2.4778425271842615),
        (61, 0.05, 1.9366378577503713),
        (61, 0.01, 2.5153806113299177),
    ],
)
def test_tau(m, alpha, expected):
    assert tau(m, alpha) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("signal", "alpha", "robust", "order", "steps"),
    [
        (QUANTITY, 0.01, False, (16, 11), [(16, 392.0, 1070.8267833781522, 2500.0756099997334),
                                           (15, 129.0, 206.93166573947613, 479.58488849386515),
                                           (14, 80.21428571428571, 87.56551707275975, 201.21512477644723)]),
        (QUANTITY, 0.05, False, (16, 11, 10, 13, 3, 12), [(16, 392.0, 1070.8267833781522, 1996.994380447025)]),
        (QUANTITY, 0.01, True, (16, 11, 10, 13, 3, 12), [(16, 65.5, 134.91475166790215, 314.9875267501409),
                                                         (15, 60.0, 95.62638991845812, 221.62374899090062),
                                                         (14, 46.5, 89.69607116382505, 206.11088422157746),
                                                         (13, 33.0, 48.183839881393624, 109.6142592396865),
                                                         (12, 26.0, 45.589325426241665, 102.47773154781571),
                                                         (11, 19.0, 38.5470719051149, 85.39965649618756),
                                                         (10, 17.5, 34.840622683469235, 75.81557785554365)]),
        (QUANTITY, 0.05, True, (16, 11, 10, 13, 3, 12), [(16, 65.5, 134.91475166790215, 251.60371882952987)]),
        (FINAL, 0.01, False, (), [(16, 392.0, 194.81307279885849, 454.8330499140425)]),
        (FINAL, 0.01, True, (), [(16, 342.0, 189.02891030392885, 441.32867758948316)]),
        (FINAL, 0.05, True, (13, 16, 1, 11, 12, 10, 2, 15, 14, 3, 4, 7),
         [(16, 342.0, 189.02891030392885, 352.52169396445123), (15, 341.0, 105.63380281690141, 196.25892475978912)]),
        (ODD, 0.05, True, (10, 9, 11), [(11, 23.0, 17.790956263899186, 32.29602371178462),
                                        (10, 20.5, 11.11934766493699, 19.997146089146483),
                                        (9, 18.0, 8.895478131949593, 15.807468770023641),
                                        (8, 17.0, 11.489992587101558, 20.096897912197402)]),
    ],
)  # fmt: skip  # rows of numbers, as printed
def test_worked_examples(signal, alpha, robust, order, steps):
    found = outliers(signal, alpha, robust)
    assert tuple(place + 1 for place in found.order) == order
    assert found.indices == tuple(sorted(found.order))
    assert len(found.steps) == len(order) + 1
    for step, expected in zip(found.steps, steps, strict=False):
        assert step == pytest.approx(expected, rel=1e-10)


def all_at_once(values, alpha) -> list[int]:
    """Remove everything that is too far at each look, which is another reading of the printed step 4."""
    left, gone = list(range(len(values))), []
    while len(left) > 2:
        step = outliers([values[place] for place in left], alpha).steps[0]
        far = [place for place in left if abs(values[place] - step.centre) > step.threshold]
        if not far:
            break
        gone += far
        left = [place for place in left if place not in far]
    return sorted(gone)


def test_all_at_once_would_find_more():
    # ERRATA 004-12
    assert [place + 1 for place in all_at_once(ODD, 0.05)] == [3, 6, 9, 10, 11]
    assert [place + 1 for place in outliers(ODD, 0.05).indices] == [9, 10, 11]


def test_two_values_are_left_alone():
    assert outliers([1, 100]).steps == ()
    assert outliers([5]).indices == ()
    # three values always leave two
    assert len(outliers([1, 2, 1000], 0.5)) <= 1


def test_values_that_coincide():
    # ERRATA 004-13: as printed, every other value is an outlier
    assert outliers(FEW_PEOPLE, floor=0.0).order == (33, 32, 31, 30)
    found = outliers(FEW_PEOPLE)
    assert found.indices == (33,)
    # the mean distance from the median, as a normal deviation, of all 34 values in both looks
    assert [step.spread for step in found.steps] == pytest.approx([np.sqrt(np.pi / 2) * 56 / 34] * 2)
    assert outliers([7] * 9).indices == ()
    assert outliers([0.1] * 9, robust=False).indices == ()


@pytest.mark.parametrize("peaks", [1, 2, 5])
def test_peaks_on_a_flat_signal_are_found(peaks):
    assert outliers([3] * 20 + [40] * peaks).indices == tuple(range(20, 20 + peaks))


def test_equals_go_in_order_and_the_higher_before_the_lower():
    assert outliers([0, 50, 51, 49, 50, 52, 48, 100], 0.01).order == (7, 0)
    assert outliers([90, 10, 11, 12, 10, 11, 12, 90], 0.05).order == (0, 7)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.sampled_from([0.01, 0.05, 0.3]), st.booleans())
def test_what_is_left_is_within_the_threshold(values, alpha, robust):
    found = outliers(values, alpha, robust)
    left = np.delete(np.array(values, dtype=float), found.indices)
    if left.size < 3:
        return
    step = found.steps[-1]
    assert step.m == left.size
    assert np.abs(left - step.centre).max() <= step.threshold * (1 + 1e-9) + 1e-9
    assert step.centre == pytest.approx(np.median(left) if robust else left.mean())
    # scale and shift do not matter
    assert outliers(np.array(values) * 3.0 + 7.0, alpha, robust).indices == found.indices


def test_quartiles_are_the_medians_of_halves_with_an_odd_middle_in_both():
    assert quartiles(np.arange(6.0)) == (1.0, 2.5, 4.0)
    assert quartiles(np.arange(7.0)) == (1.5, 3.0, 4.5)
    assert quartiles(np.array([4.0])) == (4.0, 4.0, 4.0)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan")])
def test_no_level(alpha):
    with pytest.raises(SettingError, match="alpha must be between 0 and 1"):
        outliers([1, 2, 3], alpha)
    with pytest.raises(SettingError, match="alpha must be between"):
        tau(5, alpha)


def test_bad_input():
    with pytest.raises(SettingError, match=r"must be finite; the value at index 1 \(from 0\)"):
        outliers([1.0, float("nan")])
    with pytest.raises(SettingError, match="one number per place"):
        outliers([[1.0], [2.0]])
    with pytest.raises(SettingError, match="at least 3 values"):
        tau(2, 0.01)
    with pytest.raises(SettingError, match="floor must be"):
        outliers([1, 2, 3], floor=-1.0)


@pytest.mark.parametrize("m", [3, 4, 16, 100])
def test_tau_of_a_tiny_level_is_its_limit(m: int) -> None:
    limit = (m - 1) / math.sqrt(m)
    assert tau(m, 5e-324) == pytest.approx(limit, rel=1e-5)
    assert tau(m, 1e-10) <= tau(m, 1e-300) <= limit * (1 + 1e-12)


@pytest.mark.parametrize("values", [["a", "b", "c"], [[1], [2, 3]], [10**400, 1, 2], {"a": 1}])
def test_what_are_no_numbers_is_refused(values) -> None:
    with pytest.raises(SettingError, match="one number per place"):
        outliers(values)
