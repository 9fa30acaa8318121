"""Adequacy: TC16's published counts, the definitions of the measures, and refused input."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.attacks import Adequacy

# TC16 tables 6 and 7: true outliers, undisclosed ones and false ones, over all states
CENSUS_2000 = Adequacy(60, 38, 4, 785)
SURVEY_2013 = Adequacy(42, 39, 8, 564)


def shifted(outliers, missed, false):
    """Return true and found outliers with the given numbers of missed and false ones."""
    return range(outliers), range(missed, outliers + false)


@pytest.mark.parametrize(
    ("outliers", "missed", "false", "n", "expected"),
    [(98, 38, 4, 887, CENSUS_2000), (81, 39, 8, 653, SURVEY_2013)],
)
def test_published_counts(outliers, missed, false, n, expected):
    assert sf.adequacy(*shifted(outliers, missed, false), n) == expected
    assert expected.places == n


def test_published_measures_under_their_correct_names():
    assert CENSUS_2000.accuracy == pytest.approx(0.9526493799323562)
    assert CENSUS_2000.youden == pytest.approx(0.607175189467422)
    assert CENSUS_2000.markedness == pytest.approx(0.8913274605103281)
    assert CENSUS_2000.bayes.value == pytest.approx(98.04699819836617, rel=1e-12)
    assert (round(CENSUS_2000.sensitivity, 2), round(CENSUS_2000.specificity, 3)) == (0.61, 0.995)
    # ERRATA 004-3: printed as 0.930
    assert SURVEY_2013.accuracy == pytest.approx(0.9280245022970903)
    assert SURVEY_2013.youden == pytest.approx(0.5045325045325044)
    assert SURVEY_2013.markedness == pytest.approx(0.7753233830845772)
    assert SURVEY_2013.bayes.value == pytest.approx(55.06665076441992, rel=1e-12)
    assert SURVEY_2013.bayes.words == "very strong"


classifications = st.integers(1, 60).flatmap(
    lambda n: st.tuples(st.sets(st.integers(0, n - 1)), st.sets(st.integers(0, n - 1)), st.just(n))
)


@given(classified=classifications)
def test_measures_follow_their_definitions(classified):
    true, detected, n = classified
    judged = sf.adequacy(true, detected, n)
    is_true, is_found = (np.isin(np.arange(n), list(outliers)) for outliers in (true, detected))
    assert judged.true_positives == (is_true & is_found).sum()
    assert judged.false_negatives == (is_true & ~is_found).sum()
    assert judged.false_positives == (~is_true & is_found).sum()
    assert judged.true_negatives == (~is_true & ~is_found).sum()
    assert judged.accuracy == pytest.approx((is_true == is_found).mean())
    assert judged.sensitivity == pytest.approx(is_found[is_true].mean() if true else 1.0)
    assert judged.specificity == pytest.approx((~is_found[~is_true]).mean() if len(true) < n else 1.0)
    if 0 < len(true) < n and 0 < len(detected) < n:
        correlation = np.corrcoef(is_true, is_found)[0, 1]
        assert judged.youden * judged.markedness == pytest.approx(correlation**2, abs=1e-12)
    exchanged = sf.adequacy(detected, true, n)
    assert (exchanged.youden, exchanged.markedness) == pytest.approx((judged.markedness, judged.youden))


@pytest.mark.parametrize(
    ("true", "detected", "expected"),
    [
        # accuracy, sensitivity, specificity, Youden's J, markedness
        ([], [], (1.0, 1.0, 1.0, 0.0, 0.0)),
        ([], [1], (0.75, 1.0, 0.75, 0.0, 0.0)),
        ([1], [], (0.75, 0.0, 1.0, 0.0, 0.0)),
        (range(4), range(4), (1.0, 1.0, 1.0, 0.0, 0.0)),
        (range(4), [], (0.0, 0.0, 1.0, 0.0, 0.0)),
        ([2], [2], (1.0, 1.0, 1.0, 1.0, 1.0)),
    ],
)
def test_measures_are_defined_for_empty_rows_and_columns(true, detected, expected):
    judged = sf.adequacy(true, detected, 4)
    measures = (judged.accuracy, judged.sensitivity, judged.specificity, judged.youden, judged.markedness)
    assert measures == expected
    assert np.isfinite(judged.bayes.value)


@pytest.mark.parametrize(
    "convert",
    [
        tuple,
        set,
        np.array,
        lambda indices: np.array(indices, dtype=np.uint8),
        pl.Series,
        lambda indices: indices + indices,
    ],
)
def test_any_collection_of_indices_is_accepted(convert):
    assert sf.adequacy(convert([1, 2]), convert([2, 3]), np.int64(5)) == Adequacy(1, 1, 1, 2)


@pytest.mark.parametrize(
    ("true", "detected", "n", "message"),
    [
        ([1], [1], 0, r"n must be a whole number of at least 1 \(given: 0\)"),
        ([1], [1], 5.0, "n must be a whole number"),
        ([1], [1], True, "n must be a whole number"),
        ([5], [1], 5, "true_outliers contains 5, which is not one of the 5 places"),
        ([1], [-1], 5, "contains -1, which is not one of the 5 places\nHint: give indices of places from 0 to 4"),
        ([1.0], [1], 5, "true_outliers contains a float"),
        ([1], ["b"], 5, "found_outliers contains a str"),
        ([1], [True, False], 5, "found_outliers contains a bool"),
        ([1], np.array([True, False]), 5, "found_outliers contains a bool"),
        ([1], [None], 5, "found_outliers contains a NoneType"),
        (3, [1], 5, "true_outliers must be a set or list of places"),
    ],
)
def test_wrong_indices_are_refused(true, detected, n, message):
    with pytest.raises(sf.errors.SettingError, match=message):
        sf.adequacy(true, detected, n)
