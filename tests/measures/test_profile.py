from __future__ import annotations

import polars as pl
from hypothesis import given

import sfumato as sf
from tests.measures.tables import frame, rows


def test_adult(real_data):
    found = sf.profile(sf.read(real_data("adult/adult_train.csv.gz"), missing=["?"]))
    assert found.records == 32561
    assert {"age", "sex", "race", "education", "native-country"} <= set(found.of_role("quasi"))
    assert found.of_role("sensitive") == ["income"]
    assert found.of_role("weight") == ["fnlwgt"]
    assert {a.name: a.missing for a in found.attributes}["workclass"] == 1836


def test_identifiers_and_households_are_recognised():
    people = sf.Microfile(
        pl.DataFrame(
            {
                "name": [f"n{i}" for i in range(40)],
                "household": [i // 2 for i in range(40)],
                "running": list(range(100, 140)),
                "amount": [i * 1000 + 7 for i in range(40)],
                "age": [20 + i % 5 for i in range(40)],
            }
        )
    )
    found = sf.profile(people)
    assert {a.name: a.role for a in found.attributes} == {
        "name": "identifier",
        "household": "household",
        "running": "identifier",
        "amount": "none",
        "age": "quasi",
    }


@given(rows)
def test_combinations_count_what_is_alone(records):
    table = frame(records).rename({"p": "sex", "q": "region"})
    for combination in sf.profile(sf.Microfile(table)).combinations:
        alone = table.group_by(combination.names).len().filter(pl.col("len") == 1).height
        assert combination.unique == alone
