from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sfumato.errors import MicrofileError, SettingError
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


def test_what_is_refused():
    with pytest.raises(MicrofileError, match="there is no column 'pays'"):
        measure_fuzzy(pl.DataFrame({"pay": [1.0]}), [[1.0]], sensitive="pays")
    with pytest.raises(SettingError, match="column 'age' has a distance but is not sensitive"):
        measure_fuzzy(PEOPLE, MEMBERSHIPS, sensitive="hours", distances={"age": "equal"})
    with pytest.raises(SettingError, match="3 records belong to no set") as caught:
        measure_fuzzy(PEOPLE, np.where(np.arange(15)[:, None] < 3, 0.0, MEMBERSHIPS), sensitive="hours")
    assert "missing=" in caught.value.hint
