from __future__ import annotations

import numpy as np
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


def test_looking_for_households_reads_each_cell_a_bounded_number_of_times(monkeypatch):
    from sfumato.kernels import household_agreement as sharing

    read = []

    def counting(*arguments):
        found, cells = kernel(*arguments)
        read.append(cells)
        return found, cells

    kernel = sharing.shared_attributes
    monkeypatch.setattr(sharing, "shared_attributes", counting)
    rng = np.random.default_rng(0)
    # nearly constant attributes differ late, and every second one could number households
    columns = {f"c{i}": rng.integers(0, 200, 600) if i % 2 else (rng.random(600) < 0.005) * 7 for i in range(160)}
    columns = {name: np.where(np.arange(600) == 599, 3, values) for name, values in columns.items()}
    sf.profile(pl.DataFrame(columns))
    assert len(read) > 50
    assert sum(read) < 64 * 160 * 600


def test_households_are_found_among_many_attributes():
    rng = np.random.default_rng(0)
    numbers = np.arange(3000) // 3
    columns = {f"c{i}": rng.integers(0, 900, 3000) for i in range(200)}
    columns |= {
        "which": numbers,
        "rooms": rng.integers(1, 9, 1000)[numbers],
        "built": rng.integers(1900, 2000, 1000)[numbers],
    }
    assert sf.profile(pl.DataFrame(columns)).homes == ("which",)
