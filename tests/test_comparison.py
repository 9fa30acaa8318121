from __future__ import annotations

import datetime

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.comparison import ComparedRelease, Comparison, Refusal
from sfumato.datasets import health_survey
from sfumato.errors import MicrofileError, SettingError, UnattainableError
from sfumato.measures import information_loss, measure_fuzzy
from sfumato.protection_registry import compared_methods

TITLES = {method.name: method.title for method in compared_methods()}


@pytest.fixture(scope="module")
def people():
    return health_survey(500)


@pytest.fixture(scope="module")
def compared(people):
    return Comparison(quasi=["age", "hours"], sensitive=["income"], k=10).run(people)


@pytest.fixture(scope="module")
def lonely():
    """Records among which fuzzy clusters leave few alike."""
    random = np.random.default_rng(3)
    values = np.concatenate([random.normal(0, 1, 60), random.normal(30, 1, 3)])
    return pl.DataFrame({"x": values, "y": values + random.normal(0, 1, 63), "ill": ["a", "b", "c"] * 21})


def test_every_method_is_measured_as_its_own_release_is(people, compared):
    assert [one.method for one in compared.outcomes] == list(TITLES)
    asked = {"quasi": ["age", "hours"], "sensitive": ["income"], "k": 10, "seed": 0}
    for one in compared.outcomes:
        if one.method == "boxes":
            release = sf.Boxes(**asked).protect(people)
        else:
            release = sf.FuzzyPartition(**asked, method=one.method).protect(people)
        measured, found = release.audit().measured, one.result
        assert isinstance(found, ComparedRelease)
        assert (found.k, found.l, found.t) == (measured["k"], measured["l"], measured["t"])
        assert (found.rate, found.highest) == (measured["risk"]["rate"], measured["risk"]["highest"])
        forms = {name: entry.form for name, entry in release.codebook.attributes.items()}
        assert found.loss == information_loss(people, release.microfile, quasi=["age", "hours"], forms=forms)
        if one.method != "boxes":
            fuzzy = measured["fuzzy"]
            assert (found.fuzzy_k, found.sigma_k, found.q) == (fuzzy["k"], fuzzy["sigma_k"], fuzzy["q"])
            its = fuzzy["attributes"]["income"]
            assert (found.fuzzy_l, found.fuzzy_t) == (its["l"], its["t"])


def test_fuzzy_measures_of_boxes_are_those_of_memberships_in_them(people, compared):
    found = compared.found["boxes"]
    release = sf.Boxes(quasi=["age", "hours"], sensitive=["income"], k=10).protect(people)
    table = release.microfile
    columns = [column for name in ("age", "hours") for column in release.codebook.attributes[name].form.columns(name)]
    rows = pl.DataFrame([table.series(column) for column in columns]).rows()
    places = {row: place for place, row in enumerate(dict.fromkeys(rows))}
    memberships = np.eye(len(places))[[places[row] for row in rows]]
    fuzzy = measure_fuzzy(table, memberships, sensitive="income")
    assert (found.fuzzy_k, found.sigma_k) == (fuzzy.k.nonfuzzy.worst, pytest.approx(fuzzy.k.sigma.worst))
    assert found.q == fuzzy.q().reached(0.5)
    assert found.fuzzy_l == fuzzy.attributes["income"].l.distinct.worst
    assert found.fuzzy_t == pytest.approx(fuzzy.attributes["income"].t.t)


def test_the_fuzzy_measures_of_crisp_clusters_are_the_crisp_ones(compared):
    found = compared.found["k-means"]
    assert found.k == found.fuzzy_k == found.sigma_k == found.q
    assert found.l == found.fuzzy_l
    assert found.t == pytest.approx(found.fuzzy_t)


def test_of_several_sensitive_attributes_the_worst_is_told(people, compared):
    others = [name for name in people.names if name not in ("age", "hours", "income")][:2]
    both = Comparison(quasi=["age", "hours"], sensitive=["income", *others], k=10).run(people)
    for name, found in both.found.items():
        assert found.fuzzy_l <= compared.found[name].fuzzy_l
        assert found.fuzzy_t >= compared.found[name].fuzzy_t


def test_without_sensitive_attributes_there_is_no_l_and_no_t(people):
    for found in Comparison(quasi="age").run(people).found.values():
        assert found.l is found.fuzzy_l is found.t is found.fuzzy_t is None
        assert found.k >= 5


def test_a_method_that_cannot_keep_k_says_why_and_the_others_run(lonely):
    compared = Comparison(quasi=["x", "y"], sensitive=["ill"], k=4).run(lonely)
    assert set(compared.found) | set(compared.refused) == set(TITLES.values())
    assert "boxes" in compared.found
    assert compared.refused
    for refusal in compared.refused.values():
        assert "k = 4" in refusal.message
        assert refusal.hint
    summary = compared.summary()["methods"]
    assert [set(one) for one in summary if one["refused"]] == [{"method", "refused"}] * len(compared.refused)


def test_if_no_method_keeps_k_that_is_refused(monkeypatch, people):
    monkeypatch.setattr(Comparison, "_outcome", lambda *_: Refusal("it cannot", "try less"))
    with pytest.raises(UnattainableError) as refused:
        Comparison(quasi="age").run(people)
    assert "no method attains k = 5: k-means: it cannot; fuzzy c-means: it cannot" in refused.value.message
    assert refused.value.hint == "try less"


def test_missing_values_and_weights_are_taken(people):
    age = people.series("age").cast(pl.Float64).to_list()
    table = pl.DataFrame(
        {
            "age": [None if place % 25 == 0 else value for place, value in enumerate(age)],
            "hours": people.series("hours"),
            "w": np.arange(500) % 7 + 1.5,
        }
    )
    plain = Comparison(quasi=["age", "hours"]).run(table.drop("w"))
    weighted = Comparison(quasi=["age", "hours"], weight="w").run(table)
    assert plain.found.keys() == weighted.found.keys() == set(TITLES.values())
    for name, found in weighted.found.items():
        assert found.rate < plain.found[name].rate


def test_the_same_seed_gives_the_same(people, compared):
    assert Comparison(quasi=["age", "hours"], sensitive=["income"], k=10).run(people) == compared


def test_progress_goes_up_to_one(people):
    told = []
    Comparison(quasi="age").run(people, progress=lambda task, share: told.append((task, share)))
    assert told[-1] == ("measuring", 1.0)
    assert all(0 <= share <= 1 for _, share in told)
    assert {task.split(":")[0] for task, _ in told} >= set(TITLES.values())


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (
            {"quasi": ["x", "ill"]},
            MicrofileError,
            "'ill' .quasi. is not numeric; methods can be compared only on",
        ),
        ({"quasi": ["x", "born"]}, MicrofileError, "'born' .quasi. is not numeric"),
        ({"quasi": ["x"], "k": 64}, UnattainableError, "k = 64 is larger than the file of 63 records"),
        ({"quasi": ["x"], "sensitive": ["x"]}, SettingError, "'x' is given as quasi and as sensitive"),
        ({"quasi": ["z"]}, SettingError, "unknown column 'z'"),
        ({"quasi": []}, SettingError, "quasi"),
        ({"quasi": ["x"], "k": 1}, SettingError, "'k'"),
        ({"quasi": ["x"], "sets": 1}, SettingError, "'sets'"),
    ],
)
def test_wrong_input(lonely, settings, error, message):
    born = pl.Series("born", [datetime.date(1990, 1, 1) + datetime.timedelta(days=n) for n in range(63)])
    with pytest.raises(error, match=message):
        Comparison(**settings).run(lonely.with_columns(born))
