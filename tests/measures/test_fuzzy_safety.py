from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sfumato.errors import MicrofileError, SettingError
from sfumato.fuzzy import category_memberships, product, ruspini
from sfumato.measures import Twin, measure_fuzzy
from tests.measures.fuzzy_example import MEMBERSHIPS, PEOPLE


def test_one_table_shows_both():
    safety = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours", cardinality="nonfuzzy")
    assert safety.twins(level=0.5) == (Twin("k", 2, 2), Twin("sigma k", 1.5, 2), Twin("Q", 2, 2))
    found = {twin.name: (twin.fuzzy, twin.crisp) for twin in safety.attributes["hours"].twins()}
    assert found["distinct l"] == found["represented l"] == (2, 2)
    assert found["t"] == pytest.approx((67 / 240, 3 / 10))
    assert found["posterior belief"] == pytest.approx((2 / 3, 2 / 3))


def test_kinds_choose_the_distance():
    table = pl.DataFrame({"pay": [1.0, 2.0], "ill": ["a", "b"]})
    safety = measure_fuzzy(table, np.eye(2), sensitive=["pay", "ill"], distances={"pay": "equal"})
    assert {name: found.distance for name, found in safety.attributes.items()} == {"pay": "equal", "ill": "equal"}
    assert measure_fuzzy(table, np.eye(2), sensitive="pay").attributes["pay"].distance == "ordered"
    assert measure_fuzzy(table, np.eye(2)).attributes == {}


def test_any_layout_of_memberships_will_do():
    one = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours")
    other = measure_fuzzy(PEOPLE, np.asfortranarray(MEMBERSHIPS), sensitive="hours")
    assert one.attributes["hours"].twins() == other.attributes["hours"].twins()
    assert measure_fuzzy(PEOPLE, MEMBERSHIPS.tolist(), sensitive="hours").twins(level=1) == one.twins(level=1)


def test_households_are_counted():
    table = pl.DataFrame({"home": [1, 1, 2, None, None]})
    grades = np.array([[0.75, 0.25], [0.25, 0.75], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    safety = measure_fuzzy(table, grades, household="home")
    # the first set has homes 1 and 2 and, by half, one alone; the second home 1, the same by half, and another alone
    assert safety.k.households.values.tolist() == [3, 3]
    assert safety.k.nonfuzzy.values.tolist() == [3, 3]
    assert safety.twins(level=0.5)[-1] == Twin("households", 3, 2)
    family = measure_fuzzy(pl.DataFrame({"home": [7] * 5}), grades, household="home")
    assert (family.k.nonfuzzy.worst, family.k.households.worst, family.k.crisp_households.worst) == (3, 1, 1)
    assert measure_fuzzy(table, grades).k.households is None


def test_categories_are_crisp_sets():
    table = pl.DataFrame({"sex": ["f", "m", None, "f"], "age": [20, 40, 30, 25]})
    sexes, names = category_memberships(table, "sex")
    assert names == ("f", "m", "missing")
    both = product([sexes, ruspini("age", [20, 40]).memberships(table)])
    assert measure_fuzzy(table, both).k.sigma.values.tolist() == [1.75, 0.25, 1, 0.5, 0.5]


def test_what_is_refused():
    with pytest.raises(MicrofileError, match="there is no column 'pays'"):
        measure_fuzzy(pl.DataFrame({"pay": [1.0]}), [[1.0]], sensitive="pays")
    with pytest.raises(SettingError, match="column 'age' has a distance but is not sensitive"):
        measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours", distances={"age": "equal"})
    with pytest.raises(SettingError, match="belong to no set of the partition: 3") as caught:
        measure_fuzzy(PEOPLE, np.where(np.arange(15)[:, None] < 3, 0.0, MEMBERSHIPS), sensitive="hours")
    assert "missing=" in caught.value.hint


@pytest.mark.parametrize(
    ("setting", "ask"),
    [
        ("operator", lambda safety: safety.q(operator="max")),
        ("possibility", lambda safety: safety.q(possibility="zadeh")),
        ("background", lambda safety: safety.attributes["hours"].believed(np.full(7, 1 / 7), background="none")),
        ("cardinality", lambda _: measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours", cardinality="support")),
        (
            "distance",
            lambda _: (
                measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours", distances={"hours": "hierarchical"})
                .attributes["hours"]
                .t
            ),
        ),
    ],
)
def test_unknown_choices_are_refused(setting, ask):
    safety = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours")
    with pytest.raises(SettingError, match=f"{setting} '.*' is not known") as caught:
        ask(safety)
    assert caught.value.hint.startswith("choose one of: ")
