from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from tests.fuzzy.plain import plain_c_means, plain_distances, plain_memberships
from tests.fuzzy.test_clustering import clouds


@given(
    seed=st.integers(0, 999),
    fuzzifier=st.sampled_from([1.1, 1.5, 2.0, 2.7]),
    attributes=st.integers(1, 5),
    sets=st.integers(1, 4),
    weighted=st.booleans(),
)
def test_it_does_what_is_plainly_written(seed, fuzzifier, attributes, sets, weighted):
    records = clouds(seed, n=70, attributes=attributes)
    rng = np.random.default_rng(seed)
    weights = rng.uniform(0.1, 3.0, len(records)) if weighted else None
    init = records[rng.choice(len(records), sets, replace=False)]
    model = sf.FuzzyCMeans(sets, fuzzifier=fuzzifier, init=init, max_iter=10, tol=0.0)
    model.fit(records, sample_weight=weights)
    centres, objectives = plain_c_means(records, init, fuzzifier=fuzzifier, iterations=model.n_iter_, weights=weights)
    np.testing.assert_allclose(model.cluster_centers_, centres, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.objectives_, objectives, rtol=1e-9)
    distances = plain_distances(records, model.cluster_centers_)
    np.testing.assert_allclose(model.transform(records) ** 2, distances, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.memberships_, plain_memberships(distances, fuzzifier), rtol=1e-7, atol=1e-12)


@given(
    records=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=40),
    fuzzifier=st.sampled_from([1.3, 2.0, 4.0]),
    seed=st.integers(0, 99),
)
def test_the_objective_never_increases(records, fuzzifier, seed):
    model = sf.FuzzyCMeans(3, fuzzifier=fuzzifier, random_state=seed, tol=0.0, max_iter=50)
    objectives = model.fit(np.array(records, dtype=float)).objectives_
    assert objectives.size == model.n_iter_ + 1
    assert objectives[-1] == model.objective_
    assert (np.diff(objectives) <= 1e-10 * objectives[0] + 1e-25).all()


def test_it_stops_when_centres_stand_still():
    model = sf.FuzzyCMeans(3, random_state=0, tol=1e-3).fit(clouds())
    assert model.converged_
    assert model.n_iter_ < 100
    assert not sf.FuzzyCMeans(3, random_state=0, tol=0.0, max_iter=3).fit(clouds()).converged_


def test_a_constant_attribute_changes_nothing():
    records = clouds()
    init = records[:3]
    plain = sf.FuzzyCMeans(3, init=init, tol=0.0, max_iter=20).fit(records)
    with_constant, first = (np.insert(table, 1, 5.5, axis=1) for table in (records, init))
    other = sf.FuzzyCMeans(3, init=first, tol=0.0, max_iter=20).fit(with_constant)
    np.testing.assert_array_equal(other.cluster_centers_[:, 1], 5.5)
    np.testing.assert_allclose(other.memberships_, plain.memberships_, atol=1e-9)


def test_a_set_without_members_keeps_its_centre():
    records = np.array([[0.0], [0.0], [4.0]])
    init = np.array([[0.0], [4.0], [9.0]])
    model = sf.FuzzyCMeans(3, fuzzifier=1.5, init=init, max_iter=4, tol=0.0).fit(records)
    np.testing.assert_allclose(model.cluster_centers_, init, atol=1e-12)


def test_the_start_is_drawn_far_apart():
    records = clouds(3, sets=5)
    model = sf.FuzzyCMeans(5, random_state=1, max_iter=300).fit(records)
    truth = sf.FuzzyCMeans(5, init=records.reshape(5, 60, 2).mean(axis=1), max_iter=300).fit(records)
    assert model.objective_ == pytest.approx(truth.objective_, rel=1e-3)


def test_large_files_start_from_a_sample(monkeypatch):
    monkeypatch.setattr("sfumato.fuzzy.initial_centres.SAMPLE", 50)
    records = clouds(1, n=100)
    found = sf.FuzzyCMeans(3, random_state=0).fit(records)
    assert found.objective_ == pytest.approx(sf.FuzzyCMeans(3, random_state=5).fit(records).objective_, rel=1e-3)
    weights = np.zeros(300)
    weights[[5, 150, 290]] = 1.0
    lonely = sf.FuzzyCMeans(3, random_state=0).fit(records, sample_weight=weights)
    assert lonely.objective_ == pytest.approx(0.0, abs=1e-12)
