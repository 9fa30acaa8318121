from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.integrate import quad

import sfumato as sf
from sfumato.errors import SettingError
from sfumato.measures.risk import individual_risk
from tests.measures.tables import crowds, frame, rows

F = np.array([3, 1, 3, 1, 2, 2, 1, 3.0])
POPULATION = np.array([108, 45.5, 108, 17, 100, 100, 123.5, 108])
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def test_the_vector_of_sdcmicro():
    expected = [0.01369863, 0.08579129, 0.01369863, 0.17707583, 0.01877883, 0.01877883, 0.03931625, 0.01369863]
    np.testing.assert_allclose(individual_risk(F, POPULATION), expected, atol=5e-9)
    exact = individual_risk(F, POPULATION, exact=True)
    np.testing.assert_allclose(exact[F == 3], 0.01355297, atol=5e-9)
    np.testing.assert_allclose(exact[F < 3], np.array(expected)[F < 3], atol=5e-9)


@given(st.floats(1.0, 500), st.floats(1.0001, 1e4))
def test_the_exact_risk_is_its_integral(f, factor):
    p = 1 / factor
    # E[1/F] is the integral of the generating function over t: with u = p t / (1 - (1 - p) t) it is smooth
    expected = quad(lambda u: u ** (f - 1) * p / (p + (1 - p) * u), 0, 1, limit=500, epsabs=0)[0]
    found = individual_risk(np.array([f]), np.array([f * factor]), exact=True)[0]
    assert found == pytest.approx(expected, rel=1e-5)


@given(st.floats(1.0, 6.0), st.floats(1.0, 1e6))
def test_risk_lies_between_nothing_and_one_over_f(f, factor):
    for exact in (False, True):
        risk = individual_risk(np.array([f]), np.array([f * factor]), exact=exact)[0]
        assert 0 < risk <= 1 / f + 1e-12


@pytest.mark.parametrize(("f", "population", "expected"), [(100.0, 1100.0, 9.174e-4), (150.0, 1650.0, 6.098e-4)])
def test_the_exact_risk_of_large_blocks(f, population, expected):
    assert individual_risk(np.array([f]), np.array([population]), exact=True)[0] == pytest.approx(expected, rel=1e-3)


def test_a_known_population_gives_one_over_f():
    np.testing.assert_allclose(individual_risk(np.array([4.0, 4.0]), np.array([4.0, 2.0])), 0.25)


def test_missing_values_as_wildcards():
    table = pl.DataFrame(
        {
            "a": [2, 3, 2, 2, 3, 3, 1, None],
            "b": [3, 3, 3, 3, 3, 3, 4, 3],
            "c": [1, 3, None, 2, 1, 1, None, 1],
            "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51.0],
        }
    )
    weighted = sf.measure(table, quasi=["a", "b", "c"], weight="w", missing="wildcard").risk.by_record
    expected = [0.013698630, 0.085791288, 0.010554090, 0.032466112, 0.009836066, 0.009836066, 0.039316254, 0.005973716]
    np.testing.assert_allclose(weighted, expected, atol=5e-9)
    plain = sf.measure(table, quasi=["a", "b", "c"], missing="wildcard").risk.by_record
    np.testing.assert_allclose(plain, [1 / 3, 1, 1 / 4, 1 / 2, 1 / 3, 1 / 3, 1, 1 / 5])


@given(rows, st.booleans())
def test_frequencies_are_those_of_comparing_all_records(records, wildcards):
    if any(all(record[i] is None for record in records) for i in (0, 1)):
        return
    weights = [1.0 + i for i in range(len(records))]
    table = frame(records).with_columns(pl.Series("w", weights))
    numbered = [(*record, weight) for record, weight in zip(records, weights, strict=True)]
    risk = sf.measure(table, quasi=["p", "q"], weight="w", missing="wildcard" if wildcards else "own").risk
    found = crowds(numbered, wildcards=wildcards)
    np.testing.assert_allclose(risk.sample[risk.numbers], [len(crowd) for crowd in found])
    np.testing.assert_allclose(risk.population[risk.numbers], [sum(r[-1] for r in crowd) for crowd in found])


def test_the_household_survey_of_sdcmicro(real_data):
    people = sf.read(real_data("sdcmicro/testdata.csv.gz"))
    safety = sf.measure(people, quasi=KEYS, weight="sampling_weight", household="ori_hid")
    assert safety.risk.expected == pytest.approx(10.7783, abs=5e-5)
    assert safety.risk.household_expected == pytest.approx(51.813, abs=5e-4)
    assert [safety.k.violations(k).records for k in (2, 3, 5)] == [157, 281, 458]
    assert safety.risk.threshold(0.01) is None
    assert safety.risk.threshold(0.0001) == pytest.approx(9.90001e-05, rel=1e-6)
    unweighted = sf.measure(people, quasi=["urbrur", "roof", "walls", "water", "sex"]).risk
    assert (unweighted.expected, unweighted.outstanding) == (pytest.approx(93), 165)
    assert unweighted.threshold(0.01) == pytest.approx(0.0322581, abs=5e-8)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.sampled_from([0.0512, 0.2137, 0.4871]))
def test_threshold_and_main_part_are_their_definitions(keys, rate):
    risk = sf.measure(pl.DataFrame({"q": keys}), quasi="q").risk
    r = risk.by_record
    fitting = [t for t in set(r.tolist()) if t < r.max() and np.minimum(r, t).sum() < rate * len(r)]
    expected = None if r.sum() < rate * len(r) else max(fitting, default=0.0)
    assert risk.threshold(rate) == expected
    median = np.median(r)
    mad = 1.4826 * np.median(np.abs(r - median))
    assert risk.outstanding == int(((r > median + 2 * mad) & (r > 0.1)).sum())


def test_household_risk_is_that_of_any_member():
    table = pl.DataFrame({"q": [1, 1, 2, 3], "h": [1, 2, 1, None]})
    risk = sf.measure(table, quasi="q", household="h").risk
    np.testing.assert_allclose(risk.by_household, [1.0, 0.5, 1.0])
    assert risk.household_expected == pytest.approx(3.5)


def test_a_threshold_needs_a_share():
    risk = sf.measure(pl.DataFrame({"q": [1, 2]}), quasi="q").risk
    with pytest.raises(SettingError, match="between 0 and 1"):
        risk.threshold(1.5)


@pytest.mark.parametrize("missing", ["own", "wildcard"])
@given(rows)
def test_who_knows_that_a_person_is_there_picks_among_those_alike(missing, records):
    assume(all(any(r[place] is not None for r in records) for place in (0, 1)))
    table = frame(records).with_columns(w=pl.Series([50.0] * len(records)))
    risk = sf.measure(table, quasi=["p", "q"], weight="w", missing=missing).risk
    alike = [len(its) for its in crowds(records, wildcards=missing == "wildcard")]
    assert risk.candidates == min(alike)
    assert risk.present_rate == pytest.approx(np.mean([1 / one for one in alike]))
    # who does not know it picks among the population
    assert risk.rate <= risk.present_rate


@pytest.mark.parametrize("p", [0.001, 0.3, 0.85, 0.8999, 0.9, 0.95, 0.9999, 1 - 1e-9])
def test_two_alike_have_the_exact_risk_on_both_sides_of_where_its_form_changes(p):
    expected = quad(lambda u: u * p / (p + (1 - p) * u), 0, 1, epsabs=0)[0]
    found = individual_risk(np.array([2.0]), np.array([2.0 / p]))[0]
    assert found == pytest.approx(expected, rel=1e-9)
    # the form for larger blocks is another one, and is not used here
    assert p > 0.99 or found != pytest.approx(p / (2 - (1 - p)), rel=1e-6)
    three = individual_risk(np.array([3.0]), np.array([3.0 / p]))[0]
    assert three == pytest.approx(p / (3 - (1 - p)), rel=1e-12)
