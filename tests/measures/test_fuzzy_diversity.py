from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.errors import SettingError
from sfumato.measures import fuzzy_diversity, measure_fuzzy, posterior, tabulate_fuzzy
from tests.measures.fuzzy_example import MEMBERSHIPS, PEOPLE, partitions
from tests.measures.test_fuzzy_closeness import encoded

known = st.sampled_from([0, 1, 2])


def test_the_example():
    hours = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours", cardinality="nonfuzzy").attributes["hours"]
    assert hours.l.distinct.values.tolist() == [4, 2, 2, 3, 3, 2]
    assert hours.l.represented.values.tolist() == [4, 2, 2, 2, 2, 2]
    assert (hours.l.distinct.worst, hours.l.represented.worst, hours.l.crisp_distinct.worst) == (2, 2, 2)
    # person 1 by Definition 8: 3/4 (1, 0, 1, ...) + 1/4 (0, 1, 1, ...)
    assert hours.l.belief.values[0] == 1 / 2
    # person 3: 2 of 3 in the only set
    assert hours.l.belief.worst == pytest.approx(2 / 3)


def test_the_printed_posterior_does_not_sum_to_1():
    # ERRATA 002-11
    counts, prior, released = np.array([3.0, 1.0]), np.array([0.5, 0.5]), np.array([0.75, 0.25])
    assert (counts * prior / (counts * released).sum()).sum() == 0.8
    assert posterior(counts, prior, released).tolist() == [0.5, 0.5]


@given(partitions(sensitive=known), st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_beliefs_against_the_definitions(partition, odds):
    grades, values = partition
    distinct = sorted(set(values))
    prior = np.array([odds[v] for v in distinct]) / sum(odds[v] for v in distinct)
    counts = tabulate_fuzzy(grades, encoded(values))
    held = grades[:, grades.any(axis=0)]
    shared = [[column[np.array(values) == v].sum() for v in distinct] for column in held.T]
    found = fuzzy_diversity(counts, prior=prior, background="sets")
    for place, record in enumerate(held):
        n = [sum(record[i] * shared[i][s] for i in range(len(shared))) for s in range(len(distinct))]
        f = [sum(record[i] * shared[i][s] / sum(shared[i]) for i in range(len(shared))) for s in range(len(distinct))]
        evidence = [n[s] * prior[s] / f[s] if n[s] > 0 else 0 for s in range(len(distinct))]
        assert found.belief.values[place] == pytest.approx(max(evidence) / sum(evidence))


@given(partitions(sensitive=known))
def test_definition_9_takes_back_what_the_counts_tell(partition):
    grades, values = partition
    distinct = sorted(set(values))
    counts = tabulate_fuzzy(grades, encoded(values))
    prior = np.full(len(distinct), 1 / len(distinct))
    # n/f(s|q*) lies between the smallest and the largest set, so that beliefs hardly leave the prior
    sizes = counts.sigma_counts.sum(axis=1)
    strongest = fuzzy_diversity(counts, prior=prior, background="sets").belief.values
    present = counts.memberships @ counts.sigma_counts > 0
    bound = sizes.max() / sizes.min() / present.sum(axis=1)
    assert (strongest <= bound + 1e-12).all()


@given(partitions(crisp_only=True, sensitive=known), st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_crisp_memberships_give_crisp_measures(partition, odds):
    grades, values = partition
    distinct = sorted(set(values))
    prior = np.array([odds[v] for v in distinct]) / sum(odds[v] for v in distinct)
    counts = tabulate_fuzzy(grades, encoded(values))
    plain, informed = fuzzy_diversity(counts), fuzzy_diversity(counts, prior=prior)
    assert plain.distinct.values.tolist() == plain.represented.values.tolist() == plain.crisp_distinct.values.tolist()
    assert plain.entropy.worst == pytest.approx(plain.crisp_entropy.worst)
    assert plain.belief.worst == pytest.approx(plain.crisp_belief.worst)
    assert plain.alpha.worst == pytest.approx(plain.crisp_alpha.worst)
    assert informed.belief.worst == pytest.approx(informed.crisp_belief.worst)


def test_counts_lean_to_large_sets_where_mixtures_do_not():
    # half in a hundred of a, half in a single b: Definition 8 believes in a, Theorem 12 does not know
    grades = np.array([[1.0, 0.0]] * 100 + [[0.0, 1.0]] + [[0.5, 0.5]])
    counts = tabulate_fuzzy(grades, encoded([0] * 100 + [1] + [0]), cardinality="nonfuzzy")
    found = fuzzy_diversity(counts)
    assert found.belief.values[-1] > 0.98
    assert found.alpha.values[-1] == pytest.approx(0.75)


@given(partitions())
def test_beliefs_are_probabilities(partition):
    grades, values = partition
    counts = tabulate_fuzzy(grades, encoded(values), cardinality="nonfuzzy")
    found = fuzzy_diversity(counts)
    width = counts.counts.shape[1]
    assert ((found.belief.values >= 1 / width - 1e-12) & (found.belief.values <= 1 + 1e-12)).all()
    assert ((found.entropy.values >= 1 - 1e-12) & (found.entropy.values <= width + 1e-9)).all()
    # the strongest belief bounds the entropy from below
    assert (found.entropy.values >= 1 / found.belief.values - 1e-9).all()
    # a missing value is one more value
    assert width == len(set(values))


def test_what_is_refused():
    hours = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours").attributes["hours"]
    with pytest.raises(SettingError, match="the prior must be 7 shares that sum to 1"):
        hours.believed(np.array([0.5, 0.5]))
    with pytest.raises(SettingError, match="memberships of 15 records do not fit 2 records"):
        tabulate_fuzzy(MEMBERSHIPS, encoded([1, 2]))
