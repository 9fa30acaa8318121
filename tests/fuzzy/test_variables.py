from __future__ import annotations

import math
from datetime import date, time

import polars as pl
import pytest

from sfumato.errors import SettingError
from sfumato.fuzzy import Crisp, Falling, Gap, Gaussian, LinguisticVariable, PiShaped, Rising, SShaped, ZShaped
from sfumato.microfile.microfile import Microfile

AGE = LinguisticVariable(attribute="age", values={"young": Falling(corners=(33, 37)), "old": Rising(corners=(33, 37))})


def test_grades_of_numbers_and_microfiles():
    assert AGE.names == ("young", "old")
    assert AGE.grades([30, 34, math.nan]).tolist() == [[1, 0], [0.75, 0.25], [0, 0]]
    assert AGE.memberships(pl.DataFrame({"age": [30, 36, None]})).tolist() == [[1, 0], [0.25, 0.75], [0, 0]]


def test_missing_numbers_can_have_a_word_of_their_own():
    age = AGE.model_copy(update={"missing": "unknown"})
    assert age.names == ("young", "old", "unknown")
    assert age.grades([30, math.nan]).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert age.words()["unknown"] == "no number is known"
    assert age.ruspini_gap() is None


def test_blind_spots_of_published_variables():
    # ERRATA 004-15
    age = LinguisticVariable(
        attribute="age",
        values={
            "young": PiShaped(corners=(7.05, 15.40, 22.50, 27.18)),
            "middle 1": Gaussian(centre=27.5, deviation=2),
            "middle 2": Gaussian(centre=32.5, deviation=2),
            "middle 3": Gaussian(centre=37.5, deviation=2),
            "old": PiShaped(corners=(37.85, 42.50, 47.51, 54.84)),
        },
    )
    assert age.blind_spots(range(17, 51)).tolist() == [25, 30, 35, 40]
    assert age.blind_spots([25, 25, math.nan], alpha=0.4).tolist() == []
    assert age.ruspini_gap() is not None


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (Falling(corners=(0, 4)), Rising(corners=(0, 4))),
        (ZShaped(corners=(0, 4)), SShaped(corners=(0, 4))),
        (Crisp(stop=4), Crisp(start=4)),
    ],
)
def test_ruspini_partitions(low, high):
    variable = LinguisticVariable(attribute="x", values={"low": low, "high": high})
    assert variable.ruspini_gap() is None
    assert variable.ruspini_gap(within=(-100, 100)) is None
    variable.check_ruspini()


@pytest.mark.parametrize(
    ("low", "high", "gap"),
    [
        (Falling(corners=(20, 30)), Rising(corners=(22, 30)), Gap(22, 0.8)),
        # crisp sets that share their border
        (Falling(corners=(5, 5)), Rising(corners=(5, 5)), Gap(5, 2)),
        (Crisp(stop=4), Crisp(start=6), Gap(4, 0)),
        # equal at both ends and in the middle, but bent between them
        (ZShaped(corners=(0, 4)), Rising(corners=(0, 4)), Gap(1, 1.125)),
    ],
)
def test_where_grades_do_not_sum_to_1(low, high, gap):
    variable = LinguisticVariable(attribute="x", values={"low": low, "high": high})
    found = variable.ruspini_gap()
    assert (found.point, found.total) == (gap.point, pytest.approx(gap.total))


def test_outside_the_corners_only_where_asked():
    hump = LinguisticVariable(attribute="x", values={"all": {"shape": "trapezoidal", "corners": [0, 0, 9, 9]}})
    assert hump.ruspini_gap() is None
    assert hump.ruspini_gap(within=(-1, 9)).total == 0


def test_messages():
    with pytest.raises(
        SettingError,
        match=r"values of 'age' are not a Ruspini partition: at 22 their grades sum to 0\.8, 0\.2 too little",
    ):
        LinguisticVariable(
            attribute="age", values={"a": Falling(corners=(20, 30)), "b": Rising(corners=(22, 30))}
        ).check_ruspini()
    with pytest.raises(SettingError, match="at 5 their grades sum to 2, 1 too much"):
        LinguisticVariable(
            attribute="age", values={"a": Falling(corners=(5, 5)), "b": Rising(corners=(5, 5))}
        ).check_ruspini()
    with pytest.raises(SettingError, match="setting 'values'"):
        LinguisticVariable(attribute="age", values={})
    with pytest.raises(SettingError, match="corners must not descend"):
        LinguisticVariable(attribute="age", values={"young": {"shape": "falling", "corners": [3, 1]}})
    with pytest.raises(SettingError, match="the word 'young' for missing numbers is one of the values"):
        LinguisticVariable(attribute="age", values={"young": Crisp()}, missing="young")
    with pytest.raises(SettingError, match=r"alpha must be above 0 and at most 1 \(given: 0\)"):
        AGE.blind_spots([1], alpha=0)
    with pytest.raises(SettingError, match=r"within must be two ascending numbers \(given: 3 and 1\)"):
        AGE.ruspini_gap(within=(3, 1))


def test_dates_and_times_are_numbers_too():
    given = {"day": [date(1970, 1, 2), None, date(1970, 1, 11)], "hour": [time(1), time(9), None]}
    people = Microfile(pl.DataFrame(given))
    for attribute, corners in (("day", (1, 10)), ("hour", (3_600e9, 9 * 3_600e9))):
        variable = LinguisticVariable(attribute=attribute, values={"late": Rising(corners=corners)})
        codes, grades = variable.coded(people)
        assert grades[codes].tolist() == variable.memberships(people).tolist()
        assert sorted(grades[codes].ravel().tolist()) == [0, 0, 1]
