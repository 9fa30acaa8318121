from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError
from sfumato.fuzzy import fg_count, fuzzy_cardinality, nonfuzzy_cardinality, possibility_at_least, sigma_count

# eighths are exact as floating numbers
eighths = st.lists(st.integers(0, 8).map(lambda n: Fraction(n, 8)), max_size=7)


def ordered(memberships):
    """mu_(0), mu_(1), ..., mu_(n), mu_(n+1)."""
    return [Fraction(1), *sorted(memberships, reverse=True), Fraction(0)]


def possibility_of(memberships, k):
    """QADM14 (1), taken literally."""
    mu = ordered(memberships)
    return min(mu[k], 1 - mu[k + 1])


def printed_nonfuzzy(memberships):
    """QADM14 (2), taken literally."""
    mu, n = ordered(memberships), len(memberships)
    if not any(memberships):
        return 0
    j = max(s for s in range(1, n + 1) if mu[s - 1] + mu[s] > 1)
    return j if mu[j] >= Fraction(1, 2) else j - 1


def floats(memberships):
    return np.array([float(m) for m in memberships])


def test_the_closed_form_on_all_memberships():
    quarters = [Fraction(n, 4) for n in range(5)]
    for size in range(6):
        for memberships in itertools.combinations_with_replacement(quarters, size):
            assert nonfuzzy_cardinality(floats(memberships)) == printed_nonfuzzy(memberships)


@given(eighths)
def test_everything_against_the_definitions(memberships):
    grades, n = floats(memberships), len(memberships)
    exactly = [possibility_of(memberships, k) for k in range(n + 1)]
    assert fuzzy_cardinality(grades).tolist() == exactly
    assert possibility_at_least(grades).tolist() == [max(exactly[k:]) for k in range(n + 1)]
    assert possibility_at_least(grades, [n + 1, n + 7]).tolist() == [0, 0]
    assert fg_count(grades).tolist() == ordered(memberships)[:-1]
    assert nonfuzzy_cardinality(grades) == printed_nonfuzzy(memberships)
    assert sigma_count(grades) == sum(memberships)


@given(eighths)
def test_possibilities_descend_and_stay_below_the_fg_count(memberships):
    grades = floats(memberships)
    possible = possibility_at_least(grades)
    assert (np.diff(possible) <= 0).all()
    assert (possible <= fg_count(grades)).all()
    # zeros count for nothing
    assert possibility_at_least([*grades, 0.0])[: possible.size].tolist() == possible.tolist()


@given(eighths)
def test_at_half_the_possibility_reaches_as_many_as_belong_by_half(memberships):
    grades = floats(memberships)
    assert np.count_nonzero(possibility_at_least(grades)[1:] >= 0.5) == np.count_nonzero(grades >= 0.5)


@given(eighths, eighths)
def test_the_sigma_count_is_additive(one, other):
    assert sigma_count(floats([*one, *other])) == sigma_count(floats(one)) + sigma_count(floats(other))


@given(eighths, eighths)
def test_when_the_nonfuzzy_cardinality_is_additive(one, other):
    # ERRATA 002-8: unless both parts have a member at exactly 1/2
    together = nonfuzzy_cardinality(floats([*one, *other]))
    apart = nonfuzzy_cardinality(floats(one)) + nonfuzzy_cardinality(floats(other))
    half = Fraction(1, 2)
    assert (together == apart) == (not (half in one and half in other))


def test_anomalies():
    # ERRATA 002-8: not additive, and nobody at all
    assert nonfuzzy_cardinality([0.5, 0.5]) == 1
    assert nonfuzzy_cardinality([0.5]) + nonfuzzy_cardinality([0.5]) == 2
    assert nonfuzzy_cardinality([0.4, 0.4, 0.4]) == 0
    # ERRATA 002-9: one member is certain, and still at least one is possible only by 3/4
    assert possibility_at_least([1, 0.75]).tolist() == [0.75, 0.75, 0.75]
    assert fg_count([1, 0.75]).tolist() == [1, 1, 0.75]
    # so that who joins lowers the possibility, which the FG count never does
    assert possibility_at_least([1], 1) == 1
    # a thousand certain members and one faint one
    assert possibility_at_least([1] * 1000 + [0.4], 1) == 0.6


def test_rounding_does_not_decide():
    slope = (0.35 - 0.3) / (0.4 - 0.3)
    assert slope != 0.5
    assert nonfuzzy_cardinality([slope, slope]) == nonfuzzy_cardinality([1 - slope, 1 - slope]) == 1


def test_grades_beyond_1_by_rounding_are_put_back():
    assert sigma_count([1 + 1e-15, -1e-15]) == 1
    assert fuzzy_cardinality([1 + 1e-15]).tolist() == [0, 1]


def test_sets_side_by_side():
    grades = np.array([[0.25, 0.75], [0.5, 0.5], [1, 0]])
    assert sigma_count(grades).tolist() == [1.75, 1.25]
    assert nonfuzzy_cardinality(grades).tolist() == [2, 2]


def test_what_is_refused():
    with pytest.raises(SettingError, match="memberships must be between 0 and 1; outside: 2") as caught:
        sigma_count([0.5, 1.25, np.nan])
    assert "1.25" not in str(caught.value)
    with pytest.raises(SettingError, match="memberships of one set"):
        fuzzy_cardinality([[0.5]])
    with pytest.raises(SettingError, match="k is negative"):
        possibility_at_least([0.5], -1)
    with pytest.raises(SettingError, match=r"memberships have 3 dimensions"):
        sigma_count([[[0.5]]])
