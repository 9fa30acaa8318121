from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import sfumato as sf

BOTH = pytest.mark.parametrize("method", [sf.FuzzyCMeans, sf.GustafsonKessel])


def clouds(seed=0, n=60, attributes=2, sets=3):
    rng = np.random.default_rng(seed)
    places = 4.0 * rng.normal(size=(sets, attributes))
    return np.concatenate([rng.normal(place, 1.0, (n, attributes)) for place in places])


@parametrize_with_checks([sf.FuzzyCMeans(), sf.GustafsonKessel(), sf.FuzzyCMeans(fuzzifier=1.6)])
def test_estimator_conventions(estimator, check):
    check(estimator)


@BOTH
@given(seed=st.integers(0, 999), fuzzifier=st.sampled_from([1.2, 2.0, 3.5]), sets=st.integers(1, 5))
def test_memberships_sum_to_one_and_labels_are_the_highest(method, seed, fuzzifier, sets):
    records = clouds(seed, n=20)
    model = method(sets, fuzzifier=fuzzifier, random_state=seed, max_iter=20).fit(records)
    assert model.memberships_.shape == (60, sets)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, rtol=1e-12)
    assert (model.memberships_ >= 0.0).all()
    highest = model.memberships_.max(axis=1)
    np.testing.assert_allclose(model.memberships_[np.arange(60), model.labels_], highest, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(records), model.labels_)
    np.testing.assert_array_equal(model.predict_memberships(records), model.memberships_)


@BOTH
@given(seed=st.integers(0, 999))
def test_a_weight_is_a_number_of_repetitions(method, seed):
    records = clouds(seed, n=20)
    weights = np.random.default_rng(seed).integers(0, 4, len(records))
    settings = {"random_state": seed, "max_iter": 30}
    weighted = method(3, **settings).fit(records, sample_weight=weights)
    repeated = method(3, **settings).fit(np.repeat(records, weights, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-9)


@BOTH
def test_the_number_of_threads_changes_nothing(method):
    records = clouds(n=20_000)
    one, two = (method(3, random_state=0, threads=threads, max_iter=5).fit(records) for threads in (1, 2))
    for name in ("cluster_centers_", "objectives_", "labels_", "memberships_"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()


@BOTH
@pytest.mark.parametrize("change", [np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2], pl.DataFrame])
def test_the_order_in_memory_and_the_frame_change_nothing(method, change):
    records = clouds()
    plain, other = (method(3, random_state=0).fit(given) for given in (records, change(records)))
    assert plain.cluster_centers_.tobytes() == other.cluster_centers_.tobytes()
    assert plain.memberships_.tobytes() == other.memberships_.tobytes()


def test_records_that_may_not_be_written_to_are_not_copied():
    records = clouds()
    records.flags.writeable = False
    model = sf.FuzzyCMeans(random_state=0).fit(records)
    assert np.shares_memory(model._fitted_on, records)


@BOTH
def test_a_record_at_a_centre_is_a_full_member(method):
    records = clouds()
    model = method(3, random_state=0).fit(records)
    assert sorted(model.predict_memberships(model.cluster_centers_).ravel().tolist()) == [0.0] * 6 + [1.0] * 3
    np.testing.assert_array_equal(np.diag(model.transform(model.cluster_centers_)), 0.0)


@BOTH
def test_centres_that_coincide_share_their_record(method):
    records = np.array([[0.0, 0.0]] * 5 + [[1.0, 1.0]] * 5)
    init = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    model = method(3, init=init, max_iter=5).fit(records)
    np.testing.assert_allclose(model.memberships_[0], [0.5, 0.5, 0.0], atol=1e-12)
    np.testing.assert_allclose(model.memberships_[-1], [0.0, 0.0, 1.0], atol=1e-12)


@BOTH
@pytest.mark.parametrize("fuzzifier", [2.0, 1.5])
def test_records_that_are_all_the_same_are_members_of_all_sets(method, fuzzifier):
    model = method(2, fuzzifier=fuzzifier, random_state=0).fit(np.full((10, 2), 3.7))
    np.testing.assert_array_equal(model.cluster_centers_, 3.7)
    np.testing.assert_array_equal(model.memberships_, 0.5)
    assert model.objective_ < 1e-100


@BOTH
def test_far_from_the_origin_nothing_is_lost(method):
    records = np.round(clouds(), 3)
    near, far = (method(3, random_state=0).fit(records + shift) for shift in (0.0, 1e6))
    np.testing.assert_allclose(near.cluster_centers_, far.cluster_centers_ - 1e6, atol=1e-5)


@BOTH
@pytest.mark.parametrize("scale", [1e-140, 1e140])
def test_units_do_not_matter_to_numbers(method, scale):
    records = clouds()
    plain, scaled = (method(3, random_state=0).fit(records * by) for by in (1.0, scale))
    np.testing.assert_allclose(plain.cluster_centers_, scaled.cluster_centers_ / scale, rtol=1e-6)
    np.testing.assert_allclose(plain.memberships_, scaled.memberships_, atol=1e-6)


@BOTH
def test_more_starts_are_no_worse(method):
    records = clouds(7, sets=6)
    objectives = [method(6, random_state=3, n_init=starts).fit(records).objective_ for starts in (1, 4)]
    assert objectives[1] <= objectives[0] * (1 + 1e-12)


@BOTH
def test_people_are_not_handed_on_with_a_model(method):
    records = clouds()
    model = method(3, random_state=0).fit(records)
    copy = pickle.loads(pickle.dumps(model))
    assert records.tobytes()[:64] not in pickle.dumps(model)
    np.testing.assert_array_equal(copy.predict_memberships(records), model.memberships_)
    assert model.memberships_ is model.memberships_
    with pytest.raises(AttributeError, match="predict_memberships"):
        _ = copy.memberships_


def test_memberships_are_there_only_after_fitting():
    with pytest.raises(AttributeError, match="not fitted"):
        _ = sf.FuzzyCMeans().memberships_


@BOTH
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fuzzifier": 1.0}, "fuzzifier must be a finite number above 1, not 1.0"),
        ({"fuzzifier": float("inf")}, "fuzzifier"),
        ({"fuzzifier": "two"}, "fuzzifier"),
        ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1, not 0"),
        ({"n_clusters": 2.5}, "n_clusters"),
        ({"n_clusters": 1000}, "n_samples=180 should be >= n_clusters=1000"),
        ({"n_init": True}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"threads": 0}, "threads"),
        ({"init": "random"}, r"init must be 'k-means\+\+' or an array"),
        ({"init": [[1.0, 2.0]]}, r"init has shape \(1, 2\)"),
        ({"init": [["a", "b"]]}, "init must be"),
    ],
)
def test_wrong_settings_are_named(method, settings, message):
    with pytest.raises(ValueError, match=message):
        method(**settings).fit(clouds())


@BOTH
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1.0, float("nan")]] * 5, "NaN"),
        ([[1.0, float("inf")]] * 5, "infinity"),
        ([["4711", "Alice"]] * 5, "text where numbers"),
        (np.array([[4711.0, "Alice"]] * 5, dtype=object), "text where numbers"),
        ([4711.0] * 5, "Reshape your data"),
        (4711.0, "Reshape your data"),
        (np.full((5, 2), 4711j), "Complex data"),
        ([[4711.0, 1e200], [0.0, -1e200], [1.0, 1.0]], "so far apart"),
    ],
)
def test_wrong_records_are_refused_without_showing_them(method, table, message):
    with pytest.raises(ValueError, match=message) as caught:
        method(2).fit(table)
    assert "4711" not in str(caught.value)
    assert "Alice" not in str(caught.value)
    assert caught.value.__cause__ is None


@BOTH
@pytest.mark.parametrize("weights", [[-4711.0] * 180, ["Alice"] * 180, [0.0] * 180, [1.0] * 3, [float("nan")] * 180])
def test_wrong_weights_are_refused_without_showing_them(method, weights):
    with pytest.raises(ValueError, match=r"(?i)sample.weight") as caught:
        method(2).fit(clouds(), sample_weight=weights)
    assert "4711" not in str(caught.value)
    assert "Alice" not in str(caught.value)


@BOTH
def test_records_without_weight_do_not_count(method):
    with pytest.raises(ValueError, match="n_samples=2 should be >= n_clusters=3"):
        method(3).fit(clouds(n=2), sample_weight=[1, 1, 0, 0, 0, 0])
