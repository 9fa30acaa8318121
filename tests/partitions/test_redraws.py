"""Whether a small file is released does not depend on the secret: sets that must not be released are drawn again."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import UnattainableError
from sfumato.partitions.redraws import attempts_for, first_accepted
from sfumato.randomness import Secret
from tests.partitions.tables import people

SEEDS = 30


def test_no_seed_decides_whether_a_small_file_is_released():
    """Of the first draws, 11 of 30 are refused."""
    file = people(3, 60)
    for seed in range(SEEDS):
        release = sf.FuzzyPartition(quasi=["age", "hours"], k=5, suppress=0.3, seed=seed, threads=1).protect(file)
        assert release.private["left_out"] <= 0.3 * 60


def test_draws_that_were_repeated_are_made_again_from_the_secret():
    """The first draw of seed 1 is refused."""
    asked = sf.FuzzyPartition(quasi=["age", "hours"], k=3, suppress=0.5, threads=1)
    first = asked.protect(people(3, 30), secret=Secret.from_seed(1))
    again = asked.protect(people(3, 30), secret=first.secret)
    assert again.table.equals(first.table)
    assert again.codebook == first.codebook


def test_where_all_draws_are_refused_every_seed_gives_the_same_error():
    """One of two sets has six records, of which one has no weight, wherever a clustering starts."""
    values = np.concatenate([np.linspace(0.0, 10.0, 40), np.linspace(100.0, 105.0, 6)])
    file = pl.DataFrame({"age": values, "w": (np.arange(46) != 42).astype(float)})
    told = set()
    for seed in range(3):
        with pytest.raises(UnattainableError, match="a set rests on fewer than k = 6 records") as refused:
            sf.FuzzyPartition(quasi="age", method="k-means", sets=2, weight="w", k=6, seed=seed).protect(file)
        told.add(str(refused.value))
    assert len(told) == 1
    assert "fewer sets or a smaller k" in told.pop()


def test_the_first_attempt_draws_from_the_secret_itself():
    secret, seen = Secret.from_seed(1), []

    def refused(draws: Secret) -> sf.Release:
        seen.append(draws)
        raise UnattainableError("rare" if len(seen) == 1 else "usual", hint="choose fewer sets")

    with pytest.raises(UnattainableError, match="usual") as raised:
        first_accepted(refused, secret, 60)
    assert raised.value.hint == "choose fewer sets; other draws of the sets are refused as well"
    assert seen[0] == secret
    assert len(set(seen)) == len(seen) == attempts_for(60)
