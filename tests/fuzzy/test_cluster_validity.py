from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.fuzzy.cluster_validity import choose_sets, validity_of
from tests.fuzzy.plain import plain_distances
from tests.fuzzy.test_clustering import BOTH, clouds


@BOTH
@given(seed=st.integers(0, 999), fuzzifier=st.sampled_from([1.4, 2.0]), weighted=st.booleans())
def test_indices_are_those_of_the_table_of_memberships(method, seed, fuzzifier, weighted):
    records = clouds(seed, n=40)
    weights = np.random.default_rng(seed).uniform(0.5, 2.0, len(records)) if weighted else np.ones(len(records))
    model = method(3, fuzzifier=fuzzifier, random_state=seed).fit(records, sample_weight=weights)
    found = validity_of(model, records, sample_weight=weights)
    memberships, centres = model.memberships_, model.cluster_centers_
    powers = weights[:, None] * memberships**fuzzifier
    compactness = (powers * plain_distances(records, centres)).sum()
    mean = np.average(records, axis=0, weights=weights)
    apart = min(((centres[i] - centres[j]) ** 2).sum() for i in range(3) for j in range(i))
    coefficient = np.average((memberships**2).sum(axis=1), weights=weights)
    logarithms = np.log(np.where(memberships > 0.0, memberships, 1.0))
    assert found.sets == 3
    assert found.partition_coefficient == pytest.approx(coefficient)
    assert found.modified_partition_coefficient == pytest.approx(1 - 1.5 * (1 - coefficient))
    assert found.partition_entropy == pytest.approx(
        -np.average((memberships * logarithms).sum(axis=1), weights=weights), abs=1e-12
    )
    assert found.xie_beni == pytest.approx(compactness / (weights.sum() * apart))
    assert found.fukuyama_sugeno == pytest.approx(
        compactness - (powers * ((centres - mean) ** 2).sum(axis=1)).sum(), rel=1e-6
    )


def test_crisp_sets_and_a_single_set():
    points = np.repeat([[0.0], [1.0]], 5, axis=0)
    crisp = validity_of(sf.FuzzyCMeans(2, random_state=0).fit(points), points)
    assert (crisp.partition_coefficient, crisp.partition_entropy, crisp.xie_beni) == pytest.approx((1.0, 0.0, 0.0))
    single = validity_of(sf.FuzzyCMeans(1).fit(points), points)
    assert (single.partition_coefficient, single.modified_partition_coefficient) == (1.0, 0.0)
    assert single.xie_beni == math.inf


@pytest.mark.parametrize(
    ("method", "index"),
    [
        ("fuzzy-c-means", "xie-beni"),
        ("fuzzy-c-means", "modified-partition-coefficient"),
        # by memberships alone, two long sets would be crisper still
        ("gustafson-kessel", "xie-beni"),
    ],
)
def test_the_number_of_sets_is_found(method, index):
    rng = np.random.default_rng(1)
    records = np.concatenate([rng.normal(place, 0.1, (60, 2)) for place in ([0, 0], [3, 0], [0, 3], [3, 3])])
    chosen = choose_sets(records, range(2, 7), method=method, index=index, random_state=0, n_init=3)
    assert chosen.sets == 4
    assert [one.sets for one in chosen.table] == [2, 3, 4, 5, 6]
    assert chosen.estimator.n_clusters == 4
    assert chosen.index == index
    values = [one.value(index) for one in chosen.table]
    assert values[2] == (min(values) if index == "xie-beni" else max(values))


def test_wrong_choices_are_named():
    with pytest.raises(ValueError, match=r"index must be one of .*xie-beni.*, not 'best'"):
        choose_sets(clouds(), index="best")
    with pytest.raises(ValueError, match="method must be one of"):
        choose_sets(clouds(), method="k-means")
    with pytest.raises(ValueError, match="at least one number of sets"):
        choose_sets(clouds(), [])
    with pytest.raises(ValueError, match="not fitted"):
        validity_of(sf.FuzzyCMeans(), clouds())
