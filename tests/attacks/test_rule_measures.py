"""RuleMeasures of rules: the worked example, TC16's Table 5, and which rules are enough."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.soldiers import VARIABLES
from sfumato.attacks.membership_grades import make_grades
from sfumato.attacks.rule_data import prepare_rule_data
from sfumato.attacks.rule_measures import RuleMeasures, RuleThresholds, measure_rules, most_general, rule_words
from sfumato.errors import SettingError
from tests.attacks.brute_force_rules import every_rule, products, small_file, small_rule_data, within

# the worked example: grades of six records in two values, the first three vital
TOY = np.array([[1, 0.8], [0.9, 0.9], [0.7, 0.7], [1, 1], [0.6, 0.5], [1, 0.5]])

# TC16, Table 5: discriminative factor, confidence ratio and support of each rule, three digits each
TABLE_5 = [
    ([1, 0, 0, 0, 0, 0, 2, 3, 1, 1, 0, 2], 0.032, 0.755, 0.032),
    ([1, 0, 0, 0, 3, 0, 0, 3, 1, 0, 0, 0], 0.031, 0.787, 0.031),
    ([1, 0, 0, 0, 3, 1, 0, 3, 0, 0, 2, 1], 0.012, 0.801, 0.012),
    ([1, 0, 0, 1, 0, 1, 0, 3, 1, 1, 1, 2], 0.010, 0.781, 0.010),
    ([1, 0, 0, 1, 3, 0, 0, 3, 0, 0, 2, 1], 0.012, 0.851, 0.012),
    ([1, 0, 1, 0, 0, 0, 0, 3, 1, 1, 0, 2], 0.034, 0.840, 0.034),
    ([1, 0, 1, 0, 0, 0, 2, 3, 1, 1, 2, 0], 0.025, 0.765, 0.025),
    ([1, 0, 1, 0, 3, 0, 2, 3, 2, 0, 0, 1], 0.018, 0.931, 0.018),
    ([1, 0, 1, 0, 3, 1, 0, 3, 2, 0, 0, 1], 0.017, 0.915, 0.018),
    ([1, 0, 1, 1, 0, 0, 0, 3, 1, 1, 2, 0], 0.025, 0.754, 0.026),
    ([1, 0, 1, 1, 0, 0, 2, 3, 1, 0, 0, 2], 0.032, 0.751, 0.032),
    ([1, 1, 0, 0, 3, 0, 2, 3, 2, 1, 0, 1], 0.018, 0.951, 0.018),
    ([1, 1, 0, 0, 3, 1, 0, 3, 2, 0, 0, 1], 0.019, 0.767, 0.019),
    ([1, 1, 1, 0, 3, 0, 0, 3, 2, 0, 2, 1], 0.009, 1.876, 0.009),
    ([1, 1, 1, 0, 3, 0, 0, 3, 2, 1, 1, 1], 0.008, 0.761, 0.009),
    ([1, 1, 1, 0, 3, 0, 2, 3, 0, 1, 2, 1], 0.010, 1.325, 0.010),
    ([1, 1, 1, 0, 3, 0, 2, 3, 2, 1, 2, 0], 0.026, 0.767, 0.026),
    ([1, 2, 1, 0, 0, 0, 0, 3, 1, 0, 0, 2], 0.002, 0.914, 0.002),
]
RECORDS, VITAL = 3_205_478, 14_263


def toy():
    rows = np.arange(6, dtype=np.int32)
    grades = make_grades([rows, rows], [TOY[:, :1], TOY[:, 1:]])
    return grades, np.array([True, True, True, False, False, False])


def test_the_worked_example():
    grades, vital = toy()
    assert products(grades, [1, 1], 0.5) == pytest.approx([0.8, 0.81, 0.0, 1.0, 0.0, 0.5])
    measures = measure_rules(prepare_rule_data(grades, vital, alpha=0.5), np.array([[1, 1]]))
    assert measures.supports == pytest.approx([0.5366666666666667], abs=1e-12)
    assert measures.coverages == pytest.approx([0.5183333333333334], abs=1e-12)
    assert measures.discriminative_factors == pytest.approx([0.018333333333333313], abs=1e-12)
    assert measures.confidence_ratios == pytest.approx([1.0733333333333335], abs=1e-12)


@given(st.floats(1, VITAL), st.floats(1, RECORDS - VITAL))
def test_the_factor_follows_from_ratio_and_support(hits, false_alarms):
    measures = RuleMeasures(np.array([hits]), np.array([false_alarms]), VITAL, RECORDS - VITAL)
    # ERRATA 004-17
    factor = measures.supports * (1 - VITAL / RECORDS * (1 + 1 / measures.confidence_ratios))
    assert measures.discriminative_factors == pytest.approx(factor, abs=1e-12)


@pytest.mark.parametrize(("factor", "ratio", "support"), [row[1:] for row in TABLE_5])
def test_table_5_is_what_the_measures_make_of_its_supports_and_ratios(factor, ratio, support):
    # what is printed with three digits may be less or more by half a unit of the last
    supports = support + np.array([-0.0005, 0.0005])
    hits = supports * VITAL
    measures = RuleMeasures(hits, hits / ratio, VITAL, RECORDS - VITAL)
    smallest, greatest = measures.discriminative_factors
    assert smallest - 0.0005 <= factor <= greatest + 0.0005
    assert measures.confidence_ratios == pytest.approx([ratio, ratio])
    assert RuleThresholds().satisfied_by(measures[np.array([1])]).all()


def test_no_rule_of_table_5_is_a_more_specific_version_of_another():
    genes = np.array([row[0] for row in TABLE_5])
    sizes = np.array([len(variable.names) for variable in VARIABLES])
    assert np.prod(sizes + 1) == 4_478_976
    assert most_general(genes, sizes).all()
    specific = genes[1:2].copy()
    specific[0, 1] = 1
    assert most_general(np.concatenate([specific, genes]), sizes).tolist() == [False] + [True] * len(genes)


def test_ratios_of_rules_without_false_alarms_or_hits():
    measures = RuleMeasures(np.array([2.0, 0.0, 2.0]), np.array([0.0, 0.0, 3.0]), 4, 10)
    assert measures.confidence_ratios.tolist() == [np.inf, 0.0, 2 / 3]
    assert measures.smoothed_ratios().tolist() == [2.0, 0.0, 0.5]
    assert measures.smoothed_ratios(3.0).tolist() == pytest.approx([2 / 3, 0.0, 1 / 3])
    assert measures.confidences.tolist() == pytest.approx([1.0, 0.0, 0.4])
    assert RuleThresholds(min_support=0, min_confidence_ratio=0).satisfied_by(measures).tolist() == [True, False, True]


def test_a_rule_about_everybody_is_never_valid():
    rule_data = small_rule_data(1)
    everybody = measure_rules(rule_data, np.zeros((1, 4), dtype=np.int64))
    assert everybody.supports.tolist() == everybody.coverages.tolist() == [1.0]
    assert not RuleThresholds(min_confidence_ratio=0, min_support=0).satisfied_by(everybody).any()


@given(st.integers(0, 2**20))
@settings(max_examples=30)
def test_pruning_loses_nothing(seed):
    grades, _ = small_file(seed, grades=np.random.default_rng(seed).random(9))
    rules = every_rule(grades.sizes)
    rng = np.random.default_rng(seed)
    rules = rules[rng.permutation(len(rules))[: int(rng.integers(1, 40))]]
    general = most_general(rules, grades.sizes)
    expected = np.max([products(grades, rule, 0.3) for rule in rules], axis=0)
    assert np.max([products(grades, rule, 0.3) for rule in rules[general]], axis=0).tolist() == expected.tolist()
    for rule in rules[~general]:
        assert any(within(general_rule, rule) for general_rule in rules[general])


def test_rules_are_written_in_words():
    rule = rule_words(TABLE_5[1][0], VARIABLES, group="military")
    assert rule == "if age is young and hours is high and transport is walked and departure is night then military"


@pytest.mark.parametrize("genes", [[[0, 2]], [[-1, 0]]])
def test_genes_out_of_range_are_refused(genes):
    rule_data = prepare_rule_data(*toy())
    with pytest.raises(SettingError, match="a gene is 0 or the number of one of the variable's values"):
        measure_rules(rule_data, np.array(genes))


def test_rules_about_other_variables_are_refused():
    with pytest.raises(SettingError, match="one gene for each of the 2 variables"):
        measure_rules(prepare_rule_data(*toy()), np.array([[1, 1, 1]]))


@pytest.mark.parametrize(("name", "value"), [("min_support", 1.5), ("min_support", -0.1), ("min_confidence_ratio", -1)])
def test_thresholds_out_of_range_are_refused(name, value):
    with pytest.raises(SettingError, match=name):
        RuleThresholds(**{name: value})
