from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given

import sfumato as sf
from sfumato.measures.attribute_inference import guessing, miss_of
from sfumato.measures.blocks import blocks_of
from tests.measures.tables import crowds, frame, rows


def guessed(table, *, quasi=("p", "q"), sensitive="s", missing="own"):
    safety = sf.measure(table, quasi=list(quasi), sensitive=sensitive, missing=missing)
    return guessing(safety.attributes[sensitive].contingency)


def test_guesses_by_hand():
    table = pl.DataFrame({"q": list("aaaabbbccc"), "s": list("xxyzyyyxyz")})
    found = guessed(table, quasi="q")
    # y is the commonest: once in a, three times in b, once in c
    assert found.blind == 0.5
    # two of four, three of three, one of three
    assert found.informed == pytest.approx(0.6)
    assert found.surest == 1.0
    assert found.certain == 3


def test_a_missing_value_is_never_guessed():
    table = pl.DataFrame({"q": list("aaaab"), "s": ["x", None, None, None, None]})
    found = guessed(table, quasi="q")
    assert (found.blind, found.informed, found.surest, found.certain) == (0.2, 0.2, 0.25, 0)


def share_of_commonest(values, *, wildcards):
    counted = [value for value in values if value is not None] if wildcards else values
    known = Counter(value for value in counted if value is not None)
    return max(known.values()) / len(counted) if known else 0.0


@pytest.mark.parametrize("missing", ["own", "wildcard"])
@given(rows)
def test_guesses_by_brute_force(missing, records):
    # what has no value at all is refused
    assume(all(any(r[place] is not None for r in records) for place in (0, 1, 3)))
    wildcards = missing == "wildcard"
    found = guessed(frame(records), missing=missing)
    shares = [
        share_of_commonest([r[3] for r in its], wildcards=wildcards) for its in crowds(records, wildcards=wildcards)
    ]
    assert found.informed == pytest.approx(np.mean(shares))
    assert found.surest == pytest.approx(max(shares))
    assert found.certain == sum(share == 1 for share in shares)
    assert found.blind == pytest.approx(share_of_commonest([r[3] for r in records], wildcards=wildcards))
    if not wildcards:
        assert found.informed >= found.blind - 1e-12


@given(rows)
def test_misses_by_brute_force(records):
    table = sf.Microfile(frame(records))
    numbers = table.numbers("n")
    found = miss_of(blocks_of(table, ["p", "q"]), numbers)
    known = [r[2] for r in records if r[2] is not None]
    left = [
        r[2] - np.mean([other[2] for other in its if other[2] is not None])
        for r, its in zip(records, crowds(records, wildcards=False), strict=True)
        if r[2] is not None
    ]
    assert found.blind == pytest.approx(np.std(known) if known else 0.0)
    assert found.informed == pytest.approx(math.sqrt(np.mean(np.square(left))) if left else 0.0)


def test_large_numbers_of_small_differences_keep_their_digits():
    table = sf.Microfile(pl.DataFrame({"q": list("aabb"), "n": [1e12, 1e12 + 2, 1e12 + 10, 1e12 + 12]}))
    assert miss_of(blocks_of(table, ["q"]), table.numbers("n")).informed == 1.0
