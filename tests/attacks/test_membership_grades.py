"""Grades stored by codes, missing values, and refused input."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from benchmarks.soldiers import VARIABLES
from sfumato.attacks.membership_grades import grades_of, make_grades
from sfumato.attacks.rule_data import prepare_rule_data
from sfumato.attacks.rule_measures import measure_rules
from sfumato.errors import MicrofileError, SettingError
from sfumato.fuzzy.category_variables import CategoricalVariable
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.microfile.microfile import Microfile
from tests.attacks.brute_force_rules import small_file

AGE = LinguisticVariable(
    attribute="age",
    values={"young": {"shape": "falling", "corners": (20, 40)}, "old": {"shape": "rising", "corners": (20, 40)}},
)


def test_a_missing_value_has_no_grade_in_any_value():
    frame = pl.DataFrame({"age": [20, None, 99, 40, 25]})
    grades = grades_of(Microfile(frame, missing={"age": [99]}), [AGE])
    assert grades.of(0).tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.75, 0.25]]


def test_a_missing_value_counts_for_rules_that_do_not_ask_for_it():
    ages, sexes = np.array([0, -1, 0, -1], dtype=np.int32), np.zeros(4, dtype=np.int32)
    grades = make_grades([ages, sexes], [np.ones((1, 1)), np.ones((1, 1))])
    rule_data = prepare_rule_data(grades, np.array([True, True, False, False]))
    measures = measure_rules(rule_data, np.array([[1, 1], [0, 1], [0, 0]]))
    assert measures.hits.tolist() == [1.0, 2.0, 2.0]
    assert measures.false_alarms.tolist() == [1.0, 2.0, 2.0]


def test_missing_values_may_have_a_word_of_their_own():
    variable = LinguisticVariable(attribute="age", values=AGE.values, missing="unknown")
    grades = grades_of(Microfile(pl.DataFrame({"age": [20, None, 40]})), [variable])
    assert grades.of(0).tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]


def test_grades_are_those_of_the_variables():
    rng = np.random.default_rng(1)
    numbers = {variable.attribute: rng.integers(0, 120, 500) for variable in VARIABLES}
    grades = grades_of(Microfile(pl.DataFrame(numbers)), VARIABLES)
    for number, variable in enumerate(VARIABLES):
        assert grades.of(number).tolist() == variable.grades(numbers[variable.attribute]).tolist()
        # no two rows of a table are alike
        assert len(np.unique(grades.tables[number], axis=0)) == len(grades.tables[number])
    assert grades.rules == 4_478_976


def test_dates_are_days():
    day = LinguisticVariable(attribute="day", values={"early": {"shape": "crisp", "stop": 10}})
    frame = pl.DataFrame({"day": [date(1970, 1, 5), date(1970, 2, 1)]})
    assert grades_of(Microfile(frame), [day]).of(0).ravel().tolist() == [1.0, 0.0]


def test_some_records_keep_their_grades():
    grades, vital = small_file(3)
    assert grades.take(vital).of(1).tolist() == grades.of(1)[vital].tolist()


def test_categories_have_grades_in_words_of_their_own():
    sex = CategoricalVariable(attribute="sex", values={"male": "m"}, rest="other")
    grades = grades_of(Microfile(pl.DataFrame({"age": [20, 40, 20], "sex": ["f", "m", None]})), [AGE, sex])
    assert grades.of(0).tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    assert grades.of(1).tolist() == [[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]]
    assert grades.names == ("age", "sex")


def test_an_unknown_attribute_is_named():
    with pytest.raises(SettingError, match="variables: unknown column 'age'\nHint: did you mean 'agep'"):
        grades_of(Microfile(pl.DataFrame({"agep": [1]})), [AGE])


def test_categories_have_no_shapes():
    with pytest.raises(MicrofileError, match="'age' is categorical, not numeric"):
        grades_of(Microfile(pl.DataFrame({"age": ["young", "old"]})), [AGE])


@pytest.mark.parametrize(
    ("codes", "table", "message"),
    [
        ([0, 1], [[0.5]], "'age' has codes without grades"),
        ([0, -2], [[0.5]], "'age' has codes without grades"),
        ([0, 0], [[1.5]], "grades of 'age' must be between 0 and 1"),
        ([0, 0], [[np.nan]], "grades of 'age' must be between 0 and 1"),
        ([0, 0], [[]], "'age' has no values"),
    ],
)
def test_codes_and_tables_that_do_not_go_together_are_refused(codes, table, message):
    with pytest.raises(SettingError, match=message):
        make_grades([np.array(codes, dtype=np.int32)], [np.array(table)], names=["age"])


def test_variables_about_different_records_are_refused():
    with pytest.raises(SettingError, match="same records"):
        make_grades([np.zeros(2, dtype=np.int32), np.zeros(3, dtype=np.int32)], [np.ones((1, 1))] * 2)
    with pytest.raises(SettingError, match="at least one"):
        make_grades([], [])


@pytest.mark.parametrize("alpha", [0.0, -0.5, 1.1, float("nan")])
def test_alpha_that_nothing_or_everything_reaches_is_refused(alpha):
    with pytest.raises(SettingError, match="alpha must be above 0 and at most 1"):
        prepare_rule_data(*small_file(1), alpha=alpha)


def test_a_file_without_vital_records_is_refused():
    grades, vital = small_file(1)
    with pytest.raises(SettingError, match="no vital records"):
        prepare_rule_data(grades, np.zeros_like(vital))
    with pytest.raises(SettingError, match="all records of the third-party file are vital"):
        prepare_rule_data(grades, np.ones_like(vital))
    with pytest.raises(SettingError, match="one flag per record"):
        prepare_rule_data(grades, vital[1:])


def test_a_variable_below_alpha_in_all_records_is_refused():
    codes = np.array([0, 1, 0, -1], dtype=np.int32)
    # the third code would be seen, but nobody has it
    tables = [np.ones((2, 1)), np.array([[0.4, 0.3], [0.1, 0.2], [1.0, 0.0]])]
    grades = make_grades([codes, codes], tables, names=["sex", "age"])
    vital = np.array([True, False, False, False])
    with pytest.raises(SettingError, match=r"no record has a grade of at least alpha = 0\.5 in a value of 'age'"):
        prepare_rule_data(grades, vital)
    assert prepare_rule_data(grades, vital, alpha=0.4).n_vital == 1
