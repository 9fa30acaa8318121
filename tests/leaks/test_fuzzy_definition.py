"""Published centres and norms: whoever has all other records tries every age of the one that is left."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.array_types import Reals
from sfumato.errors import UnattainableError
from sfumato.fuzzy.codebook_sets import ClusteredSets
from sfumato.partitions.set_rounding import rounded_scales, rounded_sets
from sfumato.partitions.set_search import exact_sets, find_sets
from sfumato.randomness import Secret
from tests.partitions.tables import people

AGES = np.arange(16, 90)
TRIED = AGES[::8]
"""Ages that are tried where many records are attacked."""
QUASI = ("age", "hours")
DRAWS, STARTS = 200, 6
"""How many roundings and first centres the attacker tries for each age."""
NEVER = 1e-4
"""The probability of what none of the draws gave."""


def settings_of(method: str) -> sf.FuzzyPartition:
    return sf.FuzzyPartition(quasi=QUASI, method=method, threads=1)


def found_sets(file: pl.DataFrame, method: str, seed: int = 1) -> ClusteredSets:
    """Return what a codebook would say of the sets."""
    (sets,) = find_sets(settings_of(method), sf.Microfile(file), QUASI, Secret.chosen(seed)).values()
    assert isinstance(sets, ClusteredSets)
    return sets


def with_age(file: pl.DataFrame, record: int, age: float) -> pl.DataFrame:
    return file.with_columns(age=pl.when(pl.int_range(pl.len()) == record).then(float(age)).otherwise("age"))


def left_to_who_knows_the_seed(file: pl.DataFrame, record: int, method: str, ages: Reals) -> float:
    """Return how many of 74 ages would have given the published sets, all other records and all draws being known."""
    published = found_sets(file, method)
    return AGES.size * float(np.mean([found_sets(with_age(file, record, age), method) == published for age in ages]))


def left_without_the_seed(file: pl.DataFrame, record: int, method: str, seed: int) -> float:
    """Return among how many of 74 ages somebody hesitates who has all other records, but not the draws.

    That is e to the entropy of the ages, after all have been weighed by the probability that they give the published
    sets, whatever is drawn.
    """
    published = found_sets(file, method, seed)
    logarithms = [log_likelihood(with_age(file, record, age), published, method) for age in TRIED]
    chances = np.exp(logarithms - np.max(logarithms))
    chances = chances[chances > 0] / chances.sum()
    return AGES.size / TRIED.size * float(np.exp(-(chances * np.log(chances)).sum()))


def log_likelihood(file: pl.DataFrame, published: ClusteredSets, method: str) -> float:
    """Return how probable the published centres and norms are, by trying draws, the same for all files."""
    values = file.select(QUASI).to_numpy().astype(float)
    deviations = values.std(axis=0)
    of_scales = 0.0
    scales = deviations
    if method != "gustafson-kessel":
        # round sets tell the scales, so that all ages are tried with these
        scales = np.diagonal(np.array(published.norms[0])) ** -0.5
        drawn = [rounded_scales(deviations, np.random.default_rng(draw)) for draw in range(DRAWS)]
        of_scales = logarithm_of([np.isclose(one, scales, rtol=0.01) for one in drawn])
    # where several arrangements are about as good, the first centres decide which one is found
    arrangements: dict[tuple, tuple[ClusteredSets, int]] = {}
    for start in range(STARTS):
        secret = Secret.chosen(10_000 + start)
        exact = exact_sets(settings_of(method), QUASI, values / scales, scales, None, secret)
        arrangement = tuple(round(number) for centre in exact.centres for number in centre)
        arrangements[arrangement] = exact, arrangements.get(arrangement, (exact, 0))[1] + 1
    of_sets = [np.log(times) + from_sets(exact, values, published, method) for exact, times in arrangements.values()]
    return of_scales + float(np.logaddexp.reduce(of_sets))


def from_sets(exact: ClusteredSets, values: Reals, published: ClusteredSets, method: str) -> float:
    """Return the logarithm of the probability that rounding gives the published sets."""
    drawn = [rounded_sets(exact, values, None, np.random.default_rng(draw)) for draw in range(DRAWS)]
    centres = np.array([centres for centres, _ in drawn])
    total = 0.0
    for centre, norm in zip(published.centres, published.norms, strict=True):
        # each published set came from the one that explains it best
        per_set = np.log((centres == np.array(centre)).mean(axis=0) + NEVER).sum(axis=1)
        place = int(per_set.argmax())
        total += float(per_set[place])
        if method == "gustafson-kessel":
            total += logarithm_of([[tuple(map(tuple, norms[place])) == norm] for _, norms in drawn])
    return total


def logarithm_of(matches: list) -> float:
    return float(np.log(np.mean(matches, axis=0) + NEVER).sum())


@pytest.mark.parametrize(
    ("method", "records", "before", "least"),
    [("fuzzy-c-means", (10, 250), 36.2, 64.5), ("gustafson-kessel", (130,), 1.0, 60.0)],
)
def test_published_sets_hardly_confirm_an_age(figure, method, records, before, least):
    """``before`` is by trying ages, on 24 records, where centres were rounded plainly and norms had eight digits."""
    left = [
        left_without_the_seed(people(file, 300), record, method, seed=record) for file in (6, 7) for record in records
    ]
    figure(
        f"ages that fit published sets, all other records known: {method}",
        now=float(np.mean(left)),
        baseline=AGES.size,
        before=before,
    )
    assert np.mean(left) >= least


@pytest.mark.parametrize(
    ("method", "each", "before", "least"), [("fuzzy-c-means", 40, 36.2, 45.0), ("gustafson-kessel", 290, 1.0, 30.0)]
)
def test_with_a_known_seed_sets_confirm_less_than_they_did(figure, method, each, before, least):
    """A seed is for demonstrations: whoever has it can repeat the rounding, so that only the coarse steps are left."""
    left = [
        left_to_who_knows_the_seed(people(file, 300), record, method, TRIED)
        for file in (5, 6, 7)
        for record in range(10, 300, each)
    ]
    figure(
        f"the same, the seed being known, too: {method}", now=float(np.mean(left)), baseline=AGES.size, before=before
    )
    assert np.mean(left) >= least


@pytest.mark.parametrize("method", ["fuzzy-c-means", "gustafson-kessel"])
@pytest.mark.parametrize("records", [60, 2000])
def test_published_sets_have_few_digits(method, records):
    sets = found_sets(people(5, records).with_columns(pl.col("age") + 0.123456789), method)
    for norm in sets.norms:
        assert all(float(f"{value:.3g}") == value for row in norm for value in row)
        assert np.linalg.eigvalsh(np.array(norm)).min() > 0
    assert all(len(f"{value:.12g}".strip("0.-")) <= 3 for centre in sets.centres for value in centre)


def test_rounding_meets_centres_on_average():
    """The published number is above or below the true one by chance alone."""
    values = people(5, 300).select(QUASI).to_numpy()
    scales = values.std(axis=0)
    secret = Secret.chosen(1)
    exact = exact_sets(settings_of("fuzzy-c-means"), QUASI, values / scales, scales, None, secret)
    drawn = [rounded_sets(exact, values, None, np.random.default_rng(draw))[0] for draw in range(1000)]
    spread = np.std(drawn, axis=0)
    assert (spread > 0.05 * scales).all()
    assert (np.abs(np.mean(drawn, axis=0) - exact.centres) < 5 * spread / np.sqrt(1000)).all()


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
