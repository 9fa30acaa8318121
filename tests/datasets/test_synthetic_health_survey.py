from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.errors import SettingError


def test_the_same_seed_makes_the_same_people_and_another_makes_others():
    people = sf.datasets.health_survey(500, seed=2).frame
    assert people.equals(sf.datasets.health_survey(500, seed=2).frame)
    assert not people.equals(sf.datasets.health_survey(500, seed=3).frame)


def test_members_of_a_household_live_in_one_place():
    people = sf.datasets.health_survey(2000).frame
    assert people.group_by("household").n_unique()["zip"].max() == 1


def test_nobody_is_refused():
    with pytest.raises(SettingError, match="records must be a whole number of at least 1"):
        sf.datasets.health_survey(0)
