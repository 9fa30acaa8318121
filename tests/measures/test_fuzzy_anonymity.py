from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from sfumato.errors import SettingError
from sfumato.fuzzy import fuzzy_cardinality, nonfuzzy_cardinality, possibility_at_least
from sfumato.measures import fuzzy_anonymity, q_anonymity
from tests.measures.fuzzy_example import AGE, CLASSES, CRISP, MEMBERSHIPS, PEOPLE, exact, partitions


def test_memberships_of_the_example():
    assert AGE.memberships(PEOPLE)[[0, 1, 2, 3, 4, 14]].tolist() == [
        [0, 0.75, 0.25],
        [0, 0.75, 0.25],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 0],
        [0.75, 0.25, 0],
    ]
    for grades, members in zip(MEMBERSHIPS.T, CLASSES, strict=True):
        assert {int(place) + 1: exact(grades[place]) for place in np.flatnonzero(grades)} == members


@pytest.mark.parametrize(
    ("place", "exactly", "at_least", "k"),
    [
        (0, ["0", "0", "0", "0", "1"], [1, 1, 1], 4),
        (1, ["0", "1/4", "3/4"], [0.75, 0.75, 0], 2),
        (2, ["1/4", "1/4", "3/4"], [0.75, 0.75, 0], 2),
        (3, ["0", "0", "0", "3/4", "1/4"], [0.75, 0.75, 0.75], 3),
        (4, ["0", "0", "3/4", "1/4", "1/4"], [0.75, 0.75, 0.25], 2),
        (5, ["0", "0", "1"], [1, 1, 0], 2),
    ],
)
def test_classes_of_the_example(place, exactly, at_least, k):
    grades = MEMBERSHIPS[:, place]
    members = grades[grades > 0]
    assert [exact(p) for p in fuzzy_cardinality(members)] == [Fraction(p) for p in exactly]
    assert possibility_at_least(grades, [1, 2, 3]).tolist() == at_least
    assert nonfuzzy_cardinality(grades) == k
    assert fuzzy_anonymity(MEMBERSHIPS).nonfuzzy.values[place] == k


def test_the_example():
    k = fuzzy_anonymity(MEMBERSHIPS)
    assert (k.nonfuzzy.worst, k.sigma.worst, k.crisp.worst) == (2, 1.5, 2)
    mean = q_anonymity(MEMBERSHIPS, operator="mean")
    assert [exact(mean.at(q)) for q in (1, 2, 3)] == [Fraction(5, 6), Fraction(5, 6), Fraction(1, 3)]
    least = q_anonymity(MEMBERSHIPS)
    assert [least.at(q) for q in (1, 2, 3)] == [0.75, 0.75, 0]
    assert (least.operator, least.crisp.worst) == ("min", 2)
    # Q = 2 at any level that tells 5/6 from 1/3: ERRATA 002-6
    assert {mean.reached(level) for level in (0.34, 0.5, 0.83)} == {2}
    assert (mean.reached(0.84), least.reached(0.5), least.reached(0.75), least.reached(0.76)) == (0, 2, 2, 0)
    assert q_anonymity(CRISP).reached(1) == fuzzy_anonymity(CRISP).crisp.worst == 2


def test_the_mean_hides_a_bad_set():
    # ERRATA 002-6: 99 sets of ten and one of a single record
    grades = np.zeros((991, 100))
    grades[np.arange(990), np.arange(990) % 99] = 1
    grades[990, 99] = 1
    assert q_anonymity(grades, operator="mean").at(10) == pytest.approx(0.99)
    assert q_anonymity(grades, operator="mean").reached(0.5) == 10
    assert q_anonymity(grades).reached(0.5) == 1


def test_one_faint_member_undoes_many_certain_ones_but_not_in_the_fg_count():
    grades = np.array([[1.0, 0.0]] * 100 + [[0.4, 0.6]] + [[0.0, 1.0]] * 100)
    assert q_anonymity(grades).reached(0.75) == 0
    assert q_anonymity(grades, possibility="fg").reached(0.75) == 100
    assert q_anonymity(grades, possibility="fg").at(0) == 1


@given(partitions())
def test_against_the_definition(partition):
    grades, _ = partition
    sets = [column for column in grades.T if column.any()]
    each = np.array([possibility_at_least(column) for column in sets])
    for operator, joined in (("min", each.min(axis=0)), ("mean", each.mean(axis=0))):
        found = q_anonymity(grades, operator=operator)
        assert np.allclose([found.at(q) for q in range(grades.shape[0] + 2)], [*joined, 0])
        assert (np.diff(found.possibilities) <= 1e-12).all()
    # at 1/2 the minimum counts the members of at least 1/2 of the smallest set
    assert q_anonymity(grades).reached(0.5) == min(np.count_nonzero(column >= 0.5) for column in sets)


@given(partitions(crisp_only=True))
def test_crisp_memberships_give_crisp_measures(partition):
    grades, _ = partition
    k = fuzzy_anonymity(grades)
    assert k.nonfuzzy.values.tolist() == k.sigma.values.tolist() == k.crisp.values.tolist()
    assert k.nonfuzzy.violations(3) == k.crisp.violations(3)
    assert q_anonymity(grades).reached(1) == k.crisp.worst


def test_sets_without_members_are_no_classes():
    k = fuzzy_anonymity([[1, 0], [1, 0]])
    assert k.nonfuzzy.values.tolist() == [2]
    assert q_anonymity([[1, 0], [1, 0]]).reached(1) == 2


def test_what_is_refused():
    with pytest.raises(
        SettingError, match=r"records whose memberships do not sum to 1: 1; the largest difference is 0\.1"
    ):
        fuzzy_anonymity([[0.5, 0.6], [1, 0]])
    with pytest.raises(SettingError, match=r"the level must be above 0 and at most 1 \(given: 0\)"):
        q_anonymity([[1.0]]).reached(0)
    with pytest.raises(SettingError, match=r"Q must not be negative \(given: -1\)"):
        q_anonymity([[1.0]]).at(-1)
