"""Groups and their signals, on real and small data."""

from __future__ import annotations

from datetime import date

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
        ({"vital": {"work": ["army"]}, "parameter": "aera"}, "unknown column 'aera'"),
        ({"vital": {"work": ["army"]}, "parameter": "area", "values": ["A", "C"]}, "unknown place 'C'"),
        ({"vital": {"area": ["A"]}, "parameter": "area"}, "both vital and the parameter"),
        ({"vital": {"work": ["army"]}, "parameter": "area", "values": ["A", "A"]}, "names a place twice"),
        ({"vital": {"work": {"from": 3}}, "parameter": "area"}, "unknown setting 'vital.work.from'"),
        ({"vital": {"work": {}}, "parameter": "area"}, "a range needs least, most or both"),
        ({"vital": {}, "parameter": "area"}, "setting 'vital'"),
        ({"vital": {"work": {"leest": 3}}, "parameter": "area"}, "unknown setting 'vital.work.leest'"),
        ({"vital": "work = 1", "parameter": "area"}, "vital: 'work = 1' is not a condition"),
        ({"vital": "work + 1", "parameter": "area"}, "vital: unsupported expression in condition 'work + 1'"),
    ],
)
def test_wrong_groups_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(SettingError) as refused:
        sf.Group(**settings).quantity(PEOPLE)
    assert message in refused.value.message


def test_places_can_be_numbers_and_days() -> None:
    some = sf.Group(vital={"work": ["army"]}, parameter="state", values=[2, 1.0])
    assert some.quantity(PEOPLE).as_dict() == {"2": 2, "1": 2}
    days = PEOPLE.with_columns(day=pl.Series([date(2020, 1, 1 + n % 2) for n in range(8)]))
    by_day = sf.Group(vital={"work": ["army"]}, parameter="day", values=[date(2020, 1, 2), date(2020, 1, 1)])
    assert by_day.quantity(days).as_dict() == {"2020-01-02": 2, "2020-01-01": 3}
    finest = days.with_columns(pl.col("day").cast(pl.Datetime("ns")))
    assert by_day.model_copy(update={"values": None}).quantity(finest).labels[0] == "2020-01-01 00:00:00"


@pytest.mark.parametrize("values", [None, ["x/y/z", "q/q"]])
def test_joined_places_of_the_same_name_are_refused(values: list[str] | None) -> None:
    frame = pl.DataFrame({"one": ["x/y", "x", "q"], "two": ["z", "y/z", "q"], "work": ["army"] * 3})
    with pytest.raises(SettingError, match="values of one, two are joined by '/'") as refused:
        sf.Group(vital={"work": ["army"]}, parameter=["one", "two"], values=values).quantity(frame)
    assert "x" not in refused.value.message.split()
    assert "join the attributes into one column yourself" in (refused.value.hint or "")


def test_a_wrong_range_of_a_universe_is_answered_with_what_is_meant() -> None:
    with pytest.raises(SettingError, match="universe: a range has no 'leest'") as refused:
        ARMY.concentration(PEOPLE, universe={"state": {"leest": 1}})
    assert refused.value.hint == "did you mean 'least'?"
