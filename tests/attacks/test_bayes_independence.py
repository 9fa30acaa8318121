"""The Bayes test against published values, exact fractions and its symmetries."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.attacks import Evidence, evidence_of, log_bayes_factors

CENSUS_2000 = ((60, 38), (4, 785))
SURVEY_2013 = ((42, 39), (8, 564))
WEAK = ((12, 15), (24, 18))

small_counts = st.integers(0, 6)
small_tables = st.tuples(st.tuples(small_counts, small_counts), st.tuples(small_counts, small_counts))


def exact_factor(table, first, second):
    """Compute TC16 (21) as printed, in fractions."""
    (a, b), (c, d) = table
    r1, r2 = a + b, c + d
    total = sum(
        Fraction(
            math.comb(first, i) ** 2 * math.comb(second, j) ** 2,
            math.comb(first + second, i + j) * math.comb(r1 + first, a + i) * math.comb(r2 + second, c + j),
        )
        for i in range(first + 1)
        for j in range(second + 1)
    )
    factor = Fraction(r1 + r2 + 1, (r1 + first + 1) * (r2 + second + 1))
    return factor * Fraction((first + 1) * (second + 1), first + second + 1) * math.comb(r1 + r2, a + c) * total


def log_of(fraction):
    # numerator and denominator may be too large for a float where their ratio is not
    shift = fraction.numerator.bit_length() - fraction.denominator.bit_length()
    return math.log(fraction / Fraction(2) ** shift) + shift * math.log(2)


@pytest.mark.parametrize(
    ("table", "value", "imaginary"),
    [
        (CENSUS_2000, 98.04699819836617, (98, 789)),
        (SURVEY_2013, 55.06665076441992, (81, 572)),
        # ERRATA 004-5: weak evidence has its minimum on an edge, not in a corner
        (WEAK, -0.7048390159681617, (1, 42)),
        # ERRATA 004-6: with findings as rows it is another test
        (tuple(zip(*CENSUS_2000, strict=True)), 92.20928167985394, (64, 823)),
        (tuple(zip(*SURVEY_2013, strict=True)), 52.77059795256536, (50, 603)),
    ],
)
def test_published_evidence(table, value, imaginary):
    evidence = evidence_of(table)
    assert evidence.value == pytest.approx(value, rel=1e-12)
    assert evidence.imaginary == imaginary


@pytest.mark.parametrize(
    ("table", "sizes", "value"),
    [
        (CENSUS_2000, (0, 0), 136.0064935985573),
        (SURVEY_2013, (0, 0), 75.59807620620818),
        (CENSUS_2000, (3, 7), 135.3556490652303),
        (CENSUS_2000, (20, 100), 126.78165307332277),
        (WEAK, (1, 42), -0.704839015968183),
    ],
)
def test_single_factors(table, sizes, value):
    assert log_bayes_factors(table)[sizes] == pytest.approx(value, rel=1e-12)


@settings(max_examples=40)
@given(table=small_tables)
def test_all_factors_agree_with_exact_fractions(table):
    factors = log_bayes_factors(table)
    assert factors.shape == (sum(table[0]) + 1, sum(table[1]) + 1)
    exact = np.array([[log_of(exact_factor(table, *sizes)) for sizes in row] for row in _sizes(table)])
    np.testing.assert_allclose(factors, exact, rtol=1e-12, atol=1e-12)
    evidence = evidence_of(table)
    assert evidence.value == pytest.approx(exact.min(), abs=1e-12)
    assert exact[evidence.imaginary] == pytest.approx(exact.min(), abs=1e-12)


@settings(max_examples=20)
@given(table=st.tuples(*[st.tuples(st.integers(0, 40), st.integers(0, 40))] * 2), data=st.data())
def test_factors_of_larger_tables_agree_with_exact_fractions(table, data):
    sizes = tuple(data.draw(st.integers(0, sum(row))) for row in table)
    assert log_bayes_factors(table)[sizes] == pytest.approx(log_of(exact_factor(table, *sizes)), rel=1e-12, abs=1e-11)


@pytest.mark.parametrize("table", [((700, 0), (0, 1500)), ((20, 1300), (600, 10)), ((300, 900), (310, 890))])
def test_thousands_of_places_neither_overflow_nor_lose_precision(table):
    factors = log_bayes_factors(table)
    for sizes in [(0, 0), (1, 1), (1, 5), (5, 1), (3, 4)]:
        assert factors[sizes] == pytest.approx(log_of(exact_factor(table, *sizes)), rel=1e-12, abs=1e-10)
    edge = factors[1, -1], factors[-1, 1]
    assert edge[0] == pytest.approx(log_of(exact_factor(table, 1, sum(table[1]))), rel=1e-12, abs=1e-10)
    assert edge[1] == pytest.approx(log_of(exact_factor(table, sum(table[0]), 1)), rel=1e-12, abs=1e-10)
    assert evidence_of(table).value == factors.min()


@given(table=st.tuples(*[st.tuples(st.integers(0, 60), st.integers(0, 60))] * 2))
def test_symmetries_and_minimum_of_the_factors(table):
    factors = log_bayes_factors(table)
    evidence = evidence_of(table)
    shared = min(factors.shape)
    # ERRATA 004-5: an empty imaginary sample in one row makes that of the other irrelevant
    np.testing.assert_allclose(factors[0], factors[0, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(factors[:, 0], factors[0, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(factors[:shared, :shared], factors[:shared, :shared].T, rtol=0, atol=1e-11)
    assert evidence.value == pytest.approx(factors.min(), abs=1e-11)
    assert factors[evidence.imaginary] == pytest.approx(factors.min(), abs=1e-11)
    swapped = evidence_of((table[1], table[0]))
    complement = evidence_of(tuple(row[::-1] for row in table))
    assert swapped.value == pytest.approx(evidence.value, abs=1e-11)
    assert complement.value == pytest.approx(evidence.value, abs=1e-11)


def test_an_empty_row_gives_no_evidence():
    assert evidence_of(((0, 0), (3, 9))) == Evidence(pytest.approx(0.0, abs=1e-12), (0, 0))
    assert evidence_of(((3, 9), (0, 0))) == Evidence(pytest.approx(0.0, abs=1e-12), (0, 0))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (-0.1, "negative"),
        (0.0, "bare mention"),
        (0.9, "bare mention"),
        (1.0, "positive"),
        (2.9, "positive"),
        (3.0, "strong"),
        (4.9, "strong"),
        (5.0, "very strong"),
        (98.0, "very strong"),
    ],
)
def test_verbal_categories(value, words):
    assert Evidence(value, (0, 0)).words == words
    assert str(Evidence(value, (0, 0))) == f"{value:.3f} ({words})"


def _sizes(table):
    return [[(first, second) for second in range(sum(table[1]) + 1)] for first in range(sum(table[0]) + 1)]
