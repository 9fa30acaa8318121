"""Which roles are suggested, and why."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError
from sfumato.suggesting import suggest
from sfumato.suggesting.suggestion import MOST_QUASI


def roles_of(columns):
    return {suggested.name: suggested.role for suggested in suggest(pl.DataFrame(columns)).attributes}


def some(records, of, seed=0):
    return np.random.default_rng(seed).choice(of, records)


def test_roles_come_from_names_kinds_and_counts():
    n = 600
    roles = roles_of(
        {
            "first_name": some(n, ["ann", "bob", "cyd"]),
            "case": [number * 37 for number in range(n)],
            "household": [number // 3 for number in range(n)],
            "wgt": some(n, [1.5, 2.5]),
            "wgt1": some(n, [1.0, 2.0], seed=1),
            "age": some(n, np.arange(90)),
            "sex": some(n, ["f", "m"]),
            "diagnosis": some(n, ["x", "y", "z"]),
            "remark": [f"text {number}" for number in range(n)],
            "score": some(n, np.arange(30)),
            "country": ["here"] * n,
        }
    )
    assert roles == {
        "first_name": "identifier",
        "case": "identifier",
        "household": "household",
        "wgt": "weight",
        "wgt1": "identifier",
        "age": "quasi",
        "sex": "quasi",
        "diagnosis": "sensitive",
        "remark": "identifier",
        "score": "sensitive",
        "country": "none",
    }


def test_a_weight_that_lacks_values_is_somebodys_body():
    n = 300
    roles = roles_of(
        {"weight": [None, *some(n - 1, [60.0, 70.0])], "age": some(n, np.arange(80)), "sex": some(n, ["f", "m"])}
    )
    assert roles["weight"] == "sensitive"


def test_more_quasi_attributes_than_boxes_can_take_are_withheld():
    n = 400
    names = [f"region{number}" for number in range(11)] + ["age"]
    made = suggest(pl.DataFrame({name: some(n, np.arange(4), seed) for seed, name in enumerate(names)}))
    assert len(made.names("quasi")) == MOST_QUASI
    assert "age" in made.names("quasi")
    assert len(made.names("identifier")) == 4
    # nothing that others may know is released as it is
    assert not made.names("sensitive")


def test_what_follows_from_another_attribute_is_withheld():
    age = some(500, np.arange(40))
    made = suggest(
        pl.DataFrame({"age": age, "age_group": [str(years // 10) for years in age], "sex": some(500, ["f", "m"])})
    )
    assert made.names("quasi") == ["age", "sex"]
    assert "'age'" in made.of_role("identifier")[0].reason


def test_what_tells_a_quasi_attribute_exactly_is_withheld():
    n = 900
    area = some(n, np.arange(30))
    made = suggest(
        pl.DataFrame(
            {"area": area, "region": area // 3, "age": some(n, np.arange(60), 1), "score": some(n, np.arange(50), 2)}
        )
    )
    assert made.names("quasi") == ["region", "age"]
    assert made.names("identifier") == ["area"]
    assert "'region'" in made.of_role("identifier")[0].reason
    assert made.names("sensitive") == ["score"]


def test_without_telling_names_counts_decide():
    n = 500
    made = suggest(
        pl.DataFrame({"a": some(n, np.arange(5)), "b": some(n, np.arange(50)), "c": some(n, np.arange(3000))})
    )
    assert made.names("quasi") == ["a", "b"]
    assert made.names("sensitive") == ["c"]


def test_an_attribute_that_hardly_anybody_has_is_withheld_where_it_would_cost_the_others():
    n = 60
    lacking = [None] * (n - 1) + ["x"]
    columns = {"age": some(n, np.arange(9)), "race": [*lacking[:-2], "x", "y"], "sex": some(n, ["f", "m"])}
    made = suggest(pl.DataFrame(columns))
    sf.Boxes(quasi=made.names("quasi"), identifiers=made.names("identifier"), k=made.k).protect(pl.DataFrame(columns))


@pytest.mark.parametrize(("records", "k"), [(20, 2), (60, 3), (300, 5), (10_000, 10)])
def test_k_grows_with_the_file(records, k):
    assert suggest(pl.DataFrame({"age": some(records, np.arange(60))})).k == k


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"age": [30]}, id="one record"),
        pytest.param({"id": list(range(200)), "ssn": [f"{number:09}" for number in range(200)]}, id="identifiers"),
        pytest.param({"age": [30] * 50, "sex": ["f"] * 50}, id="constant"),
        pytest.param({"age": [None, None], "sex": ["f", "f"]}, id="blank"),
    ],
)
def test_nothing_to_protect(columns):
    with pytest.raises(MicrofileError, match="nothing to protect"):
        suggest(pl.DataFrame(columns))
