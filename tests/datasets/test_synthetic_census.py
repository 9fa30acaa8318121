from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.datasets import AREAS, STATES, bases, census, colleges
from sfumato.datasets.person_background import SERVICES
from sfumato.microfile.attribute import Kind

YEARS = (2020, 2025)


@pytest.fixture(scope="module")
def people():
    return {year: census(100_000, year=year).frame for year in YEARS}


def standing_out(counts):
    """Robust z-scores of counts by place."""
    centre = np.median(counts)
    return (counts - centre) / (1.4826 * max(np.median(np.abs(counts - centre)), 1.0))


def by_workplace(frame):
    counts = dict(frame.select(pl.col("workplace").cast(pl.String)).group_by("workplace").len().rows())
    return np.array([counts.get(area, 0) for area in AREAS])


def shares(frame, name):
    return dict(frame.get_column(name).cast(pl.String).value_counts(normalize=True).rows())


def test_same_seed_and_year_make_the_same_people():
    assert census(3000, seed=4, year=2021).frame.equals(census(3000, seed=4, year=2021).frame)


def test_other_years_and_seeds_make_other_people():
    first, year, seed = (census(3000, seed=s, year=y).frame for s, y in ((4, 2021), (4, 2022), (5, 2021)))
    assert not set(first["person"]) & set(year["person"])
    for different in (year, seed):
        for name in ("age", "income", "residence", "weight"):
            assert not first[name].equals(different[name])


@settings(max_examples=25)
@given(records=st.integers(1, 400), seed=st.integers(0, 2**40), year=st.integers(1, 4000))
def test_any_number_of_records_of_any_year_is_consistent(records, seed, year):
    made = census(records, seed=seed, year=year)
    frame = made.frame
    assert made.records == records == frame["person"].n_unique()
    works = frame["workplace"].is_not_null()
    for name in ("occupation", "transport"):
        assert (frame[name].is_not_null() == works).all()
    travels = works & (frame["transport"] != "worked at home").fill_null(False)
    for name, eligible in (("hours", works), ("weeks", works), ("departure", travels), ("travel_minutes", travels)):
        assert not (frame[name].is_not_null() & ~eligible).any()
    departure = frame["departure"].drop_nulls()
    assert departure.is_between(1, 2359).all()
    assert (departure % 100 < 60).all()
    assert frame["hours"].drop_nulls().is_between(1, 99).all()
    assert frame["weeks"].drop_nulls().is_between(1, 52).all()
    assert frame["travel_minutes"].drop_nulls().is_between(1, 180).all()
    assert frame["income"].drop_nulls().min() is None or frame["income"].drop_nulls().min() >= 0
    assert (frame["weight"] >= 1).all()
    assert frame["age"].is_between(0, 97).all()
    assert (frame["service"].is_null() == (frame["age"] < 17)).all()
    assert (frame["residence"].cast(pl.String).str.head(1) == frame["state"].cast(pl.String).str.head(1)).all()
    assert frame["household"].is_sorted()
    assert (frame.group_by("household").agg(pl.col("residence").n_unique())["residence"] == 1).all()


def test_kinds_and_words():
    made = census(1000)
    kinds = {name: attribute.kind for name, attribute in made.attributes.items()}
    assert kinds["education"] is Kind.ORDINAL
    assert made.attribute("education").order[0] == "no schooling"
    assert kinds["service"] is Kind.CATEGORICAL
    assert made.attribute("service").labels == SERVICES
    numeric = {"household", "age", "hours", "weeks", "departure", "travel_minutes", "income", "weight"}
    assert {name for name, kind in kinds.items() if kind is Kind.NUMERIC} == numeric
    assert sf.datasets.census(1000).frame.equals(made.frame)


@pytest.mark.parametrize("year", YEARS)
def test_people_are_plausible(people, year):
    frame = people[year]
    assert 34 < frame["age"].mean() < 40
    assert 0.2 < (frame["age"] < 18).mean() < 0.3
    assert 0.1 < (frame["age"] >= 65).mean() < 0.2
    assert 0.48 < shares(frame, "sex")["male"] < 0.52
    assert 2.1 < len(frame) / frame["household"].n_unique() < 2.6
    assert 0.43 < frame["workplace"].is_not_null().mean() < 0.52
    workers = frame.filter(pl.col("workplace").is_not_null())
    assert 0.6 < (workers["workplace"].cast(pl.String) == workers["residence"].cast(pl.String)).mean() < 0.85
    assert workers["hours"].median() == 40
    assert 15 <= workers["travel_minutes"].median() <= 30
    assert 700 <= workers["departure"].median() <= 800
    assert 0.7 < shares(workers, "transport")["car"] < 0.85
    married = frame.filter(pl.col("marital_status") == "married")
    assert married["age"].min() >= 18
    child = frame.filter(pl.col("age") < 15)
    assert child["income"].null_count() == len(child)
    means = frame.group_by("education").agg(pl.col("income").mean()).sort("education").drop_nulls()["income"]
    assert means[-1] > 1.5 * means[3]


@pytest.mark.parametrize("year", YEARS)
def test_some_answers_are_missing_and_others_never(people, year):
    frame = people[year]
    workers = frame.filter(pl.col("workplace").is_not_null())
    for name, share in (("hours", 0.02), ("weeks", 0.02), ("education", 0.01), ("insurance", 0.02)):
        assert workers[name].null_count() / len(workers) == pytest.approx(share, abs=0.005)
    never = ["person", "household", "state", "residence", "age", "sex", "citizenship", "disability", "weight"]
    assert frame.select(never).null_count().sum_horizontal().item() == 0


def test_years_drift_and_places_stay(people):
    early, late = (people[year] for year in YEARS)
    assert late["income"].median() / early["income"].median() == pytest.approx(1.03**5, abs=0.04)
    assert shares(late, "transport")["worked at home"] > shares(early, "transport")["worked at home"] + 0.01
    assert late["travel_minutes"].mean() > early["travel_minutes"].mean()
    counts = [by_workplace(frame) for frame in (early, late)]
    assert np.corrcoef(counts)[0, 1] > 0.95


@pytest.mark.parametrize("year", YEARS)
def test_soldiers_have_habits_of_their_own(people, year):
    workers = people[year].filter(pl.col("workplace").is_not_null())
    soldiers, civilians = workers.filter(pl.col("service") == 1), workers.filter(pl.col("service") != 1)
    assert 0.008 < len(soldiers) / len(workers) < 0.02
    assert shares(soldiers, "occupation")["military"] > 0.9
    assert "military" not in shares(civilians, "occupation")
    assert soldiers["age"].is_between(18, 59).all()
    assert soldiers["age"].median() < civilians["age"].median() - 8
    habits = {
        "male": pl.col("sex") == "male",
        "long": pl.col("hours") >= 50,
        "early": pl.col("departure") < 600,
        "near": pl.col("travel_minutes") <= 10,
        "on foot": pl.col("transport") == "walked",
        "from elsewhere": pl.col("moved").cast(pl.String).is_in(["from another state", "from abroad"]),
        "military plan": pl.col("insurance") == "military",
    }
    of_soldiers, of_others = (frame.select(**habits).mean().row(0, named=True) for frame in (soldiers, civilians))
    times = {name: of_soldiers[name] / of_others[name] for name in habits}
    least = {"male": 1.5, "long": 3, "early": 3, "near": 1.7, "on foot": 4, "from elsewhere": 5, "military plan": 20}
    assert all(times[name] > least[name] for name in least), times
    # a rule of a single habit would mostly find others
    assert all(
        len(soldiers) * of_soldiers[name] < len(civilians) * of_others[name] for name in least if name[:4] != "mili"
    )


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("seed", range(6))
def test_bases_stand_out_among_soldiers(seed, year):
    frame = census(seed=seed, year=year).frame
    stands_out = standing_out(by_workplace(frame.filter(pl.col("service") == 1)))
    is_base = np.isin(AREAS, bases(seed))
    assert stands_out[is_base].min() > max(6.0, stands_out[~is_base].max())
    # nobody would see them in the number of workers
    workers = standing_out(by_workplace(frame.filter(pl.col("workplace").is_not_null())))
    assert workers[is_base].max() < workers.max()


HABITS = (
    pl.col("age") // 5,
    pl.col("sex").cast(pl.String),
    pl.col("hours") // 10,
    pl.col("departure") // 100,
    pl.col("travel_minutes") // 6,
    pl.col("transport").cast(pl.String),
    pl.col("moved").cast(pl.String),
)


def telling(learnt_from, applied_to):
    """Naive Bayes on habits alone: the log odds of active duty, without looking at service or occupation."""
    soldier = (learnt_from["service"] == 1).fill_null(False)
    odds = np.zeros(len(applied_to))
    for habit in HABITS:
        training = learnt_from.select(value=habit).with_columns(soldier=soldier)
        table = training.group_by("value").agg(yes=pl.col("soldier").sum() + 0.5, no=(~pl.col("soldier")).sum() + 0.5)
        ratio = (table["yes"] / table["no"] / (soldier.sum() / (~soldier).sum())).log()
        values = applied_to.select(value=habit)
        joined = values.join(
            table.select("value", ratio=ratio), on="value", how="left", nulls_equal=True, maintain_order="left"
        )
        odds += joined["ratio"].fill_null(0.0).to_numpy()
    return odds + np.log(soldier.sum() / (~soldier).sum())


@pytest.mark.parametrize("seed", range(3))
def test_habits_learnt_in_one_year_tell_bases_in_another(seed):
    learnt_from, applied_to = (
        census(150_000, seed=seed, year=year).frame.filter(pl.col("workplace").is_not_null()) for year in YEARS
    )
    odds = telling(learnt_from, applied_to.drop("service", "occupation", "insurance"))
    suspected = by_workplace(applied_to.filter(pl.Series(odds > 0.0)))
    is_base = np.isin(AREAS, bases(seed))
    detected = np.argsort(-suspected)[: is_base.sum()]
    assert sorted(detected) == np.flatnonzero(is_base).tolist()
    assert sf.adequacy(np.flatnonzero(is_base), detected, len(AREAS)).bayes.words == "very strong"


def test_planted_places_are_of_the_seed():
    assert len(AREAS) == 60
    assert len(STATES) == 6
    planted = {bases(seed) for seed in range(20)}
    assert len(planted) > 15
    for seed in range(20):
        assert len({area[0] for area in bases(seed)}) == len(bases(seed)) == 5
        assert set(bases(seed)) | set(colleges(seed)) <= set(AREAS)
        assert not set(bases(seed)) & set(colleges(seed))


def test_the_young_of_college_towns_walk():
    frame = census(200_000, seed=1).frame.filter(pl.col("age").is_between(18, 25))
    in_town = pl.col("workplace").cast(pl.String).is_in(colleges(1))
    walks = frame.group_by(town=in_town).agg(walks=(pl.col("transport") == "walked").mean()).drop_nulls("town")
    share = dict(walks.rows())
    assert share[True] > 2.5 * share[False]


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("records", 0, r"records must be a whole number of at least 1 \(given: 0\)"),
        ("records", 10.0, "records must be a whole number"),
        ("records", True, "records must be a whole number"),
        ("seed", -1, "seed must be a whole number of at least 0"),
        ("seed", None, "seed must be a whole number of at least 0"),
        ("year", 0, "year must be a whole number of at least 1"),
        ("year", "2020", "year must be a whole number"),
    ],
)
def test_wrong_settings_are_named(setting, value, message):
    with pytest.raises(sf.errors.SettingError, match=message):
        census(**{setting: value})


@pytest.mark.parametrize("planted", [bases, colleges])
def test_wrong_seeds_of_places_are_named(planted):
    with pytest.raises(sf.errors.SettingError, match=r"seed must be a whole number of at least 0 \(given: -3\)"):
        planted(-3)
