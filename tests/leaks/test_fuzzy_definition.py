"""Published centres and norms: whoever has all other records tries every age of the one that is left."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import UnattainableError
from sfumato.fuzzy.released import ClusteredSets
from sfumato.partitions.finding import find_sets
from sfumato.randomness import Secret
from tests.partitions.tables import people

AGES = np.arange(16, 90)


def definition(file: pl.DataFrame, method: str) -> str:
    """Return what a codebook would say of the sets."""
    return found_sets(file, method).model_dump_json()


def found_sets(file: pl.DataFrame, method: str) -> ClusteredSets:
    settings = sf.FuzzyPartition(quasi=["age", "hours"], method=method, threads=1)
    (sets,) = find_sets(settings, sf.Microfile(file), settings.quasi, Secret.chosen(1)).values()
    assert isinstance(sets, ClusteredSets)
    return sets


def candidates_left(file: pl.DataFrame, record: int, method: str) -> int:
    """Return how many ages of a record would have given the published sets, all other records being known."""
    published = definition(file, method)
    left = 0
    for age in AGES:
        tried = file.with_columns(age=pl.when(pl.int_range(pl.len()) == record).then(float(age)).otherwise("age"))
        left += definition(tried, method) == published
    return left


@pytest.mark.parametrize(("method", "before"), [("gustafson-kessel", 1.0), ("fuzzy-c-means", 64.5)])
def test_norms_and_centres_confirm_no_age(figure, method, before):
    file = people(5, 300)
    left = [candidates_left(file, record, method) for record in (3, 50)]
    figure(
        f"ages that fit published sets, all other records known: {method}",
        now=float(np.mean(left)),
        baseline=AGES.size,
        before=before,
    )
    assert min(left) >= 15
    assert np.mean(left) > 30


@pytest.mark.parametrize("method", ["fuzzy-c-means", "gustafson-kessel"])
@pytest.mark.parametrize("records", [60, 2000])
def test_published_sets_have_few_digits(method, records):
    sets = found_sets(people(5, records).with_columns(pl.col("age") + 0.123456789), method)
    for norm in sets.norms:
        assert all(float(f"{value:.3g}") == value for row in norm for value in row)
        assert np.linalg.eigvalsh(np.array(norm)).min() > 0
    assert all(len(f"{value:.12g}".strip("0.-")) <= 3 for centre in sets.centres for value in centre)


def test_no_two_records_make_a_centre():
    """Of five records of a set two weigh so much that one of them could compute the other from the centre."""
    near = np.linspace(0.0, 10.0, 40)
    far = np.array([100.0, 101.0, 102.0, 103.0, 104.0, 105.0])
    file = pl.DataFrame({"age": np.concatenate([near, far]), "hours": np.concatenate([near, far]), "w": 1.0})
    settings = {"quasi": ["age", "hours"], "method": "k-means", "sets": 2, "weight": "w", "k": 2}
    assert sf.FuzzyPartition(**settings).protect(file).audit().holds
    heavy = file.with_columns(w=pl.when(pl.int_range(pl.len()) >= 44).then(2.5).otherwise("w"))
    with pytest.raises(UnattainableError, match="or mostly on two"):
        sf.FuzzyPartition(**settings).protect(heavy)
