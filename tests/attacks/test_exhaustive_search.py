"""The exact search against brute force over all rules."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.attacks.exhaustive_search import search_exhaustively
from sfumato.attacks.rule_data import prepare_rule_data
from sfumato.attacks.rule_measures import RuleThresholds, measure_rules
from sfumato.errors import SettingError
from sfumato.kernels.rule_sums import BLOCK
from tests.attacks.brute_force_rules import as_set, brute_force, every_rule, products, small_file, small_rule_data

SPACES = [(2, 3, 1, 2), (1, 1, 1, 1, 1), (4, 2), (3,), (2, 2, 2, 1)]


def thresholds_of(case):
    rng = np.random.default_rng(case)
    thresholds = {
        "min_support": rng.choice([0.0, 0.05, 0.2, 0.4]),
        "min_confidence_ratio": rng.choice([0.0, 0.2, 0.4, 1.0]),
    }
    return {name: float(value) for name, value in thresholds.items()}, float(rng.choice([0.25, 0.5, 0.7, 1.0]))


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_every_valid_rule_is_found_and_no_other(first):
    found_any = 0
    for case in range(first, first + 20):
        thresholds, alpha = thresholds_of(case)
        grades, vital = small_file(case, sizes=SPACES[case % len(SPACES)], records=40 + case)
        valid, general = brute_force(grades, vital, alpha=alpha, **thresholds)
        rules = search_exhaustively(
            prepare_rule_data(grades, vital, alpha=alpha), thresholds=RuleThresholds(**thresholds)
        )
        assert as_set(rules.valid) == valid
        assert as_set(rules.genes) == general
        assert len(rules.valid) == len(valid)
        assert len(rules.genes) == len(general)
        assert rules.n_possible == np.prod(grades.sizes + 1)
        found_any += len(general) > 1
    assert found_any >= 5


@pytest.mark.parametrize("case", [0, 1, 2, 3, 5])
def test_stopping_early_loses_no_valid_rule(case, monkeypatch):
    monkeypatch.setattr("sfumato.attacks.rule_data.RULES_PER_THREAD", 1)
    thresholds = {"min_support": 0.02, "min_confidence_ratio": (0.2, 0.3, 0.4)[case % 3]}
    grades, vital = small_file(case, records=4 * BLOCK)
    valid, general = brute_force(grades, vital, alpha=0.5, **thresholds)
    rules = search_exhaustively(prepare_rule_data(grades, vital), thresholds=RuleThresholds(**thresholds))
    assert as_set(rules.valid) == valid
    assert as_set(rules.genes) == general
    assert len(valid) > 1
    expected = [products(grades, rule, 0.5)[~vital].sum() for rule in rules.genes]
    assert rules.measures.false_alarms.tolist() == expected


def test_measures_are_those_of_the_rules_found():
    rule_data = small_rule_data(4, grades=(0.3, 0.6, 0.8, 0.9, 1.0))
    rules = search_exhaustively(rule_data, thresholds=RuleThresholds(min_confidence_ratio=0.5))
    again = measure_rules(rule_data, rules.genes)
    assert len(rules.genes) > 1
    assert rules.measures.hits.tolist() == again.hits.tolist()
    assert rules.measures.false_alarms.tolist() == again.false_alarms.tolist()
    assert (np.diff(rules.measures.hits) <= 0).all()


def test_as_many_rules_are_frequent_as_have_enough_support():
    rule_data = small_rule_data(4)
    hits = rule_data.hits(every_rule(rule_data.sizes))
    rules = search_exhaustively(rule_data, thresholds=RuleThresholds(min_support=0.1))
    assert rules.n_frequent == (hits / rule_data.n_vital >= 0.1).sum() < len(hits)


def test_the_result_does_not_depend_on_threads():
    rule_data = small_rule_data(5, records=500, sizes=(3, 3, 3, 3))
    alone, shared = (
        search_exhaustively(rule_data, thresholds=RuleThresholds(min_support=0.02), threads=threads)
        for threads in (1, 4)
    )
    assert alone.genes.tolist() == shared.genes.tolist()
    assert alone.measures.false_alarms.tolist() == shared.measures.false_alarms.tolist()
    assert alone.valid.tolist() == shared.valid.tolist()


def test_finding_no_valid_rule_is_not_an_error():
    rules = search_exhaustively(
        small_rule_data(4), thresholds=RuleThresholds(min_confidence_ratio=1e9, min_support=0.9)
    )
    assert rules.genes.shape == rules.valid.shape == (0, 4)


@pytest.mark.parametrize("limit", [3, 30])
def test_more_rules_than_can_be_held_are_refused(limit):
    with pytest.raises(SettingError, match=f"more than {limit} rules have a support of at least 0"):
        search_exhaustively(small_rule_data(4), thresholds=RuleThresholds(min_support=0), max_frequent=limit)
