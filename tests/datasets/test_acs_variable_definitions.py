"""TC16's variables on files of the American Community Survey."""

from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf
from sfumato.attacks.membership_grades import grades_of
from sfumato.datasets import acs_steps, acs_variables
from sfumato.fuzzy import blind_spots
from sfumato.harmonising import agree, harmonise

NAMES = [variable.attribute for variable in acs_variables()]
BESIDE = ["MIL", "POWSP", "POWPUMA", "PWGTP"]
FILES = [
    "pums_hi/pums_person_hi_2015.parquet",
    "pums_hi/pums_person_hi_2018.parquet",
    "pums_2018_states/pums_person_nd_2018.parquet",
    "pums_2018_states/pums_person_wv_2018.parquet",
]


def respondents(**columns):
    usual = {"AGEP": 30, "SCHL": 16, "SEX": 1, "RAC1P": 1, "WKHP": 40, "HISP": 1, "MAR": 1, "JWTR": 1, "JWDP": 49}
    usual |= {"JWMNP": 20, "WKW": 1, "PINCP": 30_000, "LANX": 2, "ENG": None, "MIL": 4}
    count = max(map(len, columns.values()), default=1)
    answers = {name: columns.get(name, [value] * count) for name, value in usual.items()}
    return pl.DataFrame(answers, schema=dict.fromkeys(answers, pl.Int32))


def harmonised(name, **columns):
    return harmonise(respondents(**columns), acs_steps(ranges=False)).microfile.series(name).to_list()


def test_the_twelve_variables_allow_as_many_rules_as_published():
    rules = 1
    for variable in acs_variables(alpha=None):
        rules *= len(variable.names) + 1
    assert rules == 4_478_976
    assert len(NAMES) == 12


def test_codes_become_those_of_the_variables():
    # intervals of 30, 10 and 5 minutes become their midpoints
    assert harmonised("departure", JWDP=[1, 6, 7, 18, 19, 78, 79, 132, 133, 136, 137, 148, 149, 150]) == [
        15, 165, 185, 295, 302.5, 597.5, 605, 1135, 1155, 1245, 1265, 1375, 1395, 1425,
    ]  # fmt: skip  # pairs of the first and last code of a run
    assert harmonised("education", SCHL=[1, 7, 8, 12, 15, 18, 19, 20, 21, 24, None]) == [
        0, 1, 2, 3, 6, 6, 7, 8, 10, 11, None,
    ]  # fmt: skip  # one below the other they would fill a page
    assert harmonised("weeks", WKW=[1, 6, None]) == [6, 1, None]
    assert harmonised("hispanic", HISP=[1, 2, 24]) == ["no", "yes", "yes"]
    assert harmonised("race", RAC1P=[1, 2, 6]) == ["white", "black", "other"]
    assert harmonised("transport", JWTR=[1, 8, 11, None]) == ["car", "motorcycle", "worked at home", None]


def test_ranges_keep_the_respondents_of_the_paper():
    frame = respondents(
        AGEP=[30, 17, 46, 30, 30, 30],
        RAC1P=[2, 1, 1, 6, 1, 1],
        LANX=[2, 2, 2, 2, 1, 1],
        ENG=[None, None, None, None, 3, 2],
    )
    assert harmonise(frame, acs_steps()).microfile.series("race").to_list() == ["black", "white"]


def test_select_keeps_the_twelve_and_the_listed_attributes():
    microfile = harmonise(respondents(), acs_steps(beside=["MIL"])).microfile
    assert microfile.names == [*NAMES, "MIL"]


@pytest.mark.parametrize("name", FILES)
def test_variables_cover_every_value_of_harmonised_real_files(real_data, name):
    people = sf.read(real_data(name))
    microfile = harmonise(people, acs_steps(beside=BESIDE)).microfile
    assert microfile.names == [*NAMES, *BESIDE]
    assert microfile.records > 1000
    assert not any(microfile.encoded(attribute).has_missing for attribute in NAMES)
    assert not any(spots.records or spots.missing for spots in blind_spots(microfile, acs_variables()))
    uncovered = {spots.attribute for spots in blind_spots(microfile, acs_variables(alpha=None)) if spots.records}
    assert {"age", "hours", "transport"} <= uncovered <= {"age", "hours", "transport", "travel_minutes"}
    grades = grades_of(microfile, acs_variables())
    assert all((grades.of(number).max(axis=1) >= 0.5).all() for number in range(12))


def test_real_files_of_different_years_and_states_agree(real_data):
    files = [harmonise(sf.read(real_data(name)), acs_steps(beside=BESIDE)).microfile for name in FILES]
    for file in files[1:]:
        differences = agree(files[0], file, [*NAMES, "MIL"], strangers=0.02)
        # rare means of transport need not occur in every state
        assert {difference.attribute for difference in differences} <= {"transport"}


def test_without_ranges_blind_spots_are_only_outside_them(real_data):
    people = sf.read(real_data(FILES[1]))
    microfile = harmonise(people, acs_steps(ranges=False)).microfile
    assert microfile.records == people.records
    uncovered = {spots.attribute for spots in blind_spots(microfile, acs_variables()) if spots.records}
    assert uncovered == {"age", "education", "income", "travel_minutes"}
