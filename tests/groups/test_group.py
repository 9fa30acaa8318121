"""Groups and their signals, on real and small data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError

PEOPLE = pl.DataFrame(
    {
        "state": [1, 1, 1, 2, 2, 2, 2, None],
        "area": ["A", "A", "B", "A", "A", "B", "B", "A"],
        "work": ["army", "shop", "army", "army", "army", "shop", None, "army"],
        "sex": ["m", "m", "f", "m", "f", "f", "m", "m"],
        "weight": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
    }
)
ARMY = sf.Group(vital={"work": ["army"]}, parameter=["state", "area"])


def test_quantity_counts_members_by_joined_places() -> None:
    assert ARMY.quantity(PEOPLE).as_dict() == {"1/A": 1, "1/B": 1, "2/A": 2, "2/B": 0}
    assert ARMY.quantity(PEOPLE, weight="weight").as_dict() == {"1/A": 1, "1/B": 3, "2/A": 9, "2/B": 0}


def test_concentration_is_of_everybody_or_of_a_universe() -> None:
    assert ARMY.concentration(PEOPLE).as_dict() == {"1/A": 0.5, "1/B": 1.0, "2/A": 1.0, "2/B": 0.0}
    men = ARMY.concentration(PEOPLE, universe={"sex": ["m"]})
    # members are counted in any case
    assert men.as_dict() == {"1/A": 0.5, "1/B": 1.0, "2/A": 1.0, "2/B": 0.0}
    weighted = ARMY.concentration(PEOPLE, weight="weight")
    assert weighted.values == pytest.approx([1 / 3, 1.0, 1.0, 0.0])


def test_difference_subtracts_the_share_of_another_group() -> None:
    found = ARMY.difference(PEOPLE, other={"work": ["shop"]})
    assert found.values == pytest.approx([0.5 - 0.5, 1.0, 1.0, 0.0 - 0.5])
    assert found.kind == "difference"


def test_places_can_be_restricted_and_ordered() -> None:
    some = sf.Group(vital={"work": ["army"]}, parameter="area", values=["B", "A"])
    assert some.quantity(PEOPLE).as_dict() == {"B": 1, "A": 4}
    frame = pd.DataFrame(PEOPLE.to_dict(as_series=False), index=np.arange(8)[::-1])
    assert some.quantity(frame).as_dict() == {"B": 1, "A": 4}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"vital": {"work": ["army"]}, "parameter": "aera"}, "there is no column 'aera'"),
        ({"vital": {"work": ["army"]}, "parameter": "area", "values": ["A", "C"]}, "there is no place 'C'"),
        ({"vital": {"area": ["A"]}, "parameter": "area"}, "both vital and the parameter"),
        ({"vital": {"work": ["army"]}, "parameter": "area", "values": ["A", "A"]}, "names a place twice"),
        ({"vital": {"work": {"from": 3}}, "parameter": "area"}, "there is no setting 'vital.work.from'"),
        ({"vital": {"work": {}}, "parameter": "area"}, "a range needs least, most or both"),
        ({"vital": {}, "parameter": "area"}, "setting 'vital'"),
        ({"vital": "work = 1", "parameter": "area"}, "is no condition"),
    ],
)
def test_wrong_groups_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        sf.Group(**settings).quantity(PEOPLE)
    assert message in refused.value.message
