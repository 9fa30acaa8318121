"""Choosing records by values, ranges and conditions."""

from __future__ import annotations

import polars as pl
import pytest

from sfumato import Microfile
from sfumato.errors import SettingError
from sfumato.groups.selection import Between, Chosen, attributes_of, chosen_in

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
        ({"wrok": ("army",)}, "vital: there is no column 'wrok'"),
        ("wrok == 1", "vital: there is no column 'wrok'"),
        ({"work": Between(least=3)}, "'work' cannot be compared with 3: it is categorical"),
        ("age ==", "is no condition"),
        ("__import__('os').system('true')", "is more than a condition"),
        ("age == work", "is more than a condition"),
        ("age in {[1]}", "is more than a condition"),
        ("15 < age < 40", "is more than a condition"),
        ("age", "is more than a condition"),
    ],
)
def test_wrong_choices_are_refused(wanted: Chosen, message: str) -> None:
    with pytest.raises(SettingError, match="vital"):
        chosen(wanted)
    with pytest.raises(SettingError) as refused:
        chosen(wanted)
    assert message in refused.value.message


def test_attributes() -> None:
    assert attributes_of("a == 1 and (b > 2 or a in [3])") == ("a", "b")
    assert attributes_of(({"a": (1,)}, {"b": (2,), "a": (3,)})) == ("a", "b")
