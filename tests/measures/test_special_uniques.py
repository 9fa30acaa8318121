from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import SettingError

records = st.lists(st.tuples(*[st.sampled_from([1, 2, 3, None])] * 4), min_size=1, max_size=15)


def alike(one, other, chosen, wildcards):
    return all(one[a] == other[a] or (wildcards and (one[a] is None or other[a] is None)) for a in chosen)


@given(records, st.booleans())
def test_minimal_uniques_are_those_of_trying_every_set(rows, wildcards):
    if any(all(row[a] is None for row in rows) for a in range(4)):
        return
    table = sf.Microfile(pl.DataFrame(rows, schema=list("abcd"), orient="row"))
    found = sf.minimal_uniques(table, list("abcd"), wildcards=wildcards)
    sizes = [0] * 4
    for place, row in enumerate(rows):
        minimal = []
        for size in range(1, 5):
            for chosen in itertools.combinations(range(4), size):
                if sum(alike(row, other, chosen, wildcards) for other in rows) == 1 and not any(
                    set(m) <= set(chosen) for m in minimal
                ):
                    minimal.append(chosen)
                    sizes[size - 1] += 1
        score = sum(math.factorial(4 - len(m)) for m in minimal)
        assert found.scores[place] == score
        for a in range(4):
            part = sum(math.factorial(4 - len(m)) for m in minimal if a in m)
            assert found.shares[place, a] * score == pytest.approx(part)
    assert found.sizes.tolist() == sizes


def test_seven_records_of_three_letters():
    rows = ["AXP", "BXQ", "AYQ", "CZR", "BYR", "AXP", "BZQ"]
    table = sf.Microfile(pl.DataFrame([tuple(row) for row in rows], schema=list("abc"), orient="row"))
    found = sf.minimal_uniques(table, list("abc"))
    assert found.scores.tolist() == [0, 2, 3, 3, 3, 0, 2]
    assert [100 * share for share in found.contributions.values()] == pytest.approx(
        [61.53846, 69.23077, 53.84615], abs=5e-5
    )


def test_sdcmicro_examples(real_data):
    people = sf.read(real_data("sdcmicro/testdata2.csv"))
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
    assert sf.minimal_uniques(people, [*keys[:4], "sex"]).scores[0] == 2
    assert sf.minimal_uniques(people, keys).scores[0] == 180
    found = sf.minimal_uniques(sf.read(real_data("sdcmicro/francdat.csv")), ["Key1", "Key2", "Key3", "Key4"])
    np.testing.assert_allclose(found.disclosive()[3:7], [0.0142135, 0.0101060, 0.0062368, 0.0142135], atol=5e-7)


@pytest.mark.parametrize("wrong", [{"names": []}, {"names": ["a", "a"]}, {"names": ["a"], "max_size": 2}])
def test_wrong_settings(wrong):
    table = sf.Microfile(pl.DataFrame({"a": [1, 2]}))
    with pytest.raises(SettingError):
        sf.minimal_uniques(table, **wrong)
    with pytest.raises(SettingError, match="fraction"):
        sf.minimal_uniques(table, ["a"]).disclosive(fraction=0)


def test_the_search_can_stop_early():
    table = sf.Microfile(pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2]}))
    assert sf.minimal_uniques(table, ["a", "b"], max_size=1).records == 0
    assert sf.minimal_uniques(table, ["a", "b"]).records == 4
