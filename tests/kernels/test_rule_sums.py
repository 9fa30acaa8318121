"""Sums by bits against plain numpy, rule by rule."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.attacks.membership_grades import make_grades
from sfumato.attacks.rule_data import paths_of, prepare_rule_data
from sfumato.kernels.bit_sets import count_bits, lowest_bit
from sfumato.kernels.frequent_rules import list_frequent
from sfumato.kernels.rule_sums import BLOCK, fill_greatest, mark_general
from tests.attacks.brute_force_rules import every_rule, products, small_file, small_rule_data, within

seeds = st.integers(0, 2**20)


def drawn(seed, sizes, count=50):
    return np.random.default_rng(seed).integers(0, np.array(sizes) + 1, (count, len(sizes)))


def check_sums(grades, vital, rules, alpha, **kwargs):
    rule_data = prepare_rule_data(grades, vital, alpha=alpha)
    expected = [products(grades, rule, alpha) for rule in rules]
    hits, false_alarms = rule_data.hits(rules, **kwargs), rule_data.false_alarms(rules, **kwargs)
    np.testing.assert_allclose(hits, [row[vital].sum() for row in expected], rtol=1e-12)
    np.testing.assert_allclose(false_alarms, [row[~vital].sum() for row in expected], rtol=1e-12)


@given(seeds, st.floats(0.05, 1.0))
@settings(max_examples=40)
def test_sums_are_those_of_plain_numpy(seed, alpha):
    grades, vital = small_file(seed, grades=np.random.default_rng(seed).random(9).round(2), records=200)
    check_sums(grades, vital, drawn(seed, grades.sizes), alpha)


@pytest.mark.parametrize("records", [1, 63, 64, 65])
@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_no_record_is_lost_or_counted_twice_where_blocks_and_words_end(blocks, records):
    total = blocks * BLOCK + records + 1
    grades, _ = small_file(3, records=total, sizes=(2, 1), grades=(0.5, 0.7, 1.0))
    vital = np.zeros(total, dtype=np.bool_)
    vital[total // 2] = True
    check_sums(grades, vital, every_rule((2, 1)), 0.5)


def test_more_codes_than_two_bytes_tell():
    rng = np.random.default_rng(0)
    table = rng.random((70_000, 2))
    grades = make_grades([np.arange(70_000, dtype=np.int32)], [table])
    assert grades.codes.dtype == np.uint32
    check_sums(grades, rng.random(70_000) < 0.1, every_rule((2,)), 0.5)


@given(seeds)
@settings(max_examples=20)
def test_sums_do_not_depend_on_threads_or_on_the_order_of_rules(seed):
    grades, vital = small_file(seed, records=3 * BLOCK, grades=(0.3, 0.6, 0.7, 0.9, 1.0))
    rule_data = prepare_rule_data(grades, vital)
    rules = drawn(seed, grades.sizes)
    alone, threaded = (rule_data.false_alarms(rules, threads=threads) for threads in (1, 5))
    assert alone.tolist() == threaded.tolist()
    order = np.random.default_rng(seed).permutation(len(rules))
    assert rule_data.false_alarms(rules[order]).tolist() == alone[order].tolist()


@given(seeds, st.booleans())
@settings(max_examples=20)
def test_sums_within_their_limits_are_exact_and_others_beyond_them(seed, by_rules):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.attacks.rule_data.RULES_PER_THREAD", 1 if by_rules else 10**9)
        grades, vital = small_file(seed, records=4 * BLOCK)
        rule_data = prepare_rule_data(grades, vital)
        rules = drawn(seed, grades.sizes)
        complete = rule_data.false_alarms(rules)
        limits = complete * np.random.default_rng(seed).choice([0.0, 0.3, 0.9, 1.0, 2.0], len(rules))
        sums = rule_data.false_alarms(rules, limits=limits)
    within_limits = complete <= limits
    assert sums[within_limits].tolist() == complete[within_limits].tolist()
    assert (sums[~within_limits] > limits[~within_limits]).all()
    assert (sums <= complete).all()


def test_a_rule_is_abandoned_after_the_block_in_which_it_exceeds_its_limit(monkeypatch):
    monkeypatch.setattr("sfumato.attacks.rule_data.RULES_PER_THREAD", 1)
    grades, vital = small_file(1, records=4 * BLOCK)
    rule_data = prepare_rule_data(grades, vital)
    unconditional = np.zeros((2, 4), dtype=np.int64)
    sums = rule_data.false_alarms(unconditional, limits=np.array([10.0, BLOCK + 10.0]))
    assert sums.tolist() == [BLOCK, 2 * BLOCK]


@given(seeds, st.sampled_from([0.0, 0.01, 0.05, 0.3]))
@settings(max_examples=40)
def test_frequent_rules_are_those_of_brute_force(seed, share):
    rule_data = small_rule_data(seed, records=60)
    floor = share * rule_data.n_vital
    roots = range(rule_data.conditions.variables.size)
    side = rule_data.vital
    listed = [list_frequent(side.codes, rule_data.conditions, root, 0.5, floor, 10**6) for root in roots]
    paths = np.concatenate(listed)
    rules = every_rule(rule_data.sizes)[1:]
    hits = rule_data.hits(rules)
    expected = paths_of(rules[(hits >= floor) & (hits > 0)], rule_data.sizes)[0]
    # ascending, so that rules that begin alike lie side by side
    assert paths.tolist() == sorted(expected.tolist())


def test_listing_ends_once_there_are_too_many():
    rule_data = small_rule_data(1, sizes=(3, 3, 3, 3))
    complete = list_frequent(rule_data.vital.codes, rule_data.conditions, 0, 0.5, 0.0, 10**6)
    assert len(complete) > 10
    assert len(list_frequent(rule_data.vital.codes, rule_data.conditions, 0, 0.5, 0.0, 10)) == 11


@given(seeds)
@settings(max_examples=30)
def test_the_greatest_product_of_any_rule(seed):
    grades, _ = small_file(seed, grades=np.random.default_rng(seed).random(9))
    rules = drawn(seed, grades.sizes, 7)
    greatest = np.empty(grades.records)
    fill_greatest(grades.codes, grades.conditions(0.4), *paths_of(rules, grades.sizes), 0.4, 0, greatest.size, greatest)
    assert greatest.tolist() == np.max([products(grades, rule, 0.4) for rule in rules], axis=0).tolist()


@given(seeds)
@settings(max_examples=30)
def test_general_rules_with_more_conditions_than_a_word_has_bits(seed):
    rng = np.random.default_rng(seed)
    rules = np.unique(rng.integers(0, 3, (40, 5)) * 35 * (rng.random((40, 5)) < 0.6), axis=0)
    rules = rules[np.argsort((rules > 0).sum(axis=1), kind="stable")]
    bits = np.zeros((len(rules), 6), dtype=np.uint64)
    for number, rule in enumerate(rules):
        for variable, gene in enumerate(rule):
            if gene:
                bit = 75 * variable + gene
                bits[number, bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
    general = np.empty(len(rules), dtype=np.bool_)
    mark_general(bits, general)
    for rule, is_general in zip(rules.tolist(), general, strict=True):
        assert is_general == (not any(within(narrower, rule) for narrower in rules.tolist() if narrower != rule))


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted_and_found(number):
    assert count_bits(np.uint64(number)) == number.bit_count()
    assert lowest_bit(np.uint64(number)) == (64 if number == 0 else (number & -number).bit_length() - 1)
