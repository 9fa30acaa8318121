from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from tests.fuzzy.plain import plain_distances, plain_gustafson_kessel
from tests.fuzzy.test_clustering import clouds


def crossing_lines(n=200, noise=0.02):
    rng = np.random.default_rng(0)
    along = rng.uniform(-1, 1, (2, n))
    lines = [np.column_stack([along[0], along[0]]), np.column_stack([along[1], -along[1] + 0.3])]
    return np.concatenate(lines) + rng.normal(0, noise, (2 * n, 2))


@given(seed=st.integers(0, 999), fuzzifier=st.sampled_from([1.5, 2.0, 2.7]), attributes=st.integers(1, 4))
def test_it_does_what_is_plainly_written(seed, fuzzifier, attributes):
    records = clouds(seed, n=70, attributes=attributes) * [1.0, 10.0, 0.1, 7.0][:attributes]
    init = records[np.random.default_rng(seed).choice(len(records), 3, replace=False)]
    model = sf.GustafsonKessel(3, fuzzifier=fuzzifier, init=init, max_iter=6, tol=0.0, max_condition=1e15)
    model.fit(records)
    centres, norms, objectives = plain_gustafson_kessel(records, init, fuzzifier=fuzzifier, iterations=6)
    np.testing.assert_allclose(model.cluster_centers_, centres, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(model.norms_, norms, rtol=1e-5, atol=1e-5 * abs(norms).max())
    np.testing.assert_allclose(model.objectives_, objectives, rtol=1e-7)
    np.testing.assert_allclose(np.linalg.det(model.norms_), 1.0, rtol=1e-9)
    distances = plain_distances(records, model.cluster_centers_, model.norms_)
    np.testing.assert_allclose(model.transform(records) ** 2, distances, rtol=1e-6, atol=1e-9)


@given(
    records=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=4, max_size=40),
    fuzzifier=st.sampled_from([1.3, 2.0, 4.0]),
    max_condition=st.sampled_from([1.0, 5.0, 1e4, 1e6]),
    shrinkage=st.sampled_from([0.0, 0.05, 1.0]),
    seed=st.integers(0, 99),
)
def test_the_objective_with_its_penalty_never_increases(records, fuzzifier, max_condition, shrinkage, seed):
    # with few different records, sets collapse to lines and points all the time
    model = sf.GustafsonKessel(
        3,
        fuzzifier=fuzzifier,
        max_condition=max_condition,
        shrinkage=shrinkage,
        random_state=seed,
        tol=0.0,
        max_iter=40,
    )
    objectives = model.fit(np.array(records, dtype=float)).objectives_
    assert np.isfinite(objectives).all()
    assert np.isfinite(model.memberships_).all()
    assert (np.diff(objectives) <= 1e-9 * objectives[0] + 1e-15).all()


def test_sets_may_be_long_in_different_directions():
    records = crossing_lines()
    truth = np.repeat([0, 1], 200)
    # where the lines cross, nobody can tell them apart
    apart = np.abs(records[:, 0] - 0.15) > 0.15
    model = sf.GustafsonKessel(2, random_state=0, n_init=5).fit(records)
    agree = (model.labels_ == truth)[apart].mean()
    assert max(agree, 1 - agree) > 0.98
    slopes = sorted(np.sign(model.covariances_[:, 0, 1]))
    assert slopes == [-1.0, 1.0]


@pytest.mark.parametrize("max_condition", [1.0, 100.0])
def test_the_condition_is_bounded_in_deviations(max_condition):
    records = crossing_lines(noise=0.0) * [1.0, 1000.0]
    model = sf.GustafsonKessel(2, random_state=0, max_condition=max_condition).fit(records)
    scaled = model.covariances_ / np.outer(records.std(axis=0), records.std(axis=0))
    values = np.linalg.eigvalsh(scaled)
    assert (values[:, -1] <= max_condition * values[:, 0] * (1 + 1e-9)).all()
    np.testing.assert_allclose(np.linalg.det(model.norms_), 1.0, rtol=1e-8)


def test_units_do_not_matter():
    records = clouds(2)
    units = np.array([1000.0, 0.01])
    one, other = (sf.GustafsonKessel(3, random_state=0).fit(records * by) for by in (np.ones(2), units))
    np.testing.assert_allclose(other.cluster_centers_, one.cluster_centers_ * units, rtol=1e-7)
    np.testing.assert_allclose(other.covariances_, one.covariances_ * np.outer(units, units), rtol=1e-6)
    np.testing.assert_allclose(other.memberships_, one.memberships_, atol=1e-8)


def test_a_constant_attribute_is_left_out():
    records = clouds(2)
    one = sf.GustafsonKessel(3, init=records[:3]).fit(records)
    padded, init = (np.insert(table, 1, 5.5, axis=1) for table in (records, records[:3]))
    other = sf.GustafsonKessel(3, init=init).fit(padded)
    np.testing.assert_allclose(other.memberships_, one.memberships_, atol=1e-9)
    np.testing.assert_allclose(other.objectives_, one.objectives_, rtol=1e-9)
    np.testing.assert_array_equal(other.cluster_centers_[:, 1], 5.5)
    for matrices in (other.covariances_, other.norms_):
        np.testing.assert_array_equal(matrices[:, 1], 0.0)
        np.testing.assert_array_equal(matrices[:, :, 1], 0.0)


@pytest.mark.parametrize(
    "records",
    [
        np.column_stack([np.arange(30.0), 2 * np.arange(30.0)]),
        np.repeat([[0.1, 0.7], [0.3, 0.2], [0.9, 0.4]], 20, axis=0),
        np.concatenate([np.tile([0.1, 0.2], (20, 1)), clouds(1, n=10)]),
    ],
    ids=["a line", "three points", "a point among others"],
)
def test_degenerate_sets_do_no_harm(records):
    model = sf.GustafsonKessel(3, random_state=0).fit(records)
    for found in (model.cluster_centers_, model.covariances_, model.norms_, model.memberships_, model.objectives_):
        assert np.isfinite(found).all()
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)


def test_shrinkage_makes_sets_rounder():
    records = crossing_lines()

    def condition(shrinkage):
        model = sf.GustafsonKessel(2, random_state=0, shrinkage=shrinkage).fit(records)
        return np.linalg.cond(model.covariances_).max()

    assert condition(10.0) < condition(0.1) < condition(0.0)


def test_a_set_of_lower_volume_grows_larger():
    records = np.random.default_rng(0).normal(size=(300, 2))
    init = [[-1.0, 0.0], [1.0, 0.0]]
    alike = sf.GustafsonKessel(2, init=init).fit(records)
    unlike = sf.GustafsonKessel(2, init=init, volumes=[0.5, 2.0]).fit(records)
    np.testing.assert_allclose(np.linalg.det(unlike.norms_), [0.5, 2.0])
    assert unlike.memberships_[:, 0].sum() > alike.memberships_[:, 0].sum()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"volumes": [1.0]}, "volumes must be 3 finite numbers"),
        ({"volumes": [1.0, 0.0, 1.0]}, "volumes"),
        ({"max_condition": 0.5}, "max_condition must be a number from 1 to 1e15, not 0.5"),
        ({"shrinkage": -1.0}, "shrinkage"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        sf.GustafsonKessel(**settings).fit(clouds())
