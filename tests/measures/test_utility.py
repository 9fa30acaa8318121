from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.datasets import health_survey
from sfumato.errors import MicrofileError, SfumatoError
from sfumato.measures import information_loss

ORIGINAL = sf.Microfile(
    pl.DataFrame({"age": [20, 30, 40, 60], "pay": [1.0, 2.0, 4.0, 8.0], "job": list("abcc"), "w": [1.0, 1.0, 2.0, 4.0]})
)


def test_nothing_is_lost_where_nothing_changed():
    lost = sf.utility_of(ORIGINAL, ORIGINAL, quasi=["age", "pay", "job"])
    assert lost.penalty == 0
    assert lost.suppressed == 0
    assert lost.discernibility == 4
    assert all(change.difference == 0 for change in {**lost.means, **lost.variances, **lost.correlations}.values())


def test_intervals_sets_and_suppression_cost():
    table = sf.Microfile(
        pl.DataFrame({"age.lo": [20, 20, 40], "age.hi": [40, 40, 60], "job": ["ab", "ab", "c"], "pay": [1.0, 2.0, 4.0]})
    )
    forms = {"age": sf.Interval(), "job": sf.Sets(members={"ab": ("a", "b"), "c": ("c",)})}
    lost = sf.utility_of(ORIGINAL, table, quasi=["age", "job"], forms=forms)
    assert lost.penalties["age"] == pytest.approx(0.75 * 0.5 + 0.25)
    assert lost.penalties["job"] == pytest.approx(0.75 * (2 / 3 + 2 / 3 + 0) / 3 + 0.25)
    assert lost.penalty == pytest.approx(np.mean(list(lost.penalties.values())))
    assert lost.suppressed == 1
    assert lost.discernibility == 2**2 + 1 + 4
    assert lost.average_block == 1.5
    assert (lost.means["age"].before, lost.means["age"].after) == (37.5, pytest.approx(110 / 3))


def test_statistics_are_weighted():
    lost = sf.utility_of(ORIGINAL, ORIGINAL, quasi=["age", "pay"], weight="w")
    weights = np.array([1, 1, 2, 4.0])
    age, pay = np.array([20, 30, 40, 60.0]), np.array([1, 2, 4, 8.0])
    covariance = np.cov(age, pay, aweights=weights, bias=True)
    assert lost.means["age"].before == pytest.approx(np.average(age, weights=weights))
    assert lost.variances["pay"].before == pytest.approx(covariance[1, 1])
    assert lost.correlations["age", "pay"].before == pytest.approx(
        covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1])
    )


def test_missing_values_lose_nothing_new_and_keep_correlations_in_bounds():
    gaps = sf.Microfile(
        pl.DataFrame({"x": [5.0, None, 1.0, 2.0, None], "y": [7.0, 3.0, 0.0, 0.0, 3.0], "w": [1.0, 2.0, 0.5, 1.0, 1.0]})
    )
    lost = sf.utility_of(gaps, gaps, quasi=["x", "y"], weight="w")
    assert lost.penalty == 0
    assert -1 <= lost.correlations["x", "y"].before <= 1
    worse = sf.Microfile(pl.DataFrame({"x": [5.0, None, None, 2.0, None], "y": [7.0, 3.0, 0.0, 0.0, 3.0]}))
    assert sf.utility_of(gaps, worse, quasi=["x", "y"]).penalties == {"x": 0.2, "y": 0.0}


def test_a_set_never_costs_more_than_everything():
    table = sf.Microfile(pl.DataFrame({"job": ["all"] * 4}))
    forms = {"job": sf.Sets(members={"all": tuple("abcdefg")})}
    assert sf.utility_of(ORIGINAL, table, quasi=["job"], forms=forms).penalty == 1


def test_a_release_has_no_more_records_than_its_original():
    with pytest.raises(MicrofileError, match="the original only 2"):
        sf.utility_of(ORIGINAL.filter([True, True, False, False]), ORIGINAL, quasi=["age"])


def plain_loss(values, told):
    """Information loss of one attribute, record by record."""
    known = [(value, tell) for value, tell in zip(values, told, strict=True) if value is not None]
    mean = sum(value for value, _ in known) / len(known)
    missed = sum((value - (mean if tell is None else tell)) ** 2 for value, tell in known)
    return missed / sum((value - mean) ** 2 for value, _ in known)


def test_information_loss_of_intervals_is_that_of_their_middles():
    table = pl.DataFrame({"age.lo": [20, 20, 40, 40], "age.hi": [33, 33, 60, 60], "pay": [1.0, 2.0, 4.0, 8.0]})
    lost = information_loss(ORIGINAL, table, quasi=["age", "pay"], forms={"age": sf.Interval()})
    assert lost.attributes["age"] == pytest.approx(plain_loss([20, 30, 40, 60], [26.5, 26.5, 50, 50]))
    assert lost.attributes["pay"] == 0
    assert lost.mean == pytest.approx(lost.attributes["age"] / 2)


@pytest.mark.parametrize("shown", ["words", "grades"])
@pytest.mark.parametrize("method", ["k-means", "fuzzy-c-means", "gustafson-kessel"])
def test_information_loss_of_fuzzy_sets_is_that_of_their_weighted_centres(shown, method):
    people = health_survey(300)
    release = sf.FuzzyPartition(quasi=["age", "hours"], method=method, shown=shown, k=1, force=True).protect(people)
    entry = release.codebook.attributes["age+hours"].form
    forms = {name: its.form for name, its in release.codebook.attributes.items()}
    lost = information_loss(people, release.microfile, quasi=["age", "hours"], forms=forms)
    words, centres = list(entry.sets), entry.definition["centres"]
    for place, name in enumerate(["age", "hours"]):
        told = []
        for row in release.microfile.select([*entry.columns("age+hours")]).frame.iter_rows(named=True):
            if shown == "words":
                its = row["age+hours"].split(" / ") if row["age+hours"] else []
                grades = {word: 1 / len(its) for word in its}
            else:
                grades = {word: row[f"age+hours.{word}"] for word in words}
                grades = {} if None in grades.values() else grades
            told.append(sum(g * centres[words.index(w)][place] for w, g in grades.items()) if grades else None)
        values = people.series(name).to_list()
        assert lost.attributes[name] == pytest.approx(plain_loss(values, told))
    assert 0 < lost.mean < 1.5


def test_information_loss_of_shapes_is_that_of_the_middles_of_what_is_full():
    shapes = {
        "low": {"shape": "falling", "corners": [20, 30]},
        "middle": {"shape": "trapezoidal", "corners": [20, 30, 40, 50]},
        "high": {"shape": "rising", "corners": [40, 50]},
    }
    partition = sf.FuzzyPartition(quasi=["age"], method="sets", sets={"age": shapes}, k=1, force=True)
    release = partition.protect(ORIGINAL)
    form = release.codebook.attributes["age"].form
    lost = information_loss(ORIGINAL, release.microfile, quasi=["age"], forms={"age": form})
    assert lost.mean == pytest.approx(plain_loss([20, 30, 40, 60], [20, 35, 35, 50]))
    crisp = {"low": {"shape": "crisp", "stop": 30}, "middle": {"shape": "crisp", "start": 30, "stop": 50}}
    crisp["high"] = {"shape": "crisp", "start": 50}
    release = sf.FuzzyPartition(quasi=["age"], method="sets", sets={"age": crisp}, k=1, force=True).protect(ORIGINAL)
    form = release.codebook.attributes["age"].form
    lost = information_loss(ORIGINAL, release.microfile, quasi=["age"], forms={"age": form})
    assert lost.mean == pytest.approx(plain_loss([20, 30, 40, 60], [30, 40, 40, 50]))


def test_what_was_missing_is_skipped_and_what_is_withheld_counts_as_the_mean():
    people = pl.DataFrame({"x": [1.0, 2.0, 6.0, None]})
    table = pl.DataFrame({"x.lo": [1.0, None, 5.0, 9.0], "x.hi": [2.0, None, 7.0, 9.0]})
    lost = information_loss(people, table, quasi=["x"], forms={"x": sf.Interval()})
    assert lost.mean == pytest.approx(plain_loss([1.0, 2.0, 6.0, None], [1.5, None, 6.0, 9.0]))
    gone = pl.DataFrame({"x.lo": [None] * 4, "x.hi": [None] * 4}, schema={"x.lo": pl.Float64, "x.hi": pl.Float64})
    gone = sf.Microfile(gone, kinds={"x.lo": "numeric", "x.hi": "numeric"})
    assert information_loss(people, gone, quasi=["x"], forms={"x": sf.Interval()}).mean == 1


def test_an_attribute_without_spread_loses_nothing():
    people = pl.DataFrame({"x": [3, 3]})
    table = pl.DataFrame({"x.lo": [2, 2], "x.hi": [3, 3]})
    assert information_loss(people, table, quasi=["x"], forms={"x": sf.Interval()}).mean == 0


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e3)), min_size=2, max_size=30))
def test_moving_and_stretching_an_attribute_changes_no_loss(records):
    values, widths = np.array(records).T
    if np.ptp(values) < 1:
        values = values + np.arange(values.size)

    def loss(move, stretch):
        people = pl.DataFrame({"x": values * stretch + move})
        table = pl.DataFrame({"x.lo": values * stretch + move, "x.hi": (values + widths) * stretch + move})
        return information_loss(people, table, quasi=["x"], forms={"x": sf.Interval()}).mean

    assert loss(100.0, 4.0) == pytest.approx(loss(0.0, 1.0), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(
    ("table", "quasi", "message"),
    [
        (ORIGINAL.filter([True, True, True, False]), ["age"], "3 records, the original 4"),
        (ORIGINAL.select(["pay"]), ["age"], "does not contain 'age'"),
        (ORIGINAL, ["job"], "'job' is categorical, not numeric"),
        (ORIGINAL, [], "quasi is empty"),
    ],
)
def test_information_loss_refuses(table, quasi, message):
    with pytest.raises(SfumatoError, match=message):
        information_loss(ORIGINAL, table, quasi=quasi)
