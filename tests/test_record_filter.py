"""Choosing records by values, ranges and conditions."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

import numpy as np
import polars as pl
import pytest

from sfumato import Microfile
from sfumato.errors import SettingError
from sfumato.record_filter import Between, Chosen, attributes_of, chosen_in

PEOPLE = Microfile(
    pl.DataFrame(
        {
            "age": [15, 30, 45, None, 60],
            "work": ["no", "army", "army", "army", None],
            "rank": ["low", "high", "middle", "low", "high"],
            "code": [1.0, 2.0, 1.0, 1.5, None],
            "soldier": [False, True, True, None, False],
        }
    ),
    kinds={"rank": ["low", "middle", "high"]},
)


def chosen(wanted: Chosen) -> list[int]:
    return [number for number, inside in enumerate(chosen_in(PEOPLE, wanted, setting="vital")) if inside]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"work": ("army",)}, [1, 2, 3]),
        ({"work": ("army",), "age": Between(most=40)}, [1]),
        (({"work": ("army",)}, {"age": Between(least=60)}), [1, 2, 3, 4]),
        ({"code": (1,)}, [0, 2]),
        ({"code": ("1.5", 2)}, [1, 3]),
        ({"rank": Between(least="middle")}, [1, 2, 4]),
        ("work == 'army'", [1, 2, 3]),
        ("work != 'army'", [0]),
        # nobody knows of record 4
        ("not work == 'army'", [0]),
        ("not (work == 'army' and age < 40)", [0, 2, 4]),
        ("not (work == 'army' or age < 50)", []),
        ("not work in ['army']", [0]),
        ("age < 1" + "0" * 400, [0, 1, 2, 4]),
        ("soldier == True", [1, 2]),
        ({"soldier": (True,)}, [1, 2]),
        ("age >= 30 and work == 'army'", [1, 2]),
        ("age < 30 or age > 50", [0, 4]),
        ("age in [15, 60]", [0, 4]),
        ("age not in [15, 60]", [1, 2]),
        ("rank <= 'middle'", [0, 2, 3]),
        ("code == 1", [0, 2]),
    ],
)
def test_who_is_chosen(wanted: Chosen, found: list[int]) -> None:
    assert chosen(wanted) == found


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"wrok": ("army",)}, "vital: unknown column 'wrok'"),
        ("wrok == 1", "vital: unknown column 'wrok'"),
        ({"work": Between(least=3)}, "'work' cannot be compared with 3: it is categorical"),
        ("age ==", "is not a condition"),
        ("__import__('os').system('true')", "unsupported expression in condition"),
        ("age == work", "unsupported expression in condition"),
        ("age in {[1]}", "unsupported expression in condition"),
        ("15 < age < 40", "unsupported expression in condition"),
        ("age", "unsupported expression in condition"),
        ("age in [15, None]", "unsupported expression in condition"),
        ("not " * 3000 + "age == 15", "is not a condition"),
    ],
)
def test_wrong_choices_are_refused(wanted: Chosen, message: str) -> None:
    with pytest.raises(SettingError, match="vital"):
        chosen(wanted)
    with pytest.raises(SettingError) as refused:
        chosen(wanted)
    assert message in refused.value.message


def test_attributes() -> None:
    assert attributes_of("a == 1 and (b > 2 or a in [3])", setting="vital") == ("a", "b")
    assert attributes_of(({"a": (1,)}, {"b": (2,), "a": (3,)}), setting="vital") == ("a", "b")


DAYS = pl.Series([date(1990, 1, 1), date(1995, 5, 5), None, date(2000, 12, 31)])


@pytest.mark.parametrize("days", [DAYS, DAYS.cast(pl.Datetime("ns")), DAYS.cast(pl.Datetime("us", "UTC"))])
@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"born": Between(least=date(1990, 1, 1), most=date(1995, 5, 5))}, [0, 1]),
        ({"born": Between(least="1995-05-05")}, [1, 3]),
        ({"born": Between(most=datetime(1995, 5, 5, 12))}, [0, 1]),
        ({"born": Between(most=datetime(1995, 5, 5, 1, tzinfo=timezone(timedelta(hours=2))))}, [0]),
        ({"born": (date(1990, 1, 1), "2000-12-31")}, [0, 3]),
        ("born > '1990-01-01'", [1, 3]),
        ("born != '1990-01-01'", [1, 3]),
        ("born in ['1990-01-01', '1995-05-05T00:00']", [0, 1]),
        ("not born <= '1995-05-05'", [3]),
    ],
)
def test_dates_are_compared(days: pl.Series, wanted: Chosen, found: list[int]) -> None:
    people = Microfile(pl.DataFrame({"born": days}))
    assert np.flatnonzero(chosen_in(people, wanted, setting="vital")).tolist() == found


def test_a_day_is_all_of_it() -> None:
    people = Microfile(pl.DataFrame({"at": [datetime(1990, 1, 1, 9), datetime(1990, 1, 2, 23), datetime(1990, 1, 3)]}))
    for wanted in ({"at": Between(most=date(1990, 1, 2))}, {"at": (date(1990, 1, 1), "1990-01-02")}):
        assert chosen_in(people, wanted, setting="vital").tolist() == [True, True, False]
    assert Between(least=datetime(1990, 1, 1, 9), most=date(1990, 1, 1)).least is not None


@pytest.mark.parametrize("wanted", [{"born": (3,)}, {"born": Between(least="spring")}, "born == 'spring'"])
def test_what_is_no_date_is_refused(wanted: Chosen) -> None:
    with pytest.raises(SettingError, match=r"vital: 'born' cannot be compared with .*: it is a date") as refused:
        chosen_in(Microfile(pl.DataFrame({"born": DAYS})), wanted, setting="vital")
    assert "1990-12-31" in (refused.value.hint or "")


@pytest.mark.parametrize("ends", [{"least": 3, "most": 2}, {"least": date(1990, 1, 2), "most": date(1990, 1, 1)}])
def test_a_range_in_which_nothing_lies_is_refused(ends: dict) -> None:
    with pytest.raises(SettingError, match="least is greater than most"):
        Between(**ends)
