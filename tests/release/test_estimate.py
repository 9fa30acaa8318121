from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import health_survey
from sfumato.errors import ReleaseError, SettingError


def release(table, **settings) -> sf.Release:
    return sf.Release(pl.DataFrame(table), promise=sf.Promise(quasi="group", k=1), **settings)


@pytest.fixture
def mixed() -> sf.Release:
    return release(
        {
            "group": ["a", "a", "b", "b", "b"],
            "age.lo": [20, 20, 40, None, 40],
            "age.hi": [39, 39, 59, None, 59],
            "hours": [10, 20, None, 40, 35],
            "school": ["low", "low", "high", "high", "high"],
            "weight": [1.0, 2.0, 1.0, 1.0, None],
        },
        forms={
            "age": sf.Interval(),
            "school": sf.Sets(members={"low": ("1", "2"), "high": ("3", "4", "5.5")}, numeric=True),
        },
    )


def test_boxed_and_exact_attributes_mix(mixed):
    found = mixed.estimate("cov(age, hours)")
    assert found.records == 3
    assert found.left_out == 2
    assert found.guaranteed
    same = sf.statistics.range_of(
        "cov(age, hours)", {"age": [20, 20, 40], "hours": [10, 20, 35]}, {"age": [39, 39, 59], "hours": [10, 20, 35]}
    )
    assert (found.value, found.lower, found.upper) == (same.value, same.lower, same.upper)


def test_sets_of_numbers_are_intervals(mixed):
    assert mixed.estimate("mean(school)").attained == (pytest.approx(11 / 5), pytest.approx(20.5 / 5))


def test_an_exact_attribute_has_no_width(mixed):
    found = mixed.estimate("mean(hours)")
    assert found.lower == found.upper == found.value == 26.25
    assert (found.records, found.left_out) == (4, 1)


def test_weights_are_an_attribute(mixed):
    found = mixed.estimate("mean(hours)", weight="weight")
    assert found.value == pytest.approx((10 + 40 + 40) / 4)
    assert (found.records, found.left_out, found.weight) == (3, 2, "weight")


def test_what_cannot_be_estimated_is_said(mixed):
    with pytest.raises(SettingError, match="'group' is not numeric") as caught:
        mixed.estimate("mean(group)")
    assert "numeric attributes: age, hours, school, weight" in str(caught.value)
    with pytest.raises(SettingError, match="unknown attribute 'agee'"):
        mixed.estimate("mean(agee)")
    with pytest.raises(SettingError, match="weight: unknown attribute 'wieght'"):
        mixed.estimate("mean(age)", weight="wieght")
    with pytest.raises(SettingError, match="weight: 'age' is not released as exact numbers"):
        mixed.estimate("mean(hours)", weight="age")
    negative = release({"group": ["a", "b"], "x": [1, 2], "w": [1, -1]})
    with pytest.raises(SettingError, match="weights: negative in 1 record"):
        negative.estimate("mean(x)", weight="w")
    lonely = release({"group": ["a", "b"], "x": [1, None]})
    with pytest.raises(ReleaseError, match="'x': a statistic needs at least two records with a value, not 1"):
        lonely.estimate("mean(x)")
    empty = release({"group": ["a", "b"], "s": ["p", "q"]}, forms={"s": sf.Sets(members={"p": (), "q": ("1", "2")})})
    with pytest.raises(SettingError, match="'s' is not numeric"):
        empty.estimate("mean(s)")
    dates = release({"group": ["a", "b"], "day": pl.Series(["2020-01-01", "2021-01-01"]).str.to_date()})
    with pytest.raises(SettingError, match="'day' is not numeric"):
        dates.estimate("mean(day)")


def sorted_runs(**settings) -> sf.Release:
    """Release boxes of 10 records of a sorted normal attribute."""
    values = np.sort(np.random.default_rng(0).normal(size=500)).reshape(-1, 10)
    table = {"group": ["a"] * 500, "x.lo": np.repeat(values[:, 0], 10), "x.hi": np.repeat(values[:, -1], 10)}
    return release(table, forms={"x": sf.Interval()}, settings=settings)


def test_what_the_settings_say_about_rare_boxes_is_done(tmp_path):
    assert sorted_runs().estimate("var(x)").weighted is None
    assert sorted_runs(dismiss=None, calibrate=None).estimate("var(x)").weighted is None
    made = sorted_runs(dismiss="crisp", calibrate=False)
    made.write(tmp_path / "out")
    opened = sf.open_release(tmp_path / "out")
    for one in (made, opened):
        found = one.estimate("var(x)")
        assert (found.weighted.dismiss, found.weighted.calibrated) == ("crisp", False)
        assert found.weighted.value < 0.7 * found.value
        assert one.estimate("var(x)", dismiss="none").weighted is None
        calibrated = one.estimate("var(x)", dismiss="fuzzy", calibrate=True).weighted
        assert (calibrated.dismiss, calibrated.calibrated) == ("fuzzy", True)
        assert calibrated.value == pytest.approx(found.value, rel=1e-9)
        assert one.estimate("var(x)", calibrate=True).weighted.calibrated
    # calibration is the default
    assert sorted_runs().estimate("var(x)", dismiss="crisp").weighted.calibrated
    known = sf.statistics.range_of(
        "var(x)", {"x": made.table["x.lo"]}, {"x": made.table["x.hi"]}, dismiss="crisp", calibrate=False
    )
    assert made.estimate("var(x)").weighted == known.weighted


def test_wrong_wishes_and_wrong_settings_are_told_apart():
    with pytest.raises(SettingError, match="dismiss 'soft' is not known"):
        sorted_runs().estimate("var(x)", dismiss="soft")
    with pytest.raises(SettingError, match="calibrate = 1"):
        sorted_runs().estimate("var(x)", calibrate=1)
    wrong = sorted_runs(dismiss="soft")
    with pytest.raises(ReleaseError, match="the settings of the release: dismiss 'soft' is not known") as caught:
        wrong.estimate("var(x)")
    assert "choose one of: none, crisp, fuzzy" in str(caught.value)
    assert wrong.estimate("var(x)", dismiss="none").weighted is None


def test_settings_keep_no_statistic_from_being_told():
    table = {"group": ["a"] * 4, "x.lo": [-9, 0, 0, 4], "x.hi": [-1, 0, 0, 9], "y": [0, 0, 1, 2]}
    made = release(table, forms={"x": sf.Interval()}, settings={"dismiss": "crisp", "calibrate": False})
    found = made.estimate("corr(x, y)")
    assert found.lower <= found.value <= found.upper
    assert np.isnan(found.weighted.value)
    assert found.weighted.summary()["value"] is None
    assert str(found).endswith("crisp, not calibrated: undefined")
    with pytest.raises(SettingError, match="crisp weights leave too few boxes"):
        made.estimate("corr(x, y)", dismiss="crisp")


def test_missing_codes_of_intervals_stay_missing(tmp_path):
    table = pl.DataFrame({"group": ["a"] * 4, "age.lo": [1, 2, 999, 5], "age.hi": [1, 4, 999, 5]})
    coded = sf.Microfile(table, missing={"age.lo": [999], "age.hi": [999]})
    made = sf.Release(coded, promise=sf.Promise(quasi="group", k=1), forms={"age": sf.Interval()})
    made.write(tmp_path / "out")
    for one in (made, sf.open_release(tmp_path / "out")):
        found = one.estimate("mean(age)")
        assert (found.value, found.left_out) == (3.0, 1)
    differing = sf.Microfile(table, missing={"age.lo": [999]})
    half = sf.Release(differing, promise=sf.Promise(quasi="group", k=1), forms={"age": sf.Interval()})
    with pytest.raises(ReleaseError, match="'age': records with only one of two bounds"):
        half.estimate("mean(age)")


def test_an_open_end_is_no_missing_value():
    opened = release(
        {"group": ["a"] * 3, "age.lo": [20, 40, 65], "age.hi": [39, 64, None]}, forms={"age": sf.Interval()}
    )
    with pytest.raises(ReleaseError, match="'age': records with only one of two bounds"):
        opened.estimate("mean(age)")


def test_exchanged_ends_are_refused():
    wrong = release({"group": ["a"] * 2, "age.lo": [20, 40], "age.hi": [39, 30]}, forms={"age": sf.Interval()})
    with pytest.raises(SettingError, match="'age': lo is above hi in 1 record"):
        wrong.estimate("mean(age)")


def test_sensitivities_stand_at_their_records(mixed):
    found = mixed.sensitivities("var(hours)")["hours"]
    assert np.isnan(found).tolist() == [False, False, True, False, False]
    assert found[0] == pytest.approx(2 * abs(10 - 26.25))
    assert mixed.sensitivities("regress(hours ~ age)")["age"].shape == (2, 5)


def test_a_written_release_tells_the_truth_about_its_original(tmp_path):
    people = health_survey(4000, seed=3)
    age, hours = people.series("age"), people.series("hours")
    table = people.with_columns(
        {
            "age.lo": age // 10 * 10,
            "age.hi": age // 10 * 10 + 9,
            "hours.lo": hours // 8 * 8,
            "hours.hi": hours // 8 * 8 + 7,
        }
    ).select(["region", "sex", "age.lo", "age.hi", "hours.lo", "hours.hi", "income", "weight"])
    forms = {"age": sf.Interval(), "hours": sf.Interval()}
    sf.Release(table, promise=sf.Promise(quasi=["region", "sex"], k=5), forms=forms).write(tmp_path / "out")
    opened = sf.open_release(tmp_path / "out")
    truth = {name: people.numbers(name) for name in ("age", "hours", "income", "weight")}
    known = ~np.isnan(truth["age"] + truth["hours"] + truth["income"])
    # pairs with missing values use their own records
    for text, names in (
        ("mean(age)", ("age",)),
        ("var(hours)", ("hours",)),
        ("std(age)", ("age",)),
        ("cov(age, hours)", ("age", "hours")),
        ("corr(age, income)", ("age", "income")),
        ("regress(income ~ age)", ("income", "age")),
        ("regress(income ~ age + hours)", ("income", "age", "hours")),
    ):
        known = ~np.isnan(np.sum([truth[name] for name in names], axis=0))
        exact = {name: truth[name][known] for name in names}
        for weight in (None, "weight"):
            found = opened.estimate(text, weight=weight)
            true = sf.statistics.range_of(text, exact, exact, truth["weight"][known] if weight else None)
            pairs = [(found[name], true[name]) for name in found] if hasattr(found, "keys") else [(found, true)]
            for one, other in pairs:
                assert one.lower <= other.value <= one.upper, text
                assert one.records == int(known.sum())


def test_a_regression_tells_how_far_it_is():
    rng = np.random.default_rng(0)
    low = {name: rng.normal(size=200) for name in ("y", "x", "u")}
    table = pl.DataFrame({f"{name}.{end}": low[name] + by for name in low for end, by in (("lo", 0.0), ("hi", 0.01))})
    forms = dict.fromkeys(low, sf.Interval())
    release = sf.Release(table, promise=sf.Promise(quasi=["x"], k=1), forms=forms)
    shares: list[float] = []
    release.estimate("regress(y ~ x + u)", progress=lambda task, share: shares.append(share))
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)


def test_a_list_of_statistics_gives_a_list_in_its_order(mixed):
    asked = ["mean(hours)", "regress(hours ~ age)", "mean(age)", "mean(hours)"]
    shares = []
    found = mixed.estimate(asked, progress=lambda task, share: shares.append(share))
    assert [one.statistic for one in found] == asked
    assert found == [mixed.estimate(one) for one in asked] == mixed.estimate(tuple(asked))
    assert shares == sorted(shares)
    assert mixed.estimate([]) == []
    with pytest.raises(SettingError, match="media"):
        mixed.estimate(["mean(hours)", "media(hours)"], progress=lambda task, share: pytest.fail("computed before"))


@pytest.mark.parametrize("statistic", [None, 5, ["mean(age)", None], [5], b"mean(age)"])
def test_a_statistic_that_is_no_text_is_a_wrong_setting(mixed, statistic):
    with pytest.raises(SettingError, match=r"a statistic is a text such as 'mean\(age\)'"):
        mixed.estimate(statistic)
