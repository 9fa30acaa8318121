"""Sets that rest on one record fewer than k are refused, whichever way they do."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import UnattainableError
from sfumato.fuzzy.codebook_sets import ClusteredSets
from sfumato.partitions.set_checks import Graded, refuse_lonely

MANY = 40


def refuse(k: int, second: list[float], weights: list[float]) -> None:
    """Check two sets: many records belong to the first one alone, further ones to the second by given grades."""
    in_second = np.array([0.0] * MANY + second)
    grades = np.stack([1.0 - in_second, in_second], axis=1)
    square = ((1.0,),)
    sets = ClusteredSets(
        attributes=("x",), names=("a", "b"), centres=((0.0,), (9.0,)), norms=(square, square), fuzzifier=2.0
    )
    file = sf.Microfile(pl.DataFrame({"x": 9 * in_second, "w": [1.0] * MANY + weights}))
    settings = sf.FuzzyPartition(quasi="x", sets=2, k=k, weight="w")
    refuse_lonely({"x": Graded(sets, grades, np.zeros(len(grades), dtype=bool))}, settings, file)


@pytest.mark.parametrize(
    ("second", "weights"),
    [
        ([1.0] * 4, [1.0] * 4),
        # five records, of which one weighs little: as dispersed as four and a half
        ([1.0] * 5, [1.0] * 4 + [0.3]),
        # four are nearest to it, and with the others as dispersed as five
        ([1.0] * 4 + [0.45] * 3, [1.0] * 7),
    ],
)
def test_a_set_that_rests_on_one_record_too_few_is_refused(second, weights):
    refuse(4, second, weights)
    with pytest.raises(UnattainableError, match="a set rests on fewer than k = 5 records"):
        refuse(5, second, weights)
