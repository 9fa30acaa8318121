"""The plain count of cells contradicts whatever else was measured."""

from __future__ import annotations

import copy

import polars as pl
import pytest

import sfumato as sf
from sfumato.release.independent_recount import contradictions

FRAME = pl.DataFrame(
    {
        "town": ["n", "n", "n", "s", "s", None, None],
        "ill": ["a", "a", "b", "a", "c", "c", "b"],
        "pay": [1.0, 2.0, 5.0, 1.0, 2.0, 2.0, 5.0],
    }
)


@pytest.fixture
def said() -> dict:
    promise = sf.Promise(quasi="town", sensitive=["ill", "pay"], k=2)
    return copy.deepcopy(sf.Release(FRAME, promise=promise).audit().measured)


def test_what_is_measured_is_what_is_counted(said):
    assert (said["blocks"], said["k"]) == (3, 2)
    assert list(contradictions(FRAME, said, ["town"])) == []


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (["blocks"], 2, "has 3 different combinations of quasi cells, measured as 2 blocks"),
        (["k"], 3, "a combination of quasi cells that only 2 records share, measured as k = 3"),
        (["k"], 1, "a combination of quasi cells that only 2 records share, measured as k = 1"),
        (["attributes", "ill", "l"], 3, "has a block with 2 different cells of 'ill', measured as l = 3"),
        (["attributes", "ill", "t"], 0.01, "of 'ill' by a plain count, measured as 0.01"),
        (["attributes", "pay", "t"], 0.01, "of 'pay' by a plain count, measured as 0.01"),
    ],
)
def test_what_is_not_so_is_contradicted(said, place, value, message):
    its = said
    for name in place[:-1]:
        its = its[name]
    its[place[-1]] = value
    (found,) = contradictions(FRAME, said, ["town"])
    assert message in found
