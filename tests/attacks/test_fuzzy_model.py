"""The fuzzy model: memberships, signals and reasons."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.attacks.exhaustive_search import search_exhaustively
from sfumato.attacks.fuzzy_model import FuzzyModel
from sfumato.attacks.membership_grades import grades_of
from sfumato.attacks.rule_data import prepare_rule_data
from sfumato.attacks.rule_measures import RuleMeasures, RuleThresholds
from sfumato.errors import SettingError
from sfumato.fuzzy.variables import LinguisticVariable
from sfumato.groups import Group
from sfumato.microfile.microfile import Microfile
from tests.attacks.brute_force_rules import products

AGE = LinguisticVariable(
    attribute="age",
    values={"young": {"shape": "falling", "corners": (20, 40)}, "old": {"shape": "rising", "corners": (20, 40)}},
)
PLACES = Group(vital={"member": [1]}, parameter="place")
HOURS = LinguisticVariable(attribute="hours", values={"long": {"shape": "rising", "corners": (40, 50)}})
FRAME = pl.DataFrame({"age": [20, 25, 40, 38, None], "hours": [50, 49, 50, 30, 50], "place": ["b", "a", "b", "b", "a"]})


def model(genes=((1, 1), (2, 1)), **kwargs):
    count = len(genes)
    measures = RuleMeasures(np.arange(1.0, count + 1), np.ones(count), 10, 90)
    return FuzzyModel((AGE, HOURS), np.array(genes).reshape(-1, 2), measures, **kwargs)


def test_membership_is_the_highest_degree_of_all_rules():
    # 0.75 0.9 of the first rule; 0.25 0.9 of the second is cut off
    assert model().memberships(FRAME) == pytest.approx([1.0, 0.675, 1.0, 0.0, 0.0])
    assert model(alpha=0.7).memberships(FRAME).tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]
    assert model(((0, 1),)).memberships(FRAME) == pytest.approx([1.0, 0.9, 1.0, 0.0, 1.0])


@given(st.integers(0, 2**20), st.floats(0.05, 1))
@settings(max_examples=30)
def test_memberships_are_those_of_plain_numpy(seed, alpha):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame({"age": rng.integers(15, 45, 80), "hours": rng.integers(35, 55, 80)})
    genes = rng.integers(0, [3, 2], (4, 2))
    memberships = model(genes, alpha=alpha).memberships(frame, threads=3)
    grades = grades_of(Microfile(frame), (AGE, HOURS))
    assert memberships.tolist() == np.max([products(grades, rule, alpha) for rule in genes], axis=0).tolist()


def test_signals_sum_up_memberships_and_members_by_place():
    # at least alpha, not more: ERRATA 004-21
    signal = model(group=PLACES).signal(FRAME)
    assert signal.quantity.labels == signal.crisp.labels == ("a", "b")
    assert signal.quantity.values == pytest.approx([0.675, 2.0])
    assert signal.crisp.values.tolist() == [1, 2]
    assert signal.regions is None


def test_records_without_a_place_do_not_count():
    lost = FRAME.with_columns(place=pl.Series(["b", None, None, "b", "a"]))
    signal = model(group=PLACES).signal(lost)
    assert signal.quantity.values.tolist() == [0.0, 1.0]


def test_a_model_without_a_group_has_no_places():
    with pytest.raises(SettingError, match="without a group has no places"):
        model().signal(FRAME)


def test_outliers_are_found_region_by_region_without_known_places():
    rng = np.random.default_rng(0)
    counts = {"e1": 3, "e2": 4, "e3": 50, "e4": 6, "e5": 5, "w1": 100, "w2": 90, "w3": 95, "w4": 400, "w5": 105}
    places = np.repeat(list(counts), list(counts.values()))
    frame = pl.DataFrame({"age": 20, "hours": 50, "place": places}).sample(fraction=1.0, shuffle=True, seed=1)
    frame = frame.with_columns(region=pl.col("place").str.head(1), noise=pl.Series(rng.random(len(frame))))
    of_regions = model(group=PLACES).signal(frame, region="region")
    assert of_regions.outliers() == ("e3", "w4")
    assert of_regions.outliers(known=["w4"]) == ("e3",)
    assert model(group=PLACES).signal(frame).outliers() == ("w4",)
    with pytest.raises(SettingError, match="places have several regions"):
        model(group=PLACES).signal(frame, region="noise")
    with pytest.raises(SettingError, match="unknown column 'state'"):
        model(group=PLACES).signal(frame, region="state")


def test_without_rules_nobody_belongs():
    assert model(()).memberships(FRAME).tolist() == [0.0] * 5
    assert model(()).rules == ()


def test_rules_have_their_measures():
    first = model(says="soldiers").rules[0]
    assert str(first) == first.words == "if age is young and hours is long then soldiers"
    assert (first.support, first.confidence_ratio) == (0.1, 1.0)
    assert first.discriminative_factor == pytest.approx(0.1 - 0.02)


def test_reasons_are_the_rules_that_hold_the_most_convincing_first():
    reasons = model(((1, 1), (1, 0), (2, 1))).explain(FRAME, 1)
    assert [reason.rule.genes for reason in reasons] == [(1, 0), (1, 1)]
    assert reasons[1].membership == pytest.approx(0.675)
    assert reasons[1].grades == pytest.approx({"age is young": 0.75, "hours is long": 0.9})
    assert model().explain(FRAME, 3) == ()


@pytest.mark.parametrize("record", [-1, 5])
def test_an_index_out_of_range_is_refused(record):
    with pytest.raises(SettingError, match=f"{record} is not the index of a record"):
        model().explain(FRAME, record)


def test_invalid_models_are_refused():
    with pytest.raises(SettingError, match="alpha must be above 0"):
        model(alpha=0)
    with pytest.raises(SettingError, match="a gene is 0 or the number"):
        model(((1, 2),))
    with pytest.raises(SettingError, match="must belong to the model's variables"):
        model().memberships_of(grades_of(Microfile(FRAME), (AGE,)))


def test_rules_learned_on_one_file_find_the_group_in_another():
    def people(seed):
        rng = np.random.default_rng(seed)
        vital = rng.random(3000) < 0.1
        ages = np.where(vital, rng.integers(18, 26, 3000), rng.integers(18, 60, 3000))
        hours = np.where(vital, rng.integers(47, 60, 3000), rng.integers(20, 55, 3000))
        places = np.where(vital & (rng.random(3000) < 0.5), 7, rng.integers(0, 10, 3000))
        return pl.DataFrame({"age": ages, "hours": hours, "place": places}), vital

    frame, vital = people(1)
    memberships = search_exhaustively(
        prepare_rule_data(grades_of(Microfile(frame), (AGE, HOURS)), vital), thresholds=RuleThresholds()
    )
    learned = FuzzyModel((AGE, HOURS), memberships.genes, memberships.measures, group=PLACES)
    signal = learned.signal(people(2)[0])
    assert signal.outliers() == ("7",)
    assert signal.quantity.values[7] > 2 * np.sort(signal.quantity.values)[-2]
