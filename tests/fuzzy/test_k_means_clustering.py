from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from sfumato.fuzzy.k_means_clustering import k_means


def spread(values, centres, weights):
    distances = ((values[:, None] - centres) ** 2).sum(axis=2).min(axis=1)
    return float((weights * distances).sum())


@pytest.mark.parametrize("seed", range(5))
def test_clusters_are_as_good_as_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(600, 3)) + 4.0 * rng.integers(0, 3, (600, 1))
    weights = rng.random(600)
    peer = KMeans(5, n_init=4, random_state=seed).fit(values, sample_weight=weights).cluster_centers_
    ours = k_means(values, 5, weights=weights, random=np.random.RandomState(seed))
    assert spread(values, ours, weights) <= 1.05 * spread(values, peer, weights)


def test_every_centre_is_the_mean_of_its_records():
    values = np.random.default_rng(1).normal(size=(500, 2))
    centres = k_means(values, 4)
    labels = ((values[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert np.allclose(centres, [values[labels == label].mean(axis=0) for label in range(4)])


def test_neither_threads_nor_repetition_change_it():
    values = np.random.default_rng(2).normal(size=(20_000, 2))
    first = k_means(values, 6, threads=1)
    assert np.array_equal(first, k_means(values, 6, threads=3))


def test_records_without_weight_attract_no_centre():
    values = np.array([[0.0], [1.0], [10.0], [11.0], [1000.0]])
    found = k_means(values, 2, weights=np.array([1.0, 1.0, 1.0, 1.0, 0.0]))
    assert found.tolist() == [[0.5], [10.5]]
