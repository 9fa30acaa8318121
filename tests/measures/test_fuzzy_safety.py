from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sfumato.errors import MicrofileError, SettingError
from sfumato.fuzzy import category_memberships, product, ruspini
from sfumato.measures import measure_fuzzy
from tests.measures.fuzzy_example import MEMBERSHIPS, PEOPLE


def worst(safety, attribute="hours"):
    k, sensitive = safety.k, safety.attributes[attribute]
    measures = (k.nonfuzzy, k.crisp, k.sigma, sensitive.l.distinct, sensitive.l.crisp_distinct, sensitive.l.belief)
    return (*(measure.worst for measure in measures), safety.q().reached(0.5), sensitive.t.t, sensitive.t.crisp.worst)


def test_fuzzy_measures_are_beside_their_crisp_twins():
    safety = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours", cardinality="nonfuzzy")
    assert worst(safety) == pytest.approx((2, 2, 1.5, 2, 2, 2 / 3, 2, 67 / 240, 3 / 10))
    diversity = safety.attributes["hours"].l
    assert (diversity.represented.worst, diversity.crisp_belief.worst) == pytest.approx((2, 2 / 3))


def test_kinds_choose_the_distance():
    table = pl.DataFrame({"pay": [1.0, 2.0], "ill": ["a", "b"]})
    safety = measure_fuzzy(table, np.eye(2), sensitive=["pay", "ill"], distances={"pay": "equal"})
    assert {name: found.distance for name, found in safety.attributes.items()} == {"pay": "equal", "ill": "equal"}
    assert measure_fuzzy(table, np.eye(2), sensitive="pay").attributes["pay"].distance == "ordered"
    assert measure_fuzzy(table, np.eye(2)).attributes == {}


def test_any_layout_of_memberships_will_do():
    one = measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours")
    other = measure_fuzzy(PEOPLE, np.asfortranarray(MEMBERSHIPS), sensitive="hours")
    assert worst(one) == worst(other) == worst(measure_fuzzy(PEOPLE, MEMBERSHIPS.tolist(), sensitive="hours"))


def test_households_are_counted():
    table = pl.DataFrame({"home": [1, 1, 2, None, None]})
    grades = np.array([[0.75, 0.25], [0.25, 0.75], [1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    safety = measure_fuzzy(table, grades, household="home")
    # the first set has homes 1 and 2 and, by half, one alone; the second home 1, the same by half, and another alone
    assert safety.k.households.values.tolist() == [3, 3]
    assert safety.k.nonfuzzy.values.tolist() == [3, 3]
    assert (safety.k.households.worst, safety.k.crisp_households.worst) == (3, 2)
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
    with pytest.raises(MicrofileError, match="unknown column 'pays'"):
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
